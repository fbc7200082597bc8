"""How far two traces agree, as numbers from 0 to 1 that a person can be told.

Rare agreement near the raise point counts, common frames count for nothing, the root cause is looked at by itself:
every token weighs ``rarity ** SHARPNESS``, frames further from the raise point weigh less, and agreement is
``shared / (shared + QUERY_ONLY · rest of the query + INCIDENT_ONLY · rest of the incident + PRIOR)`` (Tversky 1977,
with a prior so that little evidence never looks like full agreement).
"""

import math
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from index.sketch import ChainSketch

SHARPNESS = 2.0
"""A frame that stands in every tenth incident says less than a third of one that stands in one."""
FADE = 0.06
"""Each further frame from the raise point weighs e^-FADE of the one before."""
QUERY_ONLY, INCIDENT_ONLY = 0.6, 0.4
"""Pastes are cut off more often at the incident's side: what only the incident has counts less against it."""
FRAME_PRIOR, MESSAGE_PRIOR, BAG_PRIOR = 0.6, 0.4, 0.2
"""Evidence worth this much gives half agreement even if all of it is shared."""

BOTH_SILENT = 0.5
"""Two roots without a message agree in that, half as much as in a message."""

Token = TypeVar("Token", bound=Hashable)

Rarity = Mapping[int, float]
"""Token name → rarity, for every token at hand."""
Weights = Mapping[int, float]
"""Token name → what it tells."""

_FADES = tuple(math.exp(-FADE * at) for at in range(512))


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far a trace of the query and a trace of an incident agree."""

    root_message: float = 0.0
    root_frames: float = 0.0
    root_both: float = 0.0
    """Message and frames of the root together: the same place that says something else is another problem."""
    rarest: float = 0.0
    """The rarity of the rarest frame of both."""
    lines: float = 0.0
    """Frames that stand at the same line in both: the very same calls of the same release."""
    everything: float = 0.0
    """Types, messages and frames in one bag, wherever they stand in the chain; both sides' rest counts alike."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """A chain with what each of its tokens tells."""

    chain: ChainSketch
    root: Weights
    frames: Weights
    """Frames of the whole chain, from the root outwards."""
    message: Weights
    everything: Weights
    """Types, words of messages and frames, without regard to depth."""
    mass: float
    """What everything tells together."""
    lines: Mapping[tuple[int, int], float]
    """(frame, line) of the frames whose line is known."""


def weighed(chain: ChainSketch, rarity: Rarity) -> Weighed:
    """The chain with the weights that follow from rarity and depth."""
    frames = _weigh([frame for exception in chain for frame in exception.frames], rarity)
    everything = _words({t for e in chain for t in (e.simple, *e.message, *e.frames) if t}, rarity)
    return Weighed(
        chain=chain,
        root=_weigh(chain[0].frames, rarity) if len(chain) > 1 else frames,
        frames=frames,
        message=_words(chain[0].message, rarity),
        everything=everything,
        mass=math.fsum(everything.values()),
        lines={(f, n): frames[f] for e in chain for f, n in zip(e.frames, e.lines, strict=False) if n and f in frames},
    )


def agree(query: ChainSketch, incident: ChainSketch, rarity: Rarity) -> Agreement:
    """The agreement of two chains."""
    if not query or not incident:
        return Agreement()
    return agreement(weighed(query, rarity), weighed(incident, rarity), rarity)


def agreement(query: Weighed, incident: Weighed, rarity: Rarity) -> Agreement:
    """The agreement of two weighed chains."""
    ours, theirs = query.chain[0], incident.chain[0]
    message = overlap(query.message, incident.message, MESSAGE_PRIOR)
    frames = overlap(query.root, incident.root, FRAME_PRIOR)
    silent = not ours.message and not theirs.message
    shared = [frame for frame in query.frames if frame in incident.frames]
    return Agreement(
        root_message=message,
        root_frames=frames,
        root_both=frames * (BOTH_SILENT if silent else message),
        rarest=max((rarity.get(frame, 1.0) for frame in shared), default=0.0),
        lines=overlap(query.lines, incident.lines, FRAME_PRIOR) if shared else 0.0,
        everything=_cosine(query, incident),
    )


def overlap(ours: Mapping[Token, float], theirs: Mapping[Token, float], prior: float) -> float:
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


def _cosine(query: Weighed, incident: Weighed) -> float:
    """What both have against what each has: a cosine whose squared lengths are sums of weights, with a prior."""
    weights = query.everything
    shared = math.fsum([weights[token] for token in weights.keys() & incident.everything.keys()])
    return shared / (math.sqrt(query.mass * incident.mass) + BAG_PRIOR)


def _weigh(frames: Sequence[int], rarity: Rarity) -> Weights:
    """Distinct frames; the first of its kind counts. Those beyond the table are too deep to weigh anything."""
    weights: dict[int, float] = {}
    for frame, fade in zip(frames, _FADES, strict=False):
        if frame not in weights:
            weights[frame] = rarity.get(frame, 1.0) ** SHARPNESS * fade
    return weights


def _words(tokens: Iterable[int], rarity: Rarity) -> Weights:
    return {token: rarity.get(token, 1.0) ** SHARPNESS for token in tokens}
