"""Fitting the ranker: non-negative weights for order, then one monotone line for probability, then thresholds by count.

Order: multinomial logistic regression over each query's candidates and one more choice, "none of them" (score 0), which is
right for queries whose incident was left out. Weights are bounded below by 0, so the result is monotone.
Probability: Platt's line (1999) on the best candidate of each query, folded into weights and bias.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize  # type: ignore[import-untyped]

Array = npt.NDArray[np.float64]

RIDGE = 0.0002
"""Pull of the weights towards 0, per query: keeps features that say the same from splitting wildly."""


@dataclass(frozen=True, slots=True)
class Case:
    """One query: the features of its candidates, which of them are right, and how much the query counts."""

    features: Array
    """Shape (candidates, features)."""
    right: npt.NDArray[np.bool_]
    """Shape (candidates,); none when the incident was left out or not found."""
    weight: float = 1.0
    group: str = ""
    foreign: bool = False
    """Its kind has another share of answered queries than pastes have: it teaches the weights, with a bias of its own."""


def fit_order(cases: Sequence[Case], names: Sequence[str]) -> tuple[float, Array]:
    """(bias, weights) with every weight at least 0. The bias of foreign cases is fitted beside it and dropped."""
    foreign = np.repeat([case.foreign for case in cases], [len(case.features) for case in cases])
    whole = np.column_stack([np.vstack([case.features for case in cases]), foreign])
    starts = np.cumsum([0, *(len(case.features) for case in cases)])
    owner = np.repeat(np.arange(len(cases)), np.diff(starts))
    right = np.concatenate([case.right for case in cases])
    unanswered = np.array([not case.right.any() for case in cases])
    weight = np.array([case.weight for case in cases])
    total = weight.sum()

    def loss(theta: Array) -> tuple[float, Array]:
        score = theta[0] + whole @ theta[1:]
        top = np.maximum(np.maximum.reduceat(np.append(score, 0.0), starts[:-1]), 0.0)
        top[np.diff(starts) == 0] = 0.0
        powers = np.exp(score - top[owner])
        none = np.exp(-top)
        everything = np.bincount(owner, powers, len(cases)) + none
        good = np.bincount(owner, powers * right, len(cases)) + none * unanswered
        value = float(weight @ (np.log(everything) - np.log(np.maximum(good, 1e-300)))) / total
        share = powers / everything[owner] - powers * right / np.maximum(good, 1e-300)[owner]
        share *= weight[owner] / total
        slope = np.concatenate([[share.sum()], whole.T @ share])
        slope[1:-1] += 2 * RIDGE * theta[1:-1]
        return value + RIDGE * float(theta[1:-1] @ theta[1:-1]), slope

    bounds = [(None, None), *[(0.0, None)] * len(names), (None, None)]
    start = np.r_[-4.0, np.ones(len(names)), 0.0]
    found = minimize(loss, start, jac=True, method="L-BFGS-B", bounds=bounds, options={"maxiter": 2000})
    return float(found.x[0]), found.x[1:-1]


def best_of(cases: Sequence[Case], bias: float, weights: Array) -> tuple[Array, npt.NDArray[np.bool_], Array]:
    """Of each query that has a candidate: the best score, whether it is right, and the query's weight."""
    scores, right, counts = [], [], []
    for case in cases:
        if len(case.features):
            score = bias + case.features @ weights
            best = int(np.argmax(score))
            scores.append(float(score[best]))
            right.append(bool(case.right[best]))
            counts.append(case.weight)
    return np.array(scores), np.array(right), np.array(counts)


def fit_line(scores: Array, right: npt.NDArray[np.bool_], counts: Array) -> tuple[float, float]:
    """(slope > 0, offset) of Platt's line: probability = 1 / (1 + exp(-(slope · score + offset)))."""

    def loss(line: Array) -> float:
        z = line[0] * scores + line[1]
        return float(counts @ np.where(right, np.logaddexp(0, -z), np.logaddexp(0, z))) / float(counts.sum())

    found = minimize(loss, np.array([1.0, 0.0]), method="L-BFGS-B", bounds=[(0.05, None), (None, None)])
    return float(found.x[0]), float(found.x[1])


def threshold(wrong: Array, allowed: float) -> float:
    """The least probability that at most the share ``allowed`` of the wrong best candidates reach."""
    if not len(wrong):
        return 0.5
    return float(np.nextafter(np.quantile(wrong, 1.0 - allowed, method="higher"), 1.0))


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
