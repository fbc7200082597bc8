"""The lasting names of .NET types and methods: without instantiations, counters and the suffixes of proxies."""

import re
from dataclasses import dataclass
from functools import lru_cache

from kb.patterns import lazy
from kb.trace.model import Frame, RaisedException
from kb.trace.rules import names
from kb.trace.runtimes.dotnet.languages import framework_message

# The names that compilers make up, brought back to the methods of the source: state machines, lambdas, local functions.

_DEEPEST = 6
_LONGEST = 1_000

# <Load>d__1, <Load>d__1b, <Load>d__14`1, <Load>d, <Load>c__async0, <Pipeline>c__Iterator3
_STATE_MACHINE = lazy(
    r"(?:d(?:__[0-9a-f]{1,6})?|c__(?:async|Iterator)[0-9a-fA-F]{1,6})(?:`\d{1,2})?(?:\[[^\n]{0,400}\])?$"
)
_VB_STATE_MACHINE = lazy(r"^VB\$StateMachine_\d{1,6}_(?P<method>\w{1,200})")
# <Main>b__1_0, <Main>b__b, mcs: <Main>m__0
_LAMBDA = lazy(r"[bm]__[0-9a-fA-F_]{1,16}(?:\[[^\n]{0,400}\])?$")
_LOCAL = lazy(r"g__(?P<local>[^|\s]{1,300}?)\|[0-9_]{1,16}(?:\[[^\n]{0,400}\])?$")
# <>c, <>c__DisplayClass5_0, <>c__DisplayClassc, <Main>c__AnonStorey0, <>o__1, _Closure$__75-0
_CLOSURE = lazy(
    r"^(?:<[^\n]{0,400}>(?:c|o)(?:__\w{1,40})?(?:[`']\d{1,2})?(?:\[[^\n]{0,400}\])?|_Closure\$__[\d-]{0,16}(?:[`']\d{1,2})?)$"
)
_VB_LAMBDA = lazy(r"^_Lambda\$__(?:R?\d{0,6}(?:-\d{1,6})?)$")
_FSHARP_CLOSURE = lazy(r"^(?P<method>[^@\s]{1,200})@\d{1,6}(?:-\d{1,6})?(?:`\d{1,2})?$")
_STUB = lazy(r"^<>[nm]__[0-9a-fA-F_]{1,10}$")
_INTERFACE = lazy(r"^I[A-Z]")
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
    """Return where the name of an interface begins whose member is spelled out: ``Acme.Repo.System.IDisposable.Dispose``."""
    if len(segments) < 3 or not _INTERFACE.match(segments[-1]):
        return None
    roots = ("System", "Microsoft", segments[0])
    return next(
        (at for at in range(1, len(segments) - 1) if segments[at] in roots and segments[at - 1] != segments[at]), None
    )


def _type(segments: list[str]) -> str | None:
    """Return the type's own segments, without closures and the start-up classes of F#."""
    return ".".join(s for s in segments if not _CLOSURE.match(s) and not s.startswith("<StartupCode$")) or None


def _state_machine(segment: str) -> tuple[str, bool] | None:
    """Return the method that was compiled into this class."""
    if segment.startswith("VB$"):
        found = _VB_STATE_MACHINE.match(segment)
        return (found["method"], False) if found is not None else None
    inside, behind = _inside(segment)
    if not inside or not _STATE_MACHINE.match(behind):
        return None
    return _plain(inside, 1)


def _plain(name: str, depth: int) -> tuple[str, bool]:
    """Return a method's name without what the compiler put round it, and whether it is a lambda."""
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
    """Return what is between the angle brackets a segment begins with, and what is behind them."""
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
    """Return the name at its dots (and the ``+`` or ``/`` of Mono before a made-up name); None if its brackets do not match."""
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


_LAMBDA_NAME = "<lambda>"
_MOST_PASSES = 6
_DIGITS = lazy(r"\d+")

# (what, pattern, replacement), in this order. Each leaves a name that it does not match again.
_TYPE: tuple[tuple[str, re.Pattern[str], str], ...] = (
    ("generic arguments", lazy(r"\[[^\[\]\n]{0,600}\]"), ""),
    ("generic arity", lazy(r"[`']\d{1,2}(?!\w)"), ""),
    ("nested types of Mono", lazy(r"(?<=\w)[+/](?=[\w<])"), "."),
    ("Castle proxies", lazy(r"^(Castle\.Proxies\.[\w.]{1,300}?Proxy)_\d{1,6}(?=$|\.)"), r"\1"),
    ("Entity Framework proxies", lazy(r"(DynamicProxies\.\w{1,200}?)_[0-9A-F]{32,64}$"), r"\1"),
    (
        "proxies of DispatchProxy and LinFu",
        lazy(r"^((?:\w{1,60}\.){0,6}(?:generatedProxy|ProxyBuilder|DispatchProxy))_\d{1,6}"),
        r"\1",
    ),
    ("scripts", lazy(r"^(Submission|UserQuery|ScriptHost)#\d{1,6}"), r"\1"),
    ("compiled pages", lazy(r"^(ASP\.\w{1,200}_(?:as[pcmh]x|cshtml|vbhtml|master))_[0-9a-f]{8}$"), r"\1"),
    ("XML serialisers", lazy(r"(GeneratedAssembly\.[A-Za-z]{1,80}?)\d{1,6}$"), r"\1"),
    ("anonymous types", lazy(r"<>f__AnonymousType\w{1,16}"), "<anonymous>"),
)
_METHOD: tuple[tuple[str, re.Pattern[str], str], ...] = (
    ("generic arguments", lazy(r"\[[^\[\]\n]{0,600}\]"), ""),
    ("generic arity", lazy(r"[`']\d{1,2}(?!\w)"), ""),
    ("explicit interfaces", lazy(r"<[^<>\n]{0,300}>(?=\.)"), ""),
    ("compiled expressions", lazy(r"^lambda_method\d{1,9}$"), "lambda_method"),
    ("Dapper's readers", lazy(r"^(Deserialize|ParamInfo)[0-9a-fA-F-]{32,36}$"), r"\1"),
    ("page controls", lazy(r"^(__(?:Render|BuildControl)_{0,2}(?:control)?)\d{1,6}$"), r"\1"),
    ("XML serialisers", lazy(r"^(Read|Write)\d{1,6}(?=_)"), r"\1"),
    ("regular expressions", lazy(r"^((?:Go|FindFirstChar|TryFind|Scan)?)\d{1,9}$"), r"\1"),
)


@lru_cache(maxsize=16_384)
def normal_class(name: str) -> str:
    """Return the type under its lasting name."""
    return _replaced(name, _TYPE)


@lru_cache(maxsize=16_384)
def normal_method(name: str) -> str:
    """Return the method under its lasting name."""
    return _replaced(name, _METHOD) or name


def _replaced(name: str, table: tuple[tuple[str, re.Pattern[str], str], ...]) -> str:
    if name.isalpha():
        return name
    for _ in range(_MOST_PASSES):  # brackets within brackets; the bound keeps it linear
        before = name
        for _, pattern, into in table:
            name = pattern.sub(into, name)
        if name == before:
            break
    return name


@lru_cache(maxsize=16_384)
def type_rank(type_: str) -> int:
    """0 a type of the application, 1 of a framework or package, 2 of the platform; by the bundled lists."""
    name = f"{type_}."
    if name in names("dotnet_framework"):
        return 1
    return 2 if name in names("dotnet_platform") else 0


def call(printed: str) -> tuple[str | None, str, bool]:
    """Type, method, and whether it is the application's, of a name as it is in a trace."""
    method = demangled(printed)
    return method.type, method.name, _rank(method.type, method.name) == 0


def _rank(module: str | None, function: str | None) -> int:
    if module:
        return type_rank(module)
    return 2 if (function or "") in names("dotnet_platform") else 0


def normal_frame(frame: Frame) -> Frame:
    """Return the frame under type and method, a lambda marked as such; the file by its name only, for reading."""
    module, function = frame.module, frame.function
    if module is None and function is not None and ":" in function:  # Unity: Acme.Player:Update
        module, _, function = function.rpartition(":")
    if module == "DynamicClass":  # what owns the methods that a program compiles; older runtimes print none
        module = None
    if frame.raw and function and _LAMBDA_NAME not in function and _is_lambda(frame.raw):
        function = f"{function}.{_LAMBDA_NAME}"
    module = normal_class(module) if module else None
    function = normal_method(function) if function else None
    filename = re.split(r"[/\\]", frame.filename)[-1] or None if frame.filename else None
    return Frame(function=function, module=module, filename=filename, in_app=_rank(module, function) == 0)


# e.g. at Acme.A.<>c.<Main>b__1_0(Int32 n)
_RAW_LAMBDA = lazy(r">[bm]__[0-9a-fA-F_]{1,16}(?:\[|>| ?\()|@\d{1,6}(?:-\d{1,6})?(?:`\d)?\.|\)\+\([^()\n]{0,300}\) ?=>")


def _is_lambda(raw: str) -> bool:
    return _RAW_LAMBDA.search(raw[:2_000].replace("&gt;", ">")) is not None


def is_machinery(frame: Frame) -> bool:
    """Awaiting, rethrowing, reflection, thread bases, proxies: the same under every fault."""
    if frame.function is not None and frame.module is None and frame.function.startswith("(wrapper"):
        return True
    return f"{frame.module}.{frame.function}" in names("dotnet_machinery")


def rank(frame: Frame) -> int:
    """Return how telling the frame is: its type decides."""
    return _rank(frame.module, frame.function)


def loose_key(frame: Frame) -> str:
    """Type and method, a lambda under the method it is in."""
    function = (frame.function or "").removesuffix(f".{_LAMBDA_NAME}")
    return f"{frame.module}.{function}" if frame.module else function or str(frame.filename)


def normal_type(name: str) -> str:
    """Return the lasting name of an exception type: nested types by dots, without the arguments of generic ones."""
    return normal_class(name)


def function_name(raw: str) -> str | None:
    """``Acme.A.<Main>g__Helper|0_0(Int32 n)`` → ``Acme.A.Main.Helper``; None for a name no .NET compiler made up."""
    printed = raw.strip().partition("(")[0].strip()
    if not (printed and len(printed) <= 1_000 and _MADE_UP.search(printed)) or re.search(r"\s|::", printed):
        return None
    module, function, _ = call(printed)
    module, function = normal_class(module) if module else None, normal_method(function)
    return f"{module}.{function}" if module else function


# e.g. lambda_method7
_MADE_UP = lazy(r"<[^\n]{0,300}>(?:[bdgm]__|d\.|c__|\$)|^lambda_method\d|`\d|VB\$StateMachine|\.\.c?ctor$|<>c[._]")


def is_diagnostic(exception: RaisedException) -> bool:  # noqa: ARG001
    """.NET hangs no mere markers on exceptions."""
    return False


def normal_message(exception: RaisedException) -> str | None:
    """Return the message in English where the framework words it, nothing where the type says as much."""
    return framework_message(exception.type, exception.message)
