"""Read a decrypted callback of WeCom: JSON from a smart robot, XML from an app.

Forms: developer.work.weixin.qq.com/document/path/100719 and 101027 (robot), 90239, 90240 (app).
"""

import re
from collections.abc import Mapping
from typing import NoReturn
from xml.parsers import expat

from api.chat.payload import Json, load, part, parts, text
from api.chat.platform import ButtonClick, InboundMessage, Nothing, Question, RefusedRequest
from kb.store.model import Vote

MOST = 128 * 1024
"""Longest callback that is read, in bytes: two texts of 20,480 bytes (one quotes the other), escaped in JSON, in base64."""
_ELEMENTS = 256
"""Elements of XML that are read: an app's longest form has some dozens."""
_MENTION = re.compile(r"^\s*@[^\s\u2005]{1,64}[\s\u2005]*")
_CODE = re.compile(r"[A-Za-z0-9+/=_\-.]{1,512}")


def encrypted(body: bytes) -> tuple[str, bool]:
    """The ciphertext in a callback's body, and whether a smart robot sent it (in JSON). RefusedRequest("unreadable") without one."""
    if len(body) > MOST:
        raise RefusedRequest("unreadable")
    is_robot = body.lstrip()[:1] == b"{"
    ciphertext = text(load(body), "encrypt") if is_robot else _xml(body).get("Encrypt")
    if not ciphertext:
        raise RefusedRequest("unreadable")
    return ciphertext, is_robot


def of_robot(body: str) -> InboundMessage:
    """Read a message to a smart robot."""
    payload = load(body)
    name, url, quote = text(payload, "msgid"), text(payload, "response_url"), part(payload, "quote")
    typed = "\n\n".join(filter(None, (_own(payload), _words(quote))))
    files = tuple({"url": link} for link in (_file(payload), _file(quote)) if link)
    if not (name and url and (typed or files)):
        return Nothing()  # pictures, streams, somebody who comes in
    return Question(name, typed, text(part(payload, "from"), "userid"), {"robot": url}, files)


def of_app(body: str) -> InboundMessage:
    """Read a message to an app, or a click on one of its buttons."""
    payload = _xml(body.encode("utf-8", "replace"))
    who, agent = payload.get("FromUserName", ""), payload.get("AgentID", "")
    if payload.get("MsgType") == "event":
        return _pressed(payload, who) if payload.get("Event") == "template_card_event" else Nothing()
    name, media = payload.get("MsgId", ""), payload.get("MediaId", "")
    files = (
        ({"media": media, "name": payload.get("FileName", "")[:200]},)
        if payload.get("MsgType") == "file" and _CODE.fullmatch(media)
        else ()
    )
    typed = payload.get("Content", "") if payload.get("MsgType") == "text" else ""
    if not (name and who and (typed.strip() or files)):
        return Nothing()
    return Question(f"{agent}:{name}", typed, who, {"user": who}, files)


def button(ref: str, place: int, vote: Vote) -> str:
    """Return the key of a button."""
    return f"{ref}:{place}:{vote.value}"


def _pressed(payload: Mapping[str, str], who: str) -> InboundMessage:
    ref, *rest = payload.get("EventKey", "").split(":")
    code = payload.get("ResponseCode", "")
    if not (ref and len(rest) == 2 and all(re.fullmatch(r"[0-9]{1,3}", part, re.ASCII) for part in rest)):
        return Nothing()
    place, vote = map(int, rest)
    if vote not in set(Vote) or not who:
        return Nothing()
    name = ":".join((who, payload.get("TaskId", ""), payload.get("EventKey", ""), payload.get("CreateTime", "")))
    target = {"pressed": code, "user": who} if _CODE.fullmatch(code) else {}
    return ButtonClick(name, ref, place, Vote(vote), who, target)


def _own(payload: Json) -> str:
    words = _words(payload)
    return _MENTION.sub("", words, count=1) if payload.get("chattype") == "group" else words


def _words(payload: Json) -> str:
    """The text of a message or of what it quotes: written, spoken, or between pictures."""
    match payload.get("msgtype"):
        case "text" | "voice" as kind:
            return text(part(payload, kind), "content").strip()
        case "mixed":
            items = parts(part(payload, "mixed"), "msg_item")
            return "\n".join(filter(None, (_words(item) for item in items if item.get("msgtype") == "text")))
        case _:
            return ""


def _file(payload: Json) -> str:
    return text(part(payload, "file"), "url").strip() if payload.get("msgtype") == "file" else ""


def _xml(body: bytes) -> Mapping[str, str]:
    """The children of the root by name; without entities and document types. What has more than ``_ELEMENTS`` is left off there."""
    children = _Children()
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = children.starts
    parser.EndElementHandler = children.ends
    parser.CharacterDataHandler = children.says
    parser.StartDoctypeDeclHandler = _no_doctype
    try:
        parser.Parse(body, True)  # noqa: FBT003 - the whole of it
    except (expat.ExpatError, ValueError, LookupError):
        raise RefusedRequest("unreadable") from None
    return children.texts


class _Children:
    """The texts of the children of the root, as the parser comes by them: no tree is built of what a stranger sends."""

    def __init__(self) -> None:
        self.texts: dict[str, str] = {}
        self._path: list[str] = []
        self._count = 0

    def starts(self, name: str, attributes: Mapping[str, str]) -> None:
        del attributes
        self._count += 1
        if self._count > _ELEMENTS:
            raise RefusedRequest("unreadable")
        self._path.append(name)
        if len(self._path) == 2:
            self.texts[name] = ""

    def ends(self, name: str) -> None:
        del name
        self._path.pop()

    def says(self, text: str) -> None:
        if len(self._path) == 2:
            self.texts[self._path[1]] += text


def _no_doctype(*about: object) -> NoReturn:
    del about
    raise RefusedRequest("unreadable")
