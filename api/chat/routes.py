"""`/v1/chat/{platform}`: verify a call as it came, read it, queue it and acknowledge it; the answer comes later."""

import asyncio
import hashlib
import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TypeVar

from anyio import to_thread
from fastapi import APIRouter, Request
from starlette.exceptions import HTTPException
from starlette.responses import Response
from structlog.contextvars import bind_contextvars

from api.chat.compose import notice_card, reply_language
from api.chat.context import ChatContext
from api.chat.platform import (
    AnswersAtOnce,
    ButtonClick,
    InboundMessage,
    Nothing,
    Platform,
    Question,
    RefusedRequest,
    Reply,
    RetryableError,
    UrlVerification,
    WebhookRequest,
)
from api.chat.queue_codec import (
    PRESS,
    QUESTION,
    Answered,
    answered_at,
    click_id,
    click_to_json,
    question_from_json,
    question_to_json,
)
from api.contract.bodies import read_body
from api.contract.problems import HttpProblem
from kb.errors import KbError
from kb.store import Missing, Store
from kb.store.model import ChatMessage

REPLAY_WINDOW = timedelta(hours=2)
"""DingTalk's clock may differ by an hour either way; those of others by less."""


@contextmanager
def accept_once(store: Store, platform: str, proof: str) -> Iterator[None]:
    """Accept each call once, by its `Platform.proof`; RefusedRequest("replayed") the second time.

    The block stores its work in the same transaction as the mark, so a call that could not be stored is accepted when it comes again.
    """
    now, name = datetime.now(UTC), hashlib.sha256(proof.encode("utf-8", "replace")).hexdigest()
    with store.messages.together():
        if not store.messages.mark(f"call:{platform}", name, now, now - REPLAY_WINDOW):
            raise RefusedRequest("replayed")
        yield


log = logging.getLogger(__name__)

MOST_BYTES = 1 << 20
"""Most bytes of a call; the longest message of any platform, encrypted, is a third of it."""
MARGIN = 0.5
"""Seconds of a platform's limit that are kept for the way back."""
SEARCH_MARGIN = 1.5
"""The same where the answer itself goes back."""

_T = TypeVar("_T")

router = APIRouter(include_in_schema=False)


@router.api_route("/v1/chat/{platform}", methods=["GET", "POST"])
async def called(request: Request, platform: str) -> Response:
    """Handle a call of a platform. Its signature is its key: no API key is needed."""
    if platform == "dead":  # `api.chat.dead_letters`, which is only read
        raise HTTPException(405, headers={"Allow": "GET"})
    room: ChatContext = request.app.state.chat
    adapter = room.platform(platform)
    bind_contextvars(platform=adapter.name)  # for the line of the log
    call = WebhookRequest(
        request.method,
        dict(request.query_params),
        {name.lower(): value for name, value in request.headers.items()},
        await read_body(request, MOST_BYTES),
    )
    try:
        adapter.verify(call, room.clock())
    except RefusedRequest as refused:
        room.counts.refused(platform, refused.reason)
        raise _not_theirs() from None
    try:
        message = adapter.read(call)
    except RefusedRequest as refused:
        room.counts.refused(platform, refused.reason)
        raise HttpProblem(400, "chat-unreadable", "This is none of the forms of that platform.") from None
    incoming = IncomingCall(room, adapter, adapter.proof(call))
    try:
        return _response(await incoming.answered(message))
    except RefusedRequest as refused:
        room.counts.refused(platform, refused.reason)
        raise _not_theirs() from None


def _not_theirs() -> HttpProblem:
    """Return one 401 for every failed check, so that it gives no hint to a forger."""
    headers = {"WWW-Authenticate": 'Signature realm="dejastack"'}
    return HttpProblem(401, "chat-refused", "This was not signed by that platform, or too long ago.", headers=headers)


@dataclass(frozen=True, slots=True)
class IncomingCall:
    """A verified call. RefusedRequest("replayed") when the same bytes were accepted before."""

    room: ChatContext
    platform: Platform
    proof: str
    """Of this delivery."""

    async def answered(self, message: InboundMessage) -> Reply:
        """Handle the call and return the response."""
        counts, name = self.room.counts, self.platform.name
        match message:
            case UrlVerification() | Nothing():
                await self._noted()
                counts.received(name, "check" if isinstance(message, UrlVerification) else "nothing")
            case ButtonClick():
                queued = await self._kept(PRESS, click_id(message), partial(click_to_json, message))
                counts.received(name, "press" if queued else "seen")
                return await _redrawn(self.room, name, message)
            case Question():
                is_at_once = isinstance(self.platform, AnswersAtOnce)
                hold = self.room.hold if is_at_once else 0
                queued = await self._kept(QUESTION, message.id, partial(question_to_json, message), hold)
                counts.received(name, "question" if queued else "seen")
                if queued and isinstance(self.platform, AnswersAtOnce):
                    return await _at_once(self.room, self.platform, message, queued)
        return message.reply

    async def _noted(self) -> None:
        """Store nothing but the mark against replays."""

        def note(store: Store) -> None:
            with accept_once(store, self.platform.name, self.proof):
                pass

        await self._in_store(note)

    async def _kept(
        self, kind: str, name: str, to_json: Callable[[], dict[str, object]], hold: float = 0
    ) -> ChatMessage | None:
        """Queue a message on disk; None when it is a redelivery."""

        def take(store: Store) -> ChatMessage | None:
            content = to_json()
            with accept_once(store, self.platform.name, self.proof):
                return store.messages.take(self.platform.name, name, kind, content, datetime.now(UTC), hold=hold)

        queued = await self._in_store(take)
        if queued and not hold:
            self.room.worker.wake()
        return queued

    async def _in_store(self, work: Callable[[Store], _T]) -> _T:
        """Run work on the store. Problem 503 when the store takes longer than the platform waits: it delivers the call again."""
        store = self.room.service.store
        try:
            async with asyncio.timeout(self.platform.seconds - MARGIN):
                return await to_thread.run_sync(lambda: work(store), abandon_on_cancel=True, limiter=self.room.threads)
        except TimeoutError:
            raise HttpProblem(503, "store-busy", "It could not be kept in time. Send it again.") from None


async def _redrawn(room: ChatContext, platform: str, press: ButtonClick) -> Reply:
    """Return the response to a click: that the answer has expired, the redrawn card, or the plain reply.

    When the store is too slow it is the plain reply: the click is stored.
    """
    if press.expired is None and press.redrawn is None:
        return press.reply

    def look(store: Store) -> Answered | None:
        return answered_at(store.messages.get(press.ref), platform, press.place)

    store = room.service.store
    try:
        async with asyncio.timeout(MARGIN):
            answered = await to_thread.run_sync(lambda: look(store), abandon_on_cancel=True, limiter=room.threads)
    except Missing:
        answered = None
    except (TimeoutError, KbError):
        return press.reply
    if answered is None:
        return press.reply if press.expired is None else press.expired
    return press.reply if press.redrawn is None else press.redrawn(answered.message)


async def _at_once(room: ChatContext, platform: AnswersAtOnce, question: Question, held: ChatMessage) -> Reply:
    """Return the answer itself as the response; a link to it when the search takes too long."""
    clean = question_from_json(held)
    about = room.answering.about(held.ref, tuple(held.question["notes"]))
    try:
        async with asyncio.timeout(platform.seconds - SEARCH_MARGIN):
            answered = await room.answering.answer(clean.text, about)
    except (TimeoutError, RetryableError):
        answered = Answered(notice_card("late", reply_language(clean.text), about))
    now = datetime.now(UTC)

    def note(store: Store) -> None:
        store.messages.begin(held, now, room.hold, answer=answered.to_json(), question=held.question)
        store.messages.done(held.ref, now, question={"text": clean.text})

    try:
        async with asyncio.timeout(MARGIN):
            await room.worker.in_store(note)
    except (TimeoutError, KbError):
        log.warning("an answer of %s is not noted: nobody can vote on it", platform.name)
    room.counts.answered(platform.name, (datetime.now(UTC) - held.received_at).total_seconds())
    return platform.answered(answered.message, question)


def _response(reply: Reply) -> Response:
    return Response(reply.body, reply.status, media_type=reply.media)
