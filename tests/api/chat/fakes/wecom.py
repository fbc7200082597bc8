"""WeCom's interface as far as it is called here, from developer.work.weixin.qq.com/document/path/90236, 91039, 91770, 94888, 101138."""

import json
from typing import Any

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from tests.api.chat.fakes.fake import State, fake


def taking(request: Request, body: bytes, state: State) -> Response:  # noqa: PLR0911 - an address each
    """What WeCom does with one call."""
    query = request.query_params
    match request.url.path:
        case "/cgi-bin/gettoken":
            return _token(query["corpid"], query["corpsecret"], state)
        case "/cgi-bin/aibot/response":
            return _once(query["response_code"], {"robot": json.loads(body)}, state, 60140)
        case "/cgi-bin/webhook/send":
            return _posted(
                {"group": query["key"], **json.loads(body)}, state, 0 if query["key"].startswith("key-") else 93000
            )
        case "/file":
            return Response(bytes.fromhex(state.notes.get("file", "")), media_type="application/octet-stream")
    if query["access_token"] != state.notes.get("token"):
        return _said(42001)
    match request.url.path:
        case "/cgi-bin/message/send":
            return _sent(json.loads(body), state)
        case "/cgi-bin/message/update_template_card":
            return _once(json.loads(body)["response_code"], {"changed": json.loads(body)}, state, 94405)
        case "/cgi-bin/media/get":
            if query["media_id"] == "GONE":
                return _said(40007)
            return Response(bytes.fromhex(state.notes.get("file", "")), media_type="text/plain")
    return _said(-1)


def _said(code: int, **more: object) -> Response:
    return JSONResponse({"errcode": code, "errmsg": "hint: secret words of the platform", **more})


def _token(corp: str, secret: str, state: State) -> Response:
    if (corp, secret) != ("wwDUMMYCORP", "app-secret"):
        return _said(40001)
    state.notes["count"] = state.notes.get("count", 0) + 1
    state.notes["token"] = f"T{state.notes['count']}"
    return _said(0, access_token=state.notes["token"], expires_in=state.notes.get("expires", 7200))


def _posted(what: Any, state: State, code: int = 0) -> Response:
    if code == 0:
        state.posted.append(what)
    return _said(code)


def _once(code: str, what: Any, state: State, refused: int) -> Response:
    used: list[str] = state.notes.setdefault("used", [])
    if code in used:
        return _said(refused)
    used.append(code)
    return _posted(what, state)


def _sent(what: Any, state: State) -> Response:
    """The same request within the interval is acknowledged and not shown again."""
    busy = state.notes.pop("busy", None)
    if busy:
        return _said(busy)
    if what["touser"] == "stranger":
        return _said(81013)
    if what.get("enable_duplicate_check") and what in state.posted:
        return _said(0)
    return _posted(what, state)


app = fake(taking)
