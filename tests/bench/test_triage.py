"""`kb triage` of a night of generated crashes beside a knowledge base of 10,000 generated incidents.

``KB_BENCH_CRASHES=20000`` makes it a quick run. The same crashes are read by a standalone cluster of two workers, one of which is killed in the middle while a third one comes.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest

from index.build import build
from index.encoder import load_encoder
from tests.bench.million.crashes import Problem, write
from tests.bench.million.make import make, read
from tests.bench.million.queries import FROM
from tests.bench.watched import Watched
from tests.ingest.cluster import cluster

pytestmark = [pytest.mark.bench, pytest.mark.timeout(4 * 3600)]

ROOT = Path(__file__).resolve().parents[2]
CRASHES = int(os.environ.get("KB_BENCH_CRASHES", "1000000"))
PARTS = Path(os.environ.get("KB_BENCH_FOLDER", ROOT / ".kb/bench"))


@dataclass(frozen=True, slots=True)
class Night:
    """A night's crashes, what crashed how often, and what `kb triage` on ``local[2]`` reports of them."""

    source: Path
    of: Sequence[Problem]
    seen: Sequence[int]
    output: Path
    report: dict[str, Any]
    watched: Watched


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    make(PARTS, FROM)
    folder = tmp_path_factory.mktemp("home")
    build(read(PARTS, FROM), folder, load_encoder(None))
    return folder


@pytest.fixture(scope="module")
def night(tmp_path_factory: pytest.TempPathFactory, home: Path) -> Night:
    folder = tmp_path_factory.mktemp("crashes")
    of, seen = write(folder / "night", CRASHES)
    report, watched = triaged(home, folder / "night", folder / "report")
    return Night(folder / "night", of, seen, folder / "report", report, watched)


def triaged(home: Path, source: Path, output: Path) -> tuple[dict[str, Any], Watched]:
    """Return the report of a run, and what it took."""
    command = [sys.executable, "-m", "api.cli", "triage", str(source), "-o", str(output)]
    with subprocess.Popen(
        command, cwd=ROOT, env={**os.environ, "KB_HOME": str(home)}, stdout=subprocess.DEVNULL
    ) as process:
        watched = Watched(process.pid)
        process.wait()
    watched.stop()
    assert process.returncode == 0
    report: dict[str, Any] = json.loads((output / "report.json").read_text(encoding="utf-8"))
    return report, watched


def groups_of(report: dict[str, Any]) -> dict[str, tuple[int, int]]:
    """Return the crashes and distinct traces of each incident, and of each unknown group."""
    named = [(one["incident"], one) for one in report["known"]] + [(one["id"], one) for one in report["unknown"]]
    return {name: (one["crashes"], one["groups"]) for name, one in named}


def test_a_million_crashes(night: Night, figure: Callable[..., None]) -> None:
    report = night.report
    known, unknown = (sum(one["crashes"] for one in report[kind]) for kind in ("known", "unknown"))
    assert report["crashes"] == CRASHES == known + unknown + report["without_error"] + report["unread"]
    rows = pq.read_table(night.output / "crashes.parquet", columns=["exact"]).num_rows
    assert (report["unread"], rows) == (0, CRASHES)
    figure("triage.crashes", CRASHES)
    figure("triage.seconds", report["seconds"])
    figure("triage.cpu_seconds", night.watched.cpu)
    figure("triage.problems", sum(map(bool, night.seen)))
    figure("triage.distinct", report["distinct"])
    figure("triage.unknown_groups", len(report["unknown"]))
    for kind, peak in night.watched.peak.items():
        figure(f"triage.{kind}_MB", peak, ceiling=2048)
    for name, value in judged(report, night.of, night.seen).items():
        figure(f"triage.{name}", value)


def judged(report: dict[str, Any], of: Sequence[Problem], seen: Sequence[int]) -> dict[str, float]:
    """Return the shares of crashes of known problems that are laid to one of their incidents, and of the others that are laid to any."""
    owed: dict[str, int] = {}
    for problem, crashes in zip(of, seen, strict=True):
        for incident in problem.incidents:
            owed[incident] = owed.get(incident, 0) + crashes
    of_known = sum(crashes for problem, crashes in zip(of, seen, strict=True) if problem.incidents)
    right = sum(min(one["crashes"], owed.get(one["incident"], 0)) for one in report["known"])
    wrong = sum(max(one["crashes"] - owed.get(one["incident"], 0), 0) for one in report["known"])
    return {"known_and_right": right / of_known, "wrongly_known": wrong / (sum(seen) - of_known)}


def test_a_cluster_finds_the_same_groups_though_a_worker_dies(
    tmp_path: Path, home: Path, night: Night, figure: Callable[..., None]
) -> None:
    output = tmp_path / "there"
    with cluster(tmp_path / "cluster") as machines:
        machines.start_workers("one", "two")
        command = [sys.executable, "-m", "api.cli", "triage", str(night.source), "-o", str(output), *machines.conf()]
        environ = {**os.environ, "KB_HOME": str(home)}
        with subprocess.Popen(command, cwd=ROOT, env=environ, stdout=subprocess.DEVNULL) as process:
            machines.wait_for_tasks("two", 2)
            machines.kill_worker("two")
            machines.start_workers("three")
            below = (process.pid, *(machines.processes[name].pid for name in ("one", "three")))
            watched = [Watched(pid) for pid in below]
            process.wait()
        for one in watched:
            one.stop()
        assert process.returncode == 0
    there = json.loads((output / "report.json").read_text(encoding="utf-8"))
    assert groups_of(there) == groups_of(night.report)
    figure("triage.cluster_crashes", CRASHES)
    figure("triage.cluster_seconds", there["seconds"])
    for kind in ("driver", "java", "worker"):  # the largest process of each kind, on any of the machines
        largest = max(one.peak[kind] for one in (watched if kind != "driver" else watched[:1]))
        figure(f"triage.cluster_{kind}_MB", largest, ceiling=2048)
