"""What earlier reports call unknown, also when fingerprints have changed since; no Spark runs."""

from pathlib import Path

import pytest

from index.triage_reports import TriageReport, UnknownGroup, as_json, prints_version
from ingest.triage.report import earlier
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
    assert earlier(tmp_path, RULES) == {stored, now}
    assert rules_in_force() == NONE


def test_a_report_of_the_same_fingerprints_is_taken_as_it_is(tmp_path: Path) -> None:
    stored = reported(tmp_path, RULES, text=trace("other"))
    assert earlier(tmp_path, RULES) == {stored}


def test_a_group_without_a_trace_stays_what_it_was(tmp_path: Path) -> None:
    assert earlier(tmp_path, RULES) is None
    assert earlier(tmp_path, RULES, [RUN]) is None
    stored = reported(tmp_path, NONE)
    assert earlier(tmp_path, RULES) == {stored}
    assert earlier(tmp_path, RULES, [RUN]) is None
