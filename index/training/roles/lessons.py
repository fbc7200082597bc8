"""A marked article as the models see it, and the weights that lessons teach."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256

from index.training.roles.choice import EVERYWHERE, SPREAD, WORDS, Case, fit
from index.training.roles.material import Spans, Taken
from kb.article.features import absence, rows
from kb.article.sentences import joined
from kb.article.stated import Model, quoted
from kb.article.statements import Statements, Target, Told
from kb.article.wording import Table, weighed

FOLDS = 4
"""Every part of the marked articles is read with weights that the other parts taught."""
RIDGE = 0.01
"""Pull of the weights towards 0."""
HIDDEN = 0.5
"""How much a marked article counts whose headings about the target were hidden."""
_FAINT = 2
"""Hundredths below which the weight of an n-gram is left out."""


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

    @property
    def teaches(self) -> bool:
        """Whether one of its sentences is right to quote, or none because nothing is stated; some marks lie where nobody looks."""
        return bool(self.case.right) or not self.wanted


def lesson(article: Taken, spans: Spans, target: Target, words: Table, *, hidden: bool) -> Lesson:
    """The features of an article and which of its sentences are quoted, its headings about the target hidden if so asked."""
    seen = article.statements(words, target if hidden else None)
    view = seen.view(target)
    right = frozenset(
        at for at, one in enumerate(view) if _within(article.text, one.sentence.text, one.sentence.place, spans)
    )
    case = Case(
        rows(seen, article.title, target),
        [one.grams for one in view],
        absence(seen, target),
        right,
        HIDDEN if hidden else 1.0,
    )
    return Lesson(article.name, seen, view, case, "\n".join(article.text[start:end] for start, end in spans))


def _within(text: str, sentence: str, place: tuple[int, int], spans: Spans) -> bool:
    """Whether the sentence and a span share at least half of the shorter of them."""
    start = text.find(sentence, *place)
    start, end = place if start < 0 else (start, start + len(sentence))
    return any(2 * (min(end, last) - max(start, first)) >= min(end - start, last - first) for first, last in spans)


@dataclass(frozen=True, slots=True)
class Learned:
    """What lessons teach of a target."""

    tables: Mapping[str, Mapping[str, float]]
    """Weights of features by state, as `kb.article.stated.Model.of` takes them."""
    telling: Table
    """Weights of n-grams."""


def learned(lessons: Sequence[Lesson], target: Target) -> Learned:
    """The weights by which the sentence is chosen."""
    tables: dict[str, dict[str, float]] = {}
    for (state, name), weight in fit([one.case for one in lessons if one.teaches], RIDGE).items():
        tables.setdefault(state, {})[name] = weight
    telling: dict[str, tuple[int, int, int, int]] = {}
    for gram, weight in tables.pop(WORDS, {}).items():
        if abs(rounded := round(100 * SPREAD * weight)) >= _FAINT:
            telling[gram] = (0, 0, rounded, 0) if target is Target.CAUSE else (0, 0, 0, rounded)
    tables[EVERYWHERE]["telling"] = 1.0
    return Learned(tables, telling)


def said(one: Lesson, target: Target, by: Learned) -> str:
    """What is quoted of an article by weights that it did not teach."""
    found = [
        (state, features | {"telling": weighed(told.grams, by.telling)[1][target is Target.FIX]})
        for (state, features), told in zip(one.case.rows, one.view, strict=True)
    ]
    return joined(told.sentence for told in quoted(one.statements, found, target, Model.of(by.tables)))
