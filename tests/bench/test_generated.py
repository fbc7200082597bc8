"""Generated incidents are what they claim to be; how they compare with the real ones at length: `tests/bench/million/compare.py`."""

from contextlib import closing
from functools import cache
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from index import Engine
from index.build import build
from index.encoder import load_encoder
from index.entry import entries
from index.terms.hashing import token_hash
from index.terms.ragged import parts
from kb.incident import Incident
from kb.trace import normalize, parse
from tests.bench.million.dialects import Dialects
from tests.bench.million.incidents import incident
from tests.bench.million.learn import texts, traces
from tests.bench.million.make import make, read
from tests.bench.million.measure import SIDES, by_stage
from tests.bench.million.plan import SHARES, STATISTICS, Planner
from tests.bench.million.queries import MIX, Question, questions
from tests.bench.million.restaurant import Law, fitted


@cache
def some() -> list[Incident]:
    return [incident(plan) for plan in Planner().plans(700)]


def test_printed_traces_are_read_as_they_were_planned() -> None:
    checked = 0
    for one in some()[:200]:
        for trace, chain in zip(one.traces, one.chains, strict=True):
            assert [normalize(found) for found in parse(trace)] == [normalize(chain)]
            checked += 1
    assert checked > 200


def test_a_longer_run_begins_like_a_shorter_one() -> None:
    assert list(Planner().plans(60)) == list(Planner().plans(300))[:60]
    assert some()[7] == incident(list(Planner().plans(8))[7])


@pytest.mark.slow
def test_lengths_and_growth_are_those_of_the_real_reports() -> None:
    reports = [one for one in some() if not one.prose][:600]
    real, made = STATISTICS["reports"], traces(reports) | texts(reports)
    for name in ("frames", "exceptions", "message_words", "title_words", "symptom_words", "distinct_frames"):
        for share in (0.25, 0.5, 0.75):
            at = SHARES.index(share)
            assert made[name][at] == pytest.approx(real[name][at], rel=0.35, abs=1.5), (name, share)
    assert made["silent"] == pytest.approx(real["silent"], abs=0.08)
    for name in ("next_frame", "next_type"):  # how soon something new comes beside what was seen, and at all
        laws = (Law(*kind[name]["inner"]).distinct(100) for kind in (made, real))
        assert np.divide(*laws) == pytest.approx(1.0, abs=0.5), name


def test_a_law_is_found_again() -> None:
    law = Law(0.62, 0.1 * 1.6**10)
    assert law == fitted([(n, law.distinct(n), 1.0) for n in (50, 500, 5_000, 50_000)])


def test_a_dialect_keeps_what_is_common_and_has_rare_words_of_its_own() -> None:
    batch = entries(some()[:300], load_encoder(None))
    other = Dialects(batch).told(batch, 2, 1_000)
    words = [dict.fromkeys(text.split(" ")) for text in batch.column("said").to_pylist()]
    rare = next(word for word in words[0] if sum(word in held for held in words) == 1)
    common = max(words[0], key=lambda word: sum(word in held for held in words))
    assert batch.schema == other.schema
    assert other.column("id").to_pylist()[:2] == ["inc-0001000", "inc-0001001"]
    for column, kept, gone in (("said", common, rare), ("terms", token_hash(common), token_hash(rare))):
        held = other.column(column)[0].as_py()
        here = held.split(" ") if isinstance(held, str) else np.array(held).view(np.uint64).tolist()
        assert kept in here
        assert gone not in here
    before, after = (len(np.unique(parts(b.column("frames"))[0])) for b in (batch, other))
    assert before == after
    lengths = np.linalg.norm(other.column("vector").flatten().to_numpy().reshape(300, -1), axis=1)
    assert lengths == pytest.approx(np.ones(300), abs=1e-5)


@pytest.mark.slow
def test_parts_are_made_once_and_read_in_order(tmp_path: Path) -> None:
    make(tmp_path, 60, workers=1, part=30, drawn=60)
    written = {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    make(tmp_path, 60, workers=1, part=30, drawn=60)
    assert written == {path: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
    assert len(written) == 2
    ids = pa.Table.from_batches(read(tmp_path, 150, part=30, drawn=60)).column("id").to_pylist()
    assert ids == [f"inc-{number:07d}" for number in range(150)]


@pytest.mark.slow
def test_questions_are_the_same_each_time_and_of_every_kind() -> None:
    asked = questions(40)
    assert asked == questions(40)
    assert {question.kind for question in asked} == set(MIX)
    assert all((question.expected is None) == (question.kind == "new") for question in asked)


def test_each_stage_of_a_search_is_measured(tmp_path: Path) -> None:
    """What `make bench` takes hours to reach still fits the engine."""
    encoder = load_encoder(None)
    build([entries(some()[:60], encoder)], tmp_path, encoder)
    pastes = [Question("trace", one.traces[0], one.id) for one in some()[:60] if one.traces][:5]
    with closing(Engine.open(tmp_path)) as engine:
        figures = by_stage(engine, pastes)
    stages = ("parse", "embed", "candidates", "compare", "rank", "explain", *SIDES)
    assert figures.keys() == {
        "candidates",
        *(f"{name}.{share}_ms" for name in stages for share in ("p50", "p95", "p99")),
    }
    assert 1 <= figures["candidates"] <= 60
    assert figures["compare.p50_ms"] > 0
