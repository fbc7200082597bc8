"""The server of Talk as a real process: it keeps what is posted, and misbehaves as it is told to.

`POST /be {"modes": [...]}`: how the next posts are met, one each: ``ok``, ``429``, ``wait`` (429, for longer), ``500``, ``404``, ``slow`` (posted, answered too late), ``hang`` (posted, never answered).
"""

import asyncio
import sys
from typing import Any

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import Route

posted: list[dict[str, Any]] = []
tried: list[str] = []
modes: list[str] = []
files: dict[str, str] = {}


async def post(request: Request) -> Response:
    mode = modes.pop(0) if modes else "ok"
    tried.append(mode)
    if mode in {"429", "wait"}:
        return Response(status_code=429, headers={"Retry-After": "1" if mode == "429" else "30"})
    if mode in {"500", "404"}:
        return Response(status_code=int(mode))
    body = await request.json()
    if "key" not in body or all(one.get("key") != body["key"] for one in posted):
        posted.append(body)
    if mode in {"slow", "hang"}:
        await asyncio.sleep(3 if mode == "slow" else 600)
    return JSONResponse({"ok": True})


async def be(request: Request) -> Response:
    told = await request.json()
    modes[:] = told.get("modes", [])
    files.update(told.get("files", {}))
    if told.get("forget"):
        posted.clear()
        tried.clear()
    return JSONResponse({})


async def listing(request: Request) -> Response:  # noqa: ARG001
    return JSONResponse({"posted": posted, "tried": tried})


async def file(request: Request) -> Response:
    text = files.get(request.path_params["name"])
    return Response(status_code=404) if text is None else PlainTextResponse(text)


app = Starlette(
    routes=[
        Route("/post", post, methods=["POST"]),
        Route("/be", be, methods=["POST"]),
        Route("/posted", listing),
        Route("/files/{name}", file),
    ]
)

if __name__ == "__main__":
    uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")
