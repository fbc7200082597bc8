"""An error that a line of a paste may show, its score, and the stretch of text around it."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

from kb.trace.messages.form import Severity
from kb.trace.messages.text_lines import TextLine
from kb.trace.messages.words import is_about_javascript

# How sure it is that a program printed a line, and how much the line tells.

EXCEPTION = 80
"""An exception with its message."""
OF_PROGRAM = {Severity.ERROR: 78, Severity.SUMMARY: 47, Severity.WARNING: 46}
OF_ERROR_RECORD = 64
OF_LOGGED_ERROR = 62
"""A line that the log itself calls an error; what scores less may be somebody's sentence."""
OF_KNOWN_WORDS = 66
"""A known sentence of a framework: below a tool's lead, which says the same and begins where the tool's words do."""
ANNOUNCES = 20
"""Points that a line loses which only says that the error is below."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """An error that somebody may be showing."""

    score: float
    begin: int
    end: int
    runtime: str
    raised: tuple[tuple[str | None, str | None], ...]
    """Types and messages, outermost first."""
    is_shown: bool = False
    """Whether somebody shows the line it is in: in a block of code, below a command or an announcement."""


@dataclass(frozen=True)
class TextStretch:
    """The stretch of text whose pieces are read."""

    text: str
    lines: Sequence[TextLine]
    is_decoded: bool = False
    """Whether it is the words of a record: `read_record` has opened the records in them."""
    records: set[int] = field(default_factory=set)
    """The lines seen so far that are records and show an error: what stands in quotes there was read as their values."""

    @cached_property
    def is_javascript(self) -> bool:
        """Whether it is about JavaScript, whose errors are often called ``Error`` alone."""
        return is_about_javascript(self.text)
