"""Read a verified call of Feishu: an event of version 2 or 1, or a pressed button.

https://open.feishu.cn/document/uAjLw4CM/ukTMukTMukTM/reference/im-v1/message/events/receive
https://open.feishu.cn/document/uAjLw4CM/ukzMukzMukzM/feishu-cards/card-callback-communication
"""

import hashlib
import html
import re
from collections.abc import Collection, Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from api.chat.compose import words_of
from api.chat.feishu.card import card
from api.chat.feishu.signing import CHECK, is_old_press
from api.chat.message import AnswerCard
from api.chat.payload import Json, integer, is_blank, load, name, part, parts, text
from api.chat.platform import ButtonClick, InboundMessage, Nothing, Question, RefusedRequest, Reply, UrlVerification
from api.contract.jsontext import dump
from kb.store.model import Vote

VOTES = {"yes": Vote.YES, "no": Vote.NO}
_REF = re.compile(r"[A-Za-z0-9_-]{1,100}")
_PLACES = 100
_QUESTION_KINDS = frozenset({"text", "post", "file", "merge_forward"})
"""Kinds of messages that can be questions. Nothing is read in pictures."""


def read(payload: Json) -> InboundMessage:
    """``payload`` is decrypted. RefusedRequest("unreadable") when it is none of the platform's forms."""
    if payload.get("type") == CHECK:
        return UrlVerification(Reply(dump({"challenge": text(payload, "challenge")})))
    if "schema" in payload:
        return _event(part(payload, "header"), part(payload, "event"))
    if is_old_press(payload):
        return _pressed(
            payload, who=name(payload, "open_id"), message=name(payload, "open_message_id"), id=name(payload, "token")
        )
    if payload.get("type") == "event_callback":
        return _first_version(part(payload, "event"))
    raise RefusedRequest("unreadable")


def _event(header: Json, event: Json) -> InboundMessage:
    match header.get("event_type"):
        case "im.message.receive_v1":
            return _received(event)
        case "card.action.trigger":
            operator, context = part(event, "operator"), part(event, "context")
            who = name(operator, "open_id") or name(operator, "union_id") or name(operator, "user_id")
            click = _pressed(event, who=who, message=name(context, "open_message_id"), id=name(header, "event_id"))
            return replace(click, redrawn=partial(_redrawn, click.vote)) if isinstance(click, ButtonClick) else click
        case str():
            return Nothing()
        case _:
            raise RefusedRequest("unreadable")


def _received(event: Json) -> InboundMessage:
    """A message to the robot: in a group one that mentions it, alone with it any."""
    message, sender = part(event, "message"), part(event, "sender")
    mentions = parts(message, "mentions")
    is_group = text(message, "chat_type") not in {"", "p2p"}
    if sender.get("sender_type", "user") != "user" or (is_group and not _mentions_a_robot(mentions)):
        return Nothing()
    ids = part(sender, "sender_id")
    kind, content = text(message, "message_type"), content_of(message)
    return _question(
        message=name(message, "message_id"),
        parent=name(message, "parent_id"),
        who=name(ids, "open_id") or name(ids, "union_id") or name(ids, "user_id"),
        written_as=(kind, content, written(kind, content, keys_of(mentions))),
        where={"chat": name(message, "chat_id"), "is_group": is_group},
    )


def _mentions_a_robot(mentions: list[Json]) -> bool:
    """Whether it may be us: newer events say which of the mentioned are robots. With the scopes of the setup no others come."""
    named = [one for one in mentions if one.get("key") != ALL]
    kinds = {one["mentioned_type"] for one in named if isinstance(one.get("mentioned_type"), str)}
    return bool(named) and (not kinds or "bot" in kinds)


def _question(
    *, message: str, parent: str, who: str, written_as: tuple[str, Json, str], where: Mapping[str, Any]
) -> InboundMessage:
    """``written_as``: kind, content and text of the message. A bare mention that replies to a message asks about that message."""
    kind, content, typed = written_as
    if not message:
        raise RefusedRequest("unreadable")
    files: tuple[Mapping[str, Any], ...] = ()
    if kind == "file" and (file := file_of(message, content)):
        files = (file,)
    elif kind == "merge_forward":
        files = ({"message": message},)
    elif is_blank(typed) and parent:
        typed, files = "", ({"message": parent},)
    if kind not in _QUESTION_KINDS or (is_blank(typed) and not files):
        return Nothing()
    return Question(message, typed, who, {"message": message, **where}, files)


def _first_version(event: Json) -> InboundMessage:
    """A message in the events' first version: https://open.feishu.cn/document/ukTMukTMukTM/uMTNxYjLzUTM24yM1EjN ."""
    is_group = event.get("chat_type") != "private"
    if event.get("type") != "message" or (is_group and event.get("is_mention") is False):
        return Nothing()
    kind = text(event, "msg_type")
    if kind == "post":
        kind, typed = "text", "\n".join(filter(None, (text(event, "title"), text(event, "text_without_at_bot"))))
    else:
        typed = text(event, "text_without_at_bot") or text(event, "text")
    return _question(
        message=name(event, "open_message_id"),
        parent=name(event, "parent_id"),
        who=name(event, "open_id"),
        written_as=(kind, event, typed.strip()),
        where={"chat": name(event, "open_chat_id"), "is_group": is_group},
    )


def _pressed(payload: Json, *, who: str, message: str, id: str) -> InboundMessage:  # noqa: A002 - as `ButtonClick` calls it
    """A button of ours: its value names the answer, the match and the vote. Buttons of others' cards are nothing to us."""
    value = part(payload, "action").get("value")
    if isinstance(value, str):
        value = content_of({"value": value}, "value")
    if not isinstance(value, dict):
        return Nothing()
    ref, place, vote = text(value, "ref"), integer(value, "place"), VOTES.get(text(value, "vote"))
    if _REF.fullmatch(ref) is None or place is None or not 0 <= place < _PLACES or vote is None or not who:
        return Nothing()
    digest = hashlib.sha256(f"{who} {ref} {place} {vote}".encode()).hexdigest()[:40]
    reply = Reply(dump({"toast": _TOASTS[vote]}))
    return ButtonClick(id or digest, ref, place, vote, who, {"message": message}, reply, _expired_toast())


def _redrawn(vote: Vote, message: AnswerCard) -> Reply:
    """The toast, and the card for everybody with the pressed button marked. Callbacks of old cards take no such card."""
    return Reply(dump({"toast": _TOASTS[vote], "card": {"type": "raw", "data": card(message, vote)}}))


def _expired_toast() -> Reply:
    """The toast where there is nothing to keep."""
    chinese, english = (words_of(lang)("chat_gone") for lang in ("zh", "en"))
    i18n = {"zh_cn": chinese, "en_us": english}
    return Reply(dump({"toast": {"type": "warning", "content": chinese, "i18n": i18n}}))


_TOASTS: Mapping[Vote, Json] = {
    Vote.YES: {
        "type": "success",
        "content": "谢谢，已记下：是这个",
        "i18n": {"zh_cn": "谢谢，已记下：是这个", "en_us": "Thank you. Noted: this was it"},
    },
    Vote.NO: {
        "type": "info",
        "content": "谢谢，已记下：不是这个",
        "i18n": {"zh_cn": "谢谢，已记下：不是这个", "en_us": "Thank you. Noted: this was not it"},
    },
}
"""Shown to the person who pressed, in the language of their client, which only the client knows."""


ELEMENTS = 2_000
"""Most elements of a message that are read."""
DEPTH = 4
"""How deep elements may lie in each other."""
ALL = "@_all"
"""The placeholder of everybody in the chat."""
_MENTION = re.compile(r"@_(?:user_\d{1,6}|all)(?!\w)")
_RUNS = frozenset({"text", "a", "md", "lark_md", "plain_text", "markdown"})
_SILENT = frozenset({"button", "img", "media", "emotion", "select_static", "overflow", "date_picker", "input"})


def content_of(message: Json, key: str = "content") -> Json:
    """The content of a message: JSON within JSON. Empty when it is none."""
    try:
        return load(text(message, key))
    except RefusedRequest:
        return {}


def keys_of(mentions: Collection[Json]) -> frozenset[str]:
    """Return the placeholders of people and robots in a text: ``@_user_1``."""
    return frozenset({text(one, "key") for one in mentions} - {""})


def written(kind: str, content: Json, mentioned: Collection[str] = ()) -> str:
    """The text of a message of this kind (``text``, ``post``, ``interactive``), without its mentions; '' of any other."""
    if kind == "text":
        content_text = text(content, "text")
    elif kind == "post":
        body = _localised(content)
        content_text = _joined(text(body, "title"), _rows(body.get("content")))
    elif kind == "interactive":
        content_text = _joined(text(content, "title"), _rows(content.get("elements")))
    else:
        return ""
    return _MENTION.sub(lambda match: "" if match[0] in {*mentioned, ALL} else match[0], content_text).strip()


def file_of(message: str, content: Json) -> Json | None:
    """A file in a message, as a thing to fetch; None when there is none."""
    key = name(content, "file_key")
    return {"message": message, "key": key, "name": text(content, "file_name")[:200] or key} if key else None


def _localised(content: Json) -> Json:
    """A rich text as it comes, or in the first of the languages it is wrapped in."""
    if "content" in content:
        return content
    return next((part(content, key) for key in content if "content" in part(content, key)), {})


def _joined(title: str, rows: list[str]) -> str:
    return "\n".join(row for row in (title, *rows) if row)


def _rows(rows: object) -> list[str]:
    """Each paragraph is a list of runs; in cards a row may be one element."""
    lines: list[str] = []
    left = ELEMENTS
    for row in rows if isinstance(rows, list) else ():
        runs = row if isinstance(row, list) else [row]
        lines.append("".join(_run(one, DEPTH) for one in runs[:left] if isinstance(one, dict)))
        left -= len(runs)
        if left <= 0:
            break
    return lines


def _run(one: Json, depth: int) -> str:
    """The text of one element, including elements nested in it (notes, columns)."""
    tag = text(one, "tag")
    if tag == "code_block":
        return f"\n{text(one, 'text')}\n"
    if tag in _RUNS:
        content = text(one, "text") or text(one, "content")
        return html.unescape(content) if one.get("un_escape") is True else content
    if tag == "at":
        return "" if text(one, "user_id").startswith("@_") else f"@{text(one, 'user_name')}"
    if tag in {"hr", "br"}:
        return "\n"
    if depth == 0 or tag in _SILENT:
        return ""
    inner = [_run(each, depth - 1) for key in ("elements", "columns", "fields") for each in parts(one, key)[:ELEMENTS]]
    return "\n".join(filter(None, (_run({**part(one, "text")}, 0) if "text" in one else "", *inner)))
