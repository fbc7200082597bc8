"""Feishu's servers, as far as a robot needs them: tokens, answers, messages, files.

Notes: ``revoked`` (tokens that are not taken any more), ``code`` (the next call is answered with it), ``limit`` (seconds: the next
call is told to wait, in the older form), ``no_thread``, ``messages`` (id → items), ``files`` (``message/key`` → text).
"""

import json
import re

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from tests.api.chat.fakes.fake import State, fake

APP = {"app_id": "cli_test", "app_secret": "app-secret"}
_FILE = re.compile(r"/open-apis/im/v1/messages/([^/]+)/resources/([^/]+)")
_REPLY = re.compile(r"/open-apis/im/v1/messages/([^/]+)/reply")
_MESSAGE = re.compile(r"/open-apis/im/v1/messages/([^/]+)")


def _no(code: int, status: int = 400, **headers: str) -> Response:
    return JSONResponse({"code": code, "msg": f"error {code}"}, status, headers)


def _token(body: bytes, state: State) -> Response:
    if json.loads(body) != APP:
        return JSONResponse({"code": 10014, "msg": "app secret invalid"})
    state.notes["tokens"] = state.notes.get("tokens", 0) + 1
    return JSONResponse({"code": 0, "msg": "ok", "tenant_access_token": f"t-{state.notes['tokens']}", "expire": 7200})


def _posted(where: dict[str, str], body: bytes, state: State) -> Response:
    said = json.loads(body)
    if len(body) > 30_000:
        return _no(230025)
    if len(said.get("uuid", "")) > 50:
        return _no(230001)
    if said["msg_type"] != "interactive" or json.loads(said["content"]).get("schema") != "2.0":
        return _no(230099)
    if said.get("reply_in_thread") and state.notes.get("no_thread"):
        return _no(230071)
    known = state.notes.setdefault("uuids", {})
    if said["uuid"] not in known:
        known[said["uuid"]] = f"om_answer{len(known)}"
        thread = bool(said.get("reply_in_thread"))
        state.posted.append({**where, "thread": thread, "card": json.loads(said["content"])})
    return JSONResponse({"code": 0, "msg": "success", "data": {"message_id": known[said["uuid"]]}})


def _item(message: str, state: State) -> Response:
    items = state.notes.get("messages", {}).get(message)
    return _no(230110) if items is None else JSONResponse({"code": 0, "msg": "success", "data": {"items": items}})


def take(request: Request, body: bytes, state: State) -> Response:  # noqa: PLR0911 - a table of calls
    """One call."""
    path = request.url.path
    if path == "/open-apis/auth/v3/tenant_access_token/internal":
        return _token(body, state)
    token = request.headers.get("authorization", "")
    if (
        token in {f"Bearer {one}" for one in state.notes.get("revoked", ())}
        or token != f"Bearer t-{state.notes.get('tokens')}"
    ):
        return _no(99991663 if token else 99991661)
    if code := state.notes.pop("code", 0):
        return _no(code)
    if seconds := state.notes.pop("limit", None):
        return _no(99991400, 400, **{"x-ogw-ratelimit-limit": "100", "x-ogw-ratelimit-reset": str(seconds)})
    if found := _FILE.fullmatch(path):
        text = state.notes.get("files", {}).get(f"{found[1]}/{found[2]}")
        return _no(234003) if text is None or request.query_params["type"] != "file" else Response(text.encode())
    if found := _REPLY.fullmatch(path):
        return _posted({"message": found[1]}, body, state)
    if path == "/open-apis/im/v1/messages" and request.method == "POST":
        return _posted(
            {"chat": json.loads(body)["receive_id"], "kind": request.query_params["receive_id_type"]}, body, state
        )
    if (found := _MESSAGE.fullmatch(path)) and request.method == "GET":
        return _item(found[1], state)
    return Response("404 page not found", 404)


app = fake(take)
