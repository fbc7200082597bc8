"""The measures of abstention on cases counted by hand."""

import xml.etree.ElementTree as ET

import pytest

from tests.quality.curves import Bin, Judged, Point, at_false_known, calibration_error, curve, reliability, svg

JUDGED = [
    Judged(0.9, right=True, answerable=True),
    Judged(0.8, right=False, answerable=True),
    Judged(0.8, right=True, answerable=True),
    Judged(0.6, right=False, answerable=False),
    Judged(0.0, right=False, answerable=True),
]


def test_curve_has_a_point_for_each_threshold() -> None:
    assert curve(JUDGED) == [
        Point(0.9, 0.25, 1.0, 0.0),
        Point(0.8, 0.5, 2 / 3, 0.0),
        Point(0.6, 0.5, 0.5, 1.0),
        Point(0.0, 0.5, 0.4, 1.0),
    ]


def test_the_loosest_threshold_that_keeps_strangers_out() -> None:
    points = curve(JUDGED)
    assert at_false_known(points, 0.02).threshold == 0.8
    assert at_false_known(points, 1.0).threshold == 0.0
    only = curve([Judged(0.7, right=False, answerable=False)])
    assert at_false_known(only, 0.02).false_known == 1.0


def test_reliability_and_its_error() -> None:
    found = reliability(JUDGED)
    assert [(one.count, one.was) for one in found] == [(1, 0.0), (1, 0.0), (2, 0.5), (1, 1.0)]
    assert calibration_error(found) == pytest.approx((0.0 + 0.6 + 2 * 0.3 + 0.1) / 5)
    assert calibration_error([Bin(4, 0.75, 0.75)]) == 0.0


def test_a_probability_of_one_is_in_the_last_bin() -> None:
    assert reliability([Judged(1.0, right=True, answerable=True)]) == [Bin(1, 1.0, 1.0)]


def test_the_drawing_is_well_formed() -> None:
    points = curve(JUDGED)
    drawn = ET.fromstring(svg(points, points[1], reliability(JUDGED), "a < b"))
    assert drawn.tag.endswith("svg")
    assert len(drawn.findall(".//{*}circle")) == 5
    (line,) = drawn.findall(".//{*}polyline")
    assert len(line.attrib["points"].split()) == 3
