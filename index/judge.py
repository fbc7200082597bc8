"""How probable one comparison makes its incident: the sum of the model, what readers said, and what holds for the threads of a dump."""

import math
from collections.abc import Sequence

from index.features import ComparedIncident
from index.rank import RankModel, probability
from index.reading import Reading

BESIDE_A_FAULT = 0.5
"""A paste that shows a fault is about the fault: an incident with one of the idle threads beside it is at best related."""

LEAST = 0.01
"""Who confirms a match for the same trace makes it `known` if it was this probable: of the right answers among the first five
3 % are less (part train of the real pairs)."""
_SURE = 0.99
"""A threshold above this counts as this: what readers move stays below 9.2, whatever a model says."""


def odds(found: Sequence[ComparedIncident], model: RankModel) -> list[float]:
    """The log-odds of each incident: what its features add up to, and what readers move."""
    sums = model.all_log_odds([one.features for one in found])
    return [log_odds + moved(one, model) for one, log_odds in zip(found, sums, strict=True)]


def chance(reading: Reading, found: ComparedIncident, log_odds: float) -> float:
    """The probability that the incident with these `odds` is the one the text is about.

    One of n idle threads that agrees is one of n chances to agree by accident: its odds are divided by n.
    """
    usual = probability(log_odds)
    if found.trace is None or not reading.traces[found.trace].is_idle_thread:
        return usual
    threads = reading.threads
    one_of_many = usual / (usual + (1.0 - usual) * threads)
    return min(one_of_many, BESIDE_A_FAULT) if threads < len(reading.traces) else one_of_many


def moved(found: ComparedIncident, model: RankModel) -> float:
    """The log-odds that readers add, or take away: at most `bound`."""
    return found.seen.share * bound(model) if found.seen else 0.0


def bound(model: RankModel) -> float:
    """The most that readers move: from LEAST to `known`."""
    known = min(model.known, _SURE)
    return math.log(known / (1.0 - known)) - math.log(LEAST / (1.0 - LEAST))
