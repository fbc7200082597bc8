"""What must hold of the numbers: monotone, explainable, within bounds."""

import ast
import dataclasses
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from index import Verdict
from index.ranking.compare import FRAME_PRIOR
from index.ranking.features import _COUNTS, NAMES, TRACED, Features, paired
from index.ranking.rank import BASE, KINDS, LEAD, BetaCalibration, bundled_model, lead_over, read_model
from index.terms.frequencies import BACKGROUND_WEIGHT, Frequencies, FrequencyWriter
from index.terms.hashing import hash_all
from index.terms.sketch import ExceptionSketch, pack, unpack
from kb.errors import RulesError

from .agreeing import COUNTED, agree, best_by_definition, by_definition, laid, looked_up_of, overlap, rarity_of

values = st.floats(0, 3, allow_nan=False)
features = st.builds(Features, **dict.fromkeys(NAMES, values) | {"silent": st.floats(0, 1), "wordless": st.booleans()})


@pytest.mark.parametrize("name", KINDS)
@given(one=features, more=values)
def test_more_agreement_never_lowers_the_probability(name: str, one: Features, more: float) -> None:
    model = bundled_model()
    higher = one._replace(**{name: getattr(one, name) + more})
    assert 0 <= model.probability(one) <= model.probability(higher) <= 1


@given(features)
def test_contributions_add_up(one: Features) -> None:
    model = bundled_model()
    added = model.base(one) + sum(model.contributions(one).values())
    assert model.log_odds(one) == pytest.approx(added)


def test_without_a_bend_calibration_changes_nothing() -> None:
    plain = BetaCalibration()
    assert [plain(odds) for odds in (-800.0, -3.0, 0.0, 3.0, 800.0)] == pytest.approx([-800.0, -3.0, 0.0, 3.0, 800.0])


@given(st.floats(-60, 60), st.floats(0, 5))
def test_calibration_changes_no_order(odds: float, more: float) -> None:
    calibration = bundled_model().calibration
    assert calibration(odds) <= calibration(odds + more)


@given(st.floats(-60, 60), st.floats(-60, 60), st.floats(0, 5))
def test_a_lead_never_lowers_and_is_bounded(first: float, rival: float, more: float) -> None:
    calibration = bundled_model().calibration
    ahead = lead_over(first, rival)
    assert 0 <= ahead <= lead_over(first + more, rival) <= LEAD
    assert 0 <= calibration(first, ahead) - calibration(first) <= calibration.lead * LEAD + 1e-9


def test_every_feature_belongs_to_a_kind_of_evidence() -> None:
    """But those that are no agreement; a feature without a kind would count and never be shown."""
    assert sorted(NAMES) == sorted([*KINDS, *BASE])


def test_every_feature_has_values_in_a_test() -> None:
    """Of traces those that `by_definition` computes; of the others `test_features.py` reads some, beside those of `EXTREMES`."""
    tests = ast.parse((Path(__file__).parent / "test_features.py").read_text(encoding="utf-8"))
    read = {node.attr for node in ast.walk(tests) if isinstance(node, ast.Attribute)}
    assert set(NAMES) - set(TRACED) - set(BASE) - read == set(), "write a test of its values into test_features.py"


def test_nothing_in_common_is_unknown() -> None:
    model = bundled_model()
    for silent, wordless in ((0.0, 0.0), (0.5, 0.0), (1.0, 0.0), (1.0, 1.0)):
        nothing = Features(silent=silent, wordless=wordless)
        likely = model.probability(nothing)
        assert model.verdict(likely) is Verdict.UNKNOWN
        assert not model.shows(likely, nothing)
        assert model.shows(model.related, nothing)


@pytest.mark.parametrize(
    "change",
    [
        {"weights": {"words": -1.0}},
        {"alone": {"words": -1.0}},
        {"weights": {"wards": 1.0}},
        {"alone": {"wordless": 1.0}},
        {"known": 0.1, "related": 0.2},
        {"known": 1.5},
    ],
    ids=[
        "negative weight",
        "negative weight alone",
        "unknown feature",
        "no agreement",
        "thresholds crossed",
        "no probability",
    ],
)
def test_a_wrong_weight_is_refused(change: dict[str, object]) -> None:
    import json

    limits = {"known": 0.6, "probable": 0.5, "related": 0.1, "shown": 0.01}
    plain = {"low": 1, "high": 1, "offset": 0, "lead": 0}
    model = {
        "bias": -4,
        "silent": 0,
        "wordless": 0,
        "weights": {"words": 1.0},
        "alone": {},
        "calibration": plain,
    } | limits
    assert read_model(json.dumps(model), "mine.json").known == 0.6
    with pytest.raises(RulesError, match=r"mine\.json"):
        read_model(json.dumps(model | change), "mine.json")
    lacking = {key: value for key, value in model.items() if key != "wordless"}
    with pytest.raises(RulesError, match=r"mine\.json: wordless missing"):
        read_model(json.dumps(lacking), "mine.json")


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


# above every count that a packed chain holds, as real names are
words, types, frames = st.integers(51, 65), st.integers(0, 18).map(lambda n: n and n + 100), st.integers(201, 220)
exceptions = st.builds(
    ExceptionSketch,
    types,
    types,
    st.lists(words, max_size=5, unique=True).map(tuple),
    st.lists(frames, max_size=8).map(tuple),
    st.lists(st.integers(0, 3), max_size=8).map(tuple),
).map(lambda e: dataclasses.replace(e, lines=(e.lines + (0,) * 8)[: len(e.frames)] if any(e.lines) else ()))
one_chain = st.lists(exceptions, min_size=1, max_size=3).map(tuple)
chains = st.lists(one_chain, max_size=3)
RARITY = {n: n % 10 / 9 for n in range(300)}
DEFINED = "`by_definition` of tests/index/agreeing.py says what each feature of traces is, a second time, and `COUNTED` how much each counts: write a new one there"


@given(chains)
def test_packing_loses_nothing_but_lines(found: list[tuple[ExceptionSketch, ...]]) -> None:
    bare = tuple(tuple(dataclasses.replace(exception, lines=()) for exception in chain) for chain in found)
    assert bare == unpack(pack(found))


def test_what_counts_in_the_choice_of_a_pair_is_defined() -> None:
    assert {name: count for name, count in _COUNTS.items() if count} == COUNTED, DEFINED


@given(one_chain, one_chain)
def test_agreement_is_what_its_definition_says(
    one: tuple[ExceptionSketch, ...], other: tuple[ExceptionSketch, ...]
) -> None:
    found = agree(one, other, RARITY)
    assert found == pytest.approx(best_by_definition([one], [other], RARITY)), DEFINED
    assert all(0 <= share <= 1 for share in found.values())


@given(chains, st.lists(chains, max_size=4))
def test_incidents_compared_together_are_compared_as_each_alone(
    queries: list[tuple[ExceptionSketch, ...]], incidents: list[list[tuple[ExceptionSketch, ...]]]
) -> None:
    """Each by its best pair, and the pair that is named is the one whose numbers are given."""
    rare, called = rarity_of(RARITY), looked_up_of(RARITY)
    together = paired(queries, laid(incidents), rare, called)
    assert together.numbers.shape == (len(incidents), len(TRACED))
    for at, rows in enumerate(incidents):
        alone = paired(queries, laid([rows]), rare, called)
        assert together.numbers[at].tolist() == alone.numbers[0].tolist()
        assert (together.traces[at], together.chains[at]) == (alone.traces[0], alone.chains[0])
        numbers = dict(zip(TRACED, together.numbers[at].tolist(), strict=True))
        assert numbers == pytest.approx(best_by_definition(queries, rows, RARITY)), DEFINED
        trace, chain = together.traces[at], together.chains[at]
        if trace is not None and chain is not None:
            assert numbers == pytest.approx(by_definition(queries[trace], rows[chain], RARITY)), DEFINED
        else:
            assert not numbers["rarest"]
            assert not numbers["message"]


NOTHING = (ExceptionSketch(0, 0, (), ()),)
MESSAGE = (ExceptionSketch(101, 101, (11, 12, 13), (201,)),)
FRAMES = (ExceptionSketch(102, 102, (4,), (202, 203, 204), (7, 8, 9)),)
SAID, PLACED = (
    (ExceptionSketch(103, 103, words, (202,), (line,)),) for words, line in (((5, 6, 7, 8), 7), ((5, 6, 7), 7))
)
MOVED = (dataclasses.replace(SAID[0], lines=(9,)),)


@pytest.mark.parametrize(
    ("queries", "incident", "pair"),
    [
        pytest.param([NOTHING, MESSAGE], [FRAMES, MESSAGE], (1, 1), id="a trace of which nothing is known is counted"),
        pytest.param([SAID], [PLACED, MOVED], (0, 1), id="lines do not choose the pair"),
        pytest.param([MESSAGE], [(*PLACED, *MESSAGE), MESSAGE], (0, 1), id="what shares as much agrees more by its root"),
        pytest.param([NOTHING], [MESSAGE], (None, None), id="nothing in common"),
    ],
)  # fmt: skip
def test_the_pair_that_agrees_best_by_hand(
    queries: list[tuple[ExceptionSketch, ...]],
    incident: list[tuple[ExceptionSketch, ...]],
    pair: tuple[int | None, int | None],
) -> None:
    found = paired(queries, laid([[NOTHING], incident]), rarity_of({}), looked_up_of({}))
    assert (found.traces[1], found.chains[1]) == pair
    assert (found.traces[0], found.chains[0]) == (None, None)


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
