"""Which n-grams lean to a section about the cause or the fix: weak labels from headings, the headings themselves hidden."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy.sparse import csr_matrix  # type: ignore[import-untyped]
from sklearn.linear_model import LogisticRegression

from index.training.roles.material import ArticleProblem
from kb.article.quotes.statements import SECTIONS, QuoteTarget
from kb.article.quotes.wording import Table
from kb.article.vocabulary import SectionRole

_OTHER = frozenset(
    (SectionRole.SYMPTOM, SectionRole.REPRODUCTION, SectionRole.BACKGROUND, SectionRole.OTHER, SectionRole.TRACE)
)
_FIRST = (1.0, 0.7, 0.5, 0.3, 0.2, 0.2)
"""How much the first sentences of a section count: the later ones say other things too."""
_MOST_OTHER = 12
"""Sentences taken of any other section."""
_UNSURE = 0.3
"""How much a sentence counts whose section no heading announces: mostly it states neither."""
_SELDOM = 4
"""An n-gram of fewer articles is left out."""
_FAINT = 15
"""Hundredths of log-odds below which a weight is left out."""
_LOOSE = 2.0
"""Inverse strength of the ridge."""


@dataclass(frozen=True, slots=True)
class Weak:
    """A sentence with a weak label."""

    article: str
    grams: list[str]
    label: QuoteTarget | None
    weight: float


def weak_labels(article: ArticleProblem) -> Iterable[Weak]:
    """The sentences of an article, labelled by the headings they stand under."""
    statements = article.statements({})
    for at, part in enumerate(article.parts):
        roles = set(part.roles)
        label = next((target for target in QuoteTarget if roles and roles <= SECTIONS[target]), None)
        if label is None and roles and not roles <= _OTHER:
            continue  # a mixed heading, or an analysis
        spoken = [one for one in statements.sentences_of(at) if not one.sentence.code]
        for place, one in enumerate(spoken[: len(_FIRST) if label else _MOST_OTHER]):
            weight = _FIRST[place] if label else 1.0 if roles else _UNSURE
            yield Weak(article.name, one.grams, label, weight)


def table(examples: Sequence[Weak]) -> Table:
    """How much n-grams lean to either kind of section; what they tell of a sentence is for others to learn."""
    articles: dict[str, set[str]] = {}
    for one in examples:
        articles.setdefault(one.article, set()).update(one.grams)
    seen = Counter(gram for grams in articles.values() for gram in grams)
    kept = {gram: at for at, gram in enumerate(gram for gram, count in seen.items() if count >= _SELDOM)}
    values, columns, ends = [], [], [0]
    for one in examples:
        known = [kept[gram] for gram in one.grams if gram in kept]
        columns += known
        values += [1 / sqrt(max(len(one.grams), 1))] * len(known)
        ends.append(len(columns))
    matrix = csr_matrix(
        (np.array(values), np.array(columns, dtype=np.int32), np.array(ends, dtype=np.int32)),
        (len(examples), len(kept)),
    )
    weights = np.array([one.weight for one in examples])
    learned = []
    for target in QuoteTarget:
        right = np.array([one.label is target for one in examples])
        model = LogisticRegression(C=_LOOSE, solver="liblinear", fit_intercept=True, random_state=0)
        learned.append(np.rint(100 * model.fit(matrix, right, sample_weight=weights).coef_[0]).astype(int))
    cause, fix = learned
    return {
        gram: (int(cause[at]), int(fix[at]), 0, 0)
        for gram, at in sorted(kept.items())
        if max(abs(cause[at]), abs(fix[at])) >= _FAINT
    }
