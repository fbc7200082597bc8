"""DingTalk: messages to a robot in, cards out; alerts by a custom robot."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Annotated, Any

import httpx
from pydantic import AfterValidator, Field

from api.chat.dingtalk import reading
from api.chat.dingtalk.card import Card, composed
from api.chat.dingtalk.reading import Expected
from api.chat.dingtalk.sending import MARGIN_MS, DingTalkApi, Robot, SessionExpiredError, by_session, is_own, is_session
from api.chat.message import AnswerCard
from api.chat.payload import integer, text
from api.chat.platform import (
    Fetched,
    InboundMessage,
    PermanentError,
    Platform,
    Question,
    RefusedRequest,
    WebhookRequest,
)
from api.chat.posting import read_files
from api.chat.settings import origin
from index.settings import HomeSettings
from kb.errors import SettingsError


class DingTalkSettings(HomeSettings):
    """All unset: DingTalk is off. `kb chat setup dingtalk` says where to find each."""

    dingtalk_app_secret: str | None = Field(
        None, description="Client Secret (AppSecret) of the app whose robot is asked: DingTalk signs its calls with it."
    )
    dingtalk_app_key: str | None = Field(
        None,
        description="Client ID (AppKey) that goes with it: reads files, and answers when the address in the question has expired.",
    )
    dingtalk_robot_code: str | None = Field(
        None, description="Code of the robot; set, calls for other robots are refused. Often the same as the Client ID."
    )
    dingtalk_corp_id: str | None = Field(
        None, description="CorpId of the organisation the robot is in; set, calls from others are refused."
    )
    dingtalk_robot_webhook: str | None = Field(
        None,
        description="Webhook of a custom robot in a group, for alerts: `https://oapi.dingtalk.com/robot/send?access_token=…`.",
    )
    dingtalk_robot_secret: str | None = Field(
        None, description="Secret of that custom robot, `SEC…`, where its security setting is a signature."
    )
    dingtalk_api: Annotated[str, AfterValidator(origin)] = Field(
        "https://api.dingtalk.com", description="Where the API is; outside China `https://api.dingtalk.io`."
    )


CUSTOM = "robot"
"""The name of the group that the custom robot is in."""


@dataclass(frozen=True, slots=True, repr=False)
class Transports:
    """The ways to send messages; ``api`` and ``robot`` are optional."""

    base: str
    """Where the API is."""
    api: DingTalkApi | None
    robot: Robot | None


class DingTalk:
    """One robot. Questions are messages that mention it, or are written to it alone; answers are cards with links."""

    name = "dingtalk"
    seconds = 3.0

    def __init__(self, secret: str | None, expected: Expected, transports: Transports) -> None:
        self._secret = secret
        self._expected = expected
        self._transports = transports

    def verify(self, call: WebhookRequest, now: float) -> None:
        """See `reading.verify`: the body is not signed. Without an app there is only the custom robot, which sends no calls."""
        if self._secret is None:
            raise RefusedRequest("not-set-up")
        reading.verify(self._secret, call, now)

    def proof(self, call: WebhookRequest) -> str:
        """The sign, over the time alone, and the body."""
        return f"{call.headers[reading.SIGN]} {sha256(call.body).hexdigest()}"

    def read(self, call: WebhookRequest) -> InboundMessage:
        """See `reading.read`."""
        return reading.read(call, self._expected)

    def channel(self, name: str) -> Mapping[str, Any]:
        """The group of the custom robot, or a group of the app's robot by its openConversationId."""
        if name == CUSTOM and self._transports.robot is not None:
            return {"custom": True}
        if name.startswith("cid") and name.isascii() and name.isprintable() and len(name) < 200:
            return {"chat": name, "is_group": True, "robot": self._expected.robot or ""}
        raise ValueError(
            f"`{CUSTOM}` is the group of KB_DINGTALK_ROBOT_WEBHOOK; others are named by openConversationId, `cid…`"
        )

    def sends_once(self, target: Mapping[str, Any], age: float) -> bool:
        """There is no name for an answer by which it is posted once; the custom robot, which posts alerts, has one."""
        del age
        return bool(target.get("custom"))

    async def fetch(self, question: Question, client: httpx.AsyncClient) -> Fetched:
        """Files that were sent to the robot; the app has to be set up for that."""
        api, robot = self._transports.api, self._robot(question.target)

        async def get(one: Mapping[str, Any]) -> bytes | None:
            return await api.file(client, text(one, "code"), robot) if api else None

        return await read_files(question.files, get)

    async def send(
        self, message: AnswerCard, target: Mapping[str, Any], client: httpx.AsyncClient, *, is_again: bool = False
    ) -> None:
        """Post into the chat of the question, or into the group of the custom robot."""
        del is_again
        card = composed(message)
        if target.get("custom") is True:
            if self._transports.robot is None:
                raise PermanentError("KB_DINGTALK_ROBOT_WEBHOOK is not set any more")
            await self._transports.robot.send(client, card, message.ref)
        else:
            await self._answer(card, target, client)

    async def thank(self, text: str, target: Mapping[str, Any], client: httpx.AsyncClient) -> None:
        """Do nothing: votes are cast on a page, which shows its own thanks."""

    async def _answer(self, card: Card, target: Mapping[str, Any], client: httpx.AsyncClient) -> None:
        """Answer by the address in the question while it lasts, else by the API."""
        if self._lasts(target):
            try:
                await by_session(client, text(target, "webhook"), card)
            except SessionExpiredError:
                if self._transports.api is None:
                    raise
            else:
                return
        if self._transports.api is None:
            raise PermanentError(
                "the address in the question has expired; with KB_DINGTALK_APP_KEY it is answered nevertheless"
            )
        await self._transports.api.send(client, card, target, self._robot(target))

    def _lasts(self, target: Mapping[str, Any]) -> bool:
        """Whether the reply address in the question is DingTalk's and has not expired."""
        until, address = integer(target, "until"), text(target, "webhook")
        return (not until or time.time() * 1000 < until - MARGIN_MS) and is_session(address, self._transports.base)

    def _robot(self, target: Mapping[str, Any]) -> str:
        return self._expected.robot or text(target, "robot")


SETTINGS = DingTalkSettings


def make(settings: DingTalkSettings) -> Platform | None:
    """The platform; None while neither app nor custom robot is set up. SettingsError for a webhook that is not DingTalk's."""
    base, secret = settings.dingtalk_api, settings.dingtalk_app_secret or None
    robot, api = _robot(settings), None
    if secret is None and robot is None:
        return None
    if settings.dingtalk_app_key and secret:
        api = DingTalkApi(base, settings.dingtalk_app_key, secret)
    expected = Expected(settings.dingtalk_robot_code or None, settings.dingtalk_corp_id or None)
    return DingTalk(secret, expected, Transports(base, api, robot))


def _robot(settings: DingTalkSettings) -> Robot | None:
    webhook = settings.dingtalk_robot_webhook
    if not webhook:
        return None
    if not is_own(webhook, settings.dingtalk_api) or "access_token=" not in webhook:
        problem = "KB_DINGTALK_ROBOT_WEBHOOK is no webhook of a custom robot"
        raise SettingsError(problem, cure="copy it from the robot: https://oapi.dingtalk.com/robot/send?access_token=…")
    return Robot(webhook, settings.dingtalk_robot_secret or None)
