"""A service that is killed again and again under curators who write: what was acknowledged is there, once, and nothing is broken."""

import random
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kb.store import Store
from tests.api.fixtures import poll
from tests.api.proof.service import SECONDS, WORKERS, Killed, a_key, killed
from tests.api.proof.writers import Told, Writer

Figure = Callable[..., None]
CURATORS = 4
HOW: tuple[Callable[[Killed], None], ...] = (Killed.kill_worker, Killed.kill_parent, Killed.kill_all)


def kill(service: Killed, writers: list[Writer], times: int) -> int:
    """Kill a service in turn in each way, each time after some more was acknowledged; how often anything was."""
    acknowledged = lambda: sum(len(one.told.acknowledged) for one in writers)  # noqa: E731
    for number in range(times):
        wanted = acknowledged() + random.randint(4, 12)
        poll(lambda wanted=wanted: acknowledged() >= wanted, SECONDS)  # type: ignore[misc]
        way = HOW[number % len(HOW)] if service.workers > 1 else Killed.kill_all
        way(service)
        if way is not Killed.kill_worker and number + 1 < times:
            service.start()
    return acknowledged()


def whole(store: Store, told: list[Told]) -> None:
    """Every acknowledged revision is there and none twice; nothing that was refused; at most what was not answered besides."""
    seen: Counter[str] = Counter()
    acknowledged = {title: where for one in told for title, where in one.acknowledged.items()}
    revisions = 0
    for listed in each(store):
        history = store.incidents.history(listed, limit=100_000)
        assert [one.number for one in history] == list(range(len(history), 0, -1))
        for one in history:
            seen[one.shown.title] += 1
            assert acknowledged.get(one.shown.title, (listed, one.number)) == (listed, one.number)
        revisions += len(history)
    assert max(seen.values()) == 1
    assert set(acknowledged) <= set(seen)
    assert set(seen) <= set(acknowledged).union(*(one.unsure for one in told))
    assert not set(seen) & set().union(*(one.refused for one in told))
    lines = [line for line in store.audit.listing(limit=1_000_000) if line.action.startswith("incident.")]
    assert len(lines) == len({line.sequence for line in lines}) == revisions


def each(store: Store) -> Iterator[str]:
    """Every id."""
    after, more = None, True
    while more:
        page = store.listing(after=after, limit=200)
        yield from (one.id for one in page.items)
        after, more = page.after, page.after is not None


@pytest.mark.parametrize(
    ("place", "times", "workers"),
    [
        pytest.param("sqlite", 2, WORKERS, marks=pytest.mark.slow),
        pytest.param("sqlite", 3, 1),
        pytest.param("postgresql", 1, 1),
        pytest.param("sqlite", 50, WORKERS, marks=[pytest.mark.bench, pytest.mark.timeout(3600)]),
        pytest.param("postgresql", 50, WORKERS, marks=[pytest.mark.bench, pytest.mark.timeout(3600)]),
    ],
    indirect=["place"],
)
def test_what_was_acknowledged_outlives_a_killed_service(
    request: pytest.FixtureRequest,
    place: str | Path,
    *,
    times: int,
    workers: int,
    home: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    url = f"sqlite:///{place}" if isinstance(place, Path) else place
    monkeypatch.setenv("KB_DATABASE_URL", url)
    key = a_key(url)
    with killed(home, tmp_path, workers=workers) as service:
        writers = [Writer(service.url, key, f"w{number}") for number in range(CURATORS)]
        for writer in writers:
            writer.start()
        try:
            acknowledged = kill(service, writers, times)
        finally:
            for writer in writers:
                writer.end()
    told = [writer.told for writer in writers]
    with Store.open(url) as store:
        whole(store, told)
    assert sum(len(one.unsure) for one in told) <= 2 * times * CURATORS, "most were answered"
    if request.node.get_closest_marker("bench"):
        figure: Figure = request.getfixturevalue("figure")
        kind = "sqlite" if isinstance(place, Path) else "postgresql"
        figure(f"killed.{kind}.kills", times)
        figure(f"killed.{kind}.acknowledged", acknowledged)
        figure(f"killed.{kind}.unanswered", sum(len(one.unsure) for one in told))
    if isinstance(place, Path):
        with sqlite3.connect(place) as database:
            assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
            assert database.execute("PRAGMA foreign_key_check").fetchall() == []
