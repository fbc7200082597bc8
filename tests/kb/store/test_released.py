"""A store of every version that was ever released opens, is brought up, and says what it said.

`tests/golden/store/<version>.<database>.sql` are dumps of what `fill` wrote in that version; with --update-golden the one of the present
version is made when there is none. None is ever made anew.
"""

import re
import sqlite3
from datetime import UTC, datetime
from pathlib import Path

import psycopg
import pytest
import sqlalchemy as sa

from kb.incident import Status
from kb.store import Actor, Author, Role, Store, StoreError, schema
from kb.store.database import address
from kb.store.drafts import DraftAt, DraftText
from kb.store.keys import digest
from kb.store.model import Feedback, MessageState, Person, Vote, Votes
from kb.store.tallies import TallyKey, TallyKind, UnansweredQuestion
from tests.databases import Server

from .told import ANN, BEN, incident

DUMPS = Path(__file__).parents[2] / "golden/store"
VERSIONS = sorted(path.name.removesuffix(".sqlite.sql") for path in DUMPS.glob("*.sqlite.sql"))
KEY = "kb_" + "0123456789abcdef" * 4
"""Stands for the secret of the one key, and of the one session: dumps hold its digest."""


def fill(store: Store) -> None:
    """Something in every table."""
    store.incidents.create(
        incident("a", "锁 A", "Basket", "Till", tags=["x"]), actor=ANN, status=Status.PUBLISHED, note="first"
    )
    store.incidents.create(incident("b", "B", "Door"), actor=ANN, status=Status.PUBLISHED)
    store.incidents.create(incident("c", "C"), actor=BEN, status=Status.IN_REVIEW)
    store.incidents.revise(incident("a", "A, better", "Basket"), expected=1, actor=BEN)
    store.incidents.move("a", Status.PUBLISHED, expected=2, actor=BEN)
    store.redirects.merge("b", "a", expected={"a": 3, "b": 1}, actor=BEN)
    store.reviews.assign("c", [Author("u:ann", "Ann")], actor=BEN)
    asked = store.reviews.comment("c", 1, "why?", actor=ANN)
    store.reviews.comment("c", 1, "because", actor=BEN, answers=asked.number)
    store.feedback.add(Feedback("a", Vote.YES, {"exact": ("d1",)}, 0.875, "0123", "boom"), actor=ANN)
    key, _ = store.keys.create("ci", Role.CURATOR, actor=BEN, scopes=["search"])
    with store._database.writing() as connection:
        session = {
            "digest": digest(KEY),
            "actor_id": BEN.id,
            "actor_name": BEN.name,
            "role": BEN.role,
            "key_id": key.id,
        }
        times = {"created_at": datetime(2026, 1, 1, tzinfo=UTC), "expires_at": datetime(9999, 1, 1, tzinfo=UTC)}
        connection.execute(sa.insert(schema.sessions).values(**session, **times))
        connection.exec_driver_sql(f"UPDATE keys SET digest = '{digest(KEY)}'")
    now = datetime(2026, 1, 1, tzinfo=UTC)
    taken = store.messages.take("slack", "m1", "question", {"text": "boom"}, now)
    assert taken is not None
    store.messages.done(taken.ref, now, question={})
    store.links.create("boom", datetime(9998, 1, 1, tzinfo=UTC) - datetime.now(UTC), actor=ANN)
    store.people.signed_in(Actor("openid:rose", "Rose", Role.REVIEWER))
    store.drafts.keep(DraftText("half a thought"), DraftAt(), actor=ANN)
    day = now.date()
    store.tallies.add(
        {TallyKey(TallyKind.FOUND, "a", day): 3, TallyKey(TallyKind.UNANSWERED, "d1", day): 2},
        [UnansweredQuestion("d1", "jvm", "java.io.IOException", "boom <int>", "a")],
    )


def check(store: Store, version: str = schema.VERSION) -> None:
    """That all of it that a version knew is there, and goes on."""
    assert [(one.id, one.status, one.revision, one.merged_into) for one in store.listing().items] == [
        ("a", Status.PUBLISHED, 4, None),
        ("b", Status.RETIRED, 2, "a"),
        ("c", Status.IN_REVIEW, 1, None),
    ]
    assert [(one.sequence, one.incident_id, one.incident is not None) for one in store.changes(0)] == [
        (6, "a", True),
        (7, "b", False),
    ]
    live = store.incidents.live("a")
    assert live is not None
    assert live.incident == incident("a", "A, better", "Basket", "Door", revision=4)
    assert [one.shown.title for one in store.incidents.history("a")] == ["A, better"] * 3 + ["锁 A"]
    assert (store.incidents.revision("a", 1).note, store.incidents.revision("a", 1).author) == (
        "first",
        Author("u:ann", "Ann"),
    )
    assert [one.text for one in store.reviews.comments("c")] == ["why?", "because"]
    assert [one.id for one in store.reviews.reviewers("c")] == ["u:ann"]
    assert (store.feedback.votes(["a"]), store.redirects.resolve("b")) == ({"a": Votes(1, 0)}, "a")
    assert [one.id for one in store.people.listing()] == (["openid:rose"] if version >= "0008" else [])
    found = store.keys.find(KEY)
    assert found is not None
    assert (found.name, found.role, found.scopes) == ("ci", Role.CURATOR, ("search",))
    session = store.sessions.find(KEY)
    assert (session and session.actor) == (found.actor if version >= "0002" else None)
    assert store.messages.take("slack", "m1", "question", {}, datetime.now(UTC)) is None
    assert store.messages.counts() == {("slack", MessageState.DONE): 1}
    with store._database.reading() as connection:
        shared = connection.execute(sa.select(schema.links.c.text)).scalars().all()
    assert shared == (["boom"] if version >= "0006" else [])
    assert len(store.drafts.listing(actor=ANN)) == (version >= "0007")
    assert {name: one.count for name, one in store.tallies.found().items()} == ({"a": 3} if version >= "0006" else {})
    assert [one.count for one in store.tallies.unanswered(9)] == ([2] if version >= "0006" else [])
    lines = store.audit.listing()
    assert ([line.sequence for line in lines], store.head().sequence) == ([1, 2, 3, 4, 5, 7, 8, 9, 10, 11, 12], 12)
    store.redirects.split("b", actor=ANN)
    assert [(one.incident_id, one.incident is not None) for one in store.changes(12)] == [("a", True), ("b", True)]
    with pytest.raises(StoreError, match="append-only"), store._database.writing() as connection:
        connection.exec_driver_sql("DELETE FROM audit")


def dump(place: str | Path, server: Server | None) -> str:
    """All of a store as SQL."""
    if isinstance(place, Path):
        connection = sqlite3.connect(place)
        lines = list(connection.iterdump())
        connection.close()
        return "\n".join(lines) + "\n"
    assert server is not None
    told = server.run(
        "pg_dump", "--inserts", "--no-owner", "--no-privileges", "-h", str(server.folder), str(address(place).database)
    )
    kept = [
        line
        for line in told.splitlines()
        if line.strip() and not re.match(r"--|\\(un)?restrict|SET transaction_timeout", line)
    ]
    return "\n".join(kept) + "\n"


def load(text: str, place: str | Path) -> None:
    if isinstance(place, Path):
        connection = sqlite3.connect(place)
        connection.executescript(text)
        connection.close()
        return
    with psycopg.connect(place) as server:
        server.execute(text.encode())


def kind_of(place: str | Path) -> str:
    return "sqlite" if isinstance(place, Path) else "postgresql"


def test_the_present_version_has_its_dump(place: str | Path, request: pytest.FixtureRequest) -> None:
    path = DUMPS / f"{schema.VERSION}.{kind_of(place)}.sql"
    if not path.exists() and request.config.getoption("--update-golden"):
        with Store.open(place) as store:
            fill(store)
        server = None if isinstance(place, Path) else request.getfixturevalue("postgresql")
        path.write_text(dump(place, server), encoding="utf-8")
    assert path.exists(), f"{path} is missing: run pytest --update-golden, then review it"


@pytest.mark.parametrize("version", VERSIONS)
def test_a_store_of_an_earlier_release_opens_with_the_same_content(place: str | Path, version: str) -> None:
    load((DUMPS / f"{version}.{kind_of(place)}.sql").read_text(encoding="utf-8"), place)
    with Store.open(place) as store:
        check(store, version)
    if isinstance(place, Path):
        assert (
            place.with_name("store.db").read_bytes()[18:20] == b"\2\2"
        )  # write-ahead log: readers and writers do not wait
    with Store.open(place) as again:
        assert again.head().sequence == 14


def test_who_signed_in_before_the_table_of_people_is_in_it(place: str | Path) -> None:
    """Everybody's last sign-in counts, at the provider alone, and as a curator or more."""
    logins = (
        (101, "openid:ann", "reader", "session.begin"),
        (102, "openid:ann", "admin", "session.begin"),
        (103, "openid:bo", "curator", "session.begin"),
        (104, "openid:bo", "reader", "session.begin"),
        (105, "key:1", "admin", "session.begin"),
        (106, "openid:cy", "admin", "session.end"),
    )
    table = "audit" if isinstance(place, Path) else "public.audit"
    row = f"INSERT INTO {table} VALUES ({{0}}, 1, '2026-01-01T00:00:00.000000Z', '{{1}}', 'N{{0}}', '{{2}}', '{{3}}', 'session:x', '{{{{}}}}');"
    before = (DUMPS / f"0007.{kind_of(place)}.sql").read_text(encoding="utf-8")
    load(before + "\n".join(row.format(*one) for one in logins), place)
    with Store.open(place) as store:
        assert store.people.listing() == [Person("openid:ann", "N102", Role.ADMIN)]


def test_todays_store_equals_the_released_one(store: Store) -> None:
    fill(store)
    check(store)
