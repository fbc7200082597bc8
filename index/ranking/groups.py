"""Incidents of one answer that tell of the same problem stand together: the best of them for all.

Where in doubt they stay apart: a copy listed twice costs a line, another cause that is hidden costs a night (index/README.md, "Groups").
"""

import math
from collections.abc import Iterable, Sequence
from itertools import islice

import numpy as np

from index.answer import FineVerdict
from index.ranking.features import ComparedIncident
from index.ranking.pairs import IncidentPairs
from index.ranking.rank import RankModel, lead_over, most_lead, probability

LOOKED_AT = 20
"""Matches beyond the requested number that are searched for copies."""
_ALIKE, _ALIKE_ABROAD = 0.85, 0.75
"""The cosine from which two incidents may be one; a translation needs less than a copy."""

Ranked = tuple[float, ComparedIncident]


def grouped(ranked: Iterable[Ranked], count: int, pairs: IncidentPairs) -> list[list[Ranked]]:
    """The first ``count`` groups, best first, each with its best in front. ``ranked`` is in order; causes are compared last."""
    looked_at = list(islice(ranked, count + LOOKED_AT))
    rows = [found.row for _, found in looked_at]
    is_home = np.equal.outer(*[pairs.features.languages(rows)] * 2)
    alike = pairs.features.alike(rows) >= np.where(is_home, _ALIKE, _ALIKE_ABROAD)
    groups: list[list[int]] = []
    for at, (_, found) in enumerate(looked_at):
        near = (group for group in groups if alike[group[0], at])
        copies = (group for group in near if pairs.is_one(looked_at[group[0]][1], found))
        own = next((group for group in copies if pairs.may_have_one_cause(rows[group[0]], found.row)), None)
        if own is not None:
            own.append(at)
        else:
            groups.append([at])
    return [[looked_at[at] for at in group] for group in groups[:count]]


MOST_CAUSES = 4
"""More causes than this are a list of incidents, no answer."""
_CLOSE = 2.0
"""So much less in log-odds than the first (a seventh of its odds) and still a cause that somebody should rule out."""


def alternatives(groups: Sequence[Sequence[Ranked]], model: RankModel, pairs: IncidentPairs) -> list[Ranked]:
    """The first of each of the `grouped` that shows the error of the first and states another cause, best first; none or at least two."""
    if not groups or groups[0][0][0] < model.related:
        return []
    first = groups[0][0]
    least = max(model.related, probability(_log_odds(first[0]) - _CLOSE))
    found = [first]
    for group in groups[1:]:
        likely, compared = other = group[0]
        if len(found) == MOST_CAUSES or likely < least:
            break
        if pairs.is_one_error(first[1], compared) and not any(
            pairs.may_have_one_cause(known.row, compared.row) for _, known in found
        ):
            found.append(other)
    return found if len(found) > 1 else []


def lead_of(
    first: ComparedIncident,
    judged: Sequence[Ranked],
    model: RankModel,
    pairs: IncidentPairs,
) -> float:
    """How far the first is ahead of the next other problem (`IncidentPairs.is_rival`) among all ``judged``, as far as it counts."""
    others = [found for _, found in judged if found.row != first.row]  # what readers denied is a rival still
    sums = model.all_log_odds([found.features for found in others])
    own, most = model.log_odds(first.features), most_lead(len(judged))
    for at in sorted(range(len(others)), key=sums.__getitem__, reverse=True):
        ahead = lead_over(own, sums[at])
        if ahead >= most or pairs.is_rival(first, others[at]):
            return min(ahead, most)
    return most


def standing(likely: Sequence[float], model: RankModel) -> FineVerdict:
    """The verdict of the first match and the other causes of its error: together probable at most, known by the first alone."""
    alone, both = model.fine_verdict(max(likely, default=0.0)), model.fine_verdict(together(likely))
    return FineVerdict.PROBABLE if both is FineVerdict.KNOWN and alone is not FineVerdict.KNOWN else both


def together(probabilities: Sequence[float]) -> float:
    """The probability that it is one of them: causes exclude each other, so their odds against "none of them" add up."""
    return probability(math.log(sum(math.exp(_log_odds(one)) for one in probabilities))) if probabilities else 0.0


def _log_odds(probability: float) -> float:
    held = min(max(probability, 1e-9), 1.0 - 1e-9)
    return math.log(held / (1.0 - held))
