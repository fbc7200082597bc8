"""Whether DingTalk sent a call, as far as that can be told, and the same signature for what we send to custom robots.

The sign is the HMAC-SHA256 of the time with the app's secret, and of nothing else: **the body is not signed**. Whoever sees one
call may send another body under its headers for an hour (https://open.dingtalk.com/document/development/receive-message). So the
service stands behind TLS and, better, an allow-list of DingTalk's addresses; `reading.Expected` checks robot and organisation.
"""

import base64
import hashlib
import hmac
import re

from api.chat.platform import RefusedRequest, WebhookRequest

SECONDS = 3600
"""How far the time of a call may be from ours, to both sides: as the platform says."""
STAMP = "timestamp"
SIGN = "sign"
_TIME = re.compile(r"[0-9]{13}")
"""Milliseconds since 1970."""


def sign(secret: str, stamp: str) -> str:
    """Base64 of the HMAC-SHA256 of ``stamp``, a line feed and ``secret``, with ``secret``. ``stamp``: milliseconds since 1970."""
    mac = hmac.new(secret.encode(), f"{stamp}\n{secret}".encode(), hashlib.sha256)
    return base64.b64encode(mac.digest()).decode("ascii")


def verify(secret: str, call: WebhookRequest, now: float) -> None:
    """Raise Refused unless its headers were made by whoever knows ``secret``, within `SECONDS` of ``now`` (seconds since 1970)."""
    stamp = call.headers.get(STAMP, "")
    given = call.headers.get(SIGN, "").encode("utf-8", "replace")
    if _TIME.fullmatch(stamp) is None or not hmac.compare_digest(sign(secret, stamp).encode(), given):
        raise RefusedRequest("signature")
    if abs(now - int(stamp) / 1000) > SECONDS:
        raise RefusedRequest("too-old")
