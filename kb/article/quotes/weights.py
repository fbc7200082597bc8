"""What was learned of how causes and fixes are stated: the weights of ``rules/roles.tsv`` (`kb roles train`)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from math import exp, log

from kb.article.quotes.statements import QuoteTarget, ScoredSentence
from kb.errors import RulesError

RELATION = "relation"
"""Stands for the target in lines that tell of both."""
EVERYWHERE = "all"
"""Stands for the state in lines that count in each."""


@dataclass(frozen=True, slots=True)
class RoleModel:
    """The weights for one target."""

    weights: Mapping[str, Mapping[str, float]]
    """By state of the sentence."""
    absence: Mapping[str, float]

    @classmethod
    def of(cls, tables: Mapping[str, Mapping[str, float]]) -> "RoleModel":
        """The model of weights by state: ``in``, ``out``, ``none``; ``all`` counts in each."""
        everywhere = tables.get(EVERYWHERE, {})
        weights: dict[str, Mapping[str, float]] = {}
        for state in ("in", "out", "none"):
            own = tables.get(state, {})
            weights[state] = {name: everywhere.get(name, 0.0) + own.get(name, 0.0) for name in {*everywhere, *own}}
        return cls(weights, everywhere)


@dataclass(frozen=True, slots=True)
class RoleModels:
    """The models of both targets, and what they tell of each other."""

    of: Mapping[QuoteTarget, RoleModel]
    relations: Mapping[str, float]
    """`kb.article.quotes.weights.relation` → log-odds that an expert's cause and fix stand so."""


def score(weights: Mapping[str, float], features: Mapping[str, float]) -> float:
    """The sum of the weighed features; a feature without a weight counts nothing."""
    total = 0.0
    for name, value in features.items():
        total += weights.get(name, 0.0) * value
    return total


def read_weights(text: str) -> RoleModels:
    """The weights of a file: lines of target, state, feature, weight. Raises `RulesError` that names the line."""
    tables: dict[str, dict[str, dict[str, float]]] = {name: {} for name in (*QuoteTarget, RELATION)}
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith("#"):
            continue
        try:
            target, state, feature, weight = line.split("\t")
            tables[target].setdefault(state, {})[feature] = float(weight)
        except (ValueError, KeyError):
            raise RulesError(
                f"roles.tsv line {number}: {line!r}", cure="write it again with `kb roles train`"
            ) from None
    return RoleModels(
        {target: RoleModel.of(tables[target]) for target in QuoteTarget}, tables[RELATION].get(EVERYWHERE, {})
    )


@lru_cache(maxsize=1)
def bundled() -> RoleModels:
    """The weights that come with the package."""
    return read_weights(files("kb.article").joinpath("rules", "roles.tsv").read_text(encoding="utf-8"))


_LIKELY = 0.01
"""A sentence less probable than this neither tells the other side anything nor is told."""
_NEAR = 4
"""Sentences between cause and fix that are near each other."""


@dataclass(frozen=True, slots=True)
class TargetScores:
    """The sentences that may state one target."""

    view: Sequence[ScoredSentence]
    scores: Sequence[float]
    able: frozenset[int]
    """Those of them that a quotation may begin with."""

    @property
    def best(self) -> ScoredSentence | None:
        """The likeliest of them."""
        at = max(sorted(self.able), key=self.scores.__getitem__, default=None)
        return None if at is None else self.view[at]

    def likely(self) -> dict[int, float]:
        """The sentences with which an expert's quotation is likely to begin, and how probable that is if anything is stated."""
        top = max((self.scores[at] for at in self.able), default=0.0)
        powers = {at: exp(self.scores[at] - top) for at in sorted(self.able)}
        whole = sum(powers.values())
        return {at: power / whole for at, power in powers.items() if power >= _LIKELY * whole}


def relation(cause: ScoredSentence, fix: ScoredSentence) -> str:
    """How the sentence that states the fix stands to the one that states the cause."""
    if cause.section == fix.section:
        apart = fix.index - cause.index
        if apart <= 0:
            return "same" if apart == 0 else "just before" if apart == -1 else "before"
        return "next" if apart == 1 else "near" if apart <= _NEAR else "after"
    apart = fix.section - cause.section
    return "section before" if apart < 0 else f"section {min(apart, 3)} after"


def together(cause: TargetScores, fix: TargetScores, relations: Mapping[str, float]) -> tuple[list[float], list[float]]:
    """The scores of the sentences of both, each with what the other side tells of it."""
    causing, fixing = cause.likely(), fix.likely()
    causes, fixes = list(cause.scores), list(fix.scores)
    if not causing or not fixing:
        return causes, fixes
    odds = {
        (at, to): exp(relations.get(relation(cause.view[at], fix.view[to]), 0.0)) for at in causing for to in fixing
    }
    for at in causing:
        causes[at] += log(sum(share * odds[at, to] for to, share in fixing.items()))
    for to in fixing:
        fixes[to] += log(sum(share * odds[at, to] for at, share in causing.items()))
    return causes, fixes
