"""The store's incidents in a snapshot and over it: a running engine that follows it answers as one that was opened anew."""

import random
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from index import Engine
from index.build import build
from index.entry import entries
from index.live.saved import TOGETHER, Position, is_followed, joined, pages
from kb.incident import Incident, Status
from kb.store import Actor, Missing, Refused, Role, Store, StoreError
from kb.trace.in_force import rules_in_force

from .overlaid import ENCODER, TRACE, assert_equal, ids, incidents, shop

ANN = Actor("u:ann", "Ann", Role.CURATOR)


def built(home: Path, articles: list[Incident], store: Store | None = None) -> None:
    """A snapshot as `kb ingest` publishes it."""
    rows: Iterator[pa.RecordBatch] = iter(
        [entries(articles[at : at + 7], ENCODER) for at in range(0, len(articles), 7)]
    )
    if store is None:
        build(rows, home, ENCODER)
        return
    position = Position.now(store)
    build(joined(rows, store, position.sequence, ENCODER), home, ENCODER, position=position)


def wrote(store: Store, told: Incident, status: Status = Status.PUBLISHED) -> None:
    try:
        expected = store.incidents.current(told.id).number
    except Missing:
        store.incidents.create(told, actor=ANN, status=status)
    else:
        store.incidents.revise(told, expected=expected, actor=ANN, status=status)


def said(place: str, what: str) -> str:
    return TRACE.format(place=place, said=what)


def test_what_is_saved_is_found_and_what_is_retired_is_not(tmp_path: Path, store: Store) -> None:
    built(tmp_path, [shop("a", "Basket"), shop("b", "Stock", "shelf is empty")])
    engine = Engine.open(tmp_path)
    assert (engine.follow(store), engine.overlay_size) == (0, 0)
    store.incidents.create(shop("c", "Till", "drawer is jammed"), actor=ANN, status=Status.PUBLISHED)
    store.incidents.adopt(shop("b", "Stock", "shelf is empty"), actor=ANN)
    assert (engine.follow(store), ids(engine, said("Till", "drawer is jammed"))[0]) == (2, "c")
    store.incidents.move("b", Status.RETIRED, expected=1, actor=ANN)
    store.incidents.revise(shop("c", "Door"), expected=1, actor=ANN, status=Status.DRAFT)
    assert (engine.follow(store), engine.follow(store)) == (1, 0)
    assert "b" not in ids(engine, said("Stock", "shelf is empty"))
    assert ids(engine, said("Till", "drawer is jammed"))[0] == "c"
    assert (engine.position, engine.overlay_size) == (Position(store.head().store_id, 4), 2)
    engine.close()


def test_a_merged_incident_stays_out_when_articles_come_again(tmp_path: Path, store: Store) -> None:
    articles = [shop("a", "Basket"), shop("b", "Stock", "shelf is empty"), shop("d", "Door")]
    built(tmp_path, articles)
    for one in articles[:2]:
        store.incidents.adopt(one, actor=ANN)
    store.redirects.merge("b", "a", expected={"a": 1, "b": 1}, actor=ANN)
    for attempt in ("followed", "built anew"):
        if attempt == "built anew":
            built(tmp_path, articles, store)
        engine = Engine.open(tmp_path)
        engine.follow(store)
        assert sorted(engine.ids()) == ["a", "d"]
        assert ids(engine, said("Stock", "shelf is empty"))[0] == "a"
        assert engine.overlay_size == (2 if attempt == "followed" else 0)
        engine.close()


def changed(store: Store, chance: random.Random, articles: list[Incident]) -> None:
    """Something that a curator may do."""
    known = {one.id: one for one in store.listing(limit=1000).items}
    told = chance.choice(articles)
    other = replace(chance.choice(articles), id=told.id, duplicate_of=None)
    here = known.get(told.id)
    if here is None and chance.random() < 0.5:
        store.incidents.adopt(told, actor=ANN)
    elif here is None or (here.merged_into is None and chance.random() < 0.5):
        wrote(store, replace(other, title=f"{other.title} zzqsaved"), chance.choice(list(Status)))
    elif here.merged_into is not None:
        with suppress(Refused):  # the other was merged since
            store.redirects.split(told.id, actor=ANN)
    elif here.status is Status.PUBLISHED and chance.random() < 0.5:
        store.incidents.move(told.id, Status.RETIRED, expected=here.revision, actor=ANN)
    elif into := [
        one for one in known.values() if one.is_live and one.status is Status.PUBLISHED and one.id != told.id
    ]:
        chosen = chance.choice(into)
        expected = {told.id: here.revision, chosen.id: chosen.revision}
        store.redirects.merge(told.id, chosen.id, expected=expected, actor=ANN)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.slow
def test_following_answers_as_a_snapshot_that_is_built_anew(tmp_path: Path, store: Store, seed: int) -> None:
    """Some changes lie in the snapshot, the others over it, taken as they come; or all of them in the next snapshot."""
    chance = random.Random(seed)
    every = sorted(incidents(), key=lambda one: one.id)
    articles = [one for one in every if chance.random() < 0.7]
    for _ in range(20):
        changed(store, chance, every)
    built(tmp_path / "old", articles, store)
    engine = Engine.open(tmp_path / "old")
    for _ in range(40):
        changed(store, chance, every)
        if chance.random() < 0.3:
            engine.follow(store)
    engine.follow(store)
    built(tmp_path / "new", articles, store)
    anew = Engine.open(tmp_path / "new")
    assert anew.follow(store) == 0
    assert sorted(engine.ids()) == sorted(anew.ids())
    questions = [one.title for one in every[::9]] + [trace for one in every[::5] for trace in one.traces[:1]]
    for text in [*questions, "zzqsaved"]:
        assert_equal(engine.search(text, 10), anew.search(text, 10))
    engine.close()
    anew.close()


def many(store: Store, count: int) -> None:
    with store.transaction():
        for at in range(count):
            store.incidents.create(shop(f"i{at:03}", f"Place{at}"), actor=ANN, status=Status.PUBLISHED)


def test_pages_hold_everything_once_and_in_order(store: Store) -> None:
    many(store, 70)
    found = list(pages(store, 0, store.head().sequence))
    assert [len(page) for page, _ in found] == [TOGETHER] * (70 // TOGETHER) + [70 % TOGETHER]
    assert [reached for _, reached in found] == [*range(TOGETHER, 70, TOGETHER), 70]
    assert [change.incident_id for page, _ in found for change in page] == [f"i{at:03}" for at in range(70)]
    assert list(pages(store, 70, store.head().sequence)) == []
    assert [reached for _, reached in pages(store, 69, 69 + 5)] == [74]


def test_what_changes_while_a_snapshot_is_built_lies_over_it(tmp_path: Path, store: Store) -> None:
    many(store, 40)
    position = Position.now(store)

    def batches() -> Iterator[pa.RecordBatch]:
        for at, batch in enumerate(joined(iter([]), store, position.sequence, ENCODER)):
            yield batch
            if at == 0:
                store.incidents.revise(shop("i000", "Till"), expected=1, actor=ANN, status=Status.PUBLISHED)
                store.incidents.move("i039", Status.RETIRED, expected=1, actor=ANN)

    info = build(batches(), tmp_path / "home", ENCODER, position=position)
    assert info.manifest.counts["incidents"] == 39  # the last one was retired before it was read
    engine = Engine.open(tmp_path / "home")
    assert (engine.follow(store), engine.overlay_size) == (2, 2)
    assert sorted(engine.ids()) == [f"i{at:03}" for at in range(39)]
    assert ids(engine, said("Till", "no basket left here"))[0] == "i000"
    engine.close()


def test_another_store_is_followed_from_its_beginning(tmp_path: Path, store: Store) -> None:
    many(store, 3)
    built(tmp_path / "home", [shop("a", "Basket")])
    engine = Engine.open(tmp_path / "home")
    assert engine.follow(store) == 3
    with Store.open(tmp_path / "other.db") as other:
        other.incidents.create(shop("o", "Till"), actor=ANN, status=Status.PUBLISHED)
        assert engine.follow(other) == 1
        assert (sorted(engine.ids()), engine.position) == (["a", "o"], Position(other.head().store_id, 1))
    engine.close()


def test_the_store_of_the_home_is_found_and_none_is_made(tmp_path: Path) -> None:
    built(tmp_path, [shop("a", "Basket")])
    Engine.open(tmp_path).close()
    assert not (tmp_path / "store.db").exists()
    with Store.open(tmp_path / "store.db") as store:
        many(store, 1)
        engine = Engine.open(tmp_path)
        assert sorted(engine.ids()) == ["a", "i000"]
        assert is_followed(engine.position, store)
        store.incidents.move("i000", Status.RETIRED, expected=1, actor=ANN)
        assert not is_followed(engine.position, store)
        engine.close()


def test_an_engine_with_an_unreadable_store_does_not_open_or_change_rules(tmp_path: Path) -> None:
    built(tmp_path, [shop("a", "Basket")])
    before = rules_in_force()
    for place in (tmp_path / "CURRENT", "postgresql://nobody@127.0.0.1:1/none"):
        with pytest.raises(StoreError):
            Engine.open(tmp_path, store=place)
    assert rules_in_force() is before


@pytest.mark.slow
def test_searches_go_on_while_many_changes_are_taken(tmp_path: Path, store: Store) -> None:
    """A search waits for nobody: it sees the changes of whole pages, more of them each time, and at the end all."""
    many(store, 200)
    built(tmp_path / "home", [shop("a", "Basket")])
    engine = Engine.open(tmp_path / "home")
    following = threading.Thread(target=engine.follow, args=(store,))
    following.start()
    seen = []
    while following.is_alive():
        seen.append(len(list(engine.ids())))
        assert engine.search("Basket broke").matches
    following.join()
    assert seen == sorted(seen)
    assert {size % TOGETHER for size in seen} <= {1, (200 + 1) % TOGETHER}
    assert len(set(seen)) > 2
    assert len(list(engine.ids())) == 201
    engine.close()
