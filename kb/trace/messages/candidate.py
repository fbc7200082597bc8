"""What a stretch of a paste may show, with a score: how sure it is that a program said so, and how much it tells."""

from collections.abc import Sequence
from dataclasses import dataclass

from kb.trace.messages.form import Severity
from kb.trace.messages.pieces import TextLine

EXCEPTION = 80
"""An exception with its message."""
OF_PROGRAM = {Severity.ERROR: 78, Severity.SUMMARY: 47, Severity.WARNING: 46}
OF_ERROR_RECORD = 64
OF_LOGGED_ERROR = 62
"""A line that the log itself calls an error; what scores less may be somebody's sentence."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An error that somebody may be showing."""

    score: int
    begin: int
    end: int
    runtime: str
    raised: tuple[tuple[str | None, str | None], ...]
    """Types and messages, outermost first."""


@dataclass(frozen=True, slots=True)
class TextStretch:
    """The stretch of text whose pieces are asked."""

    text: str
    lines: Sequence[TextLine]
    is_javascript: bool
    """Whether it is about JavaScript, whose errors are often called ``Error`` alone."""
