"""`/mcp`: one message of an agent in the body of a POST. Messages are independent, so any worker can answer any of them."""

import asyncio
import logging
from contextlib import suppress
from dataclasses import replace
from importlib import import_module
from typing import Annotated, Any
from urllib.parse import urlsplit

import structlog
from anyio import to_thread
from fastapi import APIRouter, Depends, FastAPI, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from api.access import Caller, needs
from api.access.hosts import is_this_machine, name_of
from api.contract.bodies import read_body
from api.contract.jsontext import WireResponse
from api.contract.problems import HttpProblem
from api.mcp.json_rpc import checked, parse_error
from api.settings import ServiceSettings
from kb.store import Role

log = logging.getLogger(__name__)

HEADERS = ("MCP-Protocol-Version", "Mcp-Method", "Mcp-Name", "Mcp-Session-Id")
"""What an agent that runs in a browser sends beside the usual."""
OPEN_SECONDS = 60.0
"""Timeout for loading the SDK, which happens when the first agent asks."""


def known_place(request: Request) -> None:
    """Raise Problem 403 for requests from a page of another site, which browsers name in `Origin`.

    The protocol asks for it, against DNS rebinding; `api.access.hosts` checks the `Host` header.
    """
    settings: ServiceSettings = request.app.state.settings
    origin = request.headers.get("origin")
    if origin is None or origin in settings.cors_origins:
        return
    routes_for = name_of(request.headers.get("host", ""))
    if not (is_this_machine(_name_of_page(origin)) and is_this_machine(routes_for)):
        raise HttpProblem(
            403, "origin-refused", "Pages of other origins may ask only where KB_CORS_ORIGINS names them."
        )


def _name_of_page(origin: str) -> str:
    try:
        return urlsplit(origin).hostname or ""
    except ValueError:
        return ""


router = APIRouter(include_in_schema=False)


@router.post("/mcp", dependencies=[Depends(known_place)])
async def message(request: Request, asks: Annotated[Caller, Depends(needs(Role.READER))]) -> Response:
    """Answer one message in JSON. Its tools call the routes with the rights of its sender."""
    request.scope["caller"] = replace(asks, token=None)  # a session's was checked: it came with this request
    try:
        body, refused = await to_thread.run_sync(checked, await read_body(request))
    except HttpProblem as problem:
        if problem.kind not in ("too-many-parts", "unreadable-body"):
            raise
        return WireResponse(parse_error(problem.detail), 400)
    if refused:
        return WireResponse(refused, 400)
    return _ServedBySdk(request.app.state.mcp, body)


class McpServer:
    """The SDK's server in this process: loaded by the first message, running as long as the service."""

    def __init__(self, settings: ServiceSettings) -> None:
        self._largest = settings.max_body_bytes
        self._wanted = asyncio.Event()
        self._ready = asyncio.Event()
        self._manager: Any = None

    async def keep_open(self) -> None:
        """Serve whatever comes. If the SDK's server ends, the next message starts another."""
        while True:
            await self._wanted.wait()
            try:
                room = await to_thread.run_sync(import_module, "api.mcp.server")
                manager = room.manager(self._largest)
                async with manager.run():
                    self._manager = manager
                    self._ready.set()
                    await asyncio.Event().wait()
            except Exception:
                log.exception("the MCP server ended")
            finally:
                self._manager = None
                self._ready.set()  # nobody waits for what will not come
            self._wanted.clear()
            self._ready.clear()

    async def serve(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one message."""
        self._wanted.set()
        with suppress(TimeoutError):
            await asyncio.wait_for(self._ready.wait(), OPEN_SECONDS)
        if self._manager is None:
            raise HttpProblem(503, "mcp-closed", "The MCP server is not open. Try again.", headers={"Retry-After": "2"})
        await self._manager.handle_request(scope, receive, send)


class _ServedBySdk(Response):
    """The answer of the SDK's server to a body that was read."""

    def __init__(self, door: McpServer, body: bytes) -> None:
        super().__init__()
        self._door = door
        self._sent = body

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer, and put the facts of the tools on the request's log line."""
        messages = [{"type": "http.request", "body": self._sent, "more_body": False}]

        async def again() -> Any:
            return messages.pop() if messages else await receive()

        try:
            await self._door.serve(scope, again, send)
        finally:
            structlog.contextvars.bind_contextvars(**scope.get("logged", {}))


def install(app: FastAPI, settings: ServiceSettings) -> None:
    """Open the door; ``app.state.mcp.keep_open()`` is to run while the app does."""
    app.state.mcp = McpServer(settings)
    app.include_router(router)
