"""The protocol by hand: ties, collapse, what is not found, and the intervals."""

import numpy as np
import pytest

from index.training.protocol import NOTHING, QuestionOutcome, collapsed, figures, intervals, lead, outcome


def test_the_best_report_stands_for_its_bug() -> None:
    assert collapsed(["a", "b", "a"], [0.2, 0.5, 0.7]) == {"a": 0.7, "b": 0.5}


def test_ties_are_the_expectation_under_random_order() -> None:
    """One bug above, then three tied ones at ranks 2, 3, 4."""
    found = outcome({"x": 0.9, "right": 0.5, "y": 0.5, "z": 0.5}, "right", is_duplicate=True)
    assert found.hits == (0.0, 1.0, 1.0)
    assert found.reciprocal == pytest.approx((1 / 2 + 1 / 3 + 1 / 4) / 3)
    alone = outcome({"right": 0.5, "y": 0.5}, "right", is_duplicate=True)
    assert alone.hits[0] == pytest.approx(0.5)


@pytest.mark.parametrize("scores", [{}, {"other": 0.4}])
def test_a_bug_that_is_not_listed_is_not_found(scores: dict[str, float]) -> None:
    found = outcome(scores, "right", is_duplicate=True)
    assert found == QuestionOutcome(is_duplicate=True, score=max(scores.values(), default=NOTHING))


def test_a_new_bug_counts_for_auc_alone() -> None:
    """Its own name among the scores would be a mistake of the caller: nothing is right for it."""
    assert outcome({"other": 0.4}, "new", is_duplicate=False) == QuestionOutcome(is_duplicate=False, score=0.4)


TABLE = [
    QuestionOutcome(is_duplicate=True, score=0.9, hits=(1.0, 1.0, 1.0), reciprocal=1.0),
    QuestionOutcome(is_duplicate=True, score=0.3, hits=(0.0, 1.0, 1.0), reciprocal=0.25),
    QuestionOutcome(is_duplicate=False, score=0.5),
    QuestionOutcome(is_duplicate=False, score=0.1),
]


def test_figures_by_hand() -> None:
    """Of the four pairs (repeated, new) three are in order."""
    expected = {"rr_at_1": 0.5, "rr_at_5": 1.0, "rr_at_10": 1.0, "mrr": 0.625, "auc": 0.75}
    assert figures(TABLE) == pytest.approx(expected)


def test_intervals_hold_the_figure_and_repeat() -> None:
    chance = np.random.default_rng(5)
    table = [
        QuestionOutcome(bool(i % 3), float(chance.normal(i % 3)), (float(i % 2),) * 3, 0.5 + i % 2 / 2)
        for i in range(200)
    ]
    found = intervals(table, seed=3, draws=200)
    assert all(one.low <= one.value <= one.high for one in found.values())
    assert found == intervals(table, seed=3, draws=200)
    assert 0.05 < found["rr_at_1"].high - found["rr_at_1"].low < 0.25  # 133 questions: about ±8.5 points


def test_nobody_leads_itself() -> None:
    assert all(
        (one.value, one.low, one.high) == (0.0, 0.0, 0.0) for one in lead(TABLE * 9, TABLE * 9, draws=50).values()
    )
