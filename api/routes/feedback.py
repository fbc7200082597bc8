"""`/v1/incidents/{id}/feedback`: this was it, or this was not."""

from typing import Annotated

from fastapi import APIRouter, Body, Depends

from api.access import Scope, within
from api.contract.bodies import json_only
from api.contract.jsontext import WireResponse
from api.contract.paths import INCIDENTS, IncidentRoute
from api.routes.incidents import READ
from api.routes.reviews import SAY
from api.writing.answers import VotesOut
from api.writing.calls import Reading
from api.writing.feedback import record_feedback, votes
from api.writing.incident_service import IncidentService
from api.writing.shapes import FeedbackIn
from kb.store.model import Votes

router = APIRouter(
    prefix=INCIDENTS,
    tags=["feedback"],
    route_class=IncidentRoute,
    dependencies=[Depends(within(Scope.FEEDBACK))],
)


@router.get(
    "/{incident_id:path}/feedback", response_model=VotesOut, responses=READ, summary="Count the votes of readers"
)
async def counts(incident_id: str, desk: Reading) -> WireResponse:
    """And how many that it was not."""
    return WireResponse(_out(*await desk.do(lambda at: votes(at, incident_id))))


@router.post(
    "/{incident_id:path}/feedback",
    status_code=201,
    response_model=VotesOut,
    responses=SAY,
    dependencies=[Depends(json_only)],
    summary="Vote: this was it, or it was not",
)
async def vote(incident_id: str, body: Annotated[FeedbackIn, Body()], desk: Reading) -> WireResponse:
    """Kept with the fingerprints of the query, and searched at once where it counts; its text only where `KB_FEEDBACK_TEXT` says so, secrets out."""
    keeps_text = desk.settings.feedback_text

    def say(at: IncidentService) -> tuple[str, Votes]:
        record_feedback(at, incident_id, body, keeps_text=keeps_text)
        return votes(at, incident_id)

    counted, _ = await desk.change(say)  # the next such paste is answered by it
    return WireResponse(_out(*counted), 201)


def _out(incident_id: str, counted: Votes) -> dict[str, object]:
    return {"id": incident_id, "yes": counted.yes, "no": counted.no}
