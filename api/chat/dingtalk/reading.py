"""Verify and read a call of DingTalk: a message to the robot. The body is not signed, so nothing in it is trusted.

Forms: https://open.dingtalk.com/document/development/receive-message. A quoted message (``text.isReplyMsg``, ``repliedMsg``) is not
documented; its forms here are those that clients were seen to send.
"""

import base64
import hashlib
import hmac
import re
from dataclasses import dataclass
from typing import Any

from api.chat.payload import Json, integer, is_blank, load, part, parts, text
from api.chat.platform import InboundMessage, Nothing, Question, RefusedRequest, Reply, WebhookRequest
from api.contract.jsontext import dump

SECONDS = 3600
"""How far the time of a call may differ from ours, either way; the platform says so."""
STAMP = "timestamp"
SIGN = "sign"
_TIME = re.compile(r"[0-9]{13}")
"""Milliseconds since 1970."""


def sign(secret: str, stamp: str) -> str:
    """Base64 of the HMAC-SHA256 of ``stamp``, a line feed and ``secret``, with ``secret``. ``stamp``: milliseconds since 1970."""
    mac = hmac.new(secret.encode(), f"{stamp}\n{secret}".encode(), hashlib.sha256)
    return base64.b64encode(mac.digest()).decode("ascii")


def verify(secret: str, call: WebhookRequest, now: float) -> None:
    """Raise RefusedRequest unless its headers are signed with ``secret`` within `SECONDS` of ``now`` (seconds since 1970)."""
    stamp = call.headers.get(STAMP, "")
    given = call.headers.get(SIGN, "").encode("utf-8", "replace")
    if _TIME.fullmatch(stamp) is None or not hmac.compare_digest(sign(secret, stamp).encode(), given):
        raise RefusedRequest("signature")
    if abs(now - int(stamp) / 1000) > SECONDS:
        raise RefusedRequest("too-old")


QUIET = Reply(dump({"msgtype": "empty"}))
"""The response that shows nothing in the chat."""
RUNS = 2_000
"""Most runs of a rich text that are read."""
_ID = re.compile(r"[!-~]{1,300}")
"""Ids are printable ASCII: ``cid6KeBB…==``, ``$:LWCP_v1:$Ff09G…``."""
_CODE = re.compile(r"[!-~]{1,4000}")


@dataclass(frozen=True, slots=True)
class Expected:
    """Which robot of which organisation calls are for; None: any."""

    robot: str | None = None
    corp: str | None = None


def read(call: WebhookRequest, expected: Expected) -> InboundMessage:
    """RefusedRequest("unreadable") when it is no message, RefusedRequest("signature") when it is for another robot."""
    payload = load(call.body)
    _check(payload, expected)
    typed, files = _text_and_files(payload)
    if is_blank(typed) and not files:
        quoted = part(part(payload, "text"), "repliedMsg")
        typed, files = _quoted(quoted)
    if is_blank(typed) and not files:
        return Nothing(QUIET)
    who = _id(payload, "senderStaffId") or _id(payload, "senderId")
    return Question(_message_id(payload, call), typed, who, _target(payload), files, QUIET)


def _check(payload: Json, expected: Expected) -> None:
    wrong_robot = expected.robot is not None and text(payload, "robotCode") != expected.robot
    if wrong_robot or (expected.corp is not None and text(payload, "chatbotCorpId") != expected.corp):
        raise RefusedRequest("signature")
    if not text(payload, "msgtype"):
        raise RefusedRequest("unreadable")


def _message_id(payload: Json, call: WebhookRequest) -> str:
    """The platform's id of the message, or else a hash of its body."""
    return _id(payload, "msgId") or f"sha256:{hashlib.sha256(call.body).hexdigest()}"


def _text_and_files(payload: Json) -> tuple[str, tuple[Json, ...]]:
    """Text and files of a message. There is no text in pictures and films; what was spoken comes as words."""
    content = part(payload, "content")
    match payload.get("msgtype"):
        case "text":
            return text(part(payload, "text"), "content").strip(), ()
        case "richText":
            return _rich(content), ()
        case "audio":
            return text(content, "recognition").strip(), ()
        case "file":
            return "", _file(content)
        case _:
            return "", ()


def _quoted(message: Json) -> tuple[str, tuple[Json, ...]]:
    """Text and files of a quoted message."""
    content: Any = message.get("content")
    if isinstance(content, str):
        return text(message, "content").strip(), ()
    if not isinstance(content, dict):
        return "", ()
    if "richText" in content:
        return _rich(content), ()
    typed = text(content, "text") or text(content, "content") or text(content, "recognition")
    return typed.strip(), () if typed or "fileName" not in content else _file(content)


def _rich(content: Json) -> str:
    """The lines of a rich text, one a run. Quoted messages use other field names."""
    runs = (text(one, "text") or text(one, "content") for one in parts(content, "richText")[:RUNS])
    return "\n".join(run.strip("\n") for run in runs if run).strip()


def _file(content: Json) -> tuple[Json, ...]:
    code = text(content, "downloadCode")
    return ({"code": code, "name": text(content, "fileName")[:200]},) if _CODE.fullmatch(code) else ()


def _target(payload: Json) -> Json:
    """Return where the answer goes: the reply address of the question while it lasts, then the chat by its id."""
    return {
        "webhook": text(payload, "sessionWebhook")[:2_000],
        "until": integer(payload, "sessionWebhookExpiredTime") or 0,
        "chat": _id(payload, "conversationId"),
        "is_group": payload.get("conversationType") != "1",
        "staff": _id(payload, "senderStaffId"),
        "robot": _id(payload, "robotCode"),
    }


def _id(of: Json, key: str) -> str:
    value = text(of, key)
    return value if _ID.fullmatch(value) else ""
