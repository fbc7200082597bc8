"""How cause and fix stand to each other, counted against what chance would give."""

from math import log

import pytest

from index.training.roles.lessons import StatedPair, relations_of
from kb.article.blocks import BlockKind
from kb.article.quotes.cues import Cue
from kb.article.quotes.statements import ScoredSentence
from kb.article.quotes.weights import TargetScores
from kb.article.sentences import Sentence


def told(index: int) -> ScoredSentence:
    sentence = Sentence("It is.", index, (0, 1), BlockKind.PARAGRAPH, 2, ".")
    return ScoredSentence(
        sentence, 0, index, index, Cue(0, 0, negated=False), (0.0, 0.0), (0.0, 0.0), [], past=False, named=0.0
    )


def test_what_is_marked_oftener_than_by_chance_counts_for_it() -> None:
    """Three sentences, all equally likely for either; in ten articles of twelve the fix stands behind the cause."""
    view = [told(at) for at in range(3)]
    side = TargetScores(view, [0.0] * 3, frozenset(range(3)))
    pairs = [StatedPair(str(at), side, side, (view[0], view[1] if at < 10 else view[0])) for at in range(12)]

    found = relations_of(pairs)

    assert found == pytest.approx(
        {
            "next": log((10 + 2) / (12 * 2 / 9 + 2)),
            "same": log((2 + 2) / (12 * 3 / 9 + 2)),
            "near": log(2 / (12 / 9 + 2)),
            "just before": log(2 / (12 * 2 / 9 + 2)),
            "before": log(2 / (12 / 9 + 2)),
        }
    )
    assert relations_of([]) == {}
