"""A home of every earlier version: its snapshot is refused with the cure, and the cure works, with or without the articles of then."""

import json
import shutil
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from index import Engine
from index.entry import VERSION
from index.storage.snapshot import FORMAT
from ingest.lake import Lake
from ingest.pipeline import ingest
from ingest.progress import StageProgress
from ingest.survey import Options
from kb.errors import SnapshotError
from kb.trace import VERSION as FINGERPRINTS
from tests.ingest.articles import article, trace

pytestmark = pytest.mark.spark

GOLDEN = Path(__file__).parents[1] / "golden/homes"
HOMES = sorted(path.name.removesuffix(".tar.xz") for path in GOLDEN.glob("*.tar.xz"))
THEN = Path("/tmp/dejastack-golden/write-ups")
KNOWN = {
    "com.example.ledger.ExportFailed": ("lease.md", "A storage node was restarted"),
    "com.example.pool.NoConnection": ("pool.md", "报表任务持有连接的时间过长"),
    "UnicodeDecodeError": ("ascii.md", "The reader names ASCII"),
}
"""By what each article's trace is recognised: the article, and how its cause begins."""

STATES = {**{f"{name}.md": "accepted" for name in ("ascii", "lease", "lease-again", "pool")}, "empty.md": "rejected"}


@pytest.fixture(params=HOMES)
def released(request: pytest.FixtureRequest, spark: SparkSession, tmp_path: Path) -> Path:  # noqa: ARG001  ingest uses it
    with tarfile.open(GOLDEN / f"{request.param}.tar.xz") as archive:
        archive.extractall(tmp_path)  # our own; `filter` came with 3.11.4
    return tmp_path / "home"


@pytest.fixture
def articles() -> Iterator[Path]:
    """The articles where they were then."""
    shutil.rmtree(THEN, ignore_errors=True)
    shutil.copytree(GOLDEN / "write-ups", THEN)
    yield THEN
    shutil.rmtree(THEN.parent)


def pasted(name: str) -> str:
    """The trace in one of the articles."""
    return (GOLDEN / "write-ups" / name).read_text(encoding="utf-8").split("```")[1]


def check(home: Path) -> None:
    """Every article of then is found by its trace, with its cause."""
    engine = Engine.open(home)
    try:
        for name, cause in KNOWN.values():
            best = engine.search(pasted(name)).matches[0]
            assert best.probability > 0.88
            assert (best.incident.root_cause or "").startswith(cause)
    finally:
        engine.close()


def states(home: Path) -> dict[str, str]:
    """By path, what became of each document."""
    table = Lake(home).documents()
    return dict(zip(table["path"].to_pylist(), table["status"].to_pylist(), strict=True))


def test_its_snapshot_is_refused_with_the_cure(released: Path) -> None:
    name = (released / "CURRENT").read_text().strip()
    manifest = json.loads((released / "snapshots" / name / "manifest.json").read_text())
    now = (FORMAT, VERSION, FINGERPRINTS)
    if (manifest["format"], manifest["entry_version"], manifest["fingerprint_version"]) == now:
        check(released)
        return
    with pytest.raises(SnapshotError) as raised:
        Engine.open(released)
    assert "kb ingest" in raised.value.cure


@pytest.mark.slow
def test_its_lake_is_brought_up_where_the_articles_are_gone(released: Path, tmp_path: Path) -> None:
    before = states(released)
    assert before == STATES
    more = tmp_path / "more"
    more.mkdir()
    (more / "alpha.md").write_text(article("alpha"))
    assert ingest([str(more)], Options(released), StageProgress()).published
    assert states(released) == before | {"alpha.md": "accepted"}
    check(released)
    engine = Engine.open(released)
    assert engine.search(trace("alpha")).matches[0].incident.title == "The alpha ledger does not open"
    engine.close()


@pytest.mark.parametrize("released", [HOMES[0], HOMES[-1]], indirect=True)
@pytest.mark.slow
def test_its_articles_are_read_again(released: Path, articles: Path) -> None:
    before = states(released)
    ingest([str(articles)], Options(released), StageProgress())
    assert states(released) == before
    check(released)
    assert not ingest([str(articles)], Options(released), StageProgress()).published, "it is brought up once"
