"""Exports and archives beside articles, from end to end: every record is accepted or rejected, and changes redo only themselves."""

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from pyspark.sql import SparkSession

from index import Engine
from ingest.lake import Lake
from ingest.pipeline import Options, ingest
from ingest.progress import StageProgress
from ingest.summary import Summary
from tests.ingest.articles import article, trace
from tests.ingest.sources.test_archives import tarred, zipped

pytestmark = pytest.mark.spark

Write = Callable[[dict[str, str | bytes]], Path]
EXPORTS = Path(__file__).parents[1] / "golden" / "exports"


@pytest.fixture
def run(spark: SparkSession, tmp_path: Path) -> Callable[[Path], Summary]:  # noqa: ARG001  ingest uses it
    return lambda source: ingest([str(source)], Options(tmp_path / "home"), StageProgress())


def issue(number: int, name: str, **more: object) -> dict[str, object]:
    body = f"It fails:\n```\n{trace(name)}```\n"
    url = f"https://github.com/acme/{name}/issues/{number}"
    return {"number": number, "url": url, "title": f"{name} fails", "body": body, "comments": [], **more}


@pytest.mark.slow
def test_everything_at_once(run: Callable[[Path], Summary], folder: Write, tmp_path: Path):
    github = [issue(1, "alpha"), issue(2, "beta")]
    source = folder(
        {
            "articles/gamma.md": article("gamma"),
            "issues.json": json.dumps(github),
            "broken.jsonl": f"{json.dumps(issue(3, 'delta'))}\n{{no json\n",
            "pages.zip": zipped({"epsilon.md": article("epsilon").encode(), "../evil.md": b"x", "x.png": b"x"}),
            "lines.tar.gz": tarred({"in.jsonl": json.dumps(issue(4, "zeta")).encode()}, "w:gz"),
            "torn.md.gz": gzip.compress(article("eta").encode())[:-9],
            "settings.json": "{}",
        }
    )
    for file in EXPORTS.glob("*[!d].*"):
        if not file.name.endswith(".read.json"):
            shutil.copy(file, source)
    first = run(source)
    assert first.read == first.accepted + first.rejected
    rejected = {row["path"]: row["reason"] for row in pq.read_table(first.rejected_table).to_pylist()}
    assert {
        path: rejected[path] for path in ("pages.zip!/../evil.md", "pages.zip!/x.png", "torn.md.gz", "settings.json")
    } == {
        "pages.zip!/../evil.md": "unsafe",
        "pages.zip!/x.png": "unsupported",
        "torn.md.gz": "unreadable",
        "settings.json": "unsupported",
    }
    places = found(tmp_path / "home", "alpha", "beta", "gamma", "delta", "epsilon", "zeta")
    assert places["alpha"] == "issues.json#acme/alpha#1"
    assert (places["gamma"], places["epsilon"]) == ("articles/gamma.md", "pages.zip!/epsilon.md")
    assert places["delta"].startswith("broken.jsonl#")
    assert places["zeta"].startswith("lines.tar.gz!/in.jsonl#")
    again = run(source)
    assert (again.done_now, again.published, again.read) == (0, False, first.read)
    folder({"issues.json": json.dumps([issue(2, "beta", title="Beta fails each night"), issue(5, "theta")])})
    changed = run(source)
    assert (changed.done_now, changed.removed, changed.unchanged) == (2, 1, first.read - 2)
    states = Lake(tmp_path / "home").documents().select(["path", "status"]).to_pylist()
    assert [row["path"] for row in states if row["status"] == "removed"] == ["issues.json#acme/alpha#1"]


def found(home: Path, *names: str) -> dict[str, str]:
    engine = Engine.open(home)
    try:
        return {name: engine.search(trace(name)).matches[0].incident.source.path for name in names}
    finally:
        engine.close()


def test_a_torn_file_keeps_what_was_known(run: Callable[[Path], Summary], folder: Write):
    data = json.dumps([issue(n, name) for n, name in enumerate(("alpha", "beta", "gamma"))]).encode()
    source = folder({"issues.json": data})
    assert (before := run(source)).incidents == 3
    folder({"issues.json": data[: len(data) * 2 // 3]})
    torn = run(source)
    assert (torn.incidents, torn.removed, torn.rejected_by_reason) == (
        before.incidents,
        0,
        {"invalid_record": 1, "unreadable": 1},
    )
