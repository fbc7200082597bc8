"""The lines of one trace without the prefix that a log put before each."""

import re
from functools import lru_cache

from kb.trace.lines import Lines

_LONGEST_PREFIX = 200
_DIGITS = re.compile(r"\d+")


class Prefixed:
    """Line by line what a reader looks at; numbers are those of the ``Lines`` below it."""

    def __init__(self, lines: Lines, prefix: str = "") -> None:
        self._lines = lines
        self._pattern = _shape(prefix) if prefix.strip() and len(prefix) <= _LONGEST_PREFIX else None

    def get(self, at: int) -> str | None:
        """The line without the log's prefix; None behind the last."""
        line = self._lines.get(at)
        if line is None or self._pattern is None:
            return line
        found = self._pattern.match(line)
        return line[found.end() :] if found is not None else line


@lru_cache(maxsize=256)
def _shape(prefix: str) -> re.Pattern[str]:
    """A pattern for the same prefix with other numbers."""
    parts = (re.escape(part) for part in _DIGITS.split(prefix.rstrip()))
    return re.compile(r"\d{1,20}+".join(parts) + ("[ \t]?" if prefix[-1:] in " \t" else ""))
