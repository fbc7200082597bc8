"""Megabytes a second on one core, beside one bare regular-expression pass over the same text in the same run."""

import gzip
import json
import random
import re
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from kb.trace import fingerprints, parse

pytestmark = pytest.mark.bench

JVM_FRAME = re.compile(r"^\s*at ([\w.$<>/@-]+)\.([\w$<>-]+)\(([^():]*)(?::(\d+))?\)", re.MULTILINE)


def seconds(work: Callable[[], object], runs: int = 3) -> float:
    """The fastest of several runs: the others were disturbed."""
    taken = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        taken.append(time.perf_counter() - start)
    return min(taken)


@pytest.fixture(scope="module")
def traces(shared_data: Path) -> list[str]:
    with gzip.open(shared_data / "dedup/apache_jira.tune.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line)["trace"] for line in lines]


def read(text: str) -> None:
    for chain in parse(text):
        fingerprints(chain)


def test_traces(traces: list[str], figure: Callable[..., None]) -> None:
    megabytes = sum(map(len, traces)) / 1e6
    ours = seconds(lambda: [read(trace) for trace in traces])
    bare = seconds(lambda: [sum(1 for _ in JVM_FRAME.finditer(trace)) for trace in traces])
    figure("traces.MB_per_s", megabytes / ours)
    figure("traces.times_a_bare_pass", ours / bare)


def test_log_with_few_traces(traces: list[str], figure: Callable[..., None]) -> None:
    """A log of which 1 % are traces."""
    draw = random.Random(7)
    lines = [
        f"2026-03-{draw.randint(1, 28):02} 10:{draw.randint(0, 59):02}:07,{draw.randint(0, 999):03} INFO  "
        f"org.example.Service{draw.randint(1, 40)} - request {draw.randint(1, 10**9)} took {draw.randint(1, 900)} ms"
        for _ in range(200_000)
    ]
    size, wanted = sum(map(len, lines)), 0
    while wanted < size / 100:
        trace = draw.choice(traces)
        wanted += len(trace)
        lines.insert(draw.randrange(len(lines)), trace)
    log = "\n".join(lines)
    figure("log.MB_per_s", len(log) / 1e6 / seconds(lambda: read(log)))
