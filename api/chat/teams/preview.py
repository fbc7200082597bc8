"""Draws an Adaptive Card roughly as Teams shows it, for `/dev/cards`: out of the very JSON that is sent, all of it escaped."""

from html import escape
from typing import Any

from api.chat.shapes import Json, part, parts, text
from api.markdown import is_web_address


def html(payload: dict[str, Any]) -> str:
    """The card as markup; its classes are in ``cards.css``."""
    card = part(next(iter(parts(payload, "attachments")), {}), "content")
    body = "".join(_block(block) for block in parts(card, "body"))
    actions = "".join(_linked(text(one, "url"), escape(text(one, "title")), "button") for one in parts(card, "actions"))
    return f'<div class="card-teams">{body}<div class="actions">{actions}</div></div>'


def _block(block: Json) -> str:
    spaced = ' class="spaced"' if block.get("spacing") == "Medium" else ""
    return f"<div{spaced}>{''.join(_run(run) for run in parts(block, 'inlines'))}</div>"


def _run(run: Json) -> str:
    drawn = escape(text(run, "text"))
    tags = (
        ("code", run.get("fontType") == "Monospace"),
        ("b", run.get("weight") == "Bolder"),
        ("small", run.get("isSubtle") is True),
        ("big", run.get("size") == "Large"),
    )
    for tag, is_so in tags:
        drawn = f'<span class="{tag}">{drawn}</span>' if is_so else drawn
    return _linked(text(part(run, "selectAction"), "url"), drawn, "")


def _linked(url: str, drawn: str, kind: str) -> str:
    """A link where there is an address of the web to go to."""
    shape = f' class="{kind}"' if kind else ""
    if is_web_address(url):
        return f'<a{shape} href="{escape(url)}" rel="noopener noreferrer">{drawn}</a>'
    return f"<span{shape}>{drawn}</span>" if kind else drawn
