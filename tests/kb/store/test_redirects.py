"""Merging two incidents into one, and taking exactly that back."""

import pytest

from kb.incident import Status
from kb.store import Missing, Refused, Stale, Store

from .told import ANN, BEN, TRACE, incident

DRAFT, PUBLISHED, RETIRED = Status.DRAFT, Status.PUBLISHED, Status.RETIRED


@pytest.fixture
def pair(store: Store) -> Store:
    """`a` and `b` are searched and share one trace of two."""
    store.incidents.create(incident("a", "A", "Basket", "Till"), actor=ANN, status=PUBLISHED)
    store.incidents.create(incident("b", "B", "Till", "Door"), actor=ANN, status=PUBLISHED)
    return store


def searched(store: Store) -> dict[str, tuple[str, ...]]:
    """What is found, and by which traces."""
    return {
        one.incident_id: tuple(trace.split()[1] for trace in one.incident.traces)
        for one in store.changes(0)
        if one.incident is not None
    }


def test_a_merged_incident_leads_to_the_other_which_has_its_traces(pair: Store) -> None:
    redirect = pair.redirects.merge("b", "a", expected={"a": 1, "b": 1}, actor=BEN, note="one problem")
    assert searched(pair) == {"a": ("Basket", "Till", "Door")}
    assert (redirect.traces, redirect.by.name, redirect.undone_at) == ((TRACE.format("Door"),), "Ben 本", None)
    assert (pair.redirects.resolve("b"), pair.redirects.resolve("a"), pair.redirects.resolve("z")) == ("a", "a", "z")
    assert pair.redirects.of("a") == pair.redirects.of("b") == [redirect]
    assert {one.id: one.merged_into for one in pair.listing().items} == {"a": None, "b": "a"}
    assert [(one.number, one.status) for one in pair.incidents.history("b")] == [(2, RETIRED), (1, PUBLISHED)]
    assert list(pair.decided()) == ["a", "b"]


def test_a_split_takes_exactly_the_merge_back(pair: Store) -> None:
    pair.redirects.merge("b", "a", expected={"a": 1, "b": 1}, actor=ANN)
    pair.incidents.attach("a", TRACE.format("Lift"), actor=ANN)
    undone = pair.redirects.split("b", actor=BEN)
    assert searched(pair) == {"a": ("Basket", "Till", "Lift"), "b": ("Till", "Door")}
    assert pair.redirects.resolve("b") == "b"
    assert undone.undone_by is not None
    assert (undone.undone_by.name, pair.redirects.of("b")) == ("Ben 本", [undone])
    with pytest.raises(Missing, match="'b' is not merged"):
        pair.redirects.split("b", actor=BEN)
    again = pair.redirects.merge("b", "a", expected={"a": 4, "b": 3}, actor=ANN)
    assert pair.redirects.of("a") == [undone, again]


def test_a_split_restores_the_published_and_the_draft_revision(pair: Store) -> None:
    pair.incidents.revise(incident("b", "B, better", "Door"), expected=1, actor=ANN, status=DRAFT)
    pair.redirects.merge("b", "a", expected={"a": 1, "b": 2}, actor=ANN)
    pair.redirects.split("b", actor=ANN)
    current, live = pair.incidents.current("b"), pair.incidents.live("b")
    assert live is not None
    assert (current.shown.title, current.status) == ("B, better", DRAFT)
    assert (live.shown.title, live.status) == ("B", PUBLISHED)


def test_a_merged_draft_was_never_searched_and_is_a_draft_again(store: Store) -> None:
    for one in "ab":
        store.incidents.create(incident(one), actor=ANN)
    store.redirects.merge("b", "a", expected={"a": 1, "b": 1}, actor=ANN)
    store.redirects.split("b", actor=ANN)
    assert searched(store) == {}
    assert {one.status for one in store.listing().items} == {DRAFT}


def test_chains_lead_to_their_end_and_are_undone_from_there(pair: Store) -> None:
    pair.incidents.create(incident("c"), actor=ANN, status=PUBLISHED)
    pair.redirects.merge("b", "a", expected={"a": 1, "b": 1}, actor=ANN)
    pair.redirects.merge("a", "c", expected={"a": 2, "c": 1}, actor=ANN)
    assert {one: pair.redirects.resolve(one) for one in "abc"} == {"a": "c", "b": "c", "c": "c"}
    assert searched(pair) == {"c": ("Basket", "Till", "Door")}
    with pytest.raises(Refused, match="'a' was merged into 'c'"):
        pair.redirects.split("b", actor=ANN)
    pair.redirects.split("a", actor=ANN)
    pair.redirects.split("b", actor=ANN)
    assert searched(pair) == {"a": ("Basket", "Till"), "b": ("Till", "Door"), "c": ("Basket",)}


@pytest.mark.parametrize(("source", "into"), [("a", "b"), ("b", "c"), ("c", "b"), ("c", "c"), ("b", "a")])
def test_circles_and_second_merges_are_refused(pair: Store, source: str, into: str) -> None:
    pair.incidents.create(incident("c"), actor=ANN, status=PUBLISHED)
    pair.redirects.merge("b", "a", expected={"a": 1, "b": 1}, actor=ANN)
    before = pair.head().sequence
    with pytest.raises(Refused):
        pair.redirects.merge(source, into, expected={"a": 2, "b": 2, "c": 1}, actor=ANN)
    assert pair.head().sequence == before


def test_a_published_incident_is_not_merged_into_an_unpublished_one(pair: Store) -> None:
    pair.incidents.create(incident("c"), actor=ANN)
    with pytest.raises(Refused, match="'c' is draft"):
        pair.redirects.merge("a", "c", expected={"a": 1, "c": 1}, actor=ANN)
    with pytest.raises(Missing, match="'z'"):
        pair.redirects.merge("a", "z", expected={"a": 1, "z": 1}, actor=ANN)


@pytest.mark.parametrize("stale", ["a", "b"])
def test_a_merge_of_something_else_than_was_seen_is_refused(pair: Store, stale: str) -> None:
    pair.incidents.attach(stale, TRACE.format("Lift"), actor=ANN)
    with pytest.raises(Stale, match=f"'{stale}' is at revision 2"):
        pair.redirects.merge("b", "a", expected={"a": 1, "b": 1}, actor=BEN)
    assert len(searched(pair)) == 2


def test_nobody_writes_to_a_merged_incident(pair: Store) -> None:
    pair.redirects.merge("b", "a", expected={"a": 1, "b": 1}, actor=ANN)
    for attempt in (
        lambda: pair.incidents.revise(incident("b"), expected=2, actor=ANN),
        lambda: pair.incidents.move("b", PUBLISHED, expected=2, actor=ANN),
        lambda: pair.incidents.restore("b", 1, expected=2, actor=ANN, status=PUBLISHED),
        lambda: pair.incidents.attach("b", "x", actor=ANN),
    ):
        with pytest.raises(Refused, match="'b' was merged into 'a'"):
            attempt()
    assert pair.incidents.current("b").number == 2
