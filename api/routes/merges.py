"""Incidents that are one problem: merged, and split again."""

from typing import Annotated

from fastapi import APIRouter, Body, Depends

from api.access import Scope, within
from api.contract.bodies import json_only
from api.contract.jsontext import WireResponse
from api.contract.paths import INCIDENTS, IncidentRoute
from api.contract.responses import problems
from api.routes.incidents import READ, STALE
from api.routes.revisions import CHANGE
from api.writing.answers import MergedOut, MergesOut
from api.writing.calls import IF_MATCH, Expected, Reading, Writing, author_out, moment
from api.writing.incident_service import IncidentService
from api.writing.shapes import MergeIn, SplitIn
from kb.store.model import Redirect

router = APIRouter(
    prefix=INCIDENTS,
    tags=["merges"],
    route_class=IncidentRoute,
    dependencies=[Depends(within(Scope.INCIDENTS))],
)


@router.post(
    "/{incident_id:path}/merge",
    response_model=MergedOut,
    responses=CHANGE | problems(428) | STALE,
    openapi_extra=IF_MATCH,
    dependencies=[Depends(json_only)],
    summary="Merge an incident into another",
)
async def merge(incident_id: str, body: Annotated[MergeIn, Body()], desk: Writing, expected: Expected) -> WireResponse:
    """It is retired, its id gives the other from now on, and the other gets its traces. Ingesting does not bring it back."""
    numbers = (expected, body.into_revision)
    made, searched = await desk.change(lambda at: at.merge(incident_id, body.into, numbers, body.note))
    return WireResponse(_out(made) | {"searched": searched})


@router.post(
    "/{incident_id:path}/split",
    response_model=MergedOut,
    responses=CHANGE,
    dependencies=[Depends(json_only)],
    summary="Undo a merge",
)
async def split(incident_id: str, body: Annotated[SplitIn, Body()], desk: Writing) -> WireResponse:
    """It stands where it stood, and the other loses the traces that it got. What was edited since stays."""
    undone, searched = await desk.change(lambda at: at.split(incident_id, body.note))
    return WireResponse(_out(undone) | {"searched": searched})


@router.get(
    "/{incident_id:path}/merges", response_model=MergesOut, responses=READ, summary="List the merges of an incident"
)
async def merges(incident_id: str, desk: Reading) -> WireResponse:
    """Those that were taken back among them."""

    def read(at: IncidentService) -> list[Redirect]:
        at.look(incident_id)
        return [at.visible_redirect(one) for one in at.store.redirects.of(incident_id)]

    return WireResponse({"merges": [_out(one) for one in await desk.do(read)]})


def _out(one: Redirect) -> dict[str, object]:
    return {
        "from_id": one.from_id,
        "to_id": one.to_id,
        "traces": list(one.traces),
        "by": author_out(one.by),
        "at": moment(one.at),
        "undone_by": author_out(one.undone_by),
        "undone_at": moment(one.undone_at),
    }
