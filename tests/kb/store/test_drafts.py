"""Private drafts, on both databases: for their writer alone, without secrets, bounded, and never overwritten by another tab."""

from datetime import UTC, datetime, timedelta

import pytest
import sqlalchemy as sa

from kb.store import Missing, Refused, Store, drafts, schema
from kb.store.drafts import DraftAt, DraftText

from .told import ANN, BEN


def texts(store: Store) -> list[str]:
    with store._database.reading() as connection:
        return sorted(connection.execute(sa.select(schema.drafts.c.text)).scalars())


def test_a_draft_is_replaced_while_its_tab_writes(store: Store) -> None:
    first = store.drafts.keep(DraftText("a"), DraftAt(tab="t"), actor=ANN)
    assert store.drafts.keep(DraftText("ab", "why", "A", "inc", 3, "draft"), DraftAt(*first, "t"), actor=ANN) == (
        first[0],
        2,
    )
    found = store.drafts.find(first[0], actor=ANN)
    assert (found.version, found.content) == (2, DraftText("ab", "why", "A", "inc", 3, "draft"))
    assert texts(store) == ["ab"]


def test_an_answer_that_was_lost_makes_no_second_draft(store: Store) -> None:
    """The tab does not know the id: it goes by its own name."""
    store.drafts.keep(DraftText("a"), DraftAt(tab="t"), actor=ANN)
    store.drafts.keep(DraftText("ab"), DraftAt(tab="t"), actor=ANN)
    assert texts(store) == ["ab"]


def test_two_tabs_overwrite_nothing(store: Store) -> None:
    own = store.drafts.keep(DraftText("first"), DraftAt(tab="one"), actor=ANN)
    store.drafts.keep(DraftText("second"), DraftAt(*own, "two"), actor=ANN)
    store.drafts.keep(DraftText("third"), DraftAt(*own, "one"), actor=ANN)
    assert texts(store) == ["second", "third"]
    store.drafts.keep(DraftText("without a script"), DraftAt(*own), actor=ANN)
    assert texts(store) == ["second", "third", "without a script"]


def test_a_tab_that_opens_another_draft_leaves_its_own_alone(store: Store) -> None:
    own = store.drafts.keep(DraftText("first"), DraftAt(tab="one"), actor=ANN)
    other = store.drafts.keep(DraftText("second"), DraftAt(tab="two"), actor=ANN)
    assert store.drafts.keep(DraftText("second, and more"), DraftAt(*other, "one"), actor=ANN) == (other[0], 2)
    assert texts(store) == ["first", "second, and more"]
    assert store.drafts.find(own[0], actor=ANN).version == 1
    store.drafts.keep(DraftText("second, its answer lost"), DraftAt(*other, "one"), actor=ANN)
    assert texts(store) == ["first", "second, its answer lost"]


def test_nobody_else_sees_changes_or_deletes_it(store: Store) -> None:
    own = store.drafts.keep(DraftText("mine"), DraftAt(tab="t"), actor=ANN)
    with pytest.raises(Missing):
        store.drafts.find(own[0], actor=BEN)
    assert store.drafts.listing(actor=BEN) == []
    assert store.drafts.keep(DraftText("his"), DraftAt(*own, "t"), actor=BEN)[0] != own[0]
    store.drafts.delete(own[0], actor=BEN)
    assert store.drafts.find(own[0], actor=ANN).content.text == "mine"
    store.drafts.delete(own[0], actor=ANN)
    store.drafts.delete(own[0], actor=ANN)
    with pytest.raises(Missing):
        store.drafts.find(own[0], actor=ANN)


def test_no_secret_is_kept(store: Store) -> None:
    content = DraftText("boom password=hunter2", "token=hunter22", "password=hunter2")
    store.drafts.keep(content, DraftAt(), actor=ANN)
    with store._database.reading() as connection:
        assert "hunter2" not in str(connection.execute(sa.select(schema.drafts)).all())
    store.drafts.keep(DraftText("Zitronenkuchen"), DraftAt(), actor=ANN)
    assert store.scrub(["Zitronenkuchen"], actor=ANN).rows == {"drafts": 1}
    assert "<secret>" in texts(store)


def fill(store: Store, count: int, by: str) -> None:
    """That many drafts of one writer, the oldest first."""
    now = datetime.now(UTC)
    one = {"version": 1, "tab": "", "title": "", "note": "", "incident_id": "", "revision": 0, "was": ""}
    made = [
        {
            **one,
            "id": f"{by} {number}",
            "text": f"{by} {number}",
            "by_id": by,
            "by_name": by,
            "created_at": now - timedelta(days=1),
            "updated_at": now - timedelta(seconds=count - number),
        }
        for number in range(count)
    ]
    with store._database.writing() as connection:
        connection.execute(sa.insert(schema.drafts), made)


def test_drafts_are_bounded_in_number_and_size(store: Store) -> None:
    fill(store, drafts.MOST_OF_ONE, ANN.id)
    store.drafts.keep(DraftText("new"), DraftAt(), actor=ANN)
    assert len(store.drafts.listing(actor=ANN)) == drafts.MOST_OF_ONE
    assert f"{ANN.id} 0" not in texts(store)
    for at in range(drafts.MOST // drafts.MOST_OF_ONE):
        fill(store, drafts.MOST_OF_ONE, f"u:{at}")
    store.drafts.keep(DraftText("newest"), DraftAt(), actor=BEN)
    assert len(texts(store)) == drafts.MOST
    assert "newest" in texts(store)
    with pytest.raises(Refused):
        store.drafts.keep(DraftText("x" * (drafts.LONGEST + 1)), DraftAt(), actor=ANN)


def test_what_was_not_changed_for_long_is_deleted(store: Store) -> None:
    kept = store.drafts.keep(DraftText("new"), DraftAt(), actor=ANN)
    fill(store, 2, BEN.id)
    assert store.drafts.forget(timedelta(days=1)) == 0
    assert store.drafts.forget(timedelta(seconds=1.5)) == 1
    assert store.drafts.forget(timedelta(days=-1)) == 2
    assert store.drafts.listing(actor=ANN) == []
    assert kept[1] == 1


def test_the_list_is_by_last_change_and_of_one_incident(store: Store) -> None:
    first = store.drafts.keep(DraftText("a", title="A", incident_id="inc"), DraftAt(), actor=ANN)
    other = store.drafts.keep(DraftText("b", title="B"), DraftAt(), actor=ANN)
    store.drafts.keep(DraftText("aa", title="AA", incident_id="inc"), DraftAt(*first), actor=ANN)
    assert [one.content.title for one in store.drafts.listing(actor=ANN)] == ["AA", "B"]
    assert [one.id for one in store.drafts.listing(actor=ANN, incident_id="")] == [other[0]]
