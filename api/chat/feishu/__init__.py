"""Feishu and Lark: events and callbacks in, cards out."""

import re
from collections.abc import Mapping
from hashlib import sha256
from typing import Annotated, Any

import httpx
from pydantic import AfterValidator, Field

from api.chat.feishu import reading, sending, signing
from api.chat.feishu.card import card
from api.chat.feishu.sending import FeishuApi, reply
from api.chat.feishu.signing import VerificationKeys
from api.chat.message import AnswerCard
from api.chat.platform import Fetched, InboundMessage, Platform, Question, WebhookRequest
from api.chat.settings import origin
from index.settings import HomeSettings


class FeishuSettings(HomeSettings):
    """All unset: Feishu is off. `kb chat setup feishu` says where to find each."""

    feishu_app_id: str | None = Field(None, description="App ID of the Feishu or Lark app, `cli_…`.")
    feishu_app_secret: str | None = Field(None, description="App Secret that goes with it: answers are posted with it.")
    feishu_encrypt_key: str | None = Field(
        None, description="Encrypt Key of the app: its calls are encrypted and signed with it."
    )
    feishu_verification_token: str | None = Field(
        None, description="Verification Token of the app: every call carries it; enough where there is no Encrypt Key."
    )
    feishu_api: Annotated[str, AfterValidator(origin)] = Field(
        "https://open.feishu.cn", description="Where the app lives; Lark outside China: `https://open.larksuite.com`."
    )


KNOWN_SECONDS = 3600.0 - 60.0
"""Feishu knows a ``uuid`` again for an hour; a minute of it is for the way there, and for clocks that differ."""
_CHAT = re.compile(r"o[cu]_[A-Za-z0-9]{1,80}")


class Feishu:
    """One app. Questions are messages that mention its robot, or are written to it alone; answers are cards."""

    name = "feishu"
    seconds = 3.0
    """The check of the address is to be answered within one second."""

    def __init__(self, keys: VerificationKeys, api: FeishuApi) -> None:
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

    async def fetch(self, question: Question, client: httpx.AsyncClient) -> Fetched:
        """Fetch the files of a message, and the message that a bare mention replies to."""
        return await sending.fetch(question.files, self._api, client)

    async def send(
        self, message: AnswerCard, target: Mapping[str, Any], client: httpx.AsyncClient, *, is_again: bool = False
    ) -> None:
        """A card under the question."""
        del is_again
        await reply(self._api, client, target, card(message), message.ref)

    async def thank(self, text: str, target: Mapping[str, Any], client: httpx.AsyncClient) -> None:
        """Do nothing: the response to the press has shown the thanks to the person who pressed."""


SETTINGS = FeishuSettings


def make(settings: FeishuSettings) -> Platform | None:
    """Return the platform, or None while no key can verify its calls. Without an app, questions become dead letters."""
    keys = VerificationKeys(settings.feishu_encrypt_key or None, settings.feishu_verification_token or None)
    if keys == VerificationKeys(None, None):
        return None
    return Feishu(keys, FeishuApi(settings.feishu_api, settings.feishu_app_id or "", settings.feishu_app_secret or ""))
