"""Megabytes a second on one core, beside one bare regular-expression pass over the same text in the same run.

CPU time of this process, the least of several runs: the machine may be shared. What is remembered between runs (names of
frames, templates) is what a long-lived service remembers; ``first`` is a run that remembers nothing.
"""

import functools
import gzip
import json
import random
import re
import resource
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kb.trace import fingerprints, in_force, parse, parse_stream
from kb.trace.custom import NONE

pytestmark = pytest.mark.bench

JVM_FRAME = re.compile(r"^\s*at ([\w.$<>/@-]+)\.([\w$<>-]+)\(([^():]*)(?::(\d+))?\)", re.MULTILINE)
TESTS = Path(__file__).resolve().parents[1]
GOLDEN = TESTS / "golden" / "traces"
RUNTIMES = sorted(path.name for path in GOLDEN.iterdir() if path.is_dir())
SIZE = 2_000_000
"""Characters of each text of golden traces and hostile rows."""
GIGABYTE = 1_000_000_000

Figure = Callable[..., None]


def seconds(work: Callable[[], object], runs: int = 3) -> float:
    """The least CPU time of several runs: the others were disturbed."""
    taken = []
    for _ in range(runs):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return min(taken)


def megabytes(texts: list[str]) -> float:
    return sum(len(text.encode("utf-8", "replace")) for text in texts) / 1e6


def forget() -> None:
    """Clears what was remembered of earlier texts."""
    for module in [module for name, module in sys.modules.items() if name.startswith("kb.")]:
        for cached in vars(module).values():
            if isinstance(cached, functools._lru_cache_wrapper) and cached.cache_parameters()["maxsize"] is not None:
                cached.cache_clear()
    in_force.activate(NONE)  # what is remembered of texts is remembered with the rules


def read(text: str) -> None:
    for chain in parse(text):
        fingerprints(chain)


def measure(figure: Figure, name: str, texts: list[str], floor: float | None = None) -> None:
    """Parsing and fingerprints of the texts, and one bare pass of a frame pattern over them."""
    forget()
    first = seconds(lambda: [read(text) for text in texts], runs=1)
    ours = seconds(lambda: [read(text) for text in texts], runs=2)
    bare = seconds(lambda: [sum(1 for _ in JVM_FRAME.finditer(text)) for text in texts])
    size = megabytes(texts)
    figure(f"{name}.first_MB_per_s", size / first)
    figure(f"{name}.MB_per_s", size / ours, floor=floor)
    figure(f"{name}.bare_pass_MB_per_s", size / bare)
    figure(f"{name}.times_a_bare_pass", ours / bare)


@pytest.fixture(scope="module")
def traces(shared_data: Path) -> list[str]:
    with gzip.open(shared_data / "dedup/apache_jira.tune.jsonl.gz", "rt", encoding="utf-8") as lines:
        return [json.loads(line)["trace"] for line in lines]


@pytest.fixture(scope="module")
def ordinary() -> list[str]:
    """A log in which nothing is wrong, line by line."""
    draw = random.Random(7)
    return [
        f"2026-03-{draw.randint(1, 28):02} 10:{draw.randint(0, 59):02}:07,{draw.randint(0, 999):03} INFO  "
        f"org.example.Service{draw.randint(1, 40)} - request {draw.randint(1, 10**9)} took {draw.randint(1, 900)} ms"
        for _ in range(200_000)
    ]


@pytest.fixture(scope="module")
def with_traces(traces: list[str], ordinary: list[str]) -> str:
    """The same log, 1 % of it traces."""
    draw = random.Random(8)
    lines, wanted = list(ordinary), 0
    while wanted < sum(map(len, ordinary)) / 100:
        trace = draw.choice(traces)
        wanted += len(trace)
        lines.insert(draw.randrange(len(lines)), trace)
    return "\n".join(lines)


def test_traces(traces: list[str], figure: Figure) -> None:
    """Nearly nothing but JVM frames: a third of the lines are distinct."""
    measure(figure, "traces", traces)


@pytest.mark.parametrize("runtime", RUNTIMES)
def test_golden(runtime: str, figure: Figure) -> None:
    """The golden traces of a runtime, one after the other until there is enough."""
    texts = [path.read_text(encoding="utf-8") for path in sorted((GOLDEN / runtime).glob("*.txt"))]
    size = sum(map(len, texts))
    if not size:
        pytest.skip(f"no golden traces of {runtime}")
    measure(figure, f"golden.{runtime}", texts * max(1, SIZE // size))


def test_log_without_traces(ordinary: list[str], figure: Figure) -> None:
    measure(figure, "log.none", ["\n".join(ordinary)], floor=80)


def test_log_that_names_errors(ordinary: list[str], figure: Figure) -> None:
    """Every tenth line names an exception and has no trace: what a careless needle would stumble over."""
    said = [f"{line} after java.io.IOException: retry" if at % 10 == 0 else line for at, line in enumerate(ordinary)]
    measure(figure, "log.names_errors", ["\n".join(said)])


def test_log_with_few_traces(with_traces: str, figure: Figure) -> None:
    measure(figure, "log", [with_traces], floor=60)


def test_stream_of_a_gigabyte(with_traces: str, figure: Figure) -> None:
    """In pieces as a file gives them; memory is what the process grew by."""

    def pieces() -> Iterator[str]:
        for _ in range(GIGABYTE // len(with_traces)):
            for at in range(0, len(with_traces), 1 << 20):
                yield with_traces[at : at + (1 << 20)]

    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    start = time.process_time()
    found = sum(bool(fingerprints(chain)) for chain in parse_stream(pieces()))
    taken = time.process_time() - start
    copies = GIGABYTE // len(with_traces)
    assert found >= copies * len(parse(with_traces))
    figure("stream.MB_per_s", GIGABYTE / 1e6 / taken, floor=60)
    figure("stream.MB_of_memory", (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024, ceiling=200)


def test_hostile(figure: Figure) -> None:
    """Every hostile text of the tests, grown to the same size each; the slowest is named."""
    worst = ("", 0.0)
    size = taken = 0.0
    for path in sorted((TESTS / "kb/trace/hostile").glob("*.json")):
        for name, row in json.loads(path.read_text(encoding="utf-8"))["hostile"].items():
            text = row.get("before", "") + row["unit"] * max(1, 50_000 // len(row["unit"])) + row.get("after", "")
            forget()
            spent = seconds(lambda text=text: read(text), runs=1)
            size, taken = size + megabytes([text]), taken + spent
            worst = max(worst, (f"{path.stem}/{name}", spent / megabytes([text])), key=lambda one: one[1])
    print(f"slowest: {worst[0]}, {1 / worst[1]:.2f} MB/s")
    figure("hostile.MB_per_s", size / taken)
    figure("hostile.slowest_MB_per_s", 1 / worst[1])
