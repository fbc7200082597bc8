"""The JSON of the service as types: answers to searches, and incidents with their history."""

from typing import Any, Literal, NotRequired, TypedDict

Verdict = Literal["known", "related", "unknown"]
Offsets = list[int]  # begin and end, in code points of the text after redaction


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
    """How a paste was read."""

    runtime: str | None
    exceptions: list[Raised]
    lang: str


class MatchedIncident(Named):
    """An incident, as far as an answer needs it."""

    lang: str
    languages: list[str]
    """In which the incident is told; `lang` is that of the words that were sent."""
    component: str | None
    owner: str | None
    """The team or person to ask when the fix does not help."""
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


class FieldError(TypedDict):
    """Which part of a request does not fit."""

    detail: str
    pointer: NotRequired[str | None]
    line: NotRequired[int | None]
    column: NotRequired[int | None]


Status = Literal["draft", "in_review", "published", "retired"]


class Source(TypedDict):
    """Where an incident was read from."""

    path: str
    licence: NotRequired[str | None]


class Place(TypedDict):
    """Where a quotation stands in its article."""

    start: int
    end: int
    line: int
    heading: NotRequired[str | None]


class Repost(Named):
    """Another incident with nearly the same text."""

    url: str


class Translation(TypedDict):
    """The words of an incident in another language."""

    title: str
    translates: NotRequired[str | None]
    symptom: NotRequired[str | None]
    root_cause: NotRequired[str | None]
    distinguish: NotRequired[str | None]
    fix: NotRequired[str | None]
    prose: NotRequired[str | None]
    references: NotRequired[str | None]


class Incident(Named):
    """One incident whole; keys that the service does not know are kept in it, too."""

    lang: str
    url: str
    source: Source
    revision: int
    status: str
    component: NotRequired[str | None]
    owner: NotRequired[str | None]
    versions: NotRequired[list[str]]
    symptom: NotRequired[str | None]
    root_cause: NotRequired[str | None]
    distinguish: NotRequired[str | None]
    fix: NotRequired[str | None]
    traces: NotRequired[list[str]]
    tags: NotRequired[list[str]]
    codes: NotRequired[list[str]]
    quotes: NotRequired[dict[str, list[Place]]]
    announced: NotRequired[dict[str, str]]
    sections: NotRequired[dict[str, str]]
    article: NotRequired[str | None]
    created: NotRequired[str | None]
    duplicate_of: NotRequired[str | None]
    reposts: NotRequired[list[Repost]]
    prose: NotRequired[str | None]
    translations: NotRequired[dict[str, Translation]]


class Author(TypedDict):
    """The author, by their name at that time."""

    id: str
    name: str


class Listed(Named):
    """An incident in a list."""

    status: Status
    revision: int
    lang: str
    component: str | None
    place: Literal["store", "snapshot"]
    is_live: bool
    created_at: str | None
    updated_at: str | None
    updated_by: Author | None
    merged_into: str | None


class Page(TypedDict):
    """Some incidents of a list."""

    incidents: list[Listed]
    next: str | None


class RedactionCount(TypedDict):
    """Secrets removed before storing: how many of which kind in which field."""

    kind: str
    field: str
    count: int


class Saved(TypedDict):
    """What was saved."""

    id: str
    revision: int
    status: Status
    incident: Incident
    redactions: list[RedactionCount]
    notes: list[str]
    searched: bool
    """Whether searches go by it already."""


class RevisionHead(TypedDict):
    """One revision, without its words; ``at`` is UTC."""

    revision: int
    status: Status
    author: Author
    note: str
    at: str | None


class Revision(RevisionHead):
    """One revision."""

    id: str
    incident: Incident


class History(TypedDict):
    """Some revisions, the newest first."""

    revisions: list[RevisionHead]
    next: int | None


class DifferenceLine(TypedDict):
    """One line of a text; `cut` stands for lines that are left out."""

    mark: Literal["same", "added", "removed", "cut"]
    text: str


class Difference(TypedDict):
    """The difference of one field, named by a JSON pointer."""

    field: str
    change: Literal["added", "removed", "changed"]
    lines: list[DifferenceLine]


class Diff(TypedDict):
    """The differences between two revisions."""

    earlier: RevisionHead
    later: RevisionHead
    fields: list[Difference]


class Merge(TypedDict):
    """A merge of one incident into another."""

    from_id: str
    to_id: str
    traces: list[str]
    by: Author
    at: str
    undone_by: Author | None
    undone_at: str | None


class Votes(TypedDict):
    """The numbers of yes and no votes."""

    id: str
    yes: int
    no: int


class Sighting(TypedDict):
    """A paste of which readers said that it is the incident, or is not: as fingerprints, without its text."""

    name: str
    counts: Literal["yes", "no"] | None
    """What searches go by; None while too few said so, and of one that was removed."""
    yes: int
    no: int
    fingerprints: dict[str, list[str]]
    current: bool
    """Whether its fingerprints are of the version that is searched."""
    first_at: str
    last_at: str
    removed_by: Author | None
    removed_at: str | None


class ChangedSighting(Sighting):
    """One that was removed or put back."""

    searched: bool
    """Whether searches go by it already."""


class Sightings(TypedDict):
    """All sightings of an incident."""

    id: str
    sightings: list[Sighting]


class Draft(TypedDict):
    """A write-up to begin with: its fields, and the same in Markdown."""

    incident: dict[str, Any]
    markdown: str
    redactions: list[RedactionCount]
    notes: list[str]
