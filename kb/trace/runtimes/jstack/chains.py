"""From a dump to chains: deadlocks first, threads of one stack together, idle threads in a note."""

from collections.abc import Sequence

from kb.trace.model import ExceptionChain, Frame, RaisedException, Relation, StackTrace
from kb.trace.rules import names
from kb.trace.runtimes.base import not_kept
from kb.trace.runtimes.jstack.names import is_machinery, normal_frame, rank
from kb.trace.runtimes.jstack.syntax import Deadlock, Dump, Lock, Thread
from kb.translatable import Translatable


def is_idle(frames: list[Frame]) -> bool:
    """Whether a thread waits for work: no frame of an application or a framework, or its topmost is a known wait."""
    for frame in frames:
        lasting = normal_frame(frame)
        if rank(lasting) == 2 or is_machinery(lasting):
            continue
        return f"{lasting.module}.{lasting.function}" in names("jstack_idle")
    return True


DEADLOCK = "deadlock"
"""The type of a deadlock; threads have none."""
_NAMES = 5
"""Thread names listed in a note."""


def chains_of(dump: Dump) -> tuple[ExceptionChain, ...]:
    """Deadlocks, then one chain a stack, in the order of the text; idle threads only where nothing else is there."""
    with_frames = [thread for thread in dump.threads if thread.frames]
    busy = [thread for thread in with_frames if not _is_idle(thread)]
    deadlocks = [chain for deadlock in dump.deadlocks if (chain := _deadlock(deadlock)) is not None]
    shown = busy or ([] if deadlocks else with_frames)
    holders = _holders(dump.threads)
    groups: dict[object, list[Thread]] = {}
    for thread in shown:
        groups.setdefault(_stack_of(thread), []).append(thread)
    chains = deadlocks + [_chain(group, holders) for group in groups.values()]
    note = _left_out(len(dump.threads) - len(shown), len(with_frames) - len(shown))
    return (_with(chains[0], note), *chains[1:]) if chains and note else tuple(chains)


def _is_idle(thread: Thread) -> bool:
    return thread.state != "BLOCKED" and is_idle(thread.frames)


def _holders(threads: Sequence[Thread]) -> dict[str, str]:
    """Return which thread holds which lock: by the address of the lock, and Android's threads by their number."""
    found = {f"#{thread.number}": thread.name for thread in threads if thread.number is not None}
    for thread in threads:
        found.update((lock.address, thread.name) for lock in (*thread.holds, *thread.owned) if lock.address)
    return found


def _stack_of(thread: Thread) -> object:
    return _message(thread), tuple((frame.module, frame.function, frame.lineno) for frame in thread.frames)


def _chain(group: list[Thread], holders: dict[str, str]) -> ExceptionChain:
    first = group[0]
    notes = []
    if len(group) > 1:
        names = ", ".join(repr(thread.name) for thread in group[1 : _NAMES + 1])
        more = ", …" if len(group) > _NAMES + 1 else ""
        notes.append(Translatable("{} threads have this stack; the others: {}", len(group), names + more))
    notes.extend(not_kept(first.lost, "{} more frames of the thread were not kept"))
    holder = _holder(first.waits_for, holders)
    if holder is not None and holder != first.name:
        notes.append(Translatable("the lock is held by thread {}", repr(holder)))
    return ExceptionChain(
        "jstack",
        (RaisedException(None, _message(first), StackTrace(tuple(first.frames))),),
        thread=first.name or None,
        head_truncated=first.is_headless,
        span=(first.begin, first.end),
        notes=tuple(notes),
    )


def _holder(lock: Lock | None, holders: dict[str, str]) -> str | None:
    if lock is None:
        return None
    if lock.owner is not None:
        return holders.get(f"#{lock.owner}", lock.owner)
    return holders.get(lock.address) if lock.address else None


def _message(thread: Thread) -> str | None:
    """``BLOCKED waiting to lock java.lang.Object, holding shop.Stock``."""
    lock = thread.waits_for
    how = f"{lock.how} {lock.type}" if lock is not None and lock.type else ""
    if how.startswith("waiting on ") and (thread.state or "").endswith("WAITING"):
        how = how.removeprefix("waiting ")
    held = sorted({lock.type for lock in thread.holds if lock.type})
    state = " ".join(part for part in (thread.state, how) if part)
    return ", ".join(part for part in (state, f"holding {', '.join(held)}" if held else "") if part) or None


def _left_out(count: int, idle: int) -> str | None:
    """Return what a note says of threads that have no chain."""
    if count <= 0:
        return None
    parts = [f"{idle} idle thread{'s' if idle > 1 else ''}"] if idle else []
    parts += [f"{count - idle} thread{'s' if count - idle > 1 else ''} without Java frames"] if count > idle else []
    return f"left out of this dump: {', '.join(parts)}"


def _with(chain: ExceptionChain, note: str) -> ExceptionChain:
    return ExceptionChain(
        chain.runtime, chain.exceptions, chain.thread, chain.head_truncated, chain.span, (*chain.notes, note)
    )


def _deadlock(deadlock: Deadlock) -> ExceptionChain | None:
    """Return the ring as one chain: the first of its threads (by its stack, not by its name) and the others grouped with it."""
    if not deadlock.waits:
        return None
    stacks = {thread.name: thread for thread in deadlock.threads}
    members = sorted(((name, lock, stacks.get(name)) for name, lock in deadlock.waits), key=_order)
    locks = sorted(lock.type or "?" for _, lock, _ in members)
    raised = [
        RaisedException(
            DEADLOCK,
            f"over {', '.join(locks)}" if at == 0 else f"{lock.how} {lock.type or '?'}",
            StackTrace(tuple(thread.frames) if thread is not None else ()),
            Relation.GROUPED if at else None,
            0 if at else None,
        )
        for at, (_, lock, thread) in enumerate(members)
    ]
    ring = [f"{name!r} waits for {lock.type or '?'}" for name, lock in deadlock.waits]
    return ExceptionChain(
        "jstack",
        tuple(raised),
        thread=members[0][0],
        span=(deadlock.begin, deadlock.end),
        notes=(Translatable("a ring: {}", ", ".join(ring)),),
    )


def _order(member: tuple[str, Lock, Thread | None]) -> tuple[list[str], str]:
    _, lock, thread = member
    frames: Sequence[Frame] = thread.frames if thread is not None else ()
    lasting = [frame for frame in map(normal_frame, frames) if not is_machinery(frame)]
    return [f"{frame.module}.{frame.function}" for frame in lasting], lock.type or ""
