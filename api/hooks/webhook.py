"""Tell another program of news by a webhook: signed as Standard Webhooks (standardwebhooks.com) says, through the queue of the chats.

An event is in the queue before it is sent, so it survives a restart, is tried again like an answer of a chat, and becomes a dead letter
in the end. It can arrive twice; ``webhook-id`` is the same then. The address is the operator's alone, and redirects are not followed.
"""

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

import httpx

from api.chat.platform import PermanentError
from api.chat.posting import request
from api.chat.queue_codec import EVENT
from api.chat.worker import Deliver
from api.hooks.settings import WHSEC, HookSettings
from kb.errors import SettingsError
from kb.store import Store
from kb.store.model import ChatMessage

WEBHOOK = "webhook"
"""In the place of a platform."""


def deliveries(settings: HookSettings) -> Mapping[str, Deliver]:
    """Return how events are sent, by their place in the queue; nothing where no webhook is set up. SettingsError where it has no secret."""
    if not settings.webhook_url:
        return {}
    if not settings.webhook_secret:
        problem = "KB_WEBHOOK_URL is set and KB_WEBHOOK_SECRET is not: what is sent must be signed"
        raise SettingsError(problem, cure="set it to `whsec_` and 32 random bytes in base64")
    return {WEBHOOK: Webhook(settings.webhook_url, settings.webhook_secret).send}


def queue_event(store: Store, name: str, kind: str, data: Mapping[str, Any], text: str) -> bool:
    """Queue an event, once for its name; return whether it is new. ``text``: what the list of dead letters shows of it."""
    now = datetime.now(UTC)
    body = json.dumps({"type": kind, "timestamp": now.isoformat(), "data": data}, ensure_ascii=False)
    return store.messages.take(WEBHOOK, name, EVENT, {"text": text, "body": body}, now) is not None


def signature(secret: str, name: str, seconds: int, body: bytes) -> str:
    """Return the value of ``webhook-signature``. ``secret``: ``whsec_`` and base64."""
    key = base64.b64decode(secret.removeprefix(WHSEC))
    signed = f"{name}.{seconds}.".encode() + body
    return f"v1,{base64.b64encode(hmac.digest(key, signed, hashlib.sha256)).decode()}"


class Webhook:
    """One address that events are sent to."""

    def __init__(self, url: str, secret: str) -> None:
        self._url, self._secret = url, secret

    async def send(self, message: ChatMessage, client: httpx.AsyncClient) -> None:
        """Post an event. RetryableError while nobody takes it, PermanentError when it is refused."""
        body, seconds = str(message.question["body"]).encode("utf-8", "replace"), int(time.time())
        headers = {
            "content-type": "application/json",
            "webhook-id": message.ref,
            "webhook-timestamp": str(seconds),
            "webhook-signature": signature(self._secret, message.ref, seconds, body),
        }
        answer = await request(client, "POST", self._url, is_repeatable=True, content=body, headers=headers)
        if answer.is_error:
            raise PermanentError(f"the webhook was answered {answer.status_code}")
