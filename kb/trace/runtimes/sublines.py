"""A trace's lines, taken apart once more: where its own break marks stand inside one line, each part is a line.

For runtimes whose marks are too common to be split in every text: only lines of a trace are looked at.
"""

import re

from kb.trace.lines import Lines

_LONGEST = 1_000_000


class Sublines:
    """Lines numbered from 0, each a whole line or a part of one."""

    __slots__ = ("_break", "_hints", "_lines", "_next", "_parts", "_where")

    def __init__(self, lines: Lines, break_: re.Pattern[str], hints: tuple[str, ...]) -> None:
        """``break_`` matches what stands between two parts, or nothing before a part; on a line with one of the hints."""
        self._lines = lines
        self._break = break_
        self._hints = hints
        self._parts: list[str] = []
        self._where: list[int] = []
        self._next = 0

    def get(self, at: int) -> str | None:
        """The part with this number; None behind the last."""
        while at >= len(self._parts):
            line = self._lines.get(self._next)
            if line is None:
                return None
            parts = [line]
            if len(line) <= _LONGEST and any(hint in line for hint in self._hints):
                parts = [part for part in self._break.split(line) if part.strip()] or [line]
            self._parts += parts
            self._where += [self._next] * len(parts)
            self._next += 1
        return self._parts[at]

    def line_of(self, at: int) -> int:
        """The number, in the ``Lines``, of the line that the part stands on."""
        return self._where[at]
