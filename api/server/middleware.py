"""What surrounds every request: its id, its log line, its count, its span, its security headers, its last resort."""

import logging
import re
from time import perf_counter
from uuid import uuid4

import structlog
from opentelemetry.trace import Span
from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.contract.problems import HttpProblem
from api.observability import tracing
from api.server.service import Service

log = logging.getLogger(__name__)

REQUEST_ID = re.compile(r"[A-Za-z0-9._-]{1,64}\Z")
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
"""Told by name; any other is ``other``: a caller may send what it likes, and counts are kept by method."""
PROBES = frozenset({"/healthz", "/readyz", "/metrics", "/static"})
"""Routes asked every few seconds: their lines are for ``debug``."""
CONTENT_POLICY = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
SECURITY = {
    "Content-Security-Policy": CONTENT_POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
}
BEHIND_TLS = {"Strict-Transport-Security": "max-age=31536000"}
"""Only where the browser came by TLS: said in the clear it means nothing, and for a laptop's localhost it would do harm."""


class Envelope:
    """Outermost of our own: gives the request an id, counts and logs it, and turns what nobody caught into a 500.

    The log line holds the route's pattern, never the address: a pasted text can stand in the query.
    """

    def __init__(self, app: ASGIApp, service: Service) -> None:
        self.app = app
        self._service = service

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        given = Headers(scope=scope)
        request_id = given.get("x-request-id", "")
        request_id = scope["request_id"] = request_id if REQUEST_ID.match(request_id) else uuid4().hex
        structlog.contextvars.clear_contextvars()
        structlog.contextvars.bind_contextvars(request_id=request_id)
        with self._service.metrics.in_flight(), tracing.request_span(given) as span:
            await self._serve(scope, receive, send, span)

    async def _serve(self, scope: Scope, receive: Receive, send: Send, span: Span) -> None:
        status = 0
        start = perf_counter()

        async def send_with_headers(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                self._add_headers(scope, MutableHeaders(scope=message))
            await send(message)

        try:
            await self.app(scope, receive, send_with_headers)
        except Exception as error:
            if not isinstance(error, HttpProblem):  # those are raised by what stands between here and the routes
                log.exception("request failed")
            if status:  # too late for another answer: let the server cut the connection
                raise
            response = await scope["app"].state.failure(Request(scope, receive), error)
            await response(scope, receive, send_with_headers)
        finally:
            self._finish(scope, status, perf_counter() - start, span)

    def _add_headers(self, scope: Scope, headers: MutableHeaders) -> None:
        headers["X-Request-ID"] = scope["request_id"]
        security = {**SECURITY, **BEHIND_TLS} if scope["scheme"] == "https" else SECURITY
        for name, value in security.items():
            headers.setdefault(name, value)
        if self._service.is_stopping:
            headers["Connection"] = "close"

    def _finish(self, scope: Scope, status: int, seconds: float, span: Span) -> None:
        route = getattr(scope.get("route"), "path", None) or "(none)"
        method = scope["method"] if scope["method"] in METHODS else "other"
        self._service.metrics.request(method, route, status, seconds)
        if kind := structlog.contextvars.get_contextvars().get("problem"):
            self._service.metrics.problem(kind)
        tracing.finish(span, method, route, status)
        log.log(
            logging.DEBUG if route in PROBES and status < 500 else logging.INFO,
            "request",
            extra={"method": method, "route": route, "status": status or "cut", "ms": round(1000 * seconds, 1)},
        )
