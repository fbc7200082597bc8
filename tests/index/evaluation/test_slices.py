"""Figures by kind and language, counted by hand; the range of a share against a published table."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index import Verdict
from index.evaluation.labelled import CaseOutcome, Labelled
from index.evaluation.slices import OTHER, SAME, by_crossing, by_kind, by_lang, slice_of, wilson


def made(
    rank: int, kind: str, lang: str, *, is_crossing: bool | None = False, verdict: Verdict = Verdict.KNOWN
) -> CaseOutcome:
    expected = () if is_crossing is None else ("a",)
    return CaseOutcome(Labelled("x", expected), rank, verdict, 0.9, False, kind, lang, is_crossing)  # noqa: FBT003


OUTCOMES = [
    made(1, "of tickets", "zh"),
    made(1, "words", "zh", is_crossing=True),
    made(2, "trace", "en"),
    made(0, "words", "en", verdict=Verdict.UNKNOWN),
    made(0, "words", "en", is_crossing=None),
]


def test_kinds_come_in_the_order_of_the_product_and_then_those_of_labels() -> None:
    assert list(by_kind(OUTCOMES)) == ["trace", "words", "of tickets"]


def test_a_slice_counts_what_was_called_known() -> None:
    words = by_kind(OUTCOMES)["words"]
    assert (words.scores.cases, words.scores.absent, words.scores.hits) == (3, 1, {1: 0.5, 3: 0.5})
    assert (words.confusion.known_right, words.known_wrong) == (1, 1)
    assert by_kind(OUTCOMES)["trace"].known_wrong == 1


def test_languages_and_their_crossing() -> None:
    assert {name: one.scores.cases for name, one in by_lang(OUTCOMES).items()} == {"en": 3, "zh": 2}
    assert {name: one.scores.cases for name, one in by_crossing(OUTCOMES).items()} == {SAME: 3, OTHER: 1}


def test_without_an_answer_there_is_no_range() -> None:
    assert slice_of([made(0, "words", "en", is_crossing=None)]).first is None


@pytest.mark.parametrize(
    ("right", "count", "low", "high"),
    [(0, 20, 0.0, 0.1611), (1, 29, 0.0061, 0.1718), (81, 263, 0.2553, 0.3662), (15, 148, 0.0624, 0.1605)],
)
def test_the_range_of_a_share(right: int, count: int, low: float, high: float) -> None:
    """Newcombe 1998, table I, method 3."""
    assert wilson(right, count) == pytest.approx((low, high), abs=5e-5)


@given(st.integers(1, 200).flatmap(lambda count: st.tuples(st.integers(0, count), st.just(count))))
def test_the_range_holds_the_share_and_mirrors(drawn: tuple[int, int]) -> None:
    right, count = drawn
    low, high = wilson(right, count)
    assert 0 <= low <= right / count + 1e-12
    assert right / count - 1e-12 <= high <= 1
    assert wilson(count - right, count) == pytest.approx((1 - high, 1 - low), abs=1e-9)
