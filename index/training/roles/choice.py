"""Which sentence is quoted: multinomial logistic regression over the sentences of an article and the answer *nothing is stated*."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize  # type: ignore[import-untyped]
from scipy.sparse import csr_matrix  # type: ignore[import-untyped]

from kb.article.quotes.features import Row
from kb.article.quotes.weights import EVERYWHERE

Array = npt.NDArray[np.float64]
Weights = dict[tuple[str, str], float]
"""(state, feature) → weight; the states ``all`` and ``words`` count in each."""
WORDS = "words"
"""Stands for the state where the feature is an n-gram: it counts in each, too."""
SPREAD = 3.0
"""How freely n-grams are weighed beside the other features: what one counts in a sentence of a single n-gram."""
_SELDOM = 10
"""An n-gram of fewer cases is not weighed; every article is two of them."""
LATER = 0.5
"""How right it is to begin a quotation with its second sentence."""


@dataclass(frozen=True, slots=True)
class ArticleCase:
    """The sentences of one article."""

    rows: Sequence[Row]
    grams: Sequence[Sequence[str]]
    """Of each sentence."""
    absence: Mapping[str, float]
    right: frozenset[int]
    """The sentences that are quoted; none where nothing is stated."""
    weight: float = 1.0


def fit(cases: Sequence[ArticleCase], ridge: float) -> Weights:
    """The weights under which the right sentences are likeliest."""
    matrix, names, owner, right = _matrix(cases)
    starts = np.flatnonzero(np.r_[True, owner[1:] != owner[:-1]])
    weight = np.array([case.weight for case in cases])
    weight /= weight.sum()

    def loss(theta: Array) -> tuple[float, Array]:
        scores = matrix @ theta
        powers = np.exp(scores - np.maximum.reduceat(scores, starts)[owner])
        whole = np.bincount(owner, powers)
        good = np.maximum(np.bincount(owner, powers * right), 1e-12)
        share = (powers / whole[owner] - powers * right / good[owner]) * weight[owner]
        value = float(weight @ (np.log(whole) - np.log(good)) + ridge * theta @ theta)
        return value, matrix.T @ share + 2 * ridge * theta

    found = minimize(loss, np.zeros(len(names)), jac=True, method="L-BFGS-B", options={"maxiter": 400})
    return dict(zip(names, map(float, found.x), strict=True))


def _matrix(cases: Sequence[ArticleCase]) -> tuple[csr_matrix, list[tuple[str, str]], npt.NDArray[np.int64], Array]:
    """Features by column, the names of the columns, the case of each row, and how right each row is."""
    seen = Counter(gram for case in cases for gram in set().union(*case.grams))
    names: dict[tuple[str, str], int] = {}
    values: list[float] = []
    columns: list[int] = []
    ends = [0]
    owner: list[int] = []
    right: list[float] = []

    def add(case: int, pairs: Sequence[tuple[tuple[str, str], float]], share: float) -> None:
        columns.extend(names.setdefault(name, len(names)) for name, _ in pairs)
        values.extend(value for _, value in pairs)
        ends.append(len(columns))
        owner.append(case)
        right.append(share)

    for number, case in enumerate(cases):
        first = min(case.right, default=None)
        for at, ((state, features), grams) in enumerate(zip(case.rows, case.grams, strict=True)):
            pairs = [((where, name), value) for name, value in features.items() for where in (EVERYWHERE, state)]
            pairs += [((WORDS, gram), SPREAD / sqrt(len(grams))) for gram in grams if seen[gram] >= _SELDOM]
            add(number, pairs, 0.0 if at not in case.right else 1.0 if at == first else LATER)
        add(number, [((EVERYWHERE, name), value) for name, value in case.absence.items()], float(not case.right))
    matrix = csr_matrix((np.array(values), np.array(columns), np.array(ends)), (len(owner), len(names)))
    return matrix, list(names), np.array(owner), np.array(right)
