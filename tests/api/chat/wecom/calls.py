"""Callbacks as WeCom makes them: the other side of `api.chat.wecom.signing`, written from the protocol and not from that code."""

import base64
import hashlib
import json
import os
from urllib.parse import urlencode

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from api.chat.platform import WebhookRequest

TOKEN = "dummytoken"
AES_KEY = "taLJYlBhI2bqJy/6xtl0Sq9LRarNlqp8/Lkx7jtVglk"
CORP = "wwDUMMYCORP"
NOW = 1_700_000_000


def padded(data: bytes, block: int = 32) -> bytes:
    count = block - len(data) % block
    return data + bytes([count]) * count


def raw_encrypted(plain: bytes, key: str = AES_KEY) -> str:
    """Ciphertext of exactly these bytes."""
    secret = base64.b64decode(key + "=")
    encryptor = Cipher(algorithms.AES(secret), modes.CBC(secret[:16])).encryptor()
    return base64.b64encode(encryptor.update(plain) + encryptor.finalize()).decode()


def sealed(message: str, receiver: str, key: str = AES_KEY) -> str:
    data = message.encode()
    return raw_encrypted(padded(os.urandom(16) + len(data).to_bytes(4, "big") + data + receiver.encode()), key)


def query(encrypted: str, now: int = NOW, nonce: str = "77", token: str = TOKEN) -> dict[str, str]:
    signature = hashlib.sha1("".join(sorted([token, str(now), nonce, encrypted])).encode()).hexdigest()
    return {"msg_signature": signature, "timestamp": str(now), "nonce": nonce}


def robot_call(said: object, now: int = NOW, **how: str) -> WebhookRequest:
    """A callback of a smart robot."""
    encrypted = sealed(json.dumps(said, ensure_ascii=False), "", how.get("key", AES_KEY))
    body = json.dumps({"encrypt": encrypted}).encode()
    return WebhookRequest("POST", query(encrypted, now, token=how.get("token", TOKEN)), {}, body)


def app_call(xml: str, now: int = NOW, receiver: str = CORP, nonce: str = "77") -> WebhookRequest:
    """A callback of an app."""
    encrypted = sealed(xml, receiver)
    body = f"<xml><ToUserName><![CDATA[{CORP}]]></ToUserName><Encrypt><![CDATA[{encrypted}]]></Encrypt></xml>"
    return WebhookRequest("POST", query(encrypted, now, nonce), {}, body.encode())


def address(call: WebhookRequest, path: str = "/v1/chat/wecom") -> str:
    return f"{path}?{urlencode(call.query)}"
