"""Three fingerprints of a chain, from strict to loose, each with the readable parts it was made of."""

import re
import unicodedata
from collections.abc import Mapping
from functools import lru_cache
from hashlib import blake2b
from operator import attrgetter

from kb.language import simplify
from kb.trace.model import ExceptionChain, Fingerprint, Level, RaisedException, Relation
from kb.trace.normalize import NamedFrame, NormalForm, normal_form
from kb.trace.runtimes import runtime_named
from kb.trace.runtimes.base import Runtime

VERSION = 6
"""Raised with every change that can move a digest. It is part of the digest."""

_PLATFORM = 2  # the rank of frames that belong to the runtime itself
_CJK = "\u2e80-\u9fff\uf900-\ufaff\uac00-\ud7af"
_BLANK_BESIDE_CJK = re.compile(rf"(?<=[{_CJK}])\s+|\s+(?=[{_CJK}])")
_BLANKS = re.compile(r"\s+")
_PUNCTUATION = re.compile(r"[^\w<>]+|_+")


def fingerprints(chain: ExceptionChain) -> Mapping[Level, Fingerprint]:
    """Return the fingerprints of the normalised chain, one of each level. A basis is never empty."""
    normal = normal_form(chain)
    root = normal.chain.root
    at = next(number for number, one in enumerate(normal.chain.exceptions) if one is root)
    bases = {Level.EXACT: _exact(normal), Level.ROOT_CAUSE: _root_cause(normal, at), Level.LOOSE: _loose(normal, at)}
    return {level: Fingerprint(level, _digest(level, basis), basis) for level, basis in bases.items()}


def _digest(level: Level, basis: tuple[str, ...]) -> str:
    text = "\n".join((f"{level} {VERSION}", *basis))
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _exact(normal: NormalForm) -> tuple[str, ...]:
    basis: list[str] = []
    for exception, stack in zip(normal.chain.exceptions, normal.stacks, strict=True):
        hung = f"{exception.relation} of {exception.parent}: " if exception.relation is not None else ""
        basis.append(hung + _named(exception))
        basis.extend(["  " + named.key for named in _own(stack, exception)])
        if exception.elided:
            basis.append(f"  and {exception.elided} of the enclosing trace")
    return tuple(basis)


def _root_cause(normal: NormalForm, at: int) -> tuple[str, ...]:
    """Return the root with the frames it has for itself: those it shares with its wrapper tell of the wrapper.

    So the innermost ``Caused by`` pasted alone has the fingerprint of its whole trace. A group is what its distinct members are.
    """
    members = sorted({"\n".join(_raised(normal, member)) for member in _members(normal, at)})
    return (*_raised(normal, at), *(line for member in members for line in member.split("\n")))


def _raised(normal: NormalForm, at: int) -> list[str]:
    exception = normal.chain.exceptions[at]
    return [_named(exception), *["  " + named.key for named in _own(normal.stacks[at], exception)]]


def _members(normal: NormalForm, at: int) -> list[int]:
    exceptions = normal.chain.exceptions
    return [i for i, e in enumerate(exceptions) if e.parent == at and e.relation is Relation.GROUPED]


def _own(stack: tuple[NamedFrame, ...], exception: RaisedException) -> tuple[NamedFrame, ...]:
    return stack[: len(stack) - exception.elided]


def _named(exception: RaisedException) -> str:
    """Type and first telling line of the message; falls back to what there is."""
    name = exception.type or "?"
    if exception.wrapped_type:
        name = f"{name}({exception.wrapped_type})"
    line = _first_line(exception.message or "")
    return f"{name}: {line}" if line else name


@lru_cache(maxsize=8_192)
def _first_line(message: str) -> str:
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    if not lines:
        return ""
    # a message that quotes another runtime's traceback says its meaning last
    line = lines[-1] if lines[0].startswith("Traceback (most recent call last)") else lines[0]
    return _BLANK_BESIDE_CJK.sub("", _BLANKS.sub(" ", line))


def _loose(normal: NormalForm, at: int) -> tuple[str, ...]:
    chain, runtime = normal.chain, runtime_named(normal.chain.runtime)
    root = chain.exceptions[at]
    members = _members(normal, at)
    if members:  # a group is the set of its distinct members
        parts = (_loose_parts(chain.exceptions[i], normal.stacks[i], runtime) for i in members)
        return (root.type or "?", *sorted({": ".join(part.strip() for part in member) for member in parts}))
    return _loose_parts(root, normal.stacks[at], runtime)


def _loose_parts(exception: RaisedException, stack: tuple[NamedFrame, ...], runtime: Runtime | None) -> tuple[str, ...]:
    """Type and the top frame of the application; of a framework, else of the platform; else the message alone."""
    name = exception.type or "?"
    if runtime is not None and stack:
        best = _telling(_own(stack, exception) or stack)
        if best.rank == _PLATFORM:
            best = _telling(stack)
        return (name if runtime.prints_type else "?", "  " + runtime.names.loose_key(best.frame))
    message = fold(_first_line(exception.message or ""))
    if exception.type is None:
        return (message or "?",)
    return (name, message) if message else (name,)


def _telling(stack: tuple[NamedFrame, ...]) -> NamedFrame:
    """Return the topmost frame of the lowest rank."""
    return next((named for named in stack if named.rank == 0), None) or min(stack, key=attrgetter("rank"))


def fold(text: str) -> str:
    """Return a text without what two people write differently: width, script variant, case, blanks between scripts, punctuation."""
    plain = unicodedata.normalize("NFKC", simplify(text)).casefold()
    spaced = _PUNCTUATION.sub(" ", plain)
    return _BLANK_BESIDE_CJK.sub("", _BLANKS.sub(" ", spaced)).strip()
