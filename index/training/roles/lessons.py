"""A marked article as the models see it, and the weights that lessons teach."""

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from math import log

from index.training.roles.choice import SPREAD, WORDS, ArticleCase, fit
from index.training.roles.material import ArticleProblem, Spans
from kb.article.quotes.features import Row, absence, rows
from kb.article.quotes.stated import quoted, side_of
from kb.article.quotes.statements import QuoteTarget, ScoredSentence, Statements
from kb.article.quotes.weights import EVERYWHERE, RoleModel, RoleModels, TargetScores, relation
from kb.article.quotes.wording import Table, weighed
from kb.article.sentences import joined

FOLDS = 4
"""Every part of the marked articles is read with weights that the other parts taught."""
RIDGE = 0.01
"""Pull of the weights towards 0."""
HIDDEN = 0.5
"""How much a marked article counts whose headings about the target were hidden."""
_FAINT = 2
"""Hundredths below which the weight of an n-gram is left out."""
_DOUBT = 2
"""Articles that a relation is taken to have more, both among those that were marked and among those to be expected."""


def fold_of(name: str) -> int:
    """The part an article belongs to, by a hash of its name."""
    return sha256(name.encode()).digest()[1] % FOLDS


@dataclass(frozen=True, slots=True)
class Lesson:
    """A marked article as the models see it."""

    name: str
    title: str
    target: QuoteTarget
    statements: Statements
    view: list[ScoredSentence]
    case: ArticleCase
    wanted: str
    """What was marked, as text; empty where nothing is stated."""

    @property
    def teaches(self) -> bool:
        """Whether one of its sentences is right to quote, or none because nothing is stated; some marks lie where nobody looks."""
        return bool(self.case.right) or not self.wanted


def lesson(article: ArticleProblem, spans: Spans, target: QuoteTarget, words: Table, *, hidden: bool) -> Lesson:
    """The features of an article and which of its sentences are quoted, with ``hidden`` without its headings about the target."""
    seen = article.statements(words, target if hidden else None)
    view = seen.view(target)
    right = frozenset(
        at for at, one in enumerate(view) if _within(article.text, one.sentence.text, one.sentence.place, spans)
    )
    case = ArticleCase(
        rows(seen, article.title, target),
        [one.grams for one in view],
        absence(seen, target),
        right,
        HIDDEN if hidden else 1.0,
    )
    return Lesson(
        article.name,
        article.title,
        target,
        seen,
        view,
        case,
        "\n".join(article.text[start:end] for start, end in spans),
    )


def _within(text: str, sentence: str, place: tuple[int, int], spans: Spans) -> bool:
    """Whether the sentence and a span share at least half of the shorter of them."""
    start = text.find(sentence, *place)
    start, end = place if start < 0 else (start, start + len(sentence))
    return any(2 * (min(end, last) - max(start, first)) >= min(end - start, last - first) for first, last in spans)


@dataclass(frozen=True, slots=True)
class TargetLessons:
    """What lessons teach of a target."""

    tables: Mapping[str, Mapping[str, float]]
    """Weights of features by state, as `kb.article.quotes.stated.Model.of` takes them."""
    telling: Table
    """Weights of n-grams."""


def learned(lessons: Sequence[Lesson], target: QuoteTarget) -> TargetLessons:
    """The weights by which the sentence is chosen."""
    tables: dict[str, dict[str, float]] = {}
    for (state, name), weight in fit([one.case for one in lessons if one.teaches], RIDGE).items():
        tables.setdefault(state, {})[name] = weight
    telling: dict[str, tuple[int, int, int, int]] = {}
    for gram, weight in tables.pop(WORDS, {}).items():
        if abs(rounded := round(100 * SPREAD * weight)) >= _FAINT:
            telling[gram] = (0, 0, rounded, 0) if target is QuoteTarget.CAUSE else (0, 0, 0, rounded)
    tables[EVERYWHERE]["telling"] = 1.0
    return TargetLessons(tables, telling)


Both = Mapping[QuoteTarget, TargetLessons]


def _rows(one: Lesson, target: QuoteTarget, by: Both) -> list[Row]:
    """The features of the sentences that may state a target, with the weight of their n-grams by lessons other than this article."""
    view = one.statements.view(target)
    weights = (weighed(sentence.grams, by[target].telling)[1][target is QuoteTarget.FIX] for sentence in view)
    found = rows(one.statements, one.title, target)
    return [(state, features | {"telling": weight}) for (state, features), weight in zip(found, weights, strict=True)]


def quoted_text(one: Lesson, by: Both, relations: Mapping[str, float]) -> str:
    """What is quoted of an article by weights that it did not teach."""
    models = RoleModels({target: RoleModel.of(by[target].tables) for target in QuoteTarget}, relations)
    quotes = quoted(one.statements, {target: _rows(one, target, by) for target in QuoteTarget}, models)
    return joined(quote.sentence for quote in quotes[one.target])


@dataclass(frozen=True, slots=True)
class StatedPair:
    """An article that states both: the sentences that may, by weights that it did not teach, and the first of those that do."""

    name: str
    cause: TargetScores
    fix: TargetScores
    right: tuple[ScoredSentence, ScoredSentence]


def pair(cause: Lesson, fix: Lesson, by: Both) -> StatedPair | None:
    """The pair of two lessons about one problem; None where they are about two, or one of them has nothing to quote."""
    if not cause.case.right or not fix.case.right or cause.statements.parts != fix.statements.parts:
        return None
    right = cause.view[min(cause.case.right)], fix.view[min(fix.case.right)]
    return StatedPair(cause.name, _side(cause, by), _side(fix, by), right)


def _side(one: Lesson, by: Both) -> TargetScores:
    return side_of(one.statements, _rows(one, one.target, by), one.target, RoleModel.of(by[one.target].tables))


def relations_of(pairs: Iterable[StatedPair]) -> dict[str, float]:
    """How much oftener than by chance an expert's cause and fix stand so to each other: `kb.article.quotes.weights.relation` → log-odds."""
    seen: Counter[str] = Counter()
    expected: dict[str, float] = {}
    for one in pairs:
        seen[relation(*one.right)] += 1
        fixes = one.fix.likely().items()
        for at, share in one.cause.likely().items():
            for to, other in fixes:
                name = relation(one.cause.view[at], one.fix.view[to])
                expected[name] = expected.get(name, 0.0) + share * other
    scale = sum(seen.values()) / (sum(expected.values()) or 1.0)
    return {
        name: log((seen[name] + _DOUBT) / (expected.get(name, 0.0) * scale + _DOUBT))
        for name in sorted({*seen, *expected})
    }
