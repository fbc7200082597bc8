"""Who writes waits for who writes: how long, for what, and what they find then."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa

from kb.store import Role, Stale, Store, Unavailable
from kb.store.database import WAIT
from kb.store.errors import Uncertain
from tests.databases import Server

from .told import ANN, BEN, incident

SOON = WAIT / 3
"""Seconds within which whatever does not wait is over, on a busy machine too."""


@contextmanager
def held(store: Store) -> Iterator[None]:
    """Somebody else is in the middle of a change."""
    let_go, is_held = threading.Event(), threading.Event()

    def hold() -> None:
        with store.transaction():
            is_held.set()
            let_go.wait(2 * WAIT)

    thread = threading.Thread(target=hold)
    thread.start()
    assert is_held.wait(WAIT)
    try:
        yield
    finally:
        let_go.set()
        thread.join()


def wait_for_a_lock(server: Server) -> None:
    """Until somebody waits for a lock in the server."""
    asked = "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock'"
    with psycopg.connect(server.address("postgres"), autocommit=True) as connection:
        deadline = time.monotonic() + SOON
        while not connection.execute(asked).fetchone()[0]:  # type: ignore[index]
            assert time.monotonic() < deadline, "nobody waits"
            time.sleep(0.02)


def test_the_second_writer_waits_and_reads_what_the_first_wrote(postgresql: Server) -> None:
    place = postgresql.new_database()
    with Store.open(place) as store, Store.open(place) as other, ThreadPoolExecutor(1) as threads:
        store.incidents.create(incident("a"), actor=ANN)
        with store.transaction():
            store.incidents.revise(incident("a", "first"), expected=1, actor=ANN)
            second = threads.submit(other.incidents.revise, incident("a", "second"), expected=1, actor=BEN)
            wait_for_a_lock(postgresql)
            assert other.incidents.current("a").number == 1  # who only reads waits for nobody
            assert not second.done()
        with pytest.raises(Stale) as stale:
            second.result(WAIT)
        assert stale.value.current.shown.title == "first"
        assert [one.shown.title for one in store.incidents.history("a")] == ["first", incident("a").title]


def test_a_note_of_a_use_is_not_waited_for(place: str | Path) -> None:
    with Store.open(place) as store, Store.open(place) as other:
        key, secret = store.keys.create("reader", Role.READER, actor=ANN)
        started = time.monotonic()
        with held(other):
            assert store.keys.find(secret) == key
        with held(store):
            assert store.keys.find(secret) == key
        assert time.monotonic() - started < SOON
        assert store.keys.get(key.id).last_used is None
        store.keys.find(secret)
        assert store.keys.get(key.id).last_used is not None


def test_a_change_after_it_waits_as_long_as_ever(place: str | Path) -> None:
    """The connection that would not wait has learnt nothing from it."""
    with Store.open(place) as store, Store.open(place) as other, ThreadPoolExecutor(1) as threads:
        _, secret = store.keys.create("reader", Role.READER, actor=ANN)
        with held(other):
            store.keys.find(secret)
            saved = threads.submit(store.incidents.create, incident("a"), actor=ANN)
            time.sleep(0.5)
            assert not saved.done()
        assert saved.result(WAIT).number == 1


def test_losing_the_server_at_commit_leaves_the_outcome_open(postgresql: Server) -> None:
    place = postgresql.new_database()
    with Store.open(place) as store:

        def save(*, ends_first: bool) -> None:
            with store.transaction():
                if ends_first:
                    end_others(postgresql, place)
                store.incidents.create(incident("a"), actor=ANN)
                end_others(postgresql, place)

        with pytest.raises(Uncertain, match="terminat"):
            save(ends_first=False)
        assert not store.incidents.among(["a"])  # here it was not
        with pytest.raises(Unavailable) as refused:
            save(ends_first=True)
        assert not isinstance(refused.value, Uncertain)
        assert store.incidents.create(incident("a"), actor=ANN).number == 1


def end_others(server: Server, place: str) -> None:
    """The server ends every connection to a database."""
    name = sa.make_url(place).database
    with psycopg.connect(server.address("postgres"), autocommit=True) as connection:
        connection.execute("SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = %s", (name,))
