"""Shared pastes, on both databases: without secrets, bounded, gone when they expire, deleted by who may."""

from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from kb.store import Actor, Missing, Refused, Role, Store, links, schema
from kb.store.model import NOBODY

from .told import ANN, BEN

READER = Actor("u:rea", "Rea", Role.READER)
DAY = timedelta(days=1)


def rows(store: Store) -> list[str]:
    with store._database.reading() as connection:
        return list(connection.execute(sa.select(schema.links.c.text).order_by(schema.links.c.created_at)).scalars())


def test_a_paste_is_kept_without_its_secrets(store: Store) -> None:
    paste, _ = store.links.create("boom password=hunter2", DAY, actor=NOBODY)
    assert store.links.find(paste.id) == paste
    assert "hunter2" not in "".join(rows(store))
    assert len(paste.id) >= 22, "128 bits"
    again, _ = store.links.create("boom password=hunter2", DAY, actor=NOBODY)
    assert again.id != paste.id


def test_an_expired_link_is_not_shown_and_then_deleted(store: Store) -> None:
    gone, _ = store.links.create("old", timedelta(seconds=-1), actor=ANN)
    with pytest.raises(Missing):
        store.links.find(gone.id)
    assert rows(store) == ["old"]
    assert store.links.forget() == 1
    assert rows(store) == []
    store.links.create("older", timedelta(seconds=-1), actor=ANN)
    store.links.create("new", DAY, actor=ANN)
    store.links.create("newer", DAY, actor=ANN)
    assert rows(store) == ["new", "newer"], "making one deletes what has expired"


def test_its_maker_and_curators_delete_it(store: Store) -> None:
    head = store.head().sequence
    for actor, allowed in ((READER, False), (NOBODY, False), (ANN, True), (BEN, True)):
        paste, secret = store.links.create("boom", DAY, actor=NOBODY)
        if not allowed:
            with pytest.raises(Refused):
                store.links.delete(paste.id, actor=actor, secret="another")
            store.links.delete(paste.id, actor=actor, secret=secret)
        else:
            store.links.delete(paste.id, actor=actor)
        with pytest.raises(Missing):
            store.links.delete(paste.id, actor=actor, secret=secret)
    own, _ = store.links.create("boom", DAY, actor=READER)
    store.links.delete(own.id, actor=READER)
    assert rows(store) == []
    told = [(one.action, one.actor.id) for one in store.audit.listing() if one.sequence > head]
    assert ("link.delete", ANN.id) in told
    assert all(secret not in str(one.details) for one in store.audit.listing())


def fill(store: Store, count: int, by: str) -> None:
    """That many links of one maker, the oldest first."""
    now = datetime.now(UTC)
    made = [
        {
            "id": f"{by} {number}",
            "text": f"{by} {number}",
            "secret": "",
            "by_id": by,
            "by_name": by,
            "created_at": now - timedelta(seconds=count - number),
            "expires_at": now + DAY,
        }
        for number in range(count)
    ]
    with store._database.writing() as connection:
        connection.execute(sa.insert(schema.links), made)


def test_links_are_bounded(store: Store) -> None:
    fill(store, links.MOST_OF_ONE, READER.id)
    fill(store, links.MOST_OF_NOBODY, NOBODY.id)
    store.links.create("new", DAY, actor=READER)
    store.links.create("new", DAY, actor=NOBODY)
    kept = rows(store)
    assert len(kept) == links.MOST_OF_ONE + links.MOST_OF_NOBODY
    assert {f"{READER.id} 0", f"{NOBODY.id} 0"}.isdisjoint(kept)
    assert {f"{READER.id} 1", f"{NOBODY.id} 1"}.issubset(kept)
    for at in range(links.MOST // links.MOST_OF_ONE):
        fill(store, links.MOST_OF_ONE, f"u:{at}")
    store.links.create("newest", DAY, actor=ANN)
    assert len(rows(store)) == links.MOST
    assert "newest" in rows(store)
    with pytest.raises(Refused):
        store.links.create("x" * (links.LONGEST + 1), DAY, actor=ANN)


def test_scrubbing_reaches_links(store: Store) -> None:
    paste, _ = store.links.create("boom Zitronenkuchen", DAY, actor=ANN)
    assert store.scrub(["Zitronenkuchen"], actor=ANN).rows == {"links": 1}
    assert store.links.find(paste.id).text == "boom <secret>"
    assert store.links.find(paste.id).expires_at > datetime.now(UTC)
