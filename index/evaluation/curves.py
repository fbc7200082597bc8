"""Precision against coverage, reliability against confidence: as numbers, and drawn as an SVG without a plotting library.

A *judged* query is one first match: its probability, whether it is right, and whether anything known answers the query at all.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from html import escape
from itertools import groupby

import numpy as np

from index.evaluation.labelled import CaseOutcome

_WIDTH, _HEIGHT, _MARGIN = 420, 320, 48


@dataclass(frozen=True, slots=True)
class ScoredQuery:
    """The first match of one query."""

    probability: float
    """0 where there is no match."""
    right: bool
    answerable: bool


@dataclass(frozen=True, slots=True)
class Point:
    """What is called known from one threshold on; ``right``, ``mistaken`` and ``strangers`` add up to all of it."""

    threshold: float
    right: int
    """How many first matches are right."""
    mistaken: int
    """How many are wrong, of queries that another incident answers."""
    strangers: int
    """How many queries without an answer have one."""
    answerable: int
    """How many queries there are that something answers, called known or not."""
    absent: int
    """How many there are that nothing answers."""

    @property
    def called(self) -> int:
        """How many queries are called known."""
        return self.right + self.mistaken + self.strangers

    @property
    def answered(self) -> float:
        """Share of all queries that are called known."""
        return self.called / ((self.answerable + self.absent) or 1)

    @property
    def coverage(self) -> float:
        """Share of the answerable queries that are called known and right."""
        return self.right / (self.answerable or 1)

    @property
    def precision(self) -> float:
        """Share of what is called known that is right; 1 where nothing is."""
        return self.right / self.called if self.called else 1.0

    @property
    def false_known(self) -> float:
        """Share of the queries without an answer that are called known."""
        return self.strangers / (self.absent or 1)


@dataclass(frozen=True, slots=True)
class Bin:
    """Queries of about equal probability."""

    low: float
    """The least probability of the bin."""
    count: int
    mean_probability: float
    """Mean probability."""
    was: float
    """Share that was right."""


def judged_of(outcomes: Iterable[CaseOutcome]) -> list[ScoredQuery]:
    """The first matches of labelled questions."""
    return [ScoredQuery(one.probability, one.rank == 1, not one.absent) for one in outcomes]


def curve(judged: Sequence[ScoredQuery]) -> list[Point]:
    """A point for each distinct probability, from the strictest threshold to the loosest. A query without a match is in none."""
    points: list[Point] = []
    point = point_of((), judged)
    for likely, alike in groupby(sorted(judged, key=_doubt), _doubt):
        if likely < 0:
            more = point_of(list(alike), ())
            point = replace(
                point,
                threshold=more.threshold,
                right=point.right + more.right,
                mistaken=point.mistaken + more.mistaken,
                strangers=point.strangers + more.strangers,
            )
            points.append(point)
    return points


def _doubt(one: ScoredQuery) -> float:
    return -one.probability


def point_of(called: Sequence[ScoredQuery], judged: Sequence[ScoredQuery]) -> Point:
    """The point at which some queries of all are called known; its threshold is the least of their probabilities."""
    answerable = sum(one.answerable for one in judged)
    right = sum(one.right for one in called)
    strangers = sum(not one.answerable for one in called)
    return Point(
        threshold=min((one.probability for one in called), default=1.0),
        right=right,
        mistaken=len(called) - right - strangers,
        strangers=strangers,
        answerable=answerable,
        absent=len(judged) - answerable,
    )


def at_false_known(points: Sequence[Point], ceiling: float) -> Point:
    """The loosest threshold that calls at most so many strangers known; the strictest one where none does."""
    allowed = [point for point in points if point.false_known <= ceiling]
    return allowed[-1] if allowed else points[0]


def at_wrong(points: Sequence[Point], ceiling: float) -> Point | None:
    """The loosest threshold with at most such a share of wrong answers among those given; None where the most probable one is wrong."""
    allowed = [point for point in points if point.called - point.right <= ceiling * point.called]
    return allowed[-1] if allowed else None


def reliability(judged: Sequence[ScoredQuery], bins: int = 10) -> list[Bin]:
    """Bins of equal width that hold a query, by rising probability."""
    likely = np.array([one.probability for one in judged])
    right = np.array([one.right for one in judged])
    places = np.minimum((likely * bins).astype(int), bins - 1)
    return [
        Bin(place / bins, int(here.sum()), float(likely[here].mean()), float(right[here].mean()))
        for place in range(bins)
        if (here := places == place).any()
    ]


def calibration_error(found: Sequence[Bin]) -> float:
    """Expected calibration error (Naeini, Cooper and Hauskrecht 2015): mean distance of said and was, by count."""
    return sum(one.count * abs(one.mean_probability - one.was) for one in found) / (
        sum(one.count for one in found) or 1
    )


def svg(points: Sequence[Point], known: Point, found: Sequence[Bin], title: str) -> str:
    """Two panels: precision against coverage with the threshold in use, and the reliability diagram."""
    curve_panel = _panel(0, "coverage of what is there", "precision of known", 0.5) + _line(
        [(_x(0, point.coverage), _y(point.precision, 0.5)) for point in points if point.precision >= 0.5]
    )
    curve_panel += _dot(_x(0, known.coverage), _y(max(known.precision, 0.5), 0.5), 4)
    right = _WIDTH
    diagram = _panel(right, "probability said", "share that was right", 0.0)
    diagram += (
        f'<line x1="{_x(right, 0):.1f}" y1="{_y(0):.1f}" x2="{_x(right, 1):.1f}" y2="{_y(1):.1f}" stroke="#bbb"/>'
    )
    most = max((one.count for one in found), default=1)
    for one in found:
        diagram += _dot(_x(right, one.mean_probability), _y(one.was), 3 + 7 * (one.count / most) ** 0.5)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {2 * _WIDTH} {_HEIGHT + 24}" font-family="sans-serif" font-size="12">'
        f'<rect width="100%" height="100%" fill="#fff"/><text x="{_MARGIN}" y="20" font-size="14">{escape(title)}</text>'
        f"{curve_panel}{diagram}</svg>\n"
    )


def _x(left: int, share: float) -> float:
    return left + _MARGIN + share * (_WIDTH - 2 * _MARGIN)


def _y(share: float, floor: float = 0.0) -> float:
    return 24 + _HEIGHT - _MARGIN - (share - floor) / (1 - floor) * (_HEIGHT - 2 * _MARGIN)


def _panel(left: int, below: str, beside: str, floor: float) -> str:
    wide, high, low = _WIDTH - 2 * _MARGIN, _HEIGHT - 2 * _MARGIN, _y(0)
    frame = f'<rect x="{_x(left, 0):.1f}" y="{_y(1):.1f}" width="{wide}" height="{high}" fill="none" stroke="#888"/>'
    turned = f"rotate(-90 {left + 14} {_y(0.5):.1f})"
    names = _text(_x(left, 0.5), low + 34, below) + _text(left + 14, _y(0.5), beside, turned)
    ticks = (0.0, 0.25, 0.5, 0.75, 1.0)
    across = "".join(_text(_x(left, tick), low + 16, f"{tick:.2f}") for tick in ticks)
    up = "".join(_text(_x(left, 0) - 18, _y(tick) + 4, f"{floor + tick * (1 - floor):.2f}") for tick in ticks)
    return frame + names + across + up


def _text(x: float, y: float, label: str, turned: str = "") -> str:
    turn = f' transform="{turned}"' if turned else ""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="middle"{turn}>{escape(label)}</text>'


def _line(places: Sequence[tuple[float, float]]) -> str:
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    return f'<polyline points="{path}" fill="none" stroke="#1f6feb" stroke-width="1.5"/>'


def _dot(x: float, y: float, radius: float) -> str:
    return f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{radius:.1f}" fill="#d1242f" fill-opacity="0.7"/>'
