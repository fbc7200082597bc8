"""The stretch of sentences that is quoted: the one with the highest expected F1, where the choice is certain enough."""

from collections.abc import Collection, Sequence
from math import exp, log

from kb.article.quotes.features import absence
from kb.article.quotes.statements import QuoteTarget, ScoredSentence, Statements
from kb.article.quotes.weights import RoleModel, TargetScores, score

MOST = 4
"""Sentences of a quotation."""
_TWO = 0.1
"""How often the next sentence belongs to what is quoted: as often as in the marked articles, where 0.1 to 0.3 do equally well."""
_SHARPER = 2.0
"""The probabilities are taken to this power: those of an article that did not teach are flatter than they should be."""
_UNLIKELY = 0.02
"""A stretch does not begin with a sentence less probable than this."""
_BARE = 12
"""Words that announce code and say little themselves."""
_SHORT_CODE = 6
"""Lines of code that can be read in passing."""
_CERTAIN, _SHARE = -0.75, 2.0
"""How certain a choice must be where no heading announces the target: its score beyond *nothing is stated*, and `_SHARE` times the log-odds that it is this sentence.

It leaves 7 of 17 wrong causes and 2 of 20 right ones unquoted, 6 of 12 wrong fixes and 1 of 7 right ones (112 incidents without a heading, one reader, 2026-11-27).
"""
FEW = 8
"""Sentences of a short answer: the sentence that is quoted is shown with all others."""
_SINGLE = 10.0
"""Log-odds of the only sentence there is."""
HUGE = 150
"""Words of a long block of code, when its length is compared."""


def stretch(
    document: Statements, side: TargetScores, scores: Sequence[float], target: QuoteTarget, model: RoleModel
) -> list[ScoredSentence]:
    """The likeliest sentences, and short code that they announce; none where no heading announces them and they are not certain."""
    view = list(side.view)
    shares = _shares([value if at in side.able else None for at, value in enumerate(scores)])
    first, last = _likeliest(view, shares)
    if len(view) > FEW and not document.labelled(target):
        beyond = side.scores[first] - score(model.absence, absence(document, target))
        if beyond + _SHARE * _log_odds(scores, side.able, first) < _CERTAIN:
            return []
    if last + 1 < len(view) and _is_bare(view[first : last + 1], view[last + 1]):
        last += 1
    return view[first : last + 1]


def _shares(scores: list[float | None]) -> list[float]:
    """The probability of each sentence to begin what an expert would quote; 0 for those that cannot."""
    top = max(one for one in scores if one is not None)
    powers = [0.0 if one is None else exp(_SHARPER * (one - top)) for one in scores]
    whole = sum(powers)
    return [one / whole for one in powers]


def _log_odds(scores: Sequence[float], able: Collection[int], first: int) -> float:
    """The log-odds of a sentence among those that may be quoted."""
    others = sum(exp(scores[at] - scores[first]) for at in able if at != first)
    return -log(others) if others > exp(-_SINGLE) else _SINGLE


def _likeliest(view: list[ScoredSentence], shares: list[float]) -> tuple[int, int]:
    """The first and the last sentence of the stretch whose expected F1 with what an expert would quote is highest.

    An expert quotes one sentence, or as often as `_TWO` says the next one too.
    """
    sizes = [min(max(one.sentence.words, 1), HUGE) for one in view]
    best = (-1.0, 0, 0)
    for first in range(len(view)):
        if shares[first] < _UNLIKELY:
            continue
        for last in range(first, min(first + MOST, len(view))):
            if view[last].section != view[first].section:
                break
            gain = _expected(view, shares, sizes, (first, last))
            if gain > best[0]:
                best = (gain, first, last)
    return best[1:]


def _expected(view: list[ScoredSentence], shares: list[float], sizes: list[int], stretch: tuple[int, int]) -> float:
    """The expected F1, by words, of a stretch."""
    first, last = stretch
    whole = sum(sizes[first : last + 1])
    gain = 0.0
    for begin in range(max(first - 1, 0), last + 1):
        inside = begin >= first
        pair = begin + 1 < len(view) and view[begin + 1].section == view[begin].section
        if inside:
            alone = 2 * sizes[begin] / (whole + sizes[begin])
            gain += shares[begin] * alone * (1 - _TWO if pair else 1)
        if pair:
            shared = (sizes[begin] if inside else 0) + (sizes[begin + 1] if begin < last else 0)
            gain += shares[begin] * _TWO * 2 * shared / (whole + sizes[begin] + sizes[begin + 1])
    return gain


def _is_bare(taken: list[ScoredSentence], after: ScoredSentence) -> bool:
    """Whether the quotation ends in a few words that announce a few lines of code: without them they say nothing."""
    short = after.sentence.code and after.sentence.lines <= _SHORT_CODE and after.section == taken[-1].section
    return taken[-1].sentence.opens and taken[-1].sentence.words < _BARE and short
