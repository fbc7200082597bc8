"""Text taken out of an envelope, each place of which leads back to the text that was given."""

import html
import re
from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice, pairwise
from typing import NamedTuple

from kb.redact import redact
from kb.trace.finding.formats import REASON_PHRASES
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


# e.g. <br />
_ENTITY = re.compile(r"&(?:amp;)?(?:lt|gt|quot|apos|amp|nbsp|#\d{1,5}|#[xX][0-9a-fA-F]{1,5});|<br ?/?>")
_LOOKED_AT = 4_000  # characters of a line in which the first entity is


def holds_entity(line: str) -> bool:
    """Return whether a line was escaped for a page: ``&quot;``, ``&amp;lt;``, ``<br>``."""
    return ("&" in line or "<br" in line) and _ENTITY.search(line, 0, _LOOKED_AT) is not None


def unescaped(line: str, at: int) -> list[MappedPiece]:
    """Return a line that begins at a place without entities and line breaks, escaped once or twice."""
    pieces, start = [], 0
    for found in _ENTITY.finditer(line):
        pieces.append(MappedPiece(line[start : found.start()], at + start, at + found.start()))
        plain = "\n" if found[0].startswith("<") else html.unescape(html.unescape(found[0])).replace("\xa0", " ")
        pieces.append(MappedPiece(plain, at + found.start(), at + found.end()))
        start = found.end()
    pieces.append(MappedPiece(line[start:], at + start, at + len(line)))
    return pieces


# e.g. &#x2F;
_MARKUP = re.compile(r"&(?:amp;)?(?:quot|lt|gt|#0?(?:34|47|60|62)|#[xX](?:22|2[fF]|3[cCeE]));")
_FEWEST_MARKS = 2
_UNESCAPED = re.compile(r"[\"<>]")
_LINE_BREAK = re.compile(r"<br ?/?>")
_OF_ENTITIES = re.compile(r"(?i:entit(?:y|ies))|实体|實體")


def _is_escaped_whole(line: str) -> bool:
    """Return whether all of a line was escaped for a page, its quotes, angle brackets and slashes: an error about an entity shows it alone."""
    marks = islice(_MARKUP.finditer(line), _FEWEST_MARKS)
    return (
        sum(1 for _ in marks) == _FEWEST_MARKS
        and _UNESCAPED.search(_LINE_BREAK.sub("", line)) is None
        and _OF_ENTITIES.search(line) is None
    )


def without_entities(text: str) -> MappedText | None:
    """Return a text without the entities of the lines that were escaped for a page; None where no line was."""
    lines = text.split("\n") if len(text) <= LONGEST_PASTE else []
    escaped = [_is_escaped_whole(line) for line in lines]
    if not any(escaped):
        return None
    opened, at = MappedText(), 0
    for line, is_escaped in zip(lines, escaped, strict=True):
        if at:
            opened.add(MappedPiece("\n", at - 1, at))
        pieces = unescaped(line, at) if is_escaped else [MappedPiece(line, at, at + len(line))]
        for piece in pieces:
            opened.add(piece)
        at += len(line) + 1
    return opened


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


def without_numbers(text: str, given: str) -> tuple[MappedText, str] | None:
    """Return a text without the numbers of its lines, and what was given without them; None where none are counted: a viewer of logs does, ``cat -n``.

    At least three lines begin with numbers, each one more than the number before, and no more lines go without. Numbers without a bar behind
    them end in one column; where nothing indents them, there are four at least, and most lines begin otherwise. ``500 Internal Server Error`` is content.
    """
    if _OF_A_TABLE in text:
        return None
    lines = text.split("\n")
    found = [_NUMBER.match(line) for line in lines]
    numbers = [int(one["number"]) for one in found if one is not None]
    is_counted = all(after == before + 1 for before, after in pairwise(numbers))
    others = sum(one is None and bool(line.strip()) for one, line in zip(found, lines, strict=True))
    if not is_counted or len(numbers) < max(_FEWEST_NUMBERS, others) or not _is_listing([one for one in found if one]):
        return None
    opened, quoted, at = MappedText(), [], 0
    for one, line in zip(found, lines, strict=True):
        lost = one.end() if one is not None else 0
        opened.add(MappedPiece(line[lost:] + "\n", at + lost, at + max(len(line.rstrip()), lost)))
        quoted.append(given[at + lost : at + len(line)])
        at += len(line) + 1
    return opened, "\n".join(quoted) + "\n"


def _is_listing(numbers: list[re.Match[str]]) -> bool:
    """Return whether numbers that count lines are those of a viewer, and not content that happens to count."""
    if any(one["phrase"] in REASON_PHRASES for one in numbers):
        return False
    is_aligned = len({one.end("number") for one in numbers}) == 1
    is_indented = numbers[0].start("number") > 0
    if all(one["bar"] for one in numbers) or (is_aligned and is_indented):
        return True
    words = {one["word"] for one in numbers}
    return not is_indented and len(numbers) >= _FEWEST_FLUSH and len(words) * 2 > len(numbers)


_NUMBER = re.compile(
    r"[ \t]{0,8}(?P<number>\d{1,6})(?:(?P<bar>[ \t]?[|│](?: |$))|[ \t]|$)(?=(?P<phrase>(?P<word>\w*)[ \w]*))"
)
_FEWEST_NUMBERS, _FEWEST_FLUSH = 3, 4
_OF_A_TABLE = "-+-"  # below the head of a table, whose first column may count its rows


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
