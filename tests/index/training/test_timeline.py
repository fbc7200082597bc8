"""An engine sees what was told before, and counts only that."""

import gzip
import json
from pathlib import Path

import pytest

from index.encoder import HashingEncoder
from index.reading import read
from index.training.timeline import REFRESH, Report, Timeline, outcomes, read_reports, repeats

TRACE = "java.lang.IllegalStateException: {said}\n\tat com.shop.{place}.run({place}.java:4)\n\tat com.shop.Main.main(Main.java:9)\n"


def report(bug: str, place: str, said: str = "no basket", *, asked: bool = True) -> Report:
    return Report(bug, "2020-01-01T00:00", "", "", TRACE.format(place=place, said=said), asked)


def test_only_the_past_is_found(tmp_path: Path) -> None:
    """The third report is likest to the fourth, which is not told yet; the first it may find."""
    reports = [report("a", "Basket"), report("b", "Stock"), report("c", "Basket"), report("c", "Basket")]
    timeline = Timeline(reports, tmp_path, HashingEncoder())
    seen = {
        row: [found.row for found in engine.compare(read(reports[row].paste))]
        for row, engine in timeline.questions(range(4))
    }
    assert seen[0] == []
    assert all(other < row for row, others in seen.items() for other in others)
    assert {0, 2} <= set(seen[3])
    timeline.close()


def test_rarity_is_of_the_past(tmp_path: Path) -> None:
    """A frame that all later reports have is rare to the first question and common to the last."""
    reports = [report(str(n), "Basket", f"word{n}") for n in range(2 * REFRESH + 2)]
    timeline = Timeline(reports, tmp_path, HashingEncoder())
    rows = (1, 2 * REFRESH + 1)
    rarest = [engine.compare(read(reports[row].paste))[0].features.rarest for row, engine in timeline.questions(rows)]
    timeline.close()
    assert rarest[0] > rarest[1] + 0.1


def test_outcomes_are_of_what_is_asked(tmp_path: Path) -> None:
    reports = [report("a", "Basket", asked=False), report("b", "Stock"), report("a", "Basket")]
    timeline = Timeline(reports, tmp_path, HashingEncoder())
    found = list(outcomes(timeline))
    timeline.close()
    assert [one.is_duplicate for one in found] == [False, True]
    assert found[1].hits == (1.0, 1.0, 1.0)
    assert found[1].score > found[0].score


def test_files_are_put_in_time_order(tmp_path: Path) -> None:
    """The older file is told, the newer one asked; minutes count, seconds do not: the sets differ in them."""
    fields = {"project": "p", "title": "", "text": None, "trace": "", "lang_runtime": "java"}
    told = [
        {"id": "2", "bug_group": "y", "created": "2020-01-02T00:00"},
        {"id": "1", "bug_group": "x", "created": "2020-01-01T00:00"},
    ]
    for name, rows in (("tune", told), ("test", [{"id": "3", "bug_group": "x", "created": "2020-01-02T00:00:59"}])):
        with gzip.open(tmp_path / f"{name}.gz", "wt", encoding="utf-8") as file:
            file.writelines(json.dumps(fields | row) + "\n" for row in rows)
    found = read_reports([tmp_path / "tune.gz"], [tmp_path / "test.gz"])
    assert [(one.bug, one.is_measured) for one in found] == [("x", False), ("y", False), ("x", True)]
    assert repeats(found) == [False, False, True]


@pytest.mark.parametrize(("parts", "expected"), [(("t", "x", "tr"), "t\nx\ntr"), (("", "", "tr"), "tr")])
def test_a_report_is_pasted_as_it_reads(parts: tuple[str, str, str], expected: str) -> None:
    assert Report("b", "2020", *parts, is_measured=True).paste == expected
