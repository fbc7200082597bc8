"""The report of a triage on the terminal and as a page, of rows as the search answers them; no Spark runs."""

from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest
from selectolax.lexbor import LexborHTMLParser

from index.triage_reports import TriageReport, UnknownGroup
from ingest.triage.command import _print, _write, draft
from ingest.triage.report import fill

SEEN: dict[str, Any] = {"first": None, "last": None, "versions": [], "hosts": [], "host_count": 0}


def row(verdict: str, name: str, crashes: int, **more: object) -> dict[str, Any]:
    answer = {"fine_verdict": verdict, "incident": name, "title": f"Title of {name}", "probability": 0.8}
    error = {"runtime": "text", "type": None, "template": "Runner is gone"}
    return SEEN | answer | error | {"exact": name, "root_cause": name, "crashes": crashes} | more


@pytest.fixture
def report() -> TriageReport:
    made = TriageReport("run", ["a.jsonl"], "snapshot", crashes=20, unread=1)
    rows = [row("known", "disk", 9), row("probable", "lock", 6), row("unknown", "nobody", 5)]
    fill(made, rows, {"nobody": "nobody"}, None)
    return made


def test_times_are_in_iso_8601_and_utc() -> None:
    """Spark gives them in the zone of its session, and a year before 1000 has four digits, too."""
    made = TriageReport("run", [], "snapshot")
    there = timezone(timedelta(hours=8))
    times = {"first": datetime(999, 1, 1, 8, tzinfo=there), "last": datetime(2026, 11, 23, 12, 5, 6, tzinfo=there)}
    fill(made, [row("unknown", "nobody", 5, **times)], {"nobody": "nobody"}, None)
    assert (made.unknown[0].first, made.unknown[0].last) == ("0999-01-01T00:00:00Z", "2026-11-23T04:05:06Z")


def test_known_and_probable_are_printed_apart(report: TriageReport, capsys: pytest.CaptureFixture[str]) -> None:
    _print(report, Path("out"))
    shown = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    assert shown[1:] == [
        "known 9 by 1 incident",
        "9 Title of disk [disk]",
        "probable 6 by 1 incident",
        "6 Title of lock [lock]",
        "unknown 5 in 1 group",
        "5 Runner is gone",
        "unread 1 not JSON, without a text, too long, or a file that could not be read",
        "report out/report.html (0.0 s)",
    ]


def test_the_page_lists_them_apart_in_both_languages(report: TriageReport, tmp_path: Path) -> None:
    _write(report, tmp_path)
    sections = LexborHTMLParser((tmp_path / "report.html").read_text(encoding="utf-8")).css("section")
    heads = [[part.text() for part in section.css("h2 span")] for section in sections]
    assert {tuple(sorted(head)) for head in heads[1:]} == {
        ("Known incidents", "已知故障"),
        ("Probable incidents", "很可能的故障"),
    }
    listed = [[code.text() for code in section.css("tbody code")] for section in sections[1:]]
    assert listed == [["disk"], ["lock"]]
    assert sections[0].css_first("summary .what").text().strip() == "Runner is gone"  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("type_", "template", "headline"),
    [("a.B", "is gone", "a.B: is gone"), (None, "is gone", "is gone"), ("a.B", None, "a.B"), (None, None, "text")],
)
def test_a_headline_names_no_runtime_where_there_is_more(
    type_: str | None, template: str | None, headline: str
) -> None:
    group = UnknownGroup(id="f" * 64, runtime="text", type=type_, template=template, text="is gone")
    assert group.headline == headline
    assert draft(group).title == headline


def test_one_is_not_told_as_many(tmp_path: Path) -> None:
    made = TriageReport("run", [], "snapshot", crashes=1)
    fill(made, [row("unknown", "nobody", 1)], {"nobody": "nobody"}, None)
    _write(made, tmp_path)
    shown = LexborHTMLParser((tmp_path / "report.html").read_text(encoding="utf-8"))
    words = [part.text() for part in shown.css("main [lang]")]
    assert {"crash report", "unknown group", "trace", "份崩溃报告", "组未知崩溃", "种堆栈"} <= set(words)
    assert not {"crash reports", "unknown groups", "different traces"} & set(words)
    assert draft(made.unknown[0]).symptom == "1 crash."


def test_the_page_names_files_that_could_not_be_read_in_both_languages(report: TriageReport, tmp_path: Path) -> None:
    report.unread_files, report.unread_file_count = [f"{n}.jsonl is <b>not</b> read" for n in range(20)], 1_023
    assert report.summary().unread_files == report.unread_files
    assert report.summary().unread_file_count == 1_023
    _write(report, tmp_path)
    shown = LexborHTMLParser((tmp_path / "report.html").read_text(encoding="utf-8"))
    words = [part.text() for part in shown.css(".unread li code")]
    assert words == report.unread_files
    assert shown.css(".unread li")[-1].text() == "1,003 more个未列出"
    heads = {part.text() for part in shown.css(".unread summary .what > span")}
    assert heads == {"files could not be read, or not to their end", "个文件未能读取或未能读完"}
