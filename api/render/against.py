"""Why two pastes have different fingerprints: their nearest traces side by side, the first difference, each level's verdict."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from api.render.sides import MOST_ROWS, AlignedRow, rows_of
from kb.redact import redact
from kb.trace import ExceptionChain, Fingerprint, Level, RaisedException, align, fingerprints, normalize, parse

MOST_TRACES = 24
"""Distinct traces of one paste that are compared with those of the other; a log with more repeats itself."""

_WORTH = {Level.EXACT: 4, Level.ROOT_CAUSE: 2, Level.LOOSE: 1}


@dataclass(frozen=True, slots=True)
class LevelComparison:
    """One level: whether the fingerprints are equal, and the first part of the two bases that is not."""

    level: Level
    equal: bool
    ours: str | None
    theirs: str | None
    """None where that basis has ended already, or where all is equal."""


@dataclass(frozen=True, slots=True)
class FirstDifference:
    """The first thing that differs, outermost exception first, raise point first."""

    what: str
    """``exception`` (one side lacks it), ``type``, ``message template``, ``frame`` or ``relation`` (how exceptions hang together)."""
    exception: tuple[int | None, int | None]
    """Which exception of each trace, counted from one; None where that side has no counterpart."""
    frame: tuple[int | None, int | None]
    """Which of its frames, counted from one; None where it is no frame, or where that side has no counterpart."""
    ours: str | None
    theirs: str | None


@dataclass(frozen=True, slots=True)
class PastedTrace:
    """The trace of one paste that is compared."""

    traces: int
    chosen: int
    """Counted from one."""
    line: int
    """Where it begins in the paste, counted from one."""
    chain: ExceptionChain
    """Normalised."""
    prints: Mapping[Level, Fingerprint]


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two pastes compared by the pair of their traces that agrees best."""

    ours: PastedTrace
    theirs: PastedTrace
    levels: tuple[LevelComparison, ...]
    difference: FirstDifference | None
    """None when the traces are equal at every level."""
    rows: tuple[AlignedRow, ...]


def compare(ours: str, theirs: str) -> Comparison | None:
    """The comparison of two pastes, secrets out; None when one of them has no trace (`count_traces` says which)."""
    a, b = _sides(ours), _sides(theirs)
    if not a or not b:
        return None
    one, other = max(
        ((x, y) for x in a for y in b), key=lambda pair: (*_agreement(*pair), -pair[0].chosen, -pair[1].chosen)
    )
    rows = tuple(rows_of(one.chain, other.chain, align(one.chain, other.chain)))
    levels = tuple(_judged(level, one.prints[level], other.prints[level]) for level in Level)
    return Comparison(one, other, levels, _difference(one, other, rows, levels), rows)


def count_traces(text: str) -> int:
    """How many traces are found in a text."""
    return len(parse(redact(text).text))


def _sides(text: str) -> list[PastedTrace]:
    redacted = redact(text).text
    chains = parse(redacted)
    sides: dict[str, PastedTrace] = {}
    for at, chain in enumerate(chains, start=1):
        prints = fingerprints(chain)
        if len(sides) < MOST_TRACES and prints[Level.EXACT].digest not in sides:
            line = redacted.count("\n", 0, chain.span[0]) + 1
            sides[prints[Level.EXACT].digest] = PastedTrace(len(chains), at, line, normalize(chain), prints)
    return list(sides.values())


def _agreement(a: PastedTrace, b: PastedTrace) -> tuple[int, int, int]:
    """Levels that are equal, shared frames, shared types: what makes two traces a pair."""
    levels = sum(_WORTH[level] for level in Level if a.prints[level].digest == b.prints[level].digest)
    if levels == sum(_WORTH.values()):
        return levels, 0, 0
    alignment = align(a.chain, b.chain)
    types = sum(a.chain.exceptions[i].type == b.chain.exceptions[j].type for i, j in alignment.exceptions)
    return levels, sum(pair.is_match for pair in alignment.frames), types


def _judged(level: Level, a: Fingerprint, b: Fingerprint) -> LevelComparison:
    """The verdict on one level, with the first lines of the bases that differ."""
    if a.digest == b.digest:
        return LevelComparison(level, equal=True, ours=None, theirs=None)
    longest = max(len(a.basis), len(b.basis))
    both = zip(_padded(a.basis, longest), _padded(b.basis, longest), strict=True)
    ours, theirs = next((pair for pair in both if pair[0] != pair[1]), (None, None))
    return LevelComparison(level, equal=False, ours=ours and ours.strip(), theirs=theirs and theirs.strip())


def _padded(basis: Sequence[str], length: int) -> list[str | None]:
    return [*basis, *[None] * (length - len(basis))]


def _difference(
    a: PastedTrace, b: PastedTrace, rows: Sequence[AlignedRow], levels: Sequence[LevelComparison]
) -> FirstDifference | None:
    exact = levels[0]
    if exact.equal:
        return None
    for row, following in pairwise((*rows, AlignedRow(None, None))):
        if row.agreement == "differs":
            return _of_exceptions(a, b, row)
        if row.agreement == "one":
            return _of_one(row, following)
    return FirstDifference("relation", (None, None), (None, None), exact.ours, exact.theirs)


def _of_exceptions(a: PastedTrace, b: PastedTrace, row: AlignedRow) -> FirstDifference:
    """Two heads that differ, in type or only in what they say. Frames that differ stand in rows of their own."""
    assert row.ours_at is not None
    assert row.theirs_at is not None
    i, j = row.ours_at[0], row.theirs_at[0]
    one, other = a.chain.exceptions[i], b.chain.exceptions[j]
    is_type = _types(one) != _types(other)
    shown = (_types(one), _types(other)) if is_type else (one.message, other.message)
    return FirstDifference("type" if is_type else "message template", (i + 1, j + 1), (None, None), *shown)


def _types(raised: RaisedException) -> str | None:
    return f"{raised.type}({raised.wrapped_type})" if raised.wrapped_type else raised.type


def _of_one(row: AlignedRow, following: AlignedRow) -> FirstDifference:
    """What one side lacks; where the other has something else at the same height, both."""
    if row.ours is not None and following.ours is None and following.is_exception == row.is_exception:
        row = AlignedRow(row.ours, following.theirs, row.is_exception, row.ours_at, following.theirs_at)
    ours, theirs = row.ours_at or (None, None), row.theirs_at or (None, None)
    counted = [(None if place is None else place + 1) for place in (ours[0], theirs[0], ours[1], theirs[1])]
    what = "exception" if row.is_exception else "frame"
    return FirstDifference(what, (counted[0], counted[1]), (counted[2], counted[3]), row.ours, row.theirs)


def to_dict(comparison: Comparison) -> dict[str, Any]:
    """The comparison as one JSON document."""
    rows = comparison.rows[:MOST_ROWS]
    return {
        "a": _side(comparison.ours),
        "b": _side(comparison.theirs),
        "equal": all(judged.equal for judged in comparison.levels),
        "levels": {
            judged.level.value: {
                "equal": judged.equal,
                "a": comparison.ours.prints[judged.level].digest,
                "b": comparison.theirs.prints[judged.level].digest,
                "first_difference": None if judged.equal else {"a": judged.ours, "b": judged.theirs},
            }
            for judged in comparison.levels
        },
        "first_difference": _difference_to_json(comparison.difference),
        "rows": [
            {"a": row.ours, "b": row.theirs, "agreement": row.agreement, "exception": row.is_exception} for row in rows
        ],
        "rows_left_out": len(comparison.rows) - len(rows),
    }


def _difference_to_json(difference: FirstDifference | None) -> dict[str, Any] | None:
    if difference is None:
        return None
    texts = (difference.ours, difference.theirs)
    sides = zip("ab", difference.exception, difference.frame, texts, strict=True)
    return {"what": difference.what} | {
        name: {"exception": exception, "frame": frame, "text": text} for name, exception, frame, text in sides
    }


def _side(side: PastedTrace) -> dict[str, Any]:
    return {"traces": side.traces, "trace": side.chosen, "line": side.line, "runtime": side.chain.runtime}
