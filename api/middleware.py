"""What surrounds every request: its id, its log line, its count, its size limit, its security headers, its last resort."""

import logging
import re
from time import perf_counter
from uuid import uuid4

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.metrics import Metrics
from api.problems import body_too_large

log = logging.getLogger(__name__)

REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}\Z")
CONTENT_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
SECURITY = {
    "Content-Security-Policy": CONTENT_POLICY,
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}


class Envelope:
    """Outermost of our own: gives the request an id, counts and logs it, and turns what nobody caught into a 500.

    The log line holds the route's pattern, never the address: a pasted text can stand in the query.
    """

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self.app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        given = Headers(scope=scope).get("x-request-id", "")
        request_id = scope["request_id"] = given if REQUEST_ID.match(given) else uuid4().hex
        status = 0
        start = perf_counter()

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(scope=message)
                headers["X-Request-ID"] = request_id
                for name, value in SECURITY.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            await self.app(scope, receive, send_with_headers)
        except Exception as error:
            log.exception("request %s failed", request_id)
            if status:  # too late for another answer: let the server cut the connection
                raise
            response = await scope["app"].state.failure(Request(scope, receive), error)
            await response(scope, receive, send_with_headers)
        finally:
            self._finish(scope, status, perf_counter() - start)

    def _finish(self, scope: Scope, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", None) or "(none)"
        self._metrics.request(scope["method"], route, status, seconds)
        log.info("%s %s %s %.1f ms id=%s", scope["method"], route, status or "cut", 1000 * seconds, scope["request_id"])


class BodyLimit:
    """Refuses a body over the limit: at once when Content-Length says so, else as soon as it has come that far."""

    def __init__(self, app: ASGIApp, limit: int) -> None:
        self.app = app
        self._limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        stated = Headers(scope=scope).get("content-length", "0")
        too_large = stated.isdecimal() and int(stated[:20]) > self._limit
        taken = 0

        async def receive_counted() -> Message:
            nonlocal taken
            if too_large:
                raise body_too_large(self._limit)
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > self._limit:
                raise body_too_large(self._limit)
            return message

        await self.app(scope, receive_counted, send)
