"""`kb mcp`: the server over standard input and output, one message a line, for an agent that starts it."""

import os
import threading
from collections import deque
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib import import_module
from typing import Any

import anyio
import anyio.lowlevel
import httpx
from anyio import from_thread
from anyio.streams.memory import MemoryObjectSendStream
from mcp.server.stdio import stdio_server
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCError

from api.mcp.json_rpc import refusal, without_lone_surrogates
from api.mcp.routes_client import Routes
from api.mcp.server import make
from api.settings import ServiceSettings
from kb.client.protocol import SECONDS, ServiceAddress


async def serve(settings: ServiceSettings) -> None:
    """Answer until standard input ends, from the service at `KB_URL` if it is set, else from the home."""
    async with _routes(settings) as routes:
        server = make(lambda _context: routes)
        lines: Any = _Lines(settings.max_body_bytes)
        async with stdio_server(stdin=lines) as (came, goes), anyio.create_task_group() as tasks:
            give, take = anyio.create_memory_object_stream[Any](0)
            tasks.start_soon(_answer_unreadable, lines, came, give, goes.clone())
            await server.run(take, goes, server.create_initialization_options())
            tasks.cancel_scope.cancel()


@asynccontextmanager
async def _routes(settings: ServiceSettings) -> AsyncIterator[Routes]:
    if settings.url:
        where = ServiceAddress.of(settings.url, settings.key or "")
        async with httpx.AsyncClient(base_url=where.url, headers=where.headers, timeout=SECONDS) as client:
            yield Routes(client, where.url)
        return
    app = import_module("api.incidents.in_process").app_for_local_user(
        settings
    )  # with the index and all, which asking a service does not need
    transport = httpx.ASGITransport(app=app)
    async with (
        app.router.lifespan_context(app),
        httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", timeout=None) as client,  # noqa: S113 - the routes have their own limits
    ):
        yield Routes(client, str(settings.home))


async def _answer_unreadable(lines: "_Lines", came: Any, give: MemoryObjectSendStream[Any], goes: Any) -> None:
    """Hand on what can be read; answer what cannot, which the SDK passes over in silence."""
    async with give, goes:
        async for item in came:
            if isinstance(item, Exception):
                answer = lines.refused.popleft() if lines.refused else refusal(b"")
                await goes.send(SessionMessage(JSONRPCError.model_validate(answer)))
            else:
                await give.send(item)


class _Lines:
    """Standard input line by line for the SDK: bounded in length, repaired, and empty for each line that is no message.

    A daemon thread reads: one that is waited for could not be stopped by Ctrl-C.
    """

    def __init__(self, longest: int) -> None:
        self._longest = longest
        self.refused: deque[dict[str, Any]] = deque()
        """The answers to lines that were no messages, in their order."""

    async def __aiter__(self) -> AsyncIterator[str]:
        give, take = anyio.create_memory_object_stream[bytes](0)
        token = anyio.lowlevel.current_token()

        def read() -> None:
            with os.fdopen(os.dup(0), "rb") as source:
                while line := source.readline(self._longest):
                    if not line.endswith(b"\n") and len(line) == self._longest:
                        while (rest := source.readline(self._longest)) and not rest.endswith(b"\n"):
                            pass
                        line = b"["  # no message, and answered as such
                    from_thread.run(give.send, without_lone_surrogates(line), token=token)
            from_thread.run_sync(give.close, token=token)

        threading.Thread(target=read, name="stdin", daemon=True).start()
        async with take:
            async for line in take:
                if refused := refusal(line) if line.strip() else None:
                    self.refused.append(refused)
                if line.strip():
                    yield "" if refused else line.decode("utf-8", "replace")
