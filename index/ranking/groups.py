"""Incidents of one answer that tell of the same problem stand together: the best of them for all.

Where in doubt they stay apart: a copy listed twice costs a line, another cause that is hidden costs a night (index/README.md, "Groups").
"""

import math
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache, partial
from itertools import product

import numpy as np

from index.answer import FineVerdict
from index.encoder import Encoder, vector_of
from index.ranking.compare import SHARPNESS
from index.ranking.features import ComparedIncident, FeatureReader
from index.ranking.rank import RankModel, lead_over, most_lead, probability
from index.terms.sketch import ChainSketch, tokens_of

LOOKED_AT = 20
"""Matches beyond the requested number that are searched for copies."""
_ALIKE, _ALIKE_ABROAD = 0.85, 0.75
"""The cosine from which two incidents may be one; a translation needs less than a copy."""
_SAME_TRACE = 0.9
"""The share of types, words of messages and frames that two chains have in common."""
_SAME_MESSAGE = 0.7
"""The share of the words of two root messages: one word of two sentences may be the difference."""
_TELLING = 1.0
"""What the tokens of both chains tell together: `NullPointerException` over `Thread.run` is nobody's copy."""
_SAME_TITLE, _SAME_WORDS, _COPIED_WORDS = 0.9, 0.6, 0.95
"""Shares of the words that both have, by what they tell: of one page for another release, of a page that was copied."""
_NO_OTHER_TRACE = 0.8
"""Copies of a page have the same traces, too."""
_CHAINS = 3
"""Of incidents that no trace was compared with, as many of the first are looked at."""

_CAUSE = 600
"""Characters of a stated cause that are compared with those of another."""
_CAUSES = 4096
"""Causes whose vectors are kept, a kilobyte each: the same write-ups are compared again and again."""
_SAME_CAUSE, _COPIED_CAUSE = 0.5, 0.85
"""Cosines of two stated causes: below the first, incidents with one trace are two problems; from the second on they state the same."""

Ranked = tuple[float, ComparedIncident]
Likeness = Callable[[int, int], float | None]
"""How alike the causes are that the incidents of two rows state: their cosine; None where one states none."""


class StatedCauses:
    """How alike two stated causes are."""

    def __init__(self, encoder: Encoder) -> None:
        self._vector = lru_cache(maxsize=_CAUSES)(partial(vector_of, encoder))

    def likeness(self, ours: str, theirs: str) -> float | None:
        """Return the cosine of two causes; None where one is not stated."""
        if not (ours and theirs):
            return None
        one, other = self._vector(ours[:_CAUSE]), self._vector(theirs[:_CAUSE])
        return float(one @ other)


def grouped(ranked: Sequence[Ranked], count: int, features: FeatureReader, likeness: Likeness) -> list[list[Ranked]]:
    """The first ``count`` groups, best first, each with its best in front. ``ranked`` is in order; causes are compared last."""
    looked_at = ranked[: count + LOOKED_AT]
    rows = [found.row for _, found in looked_at]
    is_home = np.equal.outer(*[features.languages(rows)] * 2)
    alike = features.alike(rows) >= np.where(is_home, _ALIKE, _ALIKE_ABROAD)
    groups: list[list[int]] = []
    for at, (_, found) in enumerate(looked_at):
        near = (group for group in groups if alike[group[0], at])
        copies = (group for group in near if _is_one(looked_at[group[0]][1], found, features))
        own = next((group for group in copies if _may_be_one(likeness(rows[group[0]], found.row))), None)
        if own is not None:
            own.append(at)
        else:
            groups.append([at])
    return [[looked_at[at] for at in group] for group in groups[:count]]


def _is_one(ours: ComparedIncident, theirs: ComparedIncident, features: FeatureReader) -> bool:
    """Whether two incidents tell of one problem: the same trace, or the same page."""
    rows, both = (ours.row, theirs.row), (_chains(ours, features), _chains(theirs, features))
    is_page, words = features.shared_title(*rows) >= _SAME_TITLE, features.shared_words(*rows)
    if is_page and words >= _COPIED_WORDS and _are_equal(*both):
        return True
    traces = max((_agreement(a, b, features) for a, b in product(*both)), default=None)
    if traces is not None and traces >= _SAME_TRACE:
        return True
    return is_page and words >= _SAME_WORDS and (traces is None or traces >= _NO_OTHER_TRACE)


def _are_equal(ours: Sequence[ChainSketch], theirs: Sequence[ChainSketch]) -> bool:
    """Whether the same types, words and frames stand in both, if any."""
    return [tokens_of(one) for one in ours] == [tokens_of(one) for one in theirs]


def _may_be_one(likeness: float | None) -> bool:
    """Whether two causes may be one; so they may where one is not stated."""
    return likeness is None or likeness >= _SAME_CAUSE


def _chains(found: ComparedIncident, features: FeatureReader) -> Sequence[ChainSketch]:
    """The incident's chain that was compared with the query, else the first ones."""
    chains = features.chains(found.row)
    return chains[:_CHAINS] if found.incident_chain is None else chains[found.incident_chain : found.incident_chain + 1]


def _agreement(ours: ChainSketch, theirs: ChainSketch, features: FeatureReader) -> float:
    """How far two chains are one (weighted Jaccard of their tokens); 0 where their roots say something else or nothing much is said.

    Errors without frames are never the same trace: one message has many causes. Where neither root says anything that tells, frames
    alone speak, and one other frame may be the difference.
    """
    if not ours or not theirs or ours[0].simple != theirs[0].simple:
        return 0.0
    weights = {token: rarity**SHARPNESS for token, rarity in features.rarity_of([ours, theirs]).items()}
    words = _share(set(ours[0].message), set(theirs[0].message), weights)
    if words is not None and words < _SAME_MESSAGE:
        return 0.0
    both = tokens_of(ours) & tokens_of(theirs)
    if sum(weights.get(token, 0.0) for token in both) < _TELLING:
        return 0.0
    found = _share(tokens_of(ours), tokens_of(theirs), weights) or 0.0
    has_frames = ours[0].frames and theirs[0].frames
    is_proof = words is not None or tokens_of(ours) == tokens_of(theirs)
    return found if has_frames and is_proof else min(found, _NO_OTHER_TRACE)


def _share(ours: AbstractSet[int], theirs: AbstractSet[int], weights: Mapping[int, float]) -> float | None:
    """The weight of what both have among what either has; None where neither has anything that tells."""
    either = math.fsum(weights.get(token, 0.0) for token in ours | theirs)
    return math.fsum(weights.get(token, 0.0) for token in ours & theirs) / either if either else None


MOST_CAUSES = 4
"""More causes than this are a list of incidents, no answer."""
_CLOSE = 2.0
"""So much less in log-odds than the first (a seventh of its odds) and still a cause that somebody should rule out."""
_MESSAGE = 0.4
"""The agreement of messages that is about a half of what it can be: a message of two common words never reaches 1."""
_AS_WELL = 0.75
"""The share of the first one's agreement that another must have: the very same message, or another with more words in it."""


def alternatives(
    groups: Sequence[Sequence[Ranked]], model: RankModel, features: FeatureReader, likeness: Likeness
) -> list[Ranked]:
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
        if _is_one_error(first[1], compared, features) and not any(
            _may_be_one(likeness(known.row, compared.row)) for _, known in found
        ):
            found.append(other)
    return found if len(found) > 1 else []


def lead_of(
    first: ComparedIncident,
    judged: Sequence[Ranked],
    model: RankModel,
    features: FeatureReader,
    likeness: Likeness,
) -> float:
    """How far the first is ahead of the next other problem (`is_rival`) among all ``judged``, as far as it counts."""
    others = [found for _, found in judged if found.row != first.row]  # what readers denied is a rival still
    sums = model.all_log_odds([found.features for found in others])
    own, most = model.log_odds(first.features), most_lead(len(judged))
    for at in sorted(range(len(others)), key=sums.__getitem__, reverse=True):
        ahead = lead_over(own, sums[at])
        if ahead >= most or is_rival(first, others[at], features, likeness):
            return min(ahead, most)
    return most


def is_rival(first: ComparedIncident, other: ComparedIncident, features: FeatureReader, likeness: Likeness) -> bool:
    """Whether another write-up tells of another problem.

    It does not if it is the same page, or shows the error of the first by its traces and states the same cause or none, or if it states another cause of that error.
    """
    same = likeness(first.row, other.row)
    if not _may_be_one(same):
        return not _is_one_error(first, other, features)
    if features.shared_words(first.row, other.row) >= _COPIED_WORDS or _is_one(first, other, features):
        return False
    states_no_other = same is None or same >= _COPIED_CAUSE
    has_traces = None not in (first.incident_chain, other.incident_chain)
    return not (states_no_other and has_traces and _is_one_error(first, other, features))


def standing(likely: Sequence[float], model: RankModel) -> FineVerdict:
    """The verdict of the first match and the other causes of its error: together probable at most, known by the first alone."""
    alone, both = model.fine_verdict(max(likely, default=0.0)), model.fine_verdict(together(likely))
    return FineVerdict.PROBABLE if both is FineVerdict.KNOWN and alone is not FineVerdict.KNOWN else both


def together(probabilities: Sequence[float]) -> float:
    """The probability that it is one of them: causes exclude each other, so their odds against "none of them" add up."""
    return probability(math.log(sum(math.exp(_log_odds(one)) for one in probabilities))) if probabilities else 0.0


def _is_one_error(ours: ComparedIncident, theirs: ComparedIncident, features: FeatureReader) -> bool:
    """Whether the root message of the paste agrees with both, and no type says otherwise."""
    if None not in (ours.trace, theirs.trace) and ours.trace != theirs.trace:
        return False
    both = [(one.features.root_message, _message_share(one)) for one in (ours, theirs)]
    agree = any(a >= _MESSAGE and b >= _AS_WELL * a for a, b in zip(*both, strict=True))
    types = [_types(one, features) for one in (ours, theirs)]
    return agree and (not all(types) or bool(types[0] & types[1]))


def _message_share(found: ComparedIncident) -> float:
    """Share of the paste's message that the incident's words have, if none of its traces was compared; else 0.

    Where traces were compared, their root messages decide: two incidents may share a wrapper's message and nothing else.
    """
    return found.features.quoted if found.incident_chain is None else 0.0


def _types(found: ComparedIncident, features: FeatureReader) -> frozenset[int]:
    """The types of the incident's chain that was compared."""
    if found.incident_chain is None:
        return frozenset()
    return frozenset(one.simple for one in features.chains(found.row)[found.incident_chain] if one.simple)


def _log_odds(probability: float) -> float:
    held = min(max(probability, 1e-9), 1.0 - 1e-9)
    return math.log(held / (1.0 - held))
