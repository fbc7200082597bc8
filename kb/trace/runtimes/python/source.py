"""Source under a frame whose indentation was lost: ``gw.send(x)`` at the margin is spelled as an exception is."""

import re

from kb.trace.runtimes.python.syntax import frame_of, raised

_NAMED = re.compile(r"(?:Error|Exception|Warning|Exit|Interrupt|Group|Timeout|Iteration)$")
_CLASS = re.compile(r"_?[A-Z]\w*$")
_NUMBERED = re.compile(r"\d{1,7}(?:[ \t]|$)|\(\.{3}\)")
_TYPE_BEHIND = re.compile(r"(?<=[\s)\]])(?=(?:[a-z_]\w{0,60}+\.){1,12}+[A-Z]\w{0,120}+: )")
_LONGEST = 2_000
_VALUES = frozenset({"None", "True", "False"})


def is_marker(line: str) -> bool:
    """Whether the line only points at the source above it: ``^^^``, or loguru's ``│ └ 70``."""
    body = line.strip(" \t")
    return bool(body) and (not body.strip("^~ \t") or body[0] in "│└")


def is_numbered(body: str) -> bool:
    """Whether a line is one of a notebook's numbered lines of source, or the gap between them."""
    return _NUMBERED.match(body) is not None


def reads_as_source(body: str, following: str | None) -> bool:
    """Whether a line at the margin, right below a frame at the margin, is the frame's source and ends no traceback.

    What follows tells: another frame, a marker under the source, or a line that looks more like an end.
    """
    like = _likeness(body)
    if following is None or not following.strip():
        return like < (2, False)
    if frame_of(following) is not None or is_marker(following):
        return like < (3, False)
    return like < _likeness(following) >= (1, False)


def behind_source(body: str) -> str | None:
    """The end of a traceback that was joined to the source before it: ``raise Declined(x) app.Declined: no``."""
    found = _TYPE_BEHIND.search(body, 0, _LONGEST)
    return body[found.start() :] if found is not None else None


def _likeness(body: str) -> tuple[int, bool]:
    """How much a line looks like one that ends a traceback, and whether with a message; below zero where it cannot be."""
    found = raised(body)
    if found is None:
        return -1, False
    name, message = found
    if name in _VALUES or name.endswith(")"):
        return 0, bool(message)
    if _NAMED.search(name):
        return 3, bool(message)
    return (2 if _CLASS.match(name.rpartition(".")[2]) else 1 if "." in name else 0), bool(message)
