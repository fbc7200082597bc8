"""The cause and the fix a write-up states: a short stretch of its own words, or nothing. Never generated.

Which sentence begins the quotation, whether it goes on, and whether nothing is stated, is told by linear models over the
features of `kb.article.features`. `kb roles train` learns them; index/training/roles/README.md is their card.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from math import exp, log

from kb.article.features import Row, absence, following, rows
from kb.article.sections import Section
from kb.article.sentences import Sentence, joined
from kb.article.statements import Statements, Target, Told
from kb.errors import RulesError
from kb.incident import Place

_MOST = 6
"""Sentences of a quotation."""
_SURE = 0.6
"""By how much *nothing is stated* must outscore the best sentence: a reader can judge a quotation, but not a silence."""
_BARE = 8
"""Words that announce code and say little themselves."""
_SHORT_CODE = 6
"""Lines of code that can be read in passing."""


@dataclass(frozen=True, slots=True)
class Quote:
    """Sentences of one section, quoted."""

    sentences: tuple[Sentence, ...]
    heading: str | None
    """The heading or label of the section."""

    @property
    def text(self) -> str:
        """The quotation, verbatim but for the marks of lists and emphasis that a cut leaves open."""
        return joined(self.sentences)

    def places(self, text: str) -> tuple[Place, ...]:
        """Where it stands in the text of its document; sentences that follow each other are one place."""
        spans: list[tuple[int, int]] = []
        for one in self.sentences:
            start, end = _found(text, one, spans[-1][1] if spans else 0)
            if spans and not text[spans[-1][1] : start].strip() and start >= spans[-1][1]:
                spans[-1] = (spans[-1][0], end)
            else:
                spans.append((start, end))
        return tuple(Place(start, end, text.count("\n", 0, start) + 1, self.heading) for start, end in spans)


def _found(text: str, one: Sentence, after: int) -> tuple[int, int]:
    """The offsets of a sentence; those of its block where the block does not hold it letter by letter (tags, quote marks)."""
    first, last = one.place
    for begin in (max(first, after), first):
        start = text.find(one.text, begin, last)
        if start >= 0:
            return start, start + len(one.text)
    block = text[first:last]
    return first + len(block) - len(block.lstrip()), first + len(block.rstrip())


@dataclass(frozen=True, slots=True)
class Model:
    """The weights for one target."""

    weights: Mapping[str, Mapping[str, float]]
    """By state of the sentence."""
    absence: Mapping[str, float]
    goes_on: Mapping[str, float]

    @classmethod
    def of(cls, tables: Mapping[str, Mapping[str, float]]) -> "Model":
        """The model of weights by state: ``in``, ``out``, ``none``; ``all`` counts in each, and ``on`` is about going on."""
        everywhere = tables.get("all", {})
        weights: dict[str, Mapping[str, float]] = {}
        for state in ("in", "out", "none"):
            own = tables.get(state, {})
            weights[state] = {name: everywhere.get(name, 0.0) + own.get(name, 0.0) for name in {*everywhere, *own}}
        return cls(weights, everywhere, tables.get("on", {}))


@dataclass(frozen=True, slots=True)
class Stated:
    """What a write-up states of one incident; None where it states none."""

    cause: Quote | None
    fix: Quote | None


def stated(
    parts: tuple[Section, ...], title: str, is_trace: Callable[[str], bool], is_anchor: Callable[[str], bool]
) -> Stated:
    """The cause and the fix that the sections of one incident state, whose trace ``is_anchor`` knows the lines of.

    The workaround stands for a fix where there is none, and code where the section holds nothing else.
    """
    document = Statements(parts, is_trace, is_anchor)
    cause, fix = (_quoted(document, rows(document, title, target), target) for target in Target)
    return Stated(cause, fix)


def _quoted(document: Statements, found: list[Row], target: Target) -> Quote | None:
    taken = quoted(document, found, target, _models()[target])
    if not taken:
        return None
    return Quote(tuple(one.sentence for one in taken), document.parts[taken[0].section].title or None)


def quoted(document: Statements, found: list[Row], target: Target, model: Model) -> list[Told]:
    """The likeliest sentence and those after it that belong to the quotation; none where silence is clearly likelier.

    A sentence that asks, or says that nothing is known, is never the first; a section whose whole heading is about the
    target states something with any other.
    """
    view = document.view(target)
    scores = [score(model.weights[state], features) for state, features in found]
    able = [at for at, one in enumerate(view) if not one.cue.negated]
    if not able:
        return []
    at = max(able, key=scores.__getitem__)
    nothing = score(model.absence, absence(document, target))
    if nothing - scores[at] > _SURE and not document.labelled(target):
        return []
    shares = log_shares(scores, nothing)
    taken = [view[at]]
    for after in view[at + 1 : at + _MOST]:
        if after.section != taken[0].section:
            break
        odds = shares[at + len(taken)]
        features = following(taken[-1], after, [one.sentence for one in taken], target, (odds - shares[at], odds))
        if score(model.goes_on, features) < 0 and not _is_bare(taken, after):
            break
        taken.append(after)
    return taken


def _is_bare(taken: list[Told], after: Told) -> bool:
    """Whether the quotation is only a few words that announce a few lines of code: without them it says nothing."""
    words = sum(one.sentence.words for one in taken)
    return taken[-1].sentence.opens and words < _BARE and after.sentence.code and after.sentence.lines <= _SHORT_CODE


def log_shares(scores: list[float], nothing: float) -> list[float]:
    """The logarithm of each sentence's share of the probability: softmax over the sentences and the answer *nothing*."""
    top = max(*scores, nothing)
    whole = log(sum(exp(one - top) for one in scores) + exp(nothing - top))
    return [one - top - whole for one in scores]


def score(weights: Mapping[str, float], features: Mapping[str, float]) -> float:
    """The sum of the weighed features; a feature without a weight counts nothing."""
    total = 0.0
    for name, value in features.items():
        total += weights.get(name, 0.0) * value
    return total


@lru_cache(maxsize=1)
def _models() -> Mapping[Target, Model]:
    """The models of ``rules/roles.tsv``: lines of target, state, feature, weight."""
    tables: dict[Target, dict[str, dict[str, float]]] = {target: {} for target in Target}
    text = files("kb.article").joinpath("rules", "roles.tsv").read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith("#"):
            continue
        try:
            target, state, feature, weight = line.split("\t")
            tables[Target(target)].setdefault(state, {})[feature] = float(weight)
        except ValueError:
            raise RulesError(
                f"roles.tsv line {number}: {line!r}", cure="write it again with `kb roles train`"
            ) from None
    return {target: Model.of(table) for target, table in tables.items()}
