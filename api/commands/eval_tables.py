"""The figures of `kb eval`, as one JSON document and as tables that fit 80 columns."""

from collections.abc import Mapping, Sequence
from math import floor
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from api.render.console import plain
from index.answer import Verdict
from index.evaluation.curves import (
    Bin,
    Point,
    ScoredQuery,
    at_wrong,
    calibration_error,
    curve,
    judged_of,
    point_of,
    reliability,
    svg,
)
from index.evaluation.labelled import CaseOutcome, Scores, by_group, confusion, scores
from index.evaluation.slices import FEW, OTHER, SAME, Slice, by_crossing, by_kind, by_lang, slice_of

_WRONG = (0.01, 0.02, 0.05, 0.1)
"""Shares of wrong answers for which the table shows the threshold."""
_WIDE, _HIGH = 60, 10
"""Columns and rows of the drawn curve."""
_CROSSING = {SAME: "same language", OTHER: "other language"}


def to_dict(outcomes: Sequence[CaseOutcome]) -> dict[str, Any]:
    """All figures as one JSON document."""
    matrix = confusion(outcomes)
    slices = {"kinds": by_kind(outcomes), "languages": by_lang(outcomes), "crossing": by_crossing(outcomes)}
    return {
        **_figures(scores(outcomes)),
        "confusion": {
            "answerable": {
                "known_right": matrix.known_right,
                "known_wrong": matrix.known_wrong,
                "cases": matrix.answerable,
            },
            "absent": {"known": matrix.known_absent, "cases": matrix.absent},
            "false_known": round(matrix.false_known, 4),
            "coverage": round(matrix.coverage, 4),
        },
        "groups": {name: _figures(found) for name, found in by_group(outcomes).items()},
        **{name: {one: _slice(found) for one, found in of.items()} for name, of in slices.items()},
        "curve": _curve(outcomes),
        "calibration": _calibration(outcomes),
    }


def _figures(group: Scores) -> dict[str, Any]:
    hits = {f"hit@{depth}": round(share, 4) for depth, share in group.hits.items()}
    verdicts = {verdict.value: count for verdict, count in group.verdicts.items()}
    shares = {"mrr": round(group.mrr, 4), "near_first": round(group.near_first, 4)}
    return {"cases": group.cases, "absent": group.absent, **hits, **shares, "verdicts": verdicts}


def _slice(part: Slice) -> dict[str, Any]:
    hits = {f"hit@{depth}": round(share, 4) for depth, share in part.scores.hits.items()}
    return {
        "cases": part.scores.cases,
        "absent": part.scores.absent,
        **hits,
        "hit@1_range": None if part.first is None else [round(end, 4) for end in part.first],
        "mrr": round(part.scores.mrr, 4),
        "known_right": part.confusion.known_right,
        "known_wrong": part.known_wrong,
    }


def _curve(outcomes: Sequence[CaseOutcome]) -> dict[str, Any]:
    points = curve(judged_of(outcomes))
    allowed = ((ceiling, at_wrong(points, ceiling)) for ceiling in _WRONG)
    return {
        "now": {**_point(_now(outcomes)), "threshold": None},
        "at_wrong": [{"ceiling": ceiling, "point": None if found is None else _point(found)} for ceiling, found in allowed],
        "points": [_point(point) for point in points],
    }  # fmt: skip


def _point(point: Point) -> dict[str, Any]:
    shares = {name: round(getattr(point, name), 4) for name in ("answered", "coverage", "precision", "false_known")}
    counts = {"known": point.called, "right": point.right, "wrong": _wrong(point), "wrong_absent": point.strangers}
    return {"threshold": _floored(point.threshold, 4), **counts, **shares}


def _wrong(point: Point) -> int:
    return point.called - point.right


def _floored(share: float, digits: int) -> float:
    """Rounded down: the question at the threshold stays above it."""
    scale = 10.0**digits
    return floor(share * scale) / scale


def _calibration(outcomes: Sequence[CaseOutcome]) -> dict[str, Any]:
    found = reliability(_matched(outcomes))
    bins = [
        {"from": one.low, "cases": one.count, "said": round(one.mean_probability, 4), "was": round(one.was, 4)}
        for one in found
    ]
    return {"error": round(calibration_error(found), 4), "cases": sum(one.count for one in found), "bins": bins}


def _matched(outcomes: Sequence[CaseOutcome]) -> list[ScoredQuery]:
    """Return the outcomes that have a match."""
    return [one for one in judged_of(outcomes) if one.probability > 0]


def _now(outcomes: Sequence[CaseOutcome]) -> Point:
    """Return precision and coverage at the thresholds in use; each kind of query has its own."""
    return point_of(judged_of([one for one in outcomes if one.verdict is Verdict.KNOWN]), judged_of(outcomes))


def print_outcomes(outcomes: Sequence[CaseOutcome], console: Console) -> None:
    """The figures by group, and what was called known; by kind and language; the curve; how far a probability holds."""
    _print_groups(outcomes, console)
    _print_slices(outcomes, console)
    points = curve(judged_of(outcomes))
    if points:
        _print_thresholds(points, _now(outcomes), console)
        _print_curve(points, console)
        _print_calibration(reliability(_matched(outcomes)), console)


def _print_groups(outcomes: Sequence[CaseOutcome], console: Console) -> None:
    table = _table("group", "cases", "hit@1", "hit@3", "hit@5", "MRR", "known", "related", "unknown")
    for name, found in {**by_group(outcomes), "all": scores(outcomes)}.items():
        measured = found.cases > found.absent
        shares = [*found.hits.values(), found.mrr]
        table.add_row(
            Text(plain(name), style="bold" if name == "all" else ""),
            str(found.cases),
            *(f"{share:.2f}" if measured else "–" for share in shares),
            *(str(count) for count in found.verdicts.values()),
        )
    console.print(table)
    matrix = confusion(outcomes)
    console.print(
        f"With an answer ({matrix.answerable}): {matrix.known_right} called known and right, {matrix.known_wrong} known but wrong."
    )
    console.print(f"Without one ({matrix.absent}): {matrix.known_absent} called known ({matrix.false_known:.1%}).")


def _print_slices(outcomes: Sequence[CaseOutcome], console: Console) -> None:
    console.print("\nBy kind of question, by language, and by language of the answer")
    table = _table("kind", "n", "no\nanswer", "hit@1", "95 %\nrange", "hit@3", "MRR", "known\nright", "known\nwrong")
    table.padding = (0, 1, 0, 0)  # nine columns in 80
    crossing = {_CROSSING[name]: found for name, found in by_crossing(outcomes).items()}
    parts: list[Mapping[str, Slice]] = [by_kind(outcomes), by_lang(outcomes), crossing, {"all": slice_of(outcomes)}]
    for part in parts:
        for name, found in part.items():
            table.add_row(Text(plain(name)), *_cells(found))
        table.add_section()
    console.print(table)
    small = [name for part in parts for name, found in part.items() if found.confusion.answerable < FEW]
    if small:
        named = "in all" if small[-1] == "all" else f"of {plain(', '.join(small))}"
        console.print(f"Fewer than {FEW} questions with an answer {named}: read the range, not the share.")


def _cells(part: Slice) -> list[str]:
    shares = ["–"] * 4
    if part.first is not None:
        first, third = part.scores.hits.values()
        low, high = part.first
        shares = [f"{first:.2f}", f"{low:.2f}–{high:.2f}", f"{third:.2f}", f"{part.scores.mrr:.2f}"]
    return [
        str(part.scores.cases),
        str(part.scores.absent),
        *shares,
        str(part.confusion.known_right),
        str(part.known_wrong),
    ]


def _print_thresholds(points: Sequence[Point], now: Point, console: Console) -> None:
    console.print("\nWhat could be called known, by the probability of the first match")
    table = _table("wrong answers", "from", "known", "right", "wrong", "wrong,\nno answer", "coverage")
    rows: list[tuple[str, Point | None]] = [(f"at most {share:.0%}", at_wrong(points, share)) for share in _WRONG]
    for name, point in [("as it is now", now), *rows]:
        cells = ["–"] * 6 if point is None else _counts(point)
        table.add_row(name, "–" if point is now else cells[0], *cells[1:])
    console.print(table)
    console.print("Coverage: of the questions with an answer, the share called known and right.")
    strictest, least = rows[0][1], round(1 / _WRONG[0])
    if strictest is None or strictest.called < least:
        console.print(f"Where fewer than {least} are called known, at most {_WRONG[0]:.0%} wrong means none.")


def _counts(point: Point) -> list[str]:
    counts = (point.called, point.right, _wrong(point), point.strangers)
    return [f"{_floored(point.threshold, 3):.3f}", *map(str, counts), f"{point.coverage:.0%}"]


def _print_curve(points: Sequence[Point], console: Console) -> None:
    """Across: coverage; up: the highest precision at which so much is covered."""
    highest = [
        max((p.precision for p in points if p.coverage >= (column + 1) / _WIDE), default=None)
        for column in range(_WIDE)
    ]
    lowest = 0.5 if all(share is None or share >= 0.5 for share in highest) else 0.0
    step = (1 - lowest) / _HIGH
    rows = [None if share is None else round((share - lowest) / step) for share in highest]
    console.print("\nPrecision (up) against coverage (across), with the best threshold for each")
    for row in range(_HIGH, -1, -1):
        label = f"{lowest + row * step:.0%}" if row % 2 == 0 else ""
        line = "".join("•" if found == row else " " for found in rows)
        console.print(f"{label:>5} ┤{line}".rstrip())
    console.print(f"{'':5} └{'─' * _WIDE}")
    console.print(f"{'':7}0%{'25%':>13}{'50%':>15}{'75%':>15}{'100%':>15}  coverage")


def _print_calibration(bins: Sequence[Bin], console: Console) -> None:
    console.print("\nWhat a probability says, and how often the first match was right")
    table = _table("probability", "n", "mean", "was right")
    for one in bins:
        table.add_row(
            f"{one.low:.1f}–{one.low + 0.1:.1f}", str(one.count), f"{one.mean_probability:.2f}", f"{one.was:.2f}"
        )
    console.print(table)
    console.print(f"Expected calibration error: {calibration_error(bins):.3f} (of {sum(one.count for one in bins)}).")


def drawn(outcomes: Sequence[CaseOutcome]) -> str:
    """The curve and the probabilities as an SVG."""
    judged = judged_of(outcomes)
    title = f"{len(judged)} questions; the red dot: what is called known now"
    return svg(curve(judged), _now(outcomes), reliability(_matched(outcomes)), title)


def _table(first: str, *others: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    table.add_column(first)
    for heading in others:
        table.add_column(heading, justify="right")
    return table
