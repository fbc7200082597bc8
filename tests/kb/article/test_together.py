"""What cause and fix tell of each other: how they stand, and that the scores of both take it in."""

from math import log

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.article.blocks import BlockKind
from kb.article.quotes.cues import Cue
from kb.article.quotes.statements import QuoteTarget, ScoredSentence
from kb.article.quotes.weights import TargetScores, read_weights, relation, score, together
from kb.article.sentences import Sentence
from kb.errors import RulesError


def told(section: int, index: int) -> ScoredSentence:
    sentence = Sentence(f"{section}.{index}", index, (0, 1), BlockKind.PARAGRAPH, 1, ".")
    return ScoredSentence(
        sentence, section, index, index, Cue(0, 0, negated=False), (0.0, 0.0), (0.0, 0.0), [], past=False, named=0.0
    )


STANDS = {
    "same": (1, 3),
    "just before": (1, 2),
    "before": (1, 0),
    "next": (1, 4),
    "near": (1, 7),
    "after": (1, 8),
    "section before": (0, 9),
    "section 1 after": (2, 0),
    "section 2 after": (3, 0),
    "section 3 after": (9, 0),
}


@pytest.mark.parametrize(("name", "fix"), STANDS.items(), ids=STANDS)
def test_how_a_fix_stands_to_its_cause(name: str, fix: tuple[int, int]):
    assert relation(told(1, 3), told(*fix)) == name


def side(*scores: float, able: frozenset[int] | None = None) -> TargetScores:
    return TargetScores(
        [told(0, at) for at in range(len(scores))], scores, frozenset(range(len(scores))) if able is None else able
    )


def test_the_likely_side_decides_the_doubtful_one():
    """Two sentences may be the fix; the one that follows the sure cause is chosen, and the cause stays."""
    relations = {"next": log(2), "just before": log(0.5)}

    causes, fixes = together(side(0.0, 9.0, 0.0), side(1.0, 0.0, 1.0), relations)

    assert max(range(3), key=causes.__getitem__) == 1
    assert fixes[2] - fixes[0] == pytest.approx(2 * log(2), abs=0.01)


def test_who_cannot_begin_a_quotation_is_told_nothing_and_tells_nothing():
    relations = dict.fromkeys(STANDS, 1.0)
    none = side(5.0, 5.0, able=frozenset())

    assert together(none, side(1.0, 2.0), relations) == ([5.0, 5.0], [1.0, 2.0])
    assert none.best is None
    causes, _ = together(side(5.0, 1.0, able=frozenset({1})), side(1.0, 2.0), relations)
    assert causes == pytest.approx([5.0, 2.0])


@given(st.lists(st.floats(-700, 700), min_size=1, max_size=12), st.lists(st.floats(-700, 700), min_size=1, max_size=12))
def test_without_relations_nothing_changes_and_shares_are_probabilities(causes: list[float], fixes: list[float]):
    one, other = side(*causes), side(*fixes)

    assert 0.5 < sum(one.likely().values()) <= 1 + 1e-9
    assert one.best is one.view[max(range(len(causes)), key=causes.__getitem__)]
    after = together(one, other, {})
    likely = sum(other.likely().values()), sum(one.likely().values())
    for before, now, share in zip((causes, fixes), after, likely, strict=True):
        moved = [b - a for a, b in zip(before, now, strict=True) if b != a]
        assert moved == pytest.approx([log(share)] * len(moved), abs=1e-9)


def test_weights_are_read_by_target_and_state():
    models = read_weights("# head\ncause\tall\ta\t1\ncause\tin\ta\t0.5\nfix\tnone\tb\t-2\nrelation\tall\tnext\t0.3\n")

    assert score(models.of[QuoteTarget.CAUSE].weights["in"], {"a": 2.0, "unknown": 9.0}) == pytest.approx(3.0)
    assert score(models.of[QuoteTarget.CAUSE].weights["out"], {"a": 2.0}) == pytest.approx(2.0)
    assert models.of[QuoteTarget.FIX].weights["none"] == {"b": -2.0}
    assert models.relations == {"next": 0.3}


@pytest.mark.parametrize("line", ["cause\tall\ta\tone", "cause\tall\ta", "symptom\tall\ta\t1"])
def test_a_wrong_line_of_weights_is_named(line: str):
    with pytest.raises(RulesError, match="line 2"):
        read_weights(f"fix\tall\ta\t1\n{line}\n")
