"""Candidates from Milvus are those of the snapshot's own index; and what happens when the server is gone."""

import os
import random
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from index import Engine
from index.build import build
from index.checkup import candidates as checked
from index.entry import entries
from index.holdings import PER_SIDE
from index.reading import read
from index.storage.filling import fill, forget, held_of
from index.storage.milvus import PrintsInMilvus
from index.storage.place import CandidatePlace
from index.storage.snapshot import current, list_snapshots, prune, rollback
from index.terms.facets import narrow
from index.training.measured import MeasuredEngine
from kb.errors import CandidatesError
from tests.bundled import corpus_home, write_ups
from tests.milvus import MilvusServer

from .overlaid import ENCODER, TRACE, World, assert_equal, shop
from .pasted import asked, pastes

pytestmark = pytest.mark.slow

ASKED = 2 * PER_SIDE
RECALL = 0.98
"""Of the candidates of each side, on average; at this size vectors are compared one by one and all are found."""
TIED = 1e-4
"""Scores this close may change places: two libraries sum the same products in another order."""
ONE_IN = 6
LEAST_BOUND = 15.0
"""Seconds within which a search ends that nobody answers: half a second of waiting, and a busy machine."""

Pair = tuple[MeasuredEngine, MeasuredEngine]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MilvusServer]:
    with MilvusServer(tmp_path_factory.mktemp("milvus")) as held:
        yield held


@pytest.fixture(scope="module")
def corpus(server: MilvusServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pair]:
    """The bundled write-ups, searched by the snapshot's own index and by Milvus."""
    home = corpus_home(tmp_path_factory.mktemp("corpus"))
    place = server.place(collection="corpus")
    assert fill(current(home), place) == current(home).manifest.counts["searchable"]
    with closing(MeasuredEngine.open(home)) as own, closing(MeasuredEngine.open(home, None, None, place)) as other:
        yield own, other


def sides(engine: MeasuredEngine, text: str, **filters: str) -> list[dict[int, float]]:
    """The rows of the snapshot that each side finds, each with its score."""
    reading, now = read(text), engine._holdings
    query = now._query(now._view(reading, engine._vector(reading)), narrow(filters, reading.lang))
    return [dict(zip(*map(np.ndarray.tolist, side), strict=True)) for side in now.segments[0].find(query, ASKED)]


def assert_same_side(ours: dict[int, float], theirs: dict[int, float]) -> None:
    """Both found the same rows with the same scores; which of those that tie for the last places is open."""
    assert len(ours) == len(theirs)
    last = min(ours.values(), default=0.0) + TIED
    above = {row: score for row, score in ours.items() if score > last}
    assert {row: theirs.get(row) for row in above} == pytest.approx(above, abs=TIED)
    assert all(score <= last + TIED for row, score in theirs.items() if row not in above)


def table() -> list[str]:
    """Pastes of the corpus, every kind in turn: whole traces, cut ones, error lines, questions in both languages."""
    written = [one for one in write_ups() if one.traces][::ONE_IN]
    return [kinds[at % len(kinds)].text for at, one in enumerate(written) if (kinds := [*pastes(one), *asked(one)])]


def test_candidates_and_answers_are_those_of_the_own_index(corpus: Pair) -> None:
    own, other = corpus
    shares: list[list[float]] = [[], [], [], []]
    for text in table():
        for at, (ours, theirs) in enumerate(zip(sides(own, text), sides(other, text), strict=True)):
            shares[at] += [len({*ours} & {*theirs}) / len(ours)] if ours else []
        assert_equal(own.search(text), other.search(text))
    assert all(len(share) > 10 for share in shares), "every side is asked"
    assert [float(np.mean(share)) >= RECALL for share in shares] == [True] * 4, shares


@pytest.mark.parametrize("filters", [{"lang": "zh"}, {"lang": "en", "component": "kafka"}, {"tags": "no such tag"}])
def test_filters_hold_there(corpus: Pair, filters: dict[str, str]) -> None:
    own, other = corpus
    for text in table()[::9]:
        for ours, theirs in zip(sides(own, text, **filters), sides(other, text, **filters), strict=True):
            assert_same_side(ours, theirs)
        assert_equal(own.search(text, 5, filters), other.search(text, 5, filters))


def test_what_was_saved_since_stays_here(server: MilvusServer, tmp_path: Path) -> None:
    """Rows that were replaced or removed are not found, though Milvus still has them; new ones are found beside it."""
    world = World.of(3)
    place = server.place(collection="overlaid")
    build([entries(sorted(world.base, key=lambda one: one.id), ENCODER)], tmp_path, ENCODER, candidates=place)
    with closing(MeasuredEngine.open(tmp_path)) as own, closing(Engine.open(tmp_path, None, None, place)) as other:
        own.apply(world.changes)
        other.apply(world.changes)
        for text in random.Random(1).sample(world.questions, 24):
            assert_equal(own.search(text), other.search(text))
        assert other.candidates_fault is None


def test_a_server_that_is_gone_is_named_and_one_that_comes_back_is_used(tmp_path: Path) -> None:
    held = MilvusServer(tmp_path / "milvus")
    held.start()
    home, text = tmp_path / "home", TRACE.format(place="Till", said="drawer is jammed")
    place = held.place()
    build(
        [entries([shop("a", "Basket"), shop("b", "Till", "drawer is jammed")], ENCODER)],
        home,
        ENCODER,
        candidates=place,
    )
    instead = held.place(seconds=0.5, falls_back=True)
    strict = held.place(seconds=0.5)
    with (
        closing(Engine.open(home)) as own,
        closing(Engine.open(home, None, None, strict)) as alone,
        closing(Engine.open(home, None, None, instead)) as either,
    ):
        expected = own.search(text)
        until(lambda: alone.search(text).matches and not alone.candidates_fault)
        until(lambda: not either.search(text).notes)
        held.stop()
        begun = time.monotonic()
        with pytest.raises(CandidatesError, match=f"127.0.0.1:{held.port} does not answer") as raised:
            alone.search(text)
        assert "KB_CANDIDATES_FALLBACK=local" in raised.value.cure
        fallen = either.search(text)
        assert time.monotonic() - begun < LEAST_BOUND
        assert [m.incident.id for m in fallen.matches] == [m.incident.id for m in expected.matches]
        assert fallen.notes == (
            *expected.notes,
            "Milvus does not answer: candidates come from the snapshot's own index",
        )
        assert "does not answer" in str(either.candidates_fault)
        begun = time.monotonic()
        with pytest.raises(CandidatesError):
            alone.search(text)
        assert time.monotonic() - begun < 1, "it is not asked again at once"
        held.start()
        assert until(lambda: not either.search(text).notes), "it is used again"
        assert until(partial(answers, alone, text)), "and so where nothing answered instead"
        assert_equal(alone.search(text), expected)
        assert (alone.candidates_fault, either.candidates_fault) == (None, None)
    held.remove()


def answers(engine: Engine, text: str) -> bool:
    try:
        engine.search(text)
    except CandidatesError:
        return False
    return True


def until(is_so: Callable[[], object]) -> bool:
    """Return whether it is so before long: a server that starts, and the pause after a failure."""
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline:
        if is_so():
            return True
        time.sleep(0.2)
    return False


def test_a_server_that_never_answers_costs_a_bounded_time(tmp_path: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        place = CandidatePlace.of(f"milvus://ann:hunter2@127.0.0.1:{silent.getsockname()[1]}/x", None, 0.5)
        build([entries([shop("a", "Basket")], ENCODER)], tmp_path, ENCODER)
        with closing(Engine.open(tmp_path, None, None, place)) as engine:
            begun = time.monotonic()
            with pytest.raises(CandidatesError) as raised:
                engine.search("Basket broke")
            assert time.monotonic() - begun < LEAST_BOUND
    assert "hunter2" not in f"{raised.value}{raised.value.cure}{place!r}"


def test_nothing_is_published_that_could_not_be_filled(tmp_path: Path) -> None:
    gone = MilvusServer(tmp_path / "milvus")  # never started
    home = tmp_path / "home"
    first = build([entries([shop("a", "Basket")], ENCODER)], home, ENCODER)
    later = entries([shop("a", "Basket"), shop("b", "Till")], ENCODER)
    with pytest.raises(CandidatesError):
        build([later], home, ENCODER, candidates=gone.place(seconds=0.5))
    assert current(home).id == first.id, "what answered answers on"
    assert len(list_snapshots(home)) == 2, "and what was built is kept for the next run"
    published = build([later], home, ENCODER, candidates=gone.place(seconds=0.5, falls_back=True))
    assert current(home).id == published.id != first.id


def test_each_snapshot_has_its_own_collection(server: MilvusServer, tmp_path: Path) -> None:
    place = server.place(collection="swapped")
    one = build([entries([shop("a", "Basket")], ENCODER)], tmp_path, ENCODER, candidates=place)
    with closing(Engine.open(tmp_path, None, None, place)) as before:
        two = build([entries([shop("b", "Till"), shop("c", "Door")], ENCODER)], tmp_path, ENCODER, candidates=place)
        with closing(Engine.open(tmp_path, None, None, place)) as after:
            assert [m.incident.id for m in before.search("Basket broke").matches] == ["a"]
            assert {m.incident.id for m in after.search("Till broke").matches} >= {"b"}
    assert {place.of_snapshot(one.id), place.of_snapshot(two.id)} <= {*server.collections()}
    assert prune(tmp_path, 1, partial(forget, place)) == (one.id,)
    held = [name for name in server.collections() if name.startswith("swapped")]
    assert held == [place.of_snapshot(two.id)]


def test_a_snapshot_that_cannot_be_forgotten_there_stays(tmp_path: Path) -> None:
    gone = MilvusServer(tmp_path / "milvus").place(seconds=0.5)
    home = tmp_path / "home"
    for name in "ab":
        build([entries([shop(name, "Basket")], ENCODER)], home, ENCODER)
    with pytest.raises(CandidatesError):
        prune(home, 1, partial(forget, gone))
    assert len(list_snapshots(home)) == 2, "the next run takes it away"


def test_going_back_fills_what_was_lost(server: MilvusServer, tmp_path: Path) -> None:
    """A collection that is missing, half or another's is made anew, and the doctor says so before."""
    place = server.place(collection="lost")
    one = build([entries([shop("a", "Basket")], ENCODER)], tmp_path, ENCODER, candidates=place)
    build([entries([shop("b", "Till")], ENCODER)], tmp_path, ENCODER, candidates=place)
    forget(place, one.id)
    assert held_of(place, one) is None
    assert rollback(tmp_path, None, partial(fill, place=place)).id == one.id
    assert held_of(place, one) == 1
    half_filled(server, place.of_snapshot(one.id))
    assert fill(one, place) == held_of(place, one) == 1


def half_filled(server: MilvusServer, name: str) -> None:
    """As a filling leaves it that was killed: another collection beside, and the one itself without its rows."""
    from pymilvus import MilvusClient

    with closing(MilvusClient(f"http://127.0.0.1:{server.port}", timeout=30)) as client:
        client.delete(name, filter="row >= 0")
        client.flush(name)
        client.create_collection(f"{name}_filling", dimension=4)


def test_a_snapshot_that_is_not_there_says_how_to_fill_it(server: MilvusServer, tmp_path: Path) -> None:
    build([entries([shop("a", "Basket")], ENCODER)], tmp_path, ENCODER)
    with (
        closing(Engine.open(tmp_path, None, None, server.place(collection="empty"))) as engine,
        pytest.raises(CandidatesError, match="has no collection empty_") as raised,
    ):
        engine.search("Basket broke")
    assert "`kb snapshots fill`" in raised.value.cure


def test_the_doctor_looks_at_it(server: MilvusServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build([entries([shop("a", "Basket")], ENCODER)], tmp_path, ENCODER)
    monkeypatch.delenv("KB_CANDIDATES", raising=False)
    assert checked(tmp_path).ok
    monkeypatch.setenv("KB_CANDIDATES", server.url("doctor"))
    monkeypatch.setenv("KB_CANDIDATES_SECONDS", "30")
    assert "none of 1 rows" in checked(tmp_path).finding
    fill(current(tmp_path), server.place(collection="doctor"))
    assert (checked(tmp_path).ok, "1 rows in doctor_" in checked(tmp_path).finding) == (True, True)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        monkeypatch.setenv("KB_CANDIDATES", f"milvus://ann:hunter2@127.0.0.1:{free.getsockname()[1]}")
    finding = checked(tmp_path)
    assert (finding.ok, "does not answer" in finding.finding, "hunter2" in str(finding)) == (False, True, False)


def test_a_file_of_milvus_lite_serves_one_process(tmp_path: Path) -> None:
    from milvus_lite.server_manager import server_manager_instance

    file = tmp_path / "candidates.db"
    place = CandidatePlace.of(f"milvus://{file}?collection=own", None, 30)
    build([entries([shop("a", "Basket"), shop("b", "Till")], ENCODER)], tmp_path, ENCODER, candidates=place)
    try:
        with closing(Engine.open(tmp_path)) as own, closing(Engine.open(tmp_path, None, None, place)) as other:
            assert_equal(own.search("Till broke"), other.search("Till broke"))
    finally:
        server_manager_instance.release_server(str(file))


@pytest.mark.parametrize(
    ("url", "uri", "collection", "token"),
    [
        ("milvus://host/incidents", "http://host:19530", "incidents", ""),
        ("milvus://host:1", "http://host:1", "dejastack", ""),
        ("milvus://ann:p%40ss@host/x?secure=true", "https://host:19530", "x", "ann:p@ss"),
        ("milvus://[::1]:1953/x?secure=false", "http://[::1]:1953", "x", ""),
        ("milvus:///var/kb/x.db", "/var/kb/x.db", "dejastack", ""),
        ("milvus:///var/kb/x.db?collection=y", "/var/kb/x.db", "y", ""),
    ],
)
def test_addresses(url: str, uri: str, collection: str, token: str) -> None:
    place = CandidatePlace.of(url)
    assert (place.uri, place.collection, place.token) == (uri, collection, token)
    assert CandidatePlace.of(url, "key").token == "key"


@pytest.mark.parametrize(
    "url",
    ["http://host", "milvus:///x.txt", "milvus://host/a-b", "milvus://host/x?y=1", "milvus://host/x?hunter2", "milvus://host/x?secure=1", "milvus://host/x?secure",
     "milvus://:hunter2@host/x", "milvus:///x.db?secure=true", *(f"milvus://ann:hunter2{odd}@host/x" for odd in ("/a", "#a", "?a", "℀", "/a:b", "[")),
     "milvus://ann:hunter2@host:port/x"],
)  # fmt: skip
def test_what_is_no_address_is_refused_without_its_password(url: str) -> None:
    with pytest.raises(ValueError) as raised:
        CandidatePlace.of(url)
    assert "hunter2" not in str(raised.value)


def test_who_does_not_ask_for_it_pays_nothing() -> None:
    """The client is loaded with the first question; without it the cure is named."""
    program = (
        "import sys, index, index.build\n"
        "print({'pymilvus', 'grpc'} & set(sys.modules))\n"
        "sys.modules['pymilvus'] = None\n"
        "from index.storage.milvus import Milvus\n"
        "from index.storage.place import CandidatePlace\n"
        "Milvus(CandidatePlace.of('milvus://host')).call('list_collections')"
    )
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert told.stdout == "set()\n"
    assert "pip install 'dejastack[milvus]'" in told.stderr.splitlines()[-1]


def test_that_the_client_is_missing_is_told_before_anything_is_read(tmp_path: Path) -> None:
    program = "import sys; sys.modules['pymilvus'] = None; from api.cli import main; main(['ingest', 'articles'])"
    env = os.environ | {"KB_HOME": str(tmp_path), "KB_CANDIDATES": "milvus://host"}
    told = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, env=env)
    assert (told.returncode, "pip install 'dejastack[milvus]'" in told.stderr) == (1, True)
    assert "articles" not in told.stderr


def test_a_common_fingerprint_hides_no_rare_one(server: MilvusServer, tmp_path: Path) -> None:
    """Milvus gives so many rows at once: where there are more, each fingerprint is asked for by itself."""
    place = server.place(collection="common")
    many = [shop(f"a{at}", "Basket") for at in range(5)]
    build([entries([*many, shop("b", "Till", "it is jammed")], ENCODER)], tmp_path, ENCODER, candidates=place)
    text = TRACE.format(place="Basket", said="no basket left here") + TRACE.format(place="Till", said="it is jammed")
    prints = [one for trace in read(text).traces for one in trace.prints]
    with closing(MeasuredEngine.open(tmp_path, None, None, place)) as engine:
        there = engine._snapshot.elsewhere
        assert there is not None
        found = PrintsInMilvus(there, prints, most=3)
        assert {row for one in prints for row in found.rows(one.level, one.digest)} >= {5}
