"""The shapes of what curators send."""

from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from api.incoming import TRACE, In, whole_number
from kb.store.listing import Order

TEXT = r"^[^\x00]*$"
LINE = r"^[^\x00-\x1f\x7f]*$"
FULL_LINE = r"^[^\x00-\x1f\x7f]*[^\x00-\x1f\x7f\s][^\x00-\x1f\x7f]*$"
CURSOR = r"^(?:s:[\s\S]{1,400}|r:[0-9]{1,12})$"
"""The mark of a page: behind which incident of the store it begins, or at which row of the snapshot."""
MOST_TRACES = 100
LONGEST_TRACE = 200_000
LONGEST_WRITEUP = 2_000_000
"""Characters of a write-up in Markdown, and of all that a record says."""

Id = Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=FULL_LINE)]
Line = Annotated[str, StringConstraints(max_length=200, pattern=LINE)]
Words = Annotated[str, StringConstraints(max_length=200_000, pattern=TEXT)]
Trace = Annotated[str, StringConstraints(max_length=LONGEST_TRACE, pattern=TEXT)]
Note = Annotated[str, StringConstraints(max_length=2_000, pattern=TEXT)]
FullTrace = Annotated[
    str, StringConstraints(min_length=1, max_length=LONGEST_TRACE, pattern=r"^[^\x00]*[^\x00\s][^\x00]*$")
]
Said = Annotated[str, StringConstraints(min_length=1, max_length=20_000, pattern=r"^[^\x00]*[^\x00\s][^\x00]*$")]
Paste = Annotated[
    str, StringConstraints(min_length=1, max_length=LONGEST_WRITEUP, pattern=r"^[^\x00]*[^\x00\s][^\x00]*$")
]
Number = Annotated[int, Field(ge=1, le=2**31 - 1, strict=True), BeforeValidator(whole_number)]
_Offset = Annotated[int, Field(ge=0, lt=2**31, strict=True), BeforeValidator(whole_number)]
_Status = Literal["draft", "in_review", "published", "retired"]
_Several = Annotated[list[Line], Field(max_length=50)]
_DISTINGUISH = "How to tell this cause apart from others that show the same error. Markdown."


class SourceIn(In):
    """Where an incident was read from."""

    path: Annotated[str, StringConstraints(max_length=2_000, pattern=LINE)] | None = None
    url: Annotated[str, StringConstraints(max_length=2_000, pattern=LINE)] | None = None
    licence: Line | None = None


class PlaceIn(In):
    """Where a quotation stands in its document."""

    start: _Offset
    end: _Offset
    line: _Offset
    heading: Annotated[str, StringConstraints(max_length=2_000, pattern=TEXT)] | None = None


class RepostIn(In):
    """Where else an incident is told: comes back as it was read, and is not the writer's to change."""

    id: str
    title: str
    url: str


class Fields(BaseModel):
    """What an incident says, in the shape of JSON lines that `kb ingest` takes. What is not known here is kept as it is."""

    model_config = ConfigDict(extra="allow")

    id: Id | None = None
    lang: Literal["zh", "en", "mixed"] | None = None
    component: Line | None = None
    versions: _Several | Line | None = None
    symptom: Words | None = None
    root_cause: Words | None = None
    distinguish: Words | None = Field(None, description=_DISTINGUISH)
    fix: Words | None = None
    trace: Trace | Annotated[list[Trace], Field(max_length=MOST_TRACES)] | None = None
    traces: Annotated[list[Trace], Field(max_length=MOST_TRACES)] | None = None
    tags: _Several | Line | None = None
    codes: _Several | Line | None = None
    url: Annotated[str, StringConstraints(max_length=2_000, pattern=LINE)] | None = None
    created: Line | None = Field(None, description="ISO 8601 date or date-time.")
    duplicate_of: Id | None = None
    prose: Words | None = Field(None, description="The rest of its words.")
    source: SourceIn | Line | None = None
    quotes: dict[Literal["root_cause", "fix"], Annotated[list[PlaceIn], Field(max_length=50)]] | None = None
    announced: dict[Literal["root_cause", "fix"], Said] | None = Field(
        None, description="What they announce in the article they are quoted from; goes when they are changed."
    )
    sections: dict[Literal["root_cause", "fix", "article"], Said] | None = Field(
        None, description="The sections they stand in; each goes when its field is changed."
    )
    article: Said | None = Field(
        None, description="The article as it was read. Of an incident that has one it stays as it is, whatever is sent."
    )
    revision: Number | None = Field(None, description="Comes back as it was read. `If-Match` says what is replaced.")
    reposts: Annotated[list[RepostIn], Field(max_length=200)] | None = None
    status: _Status | None = Field(None, description="Left out: `published` for a new one, else as it stands.")
    note: Note | None = Field(None, description="Why, for the history; no part of the incident.")


class IncidentIn(Fields):
    """One incident, whole."""

    model_config = ConfigDict(
        extra="allow",
        json_schema_extra={
            "examples": [
                {
                    "title": "Checkpoint fails: the last block has too few replicas",
                    "component": "flink",
                    "traces": [TRACE],
                    "root_cause": "The NameNode waits longer for replicas than the client retries.",
                    "fix": "Raise `dfs.client.block.write.locateFollowingBlock.retries`.",
                    "status": "published",
                }
            ]
        },
    )

    title: Annotated[str, StringConstraints(min_length=1, max_length=500, pattern=FULL_LINE)]


class SimilarIn(Fields):
    """A write-up as far as it is written, or a text."""

    title: Annotated[str, StringConstraints(max_length=500, pattern=LINE)] | None = None
    text: Annotated[str, StringConstraints(max_length=LONGEST_WRITEUP)] | None = None


class DraftIn(In):
    """A paste that a write-up is to begin with, and what the writer knows of it already."""

    text: Annotated[str, StringConstraints(max_length=LONGEST_WRITEUP)] = Field(
        description="The stack trace or log excerpt."
    )
    title: Annotated[str, StringConstraints(min_length=1, max_length=500, pattern=FULL_LINE)] | None = Field(
        None, description="Left out: made of the exception."
    )
    component: Line | None = None
    symptom: Words | None = Field(None, description="What one sees. Markdown.")
    root_cause: Words | None = Field(None, description="Why it happens. Markdown.")
    distinguish: Words | None = Field(None, description=_DISTINGUISH)
    fix: Words | None = Field(None, description="What helps. Markdown.")
    tags: Annotated[list[Line], Field(max_length=50)] | None = None


class RestoreIn(In):
    """Which revision is to come back."""

    revision: Number
    status: _Status | None = Field(None, description="Left out: as it stands.")


class MoveIn(In):
    """Where an incident goes."""

    status: _Status
    note: Note = ""


class TraceIn(In):
    """One more trace of the same problem."""

    trace: FullTrace
    note: Note = ""


class MergeIn(In):
    """What an incident is merged into."""

    into: Id
    into_revision: Number = Field(description="The revision of it that you saw.")
    note: Note = ""


class SplitIn(In):
    """A merge is taken back."""

    note: Note = ""


class CommentIn(In):
    """A remark."""

    text: Said
    revision: Number = Field(description="The revision it is about.")
    answers: Number | None = Field(None, description="The comment it answers.")


class ReviewerIn(In):
    """Somebody who is asked to look at an incident."""

    id: Id
    name: Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=FULL_LINE)]


class ReviewersIn(In):
    """All who are asked; nobody else is."""

    reviewers: Annotated[list[ReviewerIn], Field(max_length=50)]


_Digest = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{8,128}$")]
_Level = Literal["exact", "root_cause", "loose", "message"]


class FeedbackIn(In):
    """That a match was it, or was not. Of the query, its text or its fingerprints; the text is kept where `KB_FEEDBACK_TEXT` says so."""

    vote: Literal["yes", "no"]
    text: Paste | None = None
    fingerprints: (
        Annotated[dict[_Level, Annotated[list[_Digest], Field(max_length=50)]], Field(max_length=10)] | None
    ) = None
    probability: Annotated[float, Field(ge=0, le=1)] = Field(description="What the match was given.")
    snapshot_id: Annotated[str, StringConstraints(max_length=200, pattern=LINE)] = Field(description="Who answered.")


class SightingIn(In):
    """Whether a sighting is to count."""

    removed: bool


class ListIn(BaseModel):
    """Which incidents are to be listed."""

    status: _Status | None = None
    component: Line | None = None
    text: Line | None = Field(None, description="Stands in id, title, component or a tag.")
    author: Line | None = Field(None, description="Id or name of who wrote last.")
    place: Literal["store", "snapshot"] | None = Field(
        None, description="`snapshot`: ingested, and touched by no curator."
    )
    order: Order = Field(Order.ID, description="`recent`: what was changed last comes first.")
    cursor: Annotated[str, StringConstraints(pattern=CURSOR)] | None = Field(None, description="The `next` of a page.")
    limit: Annotated[int, Field(ge=1, le=200)] = 50
