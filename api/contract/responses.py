"""The JSON shapes of what goes out of the doors, for the OpenAPI description; what comes in: `api.contract.requests`.

Answers are written by `index.wire` and `kb.record` alone; a test holds these models to what they write.
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field, create_model

from api.contract.problems import MEDIA_TYPE
from kb.incident import Incident, IncidentField, Kind, fields_of

Offsets = tuple[int, int]


class Out(BaseModel):
    """A response."""

    model_config = ConfigDict(extra="forbid")


Model = TypeVar("Model", bound=BaseModel)
Definition = tuple[Any, Any]
"""Type and `Field` of a part of a model."""


def with_fields(definitions: Mapping[str, Definition]) -> Callable[[type[Model]], type[Model]]:
    """Decorate a model: behind its own fields it has those of a table of an incident's fields."""

    def extended(model: type[Model]) -> type[Model]:
        parts: dict[str, Any] = dict(definitions)
        return create_model(model.__name__, __base__=model, __module__=model.__module__, __doc__=model.__doc__, **parts)

    return extended


class ExceptionOut(Out):
    """One exception as understood."""

    type: str | None
    message: str | None
    template: str | None


class QueryOut(Out):
    """What was understood of the paste."""

    runtime: str | None
    exceptions: list[ExceptionOut]
    lang: str


class NamedOut(Out):
    """An incident by its name."""

    id: str
    title: str


def answered_fields(table: Iterable[IncidentField]) -> dict[str, Definition]:
    """What an answer says of an incident: all of it is always there."""
    kinds: Mapping[Kind, Any] = {Kind.TEXT: str | None, Kind.MARKDOWN: dict[str, str]}
    return {one.name: (kinds[one.kind], Field(description=one.description)) for one in table if one.in_answer}


@with_fields(answered_fields(fields_of(Incident)))
class _AnsweredFields(NamedOut):
    lang: str = Field(description="Of the words that are sent.")
    languages: list[str] = Field(description="In which the incident is told.")


class MatchedIncident(_AnsweredFields):
    """The incident, as far as an answer needs it."""

    url: str | None
    status: str


class EvidenceOut(Out):
    """One reason for a match."""

    kind: str
    summary: str
    weight: float = Field(description="What it added to the score, in log-odds.")
    query_at: Offsets | None = Field(
        description="What it speaks of in the pasted text, from first to last: offsets in code points after redaction."
    )
    incident_at: str | None
    query_spans: list[Offsets] = Field(description="The pieces of lines that agree, in order, and nothing else.")


class AgainstOut(Out):
    """What speaks against a match."""

    kind: Literal["message", "type", "frames", "title", "words"]
    summary: str
    weight: float = Field(description="What full agreement would add to the score beyond what is there, in log-odds.")


class MatchOut(Out):
    """One known incident, how probable it is that this is it, and why."""

    incident: MatchedIncident
    probability: float = Field(ge=0, le=1)
    evidence: list[EvidenceOut]
    also: list[NamedOut] = Field(description="Others that tell of the same problem, the more probable first.")
    against: list[AgainstOut] = Field(description="What speaks against it, the weightiest first; at most three.")


_HEADLINE = "What the matches amount to, in the language of the question: also *Probably this one; check: …* and *Known error, two known causes*."
_CAUSES = "Ids of incidents that show this one error and differ in cause (see their `distinguish`), the more probable first; none or at least two."
_PROBLEMS = "One, or of a log with several distinct traces one for each (at most 8), known ones first. The other fields speak of the first."


class AnsweredProblem(Out):
    """One of the things that a text is about, answered by itself."""

    span: Offsets = Field(description="Where its trace stands in the redacted text, or the whole text.")
    verdict: Literal["known", "related", "unknown"]
    headline: str = Field(description=_HEADLINE)
    causes: list[str] = Field(description=_CAUSES)
    matches: list[MatchOut] = Field(description="At most 3.")


class AnswerOut(Out):
    """The closest known incidents, best first. ``unknown`` with matches: the nearest, related only."""

    query: QueryOut
    verdict: Literal["known", "related", "unknown"]
    headline: str = Field(description=_HEADLINE)
    causes: list[str] = Field(description=_CAUSES)
    matches: list[MatchOut]
    problems: list[AnsweredProblem] = Field(description=_PROBLEMS)
    notes: list[str]
    snapshot_id: str
    took_ms: float


class BatchAnswer(AnswerOut):
    """One of many answers."""

    id: str


class BatchOut(Out):
    """The answers, in the order of the items."""

    answers: list[BatchAnswer]


class ParsedFrame(Out):
    """One call."""

    module: str | None
    function: str | None
    filename: str | None
    lineno: int | None
    column: int | None
    in_app: bool
    raw: str = Field(description="The line as it stood in the text, trimmed.")


class ParsedException(ExceptionOut):
    """One exception of a chain."""

    wrapped_type: str | None
    relation: str | None
    parent: int | None = Field(description="Which exception of the chain it hangs on.")
    elided: int = Field(description='How many frames "... n more" stood for; they are among the frames.')
    frames: list[ParsedFrame]


class ParsedChain(Out):
    """One trace."""

    runtime: str
    thread: str | None
    head_truncated: bool
    span: Offsets = Field(description="Where in the redacted text: offsets in code points.")
    notes: list[str]
    exceptions: list[ParsedException]
    fingerprints: dict[str, str]


class RedactionOut(Out):
    """A secret that was taken out: its kind and place, never its text."""

    kind: str
    start: int
    end: int


class ParseOut(Out):
    """What was understood of a text."""

    chains: list[ParsedChain]
    redactions: list[RedactionOut]
    lang: str
    notes: list[str]


class SourceOut(Out):
    """Where the incident was read from."""

    path: str
    licence: str | None = None


class RepostOut(NamedOut):
    """Another incident that tells the same in nearly the same words."""

    url: str


class PlaceOut(Out):
    """Where a quotation stands in the article: offsets into its text, the line it begins on, the heading above it."""

    start: int
    end: int
    line: int = Field(description="From 1.")
    heading: str | None = None


def translated_fields(table: Iterable[IncidentField]) -> dict[str, Definition]:
    """The texts of a translation: each may be missing."""
    names = (name for one in table if one.kind is Kind.TRANSLATIONS for name in one.names)
    return dict.fromkeys(names, (str | None, None))


@with_fields(translated_fields(fields_of(Incident)))
class TranslationOut(Out):
    """The words of an incident in another language."""

    title: str
    translates: str | None = Field(None, description="The digest of the original's text that it follows.")


_KINDS: Mapping[Kind, Definition] = {
    Kind.TEXT: (str | None, None),
    Kind.WORDS: (str | None, None),
    Kind.DOCUMENT: (str | None, None),
    Kind.LIST: (list[str], []),
    Kind.REPOSTS: (list[RepostOut], []),
    Kind.QUOTES: (dict[str, list[PlaceOut]], {}),
    Kind.MARKDOWN: (dict[str, str], {}),
    Kind.TRANSLATIONS: (dict[str, TranslationOut], {}),
}
"""What comes out for a field of a kind, and what stands for nothing."""


def shown_fields(table: Iterable[IncidentField]) -> dict[str, Definition]:
    """The fields of a whole incident."""
    return {
        one.name: (kind, Field(default=empty, description=one.description))
        for one in table
        for kind, empty in [_KINDS[one.kind]]
    }


@with_fields(shown_fields(fields_of(Incident)))
class IncidentOut(NamedOut):
    """One incident whole, in the shape that `kb ingest` takes; unknown keys of its record are kept."""

    model_config = ConfigDict(extra="allow")

    lang: str
    url: str
    source: SourceOut
    revision: int
    status: str


class HealthOut(Out):
    """The process is alive."""

    status: Literal["ok"]


class ReadyOut(Out):
    """The service can answer."""

    status: Literal["ready"]
    snapshot_id: str
    problem: str | None = Field(description="Why the snapshot that CURRENT names is not the one in use.")
    behind_seconds: float = Field(description="For how long searches have not agreed with the store.")
    set_aside: int = Field(description="Incidents a change of which cannot be indexed: `kb doctor` names them.")


class FieldError(Out):
    """Which part of a request does not fit."""

    detail: str
    pointer: str | None = Field(None, description="JSON pointer into the body, or the name of a parameter.")
    line: int | None = Field(None, description="In Markdown, from 1.")
    column: int | None = Field(None, description="In Markdown, from 1.")


class ProblemOut(Out):
    """A problem document (RFC 9457)."""

    type: str = Field(examples=["urn:dejastack:problem:no-snapshot"])
    title: str
    status: int
    detail: str
    instance: str
    request_id: str
    errors: list[FieldError] = []


class ForbiddenOut(ProblemOut):
    """A problem document that says what it takes."""

    needed: str | None = Field(None, description="The role, or the scope.")
    held: str | None = Field(None, description="The role of the caller, or what the key is limited to.")


_MEANINGS = {
    400: "The body cannot be read",
    401: "A key is needed that is in force",
    403: "The key's role does not cover this, or its scopes do not",
    404: "There is no such thing",
    408: "The body did not come in time",
    409: "It does not go with how things stand",
    412: "Somebody else wrote in between",
    413: "The body is too large",
    415: "The body is not declared as what is taken here",
    421: "It was asked by a name that is not this service's",
    422: "The request does not fit",
    428: "If-Match is missing: say which revision is to be changed",
    429: "Asked too often; see Retry-After",
    503: "Nothing to search yet, too much at once, no answer in time, or stopping; see Retry-After",
}


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The failures of a route, for its description."""
    return {
        status: {"description": _MEANINGS[status], "content": {MEDIA_TYPE: {"schema": _schema(status)}}}
        for status in statuses
    }


def _schema(status: int) -> dict[str, str]:
    model = ForbiddenOut if status == 403 else ProblemOut
    return {"$ref": f"#/components/schemas/{model.__name__}"}
