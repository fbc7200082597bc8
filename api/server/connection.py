"""One connection, bounded: a head that does not come or does not end, an answer that nobody takes, more connections than may be.

uvicorn bounds none of these by itself: it waits for a first request without end, and takes headers of any length.
"""

import asyncio
import ipaddress
from typing import Any

from starlette.responses import Response
from starlette.types import ASGIApp, Receive, Scope, Send
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from api.contract.jsontext import dump
from api.contract.problems import MEDIA_TYPE, HttpProblem, ProblemDocument, overloaded
from api.server.rates import caller_of

HEAD_SECONDS = 10.0
"""In this time the head of a request is there, from the connection or the first byte on."""
HEAD_BYTES = 64 * 1024
STALL_SECONDS = 30.0
"""An answer of which nothing more is taken for so long is given up."""


SHARE = 4
"""One address may hold a fourth of the connections; this machine and the trusted proxies, which speak for others, all."""
SPARE = 16
"""Connections beyond the limit, for probes alone. Who comes takes the place of who has waited longest, so a probe always has one."""
SLACK = 1024
"""uvicorn counts what was refused here until it is gone, and its own refusal, which spares no probe, is not to come first."""
PROBES = frozenset({b"/healthz", b"/readyz"})


class BoundedConnection(HttpToolsProtocol):
    """uvicorn's connection with a time for the head and for the answer, a size for the head, and a count of connections."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.began = self.loop.time()
        self.address: str | None = None
        self.is_spare = False
        self._is_head = True
        self._head_bytes = 0
        self._head_due: asyncio.TimerHandle | None = None
        self._stalled: asyncio.TimerHandle | None = None
        self._rest_due: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin; one connection too many is for probes alone."""
        super().connection_made(transport)
        self._wait_for_head()
        self._served = self.app
        peer = self.client[0] if self.client else None
        self.address = None if self._is_proxy(peer) else caller_of(peer)
        ours = [one for one in self.connections if isinstance(one, BoundedConnection)]
        most = (self.config.limit_concurrency or len(ours) + SLACK) - SLACK
        same = sum(one.address == self.address for one in ours) if self.address else 0
        self.is_spare = len(ours) > most or same > max(1, most // SHARE)
        spare = [one for one in ours if one.is_spare and not one.transport.is_closing()]
        if len(spare) > SPARE:
            min(spare, key=lambda one: (one.cycle is not None, one.began)).refuse(overloaded())

    def connection_lost(self, exc: Exception | None) -> None:
        """Forget the timers."""
        self._head_is_over()
        self._unstall()
        self._rest_is_over()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Take what came, as long as it is no head without end."""
        if self.transport.is_closing():
            return
        if self._is_head:
            self._wait_for_head()
            self._head_bytes += len(data)
        super().data_received(data)
        if self._is_head and self._head_bytes > HEAD_BYTES and not self.transport.is_closing():
            self.refuse(_too_large())

    def on_headers_complete(self) -> None:
        """The head is there."""
        self._head_is_over()
        self._is_head = False
        self.app = self._served
        if self.is_spare and self.url.partition(b"?")[0] not in PROBES:
            self.app = _refusing(overloaded())
        # One that came in a single piece with its end was not counted while it came.
        if len(self.url) + sum(len(name) + len(value) + 4 for name, value in self.headers) > HEAD_BYTES:
            self.app = _refusing(_too_large())
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        """After the body the next thing is a head."""
        super().on_message_complete()
        self._is_head, self._head_bytes = True, 0
        self._rest_is_over()

    def on_response_complete(self) -> None:
        """What is answered before its body was whole has as long for the rest as a head: uvicorn's own time ends with the next byte."""
        super().on_response_complete()
        if not self._is_head:
            self._rest_due = self._rest_due or self.loop.call_later(HEAD_SECONDS, self.transport.close)

    def pause_writing(self) -> None:
        """The other side takes nothing for now."""
        super().pause_writing()
        self._stalled = self._stalled or self.loop.call_later(STALL_SECONDS, self.transport.abort)

    def resume_writing(self) -> None:
        """It takes again."""
        self._unstall()
        super().resume_writing()

    def _is_proxy(self, peer: str | None) -> bool:
        try:
            address = ipaddress.ip_address(peer or "")
        except ValueError:
            return False
        proxies = self.config.forwarded_allow_ips if self.config.proxy_headers else ()
        return any(address in ipaddress.ip_network(one, strict=False) for one in proxies or ())

    def _wait_for_head(self) -> None:
        if self._head_due is None:
            self._head_due = self.loop.call_later(HEAD_SECONDS, self._head_is_late)

    def _head_is_over(self) -> None:
        if self._head_due is not None:
            self._head_due.cancel()
            self._head_due = None

    def _head_is_late(self) -> None:
        if not self.transport.is_closing():
            self.refuse(HttpProblem(408, "head-too-slow", f"No request came within {HEAD_SECONDS:g} seconds."))

    def _rest_is_over(self) -> None:
        if self._rest_due is not None:
            self._rest_due.cancel()
            self._rest_due = None

    def _unstall(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def refuse(self, problem: HttpProblem) -> None:
        """The problem document on the bare connection, and its end; while an answer is under way, its end alone."""
        if self.cycle is not None and not self.cycle.response_complete:
            self.transport.abort()
            return
        document = ProblemDocument(problem.kind, problem.status_code, problem.detail, instance="", request_id="")
        body = dump(document.to_dict())
        lines = [
            f"HTTP/1.1 {problem.status_code} {document.title}",
            f"Content-Type: {MEDIA_TYPE}",
            f"Content-Length: {len(body)}",
            "Connection: close",
            *(f"{name}: {value}" for name, value in (problem.headers or {}).items()),
        ]
        self.transport.write("\r\n".join([*lines, "", ""]).encode("ascii") + body)
        self.transport.close()


def _too_large() -> HttpProblem:
    return HttpProblem(431, "head-too-large", f"The head is larger than {HEAD_BYTES:,} bytes.")


def _refusing(problem: HttpProblem) -> ASGIApp:
    """What answers with a problem and ends the connection."""

    async def app(scope: Scope, receive: Receive, send: Send) -> None:
        document = ProblemDocument(problem.kind, problem.status_code, problem.detail, instance="", request_id="")
        headers = {**(problem.headers or {}), "Connection": "close"}
        await Response(dump(document.to_dict()), problem.status_code, headers, MEDIA_TYPE)(scope, receive, send)

    return app
