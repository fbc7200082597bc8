"""Verify that Feishu (or Lark) sent a call, and decrypt it.

Three kinds come to one address (https://open.feishu.cn/document/ukTMukTMukTM/uYDNxYjL2QTM24iN0EjN/event-subscription-configure-/encrypt-key-encryption-configuration-case):

* with an Encrypt Key everything is ``{"encrypt": …}`` and signed: SHA-256 of time, nonce, key and raw body, no HMAC.
  What could be appended to such a hash (length extension) would follow the JSON, and nothing may follow it.
* the check of the address (``url_verification``) may be unsigned; it carries the Verification Token.
* callbacks of old cards are signed by SHA-1 with the Verification Token in the place of the key.

Without an Encrypt Key the Verification Token in the body is all there is: no signature, no time. lark-oapi skips the
signature of checks, compares no token in constant time and takes off padding unseen: so this is our own.
"""

import base64
import binascii
import hashlib
import hmac
import re
from dataclasses import dataclass

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes
from cryptography.hazmat.primitives.padding import PKCS7

from api.chat.payload import Json, load, part, text
from api.chat.platform import RefusedRequest, WebhookRequest

SECONDS = 300
"""How far the time of a signed call may be from ours, to both sides."""
STAMP = "x-lark-request-timestamp"
NONCE = "x-lark-request-nonce"
SIGNATURE = "x-lark-signature"
CHECK = "url_verification"
_TIME = re.compile(r"[0-9]{10}")
"""Seconds, exactly ten digits: time and nonce are hashed without a separator."""
_BLOCK = 16
_SHA1 = 40
"""Figures of a SHA-1."""


@dataclass(frozen=True, slots=True, repr=False)
class VerificationKeys:
    """The keys that verify calls. At least one is set."""

    encrypt: str | None
    token: str | None


def sha256(stamp: str, nonce: str, encrypt_key: str, body: bytes) -> str:
    """``X-Lark-Signature`` of a call to an app with an Encrypt Key."""
    return hashlib.sha256(f"{stamp}{nonce}{encrypt_key}".encode("utf-8", "replace") + body).hexdigest()


def sha1(stamp: str, nonce: str, token: str, body: bytes) -> str:
    """``X-Lark-Signature`` of the callback of an old card."""
    return hashlib.sha1(f"{stamp}{nonce}{token}".encode("utf-8", "replace") + body).hexdigest()  # noqa: S324 - the platform's choice


def verify(call: WebhookRequest, now: float, keys: VerificationKeys) -> None:
    """Raise RefusedRequest unless the platform sent it, within `SECONDS` of ``now`` (seconds since 1970) where it says when.

    Every failure has the same reason: a distinct answer to bad padding would be a padding oracle.
    """
    given = call.headers.get(SIGNATURE, "")
    if not given or (keys.encrypt is None and len(given) != _SHA1):
        _unsigned(call, keys)
        return
    stamp = call.headers.get(STAMP, "")
    expected = _expected(call, stamp, len(given), keys)
    if expected is None or not _same(expected, given):
        raise RefusedRequest("signature")
    if abs(now - int(stamp)) > SECONDS:
        raise RefusedRequest("too-old")
    payload = opened(call.body, keys)
    fits = is_old_press(payload) or (len(given) != _SHA1 and (keys.token is None or _has_token(payload, keys.token)))
    if not fits:  # who knows the token alone signs no event
        raise RefusedRequest("signature")


def _unsigned(call: WebhookRequest, keys: VerificationKeys) -> None:
    """The check of the address; and everything else where there is no Encrypt Key. A hash without a key is no signature."""
    try:
        payload, sealed = opened(call.body, keys), "encrypt" in load(call.body)
    except RefusedRequest:
        raise RefusedRequest("signature") from None
    known = sealed if keys.token is None else _has_token(payload, keys.token)
    if not known or (keys.encrypt is not None and payload.get("type") != CHECK):
        raise RefusedRequest("signature")


def opened(body: bytes, keys: VerificationKeys) -> Json:
    """Return the decrypted content of a call. RefusedRequest("unreadable") when it is no JSON or cannot be decrypted."""
    payload = load(body)
    if "encrypt" not in payload:
        return payload
    sealed = payload["encrypt"]
    if not isinstance(sealed, str) or keys.encrypt is None:
        raise RefusedRequest("unreadable")
    return load(_decrypted(sealed, keys.encrypt))


def is_old_press(payload: Json) -> bool:
    """Whether it is the callback of an old card, whose ``token`` is another: one to change the card with."""
    return "schema" not in payload and "type" not in payload and isinstance(payload.get("action"), dict)


def _expected(call: WebhookRequest, stamp: str, length: int, keys: VerificationKeys) -> str | None:
    """The signature it should have; None when it can have none."""
    if _TIME.fullmatch(stamp) is None:
        return None
    nonce = call.headers.get(NONCE, "")
    if length == _SHA1:
        return sha1(stamp, nonce, keys.token, call.body) if keys.token else None
    return sha256(stamp, nonce, keys.encrypt, call.body) if keys.encrypt else None


def _has_token(payload: Json, token: str) -> bool:
    """Whether it carries our token: in its header, or beside the event in the first version."""
    holder = part(payload, "header") if "schema" in payload else payload
    return _same(token, text(holder, "token"))


def _decrypted(sealed: str, key: str) -> bytes:
    """AES-256-CBC: the key is the SHA-256 of the Encrypt Key, the first block the vector; the padding is checked."""
    try:
        data = base64.b64decode(sealed, validate=True)
    except (binascii.Error, ValueError):
        raise RefusedRequest("unreadable") from None
    if len(data) < 2 * _BLOCK:
        raise RefusedRequest("unreadable")
    cipher = Cipher(algorithms.AES256(hashlib.sha256(key.encode()).digest()), modes.CBC(data[:_BLOCK])).decryptor()
    padding = PKCS7(_BLOCK * 8).unpadder()
    try:
        return padding.update(cipher.update(data[_BLOCK:]) + cipher.finalize()) + padding.finalize()
    except ValueError:
        raise RefusedRequest("unreadable") from None


def _same(ours: str, given: str) -> bool:
    return hmac.compare_digest(ours.encode(), given.encode("utf-8", "replace"))
