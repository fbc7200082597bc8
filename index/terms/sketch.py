"""A normalised chain as numbers: all that ranking needs of it, cheap to store by the million and to compare.

One exception is its type twice (as printed, and the last part of the name), the words of its message template and its
frames, each as a 64-bit token name. Exceptions stand from the root cause outwards.
"""

import re
from collections import defaultdict, deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from index.terms import tokens
from index.terms.frequencies import name_of
from index.terms.hashing import Hashes, token_hash
from kb.trace import ExceptionChain, Frame, RaisedException, frame_key, in_force
from kb.trace.normalize import lasting_key
from kb.trace.runtimes import runtime_named

PLATFORM = 2
"""The rank of frames that belong to the runtime itself (`kb.trace.runtimes.base`)."""

HEAD = 5
"""Numbers before the words of a packed exception: type, simple type, and how many words, frames and numbers of lines follow."""
LINE_BITS, LINES_A_NUMBER = 16, 4
"""How a packed exception has lines."""

_NAME_END = re.compile(r"[.$:/\\]")


@dataclass(frozen=True, slots=True)
class ExceptionSketch:
    """One exception: 0 for a type that is not known."""

    type: int
    simple: int
    message: tuple[int, ...]
    frames: tuple[int, ...]
    lines: tuple[int, ...] = ()
    """Of each frame the line it stood at, 0 for not known; empty when none is known."""


ChainSketch = tuple[ExceptionSketch, ...]
"""A chain, the root cause first."""


def sketch(chain: ExceptionChain, lines: Sequence[int] = ()) -> ChainSketch:
    """The numbers of a normalised chain, and the lines of its frames (``index.terms.sketch``)."""
    found: list[ExceptionSketch] = []
    at = 0
    for exception in outwards(chain):
        numbers = _exception(exception, message_of(chain, exception), chain.runtime)
        here, at = tuple(lines[at : at + len(numbers.frames)]), at + len(numbers.frames)
        found.append(replace(numbers, lines=here) if any(here) else numbers)
    return tuple(found)


_QUOTED = "<quoted>"


def with_values(found: ExceptionChain, normalised: ExceptionChain) -> ExceptionChain:
    """Return a normalised chain in which a message that is nothing but quoted values is as it was found.

    What ``KeyError: 'qwen2'`` and ``NoSuchMethodError: 'void a.B.c(int)'`` say is in the quotes alone: as templates all are one. Fingerprints do not see it, since they normalise.
    """
    if len(found.exceptions) != len(normalised.exceptions):  # markers and wrappers were taken out
        return normalised
    pairs = zip(found.exceptions, normalised.exceptions, strict=True)
    spoken = tuple(replace(named, message=raised.message) if _is_quoted(named) else named for raised, named in pairs)
    return replace(normalised, exceptions=spoken)


def _is_quoted(exception: RaisedException) -> bool:
    message = exception.message or ""
    return _QUOTED in message and not tokens.words(message)


def outwards(chain: ExceptionChain) -> list[RaisedException]:
    """The exceptions from the root cause to what the user saw, then the suppressed and grouped ones in text order."""
    path: list[int] = []
    at: int | None = next((i for i, e in enumerate(chain.exceptions) if e is chain.root), None)
    while at is not None and at not in path:
        path.append(at)
        at = chain.exceptions[at].parent
    rest = [i for i in range(len(chain.exceptions)) if i not in path]
    return [chain.exceptions[i] for i in path + rest]


def own_frames(exception: RaisedException) -> tuple[Frame, ...]:
    """The frames above those it shares with the enclosing trace: the wrapper's frames tell of the wrapper."""
    frames = exception.stack.frames
    return frames[: len(frames) - exception.elided]


def shown_type(exception: RaisedException) -> str | None:
    """The type that says what happened: the wrapped one where the wrapper prints it."""
    return exception.wrapped_type or exception.type


def simple_name(name: str) -> str:
    """The last part of a qualified name; a name in words (``KASAN: use-after-free``, ``I/O error``) as it is."""
    return name if " " in name else _NAME_END.split(name.rstrip(".$:/\\"))[-1]


def frame_tokens(chain: ExceptionChain) -> list[str]:
    """What the frames field of the lexical index holds of a chain: frames, types and the root's type.

    ``f:`` is a frame, ``p:`` one of the platform, as the runtime ranks it: ``net/http.(*conn).serve`` is under every fault of a
    server and says nothing.
    """
    rules = in_force.ready_rules()
    found = [_token(chain.runtime, frame, rules) for exception in chain.exceptions for frame in own_frames(exception)]
    for exception in chain.exceptions:
        found += [f"t:{name}" for name in _names(exception)]
    root = shown_type(chain.root)
    if root:
        found.append(f"r:{simple_name(root)}")
    return found


def _token(runtime_name: str, frame: Frame, rules: in_force.ReadyRules) -> str:
    token = _own_token(runtime_name, frame)
    return f"f:{token[2:]}" if token[0] == "p" and rules.is_application(token[2:]) else token


@lru_cache(maxsize=1 << 16)
def _own_token(runtime_name: str, frame: Frame) -> str:
    """Return a frame's token as its runtime ranks it, whatever rules say."""
    runtime, key = runtime_named(runtime_name), frame_key(frame)
    is_platform = runtime is not None and runtime.names.rank(frame) == PLATFORM
    return f"p:{key}" if is_platform else f"f:{key}"


def _names(exception: RaisedException) -> list[str]:
    full = [name for name in (exception.type, exception.wrapped_type) if name]
    return list(dict.fromkeys(full + [simple_name(name) for name in full]))


def _exception(exception: RaisedException, message: str | None, runtime: str) -> ExceptionSketch:
    name, rules = shown_type(exception), in_force.ready_rules()
    return ExceptionSketch(
        type=name_of(f"t:{name}") if name else 0,
        simple=name_of(f"t:{simple_name(name)}") if name else 0,
        message=tuple(dict.fromkeys(map(token_hash, tokens.words(message or "")))),
        frames=tuple(name_of(_token(runtime, frame, rules)) for frame in own_frames(exception)),
    )


def pack(chains: Sequence[ChainSketch]) -> Hashes:
    """Chains as one flat row: count of chains, then per chain its count of exceptions, then each exception."""
    flat: list[int] = [len(chains)]
    for chain in chains:
        flat.append(len(chain))
        for e in chain:
            lines = _packed_lines(e.lines)
            flat += [e.type, e.simple, len(e.message), len(e.frames), len(lines), *e.message, *e.frames, *lines]
    return np.array(flat, dtype=np.uint64)


def _packed_lines(lines: tuple[int, ...]) -> list[int]:
    groups = (lines[at : at + LINES_A_NUMBER] for at in range(0, len(lines), LINES_A_NUMBER))
    return [sum(line << LINE_BITS * place for place, line in enumerate(group)) for group in groups]


def unpack(row: Hashes) -> tuple[ChainSketch, ...]:
    """The chains of a flat row as they were packed, without lines, which are read of many rows at once (``index.ranking.stacked``)."""
    flat: list[int] = row.tolist()
    at = 1
    chains: list[ChainSketch] = []
    for _ in range(flat[0] if flat else 0):
        count, at = flat[at], at + 1
        exceptions: list[ExceptionSketch] = []
        for _ in range(count):
            kind, simple, words, frames, lines = flat[at : at + HEAD]
            middle = at + HEAD + words
            end = middle + frames
            exceptions.append(ExceptionSketch(kind, simple, tuple(flat[at + HEAD : middle]), tuple(flat[middle:end])))
            at = end + lines
        chains.append(tuple(exceptions))
    return tuple(chains)


def tokens_of(chain: ChainSketch) -> set[int]:
    """Types, words of messages and frames of a chain; 0 for what is not known."""
    return {token for e in chain for token in (e.simple, *e.message, *e.frames)}


_BLOCKED = "BLOCKED"


def is_idle_thread(chain: ExceptionChain) -> bool:
    """Whether the chain is a thread of a dump that raised nothing and is not blocked."""
    return _is_thread(chain) and not (chain.root.message or "").startswith(_BLOCKED)


def message_of(chain: ExceptionChain, exception: RaisedException) -> str | None:
    """The message of an exception of the chain; None for the state of a thread."""
    return None if is_idle_thread(chain) else exception.message


def most_telling(chains: Sequence[ExceptionChain], most: int) -> list[int]:
    """Which ``most`` of the chains to look at: faults and blocked threads first, each kind in the order of the text."""
    order = sorted(range(len(chains)), key=lambda at: is_idle_thread(chains[at]))
    return order[:most]


def leading(chains: Sequence[ExceptionChain]) -> ExceptionChain | None:
    """The chain that a text with these is about: the first fault, else the first thread."""
    order = most_telling(chains, 1)
    return chains[order[0]] if order else None


def _is_thread(chain: ExceptionChain) -> bool:
    return chain.root.type is None and bool(chain.thread)


MOST = (1 << LINE_BITS) - 1
"""Line numbers from here on count as unknown: they do not fit into the stored form, and a file that long was generated."""


def lines_of(found: ExceptionChain, normalised: ExceptionChain) -> tuple[int, ...]:
    """One line for each own frame of the normalised chain, exceptions in the order of a sketch; 0 where it is not known.

    Normalising drops frames and writes recursion once, so frames are told by their names, each taking the next line of its name.
    """
    waiting: defaultdict[str, deque[int]] = defaultdict(deque)
    for exception in outwards(found):
        for frame in own_frames(exception):
            if frame.lineno is not None:
                waiting[lasting_key(frame, found.runtime)].append(frame.lineno if 0 < frame.lineno < MOST else 0)
    return tuple(
        waiting[key].popleft() if waiting.get(key := frame_key(frame)) else 0
        for exception in outwards(normalised)
        for frame in own_frames(exception)
    )
