"""Several processes and threads write at once: nothing is lost, and who follows misses nothing."""

import random
import threading
from datetime import UTC, datetime
from multiprocessing.synchronize import Barrier
from pathlib import Path

import pytest
import sqlalchemy as sa

from index.live.saved import pages
from kb.incident import Incident, Status
from kb.store import Stale, Store
from kb.store.listing import Wanted

from .processes import run
from .told import ANN, BEN, incident


def count_up(place: str | Path, times: int, ready: Barrier) -> None:
    """Add one to the number in a title so often, each time on top of what stands there."""
    with Store.open(place) as store:
        ready.wait()
        for _ in range(times):
            current = store.incidents.current("a")
            while True:
                told = incident("a", str(int(current.shown.title) + 1))
                try:
                    store.incidents.revise(told, expected=current.number, actor=ANN)
                except Stale as stale:
                    current = stale.current
                else:
                    break


@pytest.mark.parametrize("times", [200, pytest.param(1_000, marks=pytest.mark.bench)])
@pytest.mark.slow
def test_two_processes_save_the_same_incident_again_and_again(place: str | Path, times: int) -> None:
    with Store.open(place) as store:
        store.incidents.create(incident("a", "0"), actor=ANN)
        assert run(count_up, *[(place, times // 2)] * 2) == [0, 0]
        history = store.incidents.history("a", limit=2 * times)
        assert [one.shown.title for one in history] == [str(at) for at in range(times, -1, -1)]
        assert (history[0].number, store.head().sequence, len(store.audit.listing(limit=2 * times))) == (times + 1,) * 3


def write_some(place: str | Path, seed: int, ready: Barrier) -> None:
    chance = random.Random(seed)
    with Store.open(place) as store:
        ready.wait()
        for at in range(60):
            told = incident(f"i{seed}-{chance.randrange(5)}", f"{seed} {at}")
            status = chance.choice(list(Status))
            known = [one for one in store.listing(Wanted(text=told.id)).items if one.id == told.id]
            if known:
                store.incidents.revise(told, expected=known[0].revision, actor=ANN, status=status)
            else:
                store.incidents.create(told, actor=BEN, status=status)


@pytest.mark.slow
def test_who_follows_misses_nothing(place: str | Path) -> None:
    """Whatever a follower was told, put together, is what is searched at the end; no number was ever passed over."""
    found: dict[str, Incident | None] = {}
    numbers: list[int] = []
    done = threading.Event()

    def follow() -> None:
        with Store.open(place) as store:
            after = 0
            while True:
                last = done.wait(0.005)  # a moment for the writers: who asks without a pause takes a core from them
                for page, reached in pages(store, after, store.head().sequence):
                    found.update((change.incident_id, change.incident) for change in page)
                    numbers.extend(change.sequence for change in page)
                    after = reached
                if last:
                    return

    with Store.open(place) as store:
        follower = threading.Thread(target=follow)
        follower.start()
        ended = run(write_some, *((place, seed) for seed in range(4)))
        done.set()
        follower.join()
        assert ended == [0] * 4
        assert found == {change.incident_id: change.incident for change in store.changes(0)}
        assert numbers == sorted(set(numbers))
        assert len(numbers) > len(found)
        assert store.head().sequence == 240


def test_threads_of_one_process_wait_for_each_other(store: Store) -> None:
    failed: list[BaseException] = []

    def write(name: str) -> None:
        try:
            for at in range(15):
                store.incidents.create(incident(f"{name}-{at}"), actor=ANN)
                store.messages.take("slack", f"{at}", "question", {}, datetime.now(UTC))
                store.head()
        except BaseException as error:  # noqa: BLE001 - told by the test
            failed.append(error)

    threads = [threading.Thread(target=write, args=(f"t{at}",)) for at in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failed == []
    assert store.head().sequence == 8 * 15
    with store._database.reading() as connection:
        assert connection.execute(sa.text("SELECT count(*) FROM messages")).scalar() == 15


def test_a_transaction_keeps_others_out_until_it_ends(store: Store) -> None:
    """What was read in it is so when it is written: also where another thread wants to write in between."""
    store.incidents.create(incident("a"), actor=ANN)
    order: list[str] = []

    def other() -> None:
        store.incidents.create(incident("b"), actor=BEN)
        order.append("other")

    thread = threading.Thread(target=other)
    with store.transaction():
        store.incidents.move("a", Status.PUBLISHED, expected=1, actor=ANN)
        thread.start()
        thread.join(timeout=0.2)
        with pytest.raises(Stale):
            store.incidents.move("a", Status.RETIRED, expected=1, actor=ANN)
        order.append("first")
    thread.join()
    assert order == ["first", "other"]
    assert [line.sequence for line in store.audit.listing()] == [1, 2, 3]
