"""``jcmd Thread.dump_to_file -format=json``: the same threads, written as JSON; read line by line, so a cut one is read, too."""

import re
from dataclasses import replace

from kb.patterns import lazy
from kb.trace.lines import Lines
from kb.trace.model import Frame
from kb.trace.runtimes.base import MOST_FRAMES
from kb.trace.runtimes.jstack.syntax import Deadlock, Dump, Lock, Thread, read_bare_frame
from kb.trace.runtimes.jvm.frames import frame_of

# The lines of javacores (OpenJ9, IBM J9): every line begins with a tag that says what it holds.

# e.g. 1XMTHDINFO     Thread Details
_TAG = lazy(r"[ \t]{0,40}+(?P<tag>[0-9][A-Z]{2}[A-Z0-9]{1,24}|NULL)(?:[ \t]++(?P<rest>[^\n]{0,2000})|$)")
_HEAD = lazy(r'"(?P<name>.{0,300}?)"(?= J9VMThread:| \(TID:| TID:|,|$)(?P<rest>.{0,600})$')
_STATE = lazy(r"state:(?P<state>[A-Z]{1,3})\b")
# e.g. `Blocked on: shop/Stock@0x00000000F0123448 Owned by: "order-1"`
_BLOCK = lazy(
    r"(?P<how>Blocked|Waiting|Parked) on: (?P<type>[\w/$\[\];.]{1,300})@(?P<address>0x[0-9A-Fa-f]{1,16})"
    r'(?: Owned by: (?:"(?P<owner>.{0,300}?)"|<[^>]{1,40}>))?'
)
# e.g. (entered lock: shop/Stock@0x00000000F0123448
_ENTERED = lazy(r"\(entered lock: (?P<type>[\w/$\[\];.]{1,300})@(?P<address>0x[0-9A-Fa-f]{1,16})")
_WAITER = lazy(r'Thread "(?P<name>.{0,300}?)"(?= \(0x| \(|$)')
_OBJECT = lazy(r"(?P<type>[\w/$\[\];.]{1,300})@(?P<address>0x[0-9A-Fa-f]{1,16})")
_COMPILED = lazy(r"\((?:Compiled|Inlined compiled) Code\)|(?<=\d)\([A-Za-z ]{1,30}\)", re.IGNORECASE)
_FRAME = lazy(r"at (?P<name>[^\s()]{1,600})(?P<place>\([^\n]{1,300})$")
_SLASH = lazy(r"/(?!0x)")  # the slash before the address of a hidden class stays
_STATES = {"R": "RUNNABLE", "B": "BLOCKED", "CW": "WAITING", "P": "WAITING", "S": "SUSPENDED", "Z": "TERMINATED"}
_JAVACORE_WAITS = {"Blocked": "waiting to lock", "Waiting": "waiting on", "Parked": "parking to wait for"}


def tag_of(line: str) -> tuple[str, str] | None:
    """Return the tag of a javacore's line and what is behind it; None for any other line."""
    if not line[:1] or line[0] not in "0123456789N \t":
        return None
    found = _TAG.match(line)
    return (found["tag"], (found["rest"] or "").strip()) if found is not None else None


class Javacore:
    """Takes the lines of a javacore and keeps what they say of threads and deadlocks."""

    def __init__(self) -> None:
        self.dump = Dump()
        self._waiter: str | None = None
        self._thread: Thread | None = None

    def take(self, tag: str, rest: str, begin: int, end: int) -> bool:
        """Take one line; whether it printed anything."""
        if tag == "3XMTHREADINFO":
            return self._begin(rest, begin, end)
        if tag.startswith(("1LKDEADLOCK", "2LKDEADLOCK", "3LKDEADLOCK", "4LKDEADLOCK")):
            return self._deadlock(tag, rest, begin, end)
        if self._thread is None or not self._more(self._thread, tag, rest):
            return False
        self._thread.end = end
        return True

    def _begin(self, rest: str, begin: int, end: int) -> bool:
        found = _HEAD.match(rest)
        if found is None:  # Anonymous native thread
            self._thread = None
            return False
        state = _STATE.search(found["rest"])
        self._thread = Thread(found["name"], begin, end, _STATES.get(state["state"]) if state is not None else None)
        self.dump.threads.append(self._thread)
        return True

    @staticmethod
    def _more(thread: Thread, tag: str, rest: str) -> bool:
        if tag == "4XESTACKTRACE":
            frame = _frame(rest)
            if frame is not None:
                thread.frames.append(frame)
            return frame is not None
        if tag == "3XMTHREADBLOCK":
            found = _BLOCK.search(rest)
            if found is not None:
                thread.locks.append(_lock(_JAVACORE_WAITS[found["how"]], found, found["owner"]))
            return found is not None
        entered = _ENTERED.search(rest) if tag == "5XESTACKTRACE" else None
        if entered is not None:
            thread.locks.append(_lock("locked", entered, None))
        return entered is not None

    def _deadlock(self, tag: str, rest: str, begin: int, end: int) -> bool:
        if tag == "1LKDEADLOCK":
            self.dump.deadlocks.append(Deadlock(begin, end))
            self._waiter = None
            return True
        if not self.dump.deadlocks:
            return False
        deadlock = self.dump.deadlocks[-1]
        deadlock.end = end
        if tag == "2LKDEADLOCKTHR":
            found = _WAITER.match(rest)
            self._waiter = found["name"] if found is not None else None
        elif tag == "4LKDEADLOCKOBJ" and self._waiter is not None:
            found = _OBJECT.search(rest)
            if found is not None and all(name != self._waiter for name, _ in deadlock.waits):
                deadlock.waits.append((self._waiter, _lock("waiting to lock", found, None)))
        return True

    def finish(self) -> Dump:
        """Return what the javacore says; the threads of a deadlock are given their stacks."""
        by_name = {thread.name: thread for thread in reversed(self.dump.threads)}
        for deadlock in self.dump.deadlocks:
            deadlock.threads = [by_name[name] for name, _ in deadlock.waits if name in by_name]
        return self.dump


def _lock(how: str, found: re.Match[str], owner: str | None) -> Lock:
    return Lock(how, found["type"].replace("/", "."), found["address"], owner)


def _frame(rest: str) -> Frame | None:
    found = _FRAME.match(rest)
    if found is None:
        return None
    place = _COMPILED.sub("", found["place"])
    if place.startswith("(Bytecode PC"):
        place = "(Unknown Source)"
    frame = frame_of(f"at {_SLASH.sub('.', found['name'])}{place}")
    return replace(frame, raw=rest) if frame is not None else None


# e.g. "state": "RUNNABLE",
_TOKEN = lazy(
    r'"(?P<key>tid|name|state|blockedOn|waitingOn|object|stack|monitorsOwned|container|locks)"\s{0,8}:\s{0,8}'
    r'(?:"(?P<text>(?:[^"\\\n]|\\.){0,1000}+)"|(?=[\[{\dn]))|"(?P<frame>(?:[^"\\\n(]|\\.){3,700}+\([^"\n()]{1,300}+\))"'
    r'|"(?P<lock>[^"\s@]{1,300}+@[0-9a-f]{1,16}+)"'
)
_LOCK = lazy(r"(?P<type>[^\s@]{1,300})@(?P<address>[0-9a-f]{1,16})$")
_JSON_WAITS = {"blockedOn": "waiting to lock", "waitingOn": "waiting on", "object": "parking to wait for"}


def begins_json(line: str) -> bool:
    """Whether a dump in JSON begins here."""
    return '"threadDump"' in line or '"threadContainers"' in line


def read_json(lines: Lines) -> tuple[Dump, int]:
    """Return the threads of a dump in JSON, and the number of the first line behind it."""
    dump, at, begin = Dump(), 0, 0
    within = ""
    while (line := lines.get(at)) is not None:
        body = line.strip()
        if body and body[0] not in '"{}[],':
            break
        for found in _TOKEN.finditer(line):
            where = lines.start(at) + found.start()
            key = found["key"]
            if key == "tid":
                begin = where
            elif key is None:
                if dump.threads:
                    _listed(dump.threads[-1], found, within, where + len(found[0]))
            else:
                within = key
                _add_field(dump, key, found["text"], (begin or where, where + len(found[0])))
        at += 1
        if line.startswith("}"):
            break
    return dump, at


def _add_field(dump: Dump, key: str, text: str | None, span: tuple[int, int]) -> None:
    if key == "name" and text is not None:
        dump.threads.append(Thread(_plain(text), *span))
    elif dump.threads and text is not None:
        thread = dump.threads[-1]
        if key == "state":
            thread.state = text
        elif key in _JSON_WAITS:
            lock = _LOCK.match(_plain(text))
            if lock is not None:
                thread.locks.append(Lock(_JSON_WAITS[key], lock["type"], lock["address"]))


def _listed(thread: Thread, found: re.Match[str], within: str, end: int) -> None:
    """An entry of a list: a frame of the stack, a monitor that is owned."""
    if within == "locks" and found["lock"]:
        kind, _, address = _plain(found["lock"]).rpartition("@")
        thread.locks.append(Lock("locked", kind, address))
    frame = read_bare_frame(_plain(found["frame"])) if within == "stack" and found["frame"] else None
    if frame is not None and len(thread.frames) < MOST_FRAMES:
        thread.frames.append(frame)
        thread.end = end


def _plain(text: str) -> str:
    return text.replace("\\/", "/").replace('\\"', '"').replace("\\\\", "\\") if "\\" in text else text
