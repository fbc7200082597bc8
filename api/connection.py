"""One connection, bounded: a head that does not come or does not end, an answer that nobody takes, more connections than may be.

uvicorn bounds none of these by itself: it waits for a first request without end, and takes headers of any length.
"""

import asyncio
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from api.jsontext import dump
from api.problems import MEDIA_TYPE, Problem, ProblemDocument, overloaded

HEAD_SECONDS = 10.0
"""In this time the head of a request is there, from the connection or the first byte on."""
HEAD_BYTES = 64 * 1024
STALL_SECONDS = 30.0
"""An answer of which nothing more is taken for so long is given up."""


class BoundedConnection(HttpToolsProtocol):
    """uvicorn's connection with a time for the head and for the answer, a size for the head, and a count of connections."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._is_head = True
        self._head_bytes = 0
        self._head_due: asyncio.TimerHandle | None = None
        self._stalled: asyncio.TimerHandle | None = None
        self._rest_due: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin; one connection too many is told so and closed."""
        super().connection_made(transport)
        most = self.config.limit_concurrency
        if most and len(self.connections) >= most:
            self._refuse(overloaded())
            return
        self._wait_for_head()

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
            self._refuse(Problem(431, "head-too-large", f"The head is larger than {HEAD_BYTES:,} bytes."))

    def on_headers_complete(self) -> None:
        """The head is there."""
        self._head_is_over()
        self._is_head = False
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

    def _wait_for_head(self) -> None:
        if self._head_due is None:
            self._head_due = self.loop.call_later(HEAD_SECONDS, self._head_is_late)

    def _head_is_over(self) -> None:
        if self._head_due is not None:
            self._head_due.cancel()
            self._head_due = None

    def _head_is_late(self) -> None:
        if not self.transport.is_closing():
            self._refuse(Problem(408, "head-too-slow", f"No request came within {HEAD_SECONDS:g} seconds."))

    def _rest_is_over(self) -> None:
        if self._rest_due is not None:
            self._rest_due.cancel()
            self._rest_due = None

    def _unstall(self) -> None:
        if self._stalled is not None:
            self._stalled.cancel()
            self._stalled = None

    def _refuse(self, problem: Problem) -> None:
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
