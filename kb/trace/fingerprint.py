"""Three fingerprints of a chain, from strict to loose, each with the readable parts it was made of."""

import re
import unicodedata
from collections.abc import Mapping
from hashlib import blake2b

from kb.language import simplify
from kb.trace.model import ExceptionChain, Fingerprint, Level, RaisedException, Relation
from kb.trace.normalize import frame_key, normalize
from kb.trace.runtimes import runtime_named

VERSION = 2
"""Raised with every change that can move a digest. It is part of the digest."""

_CJK = "\u2e80-\u9fff\uf900-\ufaff\uac00-\ud7af"
_BLANK_BESIDE_CJK = re.compile(rf"(?<=[{_CJK}])\s+|\s+(?=[{_CJK}])")
_BLANKS = re.compile(r"\s+")
_PUNCTUATION = re.compile(r"[^\w<>]+|_+")


def fingerprints(chain: ExceptionChain) -> Mapping[Level, Fingerprint]:
    """The fingerprints of the normalised chain, one of each level. A basis is never empty."""
    normal = normalize(chain)
    bases = {Level.EXACT: _exact(normal), Level.ROOT_CAUSE: _root_cause(normal), Level.LOOSE: _loose(normal)}
    return {level: Fingerprint(level, _digest(level, basis), basis) for level, basis in bases.items()}


def _digest(level: Level, basis: tuple[str, ...]) -> str:
    text = "\n".join((f"{level} {VERSION}", *basis))
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _exact(chain: ExceptionChain) -> tuple[str, ...]:
    basis: list[str] = []
    for exception in chain.exceptions:
        hung = f"{exception.relation} of {exception.parent}: " if exception.relation is not None else ""
        basis.append(hung + _named(exception))
        basis.extend(_own_frames(exception))
        if exception.elided:
            basis.append(f"  and {exception.elided} of the enclosing trace")
    return tuple(basis)


def _root_cause(chain: ExceptionChain) -> tuple[str, ...]:
    """The root with the frames it has for itself: those it shares with its wrapper tell of the wrapper.

    So the innermost ``Caused by`` pasted alone has the fingerprint of its whole trace.
    """
    root = chain.root
    return (_named(root), *_own_frames(root))


def _own_frames(exception: RaisedException) -> list[str]:
    frames = exception.stack.frames
    return ["  " + frame_key(frame) for frame in frames[: len(frames) - exception.elided]]


def _named(exception: RaisedException) -> str:
    """Type and first telling line of the message; falls back to what there is."""
    name = exception.type or "?"
    if exception.wrapped_type:
        name = f"{name}({exception.wrapped_type})"
    line = _first_line(exception.message or "")
    return f"{name}: {line}" if line else name


def _first_line(message: str) -> str:
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    if not lines:
        return ""
    # a message that quotes another runtime's traceback says its meaning last
    line = lines[-1] if lines[0].startswith("Traceback (most recent call last)") else lines[0]
    return _BLANK_BESIDE_CJK.sub("", _BLANKS.sub(" ", line))


def _loose(chain: ExceptionChain) -> tuple[str, ...]:
    root = chain.root
    at = next(i for i, e in enumerate(chain.exceptions) if e is root)
    members = [e for e in chain.exceptions if e.parent == at and e.relation is Relation.GROUPED]
    name = root.type or "?"
    if members:  # a group is the set of its distinct members
        return (
            name,
            *sorted({": ".join(part.strip() for part in _loose_parts(member, chain.runtime)) for member in members}),
        )
    return _loose_parts(root, chain.runtime)


def _loose_parts(exception: RaisedException, runtime_name: str) -> tuple[str, ...]:
    """Type and the top frame of the application; of a framework, else of the platform; else the message alone."""
    runtime = runtime_named(runtime_name)
    name = exception.type or "?"
    frames = exception.stack.frames
    if runtime is not None and frames:
        name = name if runtime.prints_type else "?"
        own = frames[: len(frames) - exception.elided] or frames
        best = min(own, key=runtime.rank)
        if runtime.rank(best) == 2:
            best = min(frames, key=runtime.rank)
        return (name, "  " + runtime.loose_key(best))
    message = fold(_first_line(exception.message or ""))
    if exception.type is None:
        return (message or "?",)
    return (name, message) if message else (name,)


def fold(text: str) -> str:
    """A text without what two people write differently: width, script variant, case, blanks between scripts, punctuation."""
    plain = unicodedata.normalize("NFKC", simplify(text)).casefold()
    spaced = _PUNCTUATION.sub(" ", plain)
    return _BLANK_BESIDE_CJK.sub("", _BLANKS.sub(" ", spaced)).strip()
