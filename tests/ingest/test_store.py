"""What curators saved, and articles: into one snapshot, and into the answers of many queries."""

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from pyspark.sql import SparkSession
from typer.testing import CliRunner

from index import Engine
from index.storage.snapshot import current
from ingest.match import app
from ingest.pipeline import ingest, preview
from ingest.progress import StageProgress
from ingest.survey import Options
from kb.incident import Status
from kb.record import from_record
from kb.store import Actor, Role, Store
from kb.trace.custom import NONE
from tests.ingest.articles import article, trace

pytestmark = pytest.mark.spark

ANN = Actor("u:ann", "Ann", Role.CURATOR)


@pytest.fixture
def home(spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:  # noqa: ARG001  ingest uses it
    source = tmp_path / "articles"
    source.mkdir()
    for name in ("alpha", "beta"):
        (source / f"{name}.md").write_text(article(name))
    monkeypatch.setenv("KB_HOME", str(tmp_path / "home"))
    ingest([str(source)], Options(tmp_path / "home"), StageProgress())
    return tmp_path / "home"


@pytest.fixture
def saved(home: Path) -> Iterator[Store]:
    with Store.open(home / "store.db") as store:
        yield store


def publish_again(home: Path) -> bool:
    places, options = [str(home.parent / "articles")], Options(home)
    foreseen = preview(places, options, StageProgress()).publishes
    done = ingest(places, options, StageProgress()).published
    assert foreseen == done
    return done


def held(home: Path) -> dict[str, str]:
    """Id and title of what the snapshot itself holds."""
    engine = Engine(current(home), Engine.open(home)._encoder, NONE, None)
    try:
        return {one: engine.incident(one).title for one in engine.ids()}  # type: ignore[union-attr]
    finally:
        engine.close()


def test_a_snapshot_has_what_the_store_decides(home: Path, saved: Store) -> None:
    alpha, beta = sorted(held(home))
    engine = Engine.open(home)
    found = engine.incident(alpha)
    assert found is not None
    saved.incidents.create(from_record({"id": "draft", "title": "Draft", "traces": [trace("d")]}), actor=ANN)
    assert not publish_again(home)
    with saved.transaction():
        saved.incidents.adopt(found, actor=ANN)
        mended = replace(found, title="Mended by hand")
        saved.incidents.revise(mended, expected=found.revision, actor=ANN, status=Status.PUBLISHED)
    told = from_record({"id": "own", "title": "Own words", "traces": [trace("gamma")]})
    saved.incidents.create(told, actor=ANN, status=Status.PUBLISHED)
    engine.follow(saved)
    followed = {
        one: engine.search(text).matches[0].incident.id
        for one, text in (("own", trace("gamma")), (alpha, "Mended by hand"))
    }
    assert followed == {"own": "own", alpha: alpha}
    engine.close()
    assert publish_again(home)
    assert held(home) == {alpha: "Mended by hand", beta: held(home)[beta], "own": "Own words"}
    assert (current(home).manifest.store_id, current(home).manifest.store_sequence) == (
        saved.head().store_id,
        saved.head().sequence,
    )
    assert not publish_again(home)
    saved.incidents.move(alpha, Status.RETIRED, expected=found.revision + 1, actor=ANN)
    (home.parent / "articles" / "alpha.md").write_text(article("alpha") + "\nMore words.\n")
    assert publish_again(home)
    assert sorted(held(home)) == sorted([beta, "own"])


def test_many_queries_are_answered_with_what_was_saved_since(home: Path, saved: Store) -> None:
    told = from_record({"id": "own", "title": "Own words", "traces": [trace("gamma")]})
    saved.incidents.create(told, actor=ANN, status=Status.PUBLISHED)
    queries = home.parent / "q.jsonl"
    queries.write_text("\n".join(json.dumps({"id": name, "text": trace(name)}) for name in ("alpha", "gamma")))
    for master in ((), ("--master", "local[2]")):
        done = CliRunner().invoke(app, [str(queries), *master], catch_exceptions=False)
        first = [json.loads(line)["matches"][0]["incident"]["id"] for line in done.stdout.splitlines()]
        assert first[1] == "own" != first[0]
