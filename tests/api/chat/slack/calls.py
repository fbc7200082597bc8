"""Calls as Slack makes them: what its documentation shows, with what the tests are about put in."""

import json
from typing import Any
from urllib.parse import urlencode

from api.chat.platform import WebhookRequest
from api.chat.slack.reading import signature

SECRET = "8f742231b10e8888abcd99yyyzzz85a5"
TOKEN = "xoxb-1234-test"
BOT = "U0KBOT"
NOW = 1_700_000_000


def signed(body: bytes, now: float = NOW, secret: str = SECRET, **headers: str) -> WebhookRequest:
    """The body as a call that Slack signs."""
    stamp = str(int(now))
    own = {"x-slack-request-timestamp": stamp, "x-slack-signature": signature(secret, stamp, body)}
    return WebhookRequest("POST", {}, {**own, **headers}, body)


def event(inner: dict[str, Any], **outer: Any) -> bytes:
    """A call of the Events API."""
    around = {
        "token": "XXYYZZ",
        "team_id": "T1",
        "api_app_id": "A1",
        "type": "event_callback",
        "event_id": "Ev1",
        "event_time": NOW,
        "authorizations": [{"team_id": "T1", "user_id": BOT, "is_bot": True, "is_enterprise_install": False}],
    }
    return json.dumps({**around, "event": inner, **outer}).encode()


def mention(text: str = f"<@{BOT}> why?", **more: Any) -> dict[str, Any]:
    """A mention in a channel."""
    return {"type": "app_mention", "user": "U1", "text": text, "ts": "1700000000.000100", "channel": "C1", **more}


def direct(text: str = "why?", **more: Any) -> dict[str, Any]:
    """A direct message."""
    own = {"type": "message", "channel_type": "im", "user": "U1", "ts": "1700000000.000200", "channel": "D1"}
    return {**own, "text": text, **more}


def rich(*elements: dict[str, Any]) -> list[dict[str, Any]]:
    """The blocks of Slack's own editor."""
    return [{"type": "rich_text", "block_id": "b", "elements": list(elements)}]


def run(text: str) -> dict[str, Any]:
    """A run of text in one."""
    return {"type": "text", "text": text}


def piece(kind: str, *runs: dict[str, Any]) -> dict[str, Any]:
    """``section``, ``preformatted``, ``quote``."""
    return {"type": f"rich_text_{kind}", "elements": list(runs)}


def command(text: str = "why?", **more: str) -> bytes:
    """A slash command."""
    fields = {
        "token": "x", "team_id": "T1", "team_domain": "t", "channel_id": "C1", "channel_name": "general",
        "user_id": "U1", "user_name": "ann", "command": "/kb", "text": text,
        "response_url": "https://hooks.slack.com/commands/T1/2/abc", "trigger_id": "1.2.ab", "api_app_id": "A1",
    }  # fmt: skip
    return urlencode({**fields, **more}).encode()


def interaction(payload: dict[str, Any]) -> bytes:
    """A button or a shortcut."""
    return urlencode({"payload": json.dumps(payload)}).encode()


def shortcut(message: dict[str, Any], **more: Any) -> dict[str, Any]:
    """The shortcut in the menu of a message."""
    return {
        "type": "message_action",
        "callback_id": "find_known_incidents",
        "trigger_id": "9.8.cd",
        "action_ts": "1700000001.1",
        "response_url": "https://hooks.slack.com/app/T1/3/def",
        "user": {"id": "U1", "name": "ann"},
        "channel": {"id": "C1", "name": "general"},
        "team": {"id": "T1", "domain": "t"},
        "message": {"type": "message", "ts": "1699999999.000001", **message},
        **more,
    }


def press(value: str, **more: Any) -> dict[str, Any]:
    """A button of an answer in a thread."""
    return {
        "type": "block_actions",
        "trigger_id": "7.6.ef",
        "response_url": "https://hooks.slack.com/actions/T1/4/ghi",
        "user": {"id": "U2", "username": "bo"},
        "channel": {"id": "C1", "name": "general"},
        "container": {
            "type": "message",
            "message_ts": "1700000005.1",
            "channel_id": "C1",
            "thread_ts": "1700000000.000100",
        },
        "message": {"ts": "1700000005.1", "thread_ts": "1700000000.000100"},
        "actions": [{"type": "button", "action_id": "vote_yes", "block_id": "b", "value": value, "action_ts": "1.1"}],
        **more,
    }
