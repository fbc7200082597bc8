"""The measures of abstention: cases counted by hand, and what holds of any."""

import xml.etree.ElementTree as ET
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index.evaluation.curves import (
    Bin,
    Point,
    ScoredQuery,
    at_false_known,
    at_wrong,
    calibration_error,
    curve,
    point_of,
    reliability,
    svg,
)

JUDGED = [
    ScoredQuery(0.9, right=True, answerable=True),
    ScoredQuery(0.8, right=False, answerable=True),
    ScoredQuery(0.8, right=True, answerable=True),
    ScoredQuery(0.6, right=False, answerable=False),
    ScoredQuery(0.0, right=False, answerable=True),
]


def test_curve_has_a_point_for_each_threshold() -> None:
    points = curve(JUDGED)
    assert points == [
        Point(0.9, 1, 0, 0, answerable=4, absent=1),
        Point(0.8, 2, 1, 0, answerable=4, absent=1),
        Point(0.6, 2, 1, 1, answerable=4, absent=1),
    ]
    assert [(p.coverage, p.precision, p.false_known) for p in points] == [
        (0.25, 1.0, 0.0),
        (0.5, 2 / 3, 0.0),
        (0.5, 0.5, 1.0),
    ]
    assert [p.answered for p in points] == [0.2, 0.6, 0.8]


def test_without_a_match_there_is_no_curve() -> None:
    nothing = [ScoredQuery(0.0, right=False, answerable=True)]
    assert curve(nothing) == []
    assert at_wrong([], 1.0) is None
    none = point_of([], nothing)
    assert (none.threshold, none.called, none.precision, none.coverage) == (1.0, 0, 1.0, 0.0)


def test_the_loosest_threshold_that_keeps_strangers_out() -> None:
    points = curve(JUDGED)
    assert at_false_known(points, 0.02).threshold == 0.8
    assert at_false_known(points, 1.0).threshold == 0.6
    only = curve([ScoredQuery(0.7, right=False, answerable=False)])
    assert at_false_known(only, 0.02).false_known == 1.0


@pytest.mark.parametrize(("ceiling", "threshold"), [(0.0, 0.9), (0.33, 0.9), (0.34, 0.8), (0.5, 0.6)])
def test_the_loosest_threshold_with_so_few_wrong(ceiling: float, threshold: float) -> None:
    found = at_wrong(curve(JUDGED), ceiling)
    assert found is not None
    assert found.threshold == threshold


def test_a_wrong_match_that_is_the_most_probable_leaves_no_threshold() -> None:
    assert at_wrong(curve([ScoredQuery(0.99, right=False, answerable=True), *JUDGED]), 0.1) is None


KINDS = st.sampled_from(
    [(True, True), (False, True), (False, False)]
)  # right and answerable; what nothing answers is not right
SOME = st.lists(
    st.builds(
        lambda likely, kind: ScoredQuery(likely, right=kind[0] and likely > 0, answerable=kind[1]),
        st.sampled_from([0.0, 0.2, 0.5, 0.8, 0.95]) | st.floats(0, 1),
        KINDS,
    ),
    max_size=30,
)


@given(SOME)
def test_a_higher_threshold_never_covers_more(judged: list[ScoredQuery]) -> None:
    points = curve(judged)
    for strict, loose in pairwise(points):
        assert strict.threshold > loose.threshold
        assert strict.coverage <= loose.coverage
        assert strict.answered < loose.answered
        assert strict.false_known <= loose.false_known


@given(SOME)
def test_each_point_counts_what_is_called_known_from_its_threshold_on(judged: list[ScoredQuery]) -> None:
    for point in curve(judged):
        assert point == point_of([one for one in judged if one.probability >= point.threshold], judged)
        assert point.right + point.mistaken <= point.answerable
        assert point.strangers <= point.absent
        assert point.answerable + point.absent == len(judged)
    matched = sum(one.probability > 0 for one in judged)
    assert [point.called for point in curve(judged)][-1:] == ([matched] if matched else [])


@given(SOME, st.floats(0, 1), st.floats(0, 1))
def test_who_bears_more_wrong_answers_gets_no_fewer_right_ones(
    judged: list[ScoredQuery], one: float, other: float
) -> None:
    points = curve(judged)
    strict, loose = at_wrong(points, min(one, other)), at_wrong(points, max(one, other))
    if strict is not None:
        assert loose is not None
        assert loose.right >= strict.right
        assert 1 - strict.precision <= min(one, other) + 1e-9


@given(SOME)
def test_every_query_is_in_one_bin(judged: list[ScoredQuery]) -> None:
    found = reliability(judged)
    assert sum(one.count for one in found) == len(judged)
    assert all(one.low <= one.mean_probability + 1e-9 <= one.low + 0.1 + 2e-9 for one in found)
    assert 0 <= calibration_error(found) <= 1


def test_reliability_and_its_error() -> None:
    found = reliability(JUDGED)
    assert [(one.count, one.was) for one in found] == [(1, 0.0), (1, 0.0), (2, 0.5), (1, 1.0)]
    assert calibration_error(found) == pytest.approx((0.0 + 0.6 + 2 * 0.3 + 0.1) / 5)
    assert calibration_error([Bin(0.7, 4, 0.75, 0.75)]) == 0.0


def test_a_probability_of_one_is_in_the_last_bin() -> None:
    assert reliability([ScoredQuery(1.0, right=True, answerable=True)]) == [Bin(0.9, 1, 1.0, 1.0)]


def test_the_drawing_is_well_formed() -> None:
    points = curve(JUDGED)
    drawn = ET.fromstring(svg(points, points[1], reliability(JUDGED), "a < b"))
    assert drawn.tag.endswith("svg")
    assert len(drawn.findall(".//{*}circle")) == 5
    (line,) = drawn.findall(".//{*}polyline")
    assert len(line.attrib["points"].split()) == 3
