"""Microsoft Teams: an outgoing webhook, which is answered in its own response, and channels that alerts go to through a workflow."""

import json
from collections.abc import Mapping
from typing import Any

import httpx

from api.chat.message import AnswerCard
from api.chat.platform import Fetched, InboundMessage, Never, Platform, Question, RefusedRequest, Reply, WebhookRequest
from api.chat.posting import request
from api.chat.teams.card import card
from api.chat.teams.reading import of_webhook, sent_at
from api.chat.teams.settings import TeamsSettings
from api.chat.teams.signing import is_signed

SETTINGS = TeamsSettings
WINDOW = 300.0
"""Seconds by which the time of a message may differ from ours."""


class Teams:
    """The outgoing webhooks of one or more teams."""

    name = "teams"
    seconds = 5.0

    def __init__(self, tokens: tuple[str, ...], channels: Mapping[str, str]) -> None:
        self._tokens = tokens
        self._channels = channels

    def verify(self, call: WebhookRequest, now: float) -> None:
        """The signature, and the time that the message itself states, for Teams signs none beside it."""
        given = call.headers.get("authorization", "")
        if call.method != "POST" or not is_signed(given, self._tokens, call.body):
            raise RefusedRequest("signature")
        at = sent_at(call.body)
        if at is not None and abs(now - at) > WINDOW:
            raise RefusedRequest("too-old")

    def proof(self, call: WebhookRequest) -> str:
        """The signature, over the body."""
        return call.headers["authorization"]

    def read(self, call: WebhookRequest) -> InboundMessage:
        """A question, or nothing."""
        return of_webhook(call.body)

    def channel(self, name: str) -> Mapping[str, Any]:
        """A channel by its name in KB_TEAMS_CHANNEL_SECRETS."""
        if name not in self._channels:
            raise ValueError(
                "KB_TEAMS_CHANNEL_SECRETS gives each channel a name: `teams:ops` with `ops=https://…` there"
            )
        return {"channel": name}

    def sends_once(self, target: Mapping[str, Any], age: float) -> bool:
        """A workflow does not know a message again."""
        del target, age
        return False

    def answered(self, message: AnswerCard, asked: Question) -> Reply:
        """The card."""
        del asked
        return Reply(json.dumps(card(message), ensure_ascii=False).encode("utf-8", "replace"))

    async def fetch(self, asked: Question, client: httpx.AsyncClient) -> Fetched:
        """Nothing: an outgoing webhook is not shown the files of a message."""
        del asked, client
        return Fetched()

    async def send(
        self, message: AnswerCard, target: Mapping[str, Any], client: httpx.AsyncClient, *, is_again: bool = False
    ) -> None:
        """Into a channel, through its workflow, which cannot tell what it has posted already."""
        del is_again
        if (url := self._channels.get(str(target.get("channel")))) is None:
            raise Never("KB_TEAMS_CHANNEL_SECRETS does not name that channel any more")
        answer = await request(client, "POST", url, is_repeatable=False, json=card(message))
        if not answer.is_success:
            raise Never(f"the workflow refused it ({answer.status_code})")

    async def thank(self, text: str, target: Mapping[str, Any], client: httpx.AsyncClient) -> None:
        """Nothing: a vote is a link, and its page says thanks."""
        del text, target, client


def make(settings: TeamsSettings) -> Platform | None:
    """Teams as it is set up; None without a token and without a channel."""
    if not settings.teams_tokens and not settings.teams_channel_secrets:
        return None
    return Teams(settings.teams_tokens, settings.teams_channel_secrets)
