"""What must hold of the numbers: monotone, explainable, within bounds."""

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from index import Verdict
from index.compare import FRAME_PRIOR, agree, overlap
from index.features import NAMES, Features
from index.frequencies import BACKGROUND_WEIGHT, Frequencies, FrequencyWriter
from index.hashing import hash_all
from index.rank import KINDS, ranking, read_ranking
from index.sketch import ExceptionSketch, pack, unpack
from kb.errors import RulesError

values = st.floats(0, 3, allow_nan=False)
features = st.builds(Features, **dict.fromkeys(NAMES, values))


@pytest.mark.parametrize("has_frames", [True, False])
@pytest.mark.parametrize("name", NAMES)
@given(one=features, more=values)
def test_more_agreement_never_lowers_the_probability(has_frames: bool, name: str, one: Features, more: float) -> None:  # noqa: FBT001
    model = ranking().model(has_frames=has_frames)
    higher = dataclasses.replace(one, **{name: getattr(one, name) + more})
    assert 0 <= model.probability(one) <= model.probability(higher) <= 1


@given(features)
def test_contributions_add_up(one: Features) -> None:
    model = ranking().trace
    assert model.log_odds(one) == pytest.approx(model.bias + sum(model.contributions(one).values()))


def test_every_feature_belongs_to_a_kind_of_evidence() -> None:
    assert set(NAMES) == set(KINDS)


def test_nothing_in_common_is_unknown() -> None:
    for model in (ranking().trace, ranking().text):
        assert Verdict.UNKNOWN is model.verdict(model.probability(Features()))


@pytest.mark.parametrize(
    "change",
    [
        {"weights": {"words": -1.0}},
        {"weights": {"wards": 1.0}},
        {"known": 0.1, "related": 0.2},
        {"known": 1.5},
    ],
    ids=["negative weight", "unknown feature", "thresholds crossed", "no probability"],
)
def test_a_wrong_weight_is_refused(change: dict[str, object]) -> None:
    import json

    model = {"bias": -4, "known": 0.6, "related": 0.1, "shown": 0.01, "weights": {"words": 1.0}}
    with pytest.raises(RulesError, match=r"mine\.json, trace"):
        read_ranking(json.dumps({"trace": model | change, "text": model}), "mine.json")


names = st.integers(1, 40)
weights = st.dictionaries(names, st.floats(0.001, 1), max_size=12)


@given(weights, weights)
def test_overlap_is_a_share(ours: dict[int, float], theirs: dict[int, float]) -> None:
    assert 0 <= overlap(ours, theirs, FRAME_PRIOR) < 1


@pytest.mark.parametrize(
    ("ours", "theirs", "expected"),
    [
        pytest.param({1: 1.0}, {1: 1.0}, 1 / 1.6, id="one frame that agrees is no proof"),
        pytest.param(dict.fromkeys(range(1, 11), 1.0), dict.fromkeys(range(1, 11), 1.0), 10 / 10.6, id="ten are"),
        pytest.param({1: 1.0, 2: 1.0}, {1: 1.0}, 1 / (1 + 0.6 + 0.6), id="the rest of the query counts"),
        pytest.param({1: 1.0}, {1: 1.0, 2: 1.0}, 1 / (1 + 0.4 + 0.6), id="the rest of the incident counts less"),
        pytest.param({1: 0.01}, {1: 0.01}, 0.01 / 0.61, id="common tokens are worth nothing"),
        pytest.param({1: 1.0}, {2: 1.0}, 0.0, id="nothing shared"),
    ],
)
def test_overlap_by_hand(ours: dict[int, float], theirs: dict[int, float], expected: float) -> None:
    assert overlap(ours, theirs, 0.6) == pytest.approx(expected)


@given(weights, weights, names)
def test_sharing_one_more_token_never_lowers_the_overlap(
    ours: dict[int, float], theirs: dict[int, float], name: int
) -> None:
    """A token moved from 'only ours' to 'both', at the same weight."""
    if name not in ours or name in theirs:
        return
    assert overlap(ours, theirs | {name: ours[name]}, 0.6) >= overlap(ours, theirs, 0.6) - 1e-12


exceptions = st.builds(
    ExceptionSketch, names, names, st.lists(names, max_size=5).map(tuple), st.lists(names, max_size=8).map(tuple)
)
chains = st.lists(st.lists(exceptions, min_size=1, max_size=3).map(tuple), max_size=3)


@given(chains)
def test_packing_loses_nothing(found: list[tuple[ExceptionSketch, ...]]) -> None:
    assert tuple(found) == unpack(pack(found))


@given(chains, chains)
def test_agreement_within_bounds(a: list[tuple[ExceptionSketch, ...]], b: list[tuple[ExceptionSketch, ...]]) -> None:
    for one in a:
        for two in b:
            found = agree(one, two, {n: n / 40 for n in range(1, 41)})
            assert all(0 <= share <= 1 for share in dataclasses.astuple(found))


def test_rarity_by_hand(tmp_path: Path) -> None:
    """A word of half of 1,000 incidents and unknown to the background: p = 500 / 2000."""
    writer = FrequencyWriter()
    for row in range(1000):
        writer.add(hash_all(["zzqx"] if row % 2 else ["zzqy", "zzqx"] if row == 0 else ["zzqw"]))
    writer.write(tmp_path, "words")
    frequencies = Frequencies(tmp_path, "words", 1000)
    whole = 1000 + BACKGROUND_WEIGHT
    least = np.log(0.4 / whole)
    expected = [np.log(501 / whole) / least, np.log(1 / whole) / least, 1.0]
    assert frequencies.rarity(hash_all(["zzqx", "zzqy", "zzqv"])) == pytest.approx(expected)
