"""Killed at any point, a run leaves the old snapshot answering, and the next run completes. Real kills of real processes."""

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from index import Engine
from index.storage.snapshot import current
from ingest.lake import Lake
from ingest.pipeline import ingest
from ingest.progress import StageProgress
from ingest.survey import Options
from tests.ingest.articles import article, trace

pytestmark = pytest.mark.spark

ROOT = Path(__file__).resolve().parents[2]


def start(home: Path, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "api.cli", "ingest", *arguments],
        cwd=ROOT,
        env=os.environ | {"KB_HOME": str(home)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def kill_at(home: Path, source: Path, stage: str) -> None:
    """Starts a run and kills it when it says that it has come to ``stage``."""
    said = []
    with start(home, str(source), "--master", "local[1]") as process:
        assert process.stderr is not None
        for line in process.stderr:
            said.append(line)
            if line.startswith(stage):
                process.send_signal(signal.SIGKILL)
                break
    assert process.returncode == -signal.SIGKILL, "".join(said)


def best(home: Path, name: str) -> str | None:
    engine = Engine.open(home)
    try:
        matches = engine.search(trace(name)).matches
        return matches[0].incident.title if matches else None
    finally:
        engine.close()


STAGES = (("beta", "building: index"), ("gamma", "reading documents: 0"))


@pytest.mark.slow
@pytest.mark.usefixtures("spark")
def test_killed_then_finished(tmp_path: Path) -> None:
    home, source = tmp_path / "home", tmp_path / "articles"
    source.mkdir()
    (source / "alpha.md").write_text(article("alpha"))
    ingest([str(source)], Options(home), StageProgress())
    before = current(home).id
    for name, stage in STAGES:
        (source / f"{name}.md").write_text(article(name))
        kill_at(home, source, stage)
        assert current(home).id == before
        assert best(home, "alpha") == "The alpha ledger does not open"
        assert best(home, name) != f"The {name} ledger does not open"
    ingest([str(source)], Options(home), StageProgress())
    assert current(home).id != before
    for name in ("alpha", *(name for name, _ in STAGES)):
        assert best(home, name) == f"The {name} ledger does not open"
    assert {path.name for path in (home / "lake" / "runs").iterdir()} == set(Lake(home).manifest.runs)
    # Nothing to do: Spark is not started, or this master that is not there would be found missing.
    with start(home, str(source), "--master", "spark://127.0.0.1:1") as again:
        out, err = again.communicate(timeout=60)
    assert again.returncode == 0, err
    assert "nothing to do" in out
