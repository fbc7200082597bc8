"""The interface of a chat platform: verify a call, read it, and answer.

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
    """One request of a platform as it came; nothing in it is trusted yet."""

    method: str
    query: Mapping[str, str]
    """Decoded once."""
    headers: Mapping[str, str]
    """Names in lower case."""
    body: bytes


class RefusedRequest(Exception):  # noqa: N818 - the platform reads it as a refusal, not an error
    """A call that fails verification or cannot be read. ``reason`` is a label of a metric: one of ``REASONS``."""

    def __init__(self, reason: str) -> None:
        assert reason in REASONS
        super().__init__(reason)
        self.reason = reason


REASONS = frozenset({"signature", "too-old", "replayed", "unreadable", "too-large", "not-set-up"})


@dataclass(frozen=True, slots=True)
class Reply:
    """The HTTP response to a call."""

    body: bytes = b""
    media: str = "application/json"
    status: int = 200


@dataclass(frozen=True, slots=True)
class UrlVerification:
    """The platform checks the address; the reply proves that it is ours."""

    reply: Reply


@dataclass(frozen=True, slots=True)
class Question:
    """A question that a person asked."""

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
    """The immediate response."""


@dataclass(frozen=True, slots=True)
class ButtonClick:
    """A click on a button of an answer."""

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
    """The response when the answer has no such match and nothing is stored; None: the same `reply`."""
    redrawn: Callable[[AnswerCard], Reply] | None = field(default=None, compare=False)
    """The response in its place when the answer is at hand: it draws the card anew. None where the response cannot."""


@dataclass(frozen=True, slots=True)
class Nothing:
    """A call without anything to do: an irrelevant event, our own message, an edit."""

    reply: Reply = Reply()


InboundMessage = UrlVerification | Question | ButtonClick | Nothing


@dataclass(frozen=True, slots=True)
class Fetched:
    """The result of `Platform.fetch`. The answer has a note for each name."""

    text: str = ""
    """Texts of the files, joined; '' when there are none."""
    unread: tuple[str, ...] = ()
    """Names of files that could not be read: no text, not there any more, not for us."""
    cut: tuple[str, ...] = ()
    """Names of files of which only the beginning was read."""


class RetryableError(Exception):
    """Sending failed and is worth a retry: the platform is down, slow, or asks to wait ``seconds``.

    ``may_be_there``: the message may have arrived all the same.
    """

    def __init__(self, why: str, seconds: float | None = None, *, may_be_there: bool = False) -> None:
        super().__init__(why)
        self.seconds = seconds
        self.may_be_there = may_be_there


class PermanentError(Exception):
    """Sending failed and a retry is no use: the channel is gone, the token is refused, or the message may be there already."""


class Platform(Protocol):
    """One platform that is set up."""

    name: str
    """As in its address: ``slack``."""
    seconds: float
    """In how many seconds a call must be answered."""

    def verify(self, call: WebhookRequest, now: float) -> None:
        """Raise RefusedRequest unless the platform sent it, lately. ``now``: seconds since 1970."""

    def proof(self, call: WebhookRequest) -> str:
        """Return what identifies a verified call for replay checks: the same bytes have the same proof, and only a secret can make another.

        A message that is delivered again is signed again, at another time, and has another.
        """

    def read(self, call: WebhookRequest) -> InboundMessage:
        """Read a verified call. RefusedRequest("unreadable") when it has none of the platform's forms."""

    def channel(self, name: str) -> Mapping[str, Any]:
        """Return the target of a channel by the platform's id of it, for messages that answer no question. ValueError says what an id looks like."""

    def sends_once(self, target: Mapping[str, Any], age: float) -> bool:
        """Whether `send` is idempotent for a target: the platform has a key for it, or `send` looks whether the message is there.

        ``age``: seconds since it came in; sending began no earlier.
        """

    async def fetch(self, question: Question, client: httpx.AsyncClient) -> Fetched:
        """Fetch the texts of its files; name those that cannot be read. RetryableError or PermanentError as `send` when the platform does not answer."""

    async def send(
        self, message: AnswerCard, target: Mapping[str, Any], client: httpx.AsyncClient, *, is_again: bool = False
    ) -> None:
        """Post the answer. ``message`` is the same whenever it is tried again. RetryableError or PermanentError when it cannot be posted.

        ``is_again``: an earlier try broke off at an unknown point. PermanentError unless the platform can tell whether the message is there.

        When it may have been posted (a timeout after the request left): RetryableError where it `sends_once`, else PermanentError.
        """

    async def thank(self, text: str, target: Mapping[str, Any], client: httpx.AsyncClient) -> None:
        """Thank the person who pressed a button, privately where the platform can. RetryableError or PermanentError as `send`."""


@runtime_checkable
class AnswersAtOnce(Platform, Protocol):
    """A platform that only takes the answer in the response itself."""

    def answered(self, message: AnswerCard, question: Question) -> Reply:
        """The response that holds the answer."""
