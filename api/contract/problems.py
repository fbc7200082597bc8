"""The one shape of every failure: a problem document (RFC 9457), or the same facts as a page for a browser."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http import HTTPStatus

import structlog
from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import Response

from api.contract.jsontext import dump
from index.triage_reports import ReportError
from kb.errors import CandidatesError, KbError, SnapshotError
from kb.record import RecordError
from kb.redact import redact
from kb.store import Exists, Full, Missing, Refused, Stale, Unavailable, Uncertain

log = logging.getLogger(__name__)

MEDIA_TYPE = "application/problem+json"
TYPE_PREFIX = "urn:dejastack:problem:"


class HttpProblem(HTTPException):
    """A failure that the caller can read: ``kind`` names it for programs, ``detail`` says it in words."""

    def __init__(
        self,
        status: int,
        kind: str,
        detail: str,
        *,
        headers: Mapping[str, str] | None = None,
        errors: Sequence[Mapping[str, object]] = (),
        members: Mapping[str, object] | None = None,
    ) -> None:
        super().__init__(status, detail, dict(headers or {}))
        self.kind = kind
        self.errors = tuple(errors)
        self.members = dict(members or {})
        """More that this kind of problem says (RFC 9457, 3.2)."""


def body_too_large(limit: int) -> HttpProblem:
    """413: the body is over ``limit`` bytes, whether it said so in Content-Length or not."""
    detail = f"The body is larger than {limit:,} bytes. Paste the part around the error, or raise KB_MAX_BODY_BYTES."
    return HttpProblem(413, "body-too-large", detail, headers={"Connection": "close"})


def body_too_slow(seconds: float) -> HttpProblem:
    """408: the body did not come in time."""
    detail = f"The body did not arrive within {seconds:g} seconds."
    return HttpProblem(408, "body-too-slow", detail, headers={"Connection": "close"})


def too_many_requests(seconds: int) -> HttpProblem:
    """429: one address or key asked more often than it may; it may ask again in ``seconds``."""
    detail = f"Too many requests from you. Try again in {seconds} s."
    return HttpProblem(429, "too-many-requests", detail, headers={"Retry-After": str(seconds)})


def overloaded() -> HttpProblem:
    """503: more searches are waiting than may wait."""
    return HttpProblem(
        503, "overloaded", "Too many searches at once. Try again in a second.", headers={"Retry-After": "1"}
    )


def too_slow(seconds: float) -> HttpProblem:
    """503: there was no answer in time."""
    detail = f"No answer within {seconds:g} seconds. Paste the part around the error, or try again when less is asked."
    return HttpProblem(503, "too-slow", detail, headers={"Retry-After": "5"})


def perhaps_saved() -> HttpProblem:
    """503: a change was begun, and whether it was made is not known. Whoever sends it again blindly may make it twice."""
    detail = (
        "No answer in time: what you sent may have been saved all the same. Look before you send it again: "
        "GET /v1/incidents/{incident_id}/history tells, with the author and time of each revision."
    )
    return HttpProblem(503, "perhaps-saved", detail, headers={"Retry-After": "5"})


def stopping() -> HttpProblem:
    """503: this process answers what it has and takes nothing new."""
    return HttpProblem(503, "stopping", "This instance is stopping. Ask another.", headers={"Retry-After": "1"})


def no_snapshot(reason: str) -> HttpProblem:
    """503: there is nothing to search yet."""
    return HttpProblem(503, "no-snapshot", reason, headers={"Retry-After": "5"})


def no_candidates(error: CandidatesError) -> HttpProblem:
    """503: the server that candidates come from does not answer. Its address and its words go to the log alone."""
    log.warning("no candidates: %s", error)
    detail = "Milvus, where candidates come from, does not answer. Try again; KB_CANDIDATES_FALLBACK=local answers without it."
    return HttpProblem(503, "no-candidates", detail, headers={"Retry-After": "5"})


def stuck() -> HttpProblem:
    """503: every thread is busy with a search that is out of time."""
    return HttpProblem(503, "stuck", "Every search here is out of time. Ask another.", headers={"Retry-After": "5"})


@contextmanager
def named_in_body() -> Iterator[None]:
    """What is missing inside is not what the address names, but what the body does: 409."""
    try:
        yield
    except Missing as error:
        raise HttpProblem(409, "nothing-there", str(error)) from None


def store_closed() -> HttpProblem:
    """503: the store is not open yet, or not any more."""
    return HttpProblem(503, "store-closed", "The store is not open. Try again.", headers={"Retry-After": "2"})


def store_full() -> HttpProblem:
    """503: a change was not saved, and will not be before somebody makes room."""
    detail = "Nothing was saved: the disk of the store is full. Make room on it; reading and searching go on."
    return HttpProblem(503, "store-full", detail, headers={"Retry-After": "60"})


@dataclass(frozen=True, slots=True)
class ProblemDocument:
    """The members of a problem document, ready for either face."""

    kind: str
    status: int
    detail: str
    instance: str
    request_id: str
    errors: tuple[Mapping[str, object], ...] = ()
    members: Mapping[str, object] = field(default_factory=dict)

    @property
    def title(self) -> str:
        """The name of the status: the same for every occurrence of the kind."""
        return HTTPStatus(self.status).phrase

    def to_dict(self) -> dict[str, object]:
        """The document on the wire."""
        document: dict[str, object] = {
            "type": TYPE_PREFIX + self.kind,
            "title": self.title,
            "status": self.status,
            "detail": self.detail,
            "instance": self.instance,
            "request_id": self.request_id,
            **self.members,
        }
        return {**document, "errors": list(self.errors)} if self.errors else document


def describe(request: Request, error: Exception) -> tuple[ProblemDocument, dict[str, str]]:
    """What an exception says to the caller, and the headers that go with it."""
    problem = _as_problem(error)
    structlog.contextvars.bind_contextvars(problem=problem.kind)  # for the request's log line and its count
    document = ProblemDocument(
        kind=problem.kind,
        status=problem.status_code,
        detail=problem.detail,
        instance=request.url.path,
        request_id=str(request.scope.get("request_id", "")),
        errors=problem.errors,
        members=problem.members,
    )
    return document, dict(problem.headers or {})


def _as_problem(error: Exception) -> HttpProblem:
    match error:
        case HttpProblem():
            return error
        case RequestValidationError():
            return _invalid(error)
        case CandidatesError() | ReportError():
            return _not_to_be_had(error)
        case KbError():
            return _of_kb(error)
        case HTTPException():
            kind, detail = _STATUS_WORDS.get(error.status_code, (f"http-{error.status_code}", str(error.detail)))
            return HttpProblem(error.status_code, kind, detail, headers=error.headers)
        case _:
            return HttpProblem(
                500, "internal", "Something broke here. It was logged under the request id; please report it."
            )


def _not_to_be_had(error: CandidatesError | ReportError) -> HttpProblem:
    """The problem of a server of candidates that is gone, or of a triage report that cannot be read."""
    return no_candidates(error) if isinstance(error, CandidatesError) else HttpProblem(404, error.kind, str(error))


_REFUSED: Mapping[type[KbError], tuple[int, str]] = {
    Missing: (404, "no-such-incident"),
    Exists: (409, "exists"),
    Refused: (409, "refused"),
    Stale: (412, "stale"),
    RecordError: (422, "invalid-request"),
}
"""What somebody asked for does not go with how things stand: status and kind."""


def _of_kb(error: KbError) -> HttpProblem:
    """What our own rooms say. That there is no snapshot, or that the database is busy, is no fault of the caller's."""
    if isinstance(error, SnapshotError):
        return no_snapshot(str(error))
    if isinstance(error, Uncertain):
        return perhaps_saved()
    if isinstance(error, Full):
        log.error("the store has no room left: %s", error)
        return store_full()
    if isinstance(error, Unavailable):
        return HttpProblem(503, "store-busy", "The store does not answer. Try again.", headers={"Retry-After": "2"})
    found = next((refusal for kind, refusal in _REFUSED.items() if isinstance(error, kind)), None)
    if found is None:
        return HttpProblem(500, "misconfigured", str(error))
    errors = [{"pointer": f"#/{error.field}", "detail": error.problem}] if isinstance(error, RecordError) else ()
    return HttpProblem(*found, str(error), errors=errors)


_STATUS_WORDS = {
    400: ("unreadable-body", "The body cannot be read: send JSON in UTF-8 (on the page: a form)."),
    404: ("not-found", "Nothing is here. /openapi.json lists every address."),
    405: ("method-not-allowed", "This address does not take that method; the Allow header lists those it takes."),
}


_MOST_ERRORS = 20
"""Of more mistakes only the number is told: a body of unknown keys has one for each."""
_LONGEST = 200
_DEEPEST = 20


def _invalid(error: RequestValidationError) -> HttpProblem:
    """422, or 400 for a body that is no JSON; the values themselves are left out, since a paste can hold secrets."""
    found = error.errors()
    if any(item["type"] == "json_invalid" for item in found):
        return HttpProblem(400, *_STATUS_WORDS[400])
    errors = [
        {"pointer": _pointer(item["loc"]), "detail": str(item["msg"])[:_LONGEST]} for item in found[:_MOST_ERRORS]
    ]
    first = errors[0] if errors else {"pointer": "", "detail": "The request does not fit."}
    detail = f"{first['pointer'] or 'The request'}: {first['detail']}"
    members = {"errors_left_out": len(found) - len(errors)} if len(found) > len(errors) else None
    return HttpProblem(422, "invalid-request", detail, errors=errors, members=members)


def _pointer(location: Sequence[str | int]) -> str:
    """JSON pointer (as a URI fragment) into the body, or the name of the parameter. A key of the caller's can be a secret, or long."""
    place, *path = location
    parts = [redact(str(part)[:_LONGEST]).text for part in path[:_DEEPEST]]
    if place == "body":
        return "#" + "".join(f"/{part}" for part in parts)
    return ".".join((str(place), *parts))


def problem_response(request: Request, error: Exception) -> Response:
    """The problem document of ``error``."""
    document, headers = describe(request, error)
    return Response(dump(document.to_dict()), document.status, headers, media_type=MEDIA_TYPE)


def install(app: FastAPI) -> None:
    """Send every failure that the routes raise through the app's one handler (see ``api.pages`` for its page face)."""

    async def handle(request: Request, error: Exception) -> Response:
        response: Response = await app.state.failure(request, error)
        return response

    for kind in (HTTPException, RequestValidationError, KbError):
        app.add_exception_handler(kind, handle)
