"""What was saved since the snapshot is searched with it: the answers are those that the next snapshot gives."""

import random
import threading
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from index import Answer, Engine
from index.build import build
from index.encoder import load_encoder
from index.entry import entries
from index.facets import narrow
from index.lexical import LexicalIndex, LexicalWriter
from index.overlay import Change
from index.postings import kept_length
from index.reading import read
from index.training.mangle import KINDS
from kb.article import read_article
from kb.incident import Incident, Status
from kb.record import from_record

from .conftest import records

ENCODER = load_encoder(None)
TOLERANCE = 1e-6
"""Of probabilities: cosines are summed in single precision, by another routine in a snapshot than in memory."""
CORPUS = sorted(path for path in (Path(__file__).parents[2] / "corpus").glob("*.md") if path.name != "README.md")
SAMPLE = Path(__file__).parent / "runtimes"
EDITS = ("rewritten", "retired", "drafted", "removed", "duplicate", "untouched", "added")


@cache
def incidents() -> tuple[Incident, ...]:
    written = [one for path in CORPUS for one in read_article(path.read_bytes(), path.name).incidents]
    faults = [
        one
        for path in sorted(SAMPLE.glob("*/incident.md"))
        for one in read_article(path.read_bytes(), path.parent.name + ".md").incidents
    ]
    return tuple(sorted([*written, *faults, *(from_record(row) for row in records())], key=lambda one: one.id))


def edited(incident: Incident, how: str, others: Sequence[Incident], chance: random.Random) -> Incident | None:
    """The incident as it is saved after the snapshot; None when it is removed."""
    other = chance.choice([one for one in others if one.id != incident.id])
    match how:
        case "rewritten":  # another problem's traces under this id
            return replace(incident, traces=other.traces, chains=other.chains, symptom=f"{other.symptom} zzqxword")
        case "retired" | "drafted":
            return replace(incident, status=Status.RETIRED if how == "retired" else Status.DRAFT)
        case "duplicate":
            return replace(incident, duplicate_of=other.id)
        case "removed":
            return None
    return incident


@dataclass(frozen=True)
class World:
    """Incidents of a snapshot, what happened to them since, and how they are in the end."""

    base: tuple[Incident, ...]
    changes: tuple[Change, ...]
    end: tuple[Incident, ...]

    @classmethod
    def of(cls, seed: int, share: float = 0.5) -> "World":
        chance = random.Random(seed)
        every = incidents()
        hows = {one.id: chance.choice(EDITS) if chance.random() < share else "untouched" for one in every}
        after = {one.id: edited(one, hows[one.id], every, chance) for one in every}
        touched = [one.id for one in every if hows[one.id] != "untouched"]
        chance.shuffle(touched)
        twice = chance.sample(touched, len(touched) // 4)  # saved once before, otherwise
        first = [(i, edited(next(o for o in every if o.id == i), chance.choice(EDITS), every, chance)) for i in twice]
        told = [*first, *((i, after[i]) for i in touched)]
        return cls(
            base=tuple(one for one in every if hows[one.id] != "added"),
            changes=tuple(Change(at, i, incident) for at, (i, incident) in enumerate(told, 1)),
            end=tuple(one for one in after.values() if one is not None),
        )

    @property
    def questions(self) -> list[str]:
        """Every title, every trace, and traces as others paste them."""
        chance = random.Random(7)
        every = incidents()
        traces = [trace for one in every for trace in one.traces]
        mangled = [KINDS[kind](trace, chance) for kind in sorted(KINDS) for trace in chance.sample(traces, 4)]
        return [*(one.title for one in every), *traces, *mangled, "zzqxword"]


def opened(home: Path, told: Iterable[Incident]) -> Engine:
    rows = sorted(told, key=lambda one: one.id)
    build([entries(rows, ENCODER)], home, ENCODER)
    return Engine.open(home)


@dataclass(frozen=True)
class Pair:
    world: World
    overlaid: Engine
    rebuilt: Engine


@pytest.fixture(scope="module", params=[1, 2, 3], ids=lambda seed: f"seed {seed}")
def pair(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    world = World.of(request.param)
    overlaid = opened(tmp_path_factory.mktemp("base"), world.base)
    rebuilt = opened(tmp_path_factory.mktemp("end"), world.end)
    for at in range(0, len(world.changes), 5):
        overlaid.apply(world.changes[at : at + 5])
    yield Pair(world, overlaid, rebuilt)
    overlaid.close()
    rebuilt.close()


def said(answer: Answer) -> tuple[object, ...]:
    """What must be equal exactly."""
    matches = [
        (m.incident, m.also, [(e.kind, e.summary, e.query_at, e.incident_at) for e in m.evidence])
        for m in answer.matches
    ]
    return (answer.query, answer.verdict, answer.notes, matches)


def likely(answer: Answer) -> list[float]:
    return [match.probability for match in answer.matches] + [e.weight for m in answer.matches for e in m.evidence]


def assert_equal(one: Answer, other: Answer) -> None:
    assert said(one) == said(other)
    assert likely(one) == pytest.approx(likely(other), abs=TOLERANCE)


def test_answers_are_those_of_the_next_snapshot(pair: Pair) -> None:
    for text in pair.world.questions:
        assert_equal(pair.overlaid.search(text, 10), pair.rebuilt.search(text, 10))


@pytest.mark.parametrize(
    "filters",
    [{"lang": "zh"}, {"component": "flink"}, {"status": "retired"}, {"status": "draft"}, {"tag": "hdfs"}],
    ids=str,
)
def test_filters_narrow_alike(pair: Pair, filters: dict[str, str]) -> None:
    found = 0
    for text in pair.world.questions[::4]:
        answers = [engine.search(text, 10, filters) for engine in (pair.overlaid, pair.rebuilt)]
        assert_equal(*answers)
        found += len(answers[0].matches)
    assert found


def test_incidents_are_those_of_the_next_snapshot(pair: Pair) -> None:
    assert sorted(pair.overlaid.ids()) == list(pair.rebuilt.ids())
    for one in incidents():
        assert pair.overlaid.incident(one.id) == pair.rebuilt.incident(one.id)
        ours, theirs = (
            engine.explain(one.title + "\n" + "\n".join(one.traces), one.id) for engine in (pair.overlaid, pair.rebuilt)
        )
        assert (ours is None) == (theirs is None)
        if ours and theirs:
            assert ours.alignment == theirs.alignment
            assert [f.value for f in ours.features] == pytest.approx([f.value for f in theirs.features], abs=TOLERANCE)


def test_applying_what_the_snapshot_holds_changes_nothing(tmp_path: Path) -> None:
    world = World.of(4)
    engine = opened(tmp_path, world.base)
    before = [engine.search(text) for text in world.questions[::3]]
    engine.apply([Change(at, one.id, one) for at, one in enumerate(world.base, 1)])
    for text, answer in zip(world.questions[::3], before, strict=True):
        assert_equal(engine.search(text), answer)
    engine.close()


@pytest.fixture(scope="module")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[World, Path, Engine]]:
    world = World.of(5, share=0.3)
    home = tmp_path_factory.mktemp("orders")
    opened(home, world.base).close()
    rebuilt = opened(tmp_path_factory.mktemp("rebuilt"), world.end)
    yield world, home, rebuilt
    rebuilt.close()


@settings(max_examples=6, deadline=None)
@given(data=st.data())
def test_any_order_any_batches_any_number_of_times(homes: tuple[World, Path, Engine], data: st.DataObject) -> None:
    world, home, rebuilt = homes
    order = data.draw(st.permutations([*world.changes, *world.changes[::3]]))
    cuts = data.draw(st.lists(st.integers(0, len(order)), max_size=6).map(sorted))
    engine = Engine.open(home)
    for begin, end in zip([0, *cuts], [*cuts, len(order)], strict=True):
        engine.apply(order[begin:end])
    assert engine.sequence == len(world.changes)
    for text in world.questions[::12]:
        assert_equal(engine.search(text), rebuilt.search(text))
    engine.close()


TRACE = "java.lang.IllegalStateException: {said}\n\tat com.shop.{place}.run({place}.java:4)\n\tat com.shop.{place}Door.open({place}Door.java:9)\n"


def shop(incident_id: str, place: str, said: str = "no basket left here", **more: object) -> Incident:
    return from_record(
        {"id": incident_id, "title": f"{place} broke", "traces": [TRACE.format(place=place, said=said)], **more}
    )


def ids(engine: Engine, text: str) -> list[str]:
    return [match.incident.id for match in engine.search(text, 50).matches]


def test_an_edit_hides_what_was_said_before(tmp_path: Path) -> None:
    engine = opened(tmp_path, [shop("a", "Basket"), shop("b", "Stock", "shelf is empty")])
    old, new = (
        TRACE.format(place="Basket", said="no basket left here"),
        TRACE.format(place="Till", said="drawer is jammed"),
    )
    engine.apply([Change(1, "a", shop("a", "Till", "drawer is jammed"))])
    assert ids(engine, new) == ["a"]
    assert "a" not in ids(engine, old)
    engine.apply([Change(2, "a", shop("a", "Basket"))])
    assert ids(engine, old)[0] == "a"
    assert "a" not in ids(engine, new)
    engine.apply([Change(3, "a", None)])
    assert "a" not in ids(engine, old)
    assert engine.incident("a") is None
    engine.close()


def test_an_older_change_that_comes_late_is_no_change(tmp_path: Path) -> None:
    engine = opened(tmp_path, [])
    engine.apply([Change(7, "a", shop("a", "Till"))])
    engine.apply([Change(6, "a", None), Change(5, "b", shop("b", "Stock"))])
    assert (sorted(engine.ids()), engine.sequence) == (["a", "b"], 7)
    engine.close()


@dataclass
class Log:
    """A store of changes."""

    told: list[Change]
    asked: list[int]

    def since(self, sequence: int) -> Sequence[Change]:
        self.asked.append(sequence)
        return [change for change in self.told if change.sequence > sequence]


def test_catching_up_asks_for_what_is_new(tmp_path: Path) -> None:
    engine = opened(tmp_path, [])
    log = Log([Change(1, "a", shop("a", "Till")), Change(4, "b", shop("b", "Stock"))], [])
    engine.catch_up(log)
    log.told.append(Change(9, "a", None))
    engine.catch_up(log)
    engine.catch_up(log)
    assert log.asked == [0, 4, 9]
    assert list(engine.ids()) == ["b"]
    engine.close()


@pytest.mark.parametrize(
    "odd", ["数据库/死锁 #1", "a\ud800b", "x" * 5000, "'; DROP TABLE incidents --", "a\nb"], ids=range(5)
)
def test_ids_of_any_characters(tmp_path: Path, odd: str) -> None:
    engine = opened(tmp_path, [shop("a", "Basket")])
    stored = odd.encode("utf-8", "replace").decode()
    incident = replace(shop("z", "Till"), id=odd)
    engine.apply([Change(1, odd, incident)])
    assert ids(engine, incident.traces[0])[0] == stored
    assert engine.incident(stored) is not None
    engine.apply([Change(2, odd, None)])
    assert stored not in ids(engine, incident.traces[0])
    assert engine.incident(stored) is None
    engine.close()


def test_a_change_of_another_incident_than_it_says_is_refused() -> None:
    with pytest.raises(ValueError, match="'b'"):
        Change(1, "a", shop("b", "Till"))


def test_hidden_rows_take_nobodys_place(tmp_path: Path) -> None:
    """More rows than a side gives are removed, all of them better than the one that is left."""
    trace = TRACE.format(place="Till", said="drawer is jammed")
    other = {"prose": " ".join(f"moss{n}" for n in range(400)), "traces": [TRACE.format(place="Till", said="it rains")]}
    last = from_record({"id": "z", "title": "moss", **other})
    engine = opened(tmp_path, [*(shop(f"t{n:03}", "Till", "drawer is jammed") for n in range(120)), last])
    assert "z" not in {engine.id_of(found.row) for found in engine.compare(read(trace))}
    engine.apply([Change(n + 1, f"t{n:03}", None) for n in range(120)])
    assert ids(engine, trace) == ["z"]
    engine.close()


def test_searches_see_all_of_a_batch_or_nothing(tmp_path: Path) -> None:
    """A batch moves a trace from one incident to another: some search would see it twice, or nowhere."""
    trace = TRACE.format(place="Till", said="drawer is jammed")
    rest = [shop(f"s{n}", f"Place{n}") for n in range(20)]
    engine = opened(tmp_path, [shop("a", "Till", "drawer is jammed"), shop("b", "Stock", "shelf is empty"), *rest])
    jammed, empty = (lambda i: shop(i, "Till", "drawer is jammed")), (lambda i: shop(i, "Stock", "shelf is empty"))
    wrong: list[list[str]] = []
    searched = [0]
    done = threading.Event()

    def work() -> None:
        while not done.is_set():
            found = engine.search(trace, 3)
            named = [m.incident.id for m in found.matches if m.incident.traces == (trace,)]
            searched[0] += 1
            if named not in (["a"], ["b"]) or found.matches[0].incident.traces != (trace,):
                wrong.append(named)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for turn in range(60):
        one, other = (jammed("a"), empty("b")) if turn % 2 else (empty("a"), jammed("b"))
        engine.apply([Change(2 * turn + 1, "a", one), Change(2 * turn + 2, "b", other)])
    done.set()
    for thread in threads:
        thread.join()
    assert wrong == []
    assert searched[0] > 20
    engine.close()


@pytest.mark.parametrize("length", [0, 1, 23, 24, 39, 40, 41, 55, 56, 57, 103, 104, 1000, 4097, 70_000])
def test_lengths_are_kept_as_tantivy_keeps_them(tmp_path: Path, length: int) -> None:
    """Two rows whose lengths are kept alike score alike, and a longer one less."""
    lengths = [length, kept_length(length), max(length, 1) * 2]
    writer = LexicalWriter(tmp_path / "lexical")
    for row, count in enumerate(lengths):
        writer.add(row, " ".join(["lease", *["other"] * (count - 1)]) if count else "lease", "", "")
    writer.commit()
    found = dict(LexicalIndex(tmp_path / "lexical").search("words", {"lease": 1.0}, 5))
    assert kept_length(length) <= length
    assert found[0] == found[1]
    assert length == 0 or found[2] < found[0]


def test_scores_of_tokens_are_those_of_a_snapshot(tmp_path: Path) -> None:
    """The same incidents in a snapshot and in memory: one BM25."""
    every = incidents()
    built, empty = opened(tmp_path / "built", every), opened(tmp_path / "empty", [])
    empty.apply([Change(at, one.id, one) for at, one in enumerate(every, 1)])
    for text in [one.title for one in every] + [trace for one in every for trace in one.traces]:
        for ours, theirs in zip(found_by(built, text), found_by(empty, text), strict=True):
            assert ours == pytest.approx(theirs, rel=1e-4, abs=1e-4)
    built.close()
    empty.close()


def test_scores_over_both_are_those_of_one_snapshot(tmp_path: Path) -> None:
    """A word that is rare in the snapshot and common among what was saved since: its weight is that of both together."""
    rows = [
        from_record({"id": f"n{n:02}", "title": f"{'zzqrare' if n in {3, *range(10, 16)} else 'zzqmuch'} moss{n:02}"})
        for n in range(20)
    ]
    overlaid, rebuilt = opened(tmp_path / "half", rows[:10]), opened(tmp_path / "all", rows)
    overlaid.apply([Change(at, one.id, one) for at, one in enumerate(rows[10:], 1)])
    scores = [found_by(engine, "zzqrare zzqmuch moss03 moss12") for engine in (overlaid, rebuilt)]
    for ours, theirs in zip(*scores, strict=True):
        assert ours == pytest.approx(theirs, rel=1e-4)
    overlaid.close()
    rebuilt.close()


def found_by(engine: Engine, text: str) -> list[dict[str, float]]:
    """By side, what is found: id to score."""
    now, asked = engine._holdings, read(text)
    query = now._query(now._view(asked, engine._vector(asked)), narrow(None, "en"))
    sides = zip(*((segment.documents, segment.find(query, 1000)) for segment in now.segments), strict=True)
    documents, found = sides
    return [
        {told.id_of(row): score for told, here in zip(documents, side, strict=True) for row, score in here}
        for side in zip(*found, strict=True)
    ]


def test_the_first_trace_of_a_base_of_prose_is_found_as_after_a_rebuild(tmp_path: Path) -> None:
    """The snapshot knows no average length of traces: the overlay goes by the one that the next snapshot will have."""
    prose = [replace(one, traces=(), chains=()) for one in incidents()][:40]
    saved = next(one for one in incidents() if "".join(one.traces[:1]).count("\tat ") > 10)
    frames = "\n".join(line for line in saved.traces[0].splitlines() if line.startswith("\tat "))
    overlaid = opened(tmp_path / "a", [one for one in prose if one.id != saved.id])
    overlaid.apply([Change(1, saved.id, saved)])
    rebuilt = opened(tmp_path / "b", [*(one for one in prose if one.id != saved.id), saved])
    for text in (frames, saved.traces[0], saved.title):
        ours, theirs = overlaid.search(text), rebuilt.search(text)
        assert saved.id == theirs.matches[0].incident.id
        assert [m.incident.id for m in theirs.matches] == [m.incident.id for m in ours.matches]
        assert theirs.verdict is ours.verdict
    overlaid.close()
    rebuilt.close()
