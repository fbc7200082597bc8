"""Dead letters: messages that could not be answered. `/v1/chat/dead` and the page `/chats` list, retry and drop them."""

from contextlib import suppress
from datetime import UTC, datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Body, Depends, Request
from starlette.responses import Response

from api.access import Scope, within
from api.contract.bodies import json_only
from api.contract.jsontext import WireResponse
from api.contract.problems import HttpProblem
from api.contract.requests import In
from api.contract.responses import Out, problems
from api.pages.calls import form_field, sending
from api.pages.rendering import redirect_to, shown
from api.writing.calls import StoreAccess, store_access
from kb.store import Actor, Missing, Role, Store
from kb.store.model import ChatMessage

router = APIRouter(dependencies=[Depends(within(Scope.CHAT))])
Administering = Annotated[StoreAccess, Depends(store_access(Role.ADMIN))]
AdministeringByForm = Annotated[StoreAccess, Depends(sending(Role.ADMIN))]
Action = Literal["again", "drop"]
_ACTIONS: dict[str, Action] = {"again": "again", "drop": "drop"}
EXCERPT = 300
"""Characters of a question that a listing shows."""


class LetterOut(Out):
    """A message that could not be answered."""

    ref: str
    platform: str
    message_id: str
    kind: Literal["question", "press", "event"]
    received_at: str
    tries: int
    why: str
    text: str


class LettersOut(Out):
    """All of them, the oldest first."""

    letters: list[LetterOut]


class SettleIn(In):
    """What becomes of one."""

    do: Action


@router.get(
    "/v1/chat/dead",
    tags=["chat"],
    response_model=LettersOut,
    responses=problems(401, 403, 429, 503),
    summary="List answers that no chat accepted",
)
async def letters(access: Administering) -> WireResponse:
    """Questions and presses that were given up, with the beginning of what was asked, secrets out."""
    dead = await access.do(lambda at: at.store.messages.listing())
    return WireResponse({"letters": [to_json(one) for one in dead]})


@router.post(
    "/v1/chat/dead/{ref}",
    tags=["chat"],
    response_model=LetterOut,
    responses=problems(400, 401, 403, 404, 413, 415, 422, 429, 503),
    dependencies=[Depends(json_only)],
    summary="Send an answer to its chat again, or drop it",
)
async def settle(ref: str, settling: Annotated[SettleIn, Body()], access: Administering) -> WireResponse:
    """`again`: as if it had just come. `drop`: never more, and what it asked is forgotten."""
    try:
        settled = await access.do(lambda at: resolve(at.store, ref, settling.do, at.actor))
    except Missing as error:
        raise HttpProblem(404, "no-such-letter", str(error)) from None
    return WireResponse(to_json(settled))


@router.get("/chats", include_in_schema=False)
async def dead_letters_page(request: Request, access: Administering) -> Response:
    """Show the dead letters and why each failed."""
    dead = await access.do(lambda at: at.store.messages.listing())
    return await shown(request, access.service, "letters.html", letters=dead)


@router.post("/chats", include_in_schema=False)
async def settle_on_page(request: Request, access: AdministeringByForm) -> Response:
    """Retry or drop one; do nothing when somebody else has settled it already."""
    ref, word = await form_field(request, "ref"), await form_field(request, "do")
    if word not in _ACTIONS:
        raise HttpProblem(422, "invalid-request", "do: is again or drop")
    with suppress(Missing):  # the list shows it
        await access.do(lambda at: resolve(at.store, ref, _ACTIONS[word], at.actor))
    return redirect_to(request, "/chats")


def resolve(store: Store, ref: str, do: Action, actor: Actor) -> ChatMessage:
    """Retry or drop a dead letter. Missing when no letter has the reference."""
    now = datetime.now(UTC)
    if do == "again":
        return store.messages.again(ref, now, actor=actor)
    return store.messages.drop(ref, now, actor=actor)


def to_json(one: ChatMessage) -> dict[str, object]:
    """Return a dead letter as JSON."""
    return {
        "ref": one.ref,
        "platform": one.platform,
        "message_id": one.message_id,
        "kind": one.kind,
        "received_at": one.received_at.isoformat(),
        "tries": one.tries,
        "why": one.why or "",
        "text": str(one.question.get("text", ""))[:EXCERPT],
    }
