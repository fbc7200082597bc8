"""What earlier reports call unknown, also when fingerprints have changed since; no Spark runs."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from index.triage_reports import (
    CUT,
    FOLDER,
    LONGEST_TEXT,
    REPORT,
    SUMMARY,
    TriageReport,
    TriageReports,
    UnknownGroup,
    as_json,
    prints_version,
)
from ingest.triage.incremental import put_aside
from ingest.triage.report import earlier, mark_new
from kb.trace import VERSION, Level, fingerprints, parse
from kb.trace.custom import NONE, CustomRules, read_custom
from kb.trace.in_force import adopted, rules_in_force
from tests.ingest.articles import trace

RUN = "20261127T020000Z-0a1b"
RULES = read_custom({"messages.txt": "<share> on (alpha|twin)\\b\n"})


def cause(text: str, rules: CustomRules) -> str:
    with adopted(rules):
        (chain,) = parse(text)
        return fingerprints(chain)[Level.ROOT_CAUSE].digest


def reported(folder: Path, rules: CustomRules | None, *, text: str = "") -> str:
    """A report made under some rules (None: not noted which); the root cause that it has of its one group."""
    found = cause(trace("alpha"), rules or NONE)
    group = UnknownGroup(id=found, root_causes=[found], text=text)
    prints = "" if rules is None else prints_version(VERSION, rules.digest)
    (folder / RUN).mkdir(parents=True)
    (folder / RUN / "report.json").write_text(as_json(TriageReport(RUN, [], "s", unknown=[group], prints=prints)))
    return found


@pytest.mark.parametrize("made_under", [NONE, None])
def test_a_report_of_other_fingerprints_is_read_by_the_traces_it_keeps(tmp_path: Path, made_under: CustomRules) -> None:
    stored = reported(tmp_path, made_under, text=trace("alpha"))
    now = cause(trace("alpha"), RULES)
    assert stored != now
    assert earlier(tmp_path, RULES) == {stored: False, now: False}
    assert rules_in_force() == NONE


def test_a_report_of_the_same_fingerprints_is_taken_as_it_is(tmp_path: Path) -> None:
    stored = reported(tmp_path, RULES, text=trace("other"))
    assert earlier(tmp_path, RULES) == {stored: False}


def test_a_group_without_a_trace_stays_what_it_was(tmp_path: Path) -> None:
    assert earlier(tmp_path, RULES) is None
    assert earlier(tmp_path, RULES, [RUN]) is None
    stored = reported(tmp_path, NONE)
    assert earlier(tmp_path, RULES) == earlier(tmp_path, RULES, [RUN]) == {stored: False}


@pytest.mark.parametrize("fill", [f"\n    {CUT}\n", "\n" + "x" * LONGEST_TEXT])
def test_a_trace_that_is_not_whole_is_not_fingerprinted_again(tmp_path: Path, fill: str) -> None:
    """Neither one with the mark, nor one of an older report, which was cut at its length."""
    stored = reported(tmp_path, NONE, text=(trace("alpha") + fill)[:LONGEST_TEXT])
    assert earlier(tmp_path, RULES) == {stored: False}


def night(home: Path, number: int, causes: str, replaces: Sequence[str] = ()) -> TriageReport:
    """A report as a run leaves it, of one group for each root cause."""
    run = f"2026112{number}T020000Z-000{number}"
    report = TriageReport(run, [], "s", replaces=list(replaces), prints=prints_version(VERSION, NONE.digest))
    report.unknown = [UnknownGroup(id=cause, root_causes=[cause]) for cause in causes]
    mark_new(report.unknown, earlier(home / FOLDER, NONE, replaces))
    place = home / FOLDER / run
    place.mkdir(parents=True)
    (place / REPORT).write_text(as_json(report))
    (place / SUMMARY).write_text(as_json(report.summary()))
    put_aside(home)
    return report


def fresh(report: TriageReport) -> dict[str, bool | None]:
    return {group.id: group.is_new for group in report.unknown}


def test_a_file_that_grows_for_three_nights_tells_what_came(tmp_path: Path) -> None:
    """Its report replaces that of the night before; the service tells what is new and was not new there."""
    first = night(tmp_path, 1, "a")
    assert (fresh(first), first.summary().new_groups) == ({"a": None}, None)
    second = night(tmp_path, 2, "ab", [first.run])
    assert (fresh(second), second.summary().new_groups) == ({"a": False, "b": True}, 1)
    third = night(tmp_path, 3, "abc", [second.run])
    assert (fresh(third), third.summary().new_groups) == ({"a": False, "b": True, "c": True}, 2)
    assert TriageReports(tmp_path).runs() == [third.run]
    other = night(tmp_path, 4, "bd")
    assert fresh(other) == {"b": False, "d": True}
    assert fresh(night(tmp_path, 5, "abcd", [third.run])) == {"a": False, "b": True, "c": True, "d": False}


def test_what_a_report_had_that_was_replaced_long_ago_is_not_new(tmp_path: Path) -> None:
    first = night(tmp_path, 1, "ab")
    night(tmp_path, 2, "a", [first.run])
    assert fresh(night(tmp_path, 3, "bc")) == {"b": False, "c": True}


def test_a_replaced_group_stays_new_under_other_rules(tmp_path: Path) -> None:
    """Its kept trace is fingerprinted again, and the mark goes with it."""
    stored = reported(tmp_path, NONE, text=trace("alpha"))
    path = tmp_path / RUN / REPORT
    path.write_text(path.read_text().replace('"is_new": null', '"is_new": true'))
    now = cause(trace("alpha"), RULES)
    assert earlier(tmp_path, RULES, [RUN]) == {stored: True, now: True}
