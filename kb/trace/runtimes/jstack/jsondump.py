"""``jcmd Thread.dump_to_file -format=json``: the same threads, written as JSON; read line by line, so a cut one is read, too."""

import re

from kb.trace.lines import Lines
from kb.trace.runtimes.jstack.model import Dump, Lock, Thread
from kb.trace.runtimes.jstack.syntax import read_bare_frame

_TOKEN = re.compile(
    r'"(?P<key>tid|name|state|blockedOn|waitingOn|object|stack|monitorsOwned|container|locks)"\s{0,8}:\s{0,8}'
    r'(?:"(?P<text>(?:[^"\\\n]|\\.){0,1000}+)"|(?=[\[{\dn]))|"(?P<frame>(?:[^"\\\n(]|\\.){3,700}+\([^"\n()]{1,300}+\))"'
    r'|"(?P<lock>[^"\s@]{1,300}+@[0-9a-f]{1,16}+)"'
)
_LOCK = re.compile(r"(?P<type>[^\s@]{1,300})@(?P<address>[0-9a-f]{1,16})$")
_HOW = {"blockedOn": "waiting to lock", "waitingOn": "waiting on", "object": "parking to wait for"}
_FRAMES = 1_024


def begins_json(line: str) -> bool:
    """Whether a dump in JSON begins here."""
    return '"threadDump"' in line or '"threadContainers"' in line


def read_json(lines: Lines) -> tuple[Dump, int]:
    """The threads of a dump in JSON, and the number of the first line behind it."""
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
        elif key in _HOW:
            lock = _LOCK.match(_plain(text))
            if lock is not None:
                thread.locks.append(Lock(_HOW[key], lock["type"], lock["address"]))


def _listed(thread: Thread, found: re.Match[str], within: str, end: int) -> None:
    """An entry of a list: a frame of the stack, a monitor that is owned."""
    if within == "locks" and found["lock"]:
        kind, _, address = _plain(found["lock"]).rpartition("@")
        thread.locks.append(Lock("locked", kind, address))
    frame = read_bare_frame(_plain(found["frame"])) if within == "stack" and found["frame"] else None
    if frame is not None and len(thread.frames) < _FRAMES:
        thread.frames.append(frame)
        thread.end = end


def _plain(text: str) -> str:
    return text.replace("\\/", "/").replace('\\"', '"').replace("\\\\", "\\") if "\\" in text else text
