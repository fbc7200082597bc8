"""Verify and read a call of Slack. Nothing in it is taken for granted, even when it is verified.

Three forms come to one address. The Events API sends JSON, slash commands a form, buttons and shortcuts a form with JSON in
its ``payload``: https://docs.slack.dev/apis/events-api, .../interactivity/implementing-slash-commands and .../interactivity/handling-user-interaction.
"""

import hashlib
import hmac
import re
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from typing import Any, Self
from urllib.parse import parse_qsl

from api.chat.payload import Json, is_blank, load, name, part, parts, text
from api.chat.platform import (
    ButtonClick,
    InboundMessage,
    Nothing,
    Question,
    RefusedRequest,
    Reply,
    UrlVerification,
    WebhookRequest,
)
from api.chat.slack.writing import files_of, parent, plain, shown, written
from api.contract.jsontext import dump
from kb.store.model import Vote

WINDOW = 300
"""How far the time of a call may be from ours, to both sides."""
STAMP = "x-slack-request-timestamp"
SIGNATURE = "x-slack-signature"
_TIME = re.compile(r"[0-9]{1,12}")


def signature(secret: str, stamp: str, body: bytes) -> str:
    """Return the ``X-Slack-Signature`` of a call sent at ``stamp`` (seconds since 1970)."""
    signed = b"v0:%s:%s" % (stamp.encode("ascii"), body)
    return "v0=" + hmac.new(secret.encode(), signed, hashlib.sha256).hexdigest()


def verify(secret: str, call: WebhookRequest, now: float) -> None:
    """Raise RefusedRequest unless the call is signed with ``secret`` within `WINDOW` of ``now`` (seconds since 1970)."""
    stamp = call.headers.get(STAMP, "")
    if _TIME.fullmatch(stamp) is None:
        raise RefusedRequest("signature")
    given = call.headers.get(SIGNATURE, "").encode("utf-8", "replace")
    if not hmac.compare_digest(signature(secret, stamp, call.body).encode(), given):
        raise RefusedRequest("signature")
    if abs(now - int(stamp)) > WINDOW:
        raise RefusedRequest("too-old")


_BUTTON_VALUE = re.compile(r"(yes|no):([0-9]{1,3}):([A-Za-z0-9_-]{1,200})")


@dataclass(frozen=True, slots=True)
class PressedButton:
    """A vote on a match."""

    ref: str
    place: int
    vote: Vote


def button_value(ref: str, place: int, vote: Vote) -> str:
    """The button's ``button_value``: of at most 2000 characters for Slack, of 208 here."""
    return f"{vote.name.lower()}:{place}:{ref}"


def pressed_button(value: str) -> PressedButton | None:
    """Decode `button_value`; None for a button that is a link."""
    match = _BUTTON_VALUE.fullmatch(value)
    return PressedButton(match[3], int(match[2]), Vote[match[1].upper()]) if match else None


@dataclass(frozen=True, slots=True)
class SlackTarget:
    """A place in Slack. With ``channel`` alone it is posted there; ``respond`` is the way where we are not a member."""

    channel: str
    thread: str = ""
    """Timestamp of the message at its head; '' for none."""
    since: str = ""
    """Timestamp of the question: no earlier message answers it."""
    user: str = ""
    """The person who asked or pressed; private messages go to them."""
    respond: str = ""
    """Slack's ``response_url`` for it: good for 30 minutes and 5 messages."""
    privately: bool = False
    """Only ``user`` is to see the answer."""
    command: bool = False
    """It was a slash command: answered through ``respond``, also where we are not a member."""

    def wire(self) -> Mapping[str, Any]:
        """As JSON."""
        return {key: value for key, value in asdict(self).items() if value}

    @classmethod
    def of(cls, wire: Mapping[str, Any]) -> Self:
        """Out of what `wire` wrote."""
        return cls(**wire)


SHORTCUT = "find_known_incidents"
"""Callback of the message shortcut in the manifest."""
_FIELDS = 60
_OURS = {"", "file_share", "thread_broadcast", "me_message"}
"""Subtypes of messages that people write; all others are joins, edits, deletions, bots."""


@dataclass(frozen=True, slots=True)
class SlackReader:
    """Reads calls. ``in_channel``: everybody sees the answer to a slash command; ``outside``: channels shared with others are answered too."""

    in_channel: bool
    outside: bool = False

    def read(self, call: WebhookRequest) -> InboundMessage:
        """Read a call. RefusedRequest("unreadable") when it is none of Slack's forms."""
        if call.body.lstrip()[:1] == b"{":
            document = load(call.body)
            is_outside = document.get("is_ext_shared_channel") is True and not self.outside
            return Nothing() if is_outside else _event_call(document)
        form = _form(call.body)
        if "payload" in form:
            return _interaction(load(form["payload"]), call)
        if text(form, "ssl_check") == "1":
            return Nothing()
        return self._command(form, call)

    def _command(self, form: Json, call: WebhookRequest) -> InboundMessage:
        user, url = name(form, "user_id"), text(form, "response_url")
        if not user or not text(form, "command"):
            raise RefusedRequest("unreadable")
        target = SlackTarget(
            name(form, "channel_id") or user, since=_stamp(call), user=user, respond=url,
            privately=not self.in_channel, command=bool(url),
        )  # fmt: skip
        # In the channel, Slack shows the command itself only where the response says so.
        reply = _reply({"response_type": "in_channel"}) if self.in_channel else Reply(media="text/plain")
        id_ = name(form, "trigger_id") or hashlib.sha256(_stamp(call).encode() + call.body).hexdigest()
        return Question(f"command:{id_}", plain(text(form, "text")).strip(), user, target.wire(), reply=reply)


def _form(body: bytes) -> Json:
    try:
        pairs = parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=_FIELDS)
    except ValueError:
        raise RefusedRequest("unreadable") from None
    return dict(pairs)


def _reply(document: Json) -> Reply:
    return Reply(dump(document))


def _stamp(call: WebhookRequest) -> str:
    """When Slack sent it, as a timestamp of messages."""
    return f"{call.headers.get(STAMP, '0')}.000000"


def _event_call(document: Json) -> InboundMessage:
    if text(document, "type") == "url_verification":
        return UrlVerification(_reply({"challenge": text(document, "challenge")}))
    if text(document, "type") != "event_callback":
        return Nothing()
    event = part(document, "event")
    own_id = next((name(one, "user_id") for one in parts(document, "authorizations")), "")
    if not _from_a_person(event, own_id):
        return Nothing()
    if text(event, "type") == "app_mention":
        return _message(document, event, own_id or _first_mention(event))
    if text(event, "type") == "message" and (text(event, "channel_type") == "im" or _mentions(event, own_id)):
        return _message(document, event, own_id)
    return Nothing()


def _from_a_person(event: Json, own_id: str) -> bool:
    """Whether a person wrote it, and new: no bot, no edit, no join, nothing hidden."""
    subtype = text(event, "subtype")
    unseen = event.get("bot_id") or event.get("bot_profile") or event.get("hidden") or event.get("edited")
    return not unseen and subtype in _OURS and name(event, "user") not in {"", own_id, "USLACKBOT"}


def _mentions(event: Json, own_id: str) -> bool:
    """A mention with a file can come as a message alone (where ``message.channels`` is subscribed to)."""
    return bool(own_id) and f"<@{own_id}>" in text(event, "text")


def _first_mention(event: Json) -> str:
    """Return the first mentioned user, for a call that does not name the app."""
    return text(event, "text").partition("<@")[2].partition(">")[0].partition("|")[0]


def _message(document: Json, event: Json, own_id: str) -> InboundMessage:
    channel, ts, thread = (name(event, key) for key in ("channel", "ts", "thread_ts"))
    if not (channel and ts):
        raise RefusedRequest("unreadable")
    typed, files = written(event, own_id), files_of(event)
    if is_blank(typed) and not files and thread not in {"", ts}:
        typed, files = "", (parent(channel, thread),)
    beside = "" if text(event, "channel_type") == "im" else ts  # in a direct message, answers stand below each other
    target = SlackTarget(channel, thread=thread or beside, since=ts, user=name(event, "user"))
    return Question(f"{name(document, 'team_id')}:{channel}:{ts}", typed, target.user, target.wire(), files)


def _interaction(payload: Json, call: WebhookRequest) -> InboundMessage:
    user, channel = name(part(payload, "user"), "id"), name(part(payload, "channel"), "id")
    id_ = name(payload, "trigger_id") or name(payload, "action_ts")
    if text(payload, "type") not in {"message_action", "block_actions"}:
        return Nothing()
    if not (user and id_):
        raise RefusedRequest("unreadable")
    if text(payload, "type") == "message_action":
        return _shortcut(payload, SlackTarget(channel, since=_stamp(call), user=user), id_)
    container = part(payload, "container")
    thread = name(container, "thread_ts") or name(part(payload, "message"), "thread_ts")
    target = SlackTarget(channel, thread=thread, user=user, respond=text(payload, "response_url"))
    for action in parts(payload, "actions"):
        if (vote := pressed_button(text(action, "value"))) is not None:
            return ButtonClick(f"press:{id_}", vote.ref, vote.place, vote.vote, user, target.wire())
    return Nothing()


def _shortcut(payload: Json, target: SlackTarget, id_: str) -> InboundMessage:
    """The shortcut in the menu of a message: the answer goes into that message's thread."""
    message = part(payload, "message")
    head = name(message, "thread_ts") or name(message, "ts") or name(payload, "message_ts")
    if text(payload, "callback_id") != SHORTCUT or not (head and target.channel):
        return Nothing()
    where = replace(target, thread=head, respond=text(payload, "response_url"))
    return Question(f"shortcut:{id_}", shown(message), target.user, where.wire(), files_of(message))
