"""Ingest, start and search on the 1,531 real articles beside the checkout, as whole commands."""

import json
import os
import statistics
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from index import Engine
from ingest.pipeline import ingest as ingest_sources
from ingest.progress import StageProgress
from ingest.session import LOCAL, spark_session
from ingest.survey import Options
from tests.api.proof.service import free_port

pytestmark = pytest.mark.bench


def ingest(home: Path, *arguments: str) -> tuple[dict[str, Any], float]:
    """The summary of one `kb ingest`, and its seconds from start to end."""
    start = time.perf_counter()
    ran = subprocess.run(
        [sys.executable, "-m", "api.cli", "ingest", *arguments, "--json"],
        env={**os.environ, "KB_HOME": str(home)},
        check=True,
        stdout=subprocess.PIPE,
        timeout=900,
    )
    return json.loads(ran.stdout), time.perf_counter() - start


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("articles")


def test_ingest(shared_data: Path, home: Path, figure: Callable[..., None]) -> None:
    first, seconds = ingest(home, str(shared_data / "articles"))
    assert first["accepted"] + first["rejected"] == first["read"]
    figure("ingest.documents", first["read"])
    figure("ingest.rejected", first["rejected"])
    figure("ingest.seconds", seconds)
    figure("ingest.documents_per_s_after_spark_start", first["articles_per_second"])
    again, seconds = ingest(home, str(shared_data / "articles"))
    assert (again["done_now"], again["published"], again["snapshot"]) == (0, False, first["snapshot"])
    figure("ingest.seconds_when_nothing_changed", seconds)


def test_ingest_warm(shared_data: Path, tmp_path: Path, figure: Callable[..., None]) -> None:
    """The second full ingest of one Spark session: JVM compiled, Python workers up."""
    places, options = [str(shared_data / "articles")], Options(tmp_path, full=True)
    with spark_session(tmp_path, LOCAL):
        for _ in range(2):
            with StageProgress() as progress:
                summary = ingest_sources(places, options, progress)
    assert summary.articles_per_second is not None
    figure("ingest.documents_per_s_warm", summary.articles_per_second)


def test_search(shared_data: Path, home: Path, figure: Callable[..., None]) -> None:
    """Latency in this process, one core; the queries are 300 of the articles themselves, whole."""
    start = time.perf_counter()
    engine = Engine.open(home)
    figure("search.open_s", time.perf_counter() - start)
    texts = [
        path.read_text(encoding="utf-8", errors="replace")[:20_000]
        for path in sorted((shared_data / "articles").rglob("*.*"))[::5][:300]
    ]
    engine.search("warm up: 预热")
    taken = []
    for text in texts:
        start = time.perf_counter()
        engine.search(text)
        taken.append((time.perf_counter() - start) * 1000)
    engine.close()
    hundredths = statistics.quantiles(taken, n=100)
    figure("search.p50_ms", hundredths[49])
    figure("search.p99_ms", hundredths[98])


PEER = """
import faiss, fastapi, numpy, pyarrow, sqlalchemy.orm, tantivy, tokenizers, uvicorn
app = fastapi.FastAPI()
app.get("/readyz")(lambda: {{}})
app.get("/")(lambda: {{}})
uvicorn.run(app, port={port}, log_level="warning")
"""
"""The libraries that a service like ours needs, and not a line of ours."""


def test_later_start(tmp_path: Path, figure: Callable[..., None]) -> None:
    """Seconds from `kb up` to ready and to the page, the write-ups being ingested; a bare service in turn with it."""
    environment, port = {**os.environ, "KB_HOME": str(tmp_path)}, free_port()
    ours = [sys.executable, "-m", "api.cli", "up", "--port", str(port)]
    seconds_to(ours, environment, port, wait=300)  # from nothing
    rows = [
        (
            *seconds_to(ours, environment, port),
            *seconds_to([sys.executable, "-c", PEER.format(port=port)], environment, port),
        )
        for _ in range(7)
    ]
    ready, page, peer, _ = (statistics.median(row) for row in zip(*rows, strict=True))
    figure("start.ready_s", ready)
    figure("start.page_s", page)
    figure("start.ready_to_a_bare_service", ready / peer)


def seconds_to(command: list[str], environment: dict[str, str], port: int, wait: float = 60.0) -> tuple[float, float]:
    """How long after the command a service is ready, and shows its page; then it is ended."""
    start = time.perf_counter()
    running = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    taken = []
    try:
        for path in ("/readyz", "/"):
            while not answers(f"http://127.0.0.1:{port}{path}"):
                assert running.poll() is None, "it ended"
                assert time.perf_counter() - start < wait
                time.sleep(0.05)
            taken.append(time.perf_counter() - start)
    finally:
        running.terminate()
        running.wait(30)
    return taken[0], taken[1]


def answers(url: str) -> bool:
    try:
        with urllib.request.urlopen(url, timeout=30) as answer:
            return bool(answer.status == 200)
    except (urllib.error.URLError, ConnectionError):
        return False
