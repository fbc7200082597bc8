"""A marked article as the models see it, and the weights that lessons teach."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression

from index.training.roles.choice import Case, Weights, fit
from index.training.roles.material import Spans, Taken
from kb.article.features import absence, following, rows
from kb.article.stated import Model, log_shares, score
from kb.article.statements import Statements, Target, Told
from kb.article.wording import Table, leaning

FOLDS = 4
"""Every part of the marked articles is read with weights that the other parts taught."""
RIDGE = 0.01
"""Pull of the weights towards 0."""
HIDDEN = 0.5
"""How much a marked article counts whose headings about the target were hidden."""


def fold_of(name: str) -> int:
    """The part an article belongs to, by a hash of its name."""
    return sha256(name.encode()).digest()[1] % FOLDS


@dataclass(frozen=True, slots=True)
class Lesson:
    """A marked article as the models see it."""

    name: str
    statements: Statements
    view: list[Told]
    case: Case
    wanted: str
    """What was marked, as text; empty where nothing is stated."""


def lesson(article: Taken, spans: Spans, target: Target, words: Table, *, hidden: bool) -> Lesson:
    """The features of an article and which of its sentences are quoted, its headings about the target hidden if so asked."""
    seen = article.statements(target if hidden else None)
    view = seen.view(target)
    for one in view:
        one.leaning = leaning(one.grams, words)
    right = frozenset(
        at for at, one in enumerate(view) if _within(article.text, one.sentence.text, one.sentence.place, spans)
    )
    case = Case(rows(seen, article.title, target), absence(seen, target), right, HIDDEN if hidden else 1.0)
    return Lesson(article.name, seen, view, case, "\n".join(article.text[start:end] for start, end in spans))


def _within(text: str, sentence: str, place: tuple[int, int], spans: Spans) -> bool:
    """Whether the sentence and a span share at least half of the shorter of them."""
    start = text.find(sentence, *place)
    start, end = place if start < 0 else (start, start + len(sentence))
    return any(2 * (min(end, last) - max(start, first)) >= min(end - start, last - first) for first, last in spans)


def choosing(lessons: Sequence[Lesson]) -> Weights:
    """The weights by which the sentence is chosen."""
    return fit([one.case for one in lessons], RIDGE)


def tables(weights: Weights, goes_on: Mapping[str, float]) -> dict[str, dict[str, float]]:
    """The weights by state, as `kb.article.stated.Model.of` takes them."""
    found: dict[str, dict[str, float]] = {"on": dict(goes_on)}
    for (state, name), weight in weights.items():
        found.setdefault(state, {})[name] = weight
    return found


def going_on(lessons: Sequence[Lesson], models: Sequence[Model], target: Target) -> dict[str, float]:
    """The weights of the question whether a quotation goes on; ``models``: by part, what the other parts taught."""
    seen: list[dict[str, float]] = []
    right: list[bool] = []
    for one in lessons:
        model = models[fold_of(one.name)]
        scores = [score(model.weights[state], features) for state, features in one.case.rows]
        shares = log_shares(scores, score(model.absence, one.case.absence)) if scores else []
        told = one.view
        for run in _runs(one):
            at = run[0]
            for end in range(1, len(run) + 1):
                after = at + end
                if after >= len(told) or told[after].section != told[at].section:
                    break
                taken = [told[i].sentence for i in run[:end]]
                odds = (shares[after] - shares[at], shares[after])
                seen.append(following(told[after - 1], told[after], taken, target, odds))
                right.append(after in one.case.right)
    vectors = DictVectorizer()
    model = LogisticRegression(C=0.5, fit_intercept=False, max_iter=1000)
    model.fit(vectors.fit_transform(seen), right)
    return dict(zip(vectors.get_feature_names_out(), map(float, model.coef_[0]), strict=True))


def _runs(one: Lesson) -> list[list[int]]:
    """The marked sentences, those that follow each other in a section together."""
    told = one.view
    runs: list[list[int]] = []
    for at in sorted(one.case.right):
        if runs and runs[-1][-1] == at - 1 and told[at - 1].section == told[at].section:
            runs[-1].append(at)
        else:
            runs.append([at])
    return runs
