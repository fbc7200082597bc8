"""`/v1/incidents/{id}/sightings`: the pastes that readers confirmed or denied of an incident. For curators."""

from typing import Annotated

from fastapi import APIRouter, Body, Depends, Path

from api.access import Scope, within
from api.contract.bodies import json_only
from api.contract.jsontext import WireResponse
from api.contract.paths import INCIDENTS, IncidentRoute
from api.routes.incidents import READ
from api.routes.reviews import SAY
from api.writing.answers import PutSightingOut, SightingsOut
from api.writing.calls import Writing, author_out, moment
from api.writing.feedback import put_sighting, sightings
from api.writing.shapes import SightingIn
from kb.store.voices import Sighting
from kb.trace import VERSION

router = APIRouter(
    prefix=INCIDENTS,
    tags=["feedback"],
    route_class=IncidentRoute,
    dependencies=[Depends(within(Scope.INCIDENTS))],
)
_Name = Annotated[str, Path(pattern=r"^[0-9a-f]{16}$")]


@router.get(
    "/{incident_id:path}/sightings",
    response_model=SightingsOut,
    responses=READ,
    summary="List the pastes that readers confirmed or denied",
)
async def listed(incident_id: str, desk: Writing) -> WireResponse:
    """Those that do not count yet, or were removed, among them."""
    found, those = await desk.do(lambda at: sightings(at, incident_id))
    return WireResponse({"id": found, "sightings": [_out(one) for one in those]})


@router.put(
    "/{incident_id:path}/sightings/{name}",
    response_model=PutSightingOut,
    responses=SAY,
    dependencies=[Depends(json_only)],
    summary="Remove a sighting, or put it back",
)
async def put(incident_id: str, name: _Name, body: Annotated[SightingIn, Body()], desk: Writing) -> WireResponse:
    """A removed one counts no more, whoever votes, until it is put back. Both are in the audit log."""
    changed, searched = await desk.change(lambda at: put_sighting(at, incident_id, name, removed=body.removed))
    return WireResponse(_out(changed) | {"searched": searched})


def _out(one: Sighting) -> dict[str, object]:
    return {
        "name": one.name,
        "counts": None if one.vote is None else one.vote.name.lower(),
        "yes": one.yes,
        "no": one.no,
        "fingerprints": {level: list(digests) for level, digests in one.prints.items()},
        "current": one.version == VERSION,
        "first_at": moment(one.first),
        "last_at": moment(one.last),
        "removed_by": author_out(one.removed_by),
        "removed_at": moment(one.removed_at),
    }
