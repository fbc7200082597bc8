"""`/chat/{ref}`: an answer of a chat on a page, for votes where the chat's buttons are mere links.

Reading the page changes nothing, since chats fetch every link for a preview: a vote is a form that is sent.
"""

from fastapi import APIRouter, Depends, Request
from starlette.responses import Response

from api.access import Scope, within
from api.chat.queue_codec import Answered
from api.chat.votes import vote
from api.contract.problems import HttpProblem
from api.pages.answer import answered
from api.pages.calls import SaidByAnyone, form_field, number
from api.pages.rendering import shown
from api.server.service import Service
from api.writing.calls import Reading, no_chat_question
from kb.store import Missing
from kb.store.model import ChatMessage, Vote

router = APIRouter(include_in_schema=False)
_VOTES = {"yes": Vote.YES, "no": Vote.NO}


@router.get("/chat/{ref}", dependencies=[Depends(within(Scope.SEARCH))])
async def look(request: Request, ref: str, access: Reading) -> Response:
    """Show the answer; search again where it came too late for the chat."""
    queued = await question(access.service, ref)
    reply = Answered.from_json(queued.answer or {})
    if not reply.matches:
        return await answered(request, access.service, str(queued.question.get("text", "")))
    wanted = (request.query_params.get("place"), request.query_params.get("vote"))
    return await _vote_page(request, access.service, queued, reply, wanted=wanted)


@router.post("/chat/{ref}", dependencies=[Depends(within(Scope.FEEDBACK))])
async def keep_vote(request: Request, ref: str, access: SaidByAnyone) -> Response:
    """Store a vote. Anonymous visitors together count once per match and vote."""
    queued = await question(access.service, ref)
    place, word = await number(request, "place"), await form_field(request, "vote")
    if word not in _VOTES:
        raise HttpProblem(422, "invalid-request", "vote: is yes or no")
    keeps = access.settings.feedback_text
    try:
        await access.do(lambda at: vote(at, queued, place, _VOTES[word], keeps_text=keeps))
    except Missing:
        raise no_chat_question() from None
    return await _vote_page(request, access.service, queued, Answered.from_json(queued.answer or {}), thanked=place)


async def question(service: Service, ref: str) -> ChatMessage:
    """Return a question and its answer by reference. Problem 404 when it has expired or never existed."""
    try:
        queued = await service.in_store(lambda store, _: store.messages.get(ref))
    except Missing:
        raise no_chat_question() from None
    if queued.answer is None or "message" not in queued.answer:
        raise no_chat_question()
    return queued


async def _vote_page(
    request: Request,
    service: Service,
    queued: ChatMessage,
    reply: Answered,
    *,
    thanked: int | None = None,
    wanted: tuple[str | None, str | None] = (None, None),
) -> Response:
    """``wanted``: match and vote of the link that was followed; its button is highlighted, not pressed."""
    message = reply.message
    matches = (*([message.best] if message.best else []), *message.causes, *message.others)
    values = {"queued": queued, "message": message, "matches": matches, "ids": reply.matches}
    return await shown(request, service, "chat.html", thanked=thanked, wanted=wanted, **values)
