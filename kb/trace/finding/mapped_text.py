"""Text taken out of an envelope, each place of which leads back to the text that was given."""

import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from kb.redact import redact
from kb.trace.lines import BLANKS, clean
from kb.translatable import Translatable

# A text without what it was in, and where each piece of it was.


class MappedPiece(NamedTuple):
    """Some characters as they read, and the place of what they were read from."""

    text: str
    begin: int
    end: int


@dataclass(slots=True)
class MappedText:
    """Pieces one behind the other, read as one text; every place in it leads back to the text that was given."""

    _parts: list[str] = field(default_factory=list)
    _starts: list[int] = field(default_factory=list)
    _origins: list[tuple[int, int]] = field(default_factory=list)
    _size: int = 0
    _hidden: list[tuple[int, str]] = field(default_factory=list)
    """Where secrets were taken away, and of what kind."""

    def add(self, piece: MappedPiece) -> None:
        """Put a piece behind the others."""
        self._starts.append(self._size)
        self._origins.append((piece.begin, piece.end))
        self._parts.append(piece.text)
        self._size += len(piece.text)

    @property
    def text(self) -> str:
        """All pieces as one text."""
        return "".join(self._parts)

    def original_span(self, span: tuple[int, int]) -> tuple[int, int]:
        """Return a span of this text as one of the text that was given."""
        begin, end = self._origin(span[0], is_end=False), self._origin(span[1], is_end=True)
        return begin, max(begin, end)

    def _origin(self, at: int, *, is_end: bool) -> int:
        number = max(bisect_right(self._starts, at - 1 if is_end else at) - 1, 0)
        begin, end = self._origins[number]
        behind = at - self._starts[number]
        return end if is_end and behind >= len(self._parts[number].rstrip()) else min(begin + behind, end)

    def without_secrets(self) -> "MappedText":
        """Return the same without what shows as a secret only once it is opened: a key in one record, its value in the next."""
        text = self.text
        redactions = redact(text).redactions
        if not redactions:
            return self
        hidden = MappedText()
        at = 0
        for one in redactions:
            self._copy(at, one.start, hidden)
            hidden._hidden.append((hidden._size, one.kind))
            hidden.add(MappedPiece(one.placeholder, *self.original_span((one.start, one.end))))
            at = one.end
        self._copy(at, len(text), hidden)
        return hidden

    def hidden_in(self, span: tuple[int, int]) -> tuple[str, ...]:
        """Return the kinds of the secrets that were taken away within a span, as a note; () for none."""
        kinds = sorted({kind for at, kind in self._hidden if span[0] <= at < span[1]})
        return (
            (
                Translatable(
                    "a secret showed only once its lines were opened, and was hidden there: {}", ", ".join(kinds)
                ),
            )
            if kinds
            else ()
        )

    def _copy(self, start: int, stop: int, into: "MappedText") -> None:
        """Put the pieces between two places behind those of another text."""
        number = max(bisect_right(self._starts, start) - 1, 0)
        while number < len(self._parts) and self._starts[number] < stop:
            first, part = self._starts[number], self._parts[number]
            text = part[max(start - first, 0) : stop - first]
            if text and len(text) == len(part):
                into.add(MappedPiece(part, *self._origins[number]))
            elif text:
                begin = max(start, first)
                into.add(MappedPiece(text, *self.original_span((begin, begin + len(text)))))
            number += 1


Unwrapped = tuple[str, list[MappedPiece]]


@dataclass(frozen=True, slots=True)
class Unwrapper:
    """How the lines of an envelope are opened."""

    take: Callable[[str, int], Unwrapped | None]
    """Opens a line that begins at an offset; None for a line that does not be in this envelope."""
    is_on_every_line: bool = False
    """Whether a line without it is another's. Else it goes on what is before it: syslog and loggers mark a record's first line."""
    is_guess: bool = False
    """Whether the lines are opened only if more is read of them then."""
    is_whole: bool = False
    """Whether nothing in it goes on in the next line: no other line is opened with it."""


LONGEST_PASTE = 1 << 18
"""Characters of a text that somebody may have indented or quoted as a whole; a log is longer."""
_INDENTATION = re.compile(r"^[ \t]*+(?=\S)", re.MULTILINE)
_FLUSH = re.compile(r"^\S", re.MULTILINE)
_OF_FRAMES = re.compile(r"(?:at |File \"|from )")
"""How frames begin that their runtime indents itself: a paste may hold nothing else."""
_MARKS = f" \t>{''.join(BLANKS)}"
"""What may indent or quote a line: all that `clean` makes blanks."""


def may_be_indented(text: str) -> bool:
    """Return whether a text that goes on may turn out to be indented as a whole: each line that has ended begins with a blank, or is empty."""
    plain = clean(text)
    return _FLUSH.search(plain, 0, plain.rfind("\n") + 1) is None


def without_indentation(text: str, given: str) -> tuple[MappedText, str] | None:
    """Return a text of which every line is indented, as Markdown and mails show code, without that, and what was given without it; None for other texts.

    ``given`` is the text before marks of quotations were blanked: these are taken off it, too.
    """
    first = _INDENTATION.search(text) if len(text) <= LONGEST_PASTE else None
    if first is None or not first[0]:
        return None
    every = [found[0] for found in _INDENTATION.finditer(text)]
    common = min(every, key=len)
    is_all = len(every) > 1 and all(one.startswith(common) for one in every)
    return _dedented(text, given, len(common)) if common and is_all else None


def _dedented(text: str, given: str, width: int) -> tuple[MappedText, str] | None:
    opened, quoted, at = MappedText(), [], 0
    for line in text.split("\n"):
        lost = min(width, len(line) - len(line.lstrip(" \t")))
        if given[at : at + lost].strip(_MARKS) or _OF_FRAMES.match(line, width):
            return None
        opened.add(MappedPiece(line[lost:] + "\n", at + lost, at + max(len(line.rstrip()), lost)))
        quoted.append(given[at + lost : at + len(line)])
        at += len(line) + 1
    return opened, "\n".join(quoted) + "\n"
