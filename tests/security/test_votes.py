"""Votes without a key: one a day of an address, and never more rows than are kept, however long somebody votes; on both databases."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
import sqlalchemy as sa
from starlette.testclient import TestClient

from kb.store import Store, schema
from kb.store.feedback import EVERY, NAMELESS, NAMELESS_IN_ALL
from kb.store.model import NOBODY, Feedback, Vote, Votes
from kb.store.sightings import MOST_PENDING
from kb.store.voices import Voter
from tests.kb.store.told import ANN

HERE, THERE = Voter(address="192.0.2.1"), Voter(address="192.0.2.2")


def say(store: Store, vote: Vote, voter: Voter = HERE, exact: str = "ab", of: str = "a") -> None:
    store.feedback.add(Feedback(of, vote, {"exact": (exact * 16,)}, 0.5, "s"), actor=NOBODY, voter=voter)


def rows(store: Store, table: sa.Table) -> int:
    with store._database.reading() as connection:
        return connection.execute(sa.select(sa.func.count()).select_from(table)).scalar_one()


def earlier(store: Store, by: timedelta) -> None:
    """As if all was said so much earlier, or later where it is negative."""
    with store._database.writing() as connection:
        for table in (schema.feedback, schema.sightings):
            for number, at in connection.execute(sa.select(table.c.number, table.c.at)).all():
                connection.execute(sa.update(table).where(table.c.number == number).values(at=at - by))


def count(store: Store, of: str = "a") -> Votes:
    return store.feedback.votes([of])[of]


def test_the_same_again_is_no_change(store: Store) -> None:
    for _ in range(3):
        say(store, Vote.NO)
    assert (count(store), store.head().sequence) == (Votes(0, 1), 1)


def test_another_word_takes_the_place_of_the_first(store: Store) -> None:
    for vote in (Vote.NO, Vote.YES, Vote.NO, Vote.YES):
        say(store, vote)
    assert (count(store), rows(store, schema.feedback)) == (Votes(1, 0), 1)


def test_others_pastes_incidents_and_addresses_are_counted(store: Store) -> None:
    say(store, Vote.YES)
    say(store, Vote.YES, THERE)
    say(store, Vote.YES, exact="cd")
    say(store, Vote.YES, of="b")
    assert (count(store), count(store, "b")) == (Votes(3, 0), Votes(1, 0))


@pytest.mark.parametrize(
    ("passed", "counted"),
    [(timedelta(hours=23), 1), (timedelta(hours=25), 2), (timedelta(hours=-23), 1), (timedelta(days=-400), 2)],
    ids=["the same day", "the next", "a clock that is set back", "a clock that was a year ahead"],
)
def test_a_day_later_it_counts_again(store: Store, passed: timedelta, counted: int) -> None:
    say(store, Vote.YES)
    earlier(store, passed)
    say(store, Vote.YES)
    assert count(store) == Votes(counted, 0)


def test_the_log_that_only_grows_has_no_line_of_it(store: Store) -> None:
    say(store, Vote.YES)
    assert store.audit.listing() == []
    store.feedback.add(Feedback("a", Vote.YES, {}, 0.5, "s"), actor=ANN)
    assert [entry.action for entry in store.audit.listing()] == ["incident.feedback"]


def test_a_wave_of_pastes_pushes_out_its_own(store: Store) -> None:
    say(store, Vote.YES, THERE)
    for number in range(MOST_PENDING + 5):
        say(store, Vote.NO, exact=f"{number:02x}")
    assert (count(store), rows(store, schema.feedback)) == (Votes(1, MOST_PENDING), MOST_PENDING + 1)


def filled(store: Store, incidents: Iterator[str]) -> None:
    """The rows that as many addresses would leave."""
    said = store.feedback.add(Feedback("z", Vote.YES, {}, 0.5, "s"), actor=ANN)
    with store._database.writing() as connection:
        now = {"vote": 0, "prints": "{}", "probability": 0.5, "snapshot_id": "s", "at": said.at}
        some = [{"incident_id": name, "by_id": NOBODY.id, "by_name": NOBODY.name, **now} for name in incidents]
        connection.execute(sa.insert(schema.feedback), some)


def test_what_is_beyond_the_bound_of_an_incident_gives_way_and_keys_do_not(store: Store) -> None:
    store.feedback.add(Feedback("a", Vote.YES, {}, 0.5, "s"), actor=ANN)
    filled(store, iter(["a"] * NAMELESS))
    say(store, Vote.YES)
    assert count(store) == Votes(2, NAMELESS - 1)


def test_what_is_beyond_the_bound_of_all_gives_way(store: Store) -> None:
    filled(store, (f"i{number}" for number in range(NAMELESS_IN_ALL + EVERY - 2)))  # the next one is looked at
    say(store, Vote.YES)
    assert (rows(store, schema.feedback), count(store)) == (NAMELESS_IN_ALL + 1, Votes(1, 0))


def test_whoever_votes_again_is_answered_the_same(client: TestClient) -> None:
    said = {"vote": "no", "fingerprints": {"exact": ["ab" * 16]}, "probability": 0.5, "snapshot_id": "s"}
    known = client.post("/v1/search", json={"text": "kafka RecordTooLargeException"}).json()["matches"][0]["incident"]
    address = f"/v1/incidents/{known['id']}/feedback"
    answers = [client.post(address, json=said) for _ in range(20)]
    assert {(one.status_code, one.text) for one in answers} == {(201, answers[0].text)}
    assert client.get(address).json()["no"] == answers[0].json()["no"]
