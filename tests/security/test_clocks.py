"""Clocks that jump: what was written by a clock that was wrong neither lives on for years nor waits for years; on both databases.

A store whose rows are set back by a year is a store whose clock was a year behind when it wrote them.
"""

from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from api.server.rates import Rate
from kb.store import Role, Store, schema
from kb.store.model import ChatMessage, MessageState
from tests.kb.store.told import ANN

YEAR, HOUR = timedelta(days=365), timedelta(hours=1)


def now() -> datetime:
    return datetime.now(UTC)


def written_later(store: Store, table: sa.Table, by: timedelta) -> None:
    """As if the clock had been ahead by so much, or behind where it is negative, when the rows were written."""
    moments = [column for column in table.columns if isinstance(column.type, schema.Moment)]
    key = next(iter(table.primary_key))
    with store._database.writing() as connection:
        for row in connection.execute(sa.select(table)).mappings().all():
            moved = {one.name: row[one.name] + by for one in moments if row[one.name] is not None}
            connection.execute(sa.update(table).where(key == row[key.name]).values(**moved))


@pytest.mark.parametrize(
    ("by", "lives"),
    [
        (timedelta(), True),
        (-timedelta(hours=11), True),
        (-timedelta(hours=13), False),
        (-YEAR, False),
        (timedelta(minutes=50), True),
        (2 * HOUR, False),
        (YEAR, False),
    ],
    ids=["right", "11 hours ago", "13 hours ago", "a year behind", "50 minutes ahead", "2 hours ahead", "a year ahead"],
)
def test_a_session_lives_no_longer_than_it_was_given(store: Store, by: timedelta, *, lives: bool) -> None:
    """One that was begun while the clock was a year ahead does not open anything for that year once the clock is right."""
    secret = store.sessions.begin(ANN, now() + 12 * HOUR)
    written_later(store, schema.sessions, by)
    assert (store.sessions.find(secret) is not None) is lives
    store.sessions.begin(ANN, now() + 12 * HOUR)
    with store._database.reading() as connection:
        left = connection.execute(sa.select(sa.func.count()).select_from(schema.sessions)).scalar_one()
    assert left == 1 + lives, "who logs in next clears away what is over"


@pytest.mark.parametrize(("by", "opens"), [(timedelta(), True), (-2 * HOUR, False), (-YEAR, False), (YEAR, True)])
def test_a_key_ends_when_it_says(store: Store, by: timedelta, *, opens: bool) -> None:
    """Its end is a day that somebody chose: a clock that is set back does not move it."""
    _, secret = store.keys.create("ci", Role.READER, actor=ANN, expires_at=now() + HOUR)
    written_later(store, schema.keys, by)
    assert (store.keys.find(secret) is not None) is opens


def taken(store: Store) -> ChatMessage:
    message = store.messages.take("slack", "m1", "question", {"text": "boom"}, now())
    assert message is not None
    return message


@pytest.mark.parametrize("by", [timedelta(days=1), YEAR], ids=["a day", "a year"])
@pytest.mark.parametrize("state", ["waiting", "held", "later"])
def test_a_message_does_not_wait_until_a_wrong_clock_comes_true(store: Store, state: str, by: timedelta) -> None:
    """It was taken, held or put off while the clock was ahead; it is claimed once when the clock is right, and then held."""
    taken(store)
    if state != "waiting":
        (held,) = store.messages.claim(now(), 60, 9)
        if state == "later":
            assert store.messages.later(held, now(), now() + timedelta(seconds=30), "busy")
    written_later(store, schema.messages, by)
    (again,) = store.messages.claim(now(), 60, 9)
    assert store.messages.claim(now(), 60, 9) == []
    assert store.messages.begin(again, now(), 60, answer={}, question={})
    if state == "held":
        assert not store.messages.begin(held, now(), 60, answer={}, question={}), (
            "whoever held it before does not answer"
        )


def test_a_hold_is_kept_where_clocks_differ_by_minutes(store: Store) -> None:
    """Another machine whose clock is behind by less than an hour takes nobody's message."""
    taken(store)
    store.messages.claim(now(), 60, 9)
    assert store.messages.claim(now() - timedelta(minutes=50), 60, 9) == []
    assert store.messages.listing(MessageState.HELD)


def test_rates_know_no_wall_clock() -> None:
    """A rate counts on a clock that never goes back; one that is handed in and does costs a burst, and locks nobody out."""
    times = iter([1000.0] * 10 + [1000.0 - 86_400] * 12)
    rate = Rate(5, lambda: next(times))
    for _ in range(10):
        rate.take("a")
    assert Rate(5)._clock.__name__ == "monotonic"
