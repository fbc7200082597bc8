"""The shapes of what curators get, for the OpenAPI description; a test holds them to what is sent."""

from collections.abc import Iterable
from dataclasses import replace
from typing import Any, Literal

from pydantic import Field

from api.contract.responses import Definition, IncidentOut, NamedOut, Out, ProblemOut, shown_fields, with_fields
from kb.incident import Incident, IncidentField, fields_of

_Status = Literal["draft", "in_review", "published", "retired"]


class AuthorOut(Out):
    """Who wrote something, as they were called then."""

    id: str
    name: str


class RedactionCountOut(Out):
    """Secrets that were taken out before anything was stored: how many of which kind in which field, never what they were."""

    kind: str
    field: str = Field(description="JSON pointer into the incident.")
    count: int


class SavedOut(Out):
    """What was saved."""

    id: str
    revision: int
    status: _Status
    incident: IncidentOut
    redactions: list[RedactionCountOut]
    notes: list[str]
    searched: bool = Field(
        description="Whether searches go by it already (by a draft they never do); else they will soon."
    )


class RevisionHead(Out):
    """One revision, without its words."""

    revision: int
    status: _Status
    author: AuthorOut
    note: str
    at: str | None = Field(description="UTC; null where only the snapshot has the incident.")


class RevisionOut(RevisionHead):
    """One revision."""

    id: str
    incident: IncidentOut


class HistoryOut(Out):
    """Revisions, the newest first."""

    revisions: list[RevisionHead]
    next: int | None = Field(description="`before` of the next page; null at the end.")


class StaleOut(ProblemOut):
    """Somebody else wrote in between: what stands there now, and what was sent. Nothing was saved."""

    current: RevisionOut
    yours: dict[str, Any] | None = None


class ListedOut(NamedOut):
    """An incident in a list."""

    status: _Status
    revision: int
    lang: str
    component: str | None
    place: Literal["store", "snapshot"] = Field(
        description="`snapshot`: it was ingested, and no curator has touched it."
    )
    is_live: bool = Field(description="Whether a revision of it is searched.")
    created_at: str | None
    updated_at: str | None
    updated_by: AuthorOut | None
    merged_into: str | None = Field(description="The incident that stands for it.")


class ListOut(Out):
    """Some incidents."""

    incidents: list[ListedOut]
    next: str | None = Field(description="`cursor` of the next page; null at the end.")


class LineOut(Out):
    """One line of a text; `cut` stands for lines that are left out."""

    mark: Literal["same", "added", "removed", "cut"]
    text: str


class DifferenceOut(Out):
    """What became of one field."""

    field: str = Field(description="JSON pointer into the incident.")
    change: Literal["added", "removed", "changed"]
    lines: list[LineOut]


class DiffOut(Out):
    """What two revisions say differently."""

    earlier: RevisionHead
    later: RevisionHead
    fields: list[DifferenceOut]


class MergeOut(Out):
    """That one incident stands for another."""

    from_id: str
    to_id: str
    traces: list[str] = Field(description="What the other did not have before.")
    by: AuthorOut
    at: str
    undone_by: AuthorOut | None
    undone_at: str | None


class MergedOut(MergeOut):
    """A merge that was made, or taken back, just now."""

    searched: bool = Field(description="Whether searches go by it already; else they will soon.")


class MergesOut(Out):
    """All merges of and into an incident, oldest first."""

    merges: list[MergeOut]


class CommentOut(Out):
    """A remark."""

    number: int
    revision: int
    answers: int | None
    text: str
    by: AuthorOut
    at: str


class CommentsOut(Out):
    """All remarks, oldest first."""

    comments: list[CommentOut]


class ReviewerOut(Out):
    """Who is asked to look at an incident."""

    id: str
    name: str
    assigned_by: AuthorOut
    at: str


class ReviewersOut(Out):
    """All who are asked."""

    reviewers: list[ReviewerOut]


class PersonOut(Out):
    """Somebody who can be asked for a review."""

    id: str
    name: str
    role: Literal["curator", "reviewer", "admin"]


class PeopleOut(Out):
    """All who can be asked for a review, by name."""

    reviewers: list[PersonOut]


class VotesOut(Out):
    """How many said that this was it, and that it was not."""

    id: str
    yes: int
    no: int


class SightingOut(Out):
    """A paste of which readers said that it is the incident, or is not: as fingerprints, without its text."""

    name: str
    counts: Literal["yes", "no"] | None = Field(
        description="`yes`: such a paste finds the incident; `no`: it does so less. Null: too few said so, or it was removed."
    )
    yes: int = Field(description="Voters who said that this was it.")
    no: int
    fingerprints: dict[str, list[str]] = Field(description="Digests by level; of `message` the hashes of its words.")
    current: bool = Field(description="False: its fingerprints are of an older version and find nothing.")
    first_at: str
    last_at: str
    removed_by: AuthorOut | None
    removed_at: str | None


class SightingsOut(Out):
    """All sightings of an incident, the newest first."""

    id: str
    sightings: list[SightingOut]


class PutSightingOut(SightingOut):
    """A sighting, and whether searches go by the change already."""

    searched: bool


def drafted_fields(table: Iterable[IncidentField]) -> dict[str, Definition]:
    """The fields of a first draft, without their descriptions."""
    bare = (replace(one, description=None) for one in table if one.in_draft)
    return shown_fields(bare)


@with_fields(drafted_fields(fields_of(Incident)))
class DraftedIncident(Out):
    """What a paste says of an incident."""

    title: str
    lang: str


class DraftOut(Out):
    """A write-up to begin with. Nothing is in it that the paste does not say."""

    incident: DraftedIncident
    markdown: str
    redactions: list[RedactionCountOut]
    notes: list[str]
