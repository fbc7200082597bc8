"""Milvus behind the candidates' seam, beside the snapshot's own index in the same run: what is found, and what a search takes.

The server is Milvus Lite in a process of its own. It says whether the answers are equal; what a cluster takes, a cluster has to say.
``KB_BENCH_MILVUS_SIZES=25000`` measures HNSW, which takes the place of comparing one by one beyond 20,000 rows.
"""

import os
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from index.build import build
from index.encoder import load_encoder
from index.reading import read as read_paste
from index.storage.filling import fill
from index.storage.snapshot import current
from index.terms.facets import narrow
from index.training.measured import MeasuredEngine
from kb.incident import Incident
from tests.bench.million.make import make, read
from tests.bench.million.measure import SIDES
from tests.bench.million.queries import questions
from tests.bundled import corpus_home, write_ups
from tests.index.pasted import Paste, asked, pastes
from tests.milvus import MilvusServer

pytestmark = [pytest.mark.bench, pytest.mark.timeout(3600)]

ROOT = Path(__file__).resolve().parents[2]
FOLDER = Path(os.environ.get("KB_BENCH_FOLDER", ROOT / ".kb/bench"))
SIZES = [int(size) for size in os.environ.get("KB_BENCH_MILVUS_SIZES", "10000").split(",")]
QUESTIONS = 50
ASKED = 80
"""Rows that a search asks of each side (`index.holdings`)."""

Figure = Callable[..., None]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MilvusServer]:
    with MilvusServer(tmp_path_factory.mktemp("milvus")) as held:
        yield held


def test_bundled(server: MilvusServer, tmp_path: Path, figure: Figure) -> None:
    texts = [kinds[at % len(kinds)].text for at, one in enumerate(write_ups()[::4]) if (kinds := _kinds(one))]
    measured("bundled", corpus_home(tmp_path), texts, server, figure)


@pytest.mark.parametrize("size", SIZES)
def test_generated(size: int, server: MilvusServer, tmp_path: Path, figure: Figure) -> None:
    make(FOLDER, size)
    build(read(FOLDER, size), tmp_path, load_encoder(None))
    measured(f"{size}", tmp_path, [one.text for one in questions(QUESTIONS)], server, figure)


def _kinds(one: Incident) -> list[Paste]:
    return [*pastes(one), *asked(one)] if one.traces else []


def measured(name: str, home: Path, texts: list[str], server: MilvusServer, figure: Figure) -> None:
    """Fill, then ask both the same in turns."""
    place = server.place(seconds=60.0, collection=f"bench_{name}")
    start = time.perf_counter()
    rows = fill(current(home), place)
    figure(f"milvus.{name}.fill_rows_per_s", rows / (time.perf_counter() - start))
    with closing(MeasuredEngine.open(home)) as own, closing(MeasuredEngine.open(home, None, None, place)) as other:
        shares: list[list[float]] = [[], [], [], []]
        taken: dict[str, list[float]] = {"own": [], "milvus": []}
        used = {"own": 0.0, "milvus": 0.0}
        there = server.cpu_seconds()
        equal = {"first": 0, "verdict": 0, "matches": 0}
        for text in texts:
            for at, (ours, theirs) in enumerate(zip(sides(own, text), sides(other, text), strict=True)):
                shares[at] += [len(ours & theirs) / len(ours)] if ours else []
            answers = []
            for who, engine in (("own", own), ("milvus", other)):
                start, busy = time.perf_counter(), time.process_time()
                answers.append(engine.search(text))
                taken[who].append((time.perf_counter() - start) * 1000)
                used[who] += (time.process_time() - busy) * 1000
            one, two = ([m.incident.id for m in answer.matches] for answer in answers)
            equal["first"] += one[:1] == two[:1]
            equal["matches"] += one == two
            equal["verdict"] += answers[0].verdict is answers[1].verdict
    figure(f"milvus.{name}.milvus.server_cpu_ms", (server.cpu_seconds() - there) * 1000 / (2 * len(texts)))
    for side, share in zip(SIDES, shares, strict=True):
        figure(f"milvus.{name}.recall.{side}", statistics.mean(share), floor=0.98)
    for what, count in equal.items():
        figure(f"milvus.{name}.same_{what}", count / len(texts), floor=0.98)
    for who, milliseconds in taken.items():
        hundredths = statistics.quantiles(milliseconds, n=100)
        figure(f"milvus.{name}.{who}.p50_ms", hundredths[49])
        figure(f"milvus.{name}.{who}.p99_ms", hundredths[98])
        figure(f"milvus.{name}.{who}.cpu_ms", used[who] / len(texts))


def sides(engine: MeasuredEngine, text: str) -> list[set[int]]:
    """The rows that each side finds."""
    reading, now = read_paste(text), engine._holdings
    query = now._query(now._view(reading, engine._vector(reading)), narrow(None, reading.lang))
    return [{row for row, _ in side} for side in now.segments[0].find(query, ASKED)]
