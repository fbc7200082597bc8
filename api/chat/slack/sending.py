"""Answers and thanks into Slack, each once.

Slack has no key that makes a repeated post harmless. So every answer carries a hash of its ``ref`` as metadata, and before
one is posted it is looked for among what was said since the question: a send whose end is unknown, or whose worker died,
is tried again without a second answer. A ``response_url`` shows nobody what was posted through it: there, a send without an
answer is not tried again.
"""

import hashlib
from typing import Any

import httpx

from api.chat.message import Message
from api.chat.platform import Later, Never
from api.chat.slack.card import card
from api.chat.slack.mrkdwn import escaped
from api.chat.slack.shapes import part, parts
from api.chat.slack.targets import Target
from api.chat.slack.web import AWAY, SECONDS, Refusal, Unsure, Web, sent

EVENT = "dejastack_answer"
_LOOKED_AT = 200
"""Messages since the question that are looked through."""
_MAY_BE_THERE = "it may have been posted; Slack cannot tell"


async def send(message: Message, target: Target, web: Web, client: httpx.AsyncClient) -> None:
    """Post the answer where it was asked for."""
    drawn = card(message)
    if target.command:
        await _answer_command(drawn, target, web, client)
        return
    try:
        await _post(drawn, message.ref, target, web, client)
    except Refusal as refusal:
        if refusal.error not in AWAY or not target.respond:
            raise
        await _respond({"response_type": "ephemeral", "replace_original": False, **drawn}, target.respond, web, client)


async def thank(said: str, target: Target, web: Web, client: httpx.AsyncClient) -> None:
    """Tell the one who pressed a button."""
    words: dict[str, Any] = {"text": escaped(said)}
    if target.respond:
        told = {"response_type": "ephemeral", "replace_original": False, **words}
        if target.thread:
            told["thread_ts"] = target.thread
        try:
            await _respond(told, target.respond, web, client)
        except _Spent:
            pass
        else:
            return
    await _whisper(words, target, web, client)


class _Spent(Never):
    """A response_url whose time or uses are over."""


async def _answer_command(drawn: dict[str, Any], target: Target, web: Web, client: httpx.AsyncClient) -> None:
    kind = "ephemeral" if target.privately else "in_channel"
    try:
        await _respond({"response_type": kind, "replace_original": False, **drawn}, target.respond, web, client)
    except _Spent:
        await _whisper(drawn, target, web, client)


async def _whisper(drawn: dict[str, Any], target: Target, web: Web, client: httpx.AsyncClient) -> None:
    where = {"channel": target.channel, "user": target.user, **({"thread_ts": target.thread} if target.thread else {})}
    try:
        await web.call("chat.postEphemeral", {**where, **drawn}, client)
    except Unsure:
        raise Never(_MAY_BE_THERE) from None


async def _post(drawn: dict[str, Any], ref: str, target: Target, web: Web, client: httpx.AsyncClient) -> None:
    mark = hashlib.sha256(ref.encode()).hexdigest()[:32]  # members can read metadata; a ref is for its buttons alone
    there = await _is_there(mark, target, web, client)
    if there:
        return
    document = {
        "channel": target.channel,
        **({"thread_ts": target.thread} if target.thread else {}),
        "metadata": {"event_type": EVENT, "event_payload": {"ref": mark}},
        "unfurl_links": False,
        "unfurl_media": False,
        **drawn,
    }
    try:
        await web.call("chat.postMessage", document, client)
    except Unsure:
        if there is None:
            raise Never(_MAY_BE_THERE) from None
        raise


async def _is_there(mark: str, target: Target, web: Web, client: httpx.AsyncClient) -> bool | None:
    """Whether the answer was posted before; None where we may not look."""
    arguments = {"channel": target.channel, "limit": _LOOKED_AT, "include_all_metadata": True}
    if target.since:
        arguments |= {"oldest": target.since, "inclusive": True}
    method = "conversations.history"
    if target.thread:
        method = "conversations.replies"
        arguments["ts"] = target.thread
    try:
        answer = await web.call(method, arguments, client, form=True)
    except Refusal:
        return None
    said = [part(one, "metadata") for one in parts(answer, "messages")]
    return any(one.get("event_type") == EVENT and part(one, "event_payload").get("ref") == mark for one in said)


async def _respond(document: dict[str, Any], url: str, web: Web, client: httpx.AsyncClient) -> None:
    """Post through a response_url. _Spent when it is over, Never when it is not Slack's or may have worked."""
    if not web.owns(url):
        raise Never("the response_url does not lead to Slack")
    try:
        response = await sent(client.build_request("POST", url, json=document, timeout=SECONDS), client)
    except Unsure:
        raise Never(_MAY_BE_THERE) from None
    if response.status_code in {httpx.codes.NOT_FOUND, httpx.codes.GONE, httpx.codes.FORBIDDEN}:
        raise _Spent("the response_url is over")
    if response.status_code == httpx.codes.SERVICE_UNAVAILABLE:
        raise Later("Slack: response_url: status 503")
    if response.is_server_error:
        raise Never(_MAY_BE_THERE)
    if response.status_code != httpx.codes.OK:
        raise Never(f"Slack: response_url: status {response.status_code}")
