"""What curators write: revisions that follow one another, and what of them is searched."""

from dataclasses import replace

import pytest

from kb.incident import Incident, Repost, Status
from kb.record import RecordError
from kb.store import INGEST, Author, Exists, Missing, Refused, Stale, Store
from kb.store.incidents import MOVES

from .told import ANN, BEN, TRACE, incident

DRAFT, IN_REVIEW, PUBLISHED, RETIRED = Status.DRAFT, Status.IN_REVIEW, Status.PUBLISHED, Status.RETIRED


def live(store: Store, after: int = 0) -> dict[str, Incident | None]:
    return {change.incident_id: change.incident for change in store.changes(after)}


def test_what_was_written_is_there_word_for_word(store: Store) -> None:
    told = incident(
        "数据库/死锁 #1",
        "死锁 🐘 'quoted'",
        tags=["a", "b"],
        fix="重启\r\n\tand wait",
        created="2024-05-01",
        odd={"k": [1, None, 2.5]},
    )
    written = store.incidents.create(told, actor=BEN, status=PUBLISHED, note="first")
    (again,) = store.incidents.history(told.id)
    assert again == written == store.incidents.current(told.id) == store.incidents.live(told.id)
    assert again.incident == told
    assert (again.number, again.author, again.note, again.sequence) == (1, Author("u:ben", "Ben 本"), "first", 1)


@pytest.mark.parametrize("odd", ["a\ud800b", "nul\0nul", "a b", "'; DROP TABLE incidents --", "%_%", "..x", "x" * 200])
def test_ids_and_texts_of_any_characters(store: Store, odd: str) -> None:
    written = store.incidents.create(incident(odd, f"title {odd}", fix=f"fix {odd}"), actor=ANN, note=odd)
    found = store.incidents.current(odd)
    assert (found, found.incident_id) == (written, written.incident_id)
    assert [one.id for one in store.listing().items] == [written.incident_id]
    assert store.incidents.current(written.incident_id) == written


@pytest.mark.parametrize("bad", ["", "  ", "x" * 201], ids=["empty", "blank", "long"])
def test_ids_that_are_none(store: Store, bad: str) -> None:
    with pytest.raises(RecordError, match="'id'"):
        store.incidents.create(replace(incident("a"), id=bad), actor=ANN)
    assert store.head().sequence == 0


def test_secrets_are_not_stored(store: Store) -> None:
    written = store.incidents.create(
        incident("a", "login password=hunter2hunter2"), actor=ANN, note="see https://bob:hunter2hunter2@host/"
    )
    commented = store.reviews.comment("a", 1, "token=ghp_0123456789abcdefghijklmnopqrstuvwxyz", actor=ANN)
    assert "hunter2" not in repr(written)
    assert "ghp_" not in commented.text


def test_an_id_is_taken_once(store: Store) -> None:
    store.incidents.create(incident("a"), actor=ANN)
    with pytest.raises(Exists, match="'a'"):
        store.incidents.create(incident("a", "Another"), actor=BEN)
    assert [one.shown.title for one in store.incidents.history("a")] == ["The basket is empty"]


@pytest.mark.parametrize(
    "call", ["current", "live", "history", "revise", "move", "attach", "restore", "comment", "assign"]
)
def test_an_unknown_id_has_no_revision_and_no_history(store: Store, call: str) -> None:
    attempts = {
        "current": lambda: store.incidents.current("z"),
        "revise": lambda: store.incidents.revise(incident("z"), expected=1, actor=ANN),
        "move": lambda: store.incidents.move("z", PUBLISHED, expected=1, actor=ANN),
        "attach": lambda: store.incidents.attach("z", "x", actor=ANN),
        "restore": lambda: store.incidents.restore("z", 1, expected=1, actor=ANN, status=DRAFT),
        "comment": lambda: store.reviews.comment("z", 1, "x", actor=ANN),
        "assign": lambda: store.reviews.assign("z", [], actor=ANN),
    }
    if call in attempts:
        with pytest.raises(Missing, match="'z'"):
            attempts[call]()
    else:
        assert not getattr(store.incidents, call)("z")
    assert (store.head().sequence, store.audit.listing()) == (0, [])


def test_a_stale_write_fails_with_the_current_revision(store: Store) -> None:
    store.incidents.create(incident("a"), actor=ANN)
    second = store.incidents.revise(incident("a", "Second"), expected=1, actor=ANN)
    for attempt in (
        lambda: store.incidents.revise(incident("a", "Third"), expected=1, actor=BEN),
        lambda: store.incidents.move("a", PUBLISHED, expected=1, actor=BEN),
        lambda: store.incidents.restore("a", 1, expected=3, actor=BEN, status=DRAFT),
    ):
        with pytest.raises(Stale) as stale:
            attempt()
        assert stale.value.current == second
    assert (store.head().sequence, len(store.incidents.history("a"))) == (2, 2)


@pytest.mark.parametrize("before", list(Status))
@pytest.mark.parametrize("after", list(Status))
def test_moves(store: Store, before: Status, after: Status) -> None:
    store.incidents.create(incident("a"), actor=ANN, status=before)
    if after in MOVES[before]:
        moved = store.incidents.move("a", after, expected=1, actor=BEN, note="so")
        assert (moved.number, moved.status, moved.shown.status, moved.note) == (2, after, after, "so")
        assert moved.incident.traces == incident("a").traces
    else:
        with pytest.raises(Refused, match=f"{before} and cannot become {after}"):
            store.incidents.move("a", after, expected=1, actor=BEN)
        assert store.incidents.current("a").number == 1


def test_only_the_decided_status_moves_are_allowed() -> None:
    assert {(one.value, other.value) for one, others in MOVES.items() for other in others} == {
        ("draft", "in_review"), ("draft", "published"), ("draft", "retired"),
        ("in_review", "draft"), ("in_review", "published"), ("in_review", "retired"),
        ("published", "retired"), ("retired", "published"),
    }  # fmt: skip


def test_a_draft_over_a_published_one_leaves_it_searched(store: Store) -> None:
    store.incidents.create(incident("a"), actor=ANN, status=PUBLISHED)
    store.incidents.revise(incident("a", "New words"), expected=1, actor=ANN, status=DRAFT)
    assert store.changes(1) == []
    store.incidents.move("a", IN_REVIEW, expected=2, actor=ANN)
    found = live(store)["a"]
    assert found is not None
    assert (found.title, found.revision, found.status) == ("The basket is empty", 1, PUBLISHED)
    store.incidents.move("a", PUBLISHED, expected=3, actor=BEN)
    assert [(c.sequence, c.incident and c.incident.title) for c in store.changes(1)] == [(4, "New words")]


def test_a_retired_incident_leaves_the_search_and_comes_back(store: Store) -> None:
    store.incidents.create(incident("a"), actor=ANN, status=PUBLISHED)
    store.incidents.move("a", RETIRED, expected=1, actor=BEN)
    assert live(store) == {"a": None}
    store.incidents.revise(incident("a", "Working on it"), expected=2, actor=ANN)
    assert live(store) == {"a": None}
    store.incidents.move("a", PUBLISHED, expected=3, actor=BEN)
    assert [found and found.title for found in live(store).values()] == ["Working on it"]


def test_drafts_alone_are_no_news(store: Store) -> None:
    store.incidents.create(incident("a"), actor=ANN)
    assert (store.changes(0), list(store.decided()), store.incidents.live("a")) == ([], [], None)


def test_changes_come_in_order_and_once_for_each_incident(store: Store) -> None:
    for at, one in enumerate("cab"):
        store.incidents.create(incident(one, f"First {at}"), actor=ANN, status=PUBLISHED)
    store.incidents.revise(incident("c", "Again"), expected=1, actor=ANN, status=PUBLISHED)
    assert [(change.sequence, change.incident_id) for change in store.changes(0)] == [(2, "a"), (3, "b"), (4, "c")]
    assert [change.incident_id for change in store.changes(0, 2)] == ["a", "b"]
    assert [change.incident_id for change in store.changes(3, 2)] == ["c"]
    assert (store.changes(4), store.head().sequence, list(store.decided())) == ([], 4, ["a", "b", "c"])
    assert [change.incident for change in store.changes(3)] == [store.incidents.current("c").shown]


def test_an_old_revision_comes_back_as_a_new_one(store: Store) -> None:
    store.incidents.create(incident("a", "First"), actor=ANN, status=PUBLISHED)
    store.incidents.revise(incident("a", "Second", "Till"), expected=1, actor=ANN)
    restored = store.incidents.restore("a", 1, expected=2, actor=BEN, status=PUBLISHED)
    assert (restored.number, restored.shown.title, restored.note) == (3, "First", "restored revision 1")
    assert [one.shown.title for one in store.incidents.history("a")] == ["First", "Second", "First"]
    with pytest.raises(Missing, match="revision 9"):
        store.incidents.restore("a", 9, expected=3, actor=BEN, status=PUBLISHED)


def test_a_trace_is_attached_once(store: Store) -> None:
    store.incidents.create(incident("a"), actor=ANN, status=PUBLISHED)
    more = TRACE.format("Till")
    attached = store.incidents.attach("a", more, actor=BEN)
    assert attached.incident.traces == (TRACE.format("Basket"), more)
    assert len(attached.incident.chains) == 2
    assert store.incidents.attach("a", more, actor=ANN) == attached
    assert store.incidents.attach("a", " \n", actor=ANN) == attached
    secret = "java.lang.X: password=hunter2hunter2\n\tat a.B.c(B.java:1)"
    store.incidents.attach("a", secret, actor=ANN)
    assert store.incidents.attach("a", secret, actor=ANN).number == 3
    assert "hunter2" not in str(store.incidents.current("a").record)


def test_an_incident_of_the_snapshot_is_adopted_under_its_revision(store: Store) -> None:
    found = replace(incident("a", "From the wiki"), revision=7, reposts=(Repost("b", "Copy", "https://copy"),))
    with store.transaction():
        adopted = store.incidents.adopt(found, actor=ANN)
        revised = store.incidents.revise(incident("a", "Mended"), expected=7, actor=ANN, status=PUBLISHED)
    assert (adopted.number, adopted.author, adopted.status) == (7, Author(INGEST.id, INGEST.name), PUBLISHED)
    assert (revised.number, revised.shown.reposts) == (8, found.reposts)
    assert [one.number for one in store.incidents.history("a")] == [8, 7]
    assert store.incidents.adopt(incident("a", "Late"), actor=BEN) == revised
    assert [(line.action, line.actor.name) for line in store.audit.listing()] == [
        ("incident.adopt", "Ann"),
        ("incident.revise", "Ann"),
    ]


def test_a_transaction_is_all_or_nothing(store: Store) -> None:
    def adopted_and_revised() -> None:
        with store.transaction():
            store.incidents.adopt(incident("a"), actor=ANN)
            store.incidents.revise(incident("a", "x"), expected=9, actor=ANN)

    with pytest.raises(Stale):
        adopted_and_revised()
    assert (store.head().sequence, store.audit.listing(), store.changes(0)) == (0, [], [])
    store.incidents.create(incident("a"), actor=ANN)
    assert store.head().sequence == 1


def test_history_goes_on_where_it_ended(store: Store) -> None:
    store.incidents.create(incident("a"), actor=ANN)
    for at in range(1, 5):
        store.incidents.revise(incident("a", f"{at}"), expected=at, actor=ANN)
    assert [one.number for one in store.incidents.history("a", limit=2)] == [5, 4]
    assert [one.number for one in store.incidents.history("a", before=4, limit=2)] == [3, 2]
    assert store.incidents.revision("a", 3).shown.title == "2"
    with pytest.raises(Missing, match="revision 6"):
        store.incidents.revision("a", 6)


@pytest.mark.parametrize("name", [".", "..", "a/../b", "./a"])
def test_an_id_that_addresses_lose_is_refused(store: Store, name: str) -> None:
    with pytest.raises(RecordError, match="addresses lose"):
        store.incidents.create(incident(name), actor=ANN)
    assert store.head().sequence == 0
