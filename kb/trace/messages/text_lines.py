"""The lines of a text as a paste has them: each without what it begins with; of many lines only those that are asked for are taken apart."""

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate
from operator import attrgetter
from typing import overload

import re2

from kb.patterns import lazy


@dataclass(frozen=True, slots=True)
class TextLine:
    """A line of the text."""

    begin: int
    start: int
    """Where its words begin, behind indentation, quotation marks, list marks and the numbers of a build's steps."""
    end: int
    text: str
    """Its words, from ``start`` to ``end``, without blanks at the end."""


LONGEST = 8_000  # characters of a line that are looked at
_MOST_LINES = 1_000
"""Lines of a text that are looked at, the last ones."""
_FEW = 50
"""A text of at most so many lines is taken apart at once: asking `_Lines` for each line costs more than it saves there."""
LINE_PREFIX = lazy(
    r"(?:[ \t]|==>(?=[ ])|[>│┃|╷╵├╰└─*•·⨯✘✖×→❌▲]{1,4}(?=[ \t])|[-+#][ \t]|\[[-+*]\][ \t]|\d{1,3}[.)、][ \t]|#\d{1,4}[ \t](?:\d{1,6}\.\d{1,3}[ \t])?|\d{1,6}\.\d{1,3}[ \t]|= (?:note|help): |`{3}|\[ {0,8}(?:\+[ \d]{1,6} ms| {6})\][ \t]|[a-z][\w.-]{1,60}[ ]{1,40}\| (?!(?:UNREACHABLE|FAILED|CHANGED|SUCCESS)\b)(?=\S)|\[(?:javac|exec|java|junit|kotlinc|groovyc|scalac|cc|get|copy|echo)\][ \t])*+"
)
"""Indentation, marks of lists and boxes, numbers of BuildKit's steps, rustc's notes, services of Compose (``web_1  | ``), Ant's tasks, Flutter's clock (``[   +1 ms] ``)."""


def lines_of(text: str) -> Sequence[TextLine]:
    """Return the last lines of a text, each cut at `LONGEST` characters."""
    lines = _Lines(text)
    return lines if len(lines) > _FEW else list(lines)


class _Lines(Sequence[TextLine]):
    """Lines that are taken apart when they are asked for: of a log, few are."""

    __slots__ = ("_first", "_lengths", "_made", "_text")

    def __init__(self, text: str) -> None:
        self._lengths = list(accumulate(map(len, text.split("\n"))))
        self._first = max(len(self._lengths) - _MOST_LINES, 0)
        self._text = text
        self._made: dict[int, TextLine] = {}

    def __len__(self) -> int:
        return len(self._lengths) - self._first

    @overload
    def __getitem__(self, at: int) -> TextLine: ...

    @overload
    def __getitem__(self, at: slice) -> list[TextLine]: ...

    def __getitem__(self, at: int | slice) -> TextLine | list[TextLine]:
        if isinstance(at, slice):
            return [self[each] for each in range(*at.indices(len(self)))]
        made = self._made.get(at)
        if made is None:
            made = self._made[at] = self._line(range(self._first, len(self._lengths))[at])
        return made

    def _line(self, number: int) -> TextLine:
        begin = self._lengths[number - 1] + number if number else 0
        end = min(self._lengths[number] + number, begin + LONGEST)
        prefix = LINE_PREFIX.match(self._text, begin, end)
        start = prefix.end() if prefix is not None else begin
        return TextLine(begin, start, end, self._text[start:end].rstrip())


# Where a document of several lines opens and closes: an object of JSON. In a log each line may hold a brace, so few lines are taken apart.

_BEFORE_WORDS = frozenset("\n \t`")
"""What is before the words of a line: its prefix ends with one of these."""
_MAY_CLOSE = re2.compile(rb"(?m)(?:^|[\s`\x80-\xff])\}[\],]?(?:[\s\x80-\xff]|$)")
_OPENS_BEHIND = lazy(r"[A-Za-z\u4e00-\u9fff][\"')\]]? ?(?:(?:[:：=]|=>|->) ?|\.(?= ) )\{$")


def opening_of(text: str, lines: Sequence[TextLine]) -> int:
    """Return where the first document opens in some lines, all of its line or behind a label at its end: ``Message = {``; -1 where none does."""
    at = text.find("{", lines[0].begin) if lines else -1
    while at >= 0:
        begin, stop = text.rfind("\n", 0, at) + 1, text.find("\n", at)
        stop = stop if stop >= 0 else len(text)
        is_first = at == begin or text[at - 1] in _BEFORE_WORDS
        if is_first or stop - begin > LONGEST or not text[text.rfind("{", at, stop) + 1 : stop].strip():
            line = lines[bisect_right(lines, at, key=attrgetter("begin")) - 1]
            if (place := _opened_at(text, line)) >= 0:
                return place
        at = text.find("{", stop)
    return -1


def _opened_at(text: str, line: TextLine) -> int:
    if text.startswith("{", line.start):
        return line.start
    return line.start + len(line.text) - 1 if line.text.endswith("{") and _OPENS_BEHIND.search(line.text) else -1


def closing_of(text: str, lines: Sequence[TextLine]) -> TextLine | None:
    """Return the last of some lines that closes a document and holds nothing else; None where none does."""
    if _MAY_CLOSE.search(text.encode("utf-8", "surrogatepass")) is None:
        return None
    return next((line for line in reversed(lines) if text[line.start : line.end].strip() in ("}", "}]", "},")), None)
