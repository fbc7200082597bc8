"""What the service answers, as it travels: answers and readings. Of incidents: `records`.

One `TypedDict` for each shape of `/openapi.json`, which a test holds them to. A service of a newer version may send more than stands here.
"""

from typing import Literal, NotRequired, TypedDict

Verdict = Literal["known", "related", "unknown"]
Offsets = list[int]
"""Begin and end, in code points of the text after redaction."""


class Named(TypedDict):
    """An incident by its name."""

    id: str
    title: str


class Raised(TypedDict):
    """One exception as understood."""

    type: str | None
    message: str | None
    template: str | None


class Query(TypedDict):
    """What was understood of a paste."""

    runtime: str | None
    exceptions: list[Raised]
    lang: str


class MatchedIncident(Named):
    """An incident, as far as an answer needs it."""

    lang: str
    languages: list[str]
    """In which the incident is told; `lang` is that of the words that were sent."""
    component: str | None
    root_cause: str | None
    distinguish: str | None
    """How to tell this cause apart from others that show the same error; Markdown."""
    fix: str | None
    announced: dict[str, str]
    """What stands in the article right behind `root_cause` or `fix` where they announce it, by their names; Markdown."""
    sections: dict[str, str]
    """The section of the article around `root_cause` and `fix`, and its own words under `article` where one is missing; Markdown."""
    url: str | None
    status: str


class Evidence(TypedDict):
    """One reason for a match; ``weight`` is what it added to the score, in log-odds."""

    kind: str
    summary: str
    weight: float
    query_at: Offsets | None
    incident_at: str | None
    query_spans: list[Offsets]
    """The pieces of lines of the paste that agree, and nothing else."""


class Against(TypedDict):
    """What speaks against a match; ``weight`` is what full agreement would add to the score beyond what is there."""

    kind: Literal["message", "type", "frames", "title", "words"]
    summary: str
    weight: float


class Match(TypedDict):
    """One known incident, how probable it is that this is it (0 to 1), and why."""

    incident: MatchedIncident
    probability: float
    evidence: list[Evidence]
    also: list[Named]
    against: list[Against]


class AnsweredProblem(TypedDict):
    """One of the things that a text is about, answered by itself; at most three matches."""

    span: Offsets
    verdict: Verdict
    headline: str
    causes: list[str]
    matches: list[Match]


class Answer(TypedDict):
    """The closest known incidents, best first. ``unknown`` with matches: the nearest, related only."""

    query: Query
    verdict: Verdict
    headline: str
    """What the matches amount to, as a sentence in the language of the question."""
    causes: list[str]
    """Ids of incidents that show this one error and differ in their cause; none or at least two."""
    matches: list[Match]
    problems: list[AnsweredProblem]
    """Of a text about several problems one for each, else one; the other fields speak of the first."""
    notes: list[str]
    snapshot_id: str
    took_ms: float


class BatchAnswer(Answer):
    """One of many answers."""

    id: str


class Batch(TypedDict):
    """The answers, in the order of the items."""

    answers: list[BatchAnswer]


class ParsedFrame(TypedDict):
    """One call; ``raw`` is its line as it stood in the text, trimmed."""

    module: str | None
    function: str | None
    filename: str | None
    lineno: int | None
    column: int | None
    in_app: bool
    raw: str


class ParsedException(Raised):
    """One exception of a chain; ``parent``: which one it hangs on."""

    wrapped_type: str | None
    relation: str | None
    parent: int | None
    elided: int
    frames: list[ParsedFrame]


class ParsedChain(TypedDict):
    """One trace; its fingerprints by level."""

    runtime: str
    thread: str | None
    head_truncated: bool
    span: Offsets
    notes: list[str]
    exceptions: list[ParsedException]
    fingerprints: dict[str, str]


class Redaction(TypedDict):
    """A secret that was taken out: its kind and place, never its text."""

    kind: str
    start: int
    end: int


class Reading(TypedDict):
    """What was understood of a text."""

    chains: list[ParsedChain]
    redactions: list[Redaction]
    lang: str
    notes: list[str]


class FieldError(TypedDict):
    """Which part of a request does not fit."""

    detail: str
    pointer: NotRequired[str | None]
    line: NotRequired[int | None]
    column: NotRequired[int | None]
