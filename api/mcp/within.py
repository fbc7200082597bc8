"""The routes of the service that got a message, asked inside it: no second connection, and nobody is asked for a key twice."""

from typing import Any

import httpx
from starlette.types import Receive, Scope, Send

from api.mcp.asking import Routes

_PASSED = ("app", "caller", "request_id", "starlette.exception_handlers", "fastapi_middleware_astack")
"""What a request to a route has of the request that brought the message."""


def routes_of(context: Any) -> Routes:
    """The routes as whoever sent the message of ``context`` may ask them: role, scopes and review are checked by each of them."""
    outer: Scope = context.request.scope
    service = outer["app"].router

    async def inner(scope: Scope, receive: Receive, send: Send) -> None:
        passed = {name: outer[name] for name in _PASSED if name in outer}
        await service({**scope, **passed, "door": "mcp"}, receive, send)

    transport = httpx.ASGITransport(app=inner)
    return Routes(httpx.AsyncClient(transport=transport, base_url="http://service", timeout=None), "this service")  # noqa: S113 - the routes have their own limits
