"""A marked article as the models see it, and the weights that lessons teach."""

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256

from index.training.roles.choice import Case, Weights, fit
from index.training.roles.material import Spans, Taken
from kb.article.features import absence, rows
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


def tables(weights: Weights) -> dict[str, dict[str, float]]:
    """The weights by state, as `kb.article.stated.Model.of` takes them."""
    found: dict[str, dict[str, float]] = {}
    for (state, name), weight in weights.items():
        found.setdefault(state, {})[name] = weight
    return found
