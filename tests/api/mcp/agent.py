"""An agent for tests: the SDK's own client, called without `await`; and bare messages, for what that client would not send."""

import os
import sys
from collections.abc import AsyncIterator, Iterator, Mapping
from contextlib import asynccontextmanager, contextmanager
from typing import Any

import httpx
import httpx2
from anyio.from_thread import BlockingPortal, start_blocking_portal
from mcp import Client
from mcp.client.stdio import StdioServerParameters
from mcp.client.streamable_http import streamable_http_client
from mcp.types import CallToolResult

LEGACY, MODERN = "2025-11-25", "2026-07-28"
"""The last protocol that begins with a handshake, and the first where every message stands alone."""


class Agent:
    """A client that is connected."""

    def __init__(self, portal: BlockingPortal, client: Client) -> None:
        self.portal = portal
        self.client = client

    def call(self, tool: str, **arguments: Any) -> CallToolResult:
        """What a tool answers."""
        return self.do("call_tool", tool, arguments)

    def given(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The same of one that does what it is asked."""
        result = self.call(tool, **arguments)
        assert not result.is_error, text_of(result)
        assert result.structured_content is not None
        return dict(result.structured_content)

    def do(self, method: str, *arguments: Any, **options: Any) -> Any:
        """Any method of the client."""
        return self.portal.call(lambda: getattr(self.client, method)(*arguments, **options))


@contextmanager
def connected(server: Any, version: str = LEGACY) -> Iterator[Agent]:
    """The client at a server, while the block lasts."""
    client = Client(server, mode="legacy" if version == LEGACY else "auto")
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(client):
        assert client.protocol_version == version
        yield Agent(portal, client)


@asynccontextmanager
async def at(url: str, key: str = "") -> AsyncIterator[Any]:
    """A service, asked with a key."""
    headers = {"Authorization": f"Bearer {key}"} if key else {}
    async with (
        httpx2.AsyncClient(headers=headers, timeout=30) as client,
        streamable_http_client(f"{url}/mcp", http_client=client) as streams,
    ):
        yield streams


def program(**settings: str) -> StdioServerParameters:
    """`kb mcp`, to be started."""
    return StdioServerParameters(
        command=sys.executable, args=["-m", "api.cli", "mcp"], env={**os.environ, "KB_LOG_LEVEL": "error", **settings}
    )


def text_of(result: CallToolResult) -> str:
    """What a tool tells the model."""
    (content,) = result.content
    assert content.type == "text"
    return content.text


def message(method: str, params: Mapping[str, Any] | None = None, number: int = 1) -> dict[str, Any]:
    """A request of JSON-RPC."""
    return {"jsonrpc": "2.0", "id": number, "method": method} | ({} if params is None else {"params": params})


def post(client: Any, tool: str, arguments: Any, key: str = "", **headers: str) -> httpx.Response:
    """One bare call of a tool: no handshake comes before it, as with any worker but the first."""
    sent = {**headers, **({"Authorization": f"Bearer {key}"} if key else {})}
    said = message("tools/call", {"name": tool, "arguments": arguments})
    response: httpx.Response = client.post("/mcp", json=said, headers=sent)
    return response


def result_of(response: httpx.Response) -> CallToolResult:
    """What the tool answered."""
    assert response.status_code == 200, response.text[:300]
    return CallToolResult.model_validate(response.json()["result"])


def refused(response: httpx.Response, kind: str) -> str:
    """The tool refuses for that reason, says a cure, and repeats it for programs; what it tells comes back."""
    result = result_of(response)
    assert result.is_error
    assert result.structured_content is None
    assert result.meta is not None
    assert result.meta["dejastack/problem"]["type"] == f"urn:dejastack:problem:{kind}"
    told = text_of(result)
    assert " Cure: " in told
    return told
