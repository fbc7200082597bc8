"""Feishu, and Lark as it is called elsewhere, as a platform of the chat."""

import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

import httpx

from api.chat.feishu import fetching, reading, signing
from api.chat.feishu.card import card
from api.chat.feishu.sending import FeishuApi, reply
from api.chat.message import AnswerCard
from api.chat.platform import Fetched, InboundMessage, Question, WebhookRequest

KNOWN_SECONDS = 3600.0 - 60.0
"""Feishu knows a ``uuid`` again for an hour; a minute of it is for the way there, and for clocks that differ."""
_CHAT = re.compile(r"o[cu]_[A-Za-z0-9]{1,80}")


class Feishu:
    """One app. Questions are messages that mention its robot, or are written to it alone; answers are cards."""

    name = "feishu"
    seconds = 3.0
    """The check of the address is to be answered within one second."""

    def __init__(self, keys: signing.VerificationKeys, api: FeishuApi) -> None:
        self._keys = keys
        self._api = api

    def verify(self, call: WebhookRequest, now: float) -> None:
        """See `signing.verify`."""
        signing.verify(call, now, self._keys)

    def proof(self, call: WebhookRequest) -> str:
        """The signature, over time, nonce and body; the body itself where nothing is signed."""
        return call.headers.get(signing.SIGNATURE) or sha256(call.body).hexdigest()

    def read(self, call: WebhookRequest) -> InboundMessage:
        """See `reading.read`."""
        return reading.read(signing.opened(call.body, self._keys))

    def channel(self, name: str) -> Mapping[str, Any]:
        """A chat by its id, or a person by theirs."""
        if _CHAT.fullmatch(name) is None:
            raise ValueError("a chat of Feishu is named by its id, `oc_…`; a person by their open_id, `ou_…`")
        return {"chat": name}

    def sends_once(self, target: Mapping[str, Any], age: float) -> bool:
        """Every message has a ``uuid`` by which Feishu knows it again for an hour."""
        del target
        return age < KNOWN_SECONDS

    async def fetch(self, asked: Question, client: httpx.AsyncClient) -> Fetched:
        """Files that were sent, and the message that a bare mention stands under."""
        return await fetching.fetch(asked.files, self._api, client)

    async def send(
        self, message: AnswerCard, target: Mapping[str, Any], client: httpx.AsyncClient, *, is_again: bool = False
    ) -> None:
        """A card under the question."""
        del is_again
        await reply(self._api, client, target, card(message), message.ref)

    async def thank(self, text: str, target: Mapping[str, Any], client: httpx.AsyncClient) -> None:
        """Nothing is left to say: the response to the press showed the thanks, to whoever pressed alone."""
