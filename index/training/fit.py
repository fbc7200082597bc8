"""Fitting the ranker: non-negative weights for order, then one monotone map for probability, then thresholds by count.

Order: multinomial logistic regression over each query's candidates and one more choice, "none of them" (score 0), which is
right for queries whose incident was left out. Weights are bounded below by 0, so the result is monotone.
Probability: Platt's line (1999) on the best candidate of each query, folded into weights and bias, and beta calibration (Kull et al., 2017)
over it and over its lead, on queries that the weights did not learn.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from hashlib import sha256

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize  # type: ignore[import-untyped]

from index.ranking.rank import BetaCalibration, lead_over, most_lead

Array = npt.NDArray[np.float64]

NO_PAIRS = np.empty((0, 2), dtype=np.int64)
RIDGE = 0.0002
"""Pull of the weights towards 0, per query: keeps features that say the same from splitting wildly."""
DIGITS = 4
"""Of weights and thresholds, as they are written."""
_CONSTANT = 1e-9
LEAST_SLOPE = 0.05
"""More agreement always counts for something."""
LEAST_ABOVE = 0.3
"""So does it above even odds. The fit alone ends near 0.1 there: near-misses have the highest sums too. On questions that neither weights nor map learned the log
loss is .4573 with a bound of .05, .4565 with this one, .4589 with .5 (part train, 2026-11-30; decision 149)."""


@dataclass(frozen=True, slots=True)
class TrainingCase:
    """One query: the features of its candidates, which of them are right, and how much the query counts."""

    features: Array
    """Shape (candidates, features)."""
    right: npt.NDArray[np.bool_]
    """Shape (candidates,); none when the incident was left out or not found."""
    weight: float = 1.0
    group: str = ""
    foreign: bool = False
    """Its kind has another share of answered queries than pastes have: it teaches the weights, with a bias of its own."""
    problem: str = ""
    """What a real question is about: questions about one problem are in one fold."""
    no_rivals: npt.NDArray[np.int64] = field(default_factory=NO_PAIRS.copy)
    """Pairs of candidates of which the second is no rival of the first (`index.ranking.groups.is_rival`), by their places."""


def fold_of(case: TrainingCase, folds: int) -> int:
    """The fold of its problem, the same in every run."""
    return sha256(case.problem.encode("utf-8", "replace")).digest()[0] % folds


def fit_order(
    cases: Sequence[TrainingCase], names: Sequence[str], free: Sequence[str] = ("silent",)
) -> tuple[float, Array]:
    """(bias, weights), every weight at least 0 but those of ``free``. The bias of foreign cases is fitted beside it and dropped.

    Columns are scaled to unit variance while they are fitted; the ridge is on the weights as they are given back.
    """
    cases = [case for case in cases if len(case.features)]
    foreign = np.repeat([float(case.foreign) for case in cases], [len(case.features) for case in cases])
    whole = np.column_stack([np.vstack([case.features for case in cases]), foreign])
    scale = whole.std(axis=0)
    scale[scale < _CONSTANT] = 1.0  # a column that says nothing: a weight of 0, which the ridge finds
    whole /= scale
    starts = np.cumsum([0, *(len(case.features) for case in cases)])[:-1]
    owner = np.repeat(np.arange(len(cases)), [len(case.features) for case in cases])
    right = np.concatenate([case.right for case in cases]).astype(np.float64)
    unanswered = np.array([float(not case.right.any()) for case in cases])
    weight = np.array([case.weight for case in cases])
    weight /= weight.sum()
    ridge = np.r_[np.full(len(names), RIDGE), 0.0] / scale**2

    def loss(theta: Array) -> tuple[float, Array]:
        score = theta[0] + whole @ theta[1:]
        top = np.maximum(np.maximum.reduceat(score, starts), 0.0)
        powers, none = np.exp(score - top[owner]), np.exp(-top)
        everything = np.bincount(owner, powers, len(cases)) + none
        good = np.maximum(np.bincount(owner, powers * right, len(cases)) + none * unanswered, 1e-300)
        share = (powers / everything[owner] - powers * right / good[owner]) * weight[owner]
        slope = np.concatenate([[share.sum()], whole.T @ share])
        slope[1:] += 2.0 * ridge * theta[1:]
        return float(weight @ (np.log(everything) - np.log(good)) + ridge @ theta[1:] ** 2), slope

    bounds = [(None, None), *[(None if name in free else 0.0, None) for name in names], (None, None)]
    start = np.r_[-4.0, np.full(len(names), 0.3), 0.0]
    options = {"maxiter": 400, "ftol": 1e-9}
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
    return float(found.x[0]), (found.x[1:] / scale)[:-1]


def best_of(cases: Sequence[TrainingCase], bias: float, weights: Array) -> tuple[Array, npt.NDArray[np.bool_], Array]:
    """Of each query that has a candidate: the best score, whether it is right, and the query's weight."""
    scores, right, counts = [], [], []
    for case in cases:
        if len(case.features):
            score = bias + case.features @ weights
            best = int(np.argmax(score))
            scores.append(float(score[best]))
            right.append(bool(case.right[best]))
            counts.append(case.weight)
    return np.array(scores), np.array(right, dtype=np.bool_), np.array(counts)


def leads_of(cases: Sequence[TrainingCase], bias: float, weights: Array) -> Array:
    """Of each query that `best_of` has: how far the best candidate is ahead of its next rival, as a search counts it."""
    found = []
    for case in cases:
        if len(case.features):
            score = bias + case.features @ weights
            best, most = int(np.argmax(score)), most_lead(len(score))
            is_rival = np.arange(len(score)) != best
            is_rival[case.no_rivals[case.no_rivals[:, 0] == best, 1]] = False
            rivals = score[is_rival]
            found.append(min(lead_over(float(score[best]), float(rivals.max())), most) if len(rivals) else most)
    return np.array(found)


def fit_line(scores: Array, right: npt.NDArray[np.bool_], counts: Array) -> tuple[float, float]:
    """(slope > 0, offset) of Platt's line: probability = 1 / (1 + exp(-(slope · score + offset)))."""

    def loss(line: Array) -> float:
        z = line[0] * scores + line[1]
        return float(counts @ np.where(right, np.logaddexp(0, -z), np.logaddexp(0, z))) / float(counts.sum())

    found = minimize(loss, np.array([1.0, 0.0]), method="L-BFGS-B", bounds=[(LEAST_SLOPE, None), (None, None)])
    return float(found.x[0]), float(found.x[1])


def fit_beta(scores: Array, right: npt.NDArray[np.bool_], counts: Array, leads: Array) -> BetaCalibration:
    """Beta calibration of log-odds and leads: the map under which what happened was likeliest."""
    below, above = np.logaddexp(0, -scores), np.logaddexp(0, scores)

    def loss(map_: Array) -> float:
        z = map_[1] * above - map_[0] * below + map_[2] + map_[3] * leads
        return float(counts @ np.where(right, np.logaddexp(0, -z), np.logaddexp(0, z))) / float(counts.sum())

    bounds = [(LEAST_SLOPE, None), (LEAST_ABOVE, None), (None, None), (0.0, None)]
    found = minimize(loss, np.array([1.0, 1.0, 0.0, 0.0]), method="L-BFGS-B", bounds=bounds)
    return BetaCalibration(*map(float, found.x))


def threshold(wrong: Array, allowed: float) -> float:
    """The probability that the share ``allowed`` of the wrong best candidates passes, between two of them by interpolation.

    It has `DIGITS` and is rounded up: rounded down it would let the next of them pass.
    """
    if not len(wrong):
        return 0.5
    scale = 10.0**DIGITS
    return min(math.ceil(float(np.nextafter(np.quantile(wrong, 1.0 - allowed), 1.0)) * scale) / scale, 1.0)


def calibration_error(probabilities: Array, right: npt.NDArray[np.bool_], counts: Array) -> float:
    """Expected calibration error over ten equal bins."""
    bins = np.minimum((probabilities * 10).astype(int), 9)
    error = 0.0
    for i in range(10):
        here = bins == i
        if here.any():
            mean = np.average(probabilities[here], weights=counts[here])
            share = np.average(right[here], weights=counts[here])
            error += abs(mean - share) * counts[here].sum()
    return float(error / counts.sum())
