"""How Teams signs what an outgoing webhook sends.

learn.microsoft.com/microsoftteams/platform/webhooks-and-connectors/how-to/add-outgoing-webhook: HMAC-SHA256 over the raw body, the key
is the security token out of base64; ``Authorization: HMAC <base64>``. Neither a time nor a number is signed beside the body.
"""

import base64
import hashlib
import hmac
from collections.abc import Sequence


def signature(token: str, body: bytes) -> str:
    """The header of a call."""
    digest = hmac.new(base64.b64decode(token), body, hashlib.sha256).digest()
    return "HMAC " + base64.b64encode(digest).decode()


def is_signed(given: str, tokens: Sequence[str], body: bytes) -> bool:
    """Whether one of the tokens made the header; takes as long whichever it is."""
    said = given.encode("utf-8", "replace")
    return sum([hmac.compare_digest(signature(token, body).encode(), said) for token in tokens]) > 0
