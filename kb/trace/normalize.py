"""A chain under lasting names: what is left does not change from run to run, machine to machine, release to release."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from operator import eq
from typing import TypeVar

from kb.trace import in_force
from kb.trace.model import ExceptionChain, Frame, RaisedException, StackTrace
from kb.trace.runtimes import RUNTIMES, runtime_named
from kb.trace.runtimes.base import Runtime
from kb.trace.template import template

T = TypeVar("T")

LONGEST_MESSAGE = 4_000
"""Characters of a message that are looked at; behind them it is a dump of data."""
_LONGEST_CYCLE = 8
_MOST_ROUNDS = 20


@dataclass(frozen=True, slots=True)
class NamedFrame:
    """A frame under its lasting name, and what the runtime says of it."""

    frame: Frame
    key: str
    rank: int
    is_machinery: bool


@dataclass(frozen=True, slots=True)
class NormalForm:
    """A normalised chain, and the named frames of each of its exceptions: what fingerprints are made of."""

    chain: ExceptionChain
    stacks: tuple[tuple[NamedFrame, ...], ...]


def frame_key(frame: Frame) -> str:
    """Return the identity of a normalised frame, as basis of fingerprints and as search token: ``org.apache.flink.x.Y.run``."""
    if frame.module and frame.function:
        return f"{frame.module}.{frame.function}"
    return frame.function or frame.module or frame.filename or "?"


def normalize(chain: ExceptionChain) -> ExceptionChain:
    """Return the chain with lasting names, without machinery and generated frames, recursion once, messages as templates.

    ``elided`` of a normalised exception counts the frames at the end of its stack that the enclosing trace has, too.
    Idempotent.
    """
    return normal_form(chain).chain


def normal_form(chain: ExceptionChain) -> NormalForm:
    """Return the chain as ``normalize`` gives it, with its frames' keys and ranks."""
    runtime = runtime_named(chain.runtime)
    kept: list[RaisedException] = []
    stacks: list[tuple[NamedFrame, ...]] = []
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
        stack, elided = _stack(exception, enclosing, stacks[where] if where is not None else (), runtime)
        stacks.append(stack)
        kept.append(_exception(exception, runtime, stack, elided, where))
    normal = ExceptionChain(
        chain.runtime,
        in_force.ready_rules().unwrapped(kept),
        chain.thread,
        chain.head_truncated,
        chain.span,
        chain.notes,
    )
    return NormalForm(normal, tuple(stacks))


def _stack(
    exception: RaisedException,
    enclosing: RaisedException | None,
    outer: tuple[NamedFrame, ...],
    runtime: Runtime | None,
) -> tuple[tuple[NamedFrame, ...], int]:
    """Return the frames that tell something, recursion once; and how many at the end the enclosing stack has, too."""
    named = _named(exception.stack.frames, runtime)
    shared = _shared(exception, enclosing)
    useful = [n for n in named if not n.is_machinery]
    own = _collapsed(useful or named)
    if not shared:
        return tuple(own), 0
    common = sum(not n.is_machinery for n in named[len(named) - shared :]) if useful else shared
    return tuple(own), _equal_at_end(own, outer, common)


def _exception(
    exception: RaisedException, runtime: Runtime | None, stack: tuple[NamedFrame, ...], elided: int, parent: int | None
) -> RaisedException:
    normal = RaisedException(
        type=_lasting_type(exception.type, runtime),
        message=_cut_template(exception.message) if exception.message else None,
        stack=StackTrace(tuple([n.frame for n in stack])),
        relation=exception.relation,
        parent=parent,
        elided=elided,
        wrapped_type=_lasting_type(exception.wrapped_type, runtime),
    )
    return _with_lasting_message(normal, runtime, exception.message)


def _with_lasting_message(exception: RaisedException, runtime: Runtime | None, before: str | None) -> RaisedException:
    """Return the exception, whose message is a template of ``before``, with what lasts of it: what is cut or reworded can be a template no longer."""
    for _ in range(_MOST_ROUNDS):
        if runtime is not None:
            exception = _with_message(exception, runtime.normal_message(exception))
        if exception.message == before:
            break
        before = exception.message
        exception = _with_message(exception, _cut_template(before) if before else None)
    return exception


def _with_message(exception: RaisedException, message: str | None) -> RaisedException:
    return exception if exception.message == message else replace(exception, message=message)


def _cut_template(message: str) -> str | None:
    named = template(message[:LONGEST_MESSAGE])
    if len(named) > LONGEST_MESSAGE:  # a placeholder can be longer than what it stands for
        named = named[:LONGEST_MESSAGE]
        if named.rfind("<") > named.rfind(">"):
            named = named[: named.rfind("<")]
    return named.strip() or None


def _shared(exception: RaisedException, enclosing: RaisedException | None) -> int:
    """Return how many frames at its end an exception has in common with the enclosing trace, as the JVM counts them."""
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


def _equal_at_end(own: Sequence[NamedFrame], outer: Sequence[NamedFrame], most: int) -> int:
    count = 0
    for mine, theirs in zip(reversed(own), reversed(outer), strict=False):
        if count >= most or (mine is not theirs and mine.key != theirs.key):
            break
        count += 1
    return count


def _lasting_type(name: str | None, runtime: Runtime | None) -> str | None:
    return _rested(runtime.names.normal_type, name) if name and runtime is not None else name


def _rested(change: Callable[[T], T], value: T) -> T:
    """Return the value changed until it stays as it is: without its first hash a garbled name can show a second."""
    for _ in range(_MOST_ROUNDS):
        changed = change(value)
        if changed == value:
            break
        value = changed
    return value


_MOST_NAMED = 131_072


def _named(frames: tuple[Frame, ...], runtime: Runtime | None) -> list[NamedFrame]:
    """Return the frames named.

    They are remembered by ``raw``: the frames of one line are one object mostly, and asking for it is quicker than hashing a frame.
    A thread dump has its lines in common with a trace, and the one calls machinery what the other does not.
    """
    rules = in_force.ready_rules()
    known = rules.named.get
    return [
        entry[2]
        if (entry := known(frame.raw)) is not None and entry[0] is frame and entry[1] is runtime
        else _name(frame, runtime, rules)
        for frame in frames
    ]


def _name(frame: Frame, runtime: Runtime | None, rules: in_force.ReadyRules) -> NamedFrame:
    mark, runtime_name = _mark(frame, runtime), runtime and runtime.name
    named = _lasting(frame.function, frame.module, frame.filename, frame.in_app, mark, runtime_name)
    named = _judged(named, rules) if runtime is not None and rules.judge_frames else named
    if frame.raw:
        if len(rules.named) >= _MOST_NAMED:
            rules.named.clear()
        rules.named[frame.raw] = (frame, runtime, named)
    return named


def lasting_key(frame: Frame, runtime: str) -> str:
    """Return the ``frame_key`` that a frame as found has once its chain is normalised."""
    return _name(frame, runtime_named(runtime), in_force.ready_rules()).key


def _mark(frame: Frame, runtime: Runtime | None) -> str:
    return frame.raw if runtime is not None and runtime.reads_raw else ""


@lru_cache(maxsize=_MOST_NAMED)
def _lasting(
    function: str | None,
    module: str | None,
    filename: str | None,
    in_app: bool,  # noqa: FBT001
    raw: str,
    runtime_name: str | None,
) -> NamedFrame:
    """By what a lasting name is made of, so that a name is worked out once for all lines it is called at, under whatever rules."""
    frame = Frame(function, module, filename, in_app=in_app, raw=raw)
    runtime = runtime_named(runtime_name or "")
    if runtime is None:
        return NamedFrame(frame, frame_key(frame), rank=0, is_machinery=False)
    lasting = _rested(runtime.names.normal_frame, frame)
    key = frame_key(lasting)
    return NamedFrame(lasting, key, runtime.names.rank(lasting), runtime.names.is_machinery(lasting))


def _judged(named: NamedFrame, rules: in_force.ReadyRules) -> NamedFrame:
    """Return a named frame as the rules have it; itself where they say nothing about it."""
    frame, rank = rules.judged(named.frame, named.key, named.rank)
    is_machinery = named.is_machinery or rules.is_noise(named.key)
    is_same = frame is named.frame and is_machinery == named.is_machinery
    return named if is_same else NamedFrame(frame, named.key, rank, is_machinery)


def _collapsed(frames: list[NamedFrame]) -> list[NamedFrame]:
    """Recursion once: a repeated frame, and a cycle of frames in whatever phase the trace was cut."""
    while True:
        keys = [n.key for n in frames]
        repeats = len(keys) - len(set(keys))
        if not repeats:
            return frames
        kept = frames
        if any(map(eq, keys, keys[1:])):
            kept = [n for n, key, before in zip(frames, keys, [None, *keys], strict=False) if key != before]
            keys = [n.key for n in kept]
        for period in _distances(keys, min(_LONGEST_CYCLE, repeats)):  # twice round: one repeat for each of its frames
            if sum(map(eq, keys, keys[period:])) >= period:  # most traces repeat a frame, but run in no circle
                kept = _without_cycles(kept, period)
                keys = [n.key for n in kept]
        if len(kept) == len(frames):
            return kept
        frames = kept


def _distances(keys: list[str], most: int) -> list[int]:
    """Return how far apart equal keys are, from 2 to ``most``, ascending."""
    last: dict[str, int] = {}
    found = set()
    for at, key in enumerate(keys):
        if key in last:
            found.add(at - last[key])
        last[key] = at
    return sorted(distance for distance in found if 2 <= distance <= most)


def _without_cycles(frames: list[NamedFrame], period: int) -> list[NamedFrame]:
    found: list[NamedFrame] = []
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
    """Return the lasting name of a function as some runtime prints it, with or without module; itself if nobody knows it."""
    name = raw.strip()
    return next((found for runtime in RUNTIMES if (found := runtime.names.function_name(name)) is not None), name)
