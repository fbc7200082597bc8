"""Ingesting whole folders: what comes in, what is refused, and what a second run does with what changed."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from index import Engine
from index.storage.snapshot import current, list_snapshots
from ingest.lake import Lake, LakeError
from ingest.pipeline import ingest
from ingest.progress import StageProgress
from ingest.schemas import STATED_FIELDS
from ingest.sources.formats import DocumentFormat
from ingest.summary import Summary
from ingest.survey import Options
from kb.errors import SourceError
from tests.ingest.articles import article, trace
from tests.ingest.sources.test_archives import zipped

pytestmark = pytest.mark.spark

Write = Callable[[dict[str, str | bytes]], Path]


@pytest.fixture
def run(spark: SparkSession, tmp_path: Path) -> Callable[..., Summary]:  # noqa: ARG001  ingest uses it
    """Ingests with the running session into ``tmp_path/home``."""

    def go(*places: Path | str, **other: Any) -> Summary:
        options = Options(tmp_path / "home", **other)
        return ingest([str(place) for place in places], options, StageProgress())

    return go


def first_id(home: Path, text: str) -> str | None:
    engine = Engine.open(home)
    try:
        matches = engine.search(text).matches
        return matches[0].incident.source.path if matches else None
    finally:
        engine.close()


def record(**fields: object) -> str:
    return json.dumps(fields, ensure_ascii=False)


HTML = "<html><head><title>Router gives up</title></head><body><h1>Router gives up</h1><h2>Cause</h2><p>The routing table is full.</p></body></html>"
FILES: dict[str, str | bytes] = {
    "good.md": article("alpha"),
    "page.html": HTML,
    "story.txt": "数据库连接失败的排查\n\n现象\n服务启动报错，连接超时。\n\n原因\n防火墙丢弃了空闲连接。\n\n解决\n打开保活。\n",
    "lines.jsonl": "\n".join(
        [
            record(id="beta-1", title="Beta fails", trace=trace("beta"), root_cause="Disk full", fix="Add a disk"),
            '{"title": "no end',
            record(symptom="nameless"),
            '["a list"]',
            '{"title": "deep error", "x": ' + "[" * 100_000 + "]" * 100_000 + "}",
            '{"title": "half an emoji \\ud83d fails", "root_cause": "cut in the middle"}',
        ]
    ),
    "picture.scan": b"\x89PNG\r\n\x1a\n" + bytes(range(256)) * 40,
    "photo.png": b"\x89PNG",
    "empty.md": b"  \n",
    "minutes.md": "# Minutes\n\nWe had lunch and talked about the summer party. Everybody was happy.\n",
    "wide.txt": "".join(f"{line}\r\n" for line in trace("utf16").splitlines()).encode("utf-16"),
}


def test_a_folder_of_everything(run: Callable[..., Summary], folder: Write, tmp_path: Path):
    summary = run(folder(FILES))
    assert (summary.read, summary.accepted, summary.rejected) == (14, 6, 8)
    assert summary.rejected_by_reason == {
        "invalid_record": 3,
        "binary": 1,
        "empty": 1,
        "no_problem": 1,
        "unsupported": 1,
        "failed": 1,
    }
    rejected = pq.read_table(summary.rejected_table).to_pylist()
    by_reason = {row["reason"]: row for row in rejected}
    assert by_reason["failed"]["detail"].startswith("RecursionError")
    assert by_reason["failed"]["line"] == 5
    assert by_reason["no_problem"]["path"] == "minutes.md"
    assert summary.incidents == 6
    for name, path in (("alpha", "good.md"), ("utf16", "wide.txt")):
        assert first_id(tmp_path / "home", trace(name, line=99)) == path


def test_a_second_run_only_lists_the_sources(run: Callable[..., Summary], folder: Write, tmp_path: Path):
    source = folder({"a.md": article("alpha"), "b.md": b""})

    def files() -> dict[Path, int]:
        """All but the lock, which names its last holder."""
        found = (path for path in (tmp_path / "home").rglob("*") if path.is_file() and path.name != ".lock")
        return {path: path.stat().st_mtime_ns for path in found}

    first = run(source)
    before = files()
    second = run(source)
    assert files() == before
    assert (second.published, second.done_now, second.unchanged, second.spark_start_seconds) == (False, 0, 2, 0.0)
    assert (second.read, second.accepted, second.rejected_by_reason) == (2, 1, {"empty": 1})
    assert second.snapshot == first.snapshot


def test_only_changed_documents_are_read_and_deleted_ones_leave(
    run: Callable[..., Summary], folder: Write, tmp_path: Path
):
    source = folder({f"{name}.md": article(name) for name in ("alpha", "beta", "gamma")})
    run(source)
    (source / "alpha.md").unlink()
    folder({"beta.md": article("delta"), "new.md": article("epsilon")})
    summary = run(source)
    assert (summary.done_now, summary.unchanged, summary.removed) == (2, 1, 1)
    assert (summary.read, summary.accepted, summary.incidents) == (3, 3, 3)
    home = tmp_path / "home"
    assert [first_id(home, trace(name)) for name in ("gamma", "delta", "epsilon")] == ["gamma.md", "beta.md", "new.md"]
    assert {"alpha.md": "removed"}.items() <= statuses(home).items()
    assert first_id(home, trace("alpha")) != "alpha.md"
    folder({"alpha.md": article("alpha")})
    assert run(source).done_now == 1
    assert first_id(home, trace("alpha")) == "alpha.md"


def statuses(home: Path) -> dict[str, str]:
    return {row["path"]: row["status"] for row in Lake(home).documents().to_pylist()}


def test_two_sources_live_in_one_lake(run: Callable[..., Summary], tmp_path: Path):
    for name in ("alpha", "beta"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "index.md").write_text(article(name))
    run(tmp_path / "alpha")
    summary = run(tmp_path / "beta")
    assert (summary.read, summary.incidents, summary.removed) == (1, 2, 0)
    engine = Engine.open(tmp_path / "home")
    ids = {name: engine.search(trace(name)).matches[0].incident.id for name in ("alpha", "beta")}
    engine.close()
    assert ids["beta"].startswith(ids["alpha"])
    assert ids["beta"] != ids["alpha"]


def test_reposts_are_collapsed_and_the_complete_one_stands_for_them(
    run: Callable[..., Summary], folder: Write, tmp_path: Path
):
    whole = article("alpha", " ".join(f"which log {i} of host {i * 7} shows at line {i * 13}" for i in range(40)))
    repost = whole.replace("## Fix\n", "## Fix\n\nSeen on another page. ").replace("title: The", "title: Repost, the")
    torn = whole[: whole.index("## Fix")]
    summary = run(folder({"b/repost.md": repost, "a/torn.md": torn, "whole.md": whole, "other.md": article("beta")}))
    assert summary.incidents == 4
    assert summary.duplicates == 2
    engine = Engine.open(tmp_path / "home")
    matches = engine.search(trace("alpha")).matches
    best = engine.incident(matches[0].incident.id)
    assert best is not None
    others = [engine.incident(other.id) for other in matches[0].also]
    engine.close()
    paths = [match.incident.source.path for match in matches]
    assert paths[0] in {"whole.md", "b/repost.md"}
    told = {"whole.md", "b/repost.md", "a/torn.md"}
    assert len(told & set(paths)) == 1
    assert {other.source.path for other in others if other} == told - {paths[0]}
    assert {other.duplicate_of for other in others if other} == {best.id}
    assert {repost.url for repost in best.reposts} == told - {paths[0]}
    report = json.loads((tmp_path / "home" / "reports" / "latest.json").read_text())
    (group,) = report["groups"]
    assert [group["canonical"]["path"], *(one["path"] for one in group["others"])][0] == paths[0]
    assert {one["path"]: one["why"] for one in group["others"]}["a/torn.md"] == "complete"


def test_a_run_that_publishes_leaves_its_report(run: Callable[..., Summary], folder: Write, tmp_path: Path):
    source = folder({**FILES, "unsolved.md": "# Beta fails\n\nAn error came up, and nobody knows why.\n"})
    summary = run(source)
    report = json.loads((tmp_path / "home" / "reports" / "latest.json").read_text())
    assert summary.report == str(tmp_path / "home" / "reports" / f"{report['run']}.html")
    assert report["summary"]["report"] == summary.report
    assert f"{summary.accepted} / {summary.read}" in Path(summary.report).read_text()
    counted = {row["lang"]: row for row in report["coverage"]}
    assert sum(row["incidents"] for row in counted.values()) == summary.incidents == 7
    assert {row["source"] for row in counted.values()} == {str(source)}
    assert counted["zh"] == {
        "source": str(source),
        "lang": "zh",
        "incidents": 1,
        "with_trace": 0,
        "with_cause": 1,
        "with_fix": 1,
    }
    assert sum(row["with_trace"] for row in counted.values()) == 3
    assert sum(row["with_fix"] for row in counted.values()) == 3
    (share,) = report["sources"]
    assert (share["accepted"], share["rejected"], share["incidents"]) == (7, 8, 7)
    assert share["bytes"] == report["bytes"]["listed"]
    assert {"listing", "reading documents", "finding duplicates"} <= report["seconds"].keys()
    again = run(source)
    assert (again.published, again.report) == (False, str(tmp_path / "home" / "reports" / "latest.html"))


@pytest.mark.slow
def test_a_report_that_cannot_be_written_undoes_nothing(run: Callable[..., Summary], folder: Write, tmp_path: Path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "reports").write_text("in the way")
    summary = run(folder({"a.md": article("alpha")}))
    assert (summary.published, summary.report) == (True, None)
    assert "the report could not be written" in summary.notes[0]


def test_full_reads_everything_again(run: Callable[..., Summary], folder: Write):
    source = folder({"a.md": article("alpha")})
    first = run(source)
    second = run(source, full=True)
    assert (second.done_now, second.published) == (1, True)
    assert second.snapshot == first.snapshot  # the same input gives the same snapshot


def test_a_form_asked_for_is_another_reading(run: Callable[..., Summary], folder: Write):
    source = folder({"a.json": record(id="x-1", title="X fails", component="web")})
    with pytest.raises(SourceError, match="no incident was found"):
        run(source)
    assert run(source, form=DocumentFormat.JSONL).accepted == 1


@pytest.mark.slow
def test_taking_all_is_kept_for_later_runs(run: Callable[..., Summary], folder: Write, tmp_path: Path):
    """A list of links is refused; forced in, it stays until somebody takes that back, or whoever else is listed."""
    links = "".join(f"- [Why parcels of {day} fail](parcels.md#{day})\n" for day in ("monday", "friday", "sunday"))
    source = folder({"a.md": article("alpha"), "links.md": f"# Common pages\n\n{links}"})
    first, again = run(source), run(source)
    assert (first.accepted, first.rejected_by_reason) == (1, {"links": 1})
    assert (again.done_now, again.published) == (0, False)
    forced, second = run(source, keep_all=True), run(source, keep_all=True)
    assert (forced.accepted, forced.done_now, second.done_now, second.notes) == (2, 2, 0, [])
    later = run(source)
    assert (later.accepted, later.done_now, later.published) == (2, 0, False)
    assert run(source, full=True).accepted == 2
    other = tmp_path / "elsewhere"
    other.mkdir()
    (other / "links.md").write_text(f"# Pages of another house\n\n{links}")
    (other / "b.md").write_text(article("beta"))
    assert run(other).rejected_by_reason == {"links": 1}
    assert (run(source, keep_all=False).done_now, run(source).done_now) == (2, 0)


@pytest.mark.slow
def test_another_model_makes_the_entries_anew_without_the_sources(
    run: Callable[..., Summary], folder: Write, tmp_path: Path
):
    """What was made by another version is found by its version, here written into the lake's own state; it knew fewer columns."""
    source = folder({"a.md": article("alpha"), "b.md": article("beta"), "c.md": b""})
    before = run(source)
    lake = Lake(tmp_path / "home")
    with lake.locked():
        state = lake.documents()
        old = state.set_column(state.schema.get_field_index("indexer"), "indexer", [["another"] * state.num_rows])
        lake.commit(old)
    for file in (tmp_path / "home" / "lake" / "runs").rglob("*.parquet"):
        pq.write_table(pq.read_table(file).drop_columns([field.name for field in STATED_FIELDS]), file)
        file.with_name(f".{file.name}.crc").unlink()
    (source / "a.md").write_text(article("gamma"))
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "d.md").write_text(article("delta"))
    after = run(elsewhere)
    assert (after.read, after.done_now, after.incidents) == (1, 1, 3)
    assert first_id(tmp_path / "home", trace("alpha")) == "a.md"
    indexers = {
        row["indexer"] for row in Lake(tmp_path / "home").documents().to_pylist() if row["status"] == "accepted"
    }
    assert len(indexers) == 1
    assert "another" not in indexers
    coverage = json.loads((tmp_path / "home" / "reports" / "latest.json").read_text())["coverage"]
    assert [(row["incidents"], row["with_trace"], row["with_cause"], row["with_fix"]) for row in coverage] == [
        (2, 2, 2, 2),
        (1, 1, 1, 1),
    ]
    assert before.snapshot != after.snapshot


def test_a_source_that_is_suddenly_empty_is_not_believed(run: Callable[..., Summary], folder: Write, tmp_path: Path):
    source = folder({"a.md": article("alpha")})
    other = tmp_path / "other"
    other.mkdir()
    (other / "b.md").write_text(article("beta"))
    run(source, other)
    (source / "a.md").unlink()
    with pytest.raises(SourceError, match="holds no documents any more"):
        run(source)
    assert first_id(tmp_path / "home", trace("alpha")) == "a.md"
    assert run(source, full=True).removed == 1


def test_a_snapshot_that_is_gone_is_built_again_from_the_lake(
    run: Callable[..., Summary], folder: Write, tmp_path: Path
):
    source = folder({"a.md": article("alpha")})
    first = run(source)
    (tmp_path / "home" / "CURRENT").unlink()
    second = run(source)
    assert (second.done_now, second.published, second.snapshot) == (0, True, first.snapshot)


@pytest.mark.slow
def test_an_operators_rollback_stays_until_something_changes(
    run: Callable[..., Summary], folder: Write, tmp_path: Path
):
    home = tmp_path / "home"
    source = folder({"a.md": article("alpha")})
    first = run(source)
    folder({"b.md": article("beta")})
    run(source)
    (home / "CURRENT").write_text(f"{first.snapshot}\n")
    assert not run(source).published
    assert current(home).id == first.snapshot
    folder({"c.md": article("gamma")})
    assert run(source).published
    assert current(home).id != first.snapshot


@pytest.mark.slow
def test_many_small_runs_are_written_together(run: Callable[..., Summary], folder: Write, tmp_path: Path):
    for count, name in enumerate(("alpha", "beta", "gamma", "delta"), start=1):
        summary = run(folder({f"{name}.md": article(name)}), max_runs=2)
        assert summary.incidents == count
        manifest = Lake(tmp_path / "home").manifest
        assert len(manifest.runs) <= 2
        assert manifest.compared is not None
        assert (manifest.compared.runs, manifest.compared.documents) == (manifest.runs, manifest.documents)
    assert [first_id(tmp_path / "home", trace(name)) for name in ("alpha", "delta")] == ["alpha.md", "delta.md"]
    assert len(list_snapshots(tmp_path / "home")) == 4
    again = run(folder({}))
    assert (again.published, again.incidents) == (False, 4)


def test_two_runs_at_once_are_one_too_many(run: Callable[..., Summary], folder: Write, tmp_path: Path):
    source = folder({"a.md": article("alpha")})
    with Lake(tmp_path / "home").locked(), pytest.raises(LakeError, match="another run is writing"):
        run(source)


@pytest.mark.slow
def test_a_url_is_listed_and_read_by_spark(
    spark: SparkSession, run: Callable[..., Summary], folder: Write, tmp_path: Path
):
    """By Hadoop's own mount table, which needs no server."""
    lines = f"{record(id='g-1', title='Gamma fails', trace=trace('gamma'))}\n{{}}\n".encode()
    files = {"deep/a.md": article("alpha"), "b [1].md": article("beta"), "c.png": b"x", "d.jsonl": lines}
    source = folder({**files, "e.zip": zipped({"x.md": article("delta").encode()}), "f.xml": b"<project/>"})
    mount = "fs.viewfs.mounttable.kb.link./articles"
    spark.sparkContext._jsc.hadoopConfiguration().set(mount, f"file://{source}")
    summary = run("viewfs://kb/articles")
    assert (summary.read, summary.accepted) == (7, 4)
    assert summary.rejected_by_reason == {"unsupported": 2, "invalid_record": 1}
    home = tmp_path / "home"
    assert [first_id(home, trace(name)) for name in ("beta", "gamma", "delta")] == ["b [1].md", "g-1", "e.zip!/x.md"]
    assert run("viewfs://kb/articles").done_now == 0


def test_a_file_url_is_a_local_path(run: Callable[..., Summary], folder: Write):
    assert run(f"file://{folder({'a b.md': article('alpha')})}".replace(" ", "%20")).read == 1
