"""A real standalone cluster: the code travels to it, a worker dies in mid-job, and what comes out is what comes out here."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession

from index.snapshot import current
from ingest.lake import Lake
from ingest.pipeline import ingest
from ingest.progress import Progress
from ingest.schemas import DONE_SCHEMA
from ingest.survey import Options
from tests.ingest.articles import article, trace
from tests.ingest.cluster import Cluster, cluster, kb

pytestmark = pytest.mark.spark

NAMES = [f"{first}{second}" for first in ("alpha", "beta", "gamma", "delta") for second in "bcdfghjklm"]
"""Forty problems; an article of each name, and a copy of some."""


@pytest.fixture(scope="module")
def machines(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Cluster]:
    with cluster(tmp_path_factory.mktemp("cluster")) as made:
        made.start_workers("first", "second")
        yield made


@pytest.fixture(scope="module")
def source(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("source")
    for name in NAMES:
        (folder / f"{name}.md").write_text(article(name))
    for name in NAMES[:5]:
        (folder / f"{name}-again.md").write_text(article(name) + "\nPosted again.\n")
    (folder / "minutes.md").write_text("# Minutes\n\nWe had lunch and talked about the summer party.\n")
    lines = [{"id": f"line-{name}", "title": f"{name} fails", "trace": trace(f"line{name}")} for name in NAMES]
    (folder / "lines.jsonl").write_text("\n".join(map(json.dumps, [*lines, {"title": "nothing"}])))
    return folder


@pytest.fixture(scope="module")
def local(spark: SparkSession, source: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:  # noqa: ARG001  ingest uses it
    home = tmp_path_factory.mktemp("local")
    ingest([str(source)], Options(home), Progress())
    return home


def rows(home: Path) -> list[dict[str, Any]]:
    """What the lake holds of each document, in its order; the name of a run is all that may differ."""
    lake = Lake(home)
    batches = lake.rows(lake.documents(), DONE_SCHEMA.names)
    return [row for batch in batches for row in batch.to_pylist()]


def states(home: Path) -> list[tuple[object, ...]]:
    table = Lake(home).documents().drop_columns(["run"]).to_pylist()
    return sorted(tuple(row.values()) for row in table)


def answers(home: Path, queries: Path, *where: str) -> list[dict[str, Any]]:
    with kb(home, "match", str(queries), *where) as command:
        out, err = command.communicate(timeout=300)
    assert command.returncode == 0, err
    return [{key: value for key, value in json.loads(line).items() if key != "took_ms"} for line in out.splitlines()]


def test_a_worker_dies_in_mid_job_and_the_result_is_the_one_of_here(
    machines: Cluster, source: Path, local: Path, tmp_path: Path
) -> None:
    home = tmp_path / "home"
    with kb(home, "ingest", str(source), "--json", *machines.conf()) as command:
        machines.wait_for_tasks("first", 2)
        machines.kill_worker("first")
        out, err = command.communicate(timeout=300)
    assert command.returncode == 0, err
    assert "Lost executor" in (home / "spark.log").read_text()
    summary = json.loads(out)
    assert (summary["accepted"], summary["rejected"]) == (85, 2)
    assert rows(home) == rows(local)
    assert states(home) == states(local)
    # The id of a snapshot is a digest of its entries, in their order, and of the versions of code and model.
    assert current(home).id == current(local).id


def test_many_queries_have_the_same_answers_there(machines: Cluster, local: Path, tmp_path: Path) -> None:
    queries = tmp_path / "queries.jsonl"
    texts = [*(trace(name, line=7) for name in NAMES), "how is the lock file mounted", "", "完全没有关系"]
    queries.write_text("\n".join(json.dumps({"id": at, "text": text}) for at, text in enumerate(texts)))
    here, there = answers(local, queries), answers(local, queries, *machines.conf())
    assert there == here
    assert here[0]["matches"][0]["incident"]["title"] == f"The {NAMES[0]} ledger does not open"
