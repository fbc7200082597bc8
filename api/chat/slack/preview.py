"""Draws a card roughly as Slack shows it, for `/dev/cards`: out of the very JSON that is sent, all of it escaped."""

import re
from html import escape
from typing import Any

from api.chat.shapes import Json, part, parts, text
from api.markdown import is_web_address

_ROW = re.compile(r"\n?```\n?(?P<code>.*?)\n?```\n?|`(?P<run>[^`\n]+)`|<(?P<link>[^<>\n]+)>", re.DOTALL)
_MARK = re.compile(r"(?<![\w*_~])([*_~])(?=\S)([^*_~\n]+)(?<=\S)\1(?![\w*_~])")
_KEPT = re.compile("\0([0-9]+)\0")
_TAGS = {"*": "b", "_": "i", "~": "s"}
_ESCAPED = (("&lt;", "<"), ("&gt;", ">"), ("&amp;", "&"))


def html(payload: dict[str, Any]) -> str:
    """The message as markup; its classes are in ``cards.css``."""
    drawn = "".join(_block(block) for block in parts(payload, "blocks"))
    return f'<div class="card-slack">{drawn}</div>'


def _block(block: Json) -> str:
    match text(block, "type"):
        case "header":
            return f"<h3>{escape(text(part(block, 'text'), 'text'))}</h3>"
        case "section":
            return f'<div class="section">{_mrkdwn(text(part(block, "text"), "text"))}</div>'
        case "context":
            said = "".join(f"<span>{_mrkdwn(text(one, 'text'))}</span>" for one in parts(block, "elements"))
            return f'<div class="context">{said}</div>'
        case "actions":
            return f'<div class="actions">{"".join(_button(one) for one in parts(block, "elements"))}</div>'
        case kind:
            return f"<div>{escape(str(kind))}</div>"


def _button(button: Json) -> str:
    name, url = escape(text(part(button, "text"), "text")), text(button, "url")
    kind = "button primary" if text(button, "style") == "primary" else "button"
    if url and is_web_address(url):
        return f'<a class="{kind}" href="{escape(url)}" rel="noopener noreferrer">{name}</a>'
    return f'<span class="{kind}">{name}</span>'


def _mrkdwn(markup: str) -> str:
    """Slack's markup as markup of the web."""
    drawn: list[str] = []

    def kept(found: re.Match[str]) -> str:
        if (code := found["code"]) is not None:
            drawn.append(f"<pre>{_text(code)}</pre>")
        elif (run := found["run"]) is not None:
            drawn.append(f"<code>{_text(run)}</code>")
        else:
            drawn.append(_link(found["link"]))
        return f"\0{len(drawn) - 1}\0"  # no text has this character: `shapes.text`

    marked = _MARK.sub(
        lambda found: f"<{_TAGS[found[1]]}>{found[2]}</{_TAGS[found[1]]}>", _text(_ROW.sub(kept, markup))
    )
    return _KEPT.sub(lambda found: drawn[int(found[1])], marked.replace("\n", "<br>"))


def _link(inside: str) -> str:
    address, _, label = inside.partition("|")
    url = _plain(address)
    if not is_web_address(url):  # a mention: none of ours, so that it would show
        return f'<mark class="ping">{escape(inside)}</mark>'
    return f'<a href="{escape(url)}" rel="noopener noreferrer">{_text(label or address)}</a>'


def _plain(markup: str) -> str:
    for written, meant in _ESCAPED:
        markup = markup.replace(written, meant)
    return markup


def _text(markup: str) -> str:
    return escape(_plain(markup), quote=False)
