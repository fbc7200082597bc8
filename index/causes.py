"""One error, several causes: incidents that show what the paste shows and differ in why it came to that."""

import math
from collections.abc import Callable, Sequence

from index.features import ComparedIncident, FeatureReader
from index.groups import Ranked
from index.rank import RankModel, probability

MOST_CAUSES = 4
"""More causes than this are a list of incidents, no answer."""
_CLOSE = 2.0
"""So much less in log-odds than the first (a seventh of its odds) and still a cause that somebody should rule out."""
_MESSAGE = 0.4
"""The agreement of messages that is about a half of what it can be: a message of two common words never reaches 1."""
_AS_WELL = 0.75
"""The share of the first one's agreement that another must have: the very same message, or another with more words in it."""


def alternatives(
    groups: Sequence[Sequence[Ranked]],
    model: RankModel,
    features: FeatureReader,
    is_one_cause: Callable[[int, int], bool],
) -> list[Ranked]:
    """The first of each group that shows the error of the first group and states another cause, best first; none or at least two.

    ``groups`` are what `index.groups` made, best first. ``is_one_cause`` says of two rows whether the causes they state may be one:
    who states no cause is no alternative.
    """
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
            is_one_cause(known.row, compared.row) for _, known in found
        ):
            found.append(other)
    return found if len(found) > 1 else []


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
