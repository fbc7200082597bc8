"""What the routes of curators share: the caller, the expected revision, the body, and the response."""

import re
import threading
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Any, TypeVar

from fastapi import Depends, Request

from api.access import Caller, needs
from api.contract.bodies import whole_body
from api.contract.jsontext import WireResponse
from api.contract.paths import address
from api.contract.problems import HttpProblem, perhaps_saved
from api.server.service import Service, TheService
from api.settings import ServiceSettings
from api.writing.incident_input import MARKDOWN
from api.writing.incident_service import IncidentService, SavedChange
from api.writing.shapes import LONGEST_WRITEUP
from index.triage_reports import TriageReports
from kb.incident import Incident, fields_of
from kb.record import RedactionCount, to_record
from kb.store import Author, Missing, Role

PLAIN = "text/plain"
NOT_INDEXED = "it is saved; it cannot be indexed, so searches go by what it said before: tell whoever runs this service"
NOT_YET = "it is saved; searches do not go by it yet, and will as soon as they can"
_DRAFTED = ("title", "lang", *(field.name for field in fields_of(Incident) if field.in_draft))
Result = TypeVar("Result")


@dataclass(frozen=True, slots=True)
class StoreAccess:
    """A caller, the service, and how it is set."""

    service: Service
    caller: Caller
    settings: ServiceSettings

    async def do(self, work: Callable[[IncidentService], Result]) -> Result:
        """Run ``work`` on the store and return its result."""
        required = self.settings.review == "required"
        return await self.service.in_store(
            lambda store, engine: work(IncidentService(store, engine, self.caller, required))
        )

    async def write(self, work: Callable[[IncidentService], Result]) -> Result:
        """Run a change. Problem `perhaps-saved` when it began but did not end in time."""
        begun = threading.Event()

        def noted(incidents: IncidentService) -> Result:
            begun.set()
            return work(incidents)

        try:
            return await self.do(noted)
        except HttpProblem as problem:
            if problem.kind == "too-slow" and begun.is_set():  # a thread cannot be stopped: it goes on
                raise perhaps_saved() from None
            raise

    async def change(self, work: Callable[[IncidentService], Result]) -> tuple[Result, bool]:
        """Run a change that affects searches; return its result, and whether searches see it already."""
        result = await self.write(work)
        return result, await self.service.follow()

    async def save(self, work: Callable[[IncidentService], SavedChange]) -> SavedChange:
        """Run a change of content or status."""
        saved, is_searched = await self.change(work)
        if self.service.is_aside(saved.revision.incident_id):
            return replace(saved, searched=False, notes=(*saved.notes, NOT_INDEXED))
        return saved if is_searched else replace(saved, searched=False, notes=(*saved.notes, NOT_YET))


def store_access(role: Role) -> Callable[..., Awaitable[StoreAccess]]:
    """The dependency of a route for callers who may do what ``role`` may."""

    async def made(
        request: Request, service: TheService, caller: Annotated[Caller, Depends(needs(role))]
    ) -> StoreAccess:
        return StoreAccess(service, caller, request.app.state.settings)

    return made


Reading = Annotated[StoreAccess, Depends(store_access(Role.READER))]
Writing = Annotated[StoreAccess, Depends(store_access(Role.CURATOR))]

IF_MATCH: dict[str, Any] = {
    "parameters": [
        {
            "name": "If-Match",
            "in": "header",
            "required": True,
            "description": "The `ETag` of the revision that is to be changed. `*` names none, and gets 428.",
            "schema": {"type": "string", "pattern": r'^"[0-9]{1,9}"$'},
            "example": '"3"',
        }
    ]
}
"""For `openapi_extra`: FastAPI would answer 422 where 428 is due."""
_TAGS = re.compile(r'(?:W/)?"[\x21\x23-\x7e]*"(?:[ \t]*,[ \t]*(?:W/)?"[\x21\x23-\x7e]*")*+\Z')
"""RFC 9110, 13.1.1."""
_TAG = re.compile(r'"([0-9]{1,9})"\Z')


def expected(request: Request) -> int:
    """The revision that the caller saw; Problem 428 when they do not say. A tag of ours that never was matches nothing."""
    tag = request.headers.get("if-match", "").strip()
    if tag in {"", "*"}:
        detail = 'Send If-Match with the ETag that you read, such as "3": nobody\'s words are to be lost.'
        raise HttpProblem(428, "no-if-match", detail if not tag else f"`*` names no revision. {detail}")
    if not _TAGS.match(tag):
        error = {"pointer": "header.If-Match", "detail": 'is no ETag, such as "3"'}
        raise HttpProblem(422, "invalid-request", 'If-Match: is no ETag, such as "3".', errors=[error])
    match = _TAG.match(tag)
    return int(match[1]) if match else 0


Expected = Annotated[int, Depends(expected)]


async def body(request: Request, *media: str) -> tuple[str, bytes]:
    """Return media type and bytes of the body. Problem 415 for other types; JSON is always accepted."""
    declared = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if declared.startswith("application/") and declared.endswith(("/json", "+json")):
        return "application/json", await whole_body(request)
    if declared not in media:
        accepted = ", ".join(("application/json", *media))
        detail = f"The body must be one of {accepted}, not {declared[:80] or 'undeclared'}."
        raise HttpProblem(415, "not-taken", detail, headers={"Accept-Post": accepted})
    return declared, await whole_body(request)


def takes(model: type, *media: str) -> dict[str, Any]:
    """For `openapi_extra`: the body in JSON, or in other media as a text."""
    content: dict[str, Any] = {"application/json": {"schema": {"$ref": f"#/components/schemas/{model.__name__}"}}}
    content |= {one: {"schema": {"type": "string", "maxLength": LONGEST_WRITEUP}} for one in media}
    return {"requestBody": {"required": True, "content": content}}


def wants_markdown(request: Request) -> bool:
    """Whether the caller likes a write-up better than JSON (`Accept`, RFC 9110 12.5.1)."""
    liked = {"json": 0.0, MARKDOWN: 0.0}
    for one in request.headers.get("accept", "")[:1_000].split(","):
        name, *options = (part.strip().lower() for part in one.split(";"))
        quality = next((option[2:] for option in options if option.startswith("q=")), "1")
        weight = float(quality) if re.fullmatch(r"[01](?:\.[0-9]{0,3})?", quality) else 1.0
        kind = MARKDOWN if name == MARKDOWN else "json" if name in {"application/json", "application/*"} else None
        if kind:
            liked[kind] = max(liked[kind], weight)
    return liked[MARKDOWN] > 0 and liked[MARKDOWN] >= liked["json"]


def saved_out(saved: SavedChange, redactions: tuple[RedactionCount, ...] = (), status: int = 200) -> WireResponse:
    """What was saved, on the wire, with its `ETag`; of a new one also where it is."""
    revision = saved.revision
    content = {
        "id": revision.incident_id,
        "revision": revision.number,
        "status": revision.status.value,
        "incident": dict(revision.record),
        "redactions": redactions_to_json(redactions),
        "notes": list(saved.notes),
        "searched": saved.searched,
    }
    headers = {"ETag": f'"{revision.number}"'}
    if status == 201:
        headers["Location"] = address(revision.incident_id)
    return WireResponse(content, status, headers)


def draft_out(found: Incident, markdown: str, redactions: tuple[RedactionCount, ...]) -> WireResponse:
    """A first draft, on the wire."""
    record = to_record(found)
    content = {
        "incident": {name: record[name] for name in _DRAFTED if name in record},
        "markdown": markdown,
        "redactions": redactions_to_json(redactions),
        "notes": [],
    }
    return WireResponse(content)


def redactions_to_json(redactions: tuple[RedactionCount, ...]) -> list[dict[str, object]]:
    """Redactions on the wire."""
    return [{"kind": one.kind, "field": one.field, "count": one.count} for one in redactions]


def author_out(author: Author | None) -> dict[str, str] | None:
    """Who wrote something, on the wire."""
    return None if author is None else {"id": author.id, "name": author.name}


def moment(at: datetime | None) -> str | None:
    """A time on the wire: ISO 8601, UTC."""
    return None if at is None else at.isoformat()


ETAG: dict[str, Any] = {"ETag": {"description": "The revision.", "schema": {"type": "string"}, "required": True}}
"""For `responses`: the header of everything that shows one revision."""


async def chat_question(service: Service, ref: str) -> str:
    """Return the text of a chat question by reference, secrets removed. Problem 404 when it has expired or never existed."""
    try:
        message = await service.in_store(lambda store, _: store.messages.get(ref))
    except Missing:
        raise no_chat_question() from None
    if text := str(message.question.get("text", "")):
        return text
    raise no_chat_question()


def no_chat_question() -> HttpProblem:
    """Return the 404 of an unknown or expired reference to a chat question."""
    return HttpProblem(404, "chat-gone", "That answer is too old, or there never was one.")


def reports_of(request: Request) -> TriageReports:
    """Return the reports of `kb triage` in the home that the app serves."""
    found: TriageReports = request.app.state.triage
    return found
