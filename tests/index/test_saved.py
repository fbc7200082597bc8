"""The store's incidents in a snapshot and over it: a running engine that follows it answers as one that was opened anew."""

import random
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from pathlib import Path

import pyarrow as pa
import pytest

from index import Engine
from index.build import build
from index.entry import entries
from index.saved import Position, joined
from kb.incident import Incident, Status
from kb.store import Actor, Missing, Refused, Role, Store

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
    assert (engine.position, engine.overlay_size) == (Position(store.id, 4), 2)
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
