"""A real standalone cluster: the code travels to it, a worker dies in mid-job, and what comes out is what comes out here."""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from typer.testing import CliRunner

from index.storage.snapshot import current
from ingest.lake import Lake
from ingest.match import app as match
from ingest.pipeline import ingest
from ingest.progress import StageProgress
from ingest.schemas import DONE_SCHEMA
from ingest.survey import Options
from tests.ingest.articles import article, trace
from tests.ingest.cluster import cluster, driving

pytestmark = [pytest.mark.spark, pytest.mark.slow]
"""Seven Javas: two minutes of CPU. `.ci/run` has it beside `make test`."""

NAMES = [f"{first}{second}" for first in ("alpha", "beta", "gamma", "delta") for second in "bcdf"]
"""Sixteen problems; an article of each name, and a copy of some."""
PROGRAM = """
import sys
from pathlib import Path
from api.cli import main
from ingest.session import read_conf, spark_session

home, source, queries, answers, *conf = sys.argv[1:]
with spark_session(Path(home), conf[1], read_conf(conf[3::2])):
    for command in (["ingest", source, "--json"], ["match", queries, "-o", answers]):
        try:
            main([*command, *conf])
        except SystemExit as end:
            if end.code:
                raise
"""
"""Both commands in one session, so that Spark is started once."""


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
    ingest([str(source)], Options(home), StageProgress())
    return home


def rows(home: Path) -> list[dict[str, Any]]:
    """What the lake holds of each document, in its order; the name of a run is all that may differ."""
    lake = Lake(home)
    batches = lake.rows(lake.documents(), DONE_SCHEMA.names)
    return [row for batch in batches for row in batch.to_pylist()]


def states(home: Path) -> list[tuple[object, ...]]:
    table = Lake(home).documents().drop_columns(["run"]).to_pylist()
    return sorted(tuple(row.values()) for row in table)


@pytest.fixture(scope="module")
def queries(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("asked") / "queries.jsonl"
    texts = [*(trace(name, line=7) for name in NAMES), "how is the lock file mounted", "", "完全没有关系"]
    file.write_text("\n".join(json.dumps({"id": at, "text": text}) for at, text in enumerate(texts)))
    return file


@dataclass(frozen=True, slots=True)
class Done:
    """What a cluster made of the source and the queries; a worker of it died while it read."""

    home: Path
    summary: dict[str, Any]
    answers: list[dict[str, Any]]


@pytest.fixture(scope="module")
def there(source: Path, queries: Path, tmp_path_factory: pytest.TempPathFactory) -> Done:
    folder = tmp_path_factory.mktemp("there")
    home, out = folder / "home", folder / "answers.jsonl"
    with cluster(folder / "cluster") as machines:
        machines.start_workers("first", "second")
        given = (str(home), str(source), str(queries), str(out), *machines.conf())
        with driving(PROGRAM, home, *given) as program:
            machines.wait_for_tasks("first", 2)
            machines.kill_worker("first")
            summary, err = program.communicate(timeout=300)
    assert program.returncode == 0, err
    return Done(home, json.loads(summary), answers(out.read_text()))


def answers(text: str) -> list[dict[str, Any]]:
    return [{key: value for key, value in json.loads(line).items() if key != "took_ms"} for line in text.splitlines()]


def test_a_worker_dies_in_mid_job_and_the_result_is_the_one_of_here(there: Done, local: Path) -> None:
    assert "Lost executor" in (there.home / "spark.log").read_text()
    assert (there.summary["accepted"], there.summary["rejected"]) == (37, 2)
    assert rows(there.home) == rows(local)
    assert states(there.home) == states(local)
    # The id of a snapshot is a digest of its entries, in their order, and of the versions of code and model.
    assert current(there.home).id == current(local).id


def test_many_queries_have_the_same_answers_there(
    there: Done, local: Path, queries: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("KB_HOME", str(local))
    here = answers(CliRunner().invoke(match, [str(queries)], catch_exceptions=False).stdout)
    assert there.answers == here
    assert here[0]["matches"][0]["incident"]["title"] == f"The {NAMES[0]} ledger does not open"
