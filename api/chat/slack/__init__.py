"""Slack: slash command, mentions, direct messages and a message shortcut; answers as Block Kit, in the thread. See README.md."""

import re
from collections.abc import Mapping
from typing import Annotated, Any, Literal

import httpx
from pydantic import AfterValidator, Field

from api.chat.message import AnswerCard
from api.chat.platform import Fetched, InboundMessage, Platform, Question, WebhookRequest
from api.chat.settings import origin
from api.chat.slack import sending
from api.chat.slack.reading import SIGNATURE, SlackReader, SlackTarget, verify
from api.chat.slack.sending import SlackApi
from index.settings import HomeSettings
from kb.errors import SettingsError


class SlackSettings(HomeSettings):
    """All unset: Slack is off. `kb chat setup slack` says where to find secret and token."""

    slack_signing_secret: str | None = Field(
        None, description="Signing secret of the Slack app (Basic Information): what Slack signs its calls with."
    )
    slack_bot_token: str | None = Field(
        None, description="Bot token of the Slack app (OAuth & Permissions), `xoxb-…`: what answers are posted with."
    )
    slack_command_answers: Literal["ephemeral", "in_channel"] = Field(
        "ephemeral",
        description="Who sees the answer to the slash command: `ephemeral` who asked, `in_channel` everybody there.",
    )
    slack_shared_channels: bool = Field(
        default=False,
        description="Answer also in channels that are shared with other organisations: their members ask and read there.",
    )
    slack_api: Annotated[str, AfterValidator(origin)] = Field(
        "https://slack.com", description="Where Slack is; GovSlack is at https://slack-gov.com."
    )


SETTINGS = SlackSettings
_CHANNEL = re.compile(r"[CGD][A-Z0-9]{6,20}")


def make(settings: SlackSettings) -> Platform | None:
    """The platform; None while neither secret nor token is set. SettingsError when one is missing."""
    secret, token = settings.slack_signing_secret, settings.slack_bot_token
    if not secret and not token:
        return None
    if not secret or not token:
        missing = "KB_SLACK_BOT_TOKEN" if secret else "KB_SLACK_SIGNING_SECRET"
        raise SettingsError(f"{missing} is not set", cure="`kb chat setup slack` says where it is found")
    reader = SlackReader(settings.slack_command_answers == "in_channel", settings.slack_shared_channels)
    return Slack(secret, SlackApi(settings.slack_api, token), reader)


class Slack:
    """A `Platform`."""

    name = "slack"
    seconds = 3.0

    def __init__(self, secret: str, web: SlackApi, reader: SlackReader) -> None:
        self._secret = secret
        self._web = web
        self._reader = reader

    def verify(self, call: WebhookRequest, now: float) -> None:
        """Raise RefusedRequest unless Slack sent it within 300 s of ``now``."""
        verify(self._secret, call, now)

    def proof(self, call: WebhookRequest) -> str:
        """The signature, over time and body."""
        return call.headers[SIGNATURE]

    def read(self, call: WebhookRequest) -> InboundMessage:
        """Read the call."""
        return self._reader.read(call)

    def channel(self, name: str) -> Mapping[str, Any]:
        """The target of a channel by its id."""
        if _CHANNEL.fullmatch(name) is None:
            raise ValueError("a channel of Slack is its id, as C0123456789: below in the channel's details")
        return SlackTarget(name).wire()

    def sends_once(self, target: Mapping[str, Any], age: float) -> bool:
        """True for channels, where `send` looks whether the answer is there; a response_url cannot be looked at."""
        del age
        return not SlackTarget.of(target).command

    async def fetch(self, question: Question, client: httpx.AsyncClient) -> Fetched:
        """Its files, or the message that its thread is about."""
        return await sending.fetch(question.files, self._web, client)

    async def send(
        self, message: AnswerCard, target: Mapping[str, Any], client: httpx.AsyncClient, *, is_again: bool = False
    ) -> None:
        """Post the answer, unless it is there; PermanentError where an earlier try broke off and we may not look."""
        await sending.send(message, SlackTarget.of(target), self._web, client, is_again=is_again)

    async def thank(self, text: str, target: Mapping[str, Any], client: httpx.AsyncClient) -> None:
        """Thank the person who pressed, privately."""
        await sending.thank(text, SlackTarget.of(target), self._web, client)
