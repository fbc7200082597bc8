"""The lines of thread dumps: HotSpot (``jstack``, ``jcmd``, ``kill -3``), ``ThreadInfo``, Hadoop, JRockit, Android."""

import re
from dataclasses import dataclass, replace
from functools import lru_cache

from kb.trace.model import Frame
from kb.trace.prefix import LOG_PREFIX
from kb.trace.runtimes.jstack.model import Lock
from kb.trace.runtimes.jvm.frames import frame_of

LONGEST_LINE = 2_000
"""A longer line is no line of a thread dump."""

_STATES = r"NEW|RUNNABLE|BLOCKED|WAITING|TIMED_WAITING|TERMINATED"
_HEAD = re.compile(
    r'(?:Thread )?"(?P<name>.{0,300}?)"(?: #\d{1,9})?(?: \[\d{1,9}\])?(?: virtual)?(?: daemon)?'
    r"(?= (?:os_)?prio=-?\d| [Ii]d=\d| tid=0x| nid=)(?P<rest>.{0,600})$"
)
_DUMPED = re.compile(
    rf'#\d{{1,12}} "(?P<name>[^"]{{0,300}})"(?: virtual)?(?: (?P<state>{_STATES})\b)?(?: [\d:TZ.+-]{{10,40}})?$'
)
_MOUNTED = re.compile(r'Mounted virtual thread (?:"(?P<name>[^"]{0,300})" )?#\d{1,12}$')
_HADOOP = re.compile(r"Thread \d{1,9} \((?P<name>.{0,300}?)\):$")
_NAMED = re.compile(r'"(?P<name>.{0,300}?)":$')
_ANDROID = re.compile(r" tid=(?P<number>\d{1,9}) (?P<state>[A-Za-z_]{2,40})")
_INFO = re.compile(
    rf" (?P<state>{_STATES})(?: \([^()]{{0,40}}\))?(?: on (?P<type>[^\s@]{{1,300}})@(?P<address>[0-9a-f]{{1,16}}))?"
    r'(?: owned by "(?P<owner>.{0,300}?)" Id=\d{1,9})?'
)
_STATE = re.compile(rf"(?:java\.lang\.Thread\.State|State): (?P<state>{_STATES})\b")
_LOCK = re.compile(
    r"- {1,2}(?P<how>waiting to lock|waiting on|waiting to re-?lock in wait\(\)|parking to wait for|parking for|sleeping on|blocked on|locked)\s{1,4}"
    r"(?:<(?P<inside>[^<>]{1,300})>|(?P<bare>[\w.$\[\];/]{1,300}@[0-9a-f]{1,16}))"
    r"(?:[ ,]{1,2}\(an? (?P<type>[^()]{1,300})\))?(?:[ ,]{1,2}held by (?:thread|tid=)(?: |=)?(?P<owner>\d{1,9}))?"
)
_OWNED = re.compile(r"- <(?P<address>0x[0-9a-f]{1,16})> \(an? (?P<type>[^()]{1,300})\)")
_WAITING_ON = re.compile(r"(?P<how>Waiting|Blocked) on (?P<type>[\w.$\[\];/]{1,300})(?:@(?P<address>[0-9a-f]{1,16}))?$")
_NATIVE = re.compile(
    r"(?:native: )?#\d{2,4}+ pc (?:0x)?[0-9a-f]{4,16}+ {1,4}(?P<place>\[anon:[^\]]{1,400}+\]|[^\s()]{1,400}+)(?P<rest>[^\n]{0,1500})$"
)
_INSTALLED = ("/data/app/", "/data/data/", "/data/user/", "/mnt/expand/")
"""Where Android keeps what was installed: an application's own libraries."""
_SYMBOL = re.compile(r"\((?P<name>.{1,1000})\+(?:0x)?[0-9a-f]{1,10}\)")
_PASSING = re.compile(r"\((?:deleted|offset (?:0x)?[0-9a-f]{1,16}|BuildId: [0-9a-f]{1,64})\)")
_ARGUMENTS = re.compile(r"\((?:[^()]|\([^()]{0,200}\)){0,800}+\)(?: const)?$")
_EXTRACTED = re.compile(r" extracted in memory from (?P<path>[^\]]{1,400})\]$")
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
_HOW = {"blocked on": "waiting to lock", "parking for": "parking to wait for", "sleeping on": "sleeping on"}
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
    """The line without a logger's prefix and blanks."""
    body = line.strip()
    if body[:1].isdigit() or body[:1] == "[":
        prefix = LOG_PREFIX.match(body)
        if prefix is not None:
            return body[prefix.end() :]
    return body


@lru_cache(maxsize=4_096)
def read_head(line: str) -> ThreadHead | None:
    """The thread that a line introduces; None for any other line."""
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
    """The name on a line of a deadlock section that holds nothing else: ``"seller":``."""
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
    """The lock that a line between frames tells of."""
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
    how = "waiting on" if found["how"].startswith("waiting to re") else _HOW.get(found["how"], found["how"])
    what = found["inside"] or found["bare"]
    kind, at, address = what.rpartition("@")
    if at and kind:  # <java.lang.Object@31015814>
        return Lock(how, kind, address, found["owner"])
    return Lock(how, found["type"], what if what.startswith("0x") else None, found["owner"])


@lru_cache(maxsize=16_384)
def read_frame(line: str) -> Frame | None:
    """A Java frame or one of Android's native frames."""
    body = line.strip()
    if "Native method)" in body:
        frame = frame_of(body.replace("(Native method)", "(Native Method)"))
        return replace(frame, raw=body) if frame is not None else None
    if body.startswith(("native: #", "#")):
        return _native(body)
    return frame_of(line)


def read_bare_frame(line: str) -> Frame | None:
    """A frame of ``Thread.dump_to_file`` or Hadoop, which print no ``at``; only to be asked for inside a thread."""
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
