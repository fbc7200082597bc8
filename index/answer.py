"""What a search returns, and its form on the wire (`POST /v1/search`, `kb search --json`, `kb match`)."""

from dataclasses import dataclass
from enum import StrEnum

from index.verdict import Verdict
from kb.incident import Incident
from kb.trace.model import ExceptionChain

__all__ = ["Answer", "Evidence", "EvidenceKind", "Match", "Named", "Query", "Verdict"]


class EvidenceKind(StrEnum):
    """Which agreement a piece of evidence states."""

    FINGERPRINT = "fingerprint"
    FRAMES = "frames"
    TRACE = "trace"
    MESSAGE = "message"
    WORDS = "words"
    MEANING = "meaning"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One reason for a match, in words, with the share of the score it carried."""

    kind: EvidenceKind
    summary: str
    weight: float
    """What this feature added to the score, in log-odds."""
    query_at: tuple[int, int] | None = None
    """Where in the pasted text, after redaction: offsets of the ``str``."""
    incident_at: str | None = None
    """Where in the incident: ``trace 1, exception 3, frames 1-4``."""


@dataclass(frozen=True, slots=True)
class Named:
    """An incident by its name."""

    id: str
    title: str


@dataclass(frozen=True, slots=True)
class Match:
    """One known incident, how probable it is that this is it, and why."""

    incident: Incident
    """As it is stored; its chains are those that were compared, normalised."""
    probability: float
    evidence: tuple[Evidence, ...] = ()
    also: tuple[Named, ...] = ()
    """Others that tell of the same problem, the more probable first."""


@dataclass(frozen=True, slots=True)
class Query:
    """What was understood of the pasted text."""

    chains: tuple[ExceptionChain, ...]
    lang: str


@dataclass(frozen=True, slots=True)
class Answer:
    """The closest known incidents, best first. No match and a note is a good answer."""

    query: Query
    verdict: Verdict
    matches: tuple[Match, ...]
    notes: tuple[str, ...]
    snapshot_id: str
    took_ms: float
