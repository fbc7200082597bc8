"""`GET /v1/incidents/{id}`: one incident whole."""

from fastapi import APIRouter

from api.jsontext import WireResponse
from api.problems import Problem
from api.schemas import IncidentOut, problems
from api.service import TheService
from kb.record import to_record

router = APIRouter(prefix="/v1/incidents", tags=["incidents"])


def no_such_incident(incident_id: str) -> Problem:
    """404 for an id that the snapshot does not hold."""
    return Problem(404, "no-such-incident", f"No incident has the id {incident_id[:100]!r} in this snapshot.")


@router.get(
    "/{incident_id:path}", response_model=IncidentOut, responses=problems(404, 422, 429, 503), summary="One incident"
)
async def incident(incident_id: str, service: TheService) -> WireResponse:
    """The incident as it was ingested: texts, traces, tags, source."""
    found = await service.ask(lambda engine: engine.incident(incident_id))
    if found is None:
        raise no_such_incident(incident_id)
    return WireResponse(to_record(found))
