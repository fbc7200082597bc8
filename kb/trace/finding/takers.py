"""What opens the lines of an envelope."""

from collections.abc import Callable
from dataclasses import dataclass

from kb.trace.finding.opened import MappedPiece

Unwrapped = tuple[str, list[MappedPiece]]


@dataclass(frozen=True, slots=True)
class Unwrapper:
    """How the lines of an envelope are opened."""

    take: Callable[[str, int], Unwrapped | None]
    """Opens a line that begins at an offset; None for a line that does not stand in this envelope."""
    is_on_every_line: bool = False
    """Whether a line without it is another's. Else it goes on what stands before it: syslog and loggers mark a record's first line."""
    is_guess: bool = False
    """Whether the lines are opened only if more is read of them then."""
