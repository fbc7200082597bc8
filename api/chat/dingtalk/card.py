"""Draw an answer as a DingTalk message: an action card with links for buttons, or Markdown where there are no links.

https://open.dingtalk.com/document/development/robot-message-type. Buttons of these cards cannot call a robot
back, so a vote opens a page. Nobody is mentioned.
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from api.chat.message import FRAME, OTHERS, TITLE, AnswerCard, CardMatch, cut, cut_bytes, first_that_fits

BYTES = 14_000
"""Most bytes of title, text and buttons as JSON; the API accepts 15,000."""
_PAIRS = 4
_NOTES = 4
_LINE = 300
_BUTTONS = 4
_NOBODY = {"isAtAll": False, "atMobiles": [], "atUserIds": []}

Button = tuple[str, str]
"""Label and address."""


@dataclass(frozen=True, slots=True)
class Card:
    """The content of a message, before it takes the form of a webhook or of the API."""

    title: str
    """Plain text: in lists of chats and in notifications."""
    text: str
    """Markdown."""
    buttons: tuple[Button, ...]


def card(message: AnswerCard) -> dict[str, Any]:
    """Return the message for the reply address of a question: within the size limit, without mentions."""
    return for_webhook(composed(message))


def composed(message: AnswerCard) -> Card:
    """Return the content of a message, in neither form yet."""
    buttons, title = _buttons(message), cut(" ".join(message.summary.split()).replace("@", "@\u200b"), 80)
    card_drawn = first_that_fits(
        lambda most: Card(title, _text(message, most), buttons), lambda card: _size(card) <= BYTES
    )
    if _size(card_drawn) <= BYTES:
        return card_drawn
    room = max(0, BYTES - _size(Card(title, "", buttons)))
    return Card(title, cut_bytes(card_drawn.text, room // 2), buttons)


def for_webhook(card: Card) -> dict[str, Any]:
    """Return the form for the reply address of a question and for custom robots."""
    if not card.buttons:
        return {"msgtype": "markdown", "markdown": {"title": card.title, "text": card.text}, "at": _NOBODY}
    rows = [{"title": label, "actionURL": in_browser(address)} for label, address in card.buttons]
    body = {"title": card.title, "text": card.text, "btnOrientation": "0", "btns": rows}
    return {"msgtype": "actionCard", "actionCard": body, "at": _NOBODY}


def for_api(card: Card) -> dict[str, str]:
    """Return the form for the API: a template and its parameters, as JSON within JSON."""
    filled = {"title": card.title, "text": card.text}
    if not card.buttons:
        return {"msgKey": "sampleMarkdown", "msgParam": _json(filled)}
    if len(card.buttons) == 1:
        (label, address), *_ = card.buttons
        filled |= {"singleTitle": label, "singleURL": in_browser(address)}
        return {"msgKey": "sampleActionCard", "msgParam": _json(filled)}
    for number, (label, address) in enumerate(card.buttons, 1):
        filled |= {f"actionTitle{number}": label, f"actionURL{number}": in_browser(address)}
    return {"msgKey": f"sampleActionCard{len(card.buttons)}", "msgParam": _json(filled)}


def _buttons(message: AnswerCard) -> tuple[Button, ...]:
    words, best, row = message.words, message.best, []
    if best is not None and message.opinion is not None:
        vote_url = f"{message.opinion}{'&' if '?' in message.opinion else '?'}place={best.place}&vote="
        row += [(words.this_was_it, f"{vote_url}yes"), (words.this_was_not, f"{vote_url}no")]
    return tuple((cut(label, 40), address) for label, address in (*row, *message.links)[:_BUTTONS])


def _text(message: AnswerCard, most: int) -> str:
    words = message.words
    parts = [f"#### {escaped(cut(message.headline, TITLE))}"]
    if message.about:
        parts.append(f"**{escaped(cut(message.about, TITLE))}**")
    parts.append(escaped(cut(message.text, _LINE)))
    if message.best is not None:
        parts += _best(message.best, message, most)
    for at, one in enumerate(message.causes[:OTHERS]):
        head = f"**{escaped(words.causes)}**\n\n" if not at else ""
        parts += [f"{head}**{link(cut(one.title, TITLE), one.link)}**{_facts(one)}", *_stated(one, message, most)]
    for name, matches in message.lists:
        rows = [f"- {link(cut(one.title, TITLE), one.link)}{_facts(one)}" for one in matches]
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
        rows += ["- " + " ↔ ".join(map(_frame, pair.sides)) for pair in best.frames[:_PAIRS]]
        parts.append("\n".join(rows))
    return parts


def _facts(one: CardMatch) -> str:
    """How likely a further match is, and its component, behind its title."""
    return f" ({escaped(cut(' '.join(one.facts.split()), TITLE))})" if one.facts else ""


def _frame(frame: str) -> str:
    return escaped(cut(" ".join(frame.split()), FRAME))


def _stated(one: CardMatch, message: AnswerCard, most: int) -> list[str]:
    return [
        f"**{escaped(name)}**  \n{prose(cut(text.strip(), most)) or escaped(message.words.none_stated)}"
        for name, text in one.parts(message.words)
    ]


def _size(card: Card) -> int:
    """Bytes of the longer form; either may be sent."""
    return len(_json(for_webhook(card)).encode()) + len(card.buttons) * 20


def _json(document: Mapping[str, Any]) -> str:
    return json.dumps(document, ensure_ascii=False, separators=(",", ":"))


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
    at, bare = 0, _INDENT.sub(lambda match: "\u00a0" * len(match[0].expandtabs(4)), _FENCES.sub("", text).strip())
    for match in _BOLD.finditer(bare):
        pieces += (escaped(bare[at : match.start()]), f"**{escaped(match[1])}**")
        at = match.end()
    return "".join((*pieces, escaped(bare[at:])))


def link(label: str, address: str | None) -> str:
    """``label`` as a link that opens in a browser; bare where there is no address of the web."""
    if address is None or not address.startswith(("https://", "http://")):
        return escaped(label)
    return f"[{escaped(' '.join(label.split()))}]({_ADDRESS.sub(lambda match: f'%{ord(match[0]):02X}', address)})"


def in_browser(address: str) -> str:
    """The address of a button: on a computer the browser opens, not the side bar of the client.

    https://open.dingtalk.com/document/development/message-link-description
    """
    return f"dingtalk://dingtalkclient/page/link?url={quote(address, safe='')}&pc_slide=false"


def _reference(match: re.Match[str]) -> str:
    markup = match[0]
    if markup == "@":
        return "@\u200b"
    blanks = len(markup) - len(markup.lstrip(" \t"))
    return markup[:blanks] + "".join(f"&#{ord(sign)};" for sign in markup[blanks:])
