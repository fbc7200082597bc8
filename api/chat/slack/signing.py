"""Whether Slack sent a call: HMAC-SHA256 of the raw body and the time with the app's signing secret.

https://docs.slack.dev/authentication/verifying-requests-from-slack. slack_sdk's verifier compares in constant time too, but
it raises on a time that is no number, on a body that is not UTF-8 and on a signature that is not ASCII, takes its clock as an
object, and does not tell old from forged; the tests hold the two to the same verdict on everything that it can judge.
"""

import hashlib
import hmac
import re

from api.chat.platform import RefusedRequest, WebhookRequest

SECONDS = 300
"""How far the time of a call may be from ours, to both sides."""
STAMP = "x-slack-request-timestamp"
SIGNATURE = "x-slack-signature"
_TIME = re.compile(r"[0-9]{1,12}")


def signature(secret: str, stamp: str, body: bytes) -> str:
    """What stands in ``X-Slack-Signature`` of a call that was sent at ``stamp`` (seconds since 1970)."""
    signed = b"v0:%s:%s" % (stamp.encode("ascii"), body)
    return "v0=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()


def verify(secret: str, call: WebhookRequest, now: float) -> None:
    """Raise Refused unless whoever knows ``secret`` sent it within `SECONDS` of ``now`` (seconds since 1970)."""
    stamp = call.headers.get(STAMP, "")
    if _TIME.fullmatch(stamp) is None:
        raise RefusedRequest("signature")
    given = call.headers.get(SIGNATURE, "").encode("utf-8", "replace")
    if not hmac.compare_digest(signature(secret, stamp, call.body).encode(), given):
        raise RefusedRequest("signature")
    if abs(now - int(stamp)) > SECONDS:
        raise RefusedRequest("too-old")
