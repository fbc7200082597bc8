"""A triage of generated crashes: every crash is counted once, equal ones are answered once, and what is new is told."""

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner, Result

from index.triage_reports import TriageReports
from ingest.triage.command import app
from kb.article import read_article
from kb.errors import SourceError
from tests.ingest.articles import trace

pytestmark = pytest.mark.spark

LEDGER = "\n".join(
    [
        "java.lang.IllegalStateException: ledger 77 is closed",
        *(f"\tat com.acme.ledger.{name}.post({name}.java:{line})" for name, line in (("Book", 9), ("Entry", 30), ("Store", 81))),
    ]
)  # fmt: skip
PYTHON = 'Traceback (most recent call last):\n  File "/srv/pay/card.py", line {line}, in charge\n    raise Refused(code)\npay.card.Refused: card {card} refused'


@pytest.fixture
def home(ingested: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The same knowledge base with a folder of reports of its own."""
    own = tmp_path / "home"
    own.mkdir()
    for entry in ingested.iterdir():
        (own / entry.name).symlink_to(entry)
    monkeypatch.setenv("KB_HOME", str(own))
    return own


def run(*arguments: str | Path) -> Result:
    return CliRunner().invoke(app, [str(one) for one in arguments], catch_exceptions=False)


def triaged(*arguments: str | Path) -> dict[str, Any]:
    result = run(*arguments, "--json")
    assert result.exit_code == 0, result.output
    report: dict[str, Any] = json.loads(result.stdout)
    return report


def crash(text: str, n: int) -> dict[str, Any]:
    return {"@timestamp": f"2026-11-{1 + n % 28:02}T04:00:00Z", "text": text, "service": {"version": f"1.{n % 3}"}, "host": f"web-{n % 5}"}  # fmt: skip


def crashes(seed: int = 7) -> list[dict[str, Any]]:
    """200 crashes of four problems, of which two are known, in any order."""
    kinds = [
        *([lambda n: trace("alpha", line=n)] * 5),
        *([lambda n: f"request {n}\n{trace('beta')}"] * 3),
        *([lambda n: PYTHON.format(line=40 + n % 2, card=n)] * 8),
        *([lambda n: LEDGER.replace("77", str(n))] * 4),
    ]
    rows = [crash(kinds[n % len(kinds)](n), n) for n in range(200)]
    random.Random(seed).shuffle(rows)
    return rows


def written(path: Path, rows: list[dict[str, Any]]) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


def of(report: dict[str, Any], kind: str) -> dict[str, int]:
    return {one["title"] if kind == "known" else str(one["type"]): one["crashes"] for one in report[kind]}


@pytest.mark.usefixtures("home")
def test_every_crash_is_counted_where_it_belongs(tmp_path: Path) -> None:
    lines = written(tmp_path / "crashes.jsonl", crashes())
    with lines.open("a") as file:
        file.write('no report\n{"text": "How do I brew tea?"}\n')
    report = triaged(lines)
    assert (report["crashes"], report["unread"], report["without_error"]) == (201, 1, 1)
    assert sorted(of(report, "known").values()) == [30, 50]
    assert of(report, "unknown") == {"pay.card.Refused": 80, "java.lang.IllegalStateException": 40}
    assert (
        sum(one["crashes"] for one in report["known"] + report["unknown"]) + report["without_error"]
        == report["crashes"]
    )
    (first, *_) = report["unknown"]
    assert (first["first"], first["last"]) == ("2026-11-01T04:00:00Z", "2026-11-28T04:00:00Z")
    assert first["versions"] == ["1.0", "1.1", "1.2"]
    assert first["hosts"] == [f"web-{n}" for n in range(5)]
    assert first["is_new"] is None
    assert first["template"] == "card <int> refused"
    assert report["distinct"] == 4


@pytest.mark.usefixtures("home")
@pytest.mark.slow
def test_every_form_of_source_gives_the_same_groups(tmp_path: Path) -> None:
    """JSON lines, Parquet, and a log, all in one folder each."""
    rows = crashes()
    (tmp_path / "lines").mkdir()
    written(tmp_path / "lines/a.jsonl", rows[:90])
    written(tmp_path / "lines/b.ndjson", rows[90:])
    (tmp_path / "table").mkdir()
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "table/crashes.parquet")
    (tmp_path / "log").mkdir()
    log = "".join(f"{row['@timestamp'][:10]} 04:00:00,000 ERROR failed\n{row['text']}\n" for row in rows)
    (tmp_path / "log/app.log").write_text(log)
    (tmp_path / "log/torn.log.gz").write_bytes(b"\x1f\x8b no gzip at all")
    reports = [triaged(tmp_path / form) for form in ("lines", "table", "log")]
    counts = [{kind: of(report, kind) for kind in ("known", "unknown")} for report in reports]
    assert counts[0] == counts[1] == counts[2]
    assert [report["unread"] for report in reports] == [0, 0, 1], (
        "a file that cannot be read is counted, and the others are read"
    )
    assert sum(counts[0]["known"].values()) == 80


@pytest.mark.slow
def test_the_second_run_tells_what_is_new(home: Path, tmp_path: Path) -> None:
    rows = crashes()
    triaged(written(tmp_path / "monday.jsonl", [row for row in rows if "Refused" not in row["text"]]))
    report = triaged(written(tmp_path / "tuesday.jsonl", rows))
    assert {str(one["type"]): one["is_new"] for one in report["unknown"]} == {
        "pay.card.Refused": True,
        "java.lang.IllegalStateException": False,
    }
    reports = TriageReports(home)
    assert reports.runs()[0] == report["run"]
    assert len(reports.runs()) == 2
    assert reports.summary(report["run"]) == reports.report(report["run"]).summary()
    assert (reports.summary(report["run"]).new_groups, reports.summary(reports.runs()[1]).new_groups) == (1, None)
    assert "pay.card.Refused" in (reports.draft(report["run"], report["unknown"][0]["id"]) or "")


def test_the_folder_holds_page_drafts_and_crashes(home: Path, tmp_path: Path) -> None:  # noqa: ARG001
    secret = crash(PYTHON.format(line=1, card="4") + "\npassword=hunter2hunter2 <script>alert(1)</script>", 1)
    output = tmp_path / "re port [1]"
    result = run(written(tmp_path / "c.jsonl", [*crashes(), secret]), "-o", output)
    assert result.exit_code == 0
    assert "crashes" in result.stdout
    assert str(output / "report.html") in result.stdout
    page = (output / "report.html").read_text()
    assert "card &lt;int&gt; refused" in page
    assert "<script>alert" not in page
    assert "hunter2" not in "".join(path.read_text(errors="replace") for path in output.rglob("*") if path.suffix in {".html", ".json", ".md"})  # fmt: skip
    drafts = sorted((output / "drafts").iterdir())
    assert len(drafts) == 2
    for path in drafts:
        (incident,) = read_article(path.read_bytes(), path.name).incidents
        assert incident.traces
        assert incident.status == "draft"
    table = pq.read_table(output / "crashes.parquet")
    assert table.num_rows == 201
    assert Counter(table["verdict"].to_pylist())["unknown"] + Counter(table["verdict"].to_pylist())["related"] == 121
    assert {path.name for path in output.iterdir()} == {
        "report.html",
        "report.json",
        "summary.json",
        "files.json",
        "drafts",
        "crashes.parquet",
    }
    with pytest.raises(SourceError, match="there already"):
        run(tmp_path / "c.jsonl", "-o", output)


@pytest.mark.usefixtures("home")
def test_a_source_that_cannot_be_read_is_told_and_leaves_nothing(tmp_path: Path) -> None:
    from kb.errors import SourceError

    (tmp_path / "empty").mkdir()
    for source in (tmp_path / "gone.jsonl", tmp_path / "empty", "s3a://bucket/logs"):
        with pytest.raises(SourceError):
            run(source)
    (tmp_path / "bad.parquet").write_bytes(b"no parquet")
    with pytest.raises(Exception, match="parquet"):
        run(tmp_path / "bad.parquet", "-o", tmp_path / "out")
    assert not list(tmp_path.glob("*out*"))
