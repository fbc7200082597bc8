"""`kb ingest --dry-run`: what a run would do, by what changed: documents, code, rules, model. Nothing is written, no Spark is started."""

import json
import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import SparkSession
from typer.testing import CliRunner

from index.encoder import BUNDLED
from ingest.command import app
from ingest.lake import Lake
from ingest.pipeline import ingest, preview
from ingest.progress import StageProgress
from ingest.summary import Preview
from ingest.survey import Options, Work, survey
from kb.errors import SourceError
from tests.ingest.articles import article

pytestmark = pytest.mark.spark

ROOT = Path(__file__).resolve().parents[2]
Write = Callable[[dict[str, str | bytes]], Path]
Change = Callable[[Path], object]


@pytest.fixture(scope="module")
def ingested(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:  # noqa: ARG001  ingest uses it
    """A folder with a home and two sources that have been ingested."""
    root = tmp_path_factory.mktemp("ingested")
    for source, names in (("one", ("alpha", "beta")), ("two", ("gamma",))):
        (root / source).mkdir()
        for name in names:
            (root / source / f"{name}.md").write_text(article(name))
    (root / "one" / "empty.md").write_text("")
    ingest([str(root / "one"), str(root / "two")], Options(root / "home"), StageProgress())
    return root


@pytest.fixture
def copied(ingested: Path, tmp_path: Path) -> Iterator[Path]:
    """The same, to be changed at the same place; put back afterwards."""
    kept = tmp_path / "kept"
    shutil.copytree(ingested, kept, symlinks=True)
    yield ingested
    shutil.rmtree(ingested)
    shutil.copytree(kept, ingested, symlinks=True)


def seen(root: Path, *sources: str, **other: Any) -> Preview:
    places = [str(root / source) for source in sources or ("one", "two")]
    return preview(places, Options(root / "home", master="none-is-started", **other), StageProgress())


def changes(told: Preview) -> dict[str, int]:
    return {change: count for change, count in told.changes.items() if count}


def test_nothing_to_do(ingested: Path):
    told = seen(ingested)
    assert (changes(told), told.unchanged, told.publishes, told.sources) == ({}, 4, False, [])


def test_documents_by_source_and_name(copied: Path):
    (copied / "one" / "alpha.md").unlink()
    (copied / "one" / "beta.md").write_text(article("beta", detail="on a Sunday"))
    (copied / "two" / "delta.md").write_text(article("delta"))
    (copied / "two" / "photo.png").write_text("x")
    told = seen(copied)
    assert (told.unchanged, told.refused, told.publishes) == (2, 1, True)
    assert told.bytes_to_read == sum((copied / name).stat().st_size for name in ("one/beta.md", "two/delta.md"))
    assert {Path(one.source).name: one.first for one in told.sources} == {
        "one": {"changed": ["beta.md"], "removed": ["alpha.md"]},
        "two": {"new": ["delta.md", "photo.png"]},
    }


@pytest.mark.parametrize(
    ("file", "expected"),
    [
        pytest.param("kb/article/sections.py", {"reread": 3}, id="reader-rule"),
        pytest.param("kb/trace/rules/jvm_machinery.txt", {"reread": 3, "remade": 1}, id="trace-rule"),
        pytest.param("index/terms/tokens.py", {"remade": 3}, id="entries"),
        pytest.param("ingest/schemas.py", {"remade": 3}, id="columns"),
        pytest.param("ingest/dedupe.py", {}, id="comparison"),
        pytest.param("ingest/groups.py", {}, id="publisher"),
    ],
)
@pytest.mark.slow
def test_a_change_of_code_redoes_what_depends_on_it(
    ingested: Path, tmp_path: Path, file: str, expected: dict[str, int]
):
    """One source is given, of two: what needs the documents is done for that one, what needs the lake alone for both."""
    for package in ("kb", "index", "ingest"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=shutil.ignore_patterns("__pycache__"))
    with (tmp_path / file).open("a") as changed:
        changed.write("\n# another line\n")
    command = [sys.executable, "-c", "from ingest.command import app; app()", "--dry-run", "--json"]
    environ = os.environ | {"KB_HOME": str(ingested / "home"), "PYTHONPATH": str(tmp_path)}
    given = [str(ingested / "one"), "--master", "none"]
    ended = subprocess.run([*command, *given], cwd=tmp_path, env=environ, capture_output=True, text=True, check=True)
    foreseen = json.loads(ended.stdout)
    assert {change: count for change, count in foreseen["changes"].items() if count} == expected
    assert foreseen["publishes"]


def test_documents_are_read_again_once_their_reader_is_installed(ingested: Path, monkeypatch: pytest.MonkeyPatch):
    """A PDF that was refused without pypdf is no longer refused; which ones these were the lake does not tell apart."""
    monkeypatch.setitem(sys.modules, "pypdf", None)
    assert changes(seen(ingested)) == {"reread": 4}


def test_another_model_remakes_entries_of_all_sources(ingested: Path, tmp_path: Path):
    other = tmp_path / "other-model"
    shutil.copytree(BUNDLED, other)
    (other / "config.json").write_text((other / "config.json").read_text() + " ")
    foreseen = seen(ingested, "two", model=str(other))
    assert (changes(foreseen), foreseen.unchanged, foreseen.publishes) == ({"remade": 3}, 1, True)


def test_what_is_unsettled_stays_as_the_lake_knows_it(copied: Path):
    (copied / "one" / "alpha.md").write_text("half of it")
    (copied / "one" / "beta.md").unlink()
    (copied / "one" / "new.md").write_text("half of it, too")
    (copied / "one" / "whole.md").write_text(article("delta"))
    lake, state = Lake.seen(copied / "home")
    source = str(copied / "one")
    unsettled = tuple((source, name) for name in ("alpha.md", "beta.md", "new.md"))
    with ExitStack() as stack:
        work = Work.of(Options(copied / "home", master="none-is-started"), StageProgress(), lake, stack)
        listing, plan = survey([source], work, state, unsettled)
    assert listing.documents["path"].to_pylist() == ["empty.md", "whole.md"]
    assert plan.changes.to_pylist() == [{"source": source, "path": "whole.md", "change": "new"}]
    assert {row["path"]: row["status"] for row in plan.kept.to_pylist()}.items() >= {
        "alpha.md": "accepted",
        "beta.md": "accepted",
    }.items()


def test_a_home_inside_a_source_is_no_part_of_it(ingested: Path):
    (told,) = seen(ingested, ".").sources
    assert told.first == {"new": ["one/alpha.md", "one/beta.md", "one/empty.md", "two/gamma.md"]}


def test_full_is_a_change_of_everything(ingested: Path):
    assert changes(seen(ingested, "one", full=True)) == {"reread": 3}


def test_what_a_run_would_refuse_is_refused_here_too(copied: Path):
    (copied / "two" / "gamma.md").unlink()
    with pytest.raises(SourceError, match="holds no documents any more"):
        seen(copied)


@pytest.mark.slow
def test_the_command_writes_nothing_and_waits_for_nobody(copied: Path, monkeypatch: pytest.MonkeyPatch):
    (copied / "two" / "\x1b[2J.md").write_text(article("delta"))
    with zipfile.ZipFile(copied / "two" / "more.zip", "w") as packed:
        packed.writestr("epsilon.md", article("epsilon"))
    command = [sys.executable, "-m", "api.cli", "ingest", "--dry-run", str(copied / "two"), "--master", "none"]
    environ = os.environ | {"KB_HOME": str(copied / "home")}
    with Lake(copied / "home").locked():
        before = {path: path.stat().st_mtime_ns for path in copied.rglob("*")}
        told = subprocess.run(command, cwd=ROOT, env=environ, capture_output=True, text=True, check=True).stdout
        monkeypatch.setenv("KB_HOME", str(copied / "home"))
        as_json = CliRunner().invoke(app, ["--dry-run", str(copied / "two"), "--json"], catch_exceptions=False).stdout
        assert {path: path.stat().st_mtime_ns for path in copied.rglob("*")} == before
    assert "\x1b" not in told
    assert "2   new" in told
    assert json.loads(as_json)["sources"][0]["first"] == {"new": ["\x1b[2J.md", "more.zip!/epsilon.md"]}
