"""Calls as Feishu makes them, written from its documents, not from our code."""

import base64
import hashlib
import json
import os
from typing import Any

from cryptography.hazmat.primitives.ciphers import Cipher, algorithms, modes

from api.chat.platform import WebhookRequest

NOW = 1_700_000_000
ENCRYPT_KEY = "test-encrypt-key"
TOKEN = "vtok"


def sealed(plain: bytes, key: str = ENCRYPT_KEY, iv: bytes | None = None, padding: bytes | None = None) -> bytes:
    """``{"encrypt": …}``."""
    left = 16 - len(plain) % 16
    data = plain + (bytes([left]) * left if padding is None else padding)
    iv = iv or os.urandom(16)
    cipher = Cipher(algorithms.AES(hashlib.sha256(key.encode()).digest()), modes.CBC(iv)).encryptor()
    return json.dumps({"encrypt": base64.b64encode(iv + cipher.update(data) + cipher.finalize()).decode()}).encode()


def signed(
    body: bytes, key: str = ENCRYPT_KEY, at: int | str = NOW, nonce: str = "n0nce", kind: str = "sha256"
) -> WebhookRequest:
    """A call under the signature of its kind."""
    digest = hashlib.new(kind, f"{at}{nonce}{key}".encode() + body).hexdigest()
    headers = {"x-lark-request-timestamp": str(at), "x-lark-request-nonce": nonce, "x-lark-signature": digest}
    return WebhookRequest("POST", {}, headers, body)


def bare(document: Any) -> WebhookRequest:
    """A call without a signature."""
    return WebhookRequest("POST", {}, {}, document if isinstance(document, bytes) else json.dumps(document).encode())


def event(
    kind: str, event: dict[str, Any], token: str = TOKEN, event_id: str = "5e3702a84e847582be8db7fb73283c02"
) -> Any:
    """An event of the second version."""
    header = {
        "event_id": event_id,
        "event_type": kind,
        "create_time": "1608725989000",
        "token": token,
        "app_id": "cli_9f53",
    }
    return {"schema": "2.0", "header": header, "event": event}


def received(content: Any, kind: str = "text", chat: str = "group", **more: Any) -> Any:
    """A message to the robot, whose mention is ``@_user_1``."""
    mentions = (
        [{"key": "@_user_1", "id": {"open_id": "ou_robot"}, "name": "kb", "tenant_key": "t"}] if chat == "group" else []
    )
    message = {
        "message_id": "om_5ce6d572455d361153b7cb51da133945",
        "chat_id": "oc_5ce6d572455d361153b7xx51da133945",
        "chat_type": chat,
        "message_type": kind,
        "content": content if isinstance(content, str) else json.dumps(content),
        "mentions": mentions,
    }
    sender = {"sender_id": {"open_id": "ou_84aad35d084aa403a838cf73ee18467"}, "sender_type": "user"}
    return event("im.message.receive_v1", {"sender": sender, "message": message | more})


def pressed(value: Any, **more: Any) -> Any:
    """A button of a card."""
    context = {"open_message_id": "om_574d639e4a44e4dd646eaf628e2a6382", "open_chat_id": "oc_d2ad"}
    said = {"operator": {"open_id": "ou_lisi"}, "token": "c-295e", "action": {"value": value, "tag": "button"}, "host": "im_message", "context": context}  # fmt: skip
    return event("card.action.trigger", said | more)
