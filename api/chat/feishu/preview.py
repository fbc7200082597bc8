"""Draws a card roughly as Feishu shows it, for `/dev/cards`: out of the very JSON that is sent, all of it escaped."""

import re
from html import escape
from typing import Any

from api.chat.shapes import Json, part, parts, text
from api.markdown import HtmlWriter, is_web_address

_COLOUR = re.compile("[a-z]{1,20}")
_WRITER = HtmlWriter()
_GREY = (("<font color='grey'>", "\ue000"), ("</font>", "\ue001"))
_DRAWN = (("\ue000", "<small>"), ("\ue001", "</small>"))
"""Tags of the card outlive the Markdown as signs that no text of it has."""
_SIGNS = re.compile("[\ue000\ue001]")


def html(payload: dict[str, Any]) -> str:
    """The card as markup; its classes are in ``cards.css``."""
    head, body = part(payload, "header"), part(payload, "body")
    return f'<div class="card-feishu">{_header(head)}{_elements(body)}</div>'


def _header(head: Json) -> str:
    colour = text(head, "template")
    tags = "".join(f'<span class="tag">{_plain(one)}</span>' for one in parts(head, "text_tag_list"))
    title = escape(text(part(head, "title"), "content"))
    about = escape(text(part(head, "subtitle"), "content"))
    kind = colour if _COLOUR.fullmatch(colour) else "blue"
    return f'<div class="feishu-header feishu-{kind}"><h3>{title}{tags}</h3>{f"<p>{about}</p>" if about else ""}</div>'


def _elements(holder: Json) -> str:
    return "".join(_element(one) for one in parts(holder, "elements"))


def _element(element: Json) -> str:
    match text(element, "tag"):
        case "markdown":
            return f'<div class="section">{_markdown(text(element, "content"))}</div>'
        case "div":
            return f'<div class="context">{_plain(element)}</div>'
        case "hr":
            return "<hr>"
        case "column_set":
            kind = "actions" if text(element, "flex_mode") == "flow" else "columns"
            inner = "".join(f"<div>{_elements(one)}</div>" for one in parts(element, "columns"))
            return f'<div class="{kind}">{inner}</div>'
        case "button":
            return _button(element)
        case kind:
            return f"<div>{escape(kind)}</div>"


def _button(button: Json) -> str:
    kind = "button primary" if text(button, "type") == "primary" else "button"
    address = next((text(one, "default_url") for one in parts(button, "behaviors") if "default_url" in one), "")
    if is_web_address(address):
        return f'<a class="{kind}" href="{escape(address)}" rel="noopener noreferrer">{_plain(button)}</a>'
    return f'<span class="{kind}">{_plain(button)}</span>'


def _plain(element: Json) -> str:
    return escape(text(part(element, "text"), "content"))


def _markdown(markup: str) -> str:
    """A line feed is a line's end there."""
    said = _SIGNS.sub("", markup)
    for tag, sign in _GREY:
        said = said.replace(tag, sign)
    drawn = str(_WRITER.html(said.replace("\n", "  \n")))
    for sign, tag in _DRAWN:
        drawn = drawn.replace(sign, tag)
    return drawn
