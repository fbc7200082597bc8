"""What readers say of a match: it was this, or it was not."""

import json

from fastapi import APIRouter, Depends, Request
from pydantic import ValidationError
from starlette.responses import Response

from api.access import Scope, within
from api.contract.paths import IncidentRoute
from api.contract.problems import HttpProblem
from api.pages.answer import answered
from api.pages.calls import SaidByAnyone, form_field
from api.pages.rendering import shown
from api.writing.feedback import record_feedback
from api.writing.shapes import LONGEST_WRITEUP, FeedbackIn

router = APIRouter(include_in_schema=False, route_class=IncidentRoute)
_LONGEST_PRINTS = 50_000


@router.post("/incidents/{incident_id:path}/opinion", dependencies=[Depends(within(Scope.FEEDBACK))])
async def vote(request: Request, incident_id: str, desk: SaidByAnyone) -> Response:
    """Kept with the fingerprints of the query. The answer comes once more where the form holds the paste, else a word of thanks."""
    text = await form_field(request, "text", LONGEST_WRITEUP)
    feedback = await _feedback_of(request, text if desk.settings.feedback_text else "")
    await desk.change(lambda at: record_feedback(at, incident_id, feedback, keeps_text=desk.settings.feedback_text))
    if text.strip() and not desk.caller.is_limited_from(Scope.SEARCH):
        return await answered(request, desk.service, text, thanked=incident_id, denied=feedback.vote == "no")
    return await shown(request, desk.service, "thanks.html", incident_id=incident_id)


async def _feedback_of(request: Request, text: str) -> FeedbackIn:
    """What the form says; Problem 422 when no page of ours has sent it."""
    word, probability, number = f"{await form_field(request, 'vote')}  ".split(" ")[:3]
    prints, snapshot = await form_field(request, "prints", _LONGEST_PRINTS), await form_field(request, "snapshot")
    try:
        record = {"vote": word, "probability": float(probability), "fingerprints": _of_problem(prints, number)}
        feedback = FeedbackIn.model_validate({**record, "snapshot_id": snapshot})
    except (ValueError, RecursionError, ValidationError):  # JSONDecodeError among them
        raise HttpProblem(
            422, "invalid-request", "The form does not fit. Load the page again, and send it once more."
        ) from None
    return feedback.model_copy(update={"text": text or None})


def _of_problem(prints: str, number: str) -> object:
    """Return the fingerprints that a vote is about: of several problems (a list) those of the one with this number, of the first without one."""
    found = json.loads(prints)
    if not isinstance(found, list):
        return found
    at = int(number or 1)
    if not 1 <= at <= len(found):
        raise ValueError(at)
    return found[at - 1]
