"""The paste's trace beside that of the write-up: two aligned columns, the innermost cause first, library frames folded, what differs marked."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import groupby

from api.render.sides import MOST_ROWS, AlignedRow, Place, rows_of
from api.render.view import LinePart
from index import Match
from index.reading import Reading
from kb.trace import WITHOUT_TRACE, Alignment, ExceptionChain, align

NEAR = 3
"""Frames next to the raise point that are never folded: they tell most."""
FEW = 3
"""Fewer library frames than this in a row are not folded."""
_MOST_WORDS = 120
"""Longer texts are not compared word by word."""
_WORD = re.compile(r"\w+|\s+|[^\w\s]")

Parts = tuple[LinePart, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """One line of each side; () where that side has no counterpart."""

    ours: Parts
    theirs: Parts
    agreement: str
    """``same``, ``differs``, or ``one``."""
    is_exception: bool = False


@dataclass(frozen=True, slots=True)
class Run:
    """Rows that stand together; ``same`` of them agree."""

    rows: tuple[Row, ...]
    is_folded: bool = False

    @property
    def same(self) -> int:
        """How many rows are the same on both sides."""
        return sum(row.agreement == "same" for row in self.rows)


@dataclass(frozen=True, slots=True)
class Columns:
    """One list of runs for each exception, the innermost first; ``left_out``: rows that are too many to show."""

    exceptions: tuple[tuple[Run, ...], ...]
    left_out: int = 0


def columns_of_match(reading: Reading, match: Match) -> Columns | None:
    """The trace of the paste beside the one of the match that it agrees with best."""
    if match.traces is None:
        return None
    ours, theirs = reading.traces[match.traces[0]].normalised, match.incident.chains[match.traces[1]]
    return columns_of(ours, theirs, align(ours, theirs))


def columns_of(ours: ExceptionChain, theirs: ExceptionChain, alignment: Alignment) -> Columns | None:
    """Two aligned traces in columns; None where the query is a sentence that only says what failed."""
    if ours.runtime in WITHOUT_TRACE:
        return None
    found = [list(rows) for rows in _by_exception(rows_of(ours, theirs, alignment))]
    shown: list[tuple[Run, ...]] = []
    room, count = MOST_ROWS, sum(map(len, found))
    for rows in reversed(found):
        if room > 0:
            shown.append(tuple(_runs(rows[:room], ours, theirs)))
        room -= len(rows)
    return Columns(tuple(shown), max(0, count - MOST_ROWS)) if shown else None


def _by_exception(rows: Iterable[AlignedRow]) -> Iterator[list[AlignedRow]]:
    """The rows of each exception with its frames."""
    group: list[AlignedRow] = []
    for row in rows:
        if row.is_exception and group:
            yield group
            group = []
        group.append(row)
    if group:
        yield group


def _runs(rows: Sequence[AlignedRow], ours: ExceptionChain, theirs: ExceptionChain) -> Iterator[Run]:
    def folds(numbered: tuple[int, AlignedRow]) -> bool:
        at, row = numbered
        return at > NEAR and not (_is_in_app(ours, row.ours_at) or _is_in_app(theirs, row.theirs_at))

    for is_library, numbered in groupby(enumerate(rows), folds):
        run = tuple(_row(row) for _, row in numbered)
        yield Run(run, is_library and len(run) >= FEW)


def _is_in_app(chain: ExceptionChain, place: Place | None) -> bool:
    if place is None or place[1] is None:
        return False
    return chain.exceptions[place[0]].stack.frames[place[1]].in_app


def _row(row: AlignedRow) -> Row:
    ours, theirs = _differing(row.ours, row.theirs)
    return Row(ours, theirs, row.agreement, row.is_exception)


def _differing(ours: str | None, theirs: str | None) -> tuple[Parts, Parts]:
    """Both texts; where they differ, the words that the other has not are marked."""
    if ours is None or theirs is None or ours == theirs:
        return _whole(ours), _whole(theirs)
    a, b = _WORD.findall(ours), _WORD.findall(theirs)
    if max(len(a), len(b)) > _MOST_WORDS:
        return _whole(ours), _whole(theirs)
    steps = SequenceMatcher(None, a, b, autojunk=False).get_opcodes()
    return (
        tuple(LinePart("".join(a[i:j]), tag != "equal") for tag, i, j, _, _ in steps if i < j),
        tuple(LinePart("".join(b[i:j]), tag != "equal") for tag, _, _, i, j in steps if i < j),
    )


def _whole(text: str | None) -> Parts:
    return (LinePart(text),) if text else ()
