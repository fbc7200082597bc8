"""What a callback of WeCom says, decrypted: JSON from a smart robot, XML from an app.

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
    """The ciphertext in a callback's body, and whether a smart robot sent it (in JSON). Refused("unreadable") without one."""
    if len(body) > MOST:
        raise RefusedRequest("unreadable")
    is_robot = body.lstrip()[:1] == b"{"
    found = text(load(body), "encrypt") if is_robot else _xml(body).get("Encrypt")
    if not found:
        raise RefusedRequest("unreadable")
    return found, is_robot


def of_robot(body: str) -> InboundMessage:
    """What a smart robot was told."""
    said = load(body)
    name, url, quote = text(said, "msgid"), text(said, "response_url"), part(said, "quote")
    asked = "\n\n".join(filter(None, (_own(said), _words(quote))))
    files = tuple({"url": link} for link in (_file(said), _file(quote)) if link)
    if not (name and url and (asked or files)):
        return Nothing()  # pictures, streams, somebody who comes in
    return Question(name, asked, text(part(said, "from"), "userid"), {"robot": url}, files)


def of_app(body: str) -> InboundMessage:
    """What an app was told, or which of its buttons was pressed."""
    said = _xml(body.encode("utf-8", "replace"))
    who, agent = said.get("FromUserName", ""), said.get("AgentID", "")
    if said.get("MsgType") == "event":
        return _pressed(said, who) if said.get("Event") == "template_card_event" else Nothing()
    name, media = said.get("MsgId", ""), said.get("MediaId", "")
    files = (
        ({"media": media, "name": said.get("FileName", "")[:200]},)
        if said.get("MsgType") == "file" and _CODE.fullmatch(media)
        else ()
    )
    asked = said.get("Content", "") if said.get("MsgType") == "text" else ""
    if not (name and who and (asked.strip() or files)):
        return Nothing()
    return Question(f"{agent}:{name}", asked, who, {"user": who}, files)


def button(ref: str, place: int, vote: Vote) -> str:
    """What a button carries."""
    return f"{ref}:{place}:{vote.value}"


def _pressed(said: Mapping[str, str], who: str) -> InboundMessage:
    ref, *rest = said.get("EventKey", "").split(":")
    code = said.get("ResponseCode", "")
    if not (ref and len(rest) == 2 and all(re.fullmatch(r"[0-9]{1,3}", part, re.ASCII) for part in rest)):
        return Nothing()
    place, vote = map(int, rest)
    if vote not in set(Vote) or not who:
        return Nothing()
    name = ":".join((who, said.get("TaskId", ""), said.get("EventKey", ""), said.get("CreateTime", "")))
    target = {"pressed": code, "user": who} if _CODE.fullmatch(code) else {}
    return ButtonClick(name, ref, place, Vote(vote), who, target)


def _own(said: Json) -> str:
    words = _words(said)
    return _MENTION.sub("", words, count=1) if said.get("chattype") == "group" else words


def _words(said: Json) -> str:
    """The text of a message or of what it quotes: written, spoken, or between pictures."""
    match said.get("msgtype"):
        case "text" | "voice" as kind:
            return text(part(said, kind), "content").strip()
        case "mixed":
            items = parts(part(said, "mixed"), "msg_item")
            return "\n".join(filter(None, (_words(item) for item in items if item.get("msgtype") == "text")))
        case _:
            return ""


def _file(said: Json) -> str:
    return text(part(said, "file"), "url").strip() if said.get("msgtype") == "file" else ""


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

    def says(self, said: str) -> None:
        if len(self._path) == 2:
            self.texts[self._path[1]] += said


def _no_doctype(*about: object) -> NoReturn:
    del about
    raise RefusedRequest("unreadable")
