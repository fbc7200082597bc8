"""WeCom (企业微信): a smart robot, an app of the company, and groups that alerts go to.

A smart robot answers through the ``response_url`` of each question (document/path/101138), not in its stream of responses: an
answer in the queue is posted when it is ready, also after a restart. That address accepts Markdown or a card, once; cause and fix need
Markdown, so a vote is a link there. An app sends both, and its buttons vote.
"""

import re
from collections.abc import Mapping
from typing import Annotated, Any

import httpx
from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_settings import NoDecode

from api.chat.message import AnswerCard
from api.chat.platform import (
    Fetched,
    InboundMessage,
    Platform,
    Question,
    RefusedRequest,
    Reply,
    UrlVerification,
    WebhookRequest,
)
from api.chat.settings import Places, named_places, origin
from api.chat.wecom import reading
from api.chat.wecom.sending import WecomApi, WecomApp
from api.chat.wecom.signing import SIGNATURE, CallbackCipher, is_signed
from index.settings import HomeSettings

HOST = "https://qyapi.weixin.qq.com"


def _aes_key(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9+/]{43}", text):
        raise ValueError("an EncodingAESKey has 43 letters and digits, as the page of the robot or app shows it")
    return text


def _robot_key(place: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9-]{8,64}", place):
        raise ValueError("what follows `key=` in the address of a group robot is expected after each name")
    return place


class WecomSettings(HomeSettings):
    """Token and AES key make a smart robot; with the next three an app of the company is answered, too."""

    wecom_token: str | None = Field(None, description="WeCom: the Token of the robot's or app's callback.")
    wecom_aes_key: Annotated[str, AfterValidator(_aes_key)] | None = Field(
        None, description="WeCom: the EncodingAESKey of the callback."
    )
    wecom_corp_id: str | None = Field(None, description="WeCom: the id of the company (企业ID); apps only.")
    wecom_app_secret: str | None = Field(None, description="WeCom: the Secret of the app that answers.")
    wecom_agent_id: int | None = Field(None, description="WeCom: the AgentId of that app.")
    wecom_group_keys: Annotated[Places, NoDecode, BeforeValidator(named_places(_robot_key))] = Field(
        {}, description="WeCom: groups that alerts can be posted to, each with the key of its robot: `ops=KEY, db=KEY`."
    )
    wecom_api: Annotated[str, AfterValidator(origin)] = Field(
        HOST, description="WeCom: where its interface is; another for a private deployment."
    )


WINDOW = 300.0
"""Seconds by which a callback's time may differ from ours."""
SETTINGS = WecomSettings
_EMPTY = Reply()
"""WeCom reads an empty response as an acknowledgement and shows nothing."""


class Wecom:
    """One callback address of WeCom."""

    name = "wecom"
    seconds = 5.0

    def __init__(self, token: str, envelope: CallbackCipher, corp_id: str | None, api: WecomApi) -> None:
        self._token = token
        self._envelope = envelope
        self._corp_id = corp_id
        self._api = api

    def verify(self, call: WebhookRequest, now: float) -> None:
        """Check the time first, then the signature, then that the content is intact and for us."""
        query = call.query
        given, time, nonce = (query.get(name, "") for name in (SIGNATURE, "timestamp", "nonce"))
        if not (time.isascii() and time.isdecimal() and len(time) < 12 and abs(now - int(time)) <= WINDOW):
            raise RefusedRequest("too-old")
        sealed, _ = self._sealed(call)
        if not is_signed(given, self._token, time, nonce, sealed):
            raise RefusedRequest("signature")
        self._opened(call)

    def proof(self, call: WebhookRequest) -> str:
        """The signature, over time, nonce and ciphertext."""
        return call.query[SIGNATURE]

    def read(self, call: WebhookRequest) -> InboundMessage:
        """An address check, a question, a button, or nothing."""
        text, is_robot = self._opened(call)
        if call.method == "GET":
            return UrlVerification(Reply(text.encode(), "text/plain; charset=utf-8"))
        return reading.of_robot(text) if is_robot else reading.of_app(text)

    def channel(self, name: str) -> Mapping[str, Any]:
        """A group by its name in KB_WECOM_GROUP_KEYS."""
        if not self._api.knows(name):
            raise ValueError("KB_WECOM_GROUP_KEYS gives each group a name: `wecom:ops` with `ops=KEY` there")
        return {"group": name}

    def sends_once(self, target: Mapping[str, Any], age: float) -> bool:
        """A robot's reply address accepts one answer, and an app recognises a repeated message for hours; a group's robot does neither."""
        del age
        return "group" not in target

    async def fetch(self, question: Question, client: httpx.AsyncClient) -> Fetched:
        """The texts of the files."""
        return await self._api.files(question.files, self._envelope, client)

    async def send(
        self, message: AnswerCard, target: Mapping[str, Any], client: httpx.AsyncClient, *, is_again: bool = False
    ) -> None:
        """Through the robot, the app, or the robot of a group."""
        await self._api.answer(message, target, client, is_again=is_again)

    async def thank(self, text: str, target: Mapping[str, Any], client: httpx.AsyncClient) -> None:
        """Show the thanks in the place of the buttons."""
        await self._api.thank(text, target, client)

    def _sealed(self, call: WebhookRequest) -> tuple[str, bool]:
        if call.method == "GET":
            return call.query.get("echostr", "").replace(" ", "+"), False  # a plus sign that was not quoted
        return reading.encrypted(call.body)

    def _opened(self, call: WebhookRequest) -> tuple[str, bool]:
        """Decrypt it. Messages of a smart robot have no receiver, those of an app the company; a URL check may be either."""
        sealed, is_robot = self._sealed(call)
        ours = {"" if is_robot else self._corp_id or ""} | ({""} if call.method == "GET" else set())
        return self._envelope.opened(sealed, ours), is_robot


def make(settings: WecomSettings) -> Platform | None:
    """WeCom as it is set up; None without Token and AES key."""
    token, key, corp_id = settings.wecom_token, settings.wecom_aes_key, settings.wecom_corp_id
    secret, agent = settings.wecom_app_secret, settings.wecom_agent_id
    if not token or not key:
        return None
    app = WecomApp(corp_id, secret, agent) if corp_id and secret and agent is not None else None
    return Wecom(token, CallbackCipher(key), corp_id, WecomApi(settings.wecom_api, app, settings.wecom_group_keys))
