"""Voices and what they come to: who votes, what of it counts, and what is searched by it. Nothing here needs a database."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum

from kb.store.model import Author, Vote

VOICES = 3
"""Voters without a key who have to agree (more than disagree): one person has two addresses easily, a laptop's and a phone's."""


class Weight(IntEnum):
    """How much a voter counts where votes change what is found."""

    VOICE = 0
    """Nobody in particular, or somebody of a chat: several of them have to agree."""
    KEY = 1
    """Somebody with a key or a login."""
    CURATOR = 2


@dataclass(frozen=True, slots=True)
class Voter:
    """Who votes: the actor, and what else is known of them."""

    weight: Weight = Weight.VOICE
    address: str | None = None
    """The address of somebody without a name; kept as a keyed hash alone, which many addresses share."""


@dataclass(frozen=True, slots=True)
class Latest:
    """What a voter said last of a paste."""

    vote: Vote
    at: datetime


@dataclass(frozen=True, slots=True)
class Sighting:
    """A paste of which readers said that it is an incident, or is not: its fingerprints and the words of its message as hashes, no text."""

    name: str
    """A digest of the fingerprints: equal for equal ones."""
    vote: Vote | None
    """What counts: YES is searched, NO lowers. None: too few said so, or they disagree, or a curator removed it."""
    prints: Mapping[str, tuple[str, ...]]
    """Digests by level; ``message`` has the names of words."""
    version: int
    """The version of the fingerprints: those of another find nothing."""
    yes: int
    no: int
    """Voters, each counted once."""
    first: datetime
    last: datetime
    removed_by: Author | None = None
    removed_at: datetime | None = None


@dataclass(frozen=True, slots=True)
class LearnedSightings:
    """All sightings of one incident that count."""

    sequence: int
    """The change that it stands for: the higher number replaces the lower."""
    incident_id: str
    stands_for: str
    """The incident that is found by them: another where this one was merged."""
    sightings: tuple[Sighting, ...]


def agreed(voices: Iterable[tuple[int, int]]) -> Vote | None:
    """What voices (weight and vote of each) come to: curators first, then those with a key, then VOICES of all others."""
    leads = dict.fromkeys(Weight, 0)
    for weight, vote in voices:
        leads[Weight(weight)] += 1 if vote else -1
    for weight, least in ((Weight.CURATOR, 1), (Weight.KEY, 1), (Weight.VOICE, VOICES)):
        if abs(leads[weight]) >= least:
            return Vote.YES if leads[weight] > 0 else Vote.NO
    return None
