"""What a reader looks at line by line: the lines of the text, or those that it took apart itself."""

from typing import Protocol


class Readable(Protocol):
    """Lines by number."""

    def get(self, at: int) -> str | None:
        """The line; None behind the last."""


class Pieces:
    """Lines that a reader took apart itself."""

    def __init__(self, pieces: list[str]) -> None:
        self._pieces = pieces

    def get(self, at: int) -> str | None:
        """The piece with this number; None behind the last."""
        return self._pieces[at] if at < len(self._pieces) else None
