"""Each method against numbers that others computed, or that were computed by hand.

PUBLISHED: the examples beside the code of FaST (github.com/irving-muller/FaST, test/method_tests.jl): one question, candidates of one
stack each, functions 0 to 6 that stand in so many of 100 reports.
"""

import math
from collections import Counter

import numpy as np
import pytest

from tests.quality.duplicates.bm25 import Bm25
from tests.quality.duplicates.corpus import Stacks
from tests.quality.duplicates.fast import Fast
from tests.quality.duplicates.signature import Signature
from tests.quality.duplicates.tfidf import TfIdf
from tests.quality.duplicates.tracesim import TraceSim

QUESTION = "5021035"
CANDIDATES = [
    "22233",
    "5055",
    "2035",
    "203",
    "230000",
    "235",
    "05",
    "5021035",
    "0210",
    "010",
    "50251053555",
    "555402103",
    "2000350",
    "444",
    "111",
    "666",
]
FREQUENCIES = dict(zip("0123456", (1.0, 10.0, 32.0, 45.0, 5.0, 95.0, 1.0), strict=True))
PUBLISHED = {
    "fast": (-0.9818319454088075, 0.22729655111128516, 0.23586601777781668, 0.2358654439216235, 0.25130870036190883, -0.9817619907843192, 0.19897371805935532, 1.0, 0.9506488376183168, 0.9208506233979558, 0.9730051433106478, 0.6598171371957481, 0.2528600313277979, -1.0, -0.68240034277783, -1.0),
    "tracesim": (-0.9904919037079588, -0.11472926756818055, -0.11787366205090863, -0.11787427557957607, -0.07536772003384143, -0.9907868321494305, -0.13338861187092085, 1.0, 0.9500711410717556, 0.9162800240568809, 0.9729923366154177, 0.499064501272655, -0.07400752021901913, -1.0, -0.8187950252761799, -1.0),
    "tfidf": (2.7709391411745408, 3.3709821955076893, 4.938918868690841, 5.096308591777404, 5.613021564510629, 2.8612696460425804, 4.223368959658597, 5.884549758693076, 6.148279822612727, 5.876240261182948, 5.022242747210287, 5.301009940103894, 5.593802793093159, 0.0, 3.217225244042889, 0.0),
    "cosine": (0.3327836127944191, 0.8499142010910101, 0.9135624398370668, 0.8958811351325494, 0.8990446674133254, 0.37622189797293715, 0.8587839452601135, 1.0, 0.9598906494286553, 0.9252274787322317, 0.9921356795255489, 0.9085961699138367, 0.9126623508555618, 0.0, 0.38818010385447005, 0.0),
}  # fmt: skip
SAME = {"alpha": 0.01, "beta": 0.15, "gamma": 0.05}


def stacks(functions: str) -> Stacks:
    return Stacks((tuple(functions),), (), (), ())


REPORTS = [stacks(functions) for functions in (*CANDIDATES, QUESTION)]
LAST = len(CANDIDATES)


def test_fast_as_published() -> None:
    index = Fast(**SAME).over(REPORTS)
    names = {token: FREQUENCIES[name] for name, token in index.function.items()}
    index.recount(100, np.array([names.get(token, 0.0) for token in range(len(index._postings.names))]))
    assert index.compared(LAST, LAST) == pytest.approx(PUBLISHED["fast"], abs=1e-12)


def test_tracesim_as_published() -> None:
    index = TraceSim(**SAME).over(REPORTS)
    index.recount(100, np.array([FREQUENCIES.get(name, 0.0) for name in index.names]))
    assert index.compared(LAST, np.arange(LAST)) == pytest.approx(PUBLISHED["tracesim"], abs=1e-12)


@pytest.mark.parametrize(("name", "cosine"), [("tfidf", False), ("cosine", True)])
def test_tfidf_as_published(name: str, cosine: bool) -> None:  # noqa: FBT001
    index = TfIdf(fields=("functions",), power=1.0, cosine=cosine).over(REPORTS)
    index.recount(100, np.array([FREQUENCIES[token[-1]] for token in index._postings.names]))
    assert index.compared(LAST, LAST) == pytest.approx(PUBLISHED[name], abs=1e-12)


def test_bm25_by_hand() -> None:
    """Three reports of 1, 2 and 3 tokens; x stands in two of them, y in one."""
    reports = [stacks("x"), stacks("xy"), stacks("zzz"), stacks("xy")]
    index = Bm25(fields=("functions",), k1=1.2, b=0.75).over(reports)
    idf = {"x": math.log(1 + 1.5 / 2.5), "y": math.log(1 + 2.5 / 1.5)}
    damped = {1: 1.2 * (0.25 + 0.75 / 2), 2: 1.2}
    expected = [2.2 * idf["x"] / (1 + damped[1]), 2.2 * (idf["x"] + idf["y"]) / (1 + damped[2]), 0.0]
    assert index.scores(3) == pytest.approx(expected)


def test_signature_by_hand() -> None:
    assert Signature().over([stacks("ab"), stacks("a"), stacks("ab")]).scores(2).tolist() == [1.0, 0.0]


@pytest.mark.parametrize("method", [Fast(), TraceSim(), TfIdf(), TfIdf(cosine=True), Bm25(), Signature()], ids=repr)
def test_a_report_is_likest_to_itself_and_later_ones_are_not_seen(method: Fast) -> None:
    reports = [stacks("abcd"), stacks("wxyz"), stacks("abxy"), stacks("abcd"), stacks("abcd")]
    scores = method.over(reports).scores(3)
    assert len(scores) == 3
    assert int(np.argmax(scores)) == 0
    assert Counter(scores.tolist())[max(scores)] == 1
