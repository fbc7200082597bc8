"""What moves when fingerprints change: stored ones were made under one set of rules, the home has another now."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession
from typer.testing import CliRunner

from index.triage_reports import CUT, FOLDER, TriageReport, UnknownGroup, as_json, prints_version
from ingest.regroup.command import app
from kb.errors import SnapshotError
from kb.trace import VERSION, Level, fingerprints, parse
from kb.trace.custom import NONE, CustomRules, read_custom
from kb.trace.in_force import activate, adopted
from tests.api.knowledge import build_home
from tests.ingest.articles import trace

pytestmark = pytest.mark.spark

RULE = "<share> on (alpha|twin|crashed)\\b\n"
CRASHED = trace("alpha").replace("available on alpha", "available on crashed")


@pytest.fixture(autouse=True)
def _no_rules_are_left() -> Iterator[None]:
    yield
    activate(NONE)


@pytest.fixture
def home(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:  # noqa: ARG001  the command uses it
    place = tmp_path / "home"
    monkeypatch.setenv("KB_HOME", str(place))
    (place / "rules").mkdir(parents=True)
    return place


def built(home: Path, rules: CustomRules = NONE) -> None:
    """A snapshot under some rules: two incidents whose traces differ in the message alone, another, and a repost of it."""
    twin = trace("alpha").replace("available on alpha", "available on twin")
    traces = {"alpha": trace("alpha"), "twin": twin, "other": trace("other")}
    records: list[dict[str, object]] = [{"id": n, "title": f"Ledger {n}", "trace": text} for n, text in traces.items()]
    with adopted(rules):
        build_home(home, [*records, {"id": "again", "title": "Once more", "trace": twin, "duplicate_of": "other"}])


def regrouped(*arguments: str) -> dict[str, Any]:
    result = CliRunner().invoke(app, [*arguments, "--json"], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    report: dict[str, Any] = json.loads(result.stdout)
    return report


def crashed(home: Path, *groups: UnknownGroup, prints: str = prints_version(VERSION, NONE.digest)) -> None:
    """A report of groups of crashes."""
    place = home / FOLDER / f"20261127T020000Z-{len(prints):04x}"
    place.mkdir(parents=True)
    unknown = list(groups) or [grouped(CRASHED)]
    (place / "report.json").write_text(as_json(TriageReport(place.name, [], "s", unknown=unknown, prints=prints)))


def grouped(text: str, *others: str, is_noted: bool = True, is_kept: bool = True) -> UnknownGroup:
    """A group as a report keeps it, its fingerprints by the rules in force; ``others``: root causes of its other traces."""
    (chain,) = parse(text)
    prints = fingerprints(chain)
    cause = prints[Level.ROOT_CAUSE].digest
    group = UnknownGroup(id=cause, exact=prints[Level.EXACT].digest, root_causes=sorted([cause, *others]))
    group.text = text if is_kept else ""
    group.root_cause = cause if is_noted else ""
    return group


def test_nothing_moves_where_nothing_changed(home: Path) -> None:
    built(home)
    crashed(home)
    report = regrouped()
    assert report["versions"] == [str(VERSION), str(VERSION)]
    assert (report["incidents"], report["crash_groups"], report["examples"]) == (3, 1, [])
    levels = {one.pop("level"): one for one in report["moves"]}
    assert levels["root_cause"] == {"before": 4, "after": 4, "together": 0, "apart": 0, "incidents": 0, "crash_groups": 0}  # fmt: skip
    assert levels["loose"]["before"] == levels["loose"]["after"] == 2
    shown = CliRunner().invoke(app, ["-o", str(home / "re port")]).stdout
    assert "root_cause" in shown
    assert {path.name for path in (home / "re port").iterdir()} == {"report.json", "moves.parquet"}


def test_who_comes_together(home: Path) -> None:
    """A rule that takes the name of the share out of the message makes one problem of two incidents and a crash group."""
    built(home)
    crashed(home)
    (home / "rules" / "messages.txt").write_text(RULE)
    report = regrouped()
    levels = {one.pop("level"): one for one in report["moves"]}
    moved = {"before": 4, "after": 2, "together": 1, "apart": 0, "incidents": 2, "crash_groups": 1}
    still = {"before": 2, "after": 2, "together": 0, "apart": 0, "incidents": 0, "crash_groups": 0}
    assert levels == {"exact": moved, "root_cause": moved, "loose": still}
    (exact, root_cause) = report["examples"]
    assert (exact["level"], root_cause["level"], exact["change"]) == ("exact", "root_cause", "together")
    (crash, *incidents) = exact["members"]
    assert crash.startswith("crash:")
    assert incidents == ["incident:alpha", "incident:twin"]
    (run,) = (home / "regroup").iterdir()
    rows = pq.read_table(run / "moves.parquet").to_pylist()
    assert sorted(row["level"] for row in rows) == ["exact", "root_cause"]
    assert rows[0]["members"] == exact["members"]
    assert json.loads((run / "report.json").read_text())["incidents"] == 3


def test_who_comes_apart(home: Path) -> None:
    """The same without the rule that the snapshot was built under."""
    built(home, read_custom({"messages.txt": RULE}))
    report = regrouped()
    assert {one["level"]: (one["together"], one["apart"]) for one in report["moves"]} == {"exact": (0, 1), "root_cause": (0, 1), "loose": (0, 0)}  # fmt: skip
    assert report["examples"][0] == {
        "level": "exact",
        "change": "apart",
        "members": ["incident:alpha", "incident:twin"],
    }
    assert report["versions"][0].startswith(f"{VERSION}-")
    assert report["versions"][1] == str(VERSION)


def test_a_crash_group_without_its_trace_is_counted(home: Path) -> None:
    built(home)
    cut = grouped(trace("third"))
    cut.text += f"\n    {CUT}\n"
    crashed(home, grouped(CRASHED, is_kept=False), cut)
    report = regrouped()
    assert (report["crash_groups"], report["without_text"]) == (0, 2)


@pytest.mark.parametrize("is_noted", [True, False])
@pytest.mark.slow
def test_groups_that_share_a_cause_of_other_traces_stay(home: Path, *, is_noted: bool) -> None:
    """Same version, same rules: nothing moves, whatever traces beside the kept one belong to a group."""
    built(home)
    shared = "5" * 32
    groups = [grouped(text, shared, is_noted=is_noted) for text in (CRASHED, trace("third"))]
    crashed(home, *groups)
    report = regrouped()
    assert (report["crash_groups"], report["examples"]) == (2, [])
    levels = {one["level"]: (one["before"], one["after"], one["crash_groups"]) for one in report["moves"]}
    assert levels["exact"] == (5, 5, 0)
    assert levels["root_cause"] == ((5, 5, 0) if is_noted else (3, 3, 0))


def test_reports_of_other_fingerprints_are_counted_and_left_out(home: Path) -> None:
    built(home)
    crashed(home)
    crashed(home, prints=f"{VERSION}-another")
    crashed(home, prints="")
    report = regrouped()
    assert (report["crash_groups"], report["other_reports"]) == (1, 2)


def test_without_a_snapshot_it_says_so(home: Path) -> None:  # noqa: ARG001
    with pytest.raises(SnapshotError):
        CliRunner().invoke(app, [], catch_exceptions=False)
