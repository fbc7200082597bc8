"""What goes wrong with the machine: the published snapshot answers on, the next run completes, nothing is lost, nothing comes twice."""

import datetime as dt
import os
import re
import shutil
import subprocess
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from index import Engine
from index.storage.snapshot import current, list_snapshots, rollback
from ingest.lake import Lake, LakeError
from ingest.pipeline import DiskFullError
from ingest.pipeline import ingest as ingest_sources
from ingest.progress import StageProgress
from ingest.stored import all_outcomes
from ingest.summary import Summary
from ingest.survey import Options
from tests.ingest.articles import article

pytestmark = pytest.mark.spark

NAMES = ("alpha", "beta", "gamma")


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of 32 MB of its own."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = shutil.which("mount") and subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", str(place)], capture_output=True, check=False
    )
    if not mounted or mounted.returncode:
        pytest.skip("no right to mount a small disk: run as root to see what a full one does")
    yield place
    subprocess.run(["umount", "--lazy", str(place)], check=True)


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "articles"
    folder.mkdir()
    for name in NAMES:
        (folder / f"{name}.md").write_text(article(name))
    return folder


def run(source: Path, home: Path, progress: StageProgress | None = None) -> Summary:
    return ingest_sources([str(source)], Options(home), progress or StageProgress())


def found(home: Path) -> dict[str, int]:
    """Titles of all incidents of the snapshot in use, and how often each is there."""
    engine = Engine.open(home)
    try:
        incidents = [engine.incident(one) for one in engine.ids()]
        return Counter(incident.title for incident in incidents if incident)
    finally:
        engine.close()


def titles(*names: str) -> dict[str, int]:
    return {f"The {name} ledger does not open": 1 for name in names}


class Heard(StageProgress):
    """Keeps the stage that a run came to."""

    last = ""

    def stage(self, name: str, done: int = 0, total: int = 0) -> None:
        self.last = name
        super().stage(name, done, total)


class Doing(StageProgress):
    """Does something once, when a run comes to a stage."""

    def __init__(self, stage: str, act: Callable[[], object]) -> None:
        super().__init__()
        self._at, self._act = stage, [act]

    def stage(self, name: str, done: int = 0, total: int = 0) -> None:
        if name == self._at and self._act:
            self._act.pop()()
        super().stage(name, done, total)


@pytest.mark.usefixtures("spark")
@pytest.mark.slow
def test_what_vanishes_between_listing_and_reading_stays_as_it_was_known(source: Path, tmp_path: Path) -> None:
    home, aside = tmp_path / "home", tmp_path / "aside"
    run(source, home)
    (source / "alpha.md").write_text(article("delta"))
    (source / "new.md").write_text(article("epsilon"))
    summary = run(source, home, Doing("reading documents", lambda: source.rename(aside)))
    assert (summary.read, summary.accepted, summary.rejected_by_reason) == (4, 3, {"unreadable": 1})
    assert found(home) == titles(*NAMES)
    aside.rename(source)
    summary = run(source, home)
    assert (summary.done_now, summary.accepted) == (2, 4)
    assert found(home) == titles("delta", *NAMES[1:], "epsilon")
    before = current(home).id
    again = Options(home, full=True)
    summary = ingest_sources([str(source)], again, Doing("reading documents", lambda: source.rename(aside)))
    assert (summary.accepted, summary.done_now, current(home).id) == (4, 4, before)


@pytest.mark.parametrize(
    ("master", "cure"),
    [("spark://master:7077", "every worker see at the same path"), ("local[2]", "report it with .*spark.log")],
)
def test_rows_that_are_not_seen_where_they_were_written_are_told_with_a_cure(
    tmp_path: Path, master: str, cure: str
) -> None:
    """On a cluster whose machines do not share the home, the driver sees the folder of the run, and no rows in it."""
    lake = Lake(tmp_path / "home")
    run = lake.new_run()
    lake.run_path(run).mkdir(parents=True)
    (lake.run_path(run) / "_SUCCESS").touch()
    with pytest.raises(LakeError, match=r"3 documents were written to .* and 0 are there") as told:
        all_outcomes(lake, run, 3, master)
    assert re.search(cure, told.value.cure)


def fill(disk: Path, left: int) -> Path:
    """A file that takes all room of the disk but ``left`` bytes."""
    ballast = disk / "ballast"
    free = os.statvfs(disk).f_bavail * os.statvfs(disk).f_frsize
    ballast.write_bytes(bytes(max(0, free - left)))
    return ballast


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize(
    ("left", "stage"),
    [
        pytest.param(0, "reading documents", id="lake"),
        pytest.param(96 << 10, "building: ", id="snapshot"),
    ],
)
@pytest.mark.slow
def test_a_full_disk_leaves_the_snapshot_and_the_next_run_completes(
    disk: Path, source: Path, left: int, stage: str
) -> None:
    home = disk / "home"
    before = run(source, home).snapshot
    (source / "delta.md").write_text(article("delta"))
    (source / "beta.md").unlink()
    ballast, heard = fill(disk, left), Heard()
    with pytest.raises(DiskFullError) as full:
        run(source, home, heard)
    assert heard.last.startswith(stage)
    assert "kb doctor" in full.value.cure
    assert current(home).id == before
    assert found(home) == titles(*NAMES)
    ballast.unlink()
    assert run(source, home).published
    assert found(home) == titles("alpha", "gamma", "delta")
    lake = Lake(home)
    assert {path.name for path in (lake.root / "runs").iterdir()} == set(lake.manifest.runs)
    assert not [*lake.root.glob("*.new"), *home.glob("snapshots/.building-*")]


@pytest.mark.usefixtures("spark")
@pytest.mark.slow
def test_what_a_dead_run_left_half_written_is_swept_and_counts_for_nothing(source: Path, tmp_path: Path) -> None:
    home = tmp_path / "home"
    before = run(source, home).snapshot
    lake = Lake(home)
    (whole,) = lake.run_path(lake.manifest.runs[0]).glob("*-00000-*.parquet")
    half = lake.run_path("29990101T000000-abcdef")
    (half / "_temporary" / "0").mkdir(parents=True)
    (half / "part-00000-x.parquet").write_bytes(whole.read_bytes())  # a task that ended, of a job that did not
    (half / "_temporary" / "0" / "part-00001-x.parquet").write_bytes(whole.read_bytes()[:100])
    (lake.root / "documents" / "000099.parquet").write_bytes(b"PAR1")
    (lake.root / "manifest.json.new").write_text('{"format": 1, "runs": ["29990101T000000-abcdef"')
    (home / "snapshots" / ".building-1").mkdir()
    (home / ".CURRENT-1").write_text("half")
    assert (run(source, home).published, found(home)) == (False, titles(*NAMES))
    (source / "delta.md").write_text(article("delta"))
    after = run(source, home)
    assert (after.done_now, after.snapshot != before, found(home)) == (1, True, titles(*NAMES, "delta"))
    assert {path.name for path in (lake.root / "runs").iterdir()} == set(Lake(home).manifest.runs)
    assert {path.name for path in (lake.root / "documents").iterdir()} == {
        Path(Lake(home).manifest.documents or "").name
    }
    assert not [*lake.root.glob("*.new"), *home.glob("snapshots/.building-*")]


class Ahead(dt.datetime):
    """The clock of a machine that is fifty years ahead."""

    @classmethod
    def now(cls, tz: dt.tzinfo | None = None) -> "Ahead":
        today = super().now(tz)
        return today.replace(year=today.year + 50, day=1)


@pytest.mark.usefixtures("spark")
@pytest.mark.slow
def test_a_clock_that_jumps_loses_nothing(source: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    home = tmp_path / "home"
    for at, name in enumerate(NAMES):
        os.utime(source / f"{name}.md", (at * 4_000_000_000, at * 4_000_000_000))  # 1970, 2096, 2223
    with monkeypatch.context() as clock:
        for place in ("ingest.lake", "ingest.pipeline", "ingest.report.page", "index.build"):
            clock.setattr(f"{place}.datetime", Ahead)
        ahead = run(source, home).snapshot
    assert current(home).manifest.built > f"{dt.datetime.now(dt.UTC).year + 49}"
    assert not run(source, home).published
    (source / "beta.md").write_text(article("epsilon"))
    os.utime(source / "beta.md", (0, 0))
    (source / "gamma.md").unlink()
    for at in range(3):  # more snapshots than are kept
        (source / "more.md").write_text(article(f"more{at}"))
        summary = ingest_sources([str(source)], Options(home, snapshots_kept=3), StageProgress())
        assert (summary.published, current(home).id) == (True, summary.snapshot)
        assert found(home) == titles("alpha", "epsilon", f"more{at}")
        assert summary.report == str(home / "reports" / "latest.html") or Path(summary.report or "").is_file()
    kept = {info.id for info in list_snapshots(home)}
    assert len(kept) == 3
    assert ahead in kept
    assert rollback(home).id != summary.snapshot
    assert found(home) == titles("alpha", "epsilon", "more1")
