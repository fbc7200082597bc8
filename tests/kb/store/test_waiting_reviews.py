"""Reviews that wait: for whom, since when, and what ends it."""

from collections.abc import Callable
from datetime import datetime, timedelta

import pytest

from kb.incident import Status
from kb.store import Actor, Author, Role, Store

from .told import ANN, BEN, incident

CY = Actor("u:cy", "Cy", Role.REVIEWER)


def ask(store: Store, incident_id: str, *people: Actor) -> None:
    store.reviews.assign(incident_id, [Author(one.id, one.name) for one in people], actor=ANN)


def waiting(store: Store, of: Actor) -> list[str]:
    return [one.incident_id for one in store.reviews.waiting(9, reviewer=of.id)]


def test_yours_and_those_of_others_the_oldest_first(store: Store) -> None:
    for name, status in (("a", Status.PUBLISHED), ("b", Status.IN_REVIEW), ("c", Status.DRAFT), ("d", Status.DRAFT)):
        store.incidents.create(incident(name, f"About {name}"), actor=ANN, status=status)
    store.incidents.revise(incident("a", "About a", "Door"), expected=1, actor=ANN, status=Status.IN_REVIEW)
    ask(store, "c", CY, BEN)
    ask(store, "a", BEN)
    assert waiting(store, BEN) == ["c", "a"]
    mine, other = store.reviews.waiting(9, reviewer=BEN.id)[1], store.reviews.waiting(9, but=BEN.id)
    assert (mine.title, mine.since, mine.revision, mine.author.name) == ("About a", 1, 2, "Ann")
    assert [(one.incident_id, one.since, one.reviewers) for one in other] == [("b", None, ())]
    assert [one.incident_id for one in store.reviews.waiting(9)] == ["b", "c", "a"]
    assert len(store.reviews.waiting(1)) == 1
    counts = [store.reviews.waiting_count(**one) for one in ({}, {"reviewer": BEN.id}, {"but": BEN.id})]
    assert counts == [3, 2, 1]
    asked = mine.reviewers[0].at
    assert mine.age(asked + timedelta(days=2), BEN.id) == timedelta(days=2)
    assert mine.age(asked, CY.id) == asked - mine.updated_at
    assert mine.age(datetime.fromisoformat("2001-01-01T00:00:00Z"), BEN.id) == timedelta()


def comments(store: Store) -> None:
    store.reviews.comment("a", 2, "fine", actor=BEN)


def writes(store: Store) -> None:
    store.incidents.revise(incident("a", "Mine"), expected=2, actor=BEN, status=Status.IN_REVIEW)


def is_published(store: Store) -> None:
    store.incidents.move("a", Status.PUBLISHED, expected=2, actor=ANN)


def is_retired(store: Store) -> None:
    store.incidents.move("a", Status.RETIRED, expected=2, actor=ANN)


def is_asked_no_more(store: Store) -> None:
    ask(store, "a")


@pytest.mark.parametrize("ends", [comments, writes, is_published, is_retired, is_asked_no_more])
def test_what_ends_a_request(store: Store, ends: Callable[[Store], None]) -> None:
    store.incidents.create(incident("a"), actor=ANN, status=Status.PUBLISHED)
    store.incidents.revise(incident("a", "Better"), expected=1, actor=ANN, status=Status.IN_REVIEW)
    store.reviews.comment("a", 2, "before it was asked", actor=BEN)
    ask(store, "a", BEN)
    store.reviews.comment("a", 2, "of somebody else", actor=CY)
    assert waiting(store, BEN) == ["a"]
    ends(store)
    assert waiting(store, BEN) == []


def test_what_happens_to_another_incident_ends_nothing(store: Store) -> None:
    for name in ("a", "other"):
        store.incidents.create(incident(name, f"About {name}"), actor=ANN, status=Status.IN_REVIEW)
    ask(store, "a", BEN)
    ask(store, "other", BEN)
    store.reviews.comment("other", 1, "fine", actor=BEN)
    store.incidents.move("other", Status.PUBLISHED, expected=1, actor=ANN)
    assert waiting(store, BEN) == ["a"]
    assert [one.incident_id for one in store.reviews.waiting(9, but=BEN.id)] == []


def test_a_new_revision_makes_the_reviewer_look_again(store: Store) -> None:
    store.incidents.create(incident("a"), actor=ANN, status=Status.IN_REVIEW)
    ask(store, "a", BEN)
    store.reviews.comment("a", 1, "mend it", actor=BEN)
    assert waiting(store, BEN) == []
    assert [one.reviewers for one in store.reviews.waiting(9)] == [()]
    store.incidents.revise(incident("a", "Mended"), expected=1, actor=ANN, status=Status.IN_REVIEW)
    assert waiting(store, BEN) == ["a"]
    store.incidents.move("a", Status.PUBLISHED, expected=2, actor=ANN)
    store.incidents.revise(incident("a", "Again"), expected=3, actor=ANN, status=Status.IN_REVIEW)
    assert waiting(store, BEN) == []
    assert [one.since for one in store.reviews.waiting(9)] == [3]


def test_who_is_asked_of_a_published_one_has_it_waiting(store: Store) -> None:
    store.incidents.create(incident("a"), actor=ANN, status=Status.PUBLISHED)
    ask(store, "a", BEN)
    assert waiting(store, BEN) == ["a"]
    store.reviews.comment("a", 1, "fine", actor=BEN)
    assert store.reviews.waiting(9) == []
