"""A service of two workers over 100,000 incidents, asked and written to by another process while its snapshot is swapped.

``KB_BENCH_SIZES=10000`` makes it a quick run. All of it shares the machine: clients, workers, and who swaps.
"""

import json
import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import pytest

from index import Engine
from index.build import build
from index.encoder import load_encoder
from index.storage.snapshot import switch
from tests.api.fixtures import serving
from tests.api.proof.service import SECONDS, WORKERS, a_key
from tests.bench.load.client import Plan, own_trace
from tests.bench.load.workers import Door, cpu_seconds, each_worker
from tests.bench.million.incidents import incident
from tests.bench.million.make import make, read
from tests.bench.million.measure import named
from tests.bench.million.plan import Planner
from tests.bench.million.queries import FROM, questions

pytestmark = [pytest.mark.bench, pytest.mark.timeout(2 * 3600)]

ROOT = Path(__file__).resolve().parents[3]
FOLDER = Path(os.environ.get("KB_BENCH_FOLDER", ROOT / ".kb/bench"))
SIZE = min(100_000, *map(int, os.environ.get("KB_BENCH_SIZES", "100000").split(",")))
FEWER = SIZE - SIZE // 200
"""What the other snapshot holds."""
QUESTIONS, EXACT = 300, 200
DURATION, WRITES = 20.0, 0.01
SAVES = 300
Figure = Callable[..., None]


@dataclass(frozen=True)
class Running:
    """The service, its two snapshots, and what it is asked."""

    home: Path
    port: int
    key: str
    sizes: dict[str, int]
    questions: list[tuple[str, str | None]]

    @contextmanager
    def doors(self) -> Iterator[list[Door]]:
        """A connection to each worker."""
        doors = each_worker(self.port, WORKERS, self.key)
        try:
            yield doors
        finally:
            for door in doors:
                door.close()


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    home, folder = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("serve")
    make(FOLDER, SIZE)
    sizes = {build(read(FOLDER, size), home, load_encoder(None)).id: size for size in (SIZE, FEWER)}
    asked: list[tuple[str, str | None]] = [(one.text, None) for one in questions(QUESTIONS)]
    asked += exact(home)
    url = f"sqlite:///{home / 'store.db'}"
    key = a_key(url)
    with pytest.MonkeyPatch.context() as environment:
        environment.setenv("KB_RATE_PER_KEY", "0")
        with serving(home, folder, "--workers", str(WORKERS), seconds=SECONDS) as server:
            port = int(server.url.rpartition(":")[2])
            found = Running(home, port, key, sizes, asked)
            with found.doors() as doors:
                for text, _ in asked:  # a worker that has just started waits for pages of its files
                    for door in doors:
                        door.search(text)
            yield found


def exact(home: Path) -> list[tuple[str, str | None]]:
    """Traces as they stand in an incident, and that incident, where it is found by them alone.

    Of hundreds with one trace (as of a widespread fault) an answer names some.
    """
    engine = Engine.open(home)
    told = (incident(plan) for plan in Planner().plans(min(FROM, FEWER)))
    found: list[tuple[str, str | None]] = []
    for one in told:
        text = max(one.traces, key=len, default="")
        if text.count("\n\tat ") > 3 and one.id in named(engine.search(text)):
            found.append((text, one.id))
        if len(found) == EXACT:
            break
    engine.close()
    return found


@pytest.mark.parametrize("clients", [1, 8, 64])
def test_under_load(running: Running, clients: int, figure: Figure) -> None:
    name = f"c{clients}"
    plan = Plan(running.port, running.key, name, clients, DURATION, WRITES, running.questions, running.sizes)
    with running.doors() as doors:
        workers = [door.worker for door in doors]
    before = sum(map(cpu_seconds, workers))
    command = [sys.executable, "-m", "tests.bench.load.client"]
    with subprocess.Popen(command, cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as crowd:
        assert crowd.stdin is not None
        crowd.stdin.write(json.dumps(asdict(plan)))
        crowd.stdin.close()
        time.sleep(DURATION / 2)
        current = (running.home / "CURRENT").read_text().strip()
        switch(running.home, next(one for one in running.sizes if one != current))
        assert crowd.stdout is not None
        found = json.loads(crowd.stdout.read())
    used = sum(map(cpu_seconds, workers)) - before
    under = f"load.{SIZE}.{clients}_clients."
    for one in ("searches_per_s", "search.p50_ms", "search.p99_ms", "search.most_ms", "save.p50_ms", "save.most_ms"):
        if one in found:
            figure(under + one, found[one])
    figure(under + "searches_per_server_cpu_s", found["searches"] / used)
    figure(under + "client_share_of_cpu", found["client_cpu_s"] / (found["client_cpu_s"] + used), ceiling=0.25)
    figure(under + "cpu_of_two_cores", (found["client_cpu_s"] + used) / found["seconds"] / 2)
    for one in ("searches", "saves", "exact"):
        figure(under + one, found[one])
    assert len(found["by_snapshot"]) == len(running.sizes), "both snapshots answered"
    print(*found["shown"], sep="\n")
    figure(under + "wrong", found["wrong"], ceiling=0)
    figure(under + "failed", found["failed"], ceiling=0)


def test_saved_is_searched(running: Running, figure: Figure) -> None:
    """From the sending of a write-up until every worker finds it by its trace."""
    with running.doors() as doors:
        answered, taken = zip(*(saved_and_found(doors, number) for number in range(SAVES)), strict=True)
    for name, times in (("acknowledged", answered), ("searched_everywhere", taken)):
        hundredths = statistics.quantiles(times, n=100)
        figure(f"save.{SIZE}.{name}.p50_ms", hundredths[49] * 1000)
        figure(f"save.{SIZE}.{name}.p99_ms", hundredths[98] * 1000)
        figure(f"save.{SIZE}.{name}.most_ms", max(times) * 1000)
    assert statistics.quantiles(taken, n=100)[98] < 1.0


def saved_and_found(doors: list[Door], number: int) -> tuple[float, float]:
    """Seconds until a save at one of the workers was acknowledged, and until each of them found it."""
    trace = own_trace("saved", number)
    record = {"id": f"saved-{number}", "title": f"Nothing left of shelf {number}", "traces": [trace]}
    start = time.monotonic()
    status, answer = doors[number % len(doors)].ask("POST", "/v1/incidents", record)
    assert status == 201, answer
    answered = time.monotonic() - start
    for door in doors:
        while f"saved-{number}" not in door.search(trace):
            assert time.monotonic() - start < SECONDS
    return answered, time.monotonic() - start
