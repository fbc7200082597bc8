"""What every chat platform is to the rest of the room: a way to verify a call, to read it, and to answer.

A platform's own folder holds the wire forms. Everything here is plain data, so that reading and drawing are pure functions
with tables of tests, and only `Platform.send` and `Platform.fetch` meet the network.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

import httpx

from api.chat.message import AnswerCard
from kb.store.model import Vote


@dataclass(frozen=True, slots=True)
class WebhookRequest:
    """One request of a platform, as it came: nothing of it is believed yet."""

    method: str
    query: Mapping[str, str]
    """Decoded once."""
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes


class RefusedRequest(Exception):  # noqa: N818 - it is told, not broken
    """A call that is not what it claims to be. ``reason`` is a label of a metric: one of ``REASONS``."""

    def __init__(self, reason: str) -> None:
        assert reason in REASONS
        super().__init__(reason)
        self.reason = reason


REASONS = frozenset({"signature", "too-old", "replayed", "unreadable", "too-large", "not-set-up"})


@dataclass(frozen=True, slots=True)
class Reply:
    """What a platform is told in the very response."""

    body: bytes = b""
    media: str = "application/json"
    status: int = 200


@dataclass(frozen=True, slots=True)
class UrlVerification:
    """The platform checks the address; the reply proves that it is ours."""

    reply: Reply


@dataclass(frozen=True, slots=True)
class Question:
    """Somebody asks."""

    id: str
    """The platform's own name of the message: the same whenever it is delivered."""
    text: str
    """What was written to us, without the mention of ourselves; the platform's escapes undone."""
    who: str
    """The platform's id of the user."""
    target: Mapping[str, Any]
    """Where the answer goes, as JSON; the platform wrote it, and it alone reads it."""
    files: tuple[Mapping[str, Any], ...] = ()
    """What has to be fetched: long pastes that came as files or snippets, as JSON."""
    reply: Reply = Reply()
    """What the platform is told at once."""


@dataclass(frozen=True, slots=True)
class ButtonClick:
    """Somebody pressed a button of an answer."""

    id: str
    """The platform's name of this press, or one made of who pressed what."""
    ref: str
    """`Message.ref` of the answer."""
    place: int
    """Which of its matches, from 0."""
    vote: Vote
    who: str
    target: Mapping[str, Any]
    """Where thanks go."""
    reply: Reply = Reply()
    expired: Reply | None = None
    """The response in its place when there is no such match of an answer to this platform: nothing is kept. None where it says nothing of it."""
    redrawn: Callable[[AnswerCard], Reply] | None = field(default=None, compare=False)
    """The response in its place when the answer is at hand: it draws the card anew. None where the response cannot."""


@dataclass(frozen=True, slots=True)
class Nothing:
    """Nothing to do: an event of no interest, our own message, an edit."""

    reply: Reply = Reply()


InboundMessage = UrlVerification | Question | ButtonClick | Nothing


@dataclass(frozen=True, slots=True)
class Fetched:
    """What `Platform.fetch` brought. The message has a note for each name."""

    text: str = ""
    """Texts of the files, joined; '' when there are none."""
    unread: tuple[str, ...] = ()
    """Names of files that could not be read: no text, not there any more, not for us."""
    cut: tuple[str, ...] = ()
    """Names of files of which only the beginning was read."""


class Later(Exception):  # noqa: N818 - it is told, not broken
    """It could not be sent, and is to be tried again: the platform is down, slow, or asks to wait so many ``seconds``.

    ``may_be_there``: it may have arrived all the same.
    """

    def __init__(self, why: str, seconds: float | None = None, *, may_be_there: bool = False) -> None:
        super().__init__(why)
        self.seconds = seconds
        self.may_be_there = may_be_there


class Never(Exception):  # noqa: N818 - it is told, not broken
    """It could not be sent, and trying again is no use: the channel is gone, the token is refused, it may be there already."""


class Platform(Protocol):
    """One platform that is set up."""

    name: str
    """As in its address: ``slack``."""
    seconds: float
    """In how many seconds a call must be answered."""

    def verify(self, call: WebhookRequest, now: float) -> None:
        """Raise Refused unless the platform sent it, lately. ``now``: seconds since 1970."""

    def proof(self, call: WebhookRequest) -> str:
        """Of a verified call what proves it, and nothing that could be changed without a secret: the same bytes again have the same proof.

        A message that is delivered again is signed again, at another time, and has another.
        """

    def read(self, call: WebhookRequest) -> InboundMessage:
        """What a verified call says. Refused("unreadable") when it is none of the platform's forms."""

    def channel(self, name: str) -> Mapping[str, Any]:
        """Where a message goes that answers nobody: the target of a channel by the platform's id of it. ValueError says what a name looks like."""

    def sends_once(self, target: Mapping[str, Any], age: float) -> bool:
        """Whether a message that `send` is given twice for that target is posted once: the platform has a key for it, or `send` looks whether it is there.

        ``age``: seconds since it came in; sending began no earlier.
        """

    async def fetch(self, asked: Question, client: httpx.AsyncClient) -> Fetched:
        """The texts of its files. One that cannot be read is named, no more; Later or Never as `send` when the platform does not answer."""

    async def send(
        self, message: AnswerCard, target: Mapping[str, Any], client: httpx.AsyncClient, *, is_again: bool = False
    ) -> None:
        """Post the answer. ``message`` is the same whenever it is tried again. Later or Never when it cannot be posted.

        ``is_again``: an earlier try broke off, nobody knows where. Never unless it can be told whether it is there.

        Where it may have been posted (a time out after the request left): Later where it `sends_once`, else Never.
        """

    async def thank(self, text: str, target: Mapping[str, Any], client: httpx.AsyncClient) -> None:
        """Tell the one who pressed a button, and nobody else where the platform can do that. Later or Never likewise."""


@runtime_checkable
class AnswersAtOnce(Platform, Protocol):
    """A platform whose answers can go nowhere but into the response."""

    def answered(self, message: AnswerCard, asked: Question) -> Reply:
        """The response that holds the answer."""
