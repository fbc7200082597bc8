"""The shapes of what curators send."""

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

from api.contract.requests import TRACE, In, whole_number
from api.contract.responses import Definition, translated_fields, with_fields
from kb.incident import Incident, IncidentField, Kind, fields_of
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
FullText = Annotated[str, StringConstraints(min_length=1, max_length=20_000, pattern=r"^[^\x00]*[^\x00\s][^\x00]*$")]
Paste = Annotated[
    str, StringConstraints(min_length=1, max_length=LONGEST_WRITEUP, pattern=r"^[^\x00]*[^\x00\s][^\x00]*$")
]
Number = Annotated[int, Field(ge=1, le=2**31 - 1, strict=True), BeforeValidator(whole_number)]
_Offset = Annotated[int, Field(ge=0, lt=2**31, strict=True), BeforeValidator(whole_number)]
_Status = Literal["draft", "in_review", "published", "retired"]
_Several = Annotated[list[Line], Field(max_length=50)]


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


@with_fields(dict.fromkeys(translated_fields(fields_of(Incident)), (Words | None, None)))
class TranslationIn(In):
    """The words of an incident in another language."""

    title: Annotated[str, StringConstraints(min_length=1, max_length=500, pattern=FULL_LINE)]
    translates: Line | None = None


_KINDS: Mapping[Kind, Any] = {
    Kind.TEXT: Words,
    Kind.WORDS: Words,
    Kind.DOCUMENT: FullText,
    Kind.LIST: Annotated[list[Trace], Field(max_length=MOST_TRACES)],
    Kind.REPOSTS: Annotated[list[RepostIn], Field(max_length=200)],
    Kind.TRANSLATIONS: dict[Literal["zh", "en"], TranslationIn],
}


def _accepted(field: IncidentField) -> Any:
    """Return the type of the values that are accepted for a field."""
    names: Any = Literal[field.names] if field.names else None
    if field.kind is Kind.QUOTES:
        return dict[names, Annotated[list[PlaceIn], Field(max_length=50)]]
    if field.kind is Kind.MARKDOWN:
        return dict[names, FullText]
    if field.is_line:
        return _Several | Line if field.kind is Kind.LIST else Line
    return Id if field.is_id else _KINDS[field.kind]


def sent_fields(table: Iterable[IncidentField]) -> dict[str, Definition]:
    """The fields of an incident that somebody sends: each may be left out."""
    described = ((one, one.description if one.sent is None else one.sent or None) for one in table)
    return {one.name: (_accepted(one) | None, Field(None, description=words)) for one, words in described}


def draft_fields(table: Iterable[IncidentField]) -> dict[str, Definition]:
    """Return the fields that a writer may send with a paste. Lists are lists here."""
    return {
        one.name: (
            (Annotated[list[Line], Field(max_length=50)] if one.kind is Kind.LIST else _accepted(one)) | None,
            Field(None, description=one.drafted or (one.description if one.sent is None else one.sent or None)),
        )
        for one in table
        if one.from_writer
    }


@with_fields(sent_fields(fields_of(Incident)))
class Fields(BaseModel):
    """What an incident says, in the shape of JSON lines that `kb ingest` takes. What is not known here is kept as it is."""

    model_config = ConfigDict(extra="allow")

    id: Id | None = None
    lang: Literal["zh", "en", "mixed"] | None = None
    trace: Trace | Annotated[list[Trace], Field(max_length=MOST_TRACES)] | None = None
    url: Annotated[str, StringConstraints(max_length=2_000, pattern=LINE)] | None = None
    source: SourceIn | Line | None = None
    revision: Number | None = Field(None, description="Comes back as it was read. `If-Match` says what is replaced.")
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


@with_fields(draft_fields(fields_of(Incident)))
class DraftIn(In):
    """A paste that a write-up is to begin with, and what the writer knows of it already."""

    text: Annotated[str, StringConstraints(max_length=LONGEST_WRITEUP)] = Field(
        description="The stack trace or log excerpt."
    )
    title: Annotated[str, StringConstraints(min_length=1, max_length=500, pattern=FULL_LINE)] | None = Field(
        None, description="Left out: made of the exception."
    )


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

    text: FullText
    revision: Number = Field(description="The revision it is about.")
    answers: Number | None = Field(None, description="The comment it answers.")


class ReviewerIn(In):
    """Somebody who is asked to look at an incident."""

    id: Id
    name: Annotated[str, StringConstraints(min_length=1, max_length=200, pattern=FULL_LINE)] | None = Field(
        None, description="Changes nothing: everybody is called what the service knows them by.", deprecated=True
    )


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
