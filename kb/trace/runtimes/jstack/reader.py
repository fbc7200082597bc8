"""Reads a thread dump from its first thread, or from its deadlock, to its end."""

from kb.trace.lines import Lines
from kb.trace.model import Frame, RaisedException
from kb.trace.runtimes.base import TraceReading
from kb.trace.runtimes.jstack.chains import chains_of
from kb.trace.runtimes.jstack.formats import Javacore, begins_json, read_json, tag_of
from kb.trace.runtimes.jstack.syntax import (
    Dump,
    Thread,
    begins_deadlock,
    is_noise,
    read_bare_frame,
    read_deadlock,
    read_frame,
    read_head,
    read_lock,
    read_state,
)

"""Frames kept of one thread."""
_GAP = 12
"""Lines between two threads that say nothing: blanks, heap figures."""
_TAG_GAP = 4_000
"""Lines of a javacore between a deadlock and the threads."""
_AHEAD = 12
_ABOVE = 60
_LOCK_MARKS = ("- locked <", "- waiting to lock <", "- parking to wait for ", "- waiting on <")


def starts(line: str) -> bool:
    """Whether this line shows a thread dump; a frame may, if it is in a thread whose first line is cut off."""
    body = line.lstrip()
    if body.startswith("at "):
        return True
    return (
        read_head(line) is not None
        or begins_deadlock(line)
        or body.startswith(("java.lang.Thread.State: ", "native: #", *_LOCK_MARKS, "3XMTHREADINFO", "1LKDEADLOCK"))
        or begins_json(line)
    )


def read(lines: Lines) -> TraceReading | None:
    """Read the dump that line 0 belongs to: its deadlocks and threads."""
    first = lines.get(0) or ""
    if begins_json(first):
        dump, at = read_json(lines)
    elif tag_of(first) is not None:
        dump, at = _javacore(lines)
    elif read_head(first) is not None or begins_deadlock(first):
        dump, at = _hotspot(lines)
    elif _is_cut(lines, first):
        dump = Dump()
        at = _thread(lines, 0, _headless(lines), dump)
    else:
        return None
    chains = chains_of(dump)
    return TraceReading(chains[0] if chains else None, max(at, 1), others=chains[1:])


def _is_cut(lines: Lines, first: str) -> bool:
    """Whether a thread is here without its first line: exceptions have no locks between their frames."""
    body = first.lstrip()
    if body.startswith(("java.lang.Thread.State: ", "native: #")):
        return True
    if not body.startswith(("at ", "- ")):
        return False
    for at in range(_AHEAD):
        body = (lines.get(at) or "").lstrip()
        if body.startswith(_LOCK_MARKS):
            return True
        if not body.startswith("at "):
            return False
    return False


def _headless(lines: Lines) -> Thread:
    """Return a thread without its first line: what is directly above line 0 belongs to it."""
    thread = Thread("", lines.start(0), lines.end(0), is_headless=True)
    above: list[Frame] = []
    for start, line in lines.before(_ABOVE):
        frame, state = read_frame(line), read_state(line)
        if frame is None and state is None:
            break
        thread.begin = start
        if frame is None:
            thread.state = state
            break
        above.append(frame)
    thread.frames.extend(reversed(above))
    return thread


def _javacore(lines: Lines) -> tuple[Dump, int]:
    core, at, end = Javacore(), 0, 0
    while at - end < _TAG_GAP and (line := lines.get(at)) is not None:
        tagged = tag_of(line)
        if tagged is not None and core.take(*tagged, lines.start(at), lines.end(at)):
            end = at + 1
        elif tagged is None and line.strip():
            break
        at += 1
    return core.finish(), end


def _hotspot(lines: Lines) -> tuple[Dump, int]:
    dump, at, end = Dump(), 0, 0
    while at - end < _GAP and (line := lines.get(at)) is not None:
        if begins_deadlock(line):
            at = end = read_deadlock(lines, at, dump)
            continue
        head = read_head(line)
        if head is not None:
            thread = Thread(head.name, lines.start(at), lines.end(at), head.state, head.number)
            if head.lock is not None:
                thread.locks.append(head.lock)
            at = end = _thread(lines, at + 1, thread, dump)
            continue
        owned = read_lock(line) if line.lstrip().startswith("- <") else None
        if owned is not None and dump.threads:  # jstack -l puts them behind a blank line
            dump.threads[-1].locks.append(owned)
            dump.threads[-1].end = lines.end(at)
            at += 1
            end = at
            continue
        if not line.strip() or is_noise(line):
            at += 1
            if line.strip():
                end = at
            continue
        break
    return dump, end


def _thread(lines: Lines, at: int, thread: Thread, dump: Dump) -> int:
    """Read the lines under a thread's first one; where they end."""
    at = read_stack(lines, at, thread)
    dump.threads.append(thread)
    return at


def read_stack(lines: Lines, at: int, thread: Thread) -> int:
    """State, frames and locks of one thread; the number of the first line behind them."""
    while (line := lines.get(at)) is not None and line.strip():
        if read_head(line) is not None or begins_deadlock(line):
            break
        state, lock = read_state(line), read_lock(line)
        if state is not None:
            thread.state = state
        elif lock is not None:
            thread.locks.append(lock)
        elif not is_noise(line):
            frame = read_frame(line) or read_bare_frame(line)
            if frame is None:
                break
            thread.add(frame)
        thread.end = lines.end(at)
        at += 1
    return at


def named_in(line: str) -> RaisedException | None:  # noqa: ARG001
    """Return None: one line of a dump names no exception."""
    return None
