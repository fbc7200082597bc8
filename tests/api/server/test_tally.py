"""Answers are counted as they are given, and written later; what is asked and not answered is grouped by its error."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from api.server.tally import WORDS, SearchTally
from index import Answer, Engine
from kb.store import Store
from kb.store.tallies import MOST_QUESTIONS, today
from tests.api.knowledge import HDFS_TRACE, UNKNOWN_TRACE

TRACE = 'java.lang.IllegalStateException: order {0} of "{1}" is gone, token=hunter2hunter2\n\tat com.acme.Order.take(Order.java:7)\n\tat com.acme.Shop.sell(Shop.java:9)\n'


@pytest.fixture(scope="module")
def engine(home: Path) -> Engine:
    return Engine.open(home)


@pytest.fixture
def store(made: Path, tmp_path: Path) -> Store:
    place = tmp_path / "store.db"
    place.write_bytes(made.read_bytes())
    return Store.open(place)


def note(tally: SearchTally, engine: Engine, *texts: str) -> list[Answer]:
    answers = [engine.search(text) for text in texts]
    for text, answer in zip(texts, answers, strict=True):
        tally.note(answer, "page", text)
    return answers


def test_what_was_found_is_counted_by_day(engine: Engine, store: Store) -> None:
    tally = SearchTally(90, keeps_text=False)
    note(tally, engine, HDFS_TRACE, HDFS_TRACE, UNKNOWN_TRACE)
    assert store.tallies.found() == {}, "nothing is written on the way of a request"
    tally.write(store)
    found = store.tallies.found(["flink-checkpoint-hdfs-replicas"])
    assert [(one.count, one.last) for one in found.values()] == [(2, datetime.now(UTC).date())]
    searches = store.tallies.searches(today())
    assert sum(count for key, count in searches if key.name == "page known") == 2
    assert sum(count for key, count in searches if key.name == "page unknown") == 1
    tally.write(store)
    assert sum(count for _, count in store.tallies.searches(today())) == 3, "once"


def test_questions_without_an_answer_are_grouped_without_their_text(engine: Engine, store: Store) -> None:
    tally = SearchTally(90, keeps_text=False)
    note(tally, engine, TRACE.format(41, "Ann"), TRACE.format(7, "Bob"), "why is the moon made of cheese", "")
    tally.write(store)
    rows = {row.question.name: row for row in store.tallies.unanswered(9)}
    (group,) = (row for name, row in rows.items() if name != WORDS)
    assert (group.count, group.question.type) == (2, "java.lang.IllegalStateException")
    assert group.question.template.startswith("order <int> of <quoted> is gone")
    assert group.question.text is None
    assert (rows[WORDS].count, rows[WORDS].question.template, rows[WORDS].question.text) == (2, "", None)


def test_the_text_is_kept_when_allowed_without_secrets(engine: Engine, store: Store) -> None:
    tally = SearchTally(90, keeps_text=True)
    note(tally, engine, TRACE.format(41, "Ann"), "x\n" * 30_000)
    tally.write(store)
    texts = [row.question.text or "" for row in store.tallies.unanswered(9)]
    assert any('order 41 of "Ann" is gone' in text for text in texts)
    assert all("hunter2" not in text and len(text) <= 20_000 for text in texts)


def test_nothing_is_counted_when_tallies_are_off(engine: Engine, store: Store) -> None:
    tally = SearchTally(0, keeps_text=True)
    note(tally, engine, HDFS_TRACE, UNKNOWN_TRACE)
    tally.write(store)
    assert (store.tallies.found(), store.tallies.unanswered(9), store.tallies.searches(today())) == ({}, [], [])


def test_a_store_that_is_away_loses_nothing(engine: Engine, store: Store, tmp_path: Path) -> None:
    tally = SearchTally(90, keeps_text=False)
    note(tally, engine, HDFS_TRACE)
    away = Store.open(tmp_path / "away.db")
    with away._database.writing() as connection:
        connection.exec_driver_sql("DROP TABLE tallies")
    tally.write(away)
    note(tally, engine, HDFS_TRACE)
    tally.write(store)
    assert [one.count for one in store.tallies.found().values()] == [2]


def test_a_flood_of_errors_is_bounded_before_the_clock_says_so(engine: Engine, store: Store) -> None:
    tally = SearchTally(90, keeps_text=True)
    answer = engine.search(UNKNOWN_TRACE)
    chain = answer.query.chains[0]
    for number in range(6_000):
        error = replace(chain.exceptions[-1], type=f"com.acme.E{number}x", message=None)
        own = replace(answer, query=replace(answer.query, chains=(replace(chain, exceptions=(error,)),)))
        tally.note(own, "page", "x" * 9_999 + "\n")
        if number % 3_000 == 2_999:
            tally.write(store)
    rows = store.tallies.unanswered(9_999)
    assert len(rows) == MOST_QUESTIONS
    assert sum(len(row.question.text or "") for row in rows) <= 10_000_000


def test_the_same_text_of_the_same_caller_counts_once(engine: Engine, store: Store) -> None:
    tally = SearchTally(90, keeps_text=False)
    answer = engine.search(HDFS_TRACE)
    for by in ("ann", "ann", "bob", None, None):
        tally.note(answer, "page", HDFS_TRACE, by=by)
    tally.note(answer, "page", HDFS_TRACE + "x", by="ann")
    tally.write(store)
    assert [one.count for one in store.tallies.found().values()] == [5]
