"""Call Slack: its Web API, the files of a question, and answers and thanks, each posted once.

Slack has no key that makes a repeated post harmless. So an answer carries a hash of its ``ref`` as metadata, and before one is
posted it is looked for among the messages since the question: a send with unknown outcome, or whose worker died, is
retried without a second answer. A ``response_url`` cannot be read: what got no response is not sent again.
"""

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx

from api.chat.message import AnswerCard
from api.chat.payload import Json, load, part, parts, text
from api.chat.platform import Fetched, PermanentError, RefusedRequest, RetryableError
from api.chat.posting import FileRefusedError, download, is_within, read_files, request
from api.chat.slack.card import card
from api.chat.slack.mrkdwn import escaped
from api.chat.slack.reading import SlackTarget
from api.chat.slack.writing import file_from, files_of, shown

PASSING = frozenset(
    {
        "accesslimited", "external_channel_migrating", "message_limit_exceeded", "org_login_required", "rate_limited",
        "ratelimited", "team_added_to_org",
    }
)  # fmt: skip
"""Errors that go away by themselves, and before which nothing was done."""
UNSURE = frozenset({"fatal_error", "internal_error", "request_timeout", "service_unavailable"})
"""Errors that pass, but the call may have been carried out all the same; the reference of each method says so."""
AWAY = frozenset(
    {
        "channel_not_found", "is_archived", "not_in_channel", "restricted_action",
        "restricted_action_non_threadable_channel", "restricted_action_read_only_channel",
        "restricted_action_thread_locked",
    }
)  # fmt: skip
"""We may not post there. These errors, and all others, stay until a person acts."""
_TOKEN = frozenset({"account_inactive", "invalid_auth", "not_authed", "token_expired", "token_revoked"})
MAY_BE_THERE = "it may have been posted; Slack cannot tell"


class SlackError(PermanentError):
    """Slack refused a call; ``error`` is its code."""

    def __init__(self, method: str, error: str, cure: str = "") -> None:
        super().__init__(f"Slack: {method}: {error}{cure}")
        self.error = error


@dataclass(frozen=True, slots=True)
class SlackApi:
    """The Web API of Slack at ``origin``, as the owner of ``token``."""

    origin: str
    token: str

    @property
    def bearer(self) -> dict[str, str]:
        """The headers of a request of ours."""
        return {"authorization": f"Bearer {self.token}"}

    async def call(
        self, method: str, arguments: Mapping[str, Any], client: httpx.AsyncClient, *, is_repeatable: bool = True
    ) -> Json:
        """Call a method and return its answer. RetryableError or SlackError by the tables above; PermanentError for what may have been done and is not ``is_repeatable``."""
        sent = (
            {"json": arguments} if method.startswith("chat.") else {"data": arguments}
        )  # reading ones take forms alone
        url = f"{self.origin}/api/{method}"
        answer = await request(client, "POST", url, is_repeatable=is_repeatable, headers=self.bearer, **sent)
        return _judged(method, answer, is_repeatable=is_repeatable)

    def owns(self, url: str) -> bool:
        """Whether ``url``, which came in a payload, leads to Slack: by https to a host under ours, or to our origin."""
        return is_within(url, self.origin, (f".{urlsplit(self.origin).hostname}",))


def _judged(method: str, answer: httpx.Response, *, is_repeatable: bool) -> Json:
    try:
        document = load(answer.content)
    except RefusedRequest:
        if not is_repeatable:
            raise PermanentError(MAY_BE_THERE) from None
        raise RetryableError(f"Slack: {method}: status {answer.status_code} without JSON", may_be_there=True) from None
    if document.get("ok") is True:
        return document
    error = text(document, "error")[:100] or f"status {answer.status_code}"
    if error in PASSING or (error in UNSURE and is_repeatable):
        raise RetryableError(f"Slack: {method}: {error}", may_be_there=error in UNSURE)
    if error in UNSURE:
        raise PermanentError(MAY_BE_THERE)
    raise SlackError(method, error, _cure(error, document))


def _cure(error: str, document: Json) -> str:
    if error == "missing_scope":
        return f": the app needs the scope {text(document, 'needed')[:100]}; add it and install the app again"
    if error in AWAY:
        return ": invite the app into the channel"
    return ": see KB_SLACK_BOT_TOKEN" if error in _TOKEN else ""


_PICTURES = ("image/", "video/", "audio/")


async def fetch(files: Sequence[Json], web: SlackApi, client: httpx.AsyncClient) -> Fetched:
    """The texts. RetryableError when Slack does not give them now, PermanentError when it will not say what a thread is about."""
    texts: list[str] = []
    wanted: list[Json] = []
    for one in files:
        if "channel" in one:
            message = await _first_message(one, web, client)
            texts.append(shown(message))
            wanted += files_of(message)
        else:
            wanted.append(one)
    return await read_files(wanted, lambda one: _bytes(one, web, client), texts)


async def _first_message(one: Json, web: SlackApi, client: httpx.AsyncClient) -> Json:
    arguments = {"channel": one["channel"], "ts": one["ts"], "limit": 1}
    answer = await web.call("conversations.replies", arguments, client)
    return next(iter(parts(answer, "messages")), {})


async def _bytes(one: Json, web: SlackApi, client: httpx.AsyncClient) -> bytes | None:
    """Return the first `FILE` bytes; None for what is no text or cannot be fetched."""
    if one.get("ask") and one.get("id"):
        try:
            document = await web.call("files.info", {"file": one["id"]}, client)
        except SlackError:
            return None
        one = file_from(part(document, "file"))
    if text(one, "type").startswith(_PICTURES) or not web.owns(text(one, "url")):
        return None
    try:
        data, answer = await download(client, text(one, "url"), web.bearer)
    except FileRefusedError:
        return None
    # Without the right to read it, Slack shows a page to log in at.
    is_page = answer.headers.get("content-type", "").startswith("text/html")
    return None if is_page and "html" not in text(one, "type") else data


EVENT = "dejastack_answer"
_LOOKED_AT = 200
"""Messages since the question that are looked through."""
_SPENT = {httpx.codes.FORBIDDEN, httpx.codes.NOT_FOUND, httpx.codes.GONE}


class ResponseUrlExpiredError(PermanentError):
    """A response_url whose time or uses are over."""


async def send(
    message: AnswerCard, target: SlackTarget, web: SlackApi, client: httpx.AsyncClient, *, is_again: bool
) -> None:
    """Post the answer where it was asked for. ``is_again``: an earlier try may have posted it."""
    drawn = card(message)
    if target.command:
        await _answer_command(drawn, target, web, client)
        return
    try:
        await _post(drawn, _mark(message.ref), target, web, client, is_again=is_again)
    except SlackError as refusal:
        if refusal.error not in AWAY or not target.respond:
            raise
        await _respond({"response_type": "ephemeral", **drawn}, target.respond, web, client)


async def thank(thanks: str, target: SlackTarget, web: SlackApi, client: httpx.AsyncClient) -> None:
    """Thank the person who pressed a button."""
    words = {"text": escaped(thanks)}
    if not target.respond:
        await _whisper(words, target, web, client)
        return
    try:
        await _respond({"response_type": "ephemeral", **words, **_thread(target)}, target.respond, web, client)
    except ResponseUrlExpiredError:
        await _whisper(words, target, web, client)


async def _answer_command(drawn: dict[str, Any], target: SlackTarget, web: SlackApi, client: httpx.AsyncClient) -> None:
    kind = "ephemeral" if target.privately else "in_channel"
    try:
        await _respond({"response_type": kind, **drawn}, target.respond, web, client)
    except ResponseUrlExpiredError:
        await _whisper(drawn, target, web, client)


async def _whisper(drawn: dict[str, Any], target: SlackTarget, web: SlackApi, client: httpx.AsyncClient) -> None:
    """Post to one person in a channel."""
    where = {"channel": target.channel, "user": target.user, **_thread(target)}
    await web.call("chat.postEphemeral", {**where, **drawn}, client, is_repeatable=False)


def _thread(target: SlackTarget) -> dict[str, str]:
    return {"thread_ts": target.thread} if target.thread else {}


def _mark(ref: str) -> str:
    """Members can read metadata; a ref is for its buttons alone."""
    return hashlib.sha256(ref.encode()).hexdigest()[:32]


async def _post(
    drawn: dict[str, Any], mark: str, target: SlackTarget, web: SlackApi, client: httpx.AsyncClient, *, is_again: bool
) -> None:
    try:
        can_look, is_there = True, await _is_there(mark, target, web, client)
    except SlackError:  # not a member, or not our right: the post itself will tell
        if is_again:
            raise PermanentError(MAY_BE_THERE) from None
        can_look, is_there = False, False
    if is_there:
        return
    document = {
        "channel": target.channel,
        "metadata": {"event_type": EVENT, "event_payload": {"ref": mark}},
        "unfurl_links": False,
        "unfurl_media": False,
        **_thread(target),
        **drawn,
    }
    await web.call("chat.postMessage", document, client, is_repeatable=can_look)


async def _is_there(mark: str, target: SlackTarget, web: SlackApi, client: httpx.AsyncClient) -> bool:
    """Whether the answer was posted before."""
    method, arguments = "conversations.history", {"channel": target.channel, "limit": _LOOKED_AT}
    if target.thread:
        method, arguments = "conversations.replies", {**arguments, "ts": target.thread}
    if target.since:
        arguments |= {"oldest": target.since}
    try:
        answer = await web.call(method, {**arguments, "include_all_metadata": True}, client)
    except SlackError as refusal:
        if refusal.error == "thread_not_found":  # what was asked is deleted, and nothing stands below it
            return False
        raise
    marks = [part(part(one, "metadata"), "event_payload") for one in parts(answer, "messages")]
    return any(one.get("ref") == mark for one in marks)


async def _respond(document: dict[str, Any], url: str, web: SlackApi, client: httpx.AsyncClient) -> None:
    """Post through a response_url, beside the messages there. ResponseUrlExpiredError when it has expired, PermanentError when it is not Slack's or may have worked."""
    if not web.owns(url):
        raise PermanentError("the response_url does not lead to Slack")
    answer = await request(client, "POST", url, is_repeatable=False, json={"replace_original": False, **document})
    if answer.status_code in _SPENT:
        raise ResponseUrlExpiredError("the response_url is over")
    if not answer.is_success:
        raise PermanentError(f"Slack: response_url: status {answer.status_code}")
