"""Reviews, feedback, keys, the audit log, lists."""

import time
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from kb.incident import Status
from kb.store import Author, Missing, Refused, Role, Store, StoreError
from kb.store.listing import Order, Wanted
from kb.store.model import NOBODY, Feedback, Session, Vote, Votes

from .told import ANN, BEN, incident


def test_the_last_list_of_reviewers_holds(store: Store) -> None:
    store.incidents.create(incident("a"), actor=ANN)
    store.reviews.assign("a", [Author("u:1", "One"), Author("u:2", "Two")], actor=ANN)
    (first, _) = store.reviews.reviewers("a")
    named = store.reviews.assign("a", [Author("u:1", "One"), Author("u:3", "Three")], actor=BEN)
    assert [(one.id, one.assigned_by.name) for one in named] == [("u:1", "Ann"), ("u:3", "Ben 本")]
    assert named[0] == first
    assert store.reviews.assign("a", [], actor=BEN) == []
    (hidden,) = store.reviews.assign("a", [Author("u:4", "password=Hunter2S3cret")], actor=BEN)
    assert hidden.name == "password=<secret>"


def test_comments_hang_together(store: Store) -> None:
    for one in "ab":
        store.incidents.create(incident(one), actor=ANN)
    asked = store.reviews.comment("a", 1, "why?", actor=BEN)
    told = store.reviews.comment("a", 1, "because\0 \ud800", actor=ANN, answers=asked.number)
    assert store.reviews.comments("a") == [asked, told]
    assert (told.answers, told.text, told.by) == (asked.number, "because\ufffd ?", Author("u:ann", "Ann"))
    for wrong in ({"incident_id": "b"}, {"incident_id": "a", "answers": 99}, {"incident_id": "a", "revision": 2}):
        attempt: dict[str, object] = {"revision": 1, "answers": asked.number, **wrong}
        with pytest.raises(Missing):
            store.reviews.comment(text="x", actor=ANN, **attempt)  # type: ignore[arg-type]
    assert store.reviews.comments("b") == []


def test_feedback_is_counted(store: Store) -> None:
    said = Feedback("a", Vote.YES, {"exact": ("d1", "d2"), "loose": ()}, 0.75, "0123")
    kept = [
        store.feedback.add(one, actor=actor)
        for one, actor in (
            (said, ANN),
            (replace(said, vote=Vote.NO, text="password=hunter2hunter2 死锁"), BEN),
            (said, BEN),
        )
    ]
    store.feedback.add(replace(said, incident_id="b", vote=Vote.NO), actor=ANN)
    assert store.feedback.votes(["a", "b", "z"]) == {"a": Votes(2, 0), "b": Votes(0, 1), "z": Votes()}
    assert store.feedback.votes([]) == {}
    assert [one for _, one in store.feedback.listing(of="a")] == kept
    (first, *_), numbers = kept, [number for number, _ in store.feedback.listing()]
    assert (first.by, first.prints, first.text) == (Author("u:ann", "Ann"), said.prints, None)
    assert [number for number, _ in store.feedback.listing(after=numbers[1], limit=1)] == numbers[2:3]
    assert "hunter2" not in str(kept[1].text)
    assert "死锁" in str(kept[1].text)


def test_only_the_last_vote_of_a_person_counts(store: Store) -> None:
    """Each once for an incident; nobody in particular is many."""
    yes = Feedback("a", Vote.YES, {}, 0.75, "0123")
    no, elsewhere = replace(yes, vote=Vote.NO), replace(yes, incident_id="b")
    steps = [(ANN, yes, (1, 0)), (ANN, yes, (1, 0)), (ANN, no, (0, 1)), (BEN, no, (0, 2)), (ANN, elsewhere, (0, 2))]
    steps += [
        (ANN, yes, (1, 1)),
        (NOBODY, yes, (2, 1)),
        (NOBODY, yes, (3, 1)),
        (NOBODY, no, (3, 2)),
        (BEN, yes, (4, 1)),
    ]
    for actor, said, counted in steps:
        store.feedback.add(said, actor=actor)
        assert store.feedback.votes(["a"]) == {"a": Votes(*counted)}
    assert store.feedback.votes(["a", "b"]) == {"a": Votes(4, 1), "b": Votes(1, 0)}
    assert len(store.feedback.listing()) == len(steps), "nothing is lost"


def test_a_key_opens_until_it_expires_or_is_revoked(store: Store) -> None:
    soon = datetime.now(UTC) + timedelta(seconds=1)
    key, secret = store.keys.create("ci", Role.CURATOR, actor=ANN, scopes=["search"])
    brief, brief_secret = store.keys.create("brief", Role.READER, actor=ANN, expires_at=soon)
    found = store.keys.find(secret)
    assert found == key
    assert found.actor == replace(ANN, id=f"key:{key.id}", name="ci")
    assert store.keys.find(brief_secret) == brief
    assert [store.keys.find(wrong) for wrong in ("", secret[:-1], secret.upper(), key.id, "\0\ud800")] == [None] * 5
    time.sleep(max((soon - datetime.now(UTC)).total_seconds(), 0) + 0.01)
    assert store.keys.find(brief_secret) is None
    revoked = store.keys.revoke(key.id, actor=BEN)
    assert (revoked.revoked_at is not None, store.keys.find(secret)) == (True, None)
    assert store.keys.revoke(key.id, actor=BEN) == revoked
    assert [one.id for one in store.keys.listing()] == [key.id, brief.id]
    assert [line.action for line in store.audit.listing()] == ["key.create", "key.create", "key.revoke"]
    with pytest.raises(Missing, match="'none'"):
        store.keys.revoke("none", actor=BEN)
    with pytest.raises(Refused, match="expired"):
        store.keys.create("late", Role.READER, actor=ANN, expires_at=soon)


def test_the_use_of_a_key_is_noted_to_the_hour(store: Store) -> None:
    key, secret = store.keys.create("ci", Role.ADMIN, actor=ANN)
    before = store.head().sequence
    for _ in range(3):
        store.keys.find(secret)
    used = store.keys.get(key.id).last_used
    assert used is not None
    assert (used.minute, used.second, used.microsecond) == (0, 0, 0)
    assert timedelta(0) <= datetime.now(UTC) - used < timedelta(hours=1, minutes=1)
    assert store.head().sequence == before


def test_no_secret_of_a_key_is_in_the_database(store: Store) -> None:
    _, secret = store.keys.create("ci", Role.ADMIN, actor=ANN)
    with store._database.reading() as connection:
        rows = (
            connection.exec_driver_sql("SELECT * FROM keys").all()
            + connection.exec_driver_sql("SELECT * FROM audit").all()
        )
    assert len(secret) == 3 + 64
    assert secret[3:] not in str(rows)


def test_a_session_is_over_when_it_ends_expires_or_its_key_opens_nothing(store: Store) -> None:
    now = datetime.now(UTC)
    key, _ = store.keys.create("ci", Role.CURATOR, actor=BEN, scopes=["search"])
    other, _ = store.keys.create("brief", Role.ADMIN, actor=BEN, expires_at=now + timedelta(seconds=0.5))
    later, soon = now + timedelta(hours=1), now + timedelta(seconds=0.5)
    own, by_key = store.sessions.begin(ANN, later), store.sessions.begin(key.actor, later, key=key)
    brief, by_brief = store.sessions.begin(ANN, soon), store.sessions.begin(other.actor, later, key=other)
    assert store.sessions.find(own) == Session(ANN, (), later)
    assert store.sessions.find(by_key) == Session(key.actor, ("search",), later)
    assert [store.sessions.find(wrong) for wrong in ("", own[:-1], own.upper(), "\0\ud800")] == [None] * 4
    time.sleep(max((soon - datetime.now(UTC)).total_seconds(), 0) + 0.01)
    assert [store.sessions.find(one) for one in (brief, by_brief)] == [None, None]
    store.keys.revoke(key.id, actor=BEN)
    assert store.sessions.find(by_key) is None
    store.sessions.end(own)
    store.sessions.end(own)
    store.sessions.begin(BEN, later)
    with store._database.reading() as connection:
        rows = connection.exec_driver_sql("SELECT * FROM sessions").all()
    assert (len(rows), own in str(rows)) == (3, False), "the ended and the expired are gone"
    told = [(line.action, line.actor.id) for line in store.audit.listing() if line.action.startswith("session")]
    assert told.count(("session.begin", ANN.id)) == 2
    assert [line for line in told if line[0] == "session.end"] == [("session.end", ANN.id)]


def test_the_first_key_is_made_once_whatever_becomes_of_it(store: Store) -> None:
    made = store.keys.first("first", actor=ANN)
    assert made is not None
    key, secret = made
    assert (store.keys.find(secret), key.role) == (key, Role.ADMIN)
    store.keys.revoke(key.id, actor=ANN)
    assert store.keys.first("first", actor=ANN) is None
    found = store.keys.whatever(secret)
    assert found is not None
    assert (found.id, found.revoked_at is not None, store.keys.whatever("kb_x")) == (key.id, True, None)


def test_roles_are_a_ladder() -> None:
    order = [Role.READER, Role.CURATOR, Role.REVIEWER, Role.ADMIN]
    assert [[one.covers(other) for other in order] for one in order] == [
        [True, False, False, False],
        [True, True, False, False],
        [True, True, True, False],
        [True, True, True, True],
    ]


def test_the_audit_log_names_who_did_what_and_no_text(store: Store) -> None:
    store.incidents.create(incident("a", "zzq secret plan", "Zzq"), actor=ANN, note="zzq note")
    store.incidents.revise(incident("a", "zzq better"), expected=1, actor=BEN, status=Status.PUBLISHED)
    store.reviews.comment("a", 1, "zzq remark", actor=BEN)
    store.feedback.add(Feedback("a", Vote.NO, {}, 0.5, "s", "zzq query"), actor=ANN)
    store.incidents.create(incident("b"), actor=ANN)
    lines = store.audit.listing(of="incident:a")
    assert [(line.action, line.actor, line.sequence) for line in lines] == [
        ("incident.create", ANN, 1),
        ("incident.revise", BEN, 2),
        ("incident.comment", BEN, 3),
        ("incident.feedback", ANN, 4),
    ]
    assert lines[1].details == {"revision": 2, "status": "published"}
    assert "zzq" not in str(lines)
    everything = store.audit.listing()
    assert [line.number for line in store.audit.listing(after=everything[1].number, limit=2)] == [
        line.number for line in everything[2:4]
    ]


@pytest.mark.parametrize("table", ["audit", "revisions"])
@pytest.mark.parametrize("statement", ["UPDATE {} SET at = 'x'", "DELETE FROM {}"])
def test_what_was_written_is_not_changed(store: Store, table: str, statement: str) -> None:
    store.incidents.create(incident("a"), actor=ANN)
    with pytest.raises(StoreError, match="append-only"), store._database.writing() as connection:
        connection.execute(sa.text(statement.format(table)))
    assert len(store.incidents.history("a")) == len(store.audit.listing()) == 1


def ids(store: Store, wanted: Wanted, limit: int = 2) -> list[str]:
    """The ids of all pages."""
    found, after = [], None
    while True:
        page = store.listing(wanted, after=after, limit=limit)
        found += [one.id for one in page.items]
        if page.after is None:
            return found
        assert len(page.items) == limit
        after = page.after


def test_lists_are_narrowed_and_paged(store: Store) -> None:
    for at, one in enumerate(["b", "d", "a", "c", "Ä%"]):
        more = {"component": "flink" if at % 2 else None, "tags": ["Größe" if at > 2 else "x"]}
        store.incidents.create(incident(one, f"Title {at}", **more), actor=ANN, status=list(Status)[at % 2])
    store.incidents.revise(incident("d", "Über 100%"), expected=1, actor=BEN)
    assert ids(store, Wanted()) == ["a", "b", "c", "d", "Ä%"]
    assert ids(store, Wanted(order=Order.RECENT)) == ["d", "Ä%", "c", "a", "b"]
    assert ids(store, Wanted(status=Status.IN_REVIEW)) == ["c"]
    assert ids(store, Wanted(component="flink")) == ["c"]
    assert ids(store, Wanted(text="GRÖSSE")) == ["c", "Ä%"]
    assert ids(store, Wanted(text="ü", order=Order.RECENT)) == ["d"]
    assert ids(store, Wanted(text="%")) == ["d", "Ä%"]
    assert ids(store, Wanted(text="_")) == []
    assert ids(store, Wanted(), limit=5) == ["a", "b", "c", "d", "Ä%"]
    assert [one.id for one in store.listing(Wanted(order=Order.RECENT), after="x'--", limit=1).items] == ["d"]
    (first, *_) = store.listing(Wanted(order=Order.RECENT)).items
    assert (first.title, first.revision, first.is_live, first.updated_by.name) == ("Über 100%", 2, False, "Ben 本")
