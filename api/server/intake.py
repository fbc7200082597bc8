"""What is checked before a request is read: how often its caller asks, whether there is a place, how large and how slow its body is."""

import asyncio
import time

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.contract.bodies import PartCounter
from api.contract.problems import HttpProblem, body_too_large, body_too_slow, overloaded
from api.server.middleware import PROBES
from api.server.rates import Rate, caller_of
from api.server.service import Service
from api.settings import ServiceSettings

SEARCHES = frozenset({"/", "/v1/search", "/v1/search/batch", "/v1/parse"})
"""Addresses whose POST needs a place: refused before their body is read when there is none."""
CHATS = "/v1/chat/"
HOOKS = "/v1/hooks/"
DEAD = "/v1/chat/dead/"
"""What people, and no platform, send beside the doors of chats: it has no signature, and is read as JSON like all else."""
MCP = "/mcp"
BODIES = 4
"""As many of the largest bodies may be in memory at once, while they come and while they are answered."""


class Intake:
    """Refuses what would cost the others, as early as it is known."""

    def __init__(self, app: ASGIApp, service: Service, settings: ServiceSettings, chat_calls: float) -> None:
        """``chat_calls``: how many calls a second an address may send to the doors of chats, at the least."""
        self.app = app
        self._service = service
        self._limit = settings.max_body_bytes
        self._seconds = settings.body_seconds
        rate = settings.rate_per_address
        self._rate = Rate(rate) if rate else None
        self._rate_of_chats = Rate(max(rate, chat_calls)) if rate else None
        self._held = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        try:
            self._admit(scope)
        except HttpProblem as problem:
            response = await scope["app"].state.failure(Request(scope, receive), problem)
            await response(scope, receive, send)
            return
        body = _Body(self, scope, receive)
        try:
            await self.app(scope, body.receive, send)
        finally:
            self._held -= body.received

    def hold(self, size: int) -> None:
        """So much more of bodies is in memory; Problem 503 when that is more than may be."""
        if self._held + size > BODIES * self._limit:
            raise overloaded()
        self._held += size

    @property
    def limits(self) -> tuple[int, float]:
        """The largest body in bytes, and in how many seconds it must be there."""
        return self._limit, self._seconds

    def _admit(self, scope: Scope) -> None:
        path, client = scope["path"], scope.get("client")
        caller = caller_of(client[0] if client else None)
        rate = self._rate_of_chats if path.startswith(CHATS) else self._rate
        if rate and caller and path not in PROBES:
            rate.take(caller)
        if scope["method"] == "POST" and path in SEARCHES and not self._service.admission.free:
            raise overloaded()


def is_counted(path: str, media: str) -> bool:
    """Return whether the parts of a body are counted as it arrives.

    What hooks and chats send is read once its signature holds, in a thread, with bounds of its own. A write-up in Markdown may begin with a
    bracket and is no JSON. Messages of agents are read as JSON, whatever they are declared as.
    """
    is_signed = path.startswith((CHATS, HOOKS)) and not path.startswith(DEAD)
    return not is_signed and (path == MCP or not media.strip().lower().startswith("text/"))


class _Body:
    """The body of one request, as it comes."""

    def __init__(self, intake: Intake, scope: Scope, receive: Receive) -> None:
        self.received = 0
        """Bytes so far."""
        self._intake = intake
        self._receive = receive
        headers = Headers(scope=scope)
        stated = headers.get("content-length", "0")
        self._stated = int(stated[:20]) if stated.isdecimal() else 0
        self._due = time.monotonic() + intake.limits[1]
        self._is_whole = False
        self._parts = PartCounter() if is_counted(scope["path"], headers.get("content-type", "")) else None

    async def receive(self) -> Message:
        """The next message: a piece of the body, or, when it is whole, whatever the server sends."""
        if self._is_whole:
            return await self._receive()
        limit, seconds = self._intake.limits
        if self._stated > limit:
            raise body_too_large(limit)
        try:
            message = await asyncio.wait_for(self._receive(), self._due - time.monotonic())
        except TimeoutError:
            raise body_too_slow(seconds) from None
        size = len(message.get("body", b""))
        self._is_whole = not message.get("more_body", False)
        if self.received + size > limit:
            raise body_too_large(limit)
        self._intake.hold(size)
        self.received += size
        if self._parts and size:
            self._parts.take(message["body"])
        return message
