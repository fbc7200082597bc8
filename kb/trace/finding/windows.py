"""The lines around a telling line, taken out of what they stand in and sorted by where they came from."""

from collections.abc import Iterator
from dataclasses import dataclass

from kb.trace.finding.envelopes import envelopes_of
from kb.trace.finding.opened import MappedPiece, MappedText
from kb.trace.finding.takers import Unwrapper

_ABOVE = 12
"""Lines above a telling line that may hold a trace's head."""
LINES_BELOW = 6
"""Lines below it that may tell what it stands in."""
_LONGEST_ABOVE = 4_000  # characters; a longer line ends the look back, so the work stays bounded
FIRST_LINES = 256
"""Lines of the first window; a trace that reaches its end asks for a larger one."""
MOST_LINES = 65_536
_OTHERS = "\0"  # the source of lines that stand in no envelope where all others do
_TAIL = 40
"""Lines at the end of a window in which a trace may have begun that goes on behind it."""


@dataclass(frozen=True, slots=True)
class Window:
    """Some lines of a text, opened."""

    sources: tuple[MappedText, ...]
    """The lines of each pod, process or thread apart: where they were printed at once, they stand mixed."""
    tail: int
    """Where in the given text its last lines begin; what ends before is read whole."""
    is_last: bool
    """Whether the text ends here, so that nothing goes on behind it."""


def envelopes_at(text: str, begin: int, end: int, floor: int) -> Iterator[Unwrapper]:
    """How the lines around the one from ``begin`` to ``end`` may be opened; none for plain ones."""
    below = list(_below(text, end, LINES_BELOW))
    near = text[begin : below[-1][1] if below else end]
    return envelopes_of(
        text[begin:end],
        near,
        [text[first:last] for first, last in _above(text, begin, floor, 3)],
        [text[first:last] for first, last in below],
    )


def window(taker: Unwrapper, text: str, begin: int, floor: int, count: int) -> Window:
    """``count`` lines from ``begin`` on and some above it, opened. What the taker does not know stays with the line before."""
    sources: dict[str, MappedText] = {}
    key, is_unknown, tails = "", True, [begin]
    above = [*_above(text, begin, floor, _ABOVE)][::-1]
    places = [*above, *_below(text, begin - 1, count)]
    for number, (first, last) in enumerate(places):
        taken = taker.take(text[first:last], first)
        if taken is None:
            if taker.is_on_every_line and not sources and number < len(above):
                continue
            other = _OTHERS if taker.is_on_every_line else key
            taken = (other, [MappedPiece(text[first:last] + "\n", first, last)])
        else:
            key = taken[0]
            if is_unknown and sources:  # whose the lines before it are was not known yet
                sources = {key: next(iter(sources.values()))}
            is_unknown = False
        opened = sources.setdefault(taken[0], MappedText())
        for piece in taken[1]:
            opened.add(piece)
        tails.append(first)
    return Window(tuple(sources.values()), max(tails[-min(_TAIL, len(tails))], begin), places[-1][1] >= len(text))


def _above(text: str, begin: int, floor: int, count: int) -> Iterator[tuple[int, int]]:
    """The lines before a place, nearest first."""
    end = begin - 1
    for _ in range(count):
        if end <= floor:
            return
        start = text.rfind("\n", max(floor, end - _LONGEST_ABOVE), end) + 1
        if start == 0:
            if end - floor > _LONGEST_ABOVE:
                return
            start = floor
        yield start, end
        end = start - 1


def _below(text: str, end: int, count: int) -> Iterator[tuple[int, int]]:
    """The lines behind a place where a line ends."""
    for _ in range(count):
        start = end + 1
        if start > len(text):
            return
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield start, end
