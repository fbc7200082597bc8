"""The names that compilers make up, brought back to the methods of the source: state machines, lambdas, local functions."""

import re
from dataclasses import dataclass
from functools import lru_cache

_DEEPEST = 6
_LONGEST = 1_000

# <Load>d__1, <Load>d__1b, <Load>d__14`1, <Load>d, <Load>c__async0, <Pipeline>c__Iterator3
_STATE_MACHINE = re.compile(
    r"(?:d(?:__[0-9a-f]{1,6})?|c__(?:async|Iterator)[0-9a-fA-F]{1,6})(?:`\d{1,2})?(?:\[[^\n]{0,400}\])?$"
)
_VB_STATE_MACHINE = re.compile(r"^VB\$StateMachine_\d{1,6}_(?P<method>\w{1,200})")
# <Main>b__1_0, <Main>b__b, mcs: <Main>m__0
_LAMBDA = re.compile(r"[bm]__[0-9a-fA-F_]{1,16}(?:\[[^\n]{0,400}\])?$")
_LOCAL = re.compile(r"g__(?P<local>[^|\s]{1,300}?)\|[0-9_]{1,16}(?:\[[^\n]{0,400}\])?$")
# <>c, <>c__DisplayClass5_0, <>c__DisplayClassc, <Main>c__AnonStorey0, <>o__1, _Closure$__75-0
_CLOSURE = re.compile(
    r"^(?:<[^\n]{0,400}>(?:c|o)(?:__\w{1,40})?(?:[`']\d{1,2})?(?:\[[^\n]{0,400}\])?|_Closure\$__[\d-]{0,16}(?:[`']\d{1,2})?)$"
)
_VB_LAMBDA = re.compile(r"^_Lambda\$__(?:R?\d{0,6}(?:-\d{1,6})?)$")
_FSHARP_CLOSURE = re.compile(r"^(?P<method>[^@\s]{1,200})@\d{1,6}(?:-\d{1,6})?(?:`\d{1,2})?$")
_STUB = re.compile(r"^<>[nm]__[0-9a-fA-F_]{1,10}$")
_INTERFACE = re.compile(r"^I[A-Z]")
_OPENING, _CLOSING = "<[", ">]"


@dataclass(frozen=True, slots=True)
class MethodName:
    """A method under the name it has in the source."""

    type: str | None
    name: str
    is_lambda: bool = False


@lru_cache(maxsize=16_384)
def demangled(printed: str) -> MethodName:
    """``Acme.A.<>c.<Main>b__1_0`` → ``Acme.A``, ``Main``; a name that no compiler made up is only split."""
    if len(printed) > _LONGEST:
        return _split_at_last_dot(printed)
    special = next((end for end in ("..ctor", "..cctor") if printed.endswith(end)), None)
    if special is not None:
        return MethodName(_type(_segments(printed.removesuffix(special)) or [printed]), special[1:])
    segments = _segments(printed)
    if segments is None or not segments[-1]:
        return _split_at_last_dot(printed)
    return _method(segments)


def _split_at_last_dot(printed: str) -> MethodName:
    type_, dot, name = printed.rpartition(".")
    return MethodName(type_ or None, name) if dot else MethodName(None, printed)


def _method(segments: list[str]) -> MethodName:
    kept: list[str] = []
    found: tuple[str, bool] | None = None
    for at, segment in enumerate(segments):
        is_last = at == len(segments) - 1
        machine = _state_machine(segment) if not is_last or segment.startswith("VB$") else None
        if machine is not None:
            found = machine
            break
        if _CLOSURE.match(segment) and not is_last:
            enclosing, _ = _inside(segment)
            found = (_plain(enclosing, 0)[0], True) if enclosing else found
            continue
        closure = _FSHARP_CLOSURE.match(segment) if not is_last else None
        if closure is not None:
            found = (closure["method"], True)
            break
        kept.append(segment)
    else:
        last = kept.pop()
        name, is_lambda = _plain(last, 0)
        interface = _interface(kept)
        if interface is not None:
            name, kept = ".".join([*kept[interface:], name]), kept[:interface]
        if _STUB.match(last) and found is not None:
            name, is_lambda = found
        return MethodName(_type(kept), name, is_lambda)
    return MethodName(_type(kept), *found)


def _interface(segments: list[str]) -> int | None:
    """Where the name of an interface begins whose member is spelled out: ``Acme.Repo.System.IDisposable.Dispose``."""
    if len(segments) < 3 or not _INTERFACE.match(segments[-1]):
        return None
    roots = ("System", "Microsoft", segments[0])
    return next(
        (at for at in range(1, len(segments) - 1) if segments[at] in roots and segments[at - 1] != segments[at]), None
    )


def _type(segments: list[str]) -> str | None:
    """The type's own segments, without closures and the start-up classes of F#."""
    return ".".join(s for s in segments if not _CLOSURE.match(s) and not s.startswith("<StartupCode$")) or None


def _state_machine(segment: str) -> tuple[str, bool] | None:
    """The method that was compiled into this class."""
    if segment.startswith("VB$"):
        found = _VB_STATE_MACHINE.match(segment)
        return (found["method"], False) if found is not None else None
    inside, behind = _inside(segment)
    if not inside or not _STATE_MACHINE.match(behind):
        return None
    return _plain(inside, 1)


def _plain(name: str, depth: int) -> tuple[str, bool]:
    """A method's name without what the compiler put round it, and whether it is a lambda."""
    if _VB_LAMBDA.match(name):
        return "<lambda>", True
    inside, behind = _inside(name)
    if not inside or depth > _DEEPEST:
        return name, False
    local = _LOCAL.match(behind)
    if local is not None:
        return f"{_plain(inside, depth + 1)[0]}.{local['local']}", False
    if _LAMBDA.match(behind):
        return _plain(inside, depth + 1)[0], True
    if behind in ("", "$"):  # the Main of top-level statements, and the one that awaits an async Main
        return _plain(inside, depth + 1)
    return name, False


def _inside(segment: str) -> tuple[str, str]:
    """What stands between the angle brackets a segment begins with, and what stands behind them."""
    if not segment.startswith("<"):
        return "", segment
    depth = 0
    for at, char in enumerate(segment):
        if char == "<":
            depth += 1
        elif char == ">":
            depth -= 1
            if depth == 0:
                return segment[1:at], segment[at + 1 :]
    return "", segment


def _segments(name: str) -> list[str] | None:
    """The name at its dots (and the ``+`` or ``/`` of Mono before a made-up name); None if its brackets do not match."""
    parts: list[str] = []
    depth = start = 0
    for at, char in enumerate(name):
        if char in _OPENING:
            depth += 1
        elif char in _CLOSING:
            depth -= 1
            if depth < 0:
                return None
        elif depth == 0 and (char == "." or (char in "+/" and name[at + 1 : at + 2] in ("<", "_"))):
            parts.append(name[start:at])
            start = at + 1
    return None if depth else [*parts, name[start:]]
