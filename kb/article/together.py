"""Cause and fix chosen with an eye on each other: a fix mostly follows its cause, and a sentence seldom is both.

Each target has its own model of which sentence states it. Here the score of each sentence takes in where the other target is
likely to stand: one pass of messages between the two, weighed by how cause and fix stand to each other in marked articles.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import exp, log

from kb.article.statements import ScoredSentence

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
