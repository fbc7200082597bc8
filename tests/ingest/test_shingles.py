"""Shingles: the estimates against the exact set arithmetic, and what must not matter."""

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.shingles import BANDS, SAMPLE, bands, jaccard, shingled, shingles
from kb.record import from_record

WORDS = [f"word{i}" for i in range(4000)]


def text(seed: int, changed: float, length: int = 1500) -> str:
    """A text of which the share ``changed``, at its end, is its own; the rest is everybody's."""
    common, own = random.Random(0), random.Random(seed)
    keep = round(length * (1 - changed))
    return " ".join([*common.choices(WORDS, k=keep), *own.choices(WORDS, k=length - keep)])


@pytest.mark.parametrize("changed", [0.02, 0.1, 0.3, 0.6, 1.0])
def test_the_sample_estimates_the_jaccard_similarity(changed: float):
    a, b = (shingles(text(seed, changed)) for seed in (1, 2))
    exact = len(np.intersect1d(a, b)) / len(np.union1d(a, b))
    estimated = jaccard(a[:SAMPLE].view(np.int64).tolist(), b[:SAMPLE].view(np.int64).tolist())
    assert estimated == pytest.approx(exact, abs=0.08)


def test_short_texts_are_compared_exactly():
    a, b = shingles("one two three four five six"), shingles("one two three four five seven")
    assert jaccard(a.view(np.int64).tolist(), b.view(np.int64).tolist()) == 2 / 4


@pytest.mark.parametrize(("similarity", "low", "high"), [(0.9, 1.0, 1.0), (0.8, 0.98, 1.0), (0.2, 0.0, 0.12)])
def test_bands_are_shared_as_often_as_the_formula_says(similarity: float, low: float, high: float):
    rng = np.random.default_rng(7)
    met = 0
    for _ in range(200):
        pool = rng.integers(0, 2**63, 600).astype(np.uint64)
        both = round(600 * similarity)
        own = (600 - both) // 2
        a, b = pool[: both + own], np.concatenate([pool[:both], pool[both + own :]])
        met += bool(np.isin(bands(np.sort(a)), bands(np.sort(b))).any())
    assert low <= met / 200 <= high


def test_digests_have_not_changed():
    """Two runs, months apart, find the same copies only by the same numbers."""
    found = shingles("Timeout 等待连接 after 30 s; raise the limit")
    assert found[:2].tolist() == [4535564012684605716, 4852347521271308799]
    assert bands(found)[:2].tolist() == [177762562685680128, 2268874599551633017]


def test_what_is_repeated_is_one_shingle():
    assert len(shingles("a b c d a b c d a b c d")) == 4


def test_traces_are_shingles_too():
    incident = from_record({"title": "t", "prose": "one two three four five"})
    bare = shingled(incident, ())
    traced = shingled(incident, ["00000000000000ff" * 4, "00000000000000ff" * 4, "fedcba9876543210" * 4])
    assert len(traced.sample) == len(bare.sample) + 2
    assert traced.sample[0] == 0xFF
    assert traced.bands != bare.bands


def test_an_empty_text_has_no_bands_and_no_neighbours():
    assert len(bands(shingles(""))) == 0
    assert jaccard([], []) == 0.0
    assert len(bands(shingles("x"))) == BANDS


def test_traditional_and_simplified_case_and_width_are_one():
    assert shingles("資料庫連線失敗 ＡＢＣ error").tolist() == shingles("资料库连线失败 abc ERROR").tolist()


@given(st.text(max_size=300))
def test_any_text_has_sorted_distinct_shingles(value: str):
    found = shingles(value)
    assert (np.diff(found.astype(object)) > 0).all()
