"""What a search returns, and its form on the wire (`POST /v1/search`, `kb search --json`, `kb match`)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from index.verdict import FineVerdict, Verdict
from kb.incident import Incident
from kb.trace.model import ExceptionChain

__all__ = [
    "Against",
    "AgainstKind",
    "Answer",
    "Evidence",
    "EvidenceKind",
    "FineVerdict",
    "Match",
    "Named",
    "Problem",
    "Query",
    "Verdict",
]


class EvidenceKind(StrEnum):
    """Which agreement a piece of evidence states."""

    FINGERPRINT = "fingerprint"
    FRAMES = "frames"
    TRACE = "trace"
    MESSAGE = "message"
    WORDS = "words"
    MEANING = "meaning"
    READERS = "readers"


@dataclass(frozen=True, slots=True)
class Evidence:
    """One reason for a match, in words, with the share of the score it carried."""

    kind: EvidenceKind
    summary: str
    weight: float
    """What this feature added to the score, in log-odds."""
    query_at: tuple[int, int] | None = None
    """What it speaks of in the pasted text, after redaction, from first to last: offsets of the ``str``."""
    incident_at: str | None = None
    """Where in the incident: ``trace 1, exception 3, frames 1-4``."""
    query_spans: tuple[tuple[int, int], ...] = ()
    """The pieces of lines that agree, in order: nothing else. Empty where nothing of the text does, or where it is not found again."""


class AgainstKind(StrEnum):
    """Which agreement is missing."""

    MESSAGE = "message"
    TYPE = "type"
    FRAMES = "frames"
    TITLE = "title"
    WORDS = "words"
    """All agreement but that of words."""


@dataclass(frozen=True, slots=True)
class Against:
    """What speaks against a match, in words."""

    kind: AgainstKind
    summary: str
    weight: float
    """What its features would add to the score if they agreed in full, less what they add: log-odds."""


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
    against: tuple[Against, ...] = ()
    """What speaks against it, the weightiest first."""
    traces: tuple[int, int] | None = None
    """Which trace of the reading and which of the incident's chains agreed best; not on the wire."""


@dataclass(frozen=True, slots=True)
class Query:
    """What was understood of the pasted text."""

    chains: tuple[ExceptionChain, ...]
    lang: str
    templates: tuple[str | None, ...] = ()
    """Of each exception of the leading chain, its message as a template."""


@dataclass(frozen=True, slots=True)
class Problem:
    """One of the things that a text is about, answered by itself."""

    span: tuple[int, int]
    """Where its trace stands in the pasted text, after redaction; the whole text where there is no trace."""
    fine_verdict: FineVerdict
    headline: str
    """What the matches amount to, as a sentence in the language of the question."""
    matches: tuple[Match, ...]
    causes: tuple[str, ...] = ()
    """The ids of incidents that show this one error and differ in their cause, the more probable first; none or at least two."""
    prints: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """What a vote on one of the matches is kept with: `index.ranking.sightings.fingerprint_digests` of its part of the text."""

    @property
    def verdict(self) -> Verdict:
        """One of the three words on the wire."""
        return self.fine_verdict.verdict


@dataclass(frozen=True, slots=True)
class Answer:
    """The closest known incidents, best first. No match and a note is a good answer.

    A text with several problems has ``problems``; all other fields speak of the first of them.
    """

    query: Query
    verdict: Verdict
    matches: tuple[Match, ...]
    notes: tuple[str, ...]
    snapshot_id: str
    took_ms: float
    headline: str = ""
    causes: tuple[str, ...] = ()
    problems: tuple[Problem, ...] = ()
    """Those that are known first; each with a few matches. A text with one problem has one."""

    @property
    def fine_verdict(self) -> FineVerdict:
        """The verdict in finer steps."""
        return self.problems[0].fine_verdict if self.problems else FineVerdict(self.verdict.value)
