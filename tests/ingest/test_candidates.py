"""`kb ingest` fills Milvus before it publishes, and takes away what it prunes."""

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from index import Engine
from index.storage.snapshot import current, list_snapshots
from ingest.pipeline import ingest
from ingest.progress import StageProgress
from ingest.survey import Options
from kb.errors import CandidatesError
from tests.ingest.articles import article, trace
from tests.milvus import MilvusServer

pytestmark = [pytest.mark.spark, pytest.mark.slow]


@pytest.fixture
def server(tmp_path: Path) -> Iterator[MilvusServer]:
    with MilvusServer(tmp_path / "milvus") as held:
        yield held


def test_each_run_fills_what_it_publishes(spark: SparkSession, server: MilvusServer, tmp_path: Path) -> None:  # noqa: ARG001  ingest uses it
    source, home, place = tmp_path / "articles", tmp_path / "home", server.place()
    source.mkdir()

    def run() -> str:
        ingest([str(source)], Options(home, candidates=place), StageProgress())
        return current(home).id

    names = ("alpha", "beta", "gamma", "delta", "epsilon", "zeta")
    first = ""
    for name in names:
        (source / f"{name}.md").write_text(article(name))
        first = first or run()
        run()
    with closing(Engine.open(home, None, None, place)) as engine:
        for name in names:
            assert engine.search(trace(name)).matches[0].incident.source.path == f"{name}.md"
        assert engine.candidates_fault is None
    kept = [place.of_snapshot(info.id) for info in list_snapshots(home)]
    assert sorted(kept) == server.collections()
    assert place.of_snapshot(first) not in kept, "what was pruned here is gone there"
    server.stop()
    (source / "eta.md").write_text(article("eta"))
    before = current(home).id
    with pytest.raises(CandidatesError):
        run()
    assert current(home).id == before, "what answered answers on"
    server.start()
    assert run() != before, "and the next run publishes"
