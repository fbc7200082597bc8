"""Merges and migrations that are killed at random moments: done whole or not at all, and what was acknowledged holds."""

import random
import signal
import sqlite3
import threading
from multiprocessing.connection import Connection
from pathlib import Path

import psycopg
import pytest

from kb.incident import Status
from kb.store import Store, schema

from .processes import CONTEXT
from .test_released import DUMPS, check, kind_of, load
from .told import ANN, BEN, incident

OFTEN = [pytest.param(4, id="4 times"), pytest.param(50, id="50 times", marks=[pytest.mark.bench, pytest.mark.timeout(3600)])]  # fmt: skip
TRACES = {"a": ("Basket", "Till"), "b": ("Basket", "Door")}
OLDEST = min(path.name.removesuffix(".sqlite.sql") for path in DUMPS.glob("*.sqlite.sql"))


def merge_until_killed(place: str | Path, told: Connection) -> None:
    """Merge b into a and split it off again, without end; say when either is about to be done, and when it was."""
    with Store.open(place) as store:
        while True:
            is_merged = store.incidents.current("b").status is Status.RETIRED
            told.send(("split" if is_merged else "merge", False))
            if is_merged:
                store.redirects.split("b", actor=BEN)
            else:
                expected = {name: store.incidents.current(name).number for name in TRACES}
                store.redirects.merge("b", "a", expected=expected, actor=BEN)
            told.send(("split" if is_merged else "merge", True))


def killed(place: str | Path) -> tuple[str | None, str | None, int]:
    """What was acknowledged last before the process was killed, what it was about then, and how much was acknowledged."""
    told, telling = CONTEXT.Pipe(duplex=False)
    process = CONTEXT.Process(target=merge_until_killed, args=(place, telling))
    process.start()
    telling.close()
    last, begun, count, wanted = None, None, 0, random.randint(2, 5)
    while True:
        try:
            what, done = told.recv()
        except (EOFError, OSError):
            break
        last, begun, count = (what, None, count + 1) if done else (last, what, count)
        if begun and count == wanted:  # somewhere in the next one
            threading.Timer(random.random() * 0.03, process.kill).start()
    process.join()
    assert process.exitcode == -signal.SIGKILL
    return last, begun, count


def state(store: Store) -> str:
    """Whether b is merged into a; everything that says so says the same."""
    shown = {name: store.incidents.current(name) for name in TRACES}
    is_merged = shown["b"].status is Status.RETIRED
    in_force = [one for one in store.redirects.of("a") if one.undone_at is None]
    assert store.redirects.resolve("b") == ("a" if is_merged else "b")
    assert [(one.from_id, one.to_id) for one in in_force] == ([("b", "a")] if is_merged else [])
    assert len(shown["a"].shown.traces) == (3 if is_merged else 2)
    assert len(shown["b"].shown.traces) == 2
    return "merge" if is_merged else "split"


@pytest.mark.parametrize("times", OFTEN)
@pytest.mark.slow
def test_a_merge_that_is_killed_is_done_or_not(place: str | Path, times: int) -> None:
    with Store.open(place) as store:
        for name, where in TRACES.items():
            store.incidents.create(incident(name, name, *where), actor=ANN, status=Status.PUBLISHED)
        acknowledged = unsure = 0
        for _ in range(times):
            last, begun, count = killed(place)
            with store.transaction():  # nobody is still at it
                found = state(store)
            assert found in {last, begun}
            unsure += found != last
            acknowledged += count
            lines = [one for one in store.audit.listing(limit=100_000) if one.action in {"incident.merge", "incident.split"}]  # fmt: skip
            assert len(lines) == acknowledged + unsure
        print(f"{times} kills, {acknowledged} merges and splits acknowledged, 0 lost, {unsure} done without an answer")
    if isinstance(place, Path):
        with sqlite3.connect(place) as database:
            assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]


def open_store(place: str | Path, telling: Connection) -> None:
    """Bring a store up."""
    telling.send("begun")
    Store.open(place).close()
    telling.send("done")


@pytest.mark.parametrize("times", OFTEN)
@pytest.mark.slow
def test_a_migration_that_is_killed_loses_nothing(place: str | Path, times: int) -> None:
    """From the oldest released version; the next who opens it brings it up."""
    cut_off = 0
    text = (DUMPS / f"{OLDEST}.{kind_of(place)}.sql").read_text(encoding="utf-8")
    load(text, place)
    for number in range(times):
        told, telling = CONTEXT.Pipe(duplex=False)
        process = CONTEXT.Process(target=open_store, args=(place, telling))
        process.start()
        telling.close()
        assert told.recv() == "begun"
        threading.Timer(random.random() * 0.6, process.kill).start()
        process.join()
        cut_off += process.exitcode == -signal.SIGKILL
        with Store.open(place) as store:
            check(store, OLDEST)
        if number + 1 < times:
            place = again(place, number)
            load(text, place)
    assert OLDEST < schema.VERSION
    print(f"{times} kills, {cut_off} before the migration was done, every store whole")


def again(place: str | Path, number: int) -> str | Path:
    """A place where no store is yet: a file beside the last one, or the database without its tables."""
    if isinstance(place, Path):
        return place.with_name(f"again{number}.db")
    with psycopg.connect(place, autocommit=True) as server:
        server.execute("DROP SCHEMA public CASCADE")
        server.execute("CREATE SCHEMA public")
    return place
