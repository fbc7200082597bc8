"""The lines of thread dumps: HotSpot (``jstack``, ``jcmd``, ``kill -3``), ``ThreadInfo``, Hadoop, JRockit, Android."""

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache

from kb.patterns import lazy
from kb.trace.lines import LOG_PREFIX, Lines
from kb.trace.model import Frame
from kb.trace.runtimes.base import MOST_FRAMES, FrameStack
from kb.trace.runtimes.jvm.frames import frame_of

# What a thread dump says of one thread, whichever tool printed it.


@dataclass(frozen=True, slots=True)
class Lock:
    """A lock that a thread waits for or holds."""

    how: str
    """``waiting to lock``, ``waiting on``, ``parking to wait for``; ``locked`` for a monitor it holds, ``owned`` for a
    synchronizer it owns (which only ``jstack -l`` tells, so it is no part of what identifies a thread)."""
    type: str | None
    """The class of the lock."""
    address: str | None = None
    owner: str | None = None
    """Who holds it, where the line says so: ``"settler"`` or ``7``."""


_HELD = ("locked", "owned")


@dataclass(slots=True)
class Thread(FrameStack):
    """One thread while its lines are being read."""

    name: str
    begin: int
    """Where its first line begins in the text."""
    end: int
    state: str | None = None
    """``BLOCKED``, ``WAITING``, ``TIMED_WAITING``, … in the words of ``java.lang.Thread.State``."""
    number: str | None = None
    """The number that other threads name it by: Android's ``tid=7``."""
    locks: list[Lock] = field(default_factory=list)
    is_headless: bool = False
    """Whether its first line is cut off."""

    @property
    def waits_for(self) -> Lock | None:
        """The lock it waits for; the first one printed."""
        return next((lock for lock in self.locks if lock.how not in _HELD), None)

    @property
    def holds(self) -> list[Lock]:
        """The locks it holds, without one that it gave back while it waits for it (``Object.wait``)."""
        waited = {lock.address for lock in self.locks if lock.how not in _HELD and lock.address}
        return [lock for lock in self.locks if lock.how == "locked" and lock.address not in waited]

    @property
    def owned(self) -> list[Lock]:
        """The ownable synchronizers it holds, where they were asked for."""
        return [lock for lock in self.locks if lock.how == "owned"]


@dataclass(slots=True)
class Deadlock:
    """A ``Found one Java-level deadlock`` section."""

    begin: int
    end: int
    waits: list[tuple[str, Lock]] = field(default_factory=list)
    """Who waits for which lock, in the order of the ring."""
    threads: list[Thread] = field(default_factory=list)
    """Their stacks, where they were printed."""


@dataclass(slots=True)
class Dump:
    """A whole dump."""

    threads: list[Thread] = field(default_factory=list)
    deadlocks: list[Deadlock] = field(default_factory=list)


LONGEST_LINE = 2_000
"""A longer line is no line of a thread dump."""

_STATES = r"NEW|RUNNABLE|BLOCKED|WAITING|TIMED_WAITING|TERMINATED"
# e.g. "main" prio=5 tid=1 Blocked
_HEAD = lazy(
    r'(?:Thread )?"(?P<name>.{0,300}?)"(?: #\d{1,9})?(?: \[\d{1,9}\])?(?: virtual)?(?: daemon)?'
    r"(?= (?:os_)?prio=-?\d| [Ii]d=\d| tid=0x| nid=)(?P<rest>.{0,600})$"
)
# e.g. #26 "keeper" WAITING 2026-11-21T07:05:16.789787970Z
_DUMPED = lazy(
    rf'#\d{{1,12}} "(?P<name>[^"]{{0,300}})"(?: virtual)?(?: (?P<state>{_STATES})\b)?(?: [\d:TZ.+-]{{10,40}})?$'
)
_MOUNTED = lazy(r'Mounted virtual thread (?:"(?P<name>[^"]{0,300})" )?#\d{1,12}$')
_HADOOP = lazy(r"Thread \d{1,9} \((?P<name>.{0,300}?)\):$")
_NAMED = lazy(r'"(?P<name>.{0,300}?)":$')
_ANDROID = lazy(r" tid=(?P<number>\d{1,9}) (?P<state>[A-Za-z_]{2,40})")
# e.g. "order-1" prio=5 Id=13 BLOCKED on java.lang.Object@5acf9800 owned by "仓库" Id=12
_INFO = lazy(
    rf" (?P<state>{_STATES})(?: \([^()]{{0,40}}\))?(?: on (?P<type>[^\s@]{{1,300}})@(?P<address>[0-9a-f]{{1,16}}))?"
    r'(?: owned by "(?P<owner>.{0,300}?)" Id=\d{1,9})?'
)
_STATE = lazy(rf"(?:java\.lang\.Thread\.State|State): (?P<state>{_STATES})\b")
# e.g. - waiting to lock <0x0a1b> (a com.acme.Lock) held by thread 7
_LOCK = lazy(
    r"- {1,2}(?P<how>waiting to lock|waiting on|waiting to re-?lock in wait\(\)|parking to wait for|parking for|sleeping on|blocked on|locked)\s{1,4}"
    r"(?:<(?P<inside>[^<>]{1,300})>|(?P<bare>[\w.$\[\];/]{1,300}@[0-9a-f]{1,16}))"
    r"(?:[ ,]{1,2}\(an? (?P<type>[^()]{1,300})\))?(?:[ ,]{1,2}held by (?:thread|tid=)(?: |=)?(?P<owner>\d{1,9}))?"
)
_OWNED = lazy(r"- <(?P<address>0x[0-9a-f]{1,16})> \(an? (?P<type>[^()]{1,300})\)")
# e.g. Waiting on java.lang.Object@5e6f
_WAITING_ON = lazy(r"(?P<how>Waiting|Blocked) on (?P<type>[\w.$\[\];/]{1,300})(?:@(?P<address>[0-9a-f]{1,16}))?$")
# e.g. native: #01 pc 00000000000b1234  /system/lib64/libc.so (deleted) (__ioctl+4)
_NATIVE = lazy(
    r"(?:native: )?#\d{2,4}+ pc (?:0x)?[0-9a-f]{4,16}+ {1,4}(?P<place>\[anon:[^\]]{1,400}+\]|[^\s()]{1,400}+)(?P<rest>[^\n]{0,1500})$"
)
_INSTALLED = ("/data/app/", "/data/data/", "/data/user/", "/mnt/expand/")
"""Where Android keeps what was installed: an application's own libraries."""
_SYMBOL = lazy(r"\((?P<name>.{1,1000})\+(?:0x)?[0-9a-f]{1,10}\)")
_PASSING = lazy(r"\((?:deleted|offset (?:0x)?[0-9a-f]{1,16}|BuildId: [0-9a-f]{1,64})\)")
_ARGUMENTS = lazy(r"\((?:[^()]|\([^()]{0,200}\)){0,800}+\)(?: const)?$")
_EXTRACTED = lazy(r" extracted in memory from (?P<path>[^\]]{1,400})\]$")
_WORDS = {
    "blocked": "BLOCKED",
    "monitor": "BLOCKED",
    "wait": "WAITING",
    "waiting": "WAITING",
    "timedwaiting": "TIMED_WAITING",
    "timed_wait": "TIMED_WAITING",
    "sleeping": "TIMED_WAITING",
    "runnable": "RUNNABLE",
    "native": "NATIVE",
    "suspended": "SUSPENDED",
}
_HEAD_WORDS = (
    ("waiting for monitor entry", "BLOCKED"),
    ("blocked", "BLOCKED"),
    ("in Object.wait()", "WAITING"),
    ("waiting on condition", "WAITING"),
    ("waiting", "WAITING"),
    ("sleeping", "TIMED_WAITING"),
    ("runnable", "RUNNABLE"),
)
_WAITING_FOR = {"blocked on": "waiting to lock", "parking for": "parking to wait for", "sleeping on": "sleeping on"}
_NOISE = (
    "|",
    "(no managed stack frames)",
    "kernel:",
    "No compile task",
    "Compiling:",
    "Carrying virtual thread",
    "Locked ownable synchronizers",
    "Number of locked synchronizers",
    "- None",
    "- eliminated",
    "JNI global ref",
    "Threads class SMR info",
    "_java_thread_list",
    "0x0",
    "}",
    "Full thread dump",
    "DALVIK THREADS",
    "=====",
    "Blocked by ",
    "Blocked count:",
    "Waited count:",
    "Stack:",
    "Java stack information for the threads",
    "JavaThread",
    "... ",
    "...",
)


@dataclass(frozen=True, slots=True)
class ThreadHead:
    """The first line of a thread."""

    name: str
    state: str | None = None
    number: str | None = None
    lock: Lock | None = None


def body_of(line: str) -> str:
    """Return the line without a logger's prefix and blanks."""
    body = line.strip()
    if body[:1].isdigit() or body[:1] == "[":
        prefix = LOG_PREFIX.match(body)
        if prefix is not None:
            return body[prefix.end() :]
    return body


@lru_cache(maxsize=4_096)
def read_head(line: str) -> ThreadHead | None:
    """Return the thread that a line introduces; None for any other line."""
    if len(line) > LONGEST_LINE or not ('"' in line or "Thread " in line or "Mounted" in line):
        return None
    body = body_of(line)
    found = _HEAD.match(body)
    if found is not None:
        return _thread_head(found["name"], found["rest"])
    dumped = _DUMPED.match(body)
    if dumped is not None:
        return ThreadHead(dumped["name"], dumped["state"])
    other = _MOUNTED.match(body) or _HADOOP.match(body)
    return ThreadHead(other["name"] or "") if other is not None else None


def named_only(line: str) -> str | None:
    """Return the name on a line of a deadlock section that holds nothing else: ``"seller":``."""
    found = _NAMED.match(line.strip()) if len(line) < LONGEST_LINE else None
    return found["name"] if found is not None else None


def _thread_head(name: str, rest: str) -> ThreadHead:
    info = _INFO.search(rest) if "d=" in rest and "nid=" not in rest else None
    if info is not None:
        lock = Lock("waiting on", info["type"], info["address"], info["owner"]) if info["type"] else None
        if lock is not None and info["state"] == "BLOCKED":
            lock = replace(lock, how="waiting to lock")
        return ThreadHead(name, info["state"], lock=lock)
    android = _ANDROID.search(rest) if "tid=0x" not in rest and "nid=" not in rest else None
    if android is not None:
        state = _WORDS.get(android["state"].lower(), android["state"])
        return ThreadHead(name, state, number=android["number"])
    return ThreadHead(name, next((state for words, state in _HEAD_WORDS if words in rest), None))


def read_state(line: str) -> str | None:
    """``BLOCKED`` or ``TIMED_WAITING`` of a ``java.lang.Thread.State:`` line."""
    found = _STATE.search(line) if "State: " in line and len(line) < LONGEST_LINE else None
    return found["state"] if found is not None else None


def read_lock(line: str) -> Lock | None:
    """Return the lock that a line between frames shows."""
    body = line.strip()
    if len(body) > LONGEST_LINE:
        return None
    if body.startswith("- <"):
        owned = _OWNED.match(body)
        return Lock("owned", owned["type"], owned["address"]) if owned is not None else None
    if body.startswith("- "):
        found = _LOCK.match(body)
        return _lock(found) if found is not None else None
    waiting = _WAITING_ON.match(body) if body.startswith(("Waiting on ", "Blocked on ")) else None
    if waiting is None:
        return None
    how = "waiting to lock" if waiting["how"] == "Blocked" else "waiting on"
    return Lock(how, waiting["type"], waiting["address"])


def _lock(found: re.Match[str]) -> Lock:
    how = "waiting on" if found["how"].startswith("waiting to re") else _WAITING_FOR.get(found["how"], found["how"])
    what = found["inside"] or found["bare"]
    kind, at, address = what.rpartition("@")
    if at and kind:  # <java.lang.Object@31015814>
        return Lock(how, kind, address, found["owner"])
    return Lock(how, found["type"], what if what.startswith("0x") else None, found["owner"])


@lru_cache(maxsize=16_384)
def read_frame(line: str) -> Frame | None:
    """Return a Java frame or one of Android's native frames."""
    body = line.strip()
    if "Native method)" in body:
        frame = frame_of(body.replace("(Native method)", "(Native Method)"))
        return replace(frame, raw=body) if frame is not None else None
    if body.startswith(("native: #", "#")):
        return _native(body)
    return frame_of(line)


def read_bare_frame(line: str) -> Frame | None:
    """Return a frame of ``Thread.dump_to_file`` or Hadoop, which print no ``at``; only to be called inside a thread."""
    body = line.strip()
    if not body.endswith(")") or body.startswith(("at ", "- ", "(", "#", '"')) or " (" in body:
        return None
    frame = frame_of("at " + body)
    return replace(frame, raw=body) if frame is not None else None


def _native(body: str) -> Frame | None:
    found = _NATIVE.match(body) if len(body) < LONGEST_LINE else None
    if found is None:
        return None
    place = found["place"]
    extracted = _EXTRACTED.search(place)
    symbol = _SYMBOL.search(_PASSING.sub("", found["rest"]))
    function = _ARGUMENTS.sub("", symbol["name"]) if symbol is not None and symbol["name"] != "???" else None
    library = extracted["path"] if extracted is not None else place
    is_app = library.endswith(".so") and library.startswith(_INSTALLED)
    return Frame(function, library.rpartition("/")[2] if library.endswith(".so") else library, in_app=is_app, raw=body)


def is_noise(line: str) -> bool:
    """Whether a line belongs to a dump and says nothing of where its threads are."""
    return line.strip().startswith(_NOISE)


# ``Found one Java-level deadlock:`` and the stacks that are printed below it.

_BEGINS = lazy(r"Found (?:one|\d{1,5}) Java-level deadlocks?:")
# e.g. - waiting to lock <0x0a1b> (a com.acme.Lock)
_WAITS = lazy(
    r"(?P<how>waiting to lock|waiting for ownable synchronizer|waiting to re-lock in wait\(\)|in JNI)[^()\n]{0,200}"
    r"\((?:(?:a JVMTI|JVMTI) raw monitor|(?:object (?P<address>0x[0-9a-f]{1,16}|[^,()]{1,60}), )?an? (?P<type>[^()]{1,300}))\)"
)
_SYNCHRONIZER = "waiting for ownable synchronizer"
_MOST = 200_000


def begins_deadlock(line: str) -> bool:
    """Whether a deadlock section begins here."""
    return "Java-level deadlock" in line and len(line) < 400 and _BEGINS.search(line) is not None


def read_deadlock(lines: Lines, at: int, dump: Dump) -> int:
    """Read one section and its stacks into the dump; the number of the first line behind it."""
    found = Deadlock(lines.start(at), lines.end(at))
    dump.deadlocks.append(found)
    at, end = at + 1, at + 1
    name: str | None = None
    thread: Thread | None = None
    while at - end < 4 and (line := lines.get(at)) is not None and at < _MOST:
        named = named_only(line)
        is_read = _take(line, name, thread, found) if named is None else True
        if named is not None:
            name, thread = named, None
            if any(waiter == named for waiter, _ in found.waits):
                thread = Thread(named, lines.start(at), lines.end(at), "BLOCKED")
                found.threads.append(thread)
        if not is_read and (begins_deadlock(line) or read_head(line) is not None):
            break
        if not is_read and line.strip() and not is_noise(line) and not line.lstrip().startswith("which is held by"):
            break
        at += 1
        if is_read:
            found.end = lines.end(at - 1)
        if line.strip():
            end = at
    found.threads = [one for one in found.threads if one.frames]
    return end


def _take(line: str, name: str | None, thread: Thread | None, found: Deadlock) -> bool:
    """Take what a line says of the thread that was named last."""
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
    if frame is not None and len(thread.frames) < MOST_FRAMES:
        thread.frames.append(frame)
    return frame is not None
