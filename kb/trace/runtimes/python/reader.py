"""Reads one Python traceback: chained exceptions, exception groups, syntax errors, notes."""

import re
from dataclasses import dataclass

from kb.patterns import lazy
from kb.trace.lines import Lines
from kb.trace.model import ExceptionChain, RaisedException
from kb.trace.runtimes.base import MOST_EXCEPTIONS, TraceReading, not_kept
from kb.trace.runtimes.python.block import MOST_NOTES, ExceptionBlock, PythonException, emit, is_end
from kb.trace.runtimes.python.printers import read_failure, read_fatal, starts_failure, starts_fatal
from kb.trace.runtimes.python.syntax import (
    TRACEBACK,
    Margin,
    bare_head,
    frame_of,
    holds_python,
    mentioned,
    raised,
    separator,
)
from kb.translatable import Translatable

_DEEPEST_GROUP = 20
_BARRED = lazy(r"(?P<before>[ \t]*+)[|+][ \t]?(?P<body>.*)$", re.DOTALL)
_BORDERED = lazy(r"[ \t]*+│ ?(?P<body>.*?)[ \t]*+│?[ \t]*+$", re.DOTALL)
# another runtime's exception quotes this one
_QUOTING = lazy(r"[a-z]\w{0,60}\.[A-Z]\w{1,80}(?:Exception|Error|Throwable): ")
_THREAD = lazy(r"Exception in thread (?P<thread>[^\n]{1,200}?):?[ \t]*+$")
_CALLERS = "Stack (most recent call last)"  # of logging's stack_info: who logged, nothing was raised there
_IGNORED = "Exception ignored in"
_DIGITS = lazy(r"\d")
_LONGEST_BASE = 60
_MOST_LOOKED_AT = 400
"""Lines below a frame among which the end of its traceback is looked for."""


def starts(line: str) -> bool:
    """Whether this line shows a Python traceback."""
    at = line.find(TRACEBACK, 0, 400)
    if at >= 0:
        return _QUOTING.search(line[:at]) is None
    if frame_of(line) is not None or bare_head(line) is not None:
        return True
    body = line.lstrip(" \t")
    return starts_fatal(body) or starts_failure(body)


def read(lines: Lines) -> TraceReading | None:
    """Read the traceback that line 0 belongs to."""
    first = lines.get(0) or ""
    at = first.find(TRACEBACK, 0, 400)
    if at < 0:
        body = first.lstrip(" \t")
        if starts_fatal(body):
            return read_fatal(Margin(lines))
        if starts_failure(body):
            return read_failure(Margin(lines))
        if frame_of(first) is None:
            return _Reader(lines, "").bare(first)
        return _from_frame(lines, first)
    before = first[:at]
    if "╭" in before or (before.strip().isidentifier() and before.strip() != before):
        return _pretty(Margin(lines), is_boxed="╭" in before)
    before = before.replace("+ Exception Group ", "")
    return _run(_Reader(lines, before if before.strip() or before == first[:at] else ""), 0)


def _from_frame(lines: Lines, first: str) -> TraceReading | None:
    """Return a traceback whose head is cut off, or the callers that a logger prints."""
    reader = _Reader(lines, _margin(lines, first[: len(first) - len(first.lstrip())]))
    reader.levels[0].block.in_stack = True
    reader.head_truncated = True
    reading = _run(reader, 0)
    if reading is not None and reading.chain is not None and _is_prose(reading.chain):
        return None
    if any(_CALLERS in line[:400] for _, line in lines.before(1)):
        return TraceReading(None, reader.end)
    return reading


def _margin(lines: Lines, indentation: str) -> str:
    """Return how far right the lost head of a traceback stood: as far as its end, if that stands further left than the first frame; else as far as that."""
    for at in range(1, _MOST_LOOKED_AT if indentation else 0):
        line = lines.get(at)
        if line is None:
            break
        body = line.lstrip(" \t")
        if body and not line.startswith(indentation):
            margin = line[: len(line) - len(body)]
            return margin if indentation.startswith(margin) and is_end(body) else indentation
    return indentation


def _is_prose(chain: ExceptionChain) -> bool:
    """Whether all there is of a traceback is one place in a file that no Python is in: a sentence has such words, too."""
    only = chain.exceptions[0]
    if len(chain.exceptions) > 1 or only.type is not None or len(only.stack.frames) != 1:
        return False
    return not holds_python(only.stack.frames[0].filename or "")


def _pretty(lines: Margin, *, is_boxed: bool) -> TraceReading | None:
    """Return the stack of IPython or rich: its first line names no frame."""
    reader = _Reader(lines, "", is_boxed=is_boxed)
    reader.levels[0].block.in_stack = True
    return _run(reader, 1)


def _run(reader: "_Reader", at: int) -> TraceReading | None:
    reader.run(at)
    return reader.reading()


def named_in(line: str) -> RaisedException | None:
    """Return the exception that the line is, or quotes; a mention inside other text tells only where its full name is Python's."""
    found = mentioned(line)
    return RaisedException(found[0], found[1] or None) if found is not None else None


@dataclass(slots=True)
class _Level:
    column: int
    block: ExceptionBlock


class _Reader:
    """The lines of one traceback, level by level of its exception groups."""

    def __init__(self, lines: Lines | Margin, prefix: str, *, is_boxed: bool = False) -> None:
        self._lines = lines
        self._prefix = prefix
        self._shape = _DIGITS.sub("0", prefix)
        self._is_boxed = is_boxed
        self.levels = [_Level(-1, ExceptionBlock(is_boxed=is_boxed))]
        self.head_truncated = False
        self.end = 1
        self._is_indented = False
        """Whether the line that ends it is indented like its head: a mark before the head alone indents no traceback."""
        self._is_flat = False
        """Whether the bars of a group lost their columns: its rules alone tell its levels."""
        self._base: int | None = None
        """How far the whole traceback is indented more than usual, where it stands quoted behind other text."""

    def bare(self, first: str) -> TraceReading | None:
        """Return an exception line without a traceback; a group's members stand indented under it."""
        found = bare_head(first)
        if found is None:
            return None
        block = self.levels[0].block
        group = PythonException(found[0], found[1], [])
        block.printed.append(group)
        at = 1
        while found[0].endswith("ExceptionGroup") and at <= MOST_EXCEPTIONS:
            line = self._lines.get(at)
            member = raised(line.strip()) if line is not None and line[:1] in " \t" and line.strip() else None
            if member is None:
                break
            group.members.append(ExceptionBlock(printed=[PythonException(member[0], member[1], [])]))
            at += 1
        while at <= MOST_NOTES and (line := self._lines.get(at)) is not None:
            if line[:1] not in (" ", "\t", "[", "(") or not line.strip() or line.lstrip().startswith("at "):
                break
            if frame_of(line) is not None:
                break
            group.message = f"{group.message}\n{line.rstrip()}".strip()
            at += 1
        self.end = at
        return self.reading()

    def run(self, at: int) -> None:
        """Feeds line after line to the level it is at."""
        line = self._lines.get(at)
        while line is not None and not self._is_left_of_message(line):
            following = self._lines.get(at + 1)
            body = self._body(line)
            mark = separator(body)
            if mark is not None and len(self.levels) + (self.levels[-1].column >= 0) > 1:
                column = mark[0] + (self.levels[-1].column if self._is_flat else 0)
                self._separate(column, follows=mark[1])
            elif not self._feed(body, self._body(following) if following is not None else None):
                return
            at += 1
            if body.strip():
                self.end = at
            line = following

    def _is_left_of_message(self, line: str) -> bool:
        """Return whether a line stands further left than the message above it, in a traceback of which every line is indented."""
        is_behind = len(self.levels) == 1 and self.levels[0].block.in_message
        if not is_behind:
            self._is_indented = bool(self._prefix) and not self._prefix.strip() and line.startswith(self._prefix)
        return is_behind and self._is_indented and bool(line.strip()) and not line.startswith(self._prefix)

    def _body(self, line: str) -> str:
        if self._is_boxed:
            bordered = _BORDERED.match(line) if line.lstrip()[:1] == "│" else None
            return bordered["body"] if bordered is not None else line
        size = len(self._prefix)
        if size and _DIGITS.sub("0", line[:size]) == self._shape:
            return line[size:]
        if size and not line.strip():
            return ""
        if self._base is None and frame_of(line) is not None:
            self._base = min(max(len(line) - len(line.lstrip(" ")) - 2, 0), _LONGEST_BASE)
        base = self._base or 0
        return line[base:] if base and not line[:base].strip() else line

    def _feed(self, body: str, following: str | None) -> bool:
        barred = _BARRED.match(body) if "|" in body[:200] or "+ Exception Group" in body[:200] else None
        if barred is None:
            if len(self.levels) > 1 and body.strip():
                self.levels = self.levels[:1]
            return self.levels[0].block.feed(body, following)
        column = len(barred["before"])
        if self.levels[0].column < 0 and len(self.levels) == 1:
            self.levels[0].column = column
            self._is_flat = column == 0
        elif column and self._is_flat:  # only the head lost its column
            self._is_flat = False
        if self._is_flat:
            column = self.levels[-1].column
        while len(self.levels) > 1 and self.levels[-1].column > column:
            self.levels.pop()
        return self.levels[-1].block.feed(barred["body"], None)

    def _separate(self, column: int, *, follows: bool) -> None:
        while len(self.levels) > 1 and self.levels[-1].column >= column:
            self.levels.pop()
        owner = self.levels[-1].block
        owner.in_message = False
        if not follows or not owner.printed or len(self.levels) > _DEEPEST_GROUP:
            return
        member = ExceptionBlock(is_member=True)
        if len(owner.printed[-1].members) < MOST_EXCEPTIONS:
            owner.printed[-1].members.append(member)
        self.levels.append(_Level(column, member))

    def reading(self) -> TraceReading | None:
        """Return the chain of what was read; None if nothing was raised."""
        top = self.levels[0].block
        found: list[RaisedException] = []
        notes: list[str] = []
        if not top.printed:
            if not top.frames:
                return None
            top.cut_off()
        emit(top, None, None, found, notes)
        notes.extend(not_kept(top.lost))
        is_syntax_error = found[0].type is not None and found[0].type.endswith(
            ("SyntaxError", "IndentationError", "TabError")
        )
        begin, thread = self._introduced(notes)
        span = (begin, max(begin, self._lines.end(self.end - 1)))
        truncated = self.head_truncated and not is_syntax_error
        return TraceReading(ExceptionChain("python", tuple(found), thread, truncated, span, tuple(notes)), self.end)

    def _introduced(self, notes: list[str]) -> tuple[int, str | None]:
        """Return where the traceback begins, and in which thread: ``Exception in thread Thread-1 (run):`` is above it."""
        above = self._lines.before(1)
        if self.head_truncated or not above:
            return self._lines.start(0), None
        start, line = above[0]
        thread = _THREAD.search(line) if "Exception in thread" in line[:400] else None
        if thread is not None:
            return start, thread["thread"]
        if line.lstrip().startswith(_IGNORED):
            notes.append(Translatable("it was raised where nobody could catch it: {}", line.strip()[:200]))
            return start, None
        return self._lines.start(0), None
