"""Reads one Python traceback: chained exceptions, exception groups, syntax errors, notes."""

import re
from dataclasses import dataclass, field

from kb.trace.lines import Lines
from kb.trace.model import ExceptionChain, Frame, RaisedException, Relation, StackTrace
from kb.trace.runtimes.python.syntax import (
    CAUSE_FOLLOWS,
    CONTEXT_FOLLOWS,
    TRACEBACK,
    bare_head,
    frame_of,
    notebook_frame,
    raised,
    repeated,
    separator,
)
from kb.trace.runtimes.runtime import Reading

MOST_FRAMES = 1_024
MOST_EXCEPTIONS = 100
_DEEPEST_GROUP = 20
_MOST_NOTES = 20
_SOURCE_LINES = 12
_BARRED = re.compile(r"(?P<before>[ \t]*+)[|+][ \t]?(?P<body>.*)$", re.DOTALL)
_QUOTING = re.compile(
    r"\.[A-Z]\w{1,80}(?:Exception|Error|Throwable): ?$"
)  # another runtime's exception quotes this one
_DIGITS = re.compile(r"\d")
_NEW_RECORD = re.compile(
    r"[\[(<]?\d{2,4}[-/.:]\d{1,2}[-/.:]\d{1,2}|(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|CRITICAL)\b|[$>#] |```|~~~|</?\w|#{1,6} |: |\[\w+ ?\d*\] "
)


def starts(line: str) -> bool:
    """Whether this line tells of a Python traceback."""
    at = line.find(TRACEBACK, 0, 400)
    if at >= 0:
        return _QUOTING.search(line[:at]) is None
    return frame_of(line) is not None or bare_head(line) is not None


def read(lines: Lines) -> Reading | None:
    """Reads the traceback that line 0 belongs to."""
    first = lines.get(0) or ""
    at = first.find(TRACEBACK, 0, 400)
    if at < 0 and frame_of(first) is None:
        return _Reader(lines, "").bare(first)
    before = first[:at].replace("+ Exception Group ", "") if at >= 0 else first[: len(first) - len(first.lstrip())]
    name = before.split()[0] if at > 0 and len(before.split()) == 1 and before[:1].isalpha() else None
    reader = _Reader(lines, "" if name is not None else before)
    reader.levels[0].block.in_stack = at < 0 or name is not None
    reader.head_truncated = at < 0
    reader.run(0 if name is None else 1)
    return reader.reading()


def named_in(line: str) -> RaisedException | None:
    """A line that is a Python exception is read as a trace already; a mention inside other text tells no runtime."""
    found = bare_head(line)
    return RaisedException(found[0], found[1] or None) if found is not None else None


@dataclass(slots=True)
class _Raised:
    type: str
    message: str
    frames: list[Frame]
    link: Relation | None = None
    """How it hangs on the exception printed after it."""
    members: list["_Block"] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


@dataclass(slots=True)
class _Block:
    """The exceptions printed one after another at one level: the root first."""

    printed: list[_Raised] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    in_stack: bool = False
    in_message: bool = False
    is_member: bool = False
    source_lines: int = 0
    cut: int = 0

    def feed(self, body: str) -> bool:
        """Takes one line; False if it does not belong to the traceback."""
        if body.lstrip().removeprefix("Exception Group ").startswith(TRACEBACK):
            is_second = self.in_stack and not self.frames
            self.in_stack, self.in_message, self.source_lines = True, False, 0
            self.frames = []
            return not is_second
        if CAUSE_FOLLOWS in body[:200] or CONTEXT_FOLLOWS in body[:200]:
            if self.printed:
                self.printed[-1].link = Relation.CAUSE if CAUSE_FOLLOWS in body[:200] else Relation.CONTEXT
            self.in_message = False
            return bool(self.printed)
        if self.in_stack:
            return self._in_stack(body)
        if self.in_message:
            return self._in_message(body)
        return self._raise(body) if self.is_member and not self.printed else not body.strip()

    def _in_stack(self, body: str) -> bool:
        frame = frame_of(body) or notebook_frame(body)
        if frame is not None:
            self.source_lines = 0
            self._add(frame)
            return True
        count = repeated(body)
        if count is not None:
            return True  # direct recursion: one frame stands for all of it
        if not body.strip() or body[0] in " \t" or body.startswith(("--->", "---", "->")):
            self.source_lines += 1
            return self.source_lines <= _SOURCE_LINES
        return self._raise(body)

    def _add(self, frame: Frame) -> None:
        if len(self.frames) < MOST_FRAMES:
            self.frames.append(frame)
        else:  # the raise point is printed last: keep it
            self.frames[-1] = frame
            self.cut += 1

    def _raise(self, body: str) -> bool:
        found = raised(body)
        if found is None:
            return False
        if self.frames and not self.printed and found[0][:1].islower() and "." not in found[0]:
            return False
        self.printed.append(_Raised(found[0], found[1], list(reversed(self.frames))))
        self.frames, self.in_stack, self.in_message = [], False, True
        return True

    def _in_message(self, body: str) -> bool:
        if not body.strip():
            self.in_message = False
            return True
        last = self.printed[-1]
        if _NEW_RECORD.match(body) or frame_of(body) is not None or body.lstrip().startswith("at "):
            return False
        if body[0] in " \t[(" or not last.message or last.message.endswith(":"):
            last.message = f"{last.message}\n{body}".strip()[:20_000]
            return True
        if len(last.notes) >= _MOST_NOTES or bare_head(body) is not None:
            return False
        last.notes.append(body.strip())
        return True


@dataclass(slots=True)
class _Level:
    column: int
    block: _Block


class _Reader:
    """The lines of one traceback, level by level of its exception groups."""

    def __init__(self, lines: Lines, prefix: str) -> None:
        self._lines = lines
        self._prefix = prefix
        self._shape = _DIGITS.sub("0", prefix)
        self.levels = [_Level(-1, _Block())]
        self.head_truncated = False
        self._end = 1
        self._depth_noted = False

    def bare(self, first: str) -> Reading | None:
        """An exception line without a traceback; a group's members stand indented under it."""
        found = bare_head(first)
        if found is None:
            return None
        block = self.levels[0].block
        group = _Raised(found[0], found[1], [])
        block.printed.append(group)
        at = 1
        while found[0].endswith("ExceptionGroup") and at <= MOST_EXCEPTIONS:
            line = self._lines.get(at)
            member = raised(line.strip()) if line is not None and line[:1] in " \t" and line.strip() else None
            if member is None:
                break
            group.members.append(_Block(printed=[_Raised(member[0], member[1], [])]))
            at += 1
        while at <= _MOST_NOTES and (line := self._lines.get(at)) is not None:
            if line[:1] not in (" ", "\t", "[", "(") or not line.strip() or line.lstrip().startswith("at "):
                break
            group.message = f"{group.message}\n{line.rstrip()}".strip()
            at += 1
        self._end = at
        return self.reading()

    def run(self, at: int) -> None:
        """Feeds line after line to the level it stands at."""
        while (line := self._lines.get(at)) is not None:
            body = self._body(line)
            mark = separator(body)
            if mark is not None and len(self.levels) + (self.levels[-1].column >= 0) > 1:
                self._separate(mark[0], follows=mark[1])
            elif not self._feed(body):
                return
            at += 1
            if body.strip():
                self._end = at

    def _body(self, line: str) -> str:
        size = len(self._prefix)
        if size and _DIGITS.sub("0", line[:size]) == self._shape:
            return line[size:]
        return line.lstrip(" \t") if size and not line.strip() else line

    def _feed(self, body: str) -> bool:
        barred = _BARRED.match(body) if "|" in body[:200] or "+ Exception Group" in body[:200] else None
        if barred is None:
            if len(self.levels) > 1 and body.strip():
                self.levels = self.levels[:1]
            return self.levels[0].block.feed(body)
        column = len(barred["before"])
        if self.levels[0].column < 0 and len(self.levels) == 1:
            self.levels[0].column = column
        while len(self.levels) > 1 and self.levels[-1].column > column:
            self.levels.pop()
        return self.levels[-1].block.feed(barred["body"])

    def _separate(self, column: int, *, follows: bool) -> None:
        while len(self.levels) > 1 and self.levels[-1].column >= column:
            self.levels.pop()
        owner = self.levels[-1].block
        owner.in_message = False
        if not follows or not owner.printed or len(self.levels) > _DEEPEST_GROUP:
            return
        member = _Block(is_member=True)
        if len(owner.printed[-1].members) < MOST_EXCEPTIONS:
            owner.printed[-1].members.append(member)
        self.levels.append(_Level(column, member))

    def reading(self) -> Reading | None:
        """The chain of what was read; None if nothing was raised."""
        top = self.levels[0].block
        found: list[RaisedException] = []
        notes: list[str] = []
        if not top.printed:
            if not top.frames:
                return None
            top.printed.append(_Raised("", "", list(reversed(top.frames))))
        _emit(top, None, None, found, notes)
        if top.cut:
            notes.append(f"{top.cut} frames were not kept")
        is_syntax_error = found[0].type is not None and found[0].type.endswith(
            ("SyntaxError", "IndentationError", "TabError")
        )
        span = (self._lines.start(0), max(self._lines.start(0), self._lines.end(self._end - 1)))
        truncated = self.head_truncated and not is_syntax_error
        return Reading(ExceptionChain("python", tuple(found), None, truncated, span, tuple(notes)), self._end)


def _emit(
    block: _Block, parent: int | None, relation: Relation | None, found: list[RaisedException], notes: list[str]
) -> None:
    """Appends the exceptions of a block, the one printed last (what the user saw) first."""
    for raised_ in reversed(block.printed):
        if len(found) >= MOST_EXCEPTIONS:
            return
        at = len(found)
        link = relation if raised_ is block.printed[-1] else (raised_.link or Relation.CONTEXT)
        found.append(
            RaisedException(
                raised_.type or None, raised_.message or None, StackTrace(tuple(raised_.frames)), link, parent
            )
        )
        notes.extend(f"{raised_.type} is noted: {note}" for note in raised_.notes)
        for member in raised_.members:
            _emit(member, at, Relation.GROUPED, found, notes)
        parent = at
