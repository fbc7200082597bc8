"""What became of an incident: its history, what changed, and the changes that are no new words."""

from typing import Annotated

from fastapi import APIRouter, Body, Depends, Path, Query

from api.access import Scope, within
from api.contract.bodies import json_only
from api.contract.jsontext import WireResponse
from api.contract.paths import INCIDENTS, IncidentRoute
from api.contract.responses import problems
from api.routes.incidents import READ, SAVED, STALE
from api.writing.answers import DiffOut, HistoryOut, RevisionOut, SavedOut
from api.writing.calls import ETAG, IF_MATCH, Expected, Reading, Writing, moment, saved_out
from api.writing.differences import differences
from api.writing.history import RevisionView, history, revision_view
from api.writing.shapes import MoveIn, RestoreIn, TraceIn
from kb.incident import Status
from kb.record import redaction_counts

router = APIRouter(
    prefix=INCIDENTS,
    tags=["revisions"],
    route_class=IncidentRoute,
    dependencies=[Depends(within(Scope.INCIDENTS))],
)
CHANGE = problems(400, 401, 403, 404, 408, 409, 413, 415, 422, 429, 503)
Number = Annotated[int, Path(ge=1, le=2**31 - 1)]


@router.get(
    "/{incident_id:path}/history",
    response_model=HistoryOut,
    responses=READ,
    summary="List the revisions of an incident",
)
async def revisions(
    incident_id: str,
    desk: Reading,
    before: Annotated[int | None, Query(ge=1, le=2**31 - 1, description="The `next` of a page.")] = None,
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
) -> WireResponse:
    """The newest first. Readers see those that were published or retired."""
    page, behind = await desk.do(lambda at: history(at, incident_id, before, limit))
    return WireResponse({"revisions": [_head(one) for one in page], "next": behind})


@router.get(
    "/{incident_id:path}/history/{number}",
    response_model=RevisionOut,
    responses=READ | {200: {"headers": ETAG}},
    summary="Get one revision",
)
async def revision(incident_id: str, number: Number, desk: Reading) -> WireResponse:
    """As it was written."""
    found = await desk.do(lambda at: revision_view(at, incident_id, number))
    return WireResponse(
        {"id": incident_id, **_head(found), "incident": found.record}, headers={"ETag": f'"{found.number}"'}
    )


@router.get("/{incident_id:path}/diff", response_model=DiffOut, responses=READ, summary="Compare two revisions")
async def diff(
    incident_id: str,
    desk: Reading,
    earlier: Annotated[int, Query(alias="from", ge=1, le=2**31 - 1)],
    later: Annotated[int, Query(alias="to", ge=1, le=2**31 - 1)],
) -> WireResponse:
    """Field by field; texts line by line, with three unchanged lines around each change; traces one by one."""
    one, other = await desk.do(
        lambda at: (revision_view(at, incident_id, earlier), revision_view(at, incident_id, later))
    )
    fields = await desk.service.run("diff", lambda: differences(one.record, other.record))
    shown = [
        {
            "field": field.field,
            "change": field.change,
            "lines": [{"mark": line.mark, "text": line.text} for line in field.lines],
        }
        for field in fields
    ]
    return WireResponse({"earlier": _head(one), "later": _head(other), "fields": shown})


@router.post(
    "/{incident_id:path}/restore",
    response_model=SavedOut,
    responses=CHANGE | problems(428) | STALE | SAVED,
    openapi_extra=IF_MATCH,
    dependencies=[Depends(json_only)],
    summary="Restore an old revision",
)
async def restore(
    incident_id: str, body: Annotated[RestoreIn, Body()], desk: Writing, expected: Expected
) -> WireResponse:
    """A new revision with the words of an old one; nothing is lost."""
    status = None if body.status is None else Status(body.status)
    return saved_out(await desk.save(lambda at: at.restore(incident_id, body.revision, status, expected)))


@router.post(
    "/{incident_id:path}/status",
    response_model=SavedOut,
    responses=CHANGE | problems(428) | STALE | SAVED,
    openapi_extra=IF_MATCH,
    dependencies=[Depends(json_only)],
    summary="Change the status of an incident",
)
async def move(incident_id: str, body: Annotated[MoveIn, Body()], desk: Writing, expected: Expected) -> WireResponse:
    """The same words in another state: draft → in_review → published → retired, in_review → draft, retired → published."""
    return saved_out(await desk.save(lambda at: at.move(incident_id, Status(body.status), expected, body.note)))


@router.post(
    "/{incident_id:path}/traces",
    response_model=SavedOut,
    responses=CHANGE | SAVED,
    dependencies=[Depends(json_only)],
    summary="Add a trace to an incident",
)
async def attach(incident_id: str, body: Annotated[TraceIn, Body()], desk: Writing) -> WireResponse:
    """A new revision with the trace added; one that it has already changes nothing. Nobody's words are replaced, so no `If-Match`."""
    saved = await desk.save(lambda at: at.attach(incident_id, body.trace, body.note))
    return saved_out(saved, redaction_counts({"trace": body.trace, "note": body.note}))


def _head(one: RevisionView) -> dict[str, object]:
    return {
        "revision": one.number,
        "status": one.status,
        "author": {"id": one.author.id, "name": one.author.name},
        "note": one.note,
        "at": moment(one.at),
    }
