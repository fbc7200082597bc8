"""A platform's server as a process of its own, with switches for the ways in which platforms fail.

``POST /_fake/switch`` ``{"mode", "times", "path"?}``: the next calls are ``slow`` (answered after ``seconds``), ``429`` (with
Retry-After), ``500`` or ``503`` (nothing is done), ``posted-500`` (taken, then 500), ``posted-html`` (taken, then a page that is no JSON), or
``dropped`` (taken, then the connection is cut). ``GET /_fake/seen``: every call; ``GET /_fake/posted``: what people see.
"""

import asyncio
import json
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from tests.api.forked import Forked, start

RETRY_AFTER = "2"
Taking = Callable[[Request, bytes, "State"], Response]


@dataclass
class State:
    """What the fake remembers."""

    seen: list[dict[str, Any]] = field(default_factory=list)
    posted: list[Any] = field(default_factory=list)
    """What people see, in order."""
    mode: dict[str, Any] = field(default_factory=dict)
    notes: dict[str, Any] = field(default_factory=dict)
    """Whatever else a platform remembers; ``POST /_fake/note`` adds to it."""


def fake(taking: Taking) -> Starlette:
    """The app of a fake platform: ``taking`` does what the platform does with one call."""
    state = State()

    async def any_call(request: Request) -> Response:
        body = await request.body()
        state.seen.append({"method": request.method, "path": request.url.path, "query": dict(request.query_params), "headers": dict(request.headers), "body": body.decode("utf-8", "replace")})  # fmt: skip
        mode = _mode(state, request.url.path)
        if mode == "429":
            return Response(status_code=429, headers={"Retry-After": RETRY_AFTER})
        if mode in {"500", "503"}:
            return Response(status_code=int(mode))
        done = taking(request, body, state)
        if mode == "slow":
            await asyncio.sleep(state.mode.get("seconds", 1))
        odd = {"dropped": Cut(), "posted-500": Response(status_code=500), "posted-html": Response("<html>")}
        return odd.get(mode, done)

    async def switch(request: Request) -> Response:
        state.mode = await request.json()
        return JSONResponse({})

    async def reset(_: Request) -> Response:
        for part in (state.seen, state.posted, state.mode, state.notes):
            part.clear()
        return JSONResponse({})

    async def note(request: Request) -> Response:
        state.notes.update(await request.json())
        return JSONResponse({})

    return Starlette(
        routes=[
            Route("/_fake/switch", switch, methods=["POST"]),
            Route("/_fake/reset", reset, methods=["POST"]),
            Route("/_fake/note", note, methods=["POST"]),
            Route("/_fake/seen", lambda _: JSONResponse(state.seen)),
            Route("/_fake/posted", lambda _: JSONResponse(state.posted)),
            Route("/{path:path}", any_call, methods=["GET", "POST", "PUT", "PATCH"]),
        ]
    )


def _mode(state: State, path: str) -> str:
    if state.mode.get("times", 0) < 1 or not path.startswith(state.mode.get("path", "/")):
        return "ok"
    state.mode["times"] -= 1
    return str(state.mode["mode"])


class Cut(Response):
    """A connection that ends in the middle of the answer."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        del scope, receive
        await send({"type": "http.response.start", "status": 200, "headers": [(b"content-length", b"100")]})
        await send({"type": "http.response.body", "body": b"{", "more_body": True})
        raise ConnectionResetError


@dataclass(frozen=True)
class Running:
    """A fake that runs."""

    url: str
    http: httpx.Client
    """One for all calls: making one reads every certificate there is."""

    def switch(self, mode: str, times: int = 1, path: str = "/", seconds: float = 1) -> None:
        """How the next calls go wrong."""
        said = {"mode": mode, "times": times, "path": path, "seconds": seconds}
        self.http.post(f"{self.url}/_fake/switch", json=said).raise_for_status()

    def reset(self) -> None:
        """It forgets everything."""
        self.http.post(f"{self.url}/_fake/reset").raise_for_status()

    def note(self, **what: object) -> None:
        self.http.post(f"{self.url}/_fake/note", content=json.dumps(what)).raise_for_status()

    @property
    def posted(self) -> list[Any]:
        found: list[Any] = self.http.get(f"{self.url}/_fake/posted").json()
        return found

    @property
    def seen(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.http.get(f"{self.url}/_fake/seen").json()
        return found


@contextmanager
def running(module: str, log: Path) -> Iterator[Running]:
    """The fake of ``module`` (its ``app``) on a free port, until the block ends."""
    with log.open("wb") as output:
        files = (0, output.fileno(), output.fileno())
        process = start(f"{module}:app", "--port", "0", "--no-access-log", module="uvicorn", files=files)
    try:
        with httpx.Client(verify=False) as client:
            yield Running(_address(process, log), client)
    finally:
        process.terminate()
        try:
            process.wait(5)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _address(process: Forked, log: Path) -> str:
    deadline = time.monotonic() + 120
    while time.monotonic() < deadline and process.poll() is None:
        said = log.read_text(errors="replace")
        if "Uvicorn running on " in said:
            return said.partition("Uvicorn running on ")[2].split()[0]
        time.sleep(0.05)
    raise AssertionError(f"the fake did not start:\n{log.read_text(errors='replace')}")
