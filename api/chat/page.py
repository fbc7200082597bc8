"""`/chat/{ref}`: an answer of a chat on a page, to say what one thinks of it where a chat's buttons are mere links.

Whatever looks at the address (a chat looks at every link to show what is there) changes nothing: a vote is a form that is sent.
"""

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from api.access import Scope, within
from api.chat.queue_codec import Answered
from api.chat.votes import not_found, vote
from api.pages.answer import answered
from api.pages.calls import SaidByAnyone, form_field, number
from api.pages.rendering import shown
from api.problems import HttpProblem
from api.service import Service
from api.writing.calls import Reading
from kb.store import Missing
from kb.store.model import ChatMessage, Vote

router = APIRouter(include_in_schema=False)
_VOTES = {"yes": Vote.YES, "no": Vote.NO}


@router.get("/chat/{ref}", dependencies=[Depends(within(Scope.SEARCH))])
async def look(request: Request, ref: str, desk: Reading) -> Response:
    """What was answered; where that came too late for the chat, the answer as on the page."""
    found = await question(desk.service, ref)
    said = Answered.from_json(found.answer or {})
    if not said.matches:
        return await answered(request, desk.service, str(found.question.get("text", "")))
    wanted = (request.query_params.get("place"), request.query_params.get("vote"))
    return await _vote_page(request, desk.service, found, said, wanted=wanted)


@router.post("/chat/{ref}", dependencies=[Depends(within(Scope.FEEDBACK))])
async def keep_vote(request: Request, ref: str, desk: SaidByAnyone) -> Response:
    """Keep a vote; of those who are not logged in once for each match and word."""
    found = await question(desk.service, ref)
    place, word = await number(request, "place"), await form_field(request, "vote")
    if word not in _VOTES:
        raise HttpProblem(422, "invalid-request", "vote: is yes or no")
    keeps = desk.settings.feedback_text
    try:
        await desk.do(lambda at: vote(at, found, place, _VOTES[word], keeps_text=keeps))
    except Missing:
        raise not_found() from None
    return await _vote_page(request, desk.service, found, Answered.from_json(found.answer or {}), thanked=place)


async def question(service: Service, ref: str) -> ChatMessage:
    """What was asked and answered under a name; Problem 404 when that was forgotten, or never was."""
    try:
        found = await service.in_store(lambda store, _: store.messages.get(ref))
    except Missing:
        raise not_found() from None
    if found.answer is None or "message" not in found.answer:
        raise not_found()
    return found


async def _vote_page(
    request: Request,
    service: Service,
    found: ChatMessage,
    said: Answered,
    *,
    thanked: int | None = None,
    wanted: tuple[str | None, str | None] = (None, None),
) -> Response:
    """``wanted``: the match and the vote of the link that was followed; its button stands out, and is still to be pressed."""
    message = said.message
    matches = (*([message.best] if message.best else []), *message.causes, *message.others)
    values = {"asked": found, "message": message, "matches": matches, "ids": said.matches}
    return await shown(request, service, "chat.html", thanked=thanked, wanted=wanted, **values)
