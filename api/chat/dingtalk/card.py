"""An answer as a DingTalk message: an action card with links for buttons, or Markdown where there are none.

https://open.dingtalk.com/document/development/robot-message-type. Robots cannot be called back by buttons of these: a vote is a
page that asks. Nobody is mentioned.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from api.chat.message import FRAME, PART, TITLE, AnswerCard, CardMatch, cut, cut_bytes

_MARKUP = re.compile(r"[&<>*`\[\]\\|@]|__|~~|_(?![^\W_])|^[ \t]{0,3}(?:#|[-=](?=[-= \t]*$))", re.MULTILINE)
_BOLD = re.compile(r"\*\*([^*\s](?:[^*\n]{0,300}[^*\s])?)\*\*")
_FENCES = re.compile(r"^[ \t]{0,3}(?:`{3,}|~{3,})[^`\n]*(?:\n|\Z)", re.MULTILINE)
_INDENT = re.compile(r"^[ \t]{2,}", re.MULTILINE)
_ADDRESS = re.compile(r"[\s()<>\[\]\\\"'`|*_~@]")


def escaped(text: str) -> str:
    """``text`` as running text on one line or several."""
    lines = _MARKUP.sub(_reference, text).split("\n")
    return "  \n".join(line.rstrip() or "\u200b" for line in lines) if len(lines) > 1 else lines[0]


def prose(text: str) -> str:
    """A cause or a fix: bold stays bold, everything else is escaped.

    There is no code in this Markdown: lines that fence it go, and the blanks that it is indented by are no-break spaces.
    """
    pieces: list[str] = []
    at, bare = 0, _INDENT.sub(lambda found: "\u00a0" * len(found[0].expandtabs(4)), _FENCES.sub("", text).strip())
    for found in _BOLD.finditer(bare):
        pieces += (escaped(bare[at : found.start()]), f"**{escaped(found[1])}**")
        at = found.end()
    return "".join((*pieces, escaped(bare[at:])))


def link(label: str, address: str | None) -> str:
    """``label`` as a link that opens in a browser; bare where there is no address of the web."""
    if address is None or not address.startswith(("https://", "http://")):
        return escaped(label)
    return f"[{escaped(' '.join(label.split()))}]({_ADDRESS.sub(lambda found: f'%{ord(found[0]):02X}', address)})"


def in_browser(address: str) -> str:
    """The address of a button: on a computer the browser opens, not the side bar of the client.

    https://open.dingtalk.com/document/development/message-link-description
    """
    return f"dingtalk://dingtalkclient/page/link?url={quote(address, safe='')}&pc_slide=false"


def _reference(found: re.Match[str]) -> str:
    markup = found[0]
    if markup == "@":
        return "@\u200b"
    blanks = len(markup) - len(markup.lstrip(" \t"))
    return markup[:blanks] + "".join(f"&#{ord(sign)};" for sign in markup[blanks:])


BYTES = 14_000
"""Of title, text and buttons as JSON: the API takes 15,000."""
_SIZES = (PART, 500, 200, 60)
_OTHERS = 5
_PAIRS = 4
_NOTES = 4
_LINE = 300
_BUTTONS = 4
_NOBODY = {"isAtAll": False, "atMobiles": [], "atUserIds": []}

Button = tuple[str, str]
"""What it says, and where it leads."""


@dataclass(frozen=True, slots=True)
class Card:
    """What is shown, before it takes the form of one of the two ways to send it."""

    title: str
    """Plain text: in lists of chats and in notifications."""
    text: str
    """Markdown."""
    buttons: tuple[Button, ...]


def card(message: AnswerCard) -> dict[str, Any]:
    """What is sent to the address in a question: small enough, nothing in it that pings."""
    return for_webhook(composed(message))


def composed(message: AnswerCard) -> Card:
    """The card of ``message``, in neither form yet."""
    found = message.headline if message.best is None else f"{message.headline}: {message.best.title}"
    buttons, title = _buttons(message), cut(" ".join(found.split()).replace("@", "@\u200b"), 80)
    for most in _SIZES:
        made = Card(title, _text(message, most), buttons)
        if _size(made) <= BYTES:
            return made
    room = max(0, BYTES - _size(Card(title, "", buttons)))
    return Card(title, cut_bytes(made.text, room // 2), buttons)


def for_webhook(made: Card) -> dict[str, Any]:
    """For the address that came with the question, and for custom robots."""
    if not made.buttons:
        return {"msgtype": "markdown", "markdown": {"title": made.title, "text": made.text}, "at": _NOBODY}
    rows = [{"title": label, "actionURL": in_browser(address)} for label, address in made.buttons]
    body = {"title": made.title, "text": made.text, "btnOrientation": "0", "btns": rows}
    return {"msgtype": "actionCard", "actionCard": body, "at": _NOBODY}


def for_api(made: Card) -> dict[str, str]:
    """For the API: the name of a template, and what it is filled with, as JSON within JSON."""
    filled = {"title": made.title, "text": made.text}
    if not made.buttons:
        return {"msgKey": "sampleMarkdown", "msgParam": _json(filled)}
    if len(made.buttons) == 1:
        (label, address), *_ = made.buttons
        filled |= {"singleTitle": label, "singleURL": in_browser(address)}
        return {"msgKey": "sampleActionCard", "msgParam": _json(filled)}
    for number, (label, address) in enumerate(made.buttons, 1):
        filled |= {f"actionTitle{number}": label, f"actionURL{number}": in_browser(address)}
    return {"msgKey": f"sampleActionCard{len(made.buttons)}", "msgParam": _json(filled)}


def _buttons(message: AnswerCard) -> tuple[Button, ...]:
    words, best, row = message.words, message.best, []
    if best is not None and message.opinion is not None:
        asked = f"{message.opinion}{'&' if '?' in message.opinion else '?'}place={best.place}&vote="
        row += [(words.this_was_it, f"{asked}yes"), (words.this_was_not, f"{asked}no")]
    if best is not None and best.link is not None:
        row.append((words.open, best.link))
    if message.write_up is not None:
        row.append((words.write_up, message.write_up))
    return tuple((cut(label, 40), address) for label, address in row[:_BUTTONS])


def _text(message: AnswerCard, most: int) -> str:
    words = message.words
    parts = [f"#### {escaped(cut(message.headline, TITLE))}"]
    if message.about:
        parts.append(f"**{escaped(cut(message.about, TITLE))}**")
    parts.append(escaped(cut(message.text, _LINE)))
    if message.best is not None:
        parts += _best(message.best, message, most)
    for at, one in enumerate(message.causes[:_OTHERS]):
        head = f"**{escaped(words.causes)}**\n\n" if not at else ""
        parts += [f"{head}**{link(cut(one.title, TITLE), one.link)}**", *_stated(one, message, most)]
    for name, found in ((words.others, message.others), (words.problems, message.problems)):
        if found:
            rows = [f"- {link(cut(one.title, TITLE), one.link)} ({escaped(one.likelihood)})" for one in found[:_OTHERS]]
            parts.append("\n".join((f"**{escaped(name)}**  ", *rows)))
    parts += [f"> {escaped(cut(' '.join(note.split()), _LINE))}" for note in message.notes[:_NOTES]]
    return "\n\n".join(parts)


def _best(best: CardMatch, message: AnswerCard, most: int) -> list[str]:
    words = message.words
    about = " · ".join(escaped(cut(one, TITLE)) for one in (best.likelihood, best.component) if one)
    parts = [f"**{link(cut(best.title, TITLE), best.link)}**  \n{about}"]
    parts += _stated(best, message, most)
    if best.why or best.frames:
        rows = [f"**{escaped(words.why)}** {escaped(cut(best.why, _LINE))}".rstrip()]
        for pair in best.frames[:_PAIRS]:
            sides = [pair.pasted] if pair.pasted == pair.known else [pair.pasted, pair.known]
            rows.append("- " + " ↔ ".join(escaped(cut(" ".join(side.split()), FRAME)) for side in sides))
        parts.append("\n".join(rows))
    return parts


def _stated(one: CardMatch, message: AnswerCard, most: int) -> list[str]:
    return [
        f"**{escaped(name)}**  \n{prose(cut(said.strip(), most)) or escaped(message.words.none_stated)}"
        for name, said in one.parts(message.words)
    ]


def _size(made: Card) -> int:
    """Bytes in the longer of the two forms, both of which may be sent."""
    return len(_json(for_webhook(made)).encode()) + len(made.buttons) * 20


def _json(document: Mapping[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))
