"""A change that cannot be indexed is set aside, and holds up no other: not in a running engine, and not in the next snapshot."""

import json
import sqlite3
from pathlib import Path

import pytest

from index import Engine, checkup
from index.build import build
from index.entry import entries
from index.live.saved import FailedChange, Position, StoreFollower, joined
from kb.incident import Status
from kb.store import Actor, Role, Store

from .overlaid import ENCODER, shop

ANN = Actor("u:ann", "Ann", Role.CURATOR)
DAMAGES = {"no json": "ValueError", "nothing": "KeyError", "no text": "TypeError"}
"""What stands in the row, and the error it comes to."""


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home with a snapshot of two articles."""
    monkeypatch.delenv("KB_DATABASE_URL", raising=False)
    build(iter([entries([shop("a", "Basket"), shop("b", "Stock", "shelf is empty")], ENCODER)]), tmp_path, ENCODER)
    return tmp_path


def spoil(home: Path, incident_id: str, number: int, how: str) -> str:
    """Write something into a revision that no code of ours does; what stood there."""
    with sqlite3.connect(home / "store.db") as connection:
        for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            connection.execute(f"DROP TRIGGER {name}")
        where = "WHERE incident_id = ? AND number = ?"
        (record,) = connection.execute(f"SELECT record FROM revisions {where}", (incident_id, number)).fetchone()
        spoilt = {"no json": "{", "nothing": "{}", "no text": json.dumps(json.loads(record) | {"traces": [5]})}
        update = f"UPDATE revisions SET record = ? {where}"
        connection.execute(update, (spoilt.get(how, how), incident_id, number))
        return str(record)


def put(store: Store, incident_id: str, place: str, expected: int = 0) -> None:
    told = shop(incident_id, place)
    if expected:
        store.incidents.revise(told, expected=expected, actor=ANN, status=Status.PUBLISHED)
    else:
        store.incidents.create(told, actor=ANN, status=Status.PUBLISHED)


@pytest.mark.parametrize("how", DAMAGES)
def test_the_others_are_followed_and_it_stays_as_it_was(home: Path, how: str) -> None:
    with Store.open(home / "store.db") as store:
        put(store, "c", "Till")
        engine = Engine.open(home)
        put(store, "c", "Door", 1)
        put(store, "d", "Lamp")
        spoil(home, "c", 2, how)
        assert engine.follow(store) == 2
        assert engine.position == Position(store.head().store_id, 3)
        assert engine.aside == {"c": FailedChange(2, "JSONDecodeError" if how == "no json" else DAMAGES[how])}
        former = engine.incident("c")
        assert former is not None
        assert former.title == shop("c", "Till").title
        assert engine.incident("d") is not None
        if how == "no text":
            put(store, "c", "Roof", 2)
            assert (engine.follow(store), engine.aside) == (1, {})
        engine.close()


@pytest.mark.parametrize("how", DAMAGES)
def test_an_engine_opens_without_it(home: Path, how: str) -> None:
    with Store.open(home / "store.db") as store:
        for name in "cde":
            put(store, name, f"Place{name}")
        spoil(home, "d", 1, how)
    engine = Engine.open(home)
    assert (sorted(engine.ids()), list(engine.aside)) == (["a", "b", "c", "e"], ["d"])
    engine.close()


def test_it_is_tried_again_by_and_by(home: Path) -> None:
    engine, seconds = Engine.open(home), [100.0]
    with Store.open(home / "store.db") as store:
        put(store, "c", "Till")
        record = spoil(home, "c", 1, "nothing")
        following = StoreFollower(
            Position.of(engine.info.manifest), engine.apply, lambda: None, engine.learn, clock=lambda: seconds[0]
        )
        assert (following.follow(store), list(following.aside)) == (1, ["c"])
        spoil(home, "c", 1, record)
        seconds[0] += 59.9
        assert (following.follow(store), list(following.aside)) == (0, ["c"])
        seconds[0] += 0.1
        following.follow(store)
        assert (following.aside, sorted(engine.ids())) == ({}, ["a", "b", "c"])
    engine.close()


def test_an_engine_tries_nothing_again_at_once(home: Path) -> None:
    with Store.open(home / "store.db") as store:
        put(store, "c", "Till")
        record = spoil(home, "c", 1, "nothing")
        engine = Engine.open(home)
        spoil(home, "c", 1, record)
        assert (engine.follow(store), list(engine.aside)) == (0, ["c"])
        engine.close()


@pytest.mark.parametrize("how", DAMAGES)
def test_the_next_snapshot_is_built_without_it_and_the_doctor_names_it(home: Path, how: str) -> None:
    with Store.open(home / "store.db") as store:
        for name in "cde":
            put(store, name, f"Place{name}")
        assert checkup.snapshot(home).ok
        spoil(home, "d", 1, how)
        found = checkup.snapshot(home)
        assert (found.ok, found.finding.partition(" (")[0]) == (False, "changes that cannot be indexed: d")
        position = Position.now(store)
        articles = iter([entries([shop("a", "Basket")], ENCODER)])
        info = build(joined(articles, store, position.sequence, ENCODER), home, ENCODER, position=position)
    assert info.manifest.counts["incidents"] == 3
    found = checkup.snapshot(home)
    assert (found.ok, found.finding) == (False, "published, and not searched: d")


def test_a_snapshot_of_another_store_is_named(home: Path, tmp_path: Path) -> None:
    with Store.open(tmp_path / "other.db") as other:
        put(other, "o", "Till")
        position = Position.now(other)
        build(joined(iter([]), other, position.sequence, ENCODER), home, ENCODER, position=position)
    assert checkup.snapshot(home).ok, "no store, no other"
    Store.open(home / "store.db").close()
    found = checkup.snapshot(home)
    assert not found.ok
    assert "another store" in found.finding
