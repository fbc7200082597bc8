"""The words of the store. Nothing here needs a database."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from enum import IntEnum, StrEnum
from functools import cached_property
from typing import Any

from kb.incident import Incident, Status
from kb.record import read_chains, stored


class Role(StrEnum):
    """What somebody may do; each may do what those before it may. Who may do what is decided at the doors."""

    READER = "reader"
    CURATOR = "curator"
    REVIEWER = "reviewer"
    ADMIN = "admin"

    def covers(self, needed: "Role") -> bool:
        """Whether this role may do what ``needed`` may."""
        ranks = list(Role)
        return ranks.index(self) >= ranks.index(needed)


@dataclass(frozen=True, slots=True)
class Actor:
    """Who does something."""

    id: str
    """Of a key, of a login, or of a program."""
    name: str
    role: Role = Role.READER


NOBODY = Actor("nobody", "nobody")
"""Who says so where nobody says who they are: many people."""

INGEST = Actor("ingest", "ingest")
"""The author of what was taken over from a snapshot."""


@dataclass(frozen=True, slots=True)
class Author:
    """Who wrote something, as they were called then."""

    id: str
    name: str


@dataclass(frozen=True)
class Revision:
    """One state of an incident. Never changes."""

    incident_id: str
    number: int
    """Counts up from 1, or from the revision that an adopted incident had."""
    status: Status
    record: Mapping[str, Any]
    """As `kb.record.to_record` writes it; its ``revision`` and ``status`` are those here."""
    author: Author
    note: str
    at: datetime
    """UTC."""
    sequence: int
    """Of the change that wrote it: of all changes of the store, one has it."""

    @cached_property
    def shown(self) -> Incident:
        """The incident without chains, which are read of its traces."""
        return stored(self.record)

    @cached_property
    def incident(self) -> Incident:
        """The incident, its traces read."""
        return replace(self.shown, chains=read_chains(self.shown.traces))


@dataclass(frozen=True, slots=True)
class StoreHead:
    """Where a store is: of one moment, so that number and name belong together."""

    sequence: int
    """The number of the last change of anything; 0 in a new store."""
    store_id: str
    """The name of the count of changes: another after a backup was restored."""


@dataclass(frozen=True, slots=True)
class IncidentChange:
    """What became of one incident in search: as it is found now, or that it is not."""

    sequence: int
    """Changes of one incident count up; of two, the one with the higher number holds."""
    incident_id: str
    incident: Incident | None
    """Without chains: they are read of its traces where it is searched, under the rules in force there. None: removed."""
    fault: str | None = None
    """Why its record cannot be read, as the name of an error; None for every record that this code wrote."""

    def __post_init__(self) -> None:
        if self.incident is not None and self.incident.id != self.incident_id:
            raise ValueError(f"a change of {self.incident_id!r} holds the incident {self.incident.id!r}")


@dataclass(frozen=True, slots=True)
class ListedIncident:
    """An incident in a list: how it stands now."""

    id: str
    title: str
    status: Status
    """Of its last revision."""
    revision: int
    is_live: bool
    """Whether a revision of it is searched."""
    lang: str
    component: str | None
    created_at: datetime
    updated_at: datetime
    updated_by: Author
    merged_into: str | None
    """The incident that stands for it now; None for most."""


@dataclass(frozen=True, slots=True)
class Redirect:
    """That one incident was merged into another, with all that is needed to take it back."""

    number: int
    from_id: str
    to_id: str
    traces: tuple[str, ...]
    """What the other did not have before."""
    by: Author
    at: datetime
    undone_by: Author | None = None
    undone_at: datetime | None = None


class Vote(IntEnum):
    """What a reader says of a match."""

    NO = 0
    YES = 1


@dataclass(frozen=True, slots=True)
class Feedback:
    """That a match was right, or was not."""

    incident_id: str
    vote: Vote
    prints: Mapping[str, tuple[str, ...]]
    """Digests of the query's fingerprints by level."""
    probability: float
    """What the match was given."""
    snapshot_id: str
    text: str | None = None
    """The query, secrets out; None unless it may be kept."""
    by: Author | None = None
    at: datetime | None = None
    """Both are set by the store."""


@dataclass(frozen=True, slots=True)
class Votes:
    """How many said so of an incident."""

    yes: int = 0
    no: int = 0


@dataclass(frozen=True, slots=True)
class Comment:
    """A remark on a revision."""

    number: int
    incident_id: str
    revision: int
    answers: int | None
    """The comment it answers."""
    text: str
    by: Author
    at: datetime


@dataclass(frozen=True, slots=True)
class Reviewer:
    """Who was asked to look at an incident."""

    id: str
    name: str
    assigned_by: Author
    at: datetime


@dataclass(frozen=True, slots=True)
class WaitingReview:
    """An incident that somebody is to look at."""

    incident_id: str
    title: str
    lang: str
    status: Status
    revision: int
    """The last one, which is to be reviewed."""
    since: int | None
    """The revision that readers see; None while there is none."""
    author: Author
    """Of the last revision."""
    updated_at: datetime
    reviewers: tuple[Reviewer, ...]
    """Whose look it waits for, who was asked first at the head; empty: anybody's."""

    def age(self, now: datetime, reviewer_id: str | None = None) -> timedelta:
        """Return how long it waits: for one reviewer since they were asked, else since the last revision."""
        own = (one.at for one in self.reviewers if one.id == reviewer_id)
        return max(now - next(own, self.updated_at), timedelta())


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who can be asked for a review: of a key, or of a login at the provider of the house."""

    id: str
    name: str
    role: Role


@dataclass(frozen=True, slots=True)
class Key:
    """An API key, without its secret, which nobody keeps."""

    id: str
    name: str
    role: Role
    scopes: tuple[str, ...]
    """What it is limited to; empty: all that its role may."""
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used: datetime | None
    """To the hour."""

    @property
    def actor(self) -> Actor:
        """Who acts by this key."""
        return Actor(f"key:{self.id}", self.name, self.role)


@dataclass(frozen=True, slots=True)
class Session:
    """A login of the page that is not over."""

    actor: Actor
    scopes: tuple[str, ...]
    """As of a key; empty: all that the role may."""
    expires_at: datetime


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of the audit log."""

    number: int
    sequence: int
    at: datetime
    actor: Actor
    action: str
    """``incident.revise``, ``key.revoke``, ``session.begin``, ``refused`` …"""
    object: str
    """``incident:<id>``, ``key:<id>``, ``session:<name>``, ``door:<method> <route>`` …"""
    details: Mapping[str, Any]
    """Numbers, ids and states; never a text."""


@dataclass(frozen=True, slots=True)
class SharedPaste:
    """A paste that somebody asked a link for."""

    id: str
    """Unguessable; the end of its address."""
    text: str
    """Secrets out."""
    secret: str
    """The digest of what its maker deletes it by."""
    by: Author
    created_at: datetime
    expires_at: datetime


class MessageState(StrEnum):
    """How far a message of a chat has come."""

    WAITING = "waiting"
    HELD = "held"
    """Somebody is at it, until its hold ends."""
    DONE = "done"
    DEAD = "dead"
    """Given up; an administrator may have it tried again."""
    DROPPED = "dropped"


@dataclass(frozen=True, slots=True)
class ChatMessage:
    """A message of a chat that was taken: what it asks for, and how far that has come."""

    ref: str
    """Unguessable; whoever knows it may say what they think of the answer."""
    platform: str
    message_id: str
    """The platform's own name of it."""
    kind: str
    """``question``, ``press``."""
    state: MessageState
    begun: bool
    """Whether the answer was on its way at some time since it was last put off: it may be there."""
    question: Mapping[str, Any]
    """As JSON, secrets out of texts; empty once it was dropped."""
    answer: Mapping[str, Any] | None
    """What was answered, as JSON."""
    tries: int
    why: str | None
    """Why the last try failed."""
    holder: str | None
    due_at: datetime
    received_at: datetime
