"""Whether two incidents of one answer tell of one problem, and whether they show one error.

Where in doubt they are two: a copy listed twice costs a line, another cause that is hidden costs a night (index/README.md, "Groups").
"""

import math
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import cache, lru_cache, partial
from itertools import product

from index.encoder import Encoder, vector_of
from index.ranking.compare import SHARPNESS
from index.ranking.features import ComparedIncident, FeatureReader
from index.terms.sketch import ChainSketch, tokens_of

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

_MESSAGE = 0.4
"""The agreement of messages that is about a half of what it can be: a message of two common words never reaches 1."""
_AS_WELL = 0.75
"""The share of the first one's agreement that another must have: the very same message, or another with more words in it."""

Likeness = Callable[[int, int], float | None]
"""How alike the causes are that the incidents of two rows state: their cosine; None where one states none."""


class StatedCauses:
    """How alike two stated causes are."""

    def __init__(self, encoder: Encoder) -> None:
        self._vector = lru_cache(maxsize=_CAUSES)(partial(vector_of, encoder))

    def between(self, cause: Callable[[int], str]) -> Likeness:
        """How alike the causes of two rows are: ``cause`` reads that of a row, of each once, and of none beside a row that states none."""
        read = cache(cause)
        return lambda ours, theirs: self._likeness(read(ours), read(theirs)) if read(ours) else None

    def _likeness(self, ours: str, theirs: str) -> float | None:
        """Return the cosine of two causes; None where one is not stated."""
        if not (ours and theirs):
            return None
        one, other = self._vector(ours[:_CAUSE]), self._vector(theirs[:_CAUSE])
        return float(one @ other)


class IncidentPairs:
    """Compares the incidents of one answer two by two. Dozens may have the very same trace, so how far two chains agree is kept."""

    def __init__(self, features: FeatureReader, likeness: Likeness) -> None:
        self.features = features
        self._likeness = likeness
        self._agreed: dict[tuple[ChainSketch, ChainSketch], float] = {}

    def may_have_one_cause(self, ours: int, theirs: int) -> bool:
        """Whether the causes of two rows may be one; so they may where one is not stated."""
        return _may_be_one(self._likeness(ours, theirs))

    def is_one(self, ours: ComparedIncident, theirs: ComparedIncident) -> bool:
        """Whether two incidents tell of one problem: the same trace, or the same page."""
        both = self._chains(ours), self._chains(theirs)
        traces = max((self._agreement(a, b) for a, b in product(*both)), default=None)
        if traces is not None and traces >= _SAME_TRACE:
            return True
        rows = ours.row, theirs.row
        if self.features.shared_title(*rows) < _SAME_TITLE:
            return False
        words = self.features.shared_words(*rows)
        has_no_other = traces is None or traces >= _NO_OTHER_TRACE
        return (words >= _SAME_WORDS and has_no_other) or (words >= _COPIED_WORDS and _are_equal(*both))

    def is_one_error(self, ours: ComparedIncident, theirs: ComparedIncident) -> bool:
        """Whether the root message of the paste agrees with both, and no type says otherwise."""
        if None not in (ours.trace, theirs.trace) and ours.trace != theirs.trace:
            return False
        both = [(one.features.root_message, _message_share(one)) for one in (ours, theirs)]
        if not any(a >= _MESSAGE and b >= _AS_WELL * a for a, b in zip(*both, strict=True)):
            return False
        types = [self._types(one) for one in (ours, theirs)]
        return not all(types) or bool(types[0] & types[1])

    def is_rival(self, first: ComparedIncident, other: ComparedIncident) -> bool:
        """Whether another write-up tells of another problem.

        It does not if it is the same page, or shows the error of the first by its traces and states the same cause or none, or if it states another cause of that error.
        """
        same, is_one_error = self._likeness(first.row, other.row), self.is_one_error(first, other)
        if not _may_be_one(same):
            return not is_one_error
        has_traces = None not in (first.incident_chain, other.incident_chain)
        if is_one_error and has_traces and (same is None or same >= _COPIED_CAUSE):
            return False  # most end here: what follows compares all words and frames
        return not self.is_one(first, other) and self.features.shared_words(first.row, other.row) < _COPIED_WORDS

    def _chains(self, found: ComparedIncident) -> Sequence[ChainSketch]:
        """The incident's chain that was compared with the query, else the first ones."""
        chains = self.features.chains(found.row)
        at = found.incident_chain
        return chains[:_CHAINS] if at is None else chains[at : at + 1]

    def _types(self, found: ComparedIncident) -> frozenset[int]:
        """The types of the incident's chain that was compared."""
        if found.incident_chain is None:
            return frozenset()
        chain = self.features.chains(found.row)[found.incident_chain]
        return frozenset(one.simple for one in chain if one.simple)

    def _agreement(self, ours: ChainSketch, theirs: ChainSketch) -> float:
        """The same as the function of this name, worked out once for each pair."""
        both = (ours, theirs)
        if both not in self._agreed:
            self._agreed[both] = _agreement(ours, theirs, self.features)
        return self._agreed[both]


def _are_equal(ours: Sequence[ChainSketch], theirs: Sequence[ChainSketch]) -> bool:
    """Whether the same types, words and frames stand in both, if any."""
    return [tokens_of(one) for one in ours] == [tokens_of(one) for one in theirs]


def _may_be_one(likeness: float | None) -> bool:
    """Whether two causes may be one; so they may where one is not stated."""
    return likeness is None or likeness >= _SAME_CAUSE


def _message_share(found: ComparedIncident) -> float:
    """Share of the paste's message that the incident's words have, if none of its traces was compared; else 0.

    Where traces were compared, their root messages decide: two incidents may share a wrapper's message and nothing else.
    """
    return found.features.quoted if found.incident_chain is None else 0.0


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
