"""A chain under lasting names: what is left does not change from run to run, machine to machine, release to release."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import eq

from kb.trace.model import ExceptionChain, Frame, RaisedException, StackTrace
from kb.trace.runtimes import RUNTIMES, runtime_named
from kb.trace.runtimes.runtime import Runtime
from kb.trace.template import template

LONGEST_MESSAGE = 4_000
"""Characters of a message that are looked at; behind them it is a dump of data."""
_LONGEST_CYCLE = 8


@dataclass(frozen=True, slots=True)
class _Named:
    """A frame under its lasting name."""

    frame: Frame
    key: str
    is_machinery: bool


def frame_key(frame: Frame) -> str:
    """The identity of a normalised frame, as basis of fingerprints and as search token: ``org.apache.flink.x.Y.run``."""
    if frame.module and frame.function:
        return f"{frame.module}.{frame.function}"
    return frame.function or frame.module or frame.filename or "?"


def normalize(chain: ExceptionChain) -> ExceptionChain:
    """The chain with lasting names, without machinery and generated frames, recursion once, messages as templates.

    ``elided`` of a normalised exception counts the frames at the end of its stack that the enclosing trace has, too.
    Idempotent.
    """
    runtime = runtime_named(chain.runtime)
    kept: list[RaisedException] = []
    moved: dict[int, int] = {}
    for at, exception in enumerate(chain.exceptions):
        if at and runtime is not None and runtime.is_diagnostic(exception):
            continue
        parent = exception.parent
        enclosing = chain.exceptions[parent] if parent is not None else None
        while parent is not None and parent not in moved:  # it hung on a marker: it hangs one further up now
            parent = chain.exceptions[parent].parent
        where = moved[parent] if parent is not None else None
        moved[at] = len(kept)
        shared = _shared(exception, enclosing)
        outer = kept[where].stack.frames if where is not None else ()
        kept.append(replace(_normal(exception, runtime, shared, outer), parent=where))
    return replace(chain, exceptions=tuple(kept))


def _shared(exception: RaisedException, enclosing: RaisedException | None) -> int:
    """How many frames at its end an exception has in common with the enclosing trace, as the JVM counts them."""
    frames = exception.stack.frames
    if enclosing is None or not frames:
        return 0
    if not any(frame.raw for frame in frames):  # normalised before: the lines that told are gone
        return min(exception.elided, len(frames))
    count = 0
    for own, outer in zip(reversed(frames), reversed(enclosing.stack.frames), strict=False):
        if own is not outer and (own.module, own.function, own.lineno) != (outer.module, outer.function, outer.lineno):
            break
        count += 1
    return count


def _normal(
    exception: RaisedException, runtime: Runtime | None, shared: int, outer: tuple[Frame, ...]
) -> RaisedException:
    frames = exception.stack.frames
    named = [_named(frame, runtime) for frame in frames]
    useful = [n for n in named if not n.is_machinery]
    own = _collapsed(useful or named)
    common = sum(not n.is_machinery for n in named[len(named) - shared :]) if useful else shared
    together = tuple(n.frame for n in own)
    named_exception = replace(
        exception,
        type=_lasting_type(exception.type, runtime),
        wrapped_type=_lasting_type(exception.wrapped_type, runtime),
        message=template(exception.message[:LONGEST_MESSAGE]).strip() or None if exception.message else None,
    )
    return replace(
        named_exception,
        message=runtime.normal_message(named_exception) if runtime is not None else named_exception.message,
        stack=StackTrace(together),
        elided=_equal_at_end(together, outer, common),
    )


def _equal_at_end(own: Sequence[Frame], outer: Sequence[Frame], most: int) -> int:
    count = 0
    for mine, theirs in zip(reversed(own), reversed(outer), strict=False):
        if count >= most or (mine is not theirs and frame_key(mine) != frame_key(theirs)):
            break
        count += 1
    return count


def _lasting_type(name: str | None, runtime: Runtime | None) -> str | None:
    return runtime.normal_type(name) if name and runtime is not None else name


def _named(frame: Frame, runtime: Runtime | None) -> _Named:
    return _cached(frame, runtime.name) if runtime is not None else _Named(frame, frame_key(frame), is_machinery=False)


@lru_cache(maxsize=65_536)
def _cached(frame: Frame, runtime_name: str) -> _Named:
    runtime = runtime_named(runtime_name)
    assert runtime is not None
    lasting = runtime.normal_frame(frame)
    return _Named(lasting, frame_key(lasting), runtime.is_machinery(lasting))


def _collapsed(frames: list[_Named]) -> list[_Named]:
    """Recursion once: a repeated frame, and a cycle of frames in whatever phase the trace was cut."""
    if len({n.key for n in frames}) == len(frames):
        return frames
    while True:
        kept = [n for at, n in enumerate(frames) if at == 0 or frames[at - 1].key != n.key]
        for period in range(2, _LONGEST_CYCLE + 1):
            keys = [n.key for n in kept]
            if sum(map(eq, keys, keys[period:])) >= period:  # most traces repeat a frame, but run in no circle
                kept = _without_cycles(kept, period)
        if len(kept) == len(frames):
            return kept
        frames = kept


def _without_cycles(frames: list[_Named], period: int) -> list[_Named]:
    found: list[_Named] = []
    at = 0
    while at < len(frames):
        end = at
        while end + period < len(frames) and frames[end].key == frames[end + period].key:
            end += 1
        if end - at >= period:  # at least twice round
            cycle = frames[at : at + period]
            first = min(range(period), key=lambda i: cycle[i].key)
            found.extend(cycle[first:] + cycle[:first])
            at = end + period
        else:
            found.append(frames[at])
            at += 1
    return found


def normalize_function(raw: str) -> str:
    """The lasting name of a function as some runtime prints it, with or without module; itself if nobody knows it."""
    name = raw.strip()
    return next((found for runtime in RUNTIMES if (found := runtime.function_name(name)) is not None), name)
