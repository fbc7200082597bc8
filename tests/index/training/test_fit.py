"""Fitting, on cases whose answer is known beforehand."""

import numpy as np
import pytest

from index.ranking.features import NAMES
from index.ranking.rank import LEAD, BetaCalibration, most_lead
from index.training.fit import (
    TrainingCase,
    best_of,
    calibration_error,
    fit_beta,
    fit_line,
    fit_order,
    leads_of,
    threshold,
)
from index.training.rank import designed, not_learned, probability, summed


def cases(count: int, seed: int) -> list[TrainingCase]:
    """Two features: the first tells the right candidate, the second is noise. A third of the queries have no right one."""
    chance = np.random.default_rng(seed)
    made = []
    for n in range(count):
        features = np.column_stack([chance.uniform(0, 0.4, 5), chance.uniform(0, 1, 5)])
        right = np.zeros(5, dtype=np.bool_)
        if n % 3:
            right[2] = True
            features[2, 0] = chance.uniform(0.6, 1.0)
        made.append(TrainingCase(features, right))
    return made


def test_the_telling_feature_gets_the_weight() -> None:
    bias, weights = fit_order(cases(300, 1), ("telling", "noise"))
    assert weights[0] > 8 * weights[1]
    assert bias < 0
    _, right, _ = best_of([case for case in cases(200, 2) if case.right.any()], bias, weights)
    assert right.mean() > 0.99


def test_a_feature_that_speaks_against_gets_nothing_rather_than_less() -> None:
    turned = [TrainingCase(1 - case.features, case.right) for case in cases(300, 1)]
    _, weights = fit_order(turned, ("against", "noise"))
    assert weights[0] == pytest.approx(0, abs=1e-6)


def test_foreign_cases_leave_the_bias_alone() -> None:
    """Queries of another kind, none of which is answered, make everything improbable; with a bias of their own they do not."""
    unanswered = [TrainingCase(case.features, np.zeros(5, dtype=np.bool_)) for case in cases(3000, 7)]
    foreign = [TrainingCase(case.features, case.right, foreign=True) for case in unanswered]
    fresh = [case for case in cases(300, 2) if case.right.any()]
    mixed, apart = (
        best_of(fresh, *fit_order([*cases(300, 1), *others], ("telling", "noise")))[0]
        for others in (unanswered, foreign)
    )
    assert (apart > 0).mean() > 0.95
    assert (mixed > 0).mean() < 0.5


def test_the_line_calibrates() -> None:
    chance = np.random.default_rng(5)
    scores = chance.normal(0, 2, 20_000)
    right = chance.random(20_000) < 1 / (1 + np.exp(-(1.7 * scores - 0.8)))
    slope, offset = fit_line(scores, right, np.ones(20_000))
    assert (slope, offset) == (pytest.approx(1.7, abs=0.08), pytest.approx(-0.8, abs=0.08))
    probabilities = 1 / (1 + np.exp(-(slope * scores + offset)))
    assert calibration_error(probabilities, right, np.ones(20_000)) < 0.01


def test_beta_calibration_bends_what_a_line_cannot() -> None:
    """Below 0 the scores say twice as much as they seem to, above half as much."""
    chance = np.random.default_rng(8)
    scores = chance.normal(0, 2, 20_000)
    truth = BetaCalibration(low=2.0, high=0.5, offset=0.4)
    right = chance.random(20_000) < probability(scores, truth)
    found = fit_beta(scores, right, np.ones(20_000), np.zeros(20_000))
    assert (found.low, found.high, found.offset) == (
        pytest.approx(2.0, abs=0.15),
        pytest.approx(0.5, abs=0.08),
        pytest.approx(0.4, abs=0.15),
    )
    assert calibration_error(probability(scores, found), right, np.ones(20_000)) < 0.01
    slope, offset = fit_line(scores, right, np.ones(20_000))
    line = probability(slope * scores + offset, BetaCalibration())
    assert calibration_error(line, right, np.ones(20_000)) > 0.02


def test_a_question_is_calibrated_by_weights_that_did_not_learn_its_problem() -> None:
    """Every problem has a right candidate of its own kind, which no other problem shows: out of fold none is told apart."""
    chance = np.random.default_rng(9)
    shape = (4, len(NAMES))
    cases = []
    for n in range(200):
        features = chance.uniform(0, 0.1, shape)
        cases.append(TrainingCase(designed(features), np.arange(4) == 0, group="asked, log", problem=f"p{n}"))
    learned, told = best_of(cases, *summed(cases))[1], not_learned(cases)[1]
    assert len(told) == len(cases)
    assert told.mean() < learned.mean()


@pytest.mark.parametrize(("allowed", "expected"), [(0.02, 2), (0.0, 0), (0.5, 50)])
def test_the_threshold_lets_through_what_is_allowed(allowed: float, expected: int) -> None:
    wrong = np.random.default_rng(6).random(100)
    limit = threshold(wrong, allowed)
    assert (wrong >= limit).sum() <= expected


def test_a_threshold_as_it_is_written_lets_no_more_through() -> None:
    """To four digits the second is .5000 and would pass its own threshold."""
    wrong = np.array([0.1, 0.50001, 0.6])
    limit = threshold(wrong, 0.5)
    assert limit == round(limit, 4)
    assert (wrong >= limit).sum() == 1
    assert threshold(np.ones(3), 0.0) == 1.0


def test_calibration_finds_what_a_lead_is_worth() -> None:
    """Half of the queries have a rival as near as the first, and there the first is seldom right."""
    chance = np.random.default_rng(9)
    scores, leads = chance.normal(0, 2, 20_000), chance.choice([0.0, LEAD], 20_000)
    truth = BetaCalibration(low=2.0, high=0.5, offset=-0.5, lead=3.0)
    right = chance.random(20_000) < probability(scores, truth, leads)
    found = fit_beta(scores, right, np.ones(20_000), leads)
    assert (found.lead, found.offset) == (pytest.approx(3.0, abs=0.3), pytest.approx(-0.5, abs=0.15))
    blind = fit_beta(scores, right, np.ones(20_000), np.zeros(20_000))
    near = leads == 0.0
    assert probability(scores, blind)[near].mean() > right[near].mean() + 0.05
    assert probability(scores, found, leads)[near].mean() == pytest.approx(right[near].mean(), abs=0.02)


@pytest.mark.parametrize(
    ("sums", "no_rivals", "expected"),
    [
        ([3.0, 2.8], [], 0.2),
        ([0.0, 3.0], [], LEAD),
        ([3.0, 2.9, 2.7], [], 0.1),
        ([3.0, 2.9, 2.7], [(0, 1)], 0.3),
        ([3.0, 2.9, 2.7], [(1, 0), (2, 1)], 0.1),
        ([3.0, 2.9, 2.7], [(0, 1), (0, 2)], LEAD),
    ],
    ids=["a rival", "far behind", "the next of two", "a copy between", "pairs of others", "copies alone"],
)
@pytest.mark.parametrize("right", [True, False])
def test_the_lead_is_over_the_next_rival_whoever_is_right(
    sums: list[float], no_rivals: list[tuple[int, int]], expected: float, *, right: bool
) -> None:
    """Copies of the right one are right as well: a lead that jumps over them by their label grows for right answers alone."""
    features = np.array([[one] for one in (*sums, *[-9.0] * 20)])
    case = TrainingCase(
        features, np.full(len(features), right), no_rivals=np.array(no_rivals, dtype=np.int64).reshape(-1, 2)
    )
    assert leads_of([case], -1.0, np.ones(1)) == pytest.approx([expected])


def test_who_has_no_rival_is_ahead_as_far_as_counts_among_so_many() -> None:
    right = np.array([True])
    alone, empty = TrainingCase(np.array([[3.0]]), right), TrainingCase(np.empty((0, 1)), right[:0])
    assert leads_of([alone, empty], -1.0, np.ones(1)) == pytest.approx([most_lead(1)])


def test_the_calibration_error_by_hand() -> None:
    """Two bins of two: 0.95 said and one of two right, 0.15 said and none right: (0.45 + 0.15) / 2."""
    probabilities = np.array([0.95, 0.95, 0.15, 0.15])
    right = np.array([True, False, False, False])
    assert calibration_error(probabilities, right, np.ones(4)) == pytest.approx(0.3)
