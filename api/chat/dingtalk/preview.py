"""Draws a message roughly as DingTalk shows it, for `/dev/cards`: out of the very JSON that is sent, all of it escaped."""

from html import escape
from typing import Any
from urllib.parse import parse_qs, urlsplit

from api.chat.shapes import Json, part, parts, text
from api.markdown import HtmlWriter, is_web_address

_WRITER = HtmlWriter()


def html(payload: dict[str, Any]) -> str:
    """The message as markup; its classes are in ``cards.css``."""
    said = part(payload, text(payload, "msgtype"))
    buttons = "".join(_button(one) for one in parts(said, "btns"))
    row = f'<div class="dingtalk-buttons">{buttons}</div>' if buttons else ""
    return f'<div class="card-dingtalk">{_WRITER.html(text(said, "text"))}{row}</div>'


def _button(button: Json) -> str:
    """Where it leads in a browser."""
    name, address = escape(text(button, "title")), _web(text(button, "actionURL"))
    if is_web_address(address):
        return f'<a class="button" href="{escape(address)}" rel="noopener noreferrer">{name}</a>'
    return f'<span class="button">{name}</span>'


def _web(address: str) -> str:
    try:
        return parse_qs(urlsplit(address).query, max_num_fields=9).get("url", [""])[0]
    except ValueError:
        return ""
