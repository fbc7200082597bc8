"""What the answer page shows: the answer, the paste with its matching lines marked, and the frames side by side."""

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

from api.render.sides import Sides, sides_of
from index import Engine
from index.answer import Answer, Problem, Verdict
from index.reading import Reading
from kb.trace import align

CONTEXT = 2
"""Lines shown around a marked one."""
SMALLEST_GAP = 3
"""Fewer lines than this between two shown ones are shown too: saying that they are left out takes as much room."""
MOST_LINES = 400
LONGEST_LINE = 1_000
FEW_LINES = 8
"""Lines shown of each of several problems: its head says most."""

Span = tuple[int, int]


@dataclass(frozen=True, slots=True)
class LinePart:
    """A piece of a line."""

    text: str
    marked: bool = False


@dataclass(frozen=True, slots=True)
class PasteLine:
    """A line of the paste, or (``gap`` > 0) how many were left out here."""

    number: int
    parts: tuple[LinePart, ...] = ()
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


def mark_lines(text: str, spans: Iterable[Span]) -> tuple[PasteLine, ...]:
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
    lines: list[PasteLine] = []
    for before, at in pairwise([-1, *shown]):
        if at - before > 1:
            lines.append(PasteLine(before + 2, gap=at - before - 1))
        lines.append(PasteLine(at + 1, tuple(_parts(text, starts[at], starts[at + 1] - 1, marked))))
    if shown[-1] < last:
        lines.append(PasteLine(shown[-1] + 2, gap=last - shown[-1]))
    return tuple(lines)


def _parts(text: str, start: int, end: int, marked: Sequence[Span]) -> Iterable[LinePart]:
    end = min(end, start + LONGEST_LINE)
    at = start
    place = max(0, bisect_right(marked, (start, start)) - 1)
    for first, final in marked[place:]:
        if first >= end:
            break
        if final <= at:
            continue
        if first > at:
            yield LinePart(text[at:first])
        yield LinePart(text[max(at, first) : min(end, final)], marked=True)
        at = min(end, final)
    if at < end:
        yield LinePart(text[at:end])


@dataclass(frozen=True, slots=True)
class Placed:
    """One of several problems, and its lines in the paste."""

    problem: Problem
    first: int
    last: int
    """Line numbers, from 1."""
    lines: tuple[PasteLine, ...]


@dataclass(frozen=True, slots=True)
class AnswerView:
    """An answer with what is shown beside its best match."""

    answer: Answer
    paste: tuple[PasteLine, ...] = ()
    side: Sides | None = None
    problems: tuple[Placed, ...] = ()
    """All problems of a text that has several, in the order of the answer; else none."""


def find(engine: Engine, text: str, k: int, lang: str | None = None) -> tuple[Reading, AnswerView]:
    """The reading of a paste and the answer to it in a language (None: that of the paste), with why its best match is one. An unknown problem has no best match."""
    reading, answer = engine.searched(text, k, lang=lang)
    several = len(answer.problems) > 1
    placed = tuple(_placed(reading.text, problem) for problem in answer.problems) if several else ()
    if not answer.matches or answer.verdict is Verdict.UNKNOWN:
        return reading, AnswerView(answer, problems=placed)
    best = answer.matches[0]
    spans = [span for piece in best.evidence for span in piece.query_spans]
    side = None
    if best.traces is not None:
        ours, theirs = reading.traces[best.traces[0]].normalised, best.incident.chains[best.traces[1]]
        side = sides_of(ours, theirs, align(ours, theirs))
    return reading, AnswerView(answer, mark_lines(reading.text, spans), side, placed)


def line_at(text: str, offset: int) -> int:
    """The number of a line, from 1."""
    return text.count("\n", 0, offset) + 1


def _placed(text: str, problem: Problem) -> Placed:
    start, end = problem.span
    part = text[start:end].rstrip()
    lines, first = part.split("\n"), line_at(text, start)
    shown = [PasteLine(first + at, (LinePart(line[:LONGEST_LINE]),)) for at, line in enumerate(lines[:FEW_LINES])]
    if len(lines) > FEW_LINES:
        shown.append(PasteLine(first + FEW_LINES, gap=len(lines) - FEW_LINES))
    return Placed(problem, first, first + len(lines) - 1, tuple(shown))
