"""What is done on the page of an incident's history: forms that change something, and lead back to it."""

from collections.abc import Callable
from typing import TypeVar

from fastapi import APIRouter, Request
from pydantic import BaseModel, ValidationError
from starlette.responses import Response

from api.contract.paths import IncidentRoute, page_of
from api.contract.problems import HttpProblem
from api.pages.calls import OF_INCIDENTS, Sending, form_field, form_fields, number
from api.pages.rendering import redirect_to
from api.writing.calls import StoreAccess
from api.writing.feedback import put_sighting
from api.writing.incident_service import IncidentService
from api.writing.reviewing import announcing
from api.writing.reviewing import assign as assign_reviewers
from api.writing.shapes import CommentIn, MergeIn, MoveIn, ReviewersIn
from kb.incident import Status

router = APIRouter(include_in_schema=False, route_class=IncidentRoute)
Shape = TypeVar("Shape", bound=BaseModel)
_LONGEST = 20_000


@router.post("/incidents/{incident_id:path}/restore", dependencies=OF_INCIDENTS)
async def restore(request: Request, incident_id: str, desk: Sending) -> Response:
    """The words of an old revision once more."""
    which, expected = await number(request, "number"), await number(request, "revision")
    return await _done(request, desk, incident_id, lambda at: at.restore(incident_id, which, None, expected))


@router.post("/incidents/{incident_id:path}/status", dependencies=OF_INCIDENTS)
async def move(request: Request, incident_id: str, desk: Sending) -> Response:
    """To review, back, published, retired."""
    body = _shaped(MoveIn, status=await form_field(request, "status"), note=await form_field(request, "note", 2_000))
    expected = await number(request, "revision")
    return await _done(
        request, desk, incident_id, lambda at: at.move(incident_id, Status(body.status), expected, body.note)
    )


@router.post("/incidents/{incident_id:path}/comments", dependencies=OF_INCIDENTS)
async def comment(request: Request, incident_id: str, desk: Sending) -> Response:
    """A remark, or an answer to one."""
    text, revision = await form_field(request, "text", _LONGEST), await number(request, "revision")
    body = _shaped(CommentIn, text=text, revision=revision, answers=await number(request, "answers") or None)

    def say(at: IncidentService) -> None:
        with at.changing(incident_id):
            at.store.reviews.comment(incident_id, body.revision, body.text, actor=at.actor, answers=body.answers)

    return await _done(request, desk, incident_id, say)


@router.post("/incidents/{incident_id:path}/reviewers", dependencies=OF_INCIDENTS)
async def assign(request: Request, incident_id: str, desk: Sending) -> Response:
    """Who is asked: those whose box stays ticked, and whoever was chosen."""
    named = filter(None, await form_fields(request, "reviewers"))
    body = _shaped(ReviewersIn, reviewers=[{"id": one} for one in named])
    ids, announce = [one.id for one in body.reviewers], announcing(request)
    return await _done(request, desk, incident_id, lambda at: assign_reviewers(at, incident_id, ids, announce))


@router.post("/incidents/{incident_id:path}/merge", dependencies=OF_INCIDENTS)
async def merge(request: Request, incident_id: str, desk: Sending) -> Response:
    """Into another; what will happen was shown before."""
    body = _shaped(
        MergeIn, into=await form_field(request, "into"), into_revision=await number(request, "into_revision")
    )
    numbers = (await number(request, "revision"), body.into_revision)
    return await _done(request, desk, incident_id, lambda at: at.merge(incident_id, body.into, numbers, ""))


@router.post("/incidents/{incident_id:path}/sightings", dependencies=OF_INCIDENTS)
async def sighting(request: Request, incident_id: str, desk: Sending) -> Response:
    """One is removed, or put back; the page of the incident comes once more."""
    name, removed = await form_field(request, "name"), await form_field(request, "removed") == "yes"
    await desk.change(lambda at: put_sighting(at, incident_id, name, removed=removed))
    return redirect_to(request, page_of(incident_id))


@router.post("/incidents/{incident_id:path}/split", dependencies=OF_INCIDENTS)
async def split(request: Request, incident_id: str, desk: Sending) -> Response:
    """A merge is taken back."""
    return await _done(request, desk, incident_id, lambda at: at.split(incident_id, ""))


def _shaped(model: type[Shape], **record: object) -> Shape:
    """What a form says; Problem 422 when it does not fit. The values are not repeated."""
    try:
        return model.model_validate(record)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        raise HttpProblem(422, "invalid-request", f"{'/'.join(map(str, first['loc']))}: {first['msg']}") from None


async def _done(
    request: Request, desk: StoreAccess, incident_id: str, work: Callable[[IncidentService], object]
) -> Response:
    """The change, and the history once more."""
    await desk.change(work)
    return redirect_to(request, page_of(incident_id, "/history"))
