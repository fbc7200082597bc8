"""Who is asked to look at an incident, and what is said about it. For curators."""

from typing import Annotated

from fastapi import APIRouter, Body, Depends, Request

from api.access import Scope, within
from api.contract.bodies import json_only
from api.contract.jsontext import WireResponse
from api.contract.paths import INCIDENTS, IncidentRoute
from api.contract.problems import named_in_body
from api.contract.responses import problems
from api.routes.incidents import READ
from api.writing.answers import CommentOut, CommentsOut, PeopleOut, ReviewersOut
from api.writing.calls import Writing, author_out, moment
from api.writing.incident_service import IncidentService
from api.writing.reviewing import announcing, people, person_out
from api.writing.reviewing import assign as assign_reviewers
from api.writing.shapes import CommentIn, ReviewersIn
from kb.store.model import Comment, Reviewer

router = APIRouter(
    tags=["reviews"],
    route_class=IncidentRoute,
    dependencies=[Depends(within(Scope.INCIDENTS))],
)
SAY = problems(400, 401, 403, 404, 408, 413, 415, 422, 429, 503)


@router.get(
    f"{INCIDENTS}/{{incident_id:path}}/comments",
    response_model=CommentsOut,
    responses=READ,
    summary="List the comments on an incident",
)
async def comments(incident_id: str, desk: Writing) -> WireResponse:
    """All of it, oldest first; `answers` says which hang together."""

    def read(at: IncidentService) -> list[Comment]:
        at.look(incident_id)
        return at.store.reviews.comments(incident_id)

    return WireResponse({"comments": [_comment(one) for one in await desk.do(read)]})


@router.post(
    f"{INCIDENTS}/{{incident_id:path}}/comments",
    status_code=201,
    response_model=CommentOut,
    responses=SAY | problems(409),
    dependencies=[Depends(json_only)],
    summary="Comment on an incident",
)
async def comment(incident_id: str, body: Annotated[CommentIn, Body()], desk: Writing) -> WireResponse:
    """A remark on a revision, or the answer to another remark."""

    def say(at: IncidentService) -> Comment:
        with at.changing(incident_id), named_in_body():
            return at.store.reviews.comment(incident_id, body.revision, body.text, actor=at.actor, answers=body.answers)

    return WireResponse(_comment(await desk.write(say)), 201)


@router.get(
    "/v1/reviewers",
    response_model=PeopleOut,
    responses=problems(401, 403, 429, 503),
    summary="List who can be asked for a review",
)
async def known_reviewers(desk: Writing) -> WireResponse:
    """By name: keys in force of curators, reviewers and administrators, and people who signed in as such."""
    return WireResponse({"reviewers": [person_out(one) for one in await desk.do(people)]})


@router.get(
    f"{INCIDENTS}/{{incident_id:path}}/reviewers",
    response_model=ReviewersOut,
    responses=READ,
    summary="List the reviewers of an incident",
)
async def reviewers(incident_id: str, desk: Writing) -> WireResponse:
    """Who is asked to look at it."""

    def read(at: IncidentService) -> list[Reviewer]:
        at.look(incident_id)
        return at.store.reviews.reviewers(incident_id)

    return WireResponse({"reviewers": [_reviewer(one) for one in await desk.do(read)]})


@router.put(
    f"{INCIDENTS}/{{incident_id:path}}/reviewers",
    response_model=ReviewersOut,
    responses=SAY,
    dependencies=[Depends(json_only)],
    summary="Set the reviewers of an incident",
)
async def assign(
    request: Request, incident_id: str, body: Annotated[ReviewersIn, Body()], desk: Writing
) -> WireResponse:
    """These, and nobody else, are asked; `GET /v1/reviewers` lists who can be. Who is new among them is told of it."""
    ids, announce = [one.id for one in body.reviewers], announcing(request)
    named = await desk.write(lambda at: assign_reviewers(at, incident_id, ids, announce))
    return WireResponse({"reviewers": [_reviewer(one) for one in named]})


def _comment(one: Comment) -> dict[str, object]:
    return {
        "number": one.number,
        "revision": one.revision,
        "answers": one.answers,
        "text": one.text,
        "by": author_out(one.by),
        "at": moment(one.at),
    }


def _reviewer(one: Reviewer) -> dict[str, object]:
    return {"id": one.id, "name": one.name, "assigned_by": author_out(one.assigned_by), "at": moment(one.at)}
