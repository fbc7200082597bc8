"""The measure of finding duplicates: reports in time order, each one a question put to those before it.

As FaST (Rodrigues et al., MSR 2022) and TraceSim (2020) measure: reports are collapsed to bugs, the best report stands for its bug.
RR@k (is the right bug among the first k) and MRR are of the questions whose bug was reported before; ties count as the expectation
under random order, and a bug that was not listed is not found. AUC is of all questions: does the score of the best candidate tell
those whose bug was reported before from those whose bug is new.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from sklearn.metrics import roc_auc_score

Array = npt.NDArray[np.float64]

DEPTHS = (1, 5, 10)
NAMES = (*(f"rr_at_{depth}" for depth in DEPTHS), "mrr", "auc")
NOTHING = -1e9
"""The score of the best candidate where there is none."""


@dataclass(frozen=True, slots=True)
class QuestionOutcome:
    """What one question gave."""

    is_duplicate: bool
    """Its bug was reported before."""
    score: float
    """Of the best candidate."""
    hits: tuple[float, ...] = (0.0,) * len(DEPTHS)
    """How likely the right bug is among the first DEPTHS."""
    reciprocal: float = 0.0
    """The expectation of 1 / rank."""


@dataclass(frozen=True, slots=True)
class Interval:
    """A figure with the range that 95 of 100 draws of the questions fall in."""

    value: float
    low: float
    high: float


def outcome(scores: Mapping[str, float], bug: str, *, is_duplicate: bool) -> QuestionOutcome:
    """The outcome of a question about ``bug``, given the best score of each bug that was listed."""
    best = max(scores.values(), default=NOTHING)
    if not is_duplicate or bug not in scores:
        return QuestionOutcome(is_duplicate, best)
    right = scores[bug]
    above = sum(score > right for score in scores.values())
    tied = sum(score == right for score in scores.values())
    hits = tuple(min(max(depth - above, 0), tied) / tied for depth in DEPTHS)
    return QuestionOutcome(
        is_duplicate, best, hits, sum(1.0 / rank for rank in range(above + 1, above + tied + 1)) / tied
    )


def collapsed(bugs: Sequence[str], scores: Sequence[float]) -> dict[str, float]:
    """Bug → the best score of its reports."""
    best: dict[str, float] = {}
    for bug, score in zip(bugs, scores, strict=True):
        best[bug] = max(score, best.get(bug, NOTHING))
    return best


def figures(outcomes: Sequence[QuestionOutcome]) -> dict[str, float]:
    """The figures by NAMES."""
    return dict(zip(NAMES, _figures(_table(outcomes)).tolist(), strict=True))


def intervals(outcomes: Sequence[QuestionOutcome], seed: int = 1, draws: int = 1000) -> dict[str, Interval]:
    """The figures with their bootstrap intervals (percentiles; questions drawn with replacement)."""
    return _intervals([_table(outcomes)], seed, draws)


def lead(
    ours: Sequence[QuestionOutcome], theirs: Sequence[QuestionOutcome], seed: int = 1, draws: int = 1000
) -> dict[str, Interval]:
    """How far one method is ahead of another on the same questions; each draw takes the same questions of both."""
    return _intervals([_table(ours), _table(theirs)], seed, draws)


def _intervals(tables: Sequence[Array], seed: int, draws: int) -> dict[str, Interval]:
    chance = np.random.default_rng(seed)
    count = len(tables[0])
    whole = _lead(tables)
    drawn = np.array([_lead([table[pick] for table in tables]) for pick in chance.integers(count, size=(draws, count))])
    low, high = np.nanpercentile(drawn, (2.5, 97.5), axis=0)
    return {n: Interval(float(whole[i]), float(low[i]), float(high[i])) for i, n in enumerate(NAMES)}


def _lead(tables: Sequence[Array]) -> Array:
    found = _figures(tables[0])
    return found if len(tables) == 1 else found - _figures(tables[1])


def _table(outcomes: Sequence[QuestionOutcome]) -> Array:
    """One row a question: hits, reciprocal, score, whether it is a duplicate."""
    return np.array([(*o.hits, o.reciprocal, o.score, o.is_duplicate) for o in outcomes], dtype=np.float64)


def _figures(table: Array) -> Array:
    known = table[:, -1] > 0
    found = table[known, :-2].mean(axis=0) if known.any() else np.full(len(DEPTHS) + 1, np.nan)
    auc = roc_auc_score(known, table[:, -2]) if known.any() and not known.all() else np.nan
    return np.append(found, auc)
