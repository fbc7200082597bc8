"""One process that searches: start, memory, time by stage: ``python -m tests.bench.million.measure HOME COUNT``. Prints JSON."""

import json
import re
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from index import Engine
from index.answer import Answer
from index.holdings import _PER_SEGMENT
from index.reading import read
from index.stages import listening
from index.storage.candidates import visible
from index.terms.facets import narrow
from tests.bench.million.plan import SEED
from tests.bench.million.queries import Question, questions

SIDES = ("prints", "frames", "words", "vectors")
WARM_UP = 300
"""Other pastes that a worker has answered before: one that has just started waits for pages of its files."""
_SHARES = {"p50": 49, "p95": 94, "p99": 98}


def figures(home: Path, count: int) -> dict[str, float]:
    """Every figure of one worker over a home."""
    before = memory()
    start = time.perf_counter()
    engine = Engine.open(home)
    found = {"open_s": time.perf_counter() - start}
    pastes = questions(count)
    warm(engine)
    found |= spread("search", [timed(lambda q=q: engine.search(q.text)) for q in pastes])
    found |= by_stage(engine, pastes)
    found |= hits([(question, named(engine.search(question.text, 10))) for question in pastes])
    after = memory()
    found |= {f"memory.{name}_MB": after[name] for name in after}
    found["memory.of_libraries_MB"] = before["private"]
    engine.close()
    return found


def warm(engine: Engine) -> None:
    """Answers other pastes than those that are measured."""
    for question in questions(WARM_UP, SEED + 2):
        engine.search(question.text)


def memory() -> dict[str, float]:
    """Megabytes in memory: all, what no other process has, and what is pages of files, which workers share."""
    status = Path("/proc/self/status").read_text(encoding="ascii")
    return {name: int(re.search(rf"{key}:\s+(\d+)", status)[1]) / 1024 for name, key in _MEMORY.items()}  # type: ignore[index]


_MEMORY = {"resident": "VmRSS", "private": "RssAnon", "files": "RssFile"}


def timed(work: Callable[[], object]) -> float:
    """Milliseconds of CPU of this process: the machine may be shared."""
    start = time.process_time()
    work()
    return (time.process_time() - start) * 1000


def spread(name: str, spent: Sequence[float]) -> dict[str, float]:
    """Percentiles of milliseconds."""
    hundredths = statistics.quantiles(spent, n=100)
    return {f"{name}.{share}_ms": hundredths[at] for share, at in _SHARES.items()}


def by_stage(engine: Engine, pastes: Sequence[Question]) -> dict[str, float]:
    """The stages of `Engine.search`, and by themselves the four sides from which candidates come."""
    clock, sides = _Clock(), _Clock()
    for question in pastes:
        with listening(clock.stage):
            engine.search(question.text)
        clock.end_search()
    candidates = [_candidates(engine, question.text, sides) for question in pastes]
    return {"candidates": statistics.mean(candidates)} | clock.spreads() | sides.spreads()


def named(answer: Answer) -> list[str]:
    """The ids of an answer, those of one problem one after the other."""
    return [one for match in answer.matches for one in (match.incident.id, *(other.id for other in match.also))]


class _Clock:
    """Milliseconds by name, of each search; a stage that a search enters more than once, for a paste of several problems, counts as one."""

    def __init__(self) -> None:
        self._spent: dict[str, list[float]] = {}
        self._search: dict[str, float] = {}

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        start = time.process_time()
        yield
        self._search[name] = self._search.get(name, 0.0) + (time.process_time() - start) * 1000

    def end_search(self) -> None:
        for name, spent in self._search.items():
            self._spent.setdefault(name, []).append(spent)
        self._search = {}

    def spreads(self) -> dict[str, float]:
        return {key: value for name, spent in self._spent.items() for key, value in spread(name, spent).items()}


def _candidates(engine: Engine, text: str, clock: _Clock) -> int:
    """Ask each side of the snapshot for its candidates, as `Holdings` does; return how many are compared."""
    held, reading = engine._holdings, read(text)
    query = held._query(held._view(reading, engine._vector(reading)), narrow(None, reading.lang))
    segment = held.segments[0]
    allowed, required = segment._allowed(query.required)
    here = replace(query, required=required, allowed=allowed)
    for name, side in zip(SIDES, segment._sides(), strict=True):
        with clock.stage(name):
            visible(side, here, _PER_SEGMENT, frozenset())
    clock.end_search()
    return len(held._candidates(query))


def hits(found: Sequence[tuple[Question, Sequence[str]]]) -> dict[str, float]:
    """How often what was looked for comes first, and among the first ten."""
    known = [(question, ids) for question, ids in found if question.expected]
    return {
        f"hit@{most}": statistics.mean(question.expected in ids[:most] for question, ids in known) for most in (1, 10)
    }


if __name__ == "__main__":
    json.dump(figures(Path(sys.argv[1]), int(sys.argv[2])), sys.stdout)
