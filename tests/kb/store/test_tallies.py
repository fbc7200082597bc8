"""What is counted of searches, on both databases: sums, groups of questions, bounds, and no text that may not be kept."""

from datetime import date, timedelta

import pytest
import sqlalchemy as sa

from kb.store import Missing, Store, schema, tallies
from kb.store.tallies import SumsWanted, TallyKey, TallyKind, UnansweredQuestion, today

from .told import ANN

DAY = today()
EARLIER = DAY - timedelta(days=3)


def asked(name: str, count: int = 1, day: date = DAY) -> dict[TallyKey, int]:
    return {TallyKey(TallyKind.UNANSWERED, name, day): count}


def question(name: str, text: str | None = None) -> UnansweredQuestion:
    return UnansweredQuestion(name, "jvm", "java.io.IOException", f"boom {name} <int>", "a", text)


def test_sums_add_up(store: Store) -> None:
    for count in (2, 3):
        store.tallies.add(
            {TallyKey(TallyKind.FOUND, "a", DAY): count, TallyKey(TallyKind.SEARCH, "page known", DAY, "4"): count}
        )
    store.tallies.add({TallyKey(TallyKind.FOUND, "a", EARLIER): 10, TallyKey(TallyKind.FOUND, "b", EARLIER): 1})
    found = store.tallies.found(["a", "x"])
    assert {name: (one.count, one.last) for name, one in found.items()} == {"a": (15, DAY)}
    assert set(store.tallies.found()) == {"a", "b"}
    assert store.tallies.searches(DAY) == [(TallyKey(TallyKind.SEARCH, "page known", DAY, "4"), 5)]
    assert store.tallies.searches(DAY + timedelta(days=1)) == []


def test_the_questions_that_were_asked_most_come_first(store: Store) -> None:
    store.tallies.add(asked("x", 2) | asked("y", 5, EARLIER) | asked("z", 2, EARLIER), map(question, "xyz"))
    store.tallies.add(asked("x"), [UnansweredQuestion("x", "jvm", "java.io.IOException", "boom x <int>", "b")])
    rows = store.tallies.unanswered(2)
    assert [(one.question.name, one.count, one.last) for one in rows] == [("y", 5, EARLIER), ("x", 3, DAY)]
    assert rows[1].question.nearest == "b"
    assert rows[1].days == {DAY: 3}
    store.tallies.answered("y")
    assert [one.question.name for one in store.tallies.unanswered(9)] == ["x", "z"]
    with pytest.raises(Missing):
        store.tallies.question("y")


def test_sums_are_narrowed_by_day_and_detail(store: Store) -> None:
    kind, placed = TallyKind.UNANSWERED, ("page unknown", "http related")
    store.tallies.add(
        {TallyKey(kind, name, day, detail): 2 for name in "xy" for day in (DAY, EARLIER) for detail in placed}
        | asked("x", 7) | asked("old", 1, EARLIER) | {TallyKey(TallyKind.FOUND, "x", DAY, "page unknown"): 90},
        map(question, "xy"),
    )  # fmt: skip
    page = store.tallies.sums(SumsWanted(kind, EARLIER, DAY), 0, 9)
    assert [(one.name, one.count, one.last) for one in page.rows] == [
        ("x", 15, DAY),
        ("y", 8, DAY),
        ("old", 1, EARLIER),
    ]
    assert (page.total, page.unplaced) == (3, 0)
    page = store.tallies.sums(SumsWanted(kind, DAY, DAY, placed[:1]), 1, 1)
    assert [(one.name, one.count) for one in page.rows] == [("y", 2)]
    assert (page.total, page.unplaced) == (2, 7)
    assert store.tallies.sums(SumsWanted(kind, EARLIER, DAY, []), 0, 9).rows == ()
    own = store.tallies.sums_of(kind, "x")
    assert [(key.day, key.detail, count) for key, count in own][:3] == [(DAY, "", 7), (DAY, "http related", 2), (DAY, "page unknown", 2)]  # fmt: skip
    assert store.tallies.unanswered(1)[0].days == {DAY: 11, EARLIER: 4}, "whatever door and verdict"
    assert set(store.tallies.questions(["x", "old"])) == {"x"}


def test_kept_questions_hold_no_secrets(store: Store) -> None:
    store.tallies.add(
        asked("x"),
        [UnansweredQuestion("x", "jvm", "E", "login password=hunter2hunter2", "", "key: password=hunter2hunter2")],
    )
    kept = store.tallies.question("x")
    assert "hunter2" not in f"{kept.template}{kept.text}"
    store.tallies.add(asked("y"), [question("y", "about Zitronenkuchen")])
    assert store.scrub(["Zitronenkuchen"], actor=ANN).rows == {"questions": 1}
    assert store.tallies.question("y").text == "about <secret>"


def test_old_and_excess_tallies_are_deleted(store: Store) -> None:
    store.tallies.add(asked("old", 9, EARLIER) | {TallyKey(TallyKind.FOUND, "a", EARLIER): 1}, [question("old")])
    most = tallies.MOST_QUESTIONS
    many = [f"q{number:05}" for number in range(most)]
    store.tallies.add({key: 1 for name in many for key in asked(name)}, map(question, many))
    store.tallies.add(asked("often", 7), [question("often")])
    store.tallies.forget(DAY)
    with store._database.reading() as connection:
        kept = set(connection.execute(sa.select(schema.questions.c.name)).scalars())
    assert len(kept) == most
    assert "often" in kept
    assert "old" not in kept
    assert store.tallies.found() == {}


def test_a_flood_of_sums_pushes_out_the_oldest_days(store: Store) -> None:
    flood = """WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :count)
        INSERT INTO tallies SELECT 'found', 'i' || i, '', :day, 1 FROM n"""
    with store._database.writing() as connection:
        for day, count in ((EARLIER, 10), (DAY, tallies.MOST_SUMS)):
            connection.execute(sa.text(flood), {"day": day.isoformat(), "count": count})
    store.tallies.forget(EARLIER)
    with store._database.reading() as connection:
        days = set(connection.execute(sa.select(schema.tallies.c.day)).scalars())
    assert days == {DAY.isoformat()}


@pytest.mark.slow
def test_a_day_that_is_too_much_keeps_its_largest_sums_and_its_searches(store: Store) -> None:
    """And a flood of invented errors pushes out nothing of another kind."""
    search, found = TallyKey(TallyKind.SEARCH, "page known", DAY, "4"), TallyKey(TallyKind.FOUND, "a", EARLIER)
    store.tallies.add({search: 1, found: 3} | asked("often", 7), [question("often")])
    with store._database.writing() as connection:  # as a server does in its own time: here right before the flood
        connection.execute(sa.text("ANALYZE tallies"))
    flood = """WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < :count)
        INSERT INTO tallies SELECT CAST(:kind AS TEXT), 'i' || i, '', :day, 1 FROM n"""
    rows = {"day": DAY.isoformat(), "count": tallies.MOST_SUMS}
    with store._database.writing() as connection:
        connection.execute(sa.text(flood), rows | {"kind": "unanswered"})
    store.tallies.forget(EARLIER)
    assert set(store.tallies.found()) == {"a"}
    assert store.tallies.searches(EARLIER) == [(search, 1)]
    with store._database.writing() as connection:
        connection.execute(sa.text(flood), rows | {"kind": "found"})
    store.tallies.forget(EARLIER)
    assert store.tallies.searches(EARLIER) == [(search, 1)]
    assert store.tallies.unanswered(1)[0].count == 7
    with store._database.reading() as connection:
        kinds = dict(connection.execute(sa.text("SELECT kind, count(*) FROM tallies GROUP BY kind")).all())
    assert kinds["search"] == 1
    assert kinds["found"] + kinds["unanswered"] == tallies.MOST_SUMS
