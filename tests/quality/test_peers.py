"""Beside siggen and sentry-ophio on the same cases and traces; see `tests/quality/peers.py` for how each is asked."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.quality import peers
from tests.quality.cases import Case, load

pytestmark = pytest.mark.quality

TRACE = "a.b.E: x {}\n\tat a.b.C.run(C.java:4)\n\tat java.lang.Thread.run(Thread.java:8)\n"


@pytest.fixture(autouse=True)
def _installed() -> None:
    for module in ("siggen", "sentry_ophio"):
        pytest.importorskip(module, reason="the peers are not installed: pip install --group peers")


def test_cases(shared_data: Path, figure: Callable[..., None]) -> None:
    """What each satisfies; ours is the most of every kind."""
    counts = peers.counted(load(shared_data / "cases/cases.jsonl"))
    print(peers.markdown(counts))
    for name, rows in counts.items():
        for kind in peers.COMPARED:
            passed, every = rows["all", kind]
            figure(f"peers.{name}.{kind}", passed / every)
            ours = counts["dejastack"]["all", kind]
            assert passed / every <= ours[0] / ours[1]


def test_speed(shared_data: Path, figure: Callable[..., None]) -> None:
    traces = peers.load_traces(shared_data / "dedup/apache_jira.tune.jsonl.gz", 1_000)
    for name, speed in peers.speeds(traces).items():
        figure(f"peers.{name}.MB_per_s", speed)


@pytest.mark.parametrize("name", peers.PEERS)
def test_each_peer_is_asked_as_it_can_answer(name: str) -> None:
    """Each gives one signature for one trace, tells two raise points apart, and does not see line numbers."""
    signature = peers.PEERS[name]
    (found,) = signature(TRACE.format(1))
    assert "a.b.C" in found
    same = Case("x", "jvm", "same", (TRACE.format(1), TRACE.format(1).replace("C.java:4", "C.java:5")), {})
    other = Case("y", "jvm", "different", (TRACE.format(1), TRACE.format(1).replace("C.run", "D.walk")), {})
    assert peers.satisfies(same, signature)
    assert peers.satisfies(other, signature)
