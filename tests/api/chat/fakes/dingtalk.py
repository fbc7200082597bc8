"""DingTalk's servers, as far as a robot needs them: answers by the address in a question, the API, a custom robot, files.

Notes: ``revoked`` (tokens that are not taken any more), ``errcode`` and ``errmsg`` (the next webhook is answered with them), ``error``
(the next call of the API is answered with it), ``files`` (code → text), ``elsewhere`` (where files are said to lie).
"""

import json
from urllib.parse import quote_plus

from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from tests.api.chat.dingtalk.calls import signed
from tests.api.chat.fakes.fake import State, fake

APP = {"appKey": "dingkey", "appSecret": "test-app-secret"}
SEC = "SECabc"


def _error(code: str, status: int = 400) -> Response:
    return JSONResponse({"requestid": "r", "code": code, "message": f"error {code}"}, status)


def _webhook(request: Request, body: bytes, state: State) -> Response:
    if code := state.notes.pop("errcode", 0):
        return JSONResponse({"errcode": code, "errmsg": state.notes.pop("errmsg", "no")})
    said = json.loads(body)
    if said["msgtype"] not in {"markdown", "actionCard"} or said[said["msgtype"]].keys() < {"title", "text"}:
        return JSONResponse({"errcode": 40035, "errmsg": "miss param"})
    query = request.query_params
    if request.url.path == "/robot/send":
        stamp = query.get("timestamp", "")
        if query["access_token"] != "robot-token" or signed(b"", SEC, stamp).headers["sign"] != query.get("sign"):
            return JSONResponse({"errcode": 310000, "errmsg": "sign not match"})
        assert quote_plus(query["sign"]) in str(request.url.query)
        names = state.notes.setdefault("names", [])
        if said["msgUuid"] in names:
            return JSONResponse({"errcode": 0, "errmsg": "ok"})
        names.append(said["msgUuid"])
    state.posted.append({"way": request.url.path, "session": query.get("session"), "said": said})
    return JSONResponse({"errcode": 0, "errmsg": "ok"})


def _api(request: Request, body: bytes, state: State) -> Response:
    token = request.headers.get("x-acs-dingtalk-access-token")
    if token in state.notes.get("revoked", ()) or token != f"T{state.notes.get('tokens')}":
        return _error("InvalidAuthentication")
    if code := state.notes.pop("error", ""):
        return _error(code, 500 if code == "system.error" else 403 if "Forbidden" in code else 400)
    said = json.loads(body)
    if request.url.path == "/v1.0/robot/messageFiles/download":
        if said["downloadCode"] not in state.notes.get("files", {}):
            return _error("invalidParameter.param.invalid")
        base = state.notes.get("elsewhere", str(request.base_url).rstrip("/"))
        return JSONResponse({"downloadUrl": f"{base}/files/{said['downloadCode']}"})
    if len(said["msgParam"].encode()) > 15_000:
        return _error("invalidParameter.msgParam.tooLong")
    filled = json.loads(said.pop("msgParam"))
    state.posted.append({"way": request.url.path, **said, "filled": filled})
    return JSONResponse({"processQueryKey": "k"})


def take(request: Request, body: bytes, state: State) -> Response:
    """One call."""
    path = request.url.path
    if path == "/v1.0/oauth2/accessToken":
        if json.loads(body) != APP:
            return _error("invalidClientIdOrSecret")
        state.notes["tokens"] = state.notes.get("tokens", 0) + 1
        return JSONResponse({"accessToken": f"T{state.notes['tokens']}", "expireIn": 7200})
    if path in {"/robot/sendBySession", "/robot/send"}:
        return _webhook(request, body, state)
    if path.startswith("/v1.0/robot/"):
        return _api(request, body, state)
    if path.startswith("/files/"):
        return Response(state.notes["files"][path.removeprefix("/files/")].encode())
    return Response(status_code=404)


app = fake(take)
