"""Watching: when a change is worth a run, what a look notices, and real runs while articles come, change and go."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from index import Engine
from index.storage.snapshot import list_snapshots
from ingest.lake import Lake, LakeError
from ingest.pipeline import ingest
from ingest.progress import StageProgress
from ingest.summary import Summary
from ingest.survey import Options
from ingest.watch import PATIENCE, Key, Seen, Settling, SourceWatch, Stop, glance, stopped_by_signals, watch
from kb.errors import SourceError
from tests.ingest.articles import article, trace

ROOT = Path(__file__).resolve().parents[2]
Write = Callable[[dict[str, str | bytes]], Path]


def seen(**files: object) -> Seen:
    return {("/a", name): signature for name, signature in files.items()}


def outcomes(*looks: Seen) -> list[tuple[str, ...] | None]:
    """For each look, the names left behind by the run it leads to; None where it leads to none."""
    settling, found = Settling(), []
    for now in looks:
        ready = settling.look(now)
        found.append(None if ready is None else tuple(path for _, path in ready.unsettled))
        if ready is not None:
            settling.done(ready)
    return found


GROWING = [seen(calm=1, log=size) for size in range(20)]


@pytest.mark.parametrize(
    ("looks", "expected"),
    [
        pytest.param([seen(x=1)], [None], id="once-may-be-half"),
        pytest.param([seen(x=1), seen(x=1)], [None, ()], id="stands-still"),
        pytest.param([seen(x=1)] * 4, [None, (), None, None], id="nothing-new"),
        pytest.param([{}, {}, {}], [None, (), None], id="empty"),
        pytest.param([seen(x=1), seen(x=2), seen(x=2)], [None, None, ()], id="still-written"),
        pytest.param([seen(x=1), seen(x=1, y=1), seen(x=1, y=1)], [None, None, ()], id="batch-of-two"),
        pytest.param([seen(x=1), seen(x=1), {}, {}], [None, (), None, ()], id="removed"),
        pytest.param(
            [seen(x=1), seen(x=1), seen(x=2), seen(x=1), seen(x=1)], [None, (), None, None, None], id="undone"
        ),
        pytest.param(GROWING[:PATIENCE], [None] * (PATIENCE - 1) + [("log",)], id="one-never-rests"),
        pytest.param(
            GROWING[: PATIENCE + 12], [None] * (PATIENCE - 1) + [("log",)] + [None] * 12, id="nor-wakes-again"
        ),
        pytest.param(
            [*GROWING[:PATIENCE], GROWING[PATIENCE - 1], GROWING[PATIENCE - 1]],
            [None] * (PATIENCE - 1) + [("log",)] + [None, ()],
            id="it-rests-at-last",
        ),
    ],
)
def test_when_a_change_is_worth_a_run(looks: list[Seen], expected: list[tuple[str, ...] | None]):
    assert outcomes(*looks) == expected


def test_a_run_that_failed_is_tried_again():
    settling = Settling()
    assert [settling.look(seen(x=1)) is None for _ in range(3)] == [True, False, False]


def nobody() -> SparkSession:
    raise AssertionError("a look at local files needs no Spark")


def look(source: Path, home: Path) -> dict[Key, object]:
    return dict(glance([str(source)], Options(home), nobody))


def rewritten(file: Path) -> None:
    """Other bytes, of the same length and with the former modification time, as a checkout or `cp -p` leaves them."""
    before = file.stat()
    file.write_bytes(bytes(reversed(file.read_bytes())))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))


def replaced(file: Path) -> None:
    fresh = file.with_name(".fresh")
    fresh.write_bytes(file.read_bytes())
    fresh.replace(file)


def rules_written(file: Path) -> None:
    rules = file.parents[2] / "home" / "rules"
    rules.mkdir(parents=True)
    (rules / "noise.txt").write_text("x\n")


@pytest.mark.parametrize(
    ("change", "noticed"),
    [
        pytest.param(lambda _: None, False, id="nothing"),
        pytest.param(lambda file: file.read_bytes(), False, id="read"),
        pytest.param(rewritten, True, id="rewritten-under-the-old-time"),
        pytest.param(replaced, True, id="replaced-by-a-rename"),
        pytest.param(lambda file: file.rename(file.with_name("c.md")), True, id="renamed"),
        pytest.param(lambda file: file.unlink(), True, id="removed"),
        pytest.param(lambda file: (file.parent / "b.md").write_text("b"), True, id="new"),
        pytest.param(lambda file: (file.parent / ".b.md.part").write_text("b"), False, id="hidden"),
        pytest.param(lambda file: file.chmod(0), True, id="not-readable"),
        pytest.param(rules_written, True, id="rules-of-the-house"),
    ],
)
def test_what_a_look_notices(folder: Write, tmp_path: Path, change: Callable[[Path], object], *, noticed: bool):
    source, home = folder({"deep/a.md": "one text"}), tmp_path / "home"
    before = look(source, home)
    change(source / "deep" / "a.md")
    assert (look(source, home) != before) is noticed


def test_what_we_write_ourselves_is_no_news(folder: Write):
    source = folder({"a.md": "a", "home/reports/latest.html": "report", "homely.md": "b"})
    assert {path for _, path in look(source, source / "home")} == {"a.md", "homely.md"}


def test_a_source_that_is_not_there_is_told(tmp_path: Path):
    with pytest.raises(SourceError, match="is not there"):
        look(tmp_path / "none", tmp_path)


def test_a_signal_asks_for_the_end_and_a_second_one_insists():
    former = signal.getsignal(signal.SIGTERM)
    with stopped_by_signals() as stop:
        signal.raise_signal(signal.SIGTERM)
        assert stop.requested
        started = time.monotonic()
        stop.wait(60)
        assert time.monotonic() - started < 30
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert signal.getsignal(signal.SIGTERM) is former


class Impatient(Stop):
    """Notes the pauses, waits for none of them, and asks for the end with the seventh."""

    def __init__(self) -> None:
        super().__init__()
        self.pauses: list[float] = []

    def wait(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.requested = len(self.pauses) == 7


def test_runs_that_fail_are_told_and_tried_again_less_and_less_often(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
):
    stop = Impatient()
    watch([str(tmp_path / "none")], Options(tmp_path / "home"), 1.0, lambda _: None, stop)
    assert stop.pauses == [2, 4, 8, 16, 32, 60, 60]
    assert capsys.readouterr().err.count("is not there") == 7


@pytest.mark.spark
def test_a_look_at_a_url_is_a_listing_by_spark(spark: SparkSession, folder: Write, tmp_path: Path):
    source = folder({"deep/a.md": "one"})
    mount = "fs.viewfs.mounttable.watched.link./articles"
    spark.sparkContext._jsc.hadoopConfiguration().set(mount, f"file://{source}")

    def now() -> Seen:
        return glance(["viewfs://watched/articles"], Options(tmp_path / "home"), lambda: spark)

    first = now()
    assert [path for _, path in first] == ["deep/a.md"]
    assert now() == first
    folder({"deep/a.md": "two, longer", "b.md": "new"})
    after = now()
    assert {path for _, path in after} == {"deep/a.md", "b.md"}
    assert all(after[key] != first[key] for key in first)


@pytest.fixture
def watched(spark: SparkSession, tmp_path: Path) -> Iterator[tuple[SourceWatch, list[Summary]]]:  # noqa: ARG001
    told: list[Summary] = []
    one = SourceWatch([str(tmp_path / "articles")], Options(tmp_path / "home"), told.append)
    yield one, told
    one.close()


def found(home: Path, name: str) -> bool:
    engine = Engine.open(home)
    try:
        return any(
            match.incident.title == f"The {name} ledger does not open" for match in engine.search(trace(name)).matches
        )
    finally:
        engine.close()


@pytest.mark.spark
@pytest.mark.slow
def test_articles_come_change_go_and_come_back(
    watched: tuple[SourceWatch, list[Summary]], folder: Write, tmp_path: Path
):
    one, told = watched
    home = tmp_path / "home"
    source = folder({"alpha.md": article("alpha"), "beta.md": article("beta")})

    def settle() -> list[dict[str, int]]:
        before = len(told)
        for _ in range(PATIENCE):
            one.look()
        return [{change: n for change, n in summary.changes.items() if n} for summary in told[before:]]

    assert settle() == [{"new": 2}]
    folder({"gamma.md": article("gamma"), "beta.md": article("delta")})
    (source / "alpha.md").rename(tmp_path / "aside.md")
    assert settle() == [{"new": 1, "changed": 1, "removed": 1}]
    assert [found(home, name) for name in ("alpha", "beta", "gamma", "delta")] == [False, False, True, True]
    assert settle() == []
    os.utime(source / "gamma.md")
    assert settle() == []  # the same bytes: a run looks, and publishes nothing
    (tmp_path / "aside.md").rename(source / "alpha.md")
    assert settle() == [{"new": 1}]
    assert found(home, "alpha")
    assert len(list_snapshots(home)) == len(told) == 3


@pytest.mark.slow
@pytest.mark.spark
def test_a_watch_ends_after_its_batch_and_holds_the_lock(folder: Write, tmp_path: Path):
    """A real process: a source that comes late, a second run beside it, a batch that SIGTERM finds under way."""
    home, source = tmp_path / "home", tmp_path / "articles"
    command = [sys.executable, "-m", "api.cli", "ingest", str(source), "--master", "local[1]"]
    with subprocess.Popen(
        [*command, "--watch", "--every", "0.2", "--json"],
        cwd=ROOT,
        env=os.environ | {"KB_HOME": str(home)},
        stderr=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stderr is not None
        while "is not there" not in process.stderr.readline():
            pass
        folder({"alpha.md": article("alpha")})
        while not list(home.glob("lake/runs/*")):
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGTERM)
        with pytest.raises(LakeError, match="another run is writing to") as beside:
            ingest([str(source)], Options(home), StageProgress())
        out, err = process.communicate(timeout=300)
    assert process.returncode == 0, err
    assert (out.count("\n"), '"new": 1' in out) == (1, True)
    assert found(home, "alpha")
    assert f"another run is writing to {home}/lake (process {process.pid})" in beside.value.problem
    assert set(Lake(home).manifest.runs) == {path.name for path in (home / "lake" / "runs").iterdir()}
