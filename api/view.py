"""What the answer page shows: the answer, the paste with its matching lines marked, and the frames side by side."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from api.sides import Sides, shared_places, side_by_side
from index import Engine
from index.answer import Answer, Verdict

CONTEXT = 2
"""Lines shown around a marked one."""
SMALLEST_GAP = 3
"""Fewer lines than this between two shown ones are shown too: saying that they are left out takes as much room."""
MOST_LINES = 400
LONGEST_LINE = 1_000

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Part:
    """A piece of a line."""

    text: str
    marked: bool = False


@dataclass(frozen=True, slots=True)
class Line:
    """A line of the paste, or (``gap`` > 0) how many were left out here."""

    number: int
    parts: tuple[Part, ...] = ()
    gap: int = 0

    @property
    def is_marked(self) -> bool:
        """Whether any of it agrees with the match."""
        return any(part.marked for part in self.parts)


def merge(spans: Iterable[Span], length: int) -> list[Span]:
    """The same stretches in order, none empty, none overlapping, all inside the text."""
    merged: list[Span] = []
    for start, end in sorted((max(0, start), min(length, end)) for start, end in spans):
        if start >= end:
            continue
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((start, end))
    return merged


def mark_lines(text: str, spans: Iterable[Span]) -> tuple[Line, ...]:
    """The lines that ``spans`` touch with their surroundings, the rest as counted gaps; () when nothing is marked."""
    marked = merge(spans, len(text))
    if not marked:
        return ()
    starts = [0]
    for line in text.split("\n"):
        starts.append(starts[-1] + len(line) + 1)
    last = len(starts) - 2
    wanted: list[int] = []
    for start, end in marked:
        first = max(0, bisect_right(starts, start) - 1 - CONTEXT)
        final = min(last, bisect_right(starts, end - 1) - 1 + CONTEXT)
        shown_to = wanted[-1] if wanted else -1
        wanted += range(shown_to + 1 if first - shown_to <= SMALLEST_GAP else first, final + 1)
        if len(wanted) > MOST_LINES:
            break
    if last - wanted[-1] < SMALLEST_GAP:
        wanted += range(wanted[-1] + 1, last + 1)
    shown = wanted[:MOST_LINES]
    lines: list[Line] = []
    for before, at in pairwise([-1, *shown]):
        if at - before > 1:
            lines.append(Line(before + 2, gap=at - before - 1))
        lines.append(Line(at + 1, tuple(_parts(text, starts[at], starts[at + 1] - 1, marked))))
    if shown[-1] < last:
        lines.append(Line(shown[-1] + 2, gap=last - shown[-1]))
    return tuple(lines)


def _parts(text: str, start: int, end: int, marked: Sequence[Span]) -> Iterable[Part]:
    end = min(end, start + LONGEST_LINE)
    at = start
    place = max(0, bisect_right(marked, (start, start)) - 1)
    for first, final in marked[place:]:
        if first >= end:
            break
        if final <= at:
            continue
        if first > at:
            yield Part(text[at:first])
        yield Part(text[max(at, first) : min(end, final)], marked=True)
        at = min(end, final)
    if at < end:
        yield Part(text[at:end])


@dataclass(frozen=True, slots=True)
class Found:
    """An answer with what is shown beside its best match."""

    answer: Answer
    paste: tuple[Line, ...] = ()
    side: Sides | None = None


def find(engine: Engine, text: str, k: int) -> Found:
    """The answer to a paste, and why its best match is one. An unknown problem has no best match."""
    answer = engine.search(text, k)
    if not answer.matches or answer.verdict is Verdict.UNKNOWN:
        return Found(answer)
    best = answer.matches[0].incident.id
    spans = sorted({item.query_at for item in answer.matches[0].evidence if item.query_at})
    places: list[Span] = []
    side = None
    for start, end in spans:  # one: the trace that agreed; explaining it alone spares the rest of a long log
        if explanation := engine.explain(text[start:end], best):
            places += shared_places(text, explanation, (start, end))
            side = side or side_by_side(explanation)
    return Found(answer, mark_lines(text, places or spans), side)
