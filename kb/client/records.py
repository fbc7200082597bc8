"""What the service answers of incidents, as it travels; of searches: `shapes`."""

from typing import Any, Literal, NotRequired, TypedDict

from kb.client.shapes import Named

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
    """Another incident that tells the same in nearly the same words."""

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
    """Who wrote something, as they were called then."""

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


class Taken(TypedDict):
    """Secrets that were taken out before anything was stored: how many of which kind in which field."""

    kind: str
    field: str
    count: int


class Saved(TypedDict):
    """What was saved."""

    id: str
    revision: int
    status: Status
    incident: Incident
    redactions: list[Taken]
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
    """What became of one field, named by a JSON pointer."""

    field: str
    change: Literal["added", "removed", "changed"]
    lines: list[DifferenceLine]


class Diff(TypedDict):
    """What two revisions say differently."""

    earlier: RevisionHead
    later: RevisionHead
    fields: list[Difference]


class Merge(TypedDict):
    """That one incident stands for another."""

    from_id: str
    to_id: str
    traces: list[str]
    by: Author
    at: str
    undone_by: Author | None
    undone_at: str | None


class Votes(TypedDict):
    """How many said that this was it, and that it was not."""

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
    redactions: list[Taken]
    notes: list[str]
