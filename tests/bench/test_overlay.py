"""What was saved since the snapshot: what a change costs, and what searching costs with 0, 1,000 and 10,000 of them.

CPU time of this process; incidents as `tests/bench/million` makes them.
"""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from statistics import median

import pytest

from index import Engine
from index.build import build
from index.encoder import load_encoder
from index.entry import entries
from kb.incident import Incident
from kb.store import IncidentChange
from tests.bench.million.incidents import incident
from tests.bench.million.plan import Planner

pytestmark = pytest.mark.bench

Figure = Callable[..., None]

BASE, SAVED = 2_000, 10_000
QUESTIONS = 200


@pytest.fixture(scope="module")
def told() -> list[Incident]:
    return [incident(plan) for plan in Planner().plans(BASE + SAVED)]


@pytest.fixture(scope="module")
def engine(told: list[Incident], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    encoder, home = load_encoder(None), tmp_path_factory.mktemp("overlay")
    build((entries(told[at : at + 100], encoder) for at in range(0, BASE, 100)), home, encoder)
    opened = Engine.open(home)
    yield opened
    opened.close()


def milliseconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return 1000 * (time.process_time() - start)


def test_what_changes_cost(engine: Engine, told: list[Incident], figure: Figure) -> None:
    """Each tenth change is one of an incident of the snapshot."""
    changed = [
        replace(told[at // 10], title=f"{told[at // 10].title} again") if at % 10 == 0 else told[BASE + at]
        for at in range(SAVED)
    ]
    changes = [IncidentChange(at, one.id, one) for at, one in enumerate(changed, 1)]
    questions = ["\n".join([one.title, *one.traces]) for one in told[:: len(told) // QUESTIONS]]
    applied = 0
    for size in (0, 1_000, SAVED):
        engine.apply(changes[applied : max(size - 50, 0)])
        singly = [milliseconds(lambda c=change: engine.apply([c])) for change in changes[max(size - 50, 0) : size]]  # type: ignore[misc]
        applied = size
        if singly:
            figure(f"overlay.{size}.ms_per_change", median(singly), ceiling=60)
        searched = sorted(milliseconds(lambda t=text: engine.search(t)) for text in questions)  # type: ignore[misc]
        figure(f"overlay.{size}.search_p50_ms", median(searched))
        figure(f"overlay.{size}.search_p99_ms", searched[int(0.99 * len(searched))])
