"""Incidents of one problem stand together in an answer, and nothing else does."""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest

from index import Answer
from index.build import build
from index.encoder import load_encoder
from index.entry import entries
from index.ranking.features import ComparedIncident, Features
from index.ranking.groups import lead_of
from index.ranking.pairs import IncidentPairs
from index.ranking.rank import bundled_model
from index.reading import Reading, read
from index.training.measured import MeasuredEngine
from index.wire import answer_to_dict
from kb.article import read_article
from kb.incident import Incident
from kb.trace import parse

from .conftest import records

EngineOf = Callable[[Sequence[dict[str, object]]], MeasuredEngine]
MESSAGE_ONLY = {"kernel-oom", "sql-oracle", "sql-postgres"}
SAMPLE = Path(__file__).parent / "runtimes"
QUESTIONS = Path(__file__).parents[1] / "quality" / "bilingual.jsonl"
TRACE = """com.shop.till.PoolException: no connection left for till {till}
\tat com.shop.till.Drawer.open(Drawer.java:{line})
\tat com.shop.till.Till.sell(Till.java:88)
\tat com.shop.till.Counter.serve(Counter.java:19)
"""


def groups(answer: Answer) -> list[list[str]]:
    return [[match.incident.id, *(other.id for other in match.also)] for match in answer.matches]


def engine_over(told: Sequence[Incident], home: Path) -> MeasuredEngine:
    encoder = load_encoder(None)
    build([entries(told, encoder)], home, encoder)
    return MeasuredEngine.open(home)


def drawer(name: str, line: int = 4, **more: object) -> dict[str, object]:
    told = {
        "id": name,
        "title": "The connection pool of the database is exhausted",
        "symptom": "Requests time out while they wait for a connection to the database",
        "root_cause": "Slow queries hold connections of the pool for a long time",
        "fix": "Raise the size of the connection pool, shorten the queries",
        "traces": [TRACE.format(till=line, line=line)],
    }
    return told | more


@pytest.fixture(scope="module")
def engine(engine_of: EngineOf) -> Iterator[MeasuredEngine]:
    opened = engine_of(
        [
            *records(),
            drawer("drawer-a"),
            drawer("drawer-b", 17, title="The database pool is exhausted and tills wait for a connection"),
            drawer("drawer-c", 90, title="数据库连接池耗尽", symptom="请求等待数据库连接超时", root_cause="慢查询长时间占用连接池的连接", fix="调大连接池，缩短查询", lang="zh"),
            drawer("drawer-d", 5, title="Printer out of paper", symptom="No receipts", root_cause="A log of a till was pasted beside", fix="Put paper in"),
            {"id": "page-1", "title": "Kiosk mode of the scale", "prose": "Turn the scale off and on, hold the tare key, choose kiosk."},
            {"id": "page-2", "title": "Kiosk mode of the scale", "prose": "Turn the scale off and on, hold the tare key, choose kiosk."},
            {"id": "page-3", "title": "Kiosk mode of the scale", "prose": "A blown fuse in the cellar keeps the counter dark."},
        ]
    )  # fmt: skip
    yield opened
    opened.close()


def test_copies_and_translations_of_one_trace_are_one_match(engine: MeasuredEngine) -> None:
    first, *others = groups(engine.search(TRACE.format(till=3, line=4)))
    assert {"drawer-a", "drawer-b", "drawer-c"} == set(first)
    assert ["drawer-d"] in others


def test_the_best_stands_for_all_and_the_others_are_named(engine: MeasuredEngine) -> None:
    answer = engine.search(TRACE.format(till=3, line=4), k=1)
    wire = answer_to_dict(answer)["matches"]
    assert isinstance(wire, list)
    assert len(wire) == 1
    named = {match.id: match.title for match in answer.matches[0].also}
    assert wire[0]["also"] == [{"id": key, "title": title} for key, title in named.items()]
    told = {row["id"]: row["title"] for row in (drawer("drawer-a"), {"id": "drawer-c", "title": "数据库连接池耗尽"})}
    assert told.items() & named.items()
    ranked = [engine.id_of(found.row) for _, found in engine.ranked(read(TRACE.format(till=3, line=4)))]
    assert [answer.matches[0].incident.id, *named] == [one for one in ranked if one in groups(answer)[0]]


def test_a_rival_that_readers_denied_is_one_still(engine: MeasuredEngine) -> None:
    model, features = bundled_model(), engine._holdings.features
    first, near, denied = (
        ComparedIncident(row, Features(words=words, everything=words)) for row, words in enumerate((0.6, 0.1, 0.9))
    )
    judged = [(0.5, first), (0.1, near), (0.01, denied)]
    ahead = partial(lead_of, first, model=model, pairs=IncidentPairs(features, lambda *_: 0.0))
    assert ahead(judged) == 0 < ahead(judged[:2])


def test_a_rival_makes_a_match_less_sure_and_a_copy_or_another_cause_does_not(engine: MeasuredEngine) -> None:
    """`page-3` has the title of the others and is another page; `drawer-d` shows the trace with another cause."""
    page, trace = read("kiosk mode of the scale"), read(TRACE.format(till=3, line=4))

    def sure(reading: Reading, *without: str) -> float:
        return (engine.best(reading, without) or (0.0,))[0]

    first, *copies = groups(engine.search(page.text))[0]
    assert first in {"page-1", "page-2"}
    assert sure(page, *copies) == sure(page) < sure(page, "page-3")
    assert engine.search(trace.text).causes[1:] == ("drawer-d",)
    assert sure(trace, "drawer-d") == sure(trace)


@pytest.mark.parametrize(
    "other",
    [
        {},
        {"title": "Till 3: no connection left", "symptom": "Again on Monday", "root_cause": None, "fix": None},
        {"title": "Tills stand still", "symptom": "Seen in the shop at the harbour"},
    ],
    ids=["a copy", "without a cause", "the cause under another title"],
)
@pytest.mark.parametrize("count", [1, 30])
def test_who_writes_a_problem_up_again_makes_nobody_less_sure(
    engine_of: EngineOf, other: dict[str, object], count: int
) -> None:
    again = [drawer(f"again-{number:02}", **other) for number in range(count)]
    alone = engine_of([*records(), drawer("drawer-a")])
    beside = engine_of([*records(), drawer("drawer-a"), *again])
    text = TRACE.format(till=3, line=4)
    one, *more = (beside.search(text, k) for k in (1, 5, 50))
    assert one.verdict == alone.search(text).verdict == "known"
    assert {answer.matches[0].probability for answer in more} == {one.matches[0].probability}


@pytest.mark.parametrize(
    ("likeness", "is_rival"),
    [(None, False), (0.9, False), (0.7, True), (0.2, False)],
    ids=["none", "one", "near", "another cause"],
)
def test_a_cause_that_is_only_near_makes_a_rival(
    engine_of: EngineOf, likeness: float | None, *, is_rival: bool
) -> None:
    """The same error from another place: it is the problem written up again if it states the very cause, or none. Another cause is named beside the first."""
    elsewhere = TRACE.format(till=3, line=4).replace("Drawer.open", "Scale.weigh").replace("Till.sell", "Scale.tare")
    other = drawer(
        "scale",
        title="Scale stands still",
        symptom="Nothing is weighed",
        traces=[elsewhere.replace("Counter", "Shelf")],
    )
    engine = engine_of([*records(), drawer("drawer-a"), other])
    judged = engine.judged(read("com.shop.till.PoolException: no connection left for till 3"))
    assert {engine.id_of(one.row) for _, one in judged[:2]} == {"drawer-a", "scale"}
    model, features = bundled_model(), engine._holdings.features
    pairs = IncidentPairs(features, lambda *_: likeness)
    ahead = [lead_of(judged[0][1], some, model, pairs) for some in (judged, [judged[0], *judged[2:]])]
    assert (ahead[0] < ahead[1]) is is_rival


def test_among_few_incidents_a_lead_counts_less(engine_of: EngineOf) -> None:
    """Whoever is the only one is ahead of all others."""
    text = "com.shop.till.PoolException: no connection left for till 3"
    few = engine_of([drawer("drawer-a")]).search(text).matches[0]
    many = engine_of([*records(), drawer("drawer-a")]).search(text).matches[0]
    assert few.probability < many.probability


def test_a_question_in_words_has_its_copies_together_by_their_traces(engine: MeasuredEngine) -> None:
    """Nothing was compared with a trace of the question, and the titles differ: the incidents' own traces are compared."""
    asked = engine.search("requests of the database time out behind slow queries")
    assert any({"drawer-a", "drawer-b"} <= set(group) for group in groups(asked))


def test_copies_are_one_match_and_pages_of_equal_title_are_two(engine: MeasuredEngine) -> None:
    found = groups(engine.search("kiosk mode of the scale"))
    assert {"page-1", "page-2"} == set(found[0])
    assert ["page-3"] in found


@pytest.mark.parametrize("k", [1, 2])
def test_k_counts_groups(engine: MeasuredEngine, k: int) -> None:
    found = groups(engine.search(TRACE.format(till=3, line=4) + "\nkiosk mode of the scale", k))
    assert len(found) == k
    assert any(len(group) > 1 for group in found)


def test_causes_under_one_wrapper_stay_apart(engine: MeasuredEngine) -> None:
    for row in records():
        for text in (str(row["title"]), *row.get("traces", ())):  # type: ignore[misc]
            assert all(
                len(group) == 1
                for group in groups(engine.search(text, 20))
                if "page" not in group[0] and "drawer" not in group[0]
            )


TLS = "javax.net.ssl.SSLException: {said}\n" + "".join(
    f"\tat com.shop.mail.Sender{at}.send(Sender{at}.java:{at + 3})\n" for at in range(12)
)
EVERYDAY = "java.lang.NullPointerException\n\tat java.util.concurrent.FutureTask.run(FutureTask.java:266)\n\tat java.lang.Thread.run(Thread.java:748)\n"
SILENT = "com.shop.mail.{raised}\n\tat com.shop.mail.{frame}(Raised.java:9)\n" + "".join(
    f"\tat com.shop.mail.Sender{at}.send(Sender{at}.java:{at + 3})\n" for at in range(40)
)
NO_SPACE = "ORA-01653: unable to extend table SHOP.ORDERS by 128 in tablespace USERS"


@pytest.mark.parametrize(
    ("ours", "theirs", "together"),
    [
        pytest.param({"traces": [TLS.format(said="certificate expired")]}, {"traces": [TLS.format(said="certificate expired")]}, True, id="the same trace"),
        pytest.param({"traces": [TLS.format(said="certificate expired")]}, {"traces": [TLS.format(said="wrong version number")]}, False, id="another message over the same frames"),
        pytest.param({"traces": [EVERYDAY]}, {"traces": [EVERYDAY]}, False, id="a trace that says nothing"),
        pytest.param({"traces": [SILENT.format(raised="SendException", frame="Spool.read")]}, {"traces": [SILENT.format(raised="SendException", frame="Spool.read")]}, True, id="the same frames without a message"),
        pytest.param({"traces": [SILENT.format(raised="SendException", frame="Spool.read")]}, {"traces": [SILENT.format(raised="SendException", frame="Index.open")]}, False, id="raised elsewhere without a message"),
        pytest.param({"traces": [SILENT.format(raised="SendException: 17", frame="Spool.read")]}, {"traces": [SILENT.format(raised="SendException: 23", frame="Index.open")]}, False, id="raised elsewhere, and the message is a number"),
        pytest.param({"traces": [NO_SPACE]}, {"traces": [NO_SPACE]}, False, id="one message without frames, another title"),
        pytest.param({"traces": [NO_SPACE]}, {"traces": [NO_SPACE], "title": "Mails are not sent"}, True, id="one message without frames, the same page"),
    ],
)  # fmt: skip
def test_pairs_of_write_ups(
    engine_of: EngineOf, ours: dict[str, object], theirs: dict[str, object], *, together: bool
) -> None:
    """The words around the traces are the same; the title is another unless the row says so."""
    told = {
        "title": "Mails are not sent",
        "symptom": "No mail arrives since the night",
        "prose": "Look into the log of the sender first.",
    }
    opened = engine_of(
        [told | {"id": "ours"} | ours, told | {"id": "theirs", "title": "Mails are not sent at night"} | theirs]
    )
    found = groups(opened.search("\n".join(["Mails are not sent, no mail arrives", *ours["traces"]])))  # type: ignore[arg-type]
    assert sorted(sorted(group) for group in found) == ([["ours", "theirs"]] if together else [["ours"], ["theirs"]])
    opened.close()


@pytest.fixture(scope="module")
def beside(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MeasuredEngine]:
    """Every sample incident, once more as it is (a repost), and once with the traces of its near-miss under the same words."""
    told: list[Incident] = []
    for folder in sorted(SAMPLE.iterdir()):
        (incident,) = read_article((folder / "incident.md").read_bytes(), f"{folder.name}.md").incidents
        near = (folder / "near.txt").read_text(encoding="utf-8")
        again = (folder / "again.txt").read_text(encoding="utf-8")
        told += [
            incident,
            replace(incident, id=f"{incident.id}.near", traces=(near,), chains=parse(near)),
            replace(incident, id=f"{incident.id}.again", traces=(again,), chains=parse(again)),
        ]
    opened = engine_over(told, tmp_path_factory.mktemp("beside"))
    yield opened
    opened.close()


@pytest.mark.parametrize("name", sorted(path.name for path in SAMPLE.iterdir()))
def test_a_near_miss_stays_apart_whatever_is_written_around_it(beside: MeasuredEngine, name: str) -> None:
    for part in ("again.txt", "near.txt"):
        found = groups(beside.search((SAMPLE / name / part).read_text(encoding="utf-8"), 20))
        assert not [group for group in found if {f"{name}.near"} & set(group) and len(group) > 1]
        assert (
            part == "near.txt" or name in MESSAGE_ONLY or [name, f"{name}.again"] in [sorted(group) for group in found]
        )


@pytest.mark.slow
def test_the_near_misses_of_labelled_questions_stay_apart(shared_data: Path, tmp_path: Path) -> None:
    """The part ``tune``: what answers a question and what must not come first are never one match."""
    rows = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    cases = [row for row in rows if row["part"] == "tune" and row["near"]]
    wanted = {one for row in cases for one in (*row["expected"], *row["near"])}
    files = [path for path in sorted((shared_data / "articles").rglob("*")) if path.stem in wanted]
    told = [one for path in files for one in read_article(path.read_bytes(), path.name).incidents]
    engine = engine_over(sorted(told, key=lambda one: one.id), tmp_path)
    seen = 0
    for row in cases:
        for group in groups(engine.search(row["text"], 20)):
            stems = {one.partition("-")[0] for one in group}
            assert not (stems & set(row["expected"]) and stems & set(row["near"])), (row["id"], group)
            seen += len(stems & {*row["expected"], *row["near"]})
    engine.close()
    assert seen > len(cases)


def test_one_trace_with_two_stated_causes_is_two_problems(engine_of: EngineOf) -> None:
    """Everything but the cause is the same, as when one write-up was begun from the other."""
    symptom = (
        "Requests time out while they wait for a connection to the database; the page of the till stays empty. " * 6
    )
    leak = drawer("leak", symptom=symptom, root_cause="A thread of the billing module never gives its connection back")
    pool = drawer("pool", symptom=symptom, root_cause="The maximum size of the pool was set to two by mistake")
    opened = engine_of([leak, pool, *records()])
    assert sorted(groups(opened.search(TRACE.format(till=3, line=4)))[:2]) == [["leak"], ["pool"]]
    opened.close()
