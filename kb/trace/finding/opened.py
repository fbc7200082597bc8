"""A text without what it stood in, and where each piece of it stood."""

from bisect import bisect_right
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Piece:
    """Some characters as they read, and the place of what they were read from."""

    text: str
    begin: int
    end: int


@dataclass(slots=True)
class Opened:
    """Pieces one behind the other, read as one text; every place in it leads back to the text that was given."""

    _parts: list[str] = field(default_factory=list)
    _starts: list[int] = field(default_factory=list)
    _origins: list[tuple[int, int]] = field(default_factory=list)
    _size: int = 0

    def add(self, piece: Piece) -> None:
        """Puts a piece behind the others."""
        self._starts.append(self._size)
        self._origins.append((piece.begin, piece.end))
        self._parts.append(piece.text)
        self._size += len(piece.text)

    @property
    def text(self) -> str:
        """All pieces as one text."""
        return "".join(self._parts)

    def original_span(self, span: tuple[int, int]) -> tuple[int, int]:
        """A span of this text as one of the text that was given."""
        begin, end = self._origin(span[0], is_end=False), self._origin(span[1], is_end=True)
        return begin, max(begin, end)

    def _origin(self, at: int, *, is_end: bool) -> int:
        number = max(bisect_right(self._starts, at - 1 if is_end else at) - 1, 0)
        begin, end = self._origins[number]
        behind = at - self._starts[number]
        return end if is_end and behind >= len(self._parts[number].rstrip()) else min(begin + behind, end)
