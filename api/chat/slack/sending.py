"""Answers and thanks into Slack, each once.

Slack has no key that makes a repeated post harmless. So an answer carries a hash of its ``ref`` as metadata, and before one is
posted it is looked for among what was said since the question: a send whose end is unknown, or whose worker died, is tried
again without a second answer. Nobody can look at what went through a ``response_url``: what got no response is not sent again.
"""

import hashlib
from typing import Any

import httpx

from api.chat.message import AnswerCard
from api.chat.platform import Never
from api.chat.posting import request
from api.chat.shapes import part, parts
from api.chat.slack.card import card
from api.chat.slack.mrkdwn import escaped
from api.chat.slack.targets import SlackTarget
from api.chat.slack.web import AWAY, MAY_BE_THERE, Refusal, Web

EVENT = "dejastack_answer"
_LOOKED_AT = 200
"""Messages since the question that are looked through."""
_SPENT = {httpx.codes.FORBIDDEN, httpx.codes.NOT_FOUND, httpx.codes.GONE}


class Spent(Never):
    """A response_url whose time or uses are over."""


async def send(
    message: AnswerCard, target: SlackTarget, web: Web, client: httpx.AsyncClient, *, is_again: bool
) -> None:
    """Post the answer where it was asked for. ``is_again``: it may be there from an earlier try."""
    drawn = card(message)
    if target.command:
        await _answer_command(drawn, target, web, client)
        return
    try:
        await _post(drawn, _mark(message.ref), target, web, client, is_again=is_again)
    except Refusal as refusal:
        if refusal.error not in AWAY or not target.respond:
            raise
        await _respond({"response_type": "ephemeral", **drawn}, target.respond, web, client)


async def thank(said: str, target: SlackTarget, web: Web, client: httpx.AsyncClient) -> None:
    """Tell the one who pressed a button."""
    words = {"text": escaped(said)}
    if not target.respond:
        await _whisper(words, target, web, client)
        return
    try:
        await _respond({"response_type": "ephemeral", **words, **_thread(target)}, target.respond, web, client)
    except Spent:
        await _whisper(words, target, web, client)


async def _answer_command(drawn: dict[str, Any], target: SlackTarget, web: Web, client: httpx.AsyncClient) -> None:
    kind = "ephemeral" if target.privately else "in_channel"
    try:
        await _respond({"response_type": kind, **drawn}, target.respond, web, client)
    except Spent:
        await _whisper(drawn, target, web, client)


async def _whisper(drawn: dict[str, Any], target: SlackTarget, web: Web, client: httpx.AsyncClient) -> None:
    """To one in a channel alone."""
    where = {"channel": target.channel, "user": target.user, **_thread(target)}
    await web.call("chat.postEphemeral", {**where, **drawn}, client, is_repeatable=False)


def _thread(target: SlackTarget) -> dict[str, str]:
    return {"thread_ts": target.thread} if target.thread else {}


def _mark(ref: str) -> str:
    """Members can read metadata; a ref is for its buttons alone."""
    return hashlib.sha256(ref.encode()).hexdigest()[:32]


async def _post(
    drawn: dict[str, Any], mark: str, target: SlackTarget, web: Web, client: httpx.AsyncClient, *, is_again: bool
) -> None:
    try:
        can_look, is_there = True, await _is_there(mark, target, web, client)
    except Refusal:  # not a member, or not our right: the post itself will tell
        if is_again:
            raise Never(MAY_BE_THERE) from None
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


async def _is_there(mark: str, target: SlackTarget, web: Web, client: httpx.AsyncClient) -> bool:
    """Whether the answer was posted before."""
    method, arguments = "conversations.history", {"channel": target.channel, "limit": _LOOKED_AT}
    if target.thread:
        method, arguments = "conversations.replies", {**arguments, "ts": target.thread}
    if target.since:
        arguments |= {"oldest": target.since}
    try:
        answer = await web.call(method, {**arguments, "include_all_metadata": True}, client)
    except Refusal as refusal:
        if refusal.error == "thread_not_found":  # what was asked is deleted, and nothing stands below it
            return False
        raise
    said = [part(part(one, "metadata"), "event_payload") for one in parts(answer, "messages")]
    return any(one.get("ref") == mark for one in said)


async def _respond(document: dict[str, Any], url: str, web: Web, client: httpx.AsyncClient) -> None:
    """Post through a response_url, beside what is there. Spent when it is over, Never when it is not Slack's or may have worked."""
    if not web.owns(url):
        raise Never("the response_url does not lead to Slack")
    answer = await request(client, "POST", url, is_repeatable=False, json={"replace_original": False, **document})
    if answer.status_code in _SPENT:
        raise Spent("the response_url is over")
    if not answer.is_success:
        raise Never(f"Slack: response_url: status {answer.status_code}")
