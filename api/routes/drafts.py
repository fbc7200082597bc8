"""While somebody writes: likely duplicates of what is written so far, and a first draft of a paste."""

from typing import Annotated

from fastapi import APIRouter, Depends, Query, Request

from api.access import Scope, within
from api.contract.jsontext import WireResponse
from api.contract.paths import INCIDENTS, IncidentRoute
from api.contract.requests import AcceptLanguage
from api.contract.responses import AnswerOut, problems
from api.render.language import preferred
from api.writing.answers import DraftOut
from api.writing.calls import PLAIN, Reading, body, draft_out, takes
from api.writing.incident_input import MARKDOWN, bounded, decoded, document, validated
from api.writing.shapes import FULL_LINE, DraftIn, SimilarIn
from api.writing.suggestions import draft, question_of_fields, question_of_markdown
from index.wire import answer_to_dict
from kb.record import redaction_counts as secrets_of

router = APIRouter(
    prefix=INCIDENTS,
    tags=["writing"],
    route_class=IncidentRoute,
    dependencies=[Depends(within(Scope.INCIDENTS))],
)
FAILURES = problems(400, 401, 403, 408, 413, 415, 422, 429, 503)


@router.post(
    "/similar",
    response_model=AnswerOut,
    responses=FAILURES,
    openapi_extra=takes(SimilarIn, MARKDOWN, PLAIN),
    summary="Find incidents like a write-up in progress",
)
async def similar(
    request: Request,
    desk: Reading,
    k: Annotated[int, Query(ge=1, le=50, description="How many incidents at most.")] = 5,
    but: Annotated[
        str | None, Query(min_length=1, max_length=200, pattern=FULL_LINE, description="The one that is being edited.")
    ] = None,
    accept_language: AcceptLanguage = None,
) -> WireResponse:
    """Takes a write-up as far as it is written, as fields or in Markdown, or a bare text; answers as a search does.

    What tells nothing yet is like nothing.
    """
    media, data = await body(request, MARKDOWN, PLAIN)

    def read() -> tuple[str, str | None]:
        if media == "application/json":
            body = validated(SimilarIn, document(data))
            return question_of_fields(body), but or body.id
        text = bounded(decoded(data))
        question, own = question_of_markdown(text) if media == MARKDOWN else (text, None)
        return question, but or own

    question, own = await desk.service.run("parse", read)
    lang = preferred(None, accept_language)
    answer = await desk.service.ask(lambda engine: engine.search(question, k, without=own, lang=lang))
    return WireResponse(answer_to_dict(answer))


@router.post(
    "/draft",
    response_model=DraftOut,
    responses=FAILURES,
    openapi_extra=takes(DraftIn, MARKDOWN, PLAIN),
    summary="Make a first draft from a paste",
)
async def first_draft(request: Request, desk: Reading) -> WireResponse:
    """Title, traces, component, versions and codes as they are read of the paste; in JSON, what is said beside it stands in their place.

    Nothing is saved, and nothing is made up.
    """
    media, data = await body(request, MARKDOWN, PLAIN)

    def read() -> WireResponse:
        if media == "application/json":
            known = validated(DraftIn, document(data)).model_dump(exclude_none=True)
        else:
            known = {"text": decoded(data)}
        text = bounded(known.pop("text"))
        found, markdown = draft(text, known)
        return draft_out(found, markdown, secrets_of({"text": text, **known}))

    return await desk.service.run("parse", read)
