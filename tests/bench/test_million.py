"""A million generated incidents: building, memory, time by stage, searches a second, and what other engines take for the same.

``KB_BENCH_SIZES=10000`` makes it a quick run. What is generated is kept in ``.kb/bench`` (``KB_BENCH_FOLDER``), homes are not.
Every measured part is a process of its own, so that memory is its own.
"""

import json
import math
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from index.build import build
from index.encoder import load_encoder
from index.storage.snapshot import current
from tests.bench.million.make import make, read
from tests.bench.million.peers import PEERS
from tests.bench.million.plot import drawing

pytestmark = [pytest.mark.bench, pytest.mark.timeout(4 * 3600)]

ROOT = Path(__file__).resolve().parents[2]
SIZES = [int(size) for size in os.environ.get("KB_BENCH_SIZES", "10000,100000,1000000").split(",")]
FOLDER = Path(os.environ.get("KB_BENCH_FOLDER", ROOT / ".kb/bench"))
QUESTIONS = 300
SECONDS = 20.0
HELD_IN_MEMORY = 100_000
"""bm25s holds every token as a Python object while it builds: more than that was not tried."""
Figure = Callable[..., None]


def told(module: str, *arguments: object) -> Any:
    """The JSON that a module of the benchmark prints."""
    command = [sys.executable, "-m", f"tests.bench.million.{module}", *map(str, arguments)]
    return json.loads(subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout)


@pytest.fixture(scope="module")
def parts() -> Path:
    start = time.perf_counter()
    make(FOLDER, max(SIZES))
    print(f"generated in {time.perf_counter() - start:.0f} s")
    return FOLDER


@pytest.fixture(scope="module")
def lines() -> Iterator[dict[str, list[tuple[float, float]]]]:
    """Milliseconds of a search by size, of each engine; drawn in the end."""
    drawn: dict[str, list[tuple[float, float]]] = {}
    yield drawn
    if len(SIZES) > 1 and drawn:
        (ROOT / "tests/bench/million.svg").write_text(
            drawing(drawn, "A search, half of them within (one core)"), "utf-8"
        )


@pytest.fixture(scope="module", params=SIZES)
def size(request: pytest.FixtureRequest) -> int:
    return int(request.param)


@pytest.fixture(scope="module")
def note(size: int) -> Callable[[Figure, dict[str, float], str], None]:
    """Notes figures under the size, with the targets of the design as ceilings."""

    def noted(figure: Figure, found: dict[str, float], under: str) -> None:
        for name, value in found.items():
            figure(f"million.{size}.{under}{name}", value)
        missed = {name: value for name, value in found.items() if value > CEILINGS.get((size, under + name), math.inf)}
        assert not missed, f"above the targets of the design: {missed}"

    return noted


CEILINGS = {
    (1_000_000, "search.p50_ms"): 25,
    (1_000_000, "search.p99_ms"): 80,
    (1_000_000, "memory.private_MB"): 512,
    (1_000_000, "memory.resident_MB"): 4096,
    (100_000, "open_s"): 5,
}
"""The targets of the design, but for what is said beside them; CPU time of one process."""


@pytest.fixture(scope="module")
def home(parts: Path, size: int, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp(f"home-{size}")
    program = partial(build, read(parts, size), folder, load_encoder(None))
    start = time.perf_counter(), time.process_time()
    program()
    (folder / "built.json").write_text(
        json.dumps({"wall_s": time.perf_counter() - start[0], "cpu_s": time.process_time() - start[1]})
    )
    return folder


def test_build(home: Path, figure: Figure, note: Callable[..., None]) -> None:
    """One process; the entries of dialects are made in it, too."""
    manifest = current(home).manifest
    note(figure, json.loads((home / "built.json").read_text()), "build.")
    note(figure, {"disk_MB": sum(stored.size for stored in manifest.files.values()) / 1e6}, "build.")
    facts = manifest.vectors
    note(
        figure,
        {"recall_at_50": facts.recall_at_50, "cosine_error": facts.cosine_error, "rescored": facts.rescored},
        "vectors.",
    )
    assert facts.recall_at_50 >= 0.98


def test_search(home: Path, size: int, figure: Figure, note: Callable[..., None], lines: dict[str, Any]) -> None:
    found = told("measure", home, QUESTIONS)
    lines.setdefault("dejastack", []).append((size, found["search.p50_ms"]))
    note(figure, found, "")


@pytest.mark.parametrize("workers", [1, 2])
def test_searches_a_second(home: Path, workers: int, figure: Figure, note: Callable[..., None]) -> None:
    """Processes that share the files."""
    command = [sys.executable, "-m", "tests.bench.million.worker", str(home), str(QUESTIONS), str(SECONDS)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "cwd": ROOT}
    running = [subprocess.Popen(command, **pipes) for _ in range(workers)]  # type: ignore[call-overload]
    for process in running:
        assert process.stdout.readline() == "ready\n"
    for process in running:
        process.stdin.write("go\n")
        process.stdin.flush()
    printed = [process.communicate()[0].split() for process in running]
    done, used = (sum(map(float, numbers)) for numbers in zip(*printed, strict=True))
    found = {"searches_per_s": done / SECONDS, "searches_per_cpu_s": done / used}  # the machine may be shared
    note(figure, found, f"workers.{workers}.")


@pytest.mark.parametrize("peer", PEERS)
def test_peer(
    parts: Path, size: int, peer: str, figure: Figure, note: Callable[..., None], lines: dict[str, Any]
) -> None:
    if peer == "bm25s":
        pytest.importorskip("bm25s", reason="the peers are not installed: pip install --group peers")
        if size > HELD_IN_MEMORY:
            pytest.skip("bm25s holds every token as an object while it builds: not tried with so many")
    found = told("peers", peer, parts, size, QUESTIONS)
    lines.setdefault(peer, []).append((size, found["search.p50_ms"]))
    note(figure, found, f"beside.{peer}.")
