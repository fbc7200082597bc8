"""Rules of the house in Spark: the executors obey them, and a change of rules redoes what depends on them and no more."""

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from index import Engine
from index.wire import parse_to_dict
from ingest.pipeline import ingest
from ingest.progress import StageProgress
from ingest.summary import Summary
from ingest.survey import Options
from kb.errors import RulesError, SnapshotError
from kb.trace.custom import NONE
from kb.trace.in_force import activate
from tests.ingest.articles import article, trace

pytestmark = pytest.mark.spark

Write = Callable[[dict[str, str | bytes]], Path]


@pytest.fixture(autouse=True)
def _no_rules_are_left() -> Iterator[None]:
    yield
    activate(NONE)


@pytest.fixture
def run(spark: SparkSession, tmp_path: Path) -> Callable[[Path], Summary]:  # noqa: ARG001  ingest uses it
    return lambda place: ingest([str(place)], Options(tmp_path / "home"), StageProgress())


def exact_agrees(home: Path, text: str) -> float:
    engine = Engine.open(home)
    try:
        matches = engine.search(text).matches
        explanation = engine.explain(text, matches[0].incident.id)
        assert explanation is not None
        return next(line.value for line in explanation.features if line.name == "exact")
    finally:
        engine.close()


def test_changed_rules_remake_entries_and_read_no_source(
    run: Callable[[Path], Summary], folder: Write, tmp_path: Path
) -> None:
    source, home = folder({f"{name}.md": article(name) for name in ("alpha", "beta")}), tmp_path / "home"
    plain = run(source)
    paste = trace("alpha").replace("No locks available on alpha", "No locks available on gamma")
    assert exact_agrees(home, paste) == 0
    rules = home / "rules" / "messages.txt"
    rules.parent.mkdir()
    rules.write_text("<share> on (alpha|beta|gamma)\\b\n")
    with pytest.raises(SnapshotError, match="under no rules of the house"):
        Engine.open(home)
    ruled = run(source)
    assert (ruled.done_now, ruled.unchanged, ruled.published) == (0, 2, True)
    assert ruled.snapshot != plain.snapshot
    assert exact_agrees(home, paste) > 0  # the executors that made the entries and this process read alike
    assert parse_to_dict(paste)["chains"][0]["exceptions"][1]["template"] == "No locks available <share>"  # type: ignore[index]
    assert not run(source).published
    rules.unlink()
    assert run(source).snapshot == plain.snapshot
    assert exact_agrees(home, paste) == 0


def test_a_mistake_in_the_rules_stops_before_anything_is_done(
    run: Callable[[Path], Summary], folder: Write, tmp_path: Path
) -> None:
    source, rules = folder({"a.md": article("alpha")}), tmp_path / "home" / "rules"
    rules.mkdir(parents=True)
    (rules / "noise.txt").write_text("\na b\n")
    with pytest.raises(RulesError, match=r"noise\.txt:2"):
        run(source)
    assert not (tmp_path / "home" / "snapshots").exists()


@pytest.mark.slow
def test_changed_components_read_every_source_again(
    run: Callable[[Path], Summary], folder: Write, tmp_path: Path
) -> None:
    """What a document names is found where it is read; fingerprints and the snapshot's own rules stay."""
    source, home = folder({"a.md": article("alpha")}), tmp_path / "home"
    run(source)
    rules = home / "rules" / "components.txt"
    rules.parent.mkdir()
    rules.write_text("shop = alpha\n")
    Engine.open(home).close()
    ruled = run(source)
    assert (ruled.done_now, ruled.published) == (1, True)
    engine = Engine.open(home)
    assert [one.incident.component for one in engine.search(trace("alpha"), filters={"component": "Shop"}).matches] == [
        "shop"
    ]
    engine.close()
