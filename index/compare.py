"""How far two traces agree, as numbers from 0 to 1 that a person can be told.

Rare agreement near the raise point counts, common frames count for nothing, the root cause is looked at by itself:
every token weighs ``rarity ** SHARPNESS``, frames further from the raise point weigh less, and agreement is
``shared / (shared + QUERY_ONLY · rest of the query + INCIDENT_ONLY · rest of the incident + PRIOR)`` (Tversky 1977,
with a prior so that little evidence never looks like full agreement).
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from index.sketch import ChainSketch, ExceptionSketch

SHARPNESS = 2.0
"""A frame that stands in every tenth incident says less than a third of one that stands in one."""
FADE = 0.06
"""Each further frame from the raise point weighs e^-FADE of the one before."""
QUERY_ONLY, INCIDENT_ONLY = 0.6, 0.4
"""Pastes are cut off more often at the incident's side: what only the incident has counts less against it."""
FRAME_PRIOR, MESSAGE_PRIOR = 0.6, 0.4
"""Evidence worth this much gives half agreement even if all of it is shared."""

BOTH_SILENT = 0.5
"""Two roots without a message agree in that, half as much as in a message."""

Rarity = Mapping[int, float]
"""Token name → rarity, for every token at hand."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far a trace of the query and a trace of an incident agree."""

    root_type: float = 0.0
    root_message: float = 0.0
    root_frames: float = 0.0
    root_both: float = 0.0
    """Message and frames of the root together: the same place that says something else is another problem."""
    chain_frames: float = 0.0
    chain_messages: float = 0.0
    depth: float = 0.0
    """The weight of all shared frames: ln(1 + sum), so that ten rare frames say more than one."""


def agree(query: ChainSketch, incident: ChainSketch, rarity: Rarity) -> Agreement:
    """The agreement of two chains."""
    if not query or not incident:
        return Agreement()
    ours, theirs = _weighed(_all_frames(query), rarity), _weighed(_all_frames(incident), rarity)
    message = overlap(_words(query[0].message, rarity), _words(incident[0].message, rarity), MESSAGE_PRIOR)
    frames = overlap(_weighed(query[0].frames, rarity), _weighed(incident[0].frames, rarity), FRAME_PRIOR)
    silent = not query[0].message and not incident[0].message
    return Agreement(
        root_type=type_agreement(query[0], incident[0], rarity),
        root_message=message,
        root_frames=frames,
        root_both=frames * (BOTH_SILENT if silent else message),
        chain_frames=overlap(ours, theirs, FRAME_PRIOR),
        chain_messages=_messages(query, incident, rarity),
        depth=math.log1p(sum(min(weight, theirs[token]) for token, weight in ours.items() if token in theirs)),
    )


def type_agreement(a: ExceptionSketch, b: ExceptionSketch, rarity: Rarity) -> float:
    """The rarity of the type both have; less when only the last part of the name is the same."""
    if not a.simple or a.simple != b.simple:
        return 0.0
    told: float = rarity.get(a.simple, 1.0) ** SHARPNESS
    if a.type == b.type:
        return told
    printed_short = a.type == a.simple or b.type == b.simple
    return told * (0.8 if printed_short else 0.4)


def overlap(ours: Mapping[int, float], theirs: Mapping[int, float], prior: float) -> float:
    """The agreement of two weighed sets; see the module's formula."""
    shared = our_share = their_share = 0.0
    for token, weight in ours.items():
        other = theirs.get(token)
        if other is not None:
            shared += math.sqrt(weight * other)
            our_share += weight
            their_share += other
    if not shared:
        return 0.0
    rest = QUERY_ONLY * (sum(ours.values()) - our_share) + INCIDENT_ONLY * (sum(theirs.values()) - their_share)
    return shared / (shared + max(rest, 0.0) + prior)


def _messages(query: ChainSketch, incident: ChainSketch, rarity: Rarity) -> float:
    """The best agreement of any message of one with any message of the other, roots with roots left out."""
    best = 0.0
    for i, a in enumerate(query):
        for j, b in enumerate(incident):
            if (i or j) and a.message and b.message:
                best = max(best, overlap(_words(a.message, rarity), _words(b.message, rarity), MESSAGE_PRIOR))
    return best


def _all_frames(chain: ChainSketch) -> list[int]:
    """The distinct frames from the root's raise point outwards."""
    return list(dict.fromkeys(frame for exception in chain for frame in exception.frames))


def _weighed(frames: Sequence[int], rarity: Rarity) -> dict[int, float]:
    weighed: dict[int, float] = {}
    for at, frame in enumerate(frames):
        weighed.setdefault(frame, rarity.get(frame, 1.0) ** SHARPNESS * math.exp(-FADE * at))
    return weighed


def _words(message: Sequence[int], rarity: Rarity) -> dict[int, float]:
    return {word: rarity.get(word, 1.0) ** SHARPNESS for word in message}
