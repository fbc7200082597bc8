"""Labels guessed for articles: which incidents tell of one problem, and which only look as if they did."""

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

import pytest

from index.training import cases
from index.training.kin import Kin, labels
from kb.incident import Incident, Source
from kb.trace import parse

FILLERS = ("Flink", "Kafka", "checkpoint", "failed", "FAQ")
"""Words of many titles: alone they say nothing."""
FRAMES = "".join(f"\tat com.acme.till.Drawer.step{at}(Drawer.java:{at + 4})\n" for at in range(4))


def incident(name: str, title: str, *traces: str, path: str | None = None) -> Incident:
    where = path or f"{name}.md"
    chains = tuple(chain for trace in traces for chain in parse(trace)[:1])
    return Incident(name, title, "en", Source(where, where), traces=traces, chains=chains)


def crowd(word: str, count: int) -> list[Incident]:
    """Incidents that have a word in their title and nothing else in common."""
    return [incident(f"{word}-{at}", f"{word} moss{at}a fern{at}b reed{at}c leaf{at}d") for at in range(count)]


CROWD = [one for word in FILLERS for one in crowd(word, 30)]


def kin_of(*told: Incident) -> Kin:
    return Kin.of([*told, *CROWD])


@pytest.mark.parametrize(
    ("one", "other", "together"),
    [
        pytest.param("Kafka 报错 TransactionalIdAuthorizationException", "How to solve TransactionalIdAuthorizationException of Kafka", True, id="the names of the Chinese title"),
        pytest.param("启动 FE 失败并报错 exceeds max permissable delta", "FE cannot be started: exceeds max permissable delta", True, id="a quoted message"),
        pytest.param("Flink Kafka 的笔记", "Flink Kafka in a small office with many rooms", False, id="common names only"),
        pytest.param("ZstdCompressorInputStream 的笔记", "What ZstdCompressorInputStream gives to a small office with very many rooms and lamps", False, id="one identifier however many parts"),
        pytest.param("Zeppelin 死锁", "Zeppelin has a deadlock", False, id="one name and a concept"),
        pytest.param("Zeppelin Livy Ranger Sentry 的笔记", "Zeppelin Livy notebooks", False, id="half of the names"),
        pytest.param("Zeppelin Livy Ranger 的笔记", "Zeppelin Livy notebooks", True, id="two of three names"),
        pytest.param("Zeppelin Livy Ranger 死锁", "Zeppelin Livy notebooks", False, id="two of three names and another concept"),
        pytest.param("Zeppelin Livy notes", "Tuning of the Zeppelin Livy bridge at night", False, id="not within one language"),
    ],
)  # fmt: skip
def test_titles_in_two_languages(one: str, other: str, *, together: bool) -> None:
    kin = kin_of(incident("one", one), incident("other", other))
    assert kin.by_title["one"] == ({"one", "other"} if together else {"one"})
    assert kin.by_title["other"] == ({"one", "other"} if together else {"other"})


@pytest.mark.parametrize(
    ("one", "other", "together"),
    [
        pytest.param("The region server stops at night", "The region server stops at noon", True, id="most words"),
        pytest.param("The region server stops", "A printer has no paper", False, id="other words"),
        pytest.param("Kafka in the night", "Kafka on a hill", False, id="a fifth of the words"),
    ],
)
def test_titles_in_one_language(one: str, other: str, *, together: bool) -> None:
    kin = kin_of(incident("one", one), incident("other", other))
    assert ("other" in kin.by_title["one"]) is together


def test_a_word_that_everybody_has_brings_nobody_together() -> None:
    told = [incident(f"n{at}", "outage") for at in range(300)]
    assert Kin.of(told).by_title["n0"] == {"n0"}
    assert len(Kin.of(told[1:]).by_title["n1"]) == 299


LOCKED = f"com.acme.till.LockedException: the drawer of this till is locked\n{FRAMES}"


@pytest.mark.parametrize(
    ("trace", "together"),
    [
        pytest.param(LOCKED.replace(":4)", ":9)"), True, id="the same root at other lines"),
        pytest.param("com.acme.till.LockedException: the drawer of this till is locked\n\tat org.other.Place.run(Place.java:1)\n", True, id="the same message elsewhere"),
        pytest.param("org.other.LockedException: the drawer of this till is locked since 17 o'clock by somebody\n", True, id="the beginning of the message"),
        pytest.param("com.acme.till.JammedException: the drawer of this till is locked\n\tat org.other.Place.run(Place.java:1)\n", False, id="another type"),
        pytest.param("com.acme.till.LockedException: no paper is left here\n\tat org.other.Place.run(Place.java:1)\n", False, id="another message elsewhere"),
    ],
)  # fmt: skip
def test_what_quotes_one_error_is_one_problem(trace: str, *, together: bool) -> None:
    one, other = incident("one", "The till is shut", LOCKED), incident("other", "Receipts vanish", trace)
    kin = kin_of(one, other)
    assert kin.sharing(one, one.chains[0]) == ({"one", "other"} if together else {"one"})
    assert kin.sharing(other, other.chains[0]) == ({"one", "other"} if together else {"other"})


def test_a_message_of_two_words_brings_nobody_together() -> None:
    short = LOCKED.replace("the drawer of this till is locked", "is locked")
    one, other = incident("one", "The till is shut", short), incident("other", "-", short.replace("Drawer", "Lid"))
    assert kin_of(one, other).sharing(one, one.chains[0]) == {"one"}


def test_the_problems_of_one_page_are_kin_and_bring_nobody_else() -> None:
    on_page = partial(incident, path="branch.md")
    locked, jammed = on_page("locked", "The till is shut", LOCKED), on_page("jammed", "Receipts vanish")
    copy = incident("copy", "Receipts vanish", path="other.md")
    kin = kin_of(locked, jammed, copy)
    assert kin.sharing(locked, locked.chains[0]) == {"locked", "jammed"}
    assert kin.by_document["branch.md"] == {"locked", "jammed"}


@pytest.mark.parametrize(("code", "found"), [("ORA-01555", {"one", "other"}), ("LockedException", set())])
def test_a_type_with_a_number_names_its_incidents(code: str, found: set[str]) -> None:
    told = "ORA-01555: snapshot too old: rollback segment number {n} with name x too small"
    one, other = (incident(name, name, told.format(n=n)) for name, n in (("one", 3), ("other", 9)))
    assert kin_of(one, other, incident("till", "-", LOCKED)).naming(code) == found


LABELLED = next((one, other) for one, other, judged in labels() if judged == "same")


def test_what_somebody_called_the_same_is_kin_and_what_is_not_there_is_not() -> None:
    """The two share nothing here; a third one is kin to the first by its title and comes with it."""
    one, other = LABELLED
    told = incident(one, "The till is shut"), incident(other, "Receipts vanish"), incident("copy", "The till is shut")
    kin = kin_of(*told)
    assert {id_: kin.titled(each) for id_, each in zip((one, other, "copy"), told, strict=True)} == {
        one: {one, other, "copy"},
        other: {one, other},
        "copy": {one, other, "copy"},
    }
    assert kin_of(told[0]).titled(told[0]) == {one}


def test_another_cause_of_the_same_error_is_no_kin() -> None:
    one, other = next((one, other) for one, other, judged in labels() if judged == "other")
    first, second = incident(one, "The till is shut"), incident(other, "Receipts vanish")
    assert kin_of(first, second).titled(first) == {one}


def test_each_pair_is_judged_once_and_is_about_a_write_up() -> None:
    rows = labels()
    assert [row[:2] for row in rows] == sorted({row[:2] for row in rows})
    assert {judged for _, _, judged in rows} == {"same", "other"}
    written = {path.name.partition(".")[0] for path in (Path(__file__).parents[3] / "corpus").glob("**/*.md")}
    assert {one for one, _, _ in rows} <= written


Made = Callable[[Sequence[Incident], int], object]


@pytest.mark.parametrize("made", [cases.trace_queries, cases.title_queries])
def test_what_is_left_out_is_left_out_with_its_kin(made: Made) -> None:
    """What answers a question where it is there is what is missing where it is not."""
    title = "The drawer of this till is locked at night"
    told = [
        incident("one", title, LOCKED),
        incident("copy", f"{title} again", LOCKED),
        incident("page", "Receipts vanish", path="one.md"),
        *CROWD,
    ]
    found = [q for q in made(told, 3) if "one" in q.right | q.absent]  # type: ignore[attr-defined]
    assert {q.right | q.absent for q in found} >= {frozenset({"one", "copy", "page"})}
    assert sum(bool(q.right) for q in found) == sum(bool(q.absent) for q in found)
    assert not any(q.right & q.absent for q in found)
