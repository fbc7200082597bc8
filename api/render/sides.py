"""Two traces side by side as rows of text, for the page and for `kb explain`."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest

from index import Explanation
from kb.trace import WITHOUT_TRACE, Alignment, ExceptionChain, RaisedException, frame_key
from kb.trace.align import common

MOST_ROWS = 250
MOST_FRAMES = 400
"""Frames of one exception that are put beside those of another."""

Place = tuple[int, int | None]
"""Which exception of a chain, and which of its frames; None for the exception itself."""
FramePlace = tuple[ExceptionChain, int | None, int | None]


@dataclass(frozen=True, slots=True)
class AlignedRow:
    """An exception, a frame, or another line of each side; None where that side has no counterpart."""

    ours: str | None
    theirs: str | None
    is_exception: bool = False
    ours_at: Place | None = None
    theirs_at: Place | None = None

    @property
    def agreement(self) -> str:
        """``same`` on both sides, ``one`` side only, or ``differs``."""
        if self.ours is None or self.theirs is None:
            return "one"
        return "same" if self.ours == self.theirs else "differs"


@dataclass(frozen=True, slots=True)
class Sides:
    """The rows, outermost exception first, and how many more there are."""

    rows: tuple[AlignedRow, ...]
    left_out: int = 0


def side_by_side(explanation: Explanation) -> Sides | None:
    """The aligned traces of an explanation; None when the query or the incident has no trace."""
    if explanation.query_chain and explanation.incident_chain and explanation.alignment:
        return sides_of(explanation.query_chain, explanation.incident_chain, explanation.alignment)
    return None


def sides_of(ours: ExceptionChain, theirs: ExceptionChain, alignment: Alignment) -> Sides | None:
    """Two aligned traces, as many rows as a person looks at; None where the query is a sentence that only says what failed."""
    if ours.runtime in WITHOUT_TRACE:
        return None
    rows = tuple(rows_of(ours, theirs, alignment))
    return Sides(rows[:MOST_ROWS], max(0, len(rows) - MOST_ROWS)) if rows else None


def rows_of(ours: ExceptionChain, theirs: ExceptionChain, alignment: Alignment) -> Iterator[AlignedRow]:
    """Two normalised chains side by side, outermost exception first.

    Between exceptions that are aligned, those of one side stand beside those of the other while both have some.
    """
    after_a = after_b = 0
    for a, b in (*alignment.exceptions, (len(ours.exceptions), len(theirs.exceptions))):
        between = zip_longest(range(after_a, a), range(after_b, b))
        for i, j in between:
            yield from _unlike(ours, i, theirs, j)
        after_a, after_b = a + 1, b + 1
        if a == len(ours.exceptions):
            return
        yield AlignedRow(_headline(ours.exceptions[a]), _headline(theirs.exceptions[b]), True, (a, None), (b, None))  # noqa: FBT003
        for pair in alignment.frames:
            if (pair.exception_a, pair.exception_b) == (a, b):
                yield _frame_row((ours, a, pair.frame_a), (theirs, b, pair.frame_b))


def _unlike(ours: ExceptionChain, i: int | None, theirs: ExceptionChain, j: int | None) -> Iterator[AlignedRow]:
    """Exceptions that are not aligned, with their own frames; None where one side has no more of them."""
    heads = [None if at is None else _headline(chain.exceptions[at]) for chain, at in ((ours, i), (theirs, j))]
    yield AlignedRow(heads[0], heads[1], True, None if i is None else (i, None), None if j is None else (j, None))  # noqa: FBT003
    for a, b in _beside(_own_keys(ours, i), _own_keys(theirs, j)):
        yield _frame_row((ours, i, a), (theirs, j, b))


def _own_keys(chain: ExceptionChain, at: int | None) -> list[str]:
    if at is None:
        return []
    exception = chain.exceptions[at]
    frames = exception.stack.frames
    return [frame_key(frame) for frame in frames[: len(frames) - exception.elided][:MOST_FRAMES]]


def _frame_row(ours: FramePlace, theirs: FramePlace) -> AlignedRow:
    """A frame of each side; None for its number where that side has no counterpart."""
    (a, i, frame_a), (b, j, frame_b) = ours, theirs
    place_a = None if i is None or frame_a is None else (i, frame_a)
    place_b = None if j is None or frame_b is None else (j, frame_b)
    name_a = None if place_a is None else _frame(a, *place_a)
    name_b = None if place_b is None else _frame(b, *place_b)
    return AlignedRow(name_a, name_b, ours_at=place_a, theirs_at=place_b)


def rows_of_lines(ours: Sequence[str], theirs: Sequence[str]) -> Iterator[AlignedRow]:
    """Two lists of lines side by side, those that both have at one height."""
    for a, b in _beside(list(ours), list(theirs)):
        yield AlignedRow(None if a is None else ours[a], None if b is None else theirs[b])


def _beside(ours: list[str], theirs: list[str]) -> Iterator[tuple[int | None, int | None]]:
    """Which of one list stand beside which of the other: equal ones, in order; None beside what has no counterpart."""
    after_a = after_b = 0
    for a, b in (*common(ours, theirs), (len(ours), len(theirs))):
        yield from ((at, None) for at in range(after_a, a))
        yield from ((None, at) for at in range(after_b, b))
        if a < len(ours):
            yield a, b
        after_a, after_b = a + 1, b + 1


def _headline(raised: RaisedException) -> str:
    name = raised.type or "?"
    name = f"{name}({raised.wrapped_type})" if raised.wrapped_type else name
    return ": ".join(filter(None, (name, raised.message)))


def _frame(chain: ExceptionChain, exception: int, at: int | None) -> str | None:
    return None if at is None else frame_key(chain.exceptions[exception].stack.frames[at])
