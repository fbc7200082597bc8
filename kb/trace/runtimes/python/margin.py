"""The lines of a text that stands further right than it was printed: quoted in a mail, pasted into a list or a cell."""

from kb.trace.lines import Lines


class Margin:
    """The same lines without a margin of blanks; places stay those of the text."""

    __slots__ = ("_lines", "_size")

    def __init__(self, lines: Lines) -> None:
        first = lines.get(0) or ""
        self._lines = lines
        self._size = len(first) - len(first.lstrip(" \t"))

    def _body(self, line: str) -> str:
        return line[self._size :] if self._size and not line[: self._size].strip(" \t") else line

    def get(self, at: int) -> str | None:
        """The line with this number; None behind the last."""
        line = self._lines.get(at)
        return self._body(line) if line is not None else None

    def start(self, at: int) -> int:
        """Where in the text the line begins."""
        return self._lines.start(at)

    def end(self, at: int) -> int:
        """Where in the text the line ends."""
        return self._lines.end(at)

    def before(self, count: int) -> list[tuple[int, str]]:
        """At most ``count`` lines above line 0, nearest first, each with where it begins."""
        return [(start, self._body(line)) for start, line in self._lines.before(count)]
