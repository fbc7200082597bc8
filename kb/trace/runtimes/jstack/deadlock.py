"""``Found one Java-level deadlock:`` and the stacks that are printed below it."""

import re

from kb.trace.lines import Lines
from kb.trace.runtimes.jstack.model import Deadlock, Dump, Lock, Thread
from kb.trace.runtimes.jstack.syntax import is_noise, named_only, read_bare_frame, read_frame, read_head, read_lock

_BEGINS = re.compile(r"Found (?:one|\d{1,5}) Java-level deadlocks?:")
_WAITS = re.compile(
    r"(?P<how>waiting to lock|waiting for ownable synchronizer|waiting to re-lock in wait\(\)|in JNI)[^()\n]{0,200}"
    r"\((?:(?:a JVMTI|JVMTI) raw monitor|(?:object (?P<address>0x[0-9a-f]{1,16}|[^,()]{1,60}), )?an? (?P<type>[^()]{1,300}))\)"
)
_SYNCHRONIZER = "waiting for ownable synchronizer"
_MOST = 200_000
_FRAMES = 1_024


def begins_deadlock(line: str) -> bool:
    """Whether a deadlock section begins here."""
    return "Java-level deadlock" in line and len(line) < 400 and _BEGINS.search(line) is not None


def read_deadlock(lines: Lines, at: int, dump: Dump) -> int:
    """Reads one section and its stacks into the dump; the number of the first line behind it."""
    found = Deadlock(lines.start(at), lines.end(at))
    dump.deadlocks.append(found)
    at, end = at + 1, at + 1
    name: str | None = None
    thread: Thread | None = None
    while at - end < 4 and (line := lines.get(at)) is not None and at < _MOST:
        named = named_only(line)
        told = _take(line, name, thread, found) if named is None else True
        if named is not None:
            name, thread = named, None
            if any(waiter == named for waiter, _ in found.waits):
                thread = Thread(named, lines.start(at), lines.end(at), "BLOCKED")
                found.threads.append(thread)
        if not told and (begins_deadlock(line) or read_head(line) is not None):
            break
        if not told and line.strip() and not is_noise(line) and not line.lstrip().startswith("which is held by"):
            break
        at += 1
        if told:
            found.end = lines.end(at - 1)
        if line.strip():
            end = at
    found.threads = [one for one in found.threads if one.frames]
    return end


def _take(line: str, name: str | None, thread: Thread | None, found: Deadlock) -> bool:
    """Takes what a line says of the thread that was named last."""
    if name is None:
        return False
    waits = _WAITS.search(line) if thread is None and len(line) < 1_000 else None
    if waits is not None:
        how = "parking to wait for" if waits["how"] == _SYNCHRONIZER else "waiting to lock"
        found.waits.append((name, Lock(how, waits["type"], waits["address"])))
        return True
    if thread is None:
        return "which is held by" in line
    lock = read_lock(line)
    if lock is not None:
        thread.locks.append(lock)
        return True
    frame = read_frame(line) or read_bare_frame(line)
    if frame is not None and len(thread.frames) < _FRAMES:
        thread.frames.append(frame)
    return frame is not None
