"""`/chats`: dead letters on a page, for administrators."""

from contextlib import suppress
from typing import Annotated, Literal

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from api.access import Scope, within
from api.chat.dead import Administering, resolve
from api.pages.calls import form_field, sending
from api.pages.rendering import redirect_to, shown
from api.problems import HttpProblem
from api.writing.calls import StoreAccess
from kb.store import Missing, Role

router = APIRouter(include_in_schema=False, dependencies=[Depends(within(Scope.CHAT))])
Settling = Annotated[StoreAccess, Depends(sending(Role.ADMIN))]
_WORDS: dict[str, Literal["again", "drop"]] = {"again": "again", "drop": "drop"}


@router.get("/chats")
async def listing(request: Request, desk: Administering) -> Response:
    """What no chat has taken, and why."""
    found = await desk.do(lambda at: at.store.messages.listing())
    return await shown(request, desk.service, "letters.html", letters=found)


@router.post("/chats")
async def settle(request: Request, desk: Settling) -> Response:
    """One is tried again, or dropped; of one that somebody else has settled nothing becomes."""
    ref, word = await form_field(request, "ref"), await form_field(request, "do")
    if word not in _WORDS:
        raise HttpProblem(422, "invalid-request", "do: is again or drop")
    with suppress(Missing):  # the list shows it
        await desk.do(lambda at: resolve(at.store, ref, _WORDS[word], at.actor))
    return redirect_to(request, "/chats")
