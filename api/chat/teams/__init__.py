"""Microsoft Teams: an outgoing webhook, which is answered in its own response, and channels that alerts go to through a workflow."""

import base64
import binascii
import hashlib
import hmac
import json
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from hashlib import sha256
from html import unescape
from typing import Annotated, Any
from urllib.parse import urlsplit

import httpx
from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_settings import NoDecode
from selectolax.lexbor import LexborHTMLParser

from api.chat.message import AnswerCard
from api.chat.payload import Json, load, part, parts, text
from api.chat.platform import (
    Fetched,
    InboundMessage,
    Nothing,
    PermanentError,
    Platform,
    Question,
    RefusedRequest,
    Reply,
    WebhookRequest,
)
from api.chat.posting import request
from api.chat.settings import Places, named_places, origin
from api.chat.teams.card import card
from index.settings import HomeSettings
from kb.article.decode import tidied

WORKFLOWS = (".logic.azure.com", ".powerplatform.com", ".powerautomate.com", ".azure.us", ".logic.azure.cn")
"""Hosts of the addresses that Workflows gives out."""


def _tokens(value: object) -> object:
    return tuple(filter(None, map(str.strip, value.split(",")))) if isinstance(value, str) else value


def _token(text: str) -> str:
    try:
        is_key = bool(base64.b64decode(text, validate=True))
    except (binascii.Error, ValueError):
        is_key = False
    if not is_key:
        raise ValueError("a security token is base64, as Teams shows it once when the outgoing webhook is made")
    return text


def _workflow(url: str) -> str:
    parts = urlsplit(url)
    host = parts.hostname or ""
    if not host.endswith(WORKFLOWS) or parts.scheme != "https":
        try:
            origin(f"{parts.scheme}://{parts.netloc}")
        except ValueError:
            host = ""
        if host not in {"127.0.0.1", "localhost", "::1"}:
            raise ValueError(f"the address of a workflow is expected, at a host under {', '.join(WORKFLOWS)}")
    return url


class TeamsSettings(HomeSettings):
    """Outgoing webhooks ask questions, each in its team; workflows post alerts into channels."""

    teams_tokens: Annotated[tuple[Annotated[str, AfterValidator(_token)], ...], NoDecode, BeforeValidator(_tokens)] = (
        Field((), description="Teams: the security token of each team's outgoing webhook, with commas.")
    )
    teams_channel_secrets: Annotated[Places, NoDecode, BeforeValidator(named_places(_workflow))] = Field(
        {},
        description="Teams: channels that alerts can be posted to, each with the address of its workflow: `ops=https://…`.",
    )


def signature(token: str, body: bytes) -> str:
    """The header of a call."""
    digest = hmac.new(base64.b64decode(token), body, hashlib.sha256).digest()
    return "HMAC " + base64.b64encode(digest).decode()


def is_signed(given: str, tokens: Sequence[str], body: bytes) -> bool:
    """Whether one of the tokens signed the body, in constant time."""
    header = given.encode("utf-8", "replace")
    return sum([hmac.compare_digest(signature(token, body).encode(), header) for token in tokens]) > 0


_MENTION = re.compile(r"<at(?:\s[^<>]{0,200})?>[^<>]{0,200}</at>", re.IGNORECASE)
_LINES = "p,div,li,pre,tr,blockquote,h1,h2,h3,h4,h5,h6"
_DRAWN = re.compile(r"\s*<(?:p|div|pre|table|ul|ol|blockquote|attachment)\b", re.IGNORECASE)
SEEN_REPLY = Reply(b'{"type":"message","text":""}')
"""To a call that was answered before."""


def read_activity(body: bytes) -> InboundMessage:
    """Read a question. A call without an id is identified by a hash of its body."""
    activity = load(body)
    if activity.get("type") != "message":
        return Nothing()
    place = text(part(activity, "conversation"), "id")
    name = text(activity, "id") or sha256(body).hexdigest()
    sender = part(activity, "from")
    who = text(sender, "aadObjectId") or text(sender, "id")
    return Question(f"{place[:200]}:{name[:100]}", _question_text(activity), who[:200], {}, (), SEEN_REPLY)


def sent_at(body: bytes) -> float | None:
    """When it was sent, in seconds since 1970; None where the body does not say it."""
    stated = text(load(body), "timestamp")
    try:
        at = datetime.fromisoformat(_MORE_DIGITS.sub(r"\1", stated[:64])) if stated else None
    except ValueError:
        return None
    return at.timestamp() if at is not None and at.tzinfo is not None else None


_MORE_DIGITS = re.compile(r"(\.[0-9]{6})[0-9]{1,6}")
"""Teams states a ten-millionth of a second, too."""


def _question_text(activity: Json) -> str:
    """The HTML of the message keeps its lines, and ``<`` as it was typed; without it, the text."""
    for attached in parts(activity, "attachments"):
        if text(attached, "contentType").startswith("text/html") and (drawn := text(attached, "content")):
            return _plain(drawn)
    written = text(activity, "text")
    return _plain(written) if _DRAWN.match(written) else tidied(unescape(_MENTION.sub("", written))).strip()


def _plain(drawn: str) -> str:
    """HTML as text, a line each where it begins one, without those who are mentioned."""
    page = LexborHTMLParser(drawn)
    for node in page.css("at,span[itemtype*='schema.skype.com/Mention'],script,style"):
        node.remove()
    for node in page.css("br"):
        node.replace_with("\n")
    for node in page.css(_LINES):
        node.insert_after("\n")
    shown = page.body.text(deep=True) if page.body else ""
    return "\n".join(line.rstrip() for line in tidied(shown).splitlines()).strip("\n ")


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
        return read_activity(call.body)

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

    def answered(self, message: AnswerCard, question: Question) -> Reply:
        """The card."""
        del question
        return Reply(json.dumps(card(message), ensure_ascii=False).encode("utf-8", "replace"))

    async def fetch(self, question: Question, client: httpx.AsyncClient) -> Fetched:
        """Fetch nothing: an outgoing webhook does not see the files of a message."""
        del question, client
        return Fetched()

    async def send(
        self, message: AnswerCard, target: Mapping[str, Any], client: httpx.AsyncClient, *, is_again: bool = False
    ) -> None:
        """Post into a channel through its workflow, which cannot tell what it has posted already."""
        del is_again
        if (url := self._channels.get(str(target.get("channel")))) is None:
            raise PermanentError("KB_TEAMS_CHANNEL_SECRETS does not name that channel any more")
        answer = await request(client, "POST", url, is_repeatable=False, json=card(message))
        if not answer.is_success:
            raise PermanentError(f"the workflow refused it ({answer.status_code})")

    async def thank(self, text: str, target: Mapping[str, Any], client: httpx.AsyncClient) -> None:
        """Do nothing: a vote is a link, and its page shows the thanks."""
        del text, target, client


def make(settings: TeamsSettings) -> Platform | None:
    """Teams as it is set up; None without a token and without a channel."""
    if not settings.teams_tokens and not settings.teams_channel_secrets:
        return None
    return Teams(settings.teams_tokens, settings.teams_channel_secrets)
