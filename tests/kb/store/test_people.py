"""People who sign in at the provider of the house, and are known as reviewers from then on."""

from datetime import UTC, datetime, timedelta

import sqlalchemy as sa

from kb.store import Actor, Role, Store, schema
from kb.store.model import Person
from kb.store.people import MOST

from .told import ANN, BEN

LATER = datetime.now(UTC) + timedelta(hours=1)


def begin(store: Store, person: str, role: Role, name: str = "Somebody") -> None:
    store.sessions.begin(Actor(f"openid:{person}", name, role), LATER)


def test_a_login_at_the_provider_makes_somebody_known_and_a_lower_role_unknown(store: Store) -> None:
    key, _ = store.keys.create("by key", Role.CURATOR, actor=BEN)
    store.sessions.begin(key.actor, LATER, key=key)
    begin(store, "reads", Role.READER)
    begin(store, "ann", Role.CURATOR, "Ann")
    assert store.people.listing() == [Person("openid:ann", "Ann", Role.CURATOR)]
    begin(store, "ann", Role.ADMIN, "Ann 安")
    assert store.people.listing() == [Person("openid:ann", "Ann 安", Role.ADMIN)]
    begin(store, "ann", Role.READER, "Ann 安")
    assert store.people.listing() == []


def test_who_signed_in_last_stays_and_who_left_goes(store: Store) -> None:
    ago = datetime.now(UTC) - timedelta(days=366)
    rows = [{"id": f"openid:{n:04}", "name": "x", "role": "curator"} for n in range(MOST + 2)]
    with store._database.writing() as connection:
        times = [LATER - timedelta(days=1, seconds=n) for n in range(MOST)] + [ago, ago]
        connection.execute(
            sa.insert(schema.people), [row | {"seen_at": at} for row, at in zip(rows, times, strict=True)]
        )
    store.people.signed_in(ANN)
    assert len(store.people.listing()) == MOST - 1 + 1
    gone = {row["id"] for row in rows} - {one.id for one in store.people.listing()}
    assert gone == {f"openid:{n:04}" for n in (MOST - 1, MOST, MOST + 1)}
