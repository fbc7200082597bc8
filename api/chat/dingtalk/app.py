"""DingTalk as a platform of the chat."""

import time
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import httpx

from api.chat.dingtalk import reading, signing
from api.chat.dingtalk.card import Card, composed
from api.chat.dingtalk.reading import Expected
from api.chat.dingtalk.sending import MARGIN_MS, DingTalkApi, Expired, Robot, by_session, is_session
from api.chat.message import AnswerCard
from api.chat.platform import Fetched, InboundMessage, Never, Question, RefusedRequest, WebhookRequest
from api.chat.posting import FILE
from api.chat.shapes import text, whole
from kb.article.decode import decode

FILES = 5
"""So many files of a question are read."""
CUSTOM = "robot"
"""The name of the group that the custom robot is in."""


@dataclass(frozen=True, slots=True, repr=False)
class Ways:
    """How messages reach the platform; each but the first may be missing."""

    base: str
    """Where the API is."""
    api: DingTalkApi | None
    robot: Robot | None


class DingTalk:
    """One robot. Questions are messages that mention it, or are written to it alone; answers are cards with links."""

    name = "dingtalk"
    seconds = 3.0

    def __init__(self, secret: str | None, expected: Expected, ways: Ways) -> None:
        self._secret = secret
        self._expected = expected
        self._ways = ways

    def verify(self, call: WebhookRequest, now: float) -> None:
        """See `signing.verify`: the body is not signed. Without the app there is only the custom robot, which calls nobody."""
        if self._secret is None:
            raise RefusedRequest("not-set-up")
        signing.verify(self._secret, call, now)

    def proof(self, call: WebhookRequest) -> str:
        """The sign, over the time alone, and the body."""
        return f"{call.headers[signing.SIGN]} {sha256(call.body).hexdigest()}"

    def read(self, call: WebhookRequest) -> InboundMessage:
        """See `reading.read`."""
        return reading.read(call, self._expected)

    def channel(self, name: str) -> Mapping[str, Any]:
        """The group of the custom robot, or a group of the app's robot by its openConversationId."""
        if name == CUSTOM and self._ways.robot is not None:
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

    async def fetch(self, asked: Question, client: httpx.AsyncClient) -> Fetched:
        """Files that were sent to the robot; the app has to be set up for that."""
        api, robot = self._ways.api, self._robot(asked.target)
        texts: list[str] = []
        unread, cut = [text(one, "name") for one in asked.files[FILES:]], []
        for one in asked.files[:FILES]:
            data = await api.file(client, text(one, "code"), robot) if api else None
            decoded = decode(data) if data else None
            if data is None or decoded is None or decoded.binary:
                unread.append(text(one, "name"))
                continue
            is_whole = len(data) < FILE
            texts.append(decoded.text if is_whole else decoded.text.rpartition("\n")[0])
            cut += [] if is_whole else [text(one, "name")]
        return Fetched("\n\n".join(filter(None, texts)), tuple(unread), tuple(cut))

    async def send(
        self, message: AnswerCard, target: Mapping[str, Any], client: httpx.AsyncClient, *, is_again: bool = False
    ) -> None:
        """Into the chat it was asked in; or into the group of the custom robot."""
        del is_again
        made = composed(message)
        if target.get("custom") is True:
            if self._ways.robot is None:
                raise Never("KB_DINGTALK_ROBOT_WEBHOOK is not set any more")
            await self._ways.robot.send(client, made, message.ref)
        else:
            await self._answer(made, target, client)

    async def thank(self, text: str, target: Mapping[str, Any], client: httpx.AsyncClient) -> None:
        """Never asked for: votes are cast on a page, which says its own thanks."""

    async def _answer(self, made: Card, target: Mapping[str, Any], client: httpx.AsyncClient) -> None:
        """By the address in the question while it lasts, else by the API."""
        if self._lasts(target):
            try:
                await by_session(client, text(target, "webhook"), made)
            except Expired:
                if self._ways.api is None:
                    raise
            else:
                return
        if self._ways.api is None:
            raise Never("the address in the question has expired; with KB_DINGTALK_APP_KEY it is answered nevertheless")
        await self._ways.api.send(client, made, target, self._robot(target))

    def _lasts(self, target: Mapping[str, Any]) -> bool:
        """Whether the address in the question can still be used: it is one of the platform's for that, and has not expired as far as it says when."""
        until, address = whole(target, "until"), text(target, "webhook")
        return (not until or time.time() * 1000 < until - MARGIN_MS) and is_session(address, self._ways.base)

    def _robot(self, target: Mapping[str, Any]) -> str:
        return self._expected.robot or text(target, "robot")
