"""What readers confirmed is found, what they denied is less probable; nothing else moves, and all of it can be taken back."""

import math
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from index import Verdict
from index.answer import EvidenceKind
from index.live.saved import Position, StoreChanges
from index.ranking.features import ComparedIncident, Features
from index.ranking.rank import LEAST, bound, bundled_model, chance, moved, odds
from index.ranking.sightings import SHARES, ReaderVotes, SightingIndex, fingerprint_digests
from index.reading import read
from index.training.measured import MeasuredEngine
from kb.store import Store
from kb.store.model import Feedback, Vote
from kb.store.voices import LearnedSightings, Sighting, Voter, Weight
from tests.kb.store.told import ANN, BEN

from .overlaid import TRACE, opened, shop

NOW = datetime(2026, 1, 1, tzinfo=UTC)
PASTE = TRACE.format(place="Mixer", said="the paddle of the mixer turned backwards twice")
OTHER = TRACE.format(place="Oven", said="thermostat relay stuck above the limit")
LINE = "2026-03-01 ERROR the paddle of the mixer turned backwards twice"
KEY = Voter(Weight.KEY)


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[MeasuredEngine]:
    rows = [shop(f"s{n}", f"Place{n}", f"shelf {n} fell from wall number {n}") for n in range(12)]
    found = opened(tmp_path_factory.mktemp("home"), [shop("a", "Till", "drawer is jammed"), shop("b", "Oven"), *rows])
    yield found
    found.close()


@pytest.fixture(autouse=True)
def nothing_said(engine: MeasuredEngine) -> None:
    engine._sightings = SightingIndex()


def sighting(text: str, vote: Vote = Vote.YES, yes: int = 1) -> Sighting:
    prints = fingerprint_digests(read(text))
    return Sighting("n", vote, prints, 1, yes, 1, NOW, NOW)


def likely(engine: MeasuredEngine, text: str) -> dict[str, float]:
    return {engine.id_of(found.row): odds for odds, found in engine.judged(read(text))}


def shown(engine: MeasuredEngine, text: str) -> dict[str, float]:
    """The probabilities of an answer, those that the lead of the first one made."""
    return {one.incident.id: one.probability for one in engine.search(text).matches}


def test_the_next_such_paste_is_known_although_nothing_was_like_it(engine: MeasuredEngine) -> None:
    assert engine.search(PASTE).verdict is Verdict.UNKNOWN
    before = likely(engine, PASTE)
    engine.learn([LearnedSightings(1, "a", "a", (sighting(PASTE, yes=3),))])
    answer = engine.search(PASTE)
    assert answer.matches[0].incident.id == "a"
    assert answer.verdict is Verdict.KNOWN
    assert answer.matches[0].probability > 5 * before.get("a", 0.0)
    said = [one.summary for one in answer.matches[0].evidence if one.kind is EvidenceKind.READERS]
    assert said == ["readers confirmed this incident for the same trace (3)"]
    chinese = engine.search(f"结账时总是报错，为什么？\n{PASTE}").matches[0]
    assert any(one.summary.startswith("读者曾确认") for one in chinese.evidence)


def test_what_was_just_probable_enough_and_confirmed_becomes_known() -> None:
    model = bundled_model()
    alike = ComparedIncident(0, Features())
    missing = _log_odds(LEAST) - odds([alike], model)[0] + 1e-6
    least = replace(model, calibration=replace(model.calibration, offset=model.calibration.offset + missing))
    confirmed = alike._replace(seen=ReaderVotes(SHARES["exact"], "exact", 1))
    assert least.verdict(least.probability(alike.features)) is Verdict.UNKNOWN
    assert least.verdict(chance(read("x"), confirmed, odds([confirmed], least)[0])) is Verdict.KNOWN


def _log_odds(probability: float) -> float:
    return math.log(probability / (1 - probability))


@given(st.floats(-1, 1, allow_nan=False))
def test_readers_move_a_bounded_amount(share: float) -> None:
    model = bundled_model()
    assert (
        abs(moved(ComparedIncident(0, Features(), seen=ReaderVotes(share, "exact", 1)), model)) <= bound(model) < 12.3
    )


def test_no_other_pair_moves_and_taking_it_back_restores_every_number(engine: MeasuredEngine) -> None:
    texts = [PASTE, OTHER, LINE, TRACE.format(place="Till", said="drawer is jammed"), "shelf 3 fell"]
    before = [likely(engine, text) for text in texts]
    engine.learn(
        [LearnedSightings(1, "a", "a", (sighting(PASTE),)), LearnedSightings(2, "b", "b", (sighting(OTHER, Vote.NO),))]
    )
    after = [likely(engine, text) for text in texts]
    for was, now in zip(before, after, strict=True):
        assert {name: odds for name, odds in now.items() if name not in "ab"} == {
            name: odds for name, odds in was.items() if name not in "ab"
        }
    assert after[3:] == before[3:], "other pastes are judged as before"
    engine.learn([LearnedSightings(3, "a", "a", ()), LearnedSightings(4, "b", "b", ())])
    assert [likely(engine, text) for text in texts] == before


def test_what_is_denied_is_lowered_for_that_paste_alone(engine: MeasuredEngine) -> None:
    mine = TRACE.format(place="Till", said="drawer is jammed")
    near = TRACE.format(place="Till", said="drawer is jammed, and the bell rings")
    was, was_near = likely(engine, mine), likely(engine, near)
    engine.learn([LearnedSightings(1, "a", "a", (sighting(mine, Vote.NO),))])
    now = likely(engine, mine)
    assert now["a"] < was["a"]
    assert {**now, "a": 0.0} == {**was, "a": 0.0}
    assert likely(engine, near) == was_near
    explained = engine.explain(mine, "a")
    assert explained is not None
    assert explained.features[-1].name == "readers"
    assert explained.features[-1].contribution < 0
    assert explained.probability == pytest.approx(shown(engine, mine)["a"])
    assert not any(one.kind is EvidenceKind.READERS for one in explained.evidence)


def test_what_is_denied_is_listed_still_and_nothing_takes_its_lead(engine: MeasuredEngine) -> None:
    mine = TRACE.format(place="Till", said="drawer is jammed")
    was = shown(engine, mine)
    engine.learn([LearnedSightings(1, "a", "a", (sighting(mine, Vote.NO),) * 9)])
    now = shown(engine, mine)
    assert 0 < now["a"] < was["a"]
    assert {name: likely for name, likely in now.items() if likely > was.get(name, 0.0)} == {}


def test_what_is_denied_and_not_listed_stays_so(engine: MeasuredEngine) -> None:
    text = "frobnicate: widget 42 misaligned"
    was = shown(engine, text)
    assert "a" not in was
    assert engine.explain(text, "a") is not None
    engine.learn([LearnedSightings(1, "a", "a", (sighting(text, Vote.NO),))])
    assert [one.share < 0 for one in engine._seen(read(text)).values()] == [True]
    assert shown(engine, text) == was


def test_another_trace_with_the_same_message_is_lifted_less(engine: MeasuredEngine) -> None:
    engine.learn([LearnedSightings(1, "a", "a", (sighting(PASTE),))])
    elsewhere = PASTE.replace("Mixer", "Whisk")
    same, alike = engine._seen(read(PASTE)), engine._seen(read(elsewhere))
    (one,), (other,) = same.values(), alike.values()
    assert (one.level, other.level) == ("exact", "message")
    assert 0 < other.share < one.share
    assert engine._seen(read(OTHER)) == {}


def test_of_several_traces_all_have_to_come_again(engine: MeasuredEngine) -> None:
    engine.learn([LearnedSightings(1, "a", "a", (sighting(f"{PASTE}\nnext\n{OTHER}"),))])
    assert engine._seen(read(PASTE)) == {}
    assert engine._seen(read(OTHER)) == {}
    assert [one.level for one in engine._seen(read(f"{OTHER}\nand\n{PASTE}")).values()] == ["exact"]


def test_a_bare_exception_of_a_common_type_is_not_lifted_in_full(engine: MeasuredEngine) -> None:
    bare = "java.lang.NullPointerException"
    engine.learn([LearnedSightings(1, "a", "a", (sighting(bare), sighting(PASTE)))])
    assert sum(one.share for one in engine._seen(read(bare)).values()) < SHARES["exact"]
    (whole,) = engine._seen(read(PASTE)).values()
    assert whole.share == SHARES["exact"]


def test_filters_hold_for_what_readers_confirmed(engine: MeasuredEngine) -> None:
    engine.learn([LearnedSightings(1, "a", "a", (sighting(PASTE),))])
    assert "a" in [one.incident.id for one in engine.search(PASTE, filters={"lang": "en"}).matches]
    assert "a" not in [one.incident.id for one in engine.search(PASTE, filters={"component": "flink"}).matches]


def test_an_older_state_that_comes_late_is_none(engine: MeasuredEngine) -> None:
    engine.learn([LearnedSightings(5, "a", "a", (sighting(PASTE),))])
    engine.learn([LearnedSightings(4, "a", "a", ())])
    assert len(engine._sightings) == 1
    engine.learn([LearnedSightings(6, "a", "gone", (sighting(PASTE),))])
    assert engine._seen(read(PASTE)) == {}


def test_what_is_kept_of_a_paste_holds_no_text() -> None:
    prints = fingerprint_digests(read(f"password=Xk29sdk3sjd8\n{PASTE}"))
    assert set(prints) == {"exact", "root_cause", "loose", "message"}
    assert all(set(one) <= set("0123456789abcdef") for digests in prints.values() for one in digests)


def test_an_engine_follows_the_store_and_begins_anew_with_another(tmp_path: Path) -> None:
    (tmp_path / "home").mkdir()
    engine = opened(tmp_path / "home", [shop("a", "Till", "drawer is jammed")])
    with Store.open(tmp_path / "home/store.db") as store, Store.open(tmp_path / "other.db") as other:
        said = Feedback("a", Vote.YES, fingerprint_digests(read(PASTE)), 0.5, "s")
        store.feedback.add(said, actor=ANN, voter=KEY)
        assert engine.follow(store) == 0, "no incident has changed"
        assert len(engine._sightings) == 1
        opened_later = MeasuredEngine.open(tmp_path / "home")
        carried = MeasuredEngine.carried(tmp_path / "home", None, StoreChanges.since(engine.info.manifest, store))
        assert likely(opened_later, PASTE) == likely(carried, PASTE) == likely(engine, PASTE) != {}
        (name,) = [one.name for one in store.sightings.of("a")]
        store.sightings.remove("a", name, actor=BEN)
        engine.follow(store)
        assert len(engine._sightings) == 0
        store.sightings.put_back("a", name, actor=BEN)
        engine.follow(store)
        assert len(engine._sightings) == 1
        engine.follow(other)
        assert len(engine._sightings) == 0
        assert engine.position == Position.now(other)
        for one in (engine, opened_later, carried):
            one.close()
