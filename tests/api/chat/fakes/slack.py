"""A fake Slack: the methods of the Web API that answers need, files, and response_urls, after the public reference.

What a client may not do there fails here as it does there: a wrong token, a channel that the app is no member of, blocks over
their limits (as slack_sdk counts them), JSON for a method that takes forms alone, a response_url used too often.
`test_slack_fake.py` holds it to slack_sdk's own clients. Notes (``/_fake/note``): ``away`` channels, ``messages`` by channel,
``files`` by id, ``error`` by method, ``spent`` response_urls.
"""

import json
from typing import Any
from urllib.parse import parse_qsl

from slack_sdk.errors import SlackObjectFormationError
from slack_sdk.models.blocks import Block
from starlette.requests import Request
from starlette.responses import HTMLResponse, JSONResponse, PlainTextResponse, RedirectResponse, Response

from tests.api.chat.fakes.fake import State, fake

TOKEN = "xoxb-1234-test"
USES = 5
FORMS_ALONE = {"conversations.replies", "conversations.history", "files.info"}


def refuse(error: str, **more: Any) -> JSONResponse:
    return JSONResponse({"ok": False, "error": error, **more})


def take(request: Request, body: bytes, state: State) -> Response:
    """One call."""
    path = request.url.path
    if path.startswith("/api/"):
        return method(path.removeprefix("/api/"), request, body, state)
    if path.startswith("/files/"):
        return file(path, request, state)
    return respond(path, body, state)


def method(name: str, request: Request, body: bytes, state: State) -> Response:
    is_json = request.headers.get("content-type", "").startswith("application/json")
    given: dict[str, Any] = json.loads(body or b"{}") if is_json else dict(parse_qsl(body.decode()))
    given = {**dict(request.query_params), **given}
    token = request.headers.get("authorization", "").removeprefix("Bearer ") or given.get("token")
    if not token:
        return refuse("not_authed")
    if token != TOKEN:
        return refuse("invalid_auth")
    if error := state.notes.get("error", {}).get(name):
        return refuse(error, needed="channels:history", provided="chat:write")
    if is_json and name in FORMS_ALONE:
        return refuse("invalid_arguments")
    if given.get("channel") in state.notes.get("away", []):
        return refuse("not_in_channel" if name.startswith("chat.") else "channel_not_found")
    done = METHODS.get(name)
    return done(given, state) if done else refuse("unknown_method")


def post(given: dict[str, Any], state: State) -> Response:
    if (wrong := unfit(given)) is not None:
        return refuse(wrong)
    ts = f"{1_700_000_100 + len(state.posted)}.000000"
    message = {"type": "message", "user": "U0KBOT", "bot_id": "B0", "ts": ts, **shown(given)}
    state.posted.append({"via": "chat.postMessage", "channel": given["channel"], **message})
    return JSONResponse({"ok": True, "channel": given["channel"], "ts": ts, "message": without_metadata(message)})


def whisper(given: dict[str, Any], state: State) -> Response:
    if not given.get("user"):
        return refuse("no_user")
    if (wrong := unfit(given)) is not None:
        return refuse(wrong)
    state.posted.append(
        {"via": "chat.postEphemeral", "channel": given["channel"], "user": given["user"], **shown(given)}
    )
    return JSONResponse({"ok": True, "message_ts": "1700000200.000000"})


def shown(given: dict[str, Any]) -> dict[str, Any]:
    keys = ("text", "blocks", "thread_ts", "metadata", "response_type", "replace_original", "unfurl_links")
    return {key: given[key] for key in keys if key in given}


def without_metadata(message: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in message.items() if key != "metadata"}


def unfit(given: dict[str, Any]) -> str | None:
    """Why Slack would not take it."""
    if not given.get("text") and not given.get("blocks"):
        return "no_text"
    blocks = given.get("blocks") or []
    blocks = json.loads(blocks) if isinstance(blocks, str) else blocks
    try:
        for block in blocks:
            parsed = Block.parse(block)
            if parsed is None:
                return "invalid_blocks"
            parsed.validate_json()
    except SlackObjectFormationError:
        return "invalid_blocks"
    if len(blocks) > 50:
        return "invalid_blocks"
    metadata = given.get("metadata")
    if metadata is not None and not {"event_type", "event_payload"} <= set(metadata):
        return "invalid_metadata_format"
    return "msg_too_long" if len(given.get("text", "")) > 40_000 else None


def said(given: dict[str, Any], state: State) -> list[dict[str, Any]]:
    """The messages of a channel, the oldest first, as far as they are asked for."""
    noted = state.notes.get("messages", {}).get(given.get("channel"), [])
    posted = [
        one for one in state.posted if one["channel"] == given.get("channel") and one["via"] == "chat.postMessage"
    ]
    oldest, inclusive = float(given.get("oldest") or 0), str(given.get("inclusive", "")).lower() in {"true", "1"}
    since = [
        one for one in [*noted, *posted] if float(one["ts"]) > oldest or (inclusive and float(one["ts"]) == oldest)
    ]
    whole = str(given.get("include_all_metadata", "")).lower() in {"true", "1"}
    return since if whole else [without_metadata(one) for one in since]


def replies(given: dict[str, Any], state: State) -> Response:
    head = given.get("ts")
    everything = said({**given, "oldest": 0}, state)
    first = [one for one in everything if one["ts"] == head]
    if not first and not any(one.get("thread_ts") == head for one in everything):
        return refuse("thread_not_found")
    below = [one for one in said(given, state) if one.get("thread_ts") == head and one["ts"] != head]
    limit = int(given.get("limit", 1000))
    return JSONResponse({"ok": True, "messages": [*first, *below][:limit], "has_more": len(below) + 1 > limit})


def history(given: dict[str, Any], state: State) -> Response:
    found = [one for one in said(given, state) if one.get("thread_ts", one["ts"]) == one["ts"]]
    return JSONResponse({"ok": True, "messages": found[::-1][: int(given.get("limit", 100))], "has_more": False})


def info(given: dict[str, Any], state: State) -> Response:
    found = state.notes.get("files", {}).get(given.get("file"))
    return JSONResponse({"ok": True, "file": found["about"]}) if found else refuse("file_not_found")


def file(path: str, request: Request, state: State) -> Response:
    """What is in a file; a page to log in at without the token, and where Slack leads without the right to read files."""
    found = state.notes.get("files", {}).get(path.split("/")[2])
    if found is None:
        return Response(status_code=404)
    if request.headers.get("authorization") != f"Bearer {TOKEN}":
        return HTMLResponse("<!DOCTYPE html><title>Sign in</title>")
    if found.get("elsewhere"):
        return RedirectResponse(found["elsewhere"])
    content = bytes.fromhex(found["hex"]) if "hex" in found else found["text"].encode()
    return Response(content, media_type=found["about"].get("mimetype", "text/plain"))


def respond(path: str, body: bytes, state: State) -> Response:
    """A response_url: so many uses, then none."""
    used = sum(one["via"] == path for one in state.posted)
    if path in state.notes.get("spent", []):
        return JSONResponse({"ok": False, "error": "expired_url"}, 404)
    if used >= USES:
        return JSONResponse({"ok": False, "error": "used_url"}, 404)
    given = json.loads(body)
    if (wrong := unfit(given)) is not None:
        return PlainTextResponse(wrong, 400)
    state.posted.append({"via": path, "channel": "", **shown(given)})
    return PlainTextResponse("ok")


METHODS = {
    "auth.test": lambda _given, _state: JSONResponse(
        {"ok": True, "user_id": "U0KBOT", "team_id": "T1", "bot_id": "B0"}
    ),
    "chat.postMessage": post,
    "chat.postEphemeral": whisper,
    "conversations.replies": replies,
    "conversations.history": history,
    "files.info": info,
}
app = fake(take)
