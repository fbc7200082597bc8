"""The lines of javacores (OpenJ9, IBM J9): every line begins with a tag that says what it holds."""

import re
from dataclasses import replace

from kb.trace.model import Frame
from kb.trace.runtimes.jstack.model import Deadlock, Dump, Lock, Thread
from kb.trace.runtimes.jvm.frames import frame_of

_TAG = re.compile(r"[ \t]{0,40}+(?P<tag>[0-9][A-Z]{2}[A-Z0-9]{1,24}|NULL)(?:[ \t]++(?P<rest>[^\n]{0,2000})|$)")
_HEAD = re.compile(r'"(?P<name>.{0,300}?)"(?= J9VMThread:| \(TID:| TID:|,|$)(?P<rest>.{0,600})$')
_STATE = re.compile(r"state:(?P<state>[A-Z]{1,3})\b")
_BLOCK = re.compile(
    r"(?P<how>Blocked|Waiting|Parked) on: (?P<type>[\w/$\[\];.]{1,300})@(?P<address>0x[0-9A-Fa-f]{1,16})"
    r'(?: Owned by: (?:"(?P<owner>.{0,300}?)"|<[^>]{1,40}>))?'
)
_ENTERED = re.compile(r"\(entered lock: (?P<type>[\w/$\[\];.]{1,300})@(?P<address>0x[0-9A-Fa-f]{1,16})")
_WAITER = re.compile(r'Thread "(?P<name>.{0,300}?)"(?= \(0x| \(|$)')
_OBJECT = re.compile(r"(?P<type>[\w/$\[\];.]{1,300})@(?P<address>0x[0-9A-Fa-f]{1,16})")
_COMPILED = re.compile(r"\((?:Compiled|Inlined compiled) Code\)|(?<=\d)\([A-Za-z ]{1,30}\)", re.IGNORECASE)
_FRAME = re.compile(r"at (?P<name>[^\s()]{1,600})(?P<place>\([^\n]{1,300})$")
_SLASH = re.compile(r"/(?!0x)")  # the slash before the address of a hidden class stays
_STATES = {"R": "RUNNABLE", "B": "BLOCKED", "CW": "WAITING", "P": "WAITING", "S": "SUSPENDED", "Z": "TERMINATED"}
_HOW = {"Blocked": "waiting to lock", "Waiting": "waiting on", "Parked": "parking to wait for"}


def tag_of(line: str) -> tuple[str, str] | None:
    """The tag of a javacore's line and what stands behind it; None for any other line."""
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
        """Takes one line; whether it said anything."""
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
                thread.locks.append(_lock(_HOW[found["how"]], found, found["owner"]))
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
        """What the javacore says; the threads of a deadlock are given their stacks."""
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
