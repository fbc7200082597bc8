"""Draws a message roughly as WeCom shows it, for `/dev/cards`: out of the very JSON that is sent, all of it escaped."""

import re
from html import escape
from typing import Any

from api.chat.shapes import Json, part, parts, text
from api.markdown import is_web_address

_PIECE = re.compile(
    r"```[^`\n]{0,40}\n(?P<block>[^`]{1,20000})```|"
    r"\[(?P<label>[^\[\]\n]{1,300})\]\((?P<url>[^()\s]{1,1000})\)|\*\*(?P<bold>[^*\n]{1,300})\*\*|`(?P<code>[^`\n]{1,400})`"
    r'|<font color="(?P<colour>[a-z]{1,10})">(?P<dim>[^<>]{1,100})</font>'
)


def html(payload: dict[str, Any]) -> str:
    """What a robot answers, then what an app sends, as markup; its classes are in ``cards.css``."""
    sent = [part(payload, "robot"), *parts(payload, "app")]
    return "".join(f'<div class="card-wecom">{_message(one)}</div>' for one in sent)


def _message(message: Json) -> str:
    if message.get("msgtype") == "template_card":
        return _card(part(message, "template_card"))
    return f'<div class="section">{_markdown(text(part(message, "markdown"), "content"))}</div>'


def _card(card: Json) -> str:
    title = part(card, "main_title")
    buttons = "".join(f'<span class="button">{escape(text(one, "text"))}</span>' for one in parts(card, "button_list"))
    return (
        f"<h3>{escape(text(title, 'title'))}</h3><p>{escape(text(title, 'desc'))}</p>"
        f'<div class="section">{escape(text(card, "sub_title_text"))}</div><div class="actions">{buttons}</div>'
    )


def _markdown(markup: str) -> str:
    drawn, at = [], 0
    for found in _PIECE.finditer(markup):
        drawn += [escape(markup[at : found.start()]), _piece(found)]
        at = found.end()
    return "".join([*drawn, escape(markup[at:])]).replace("\n", "<br>")


def _piece(found: re.Match[str]) -> str:
    if (url := found["url"]) is not None:
        label = escape(found["label"])
        return f'<a href="{escape(url)}" rel="noopener noreferrer">{label}</a>' if is_web_address(url) else label
    for name, tag in (("block", "pre"), ("bold", "b"), ("code", "code"), ("dim", "small")):
        if found[name] is not None:
            return f"<{tag}>{escape(found[name])}</{tag}>"
    return ""
