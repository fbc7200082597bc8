"""What somebody wrote, out of the content of a Feishu message.

Forms: https://open.feishu.cn/document/uAjLw4CM/ukTMukTMukTM/im-v1/message/events/message_content. A card comes as the
platform hands it to others (title and rows of elements), not as it was sent.
"""

import html
import re
from collections.abc import Collection

from api.chat.platform import RefusedRequest
from api.chat.shapes import Json, load, part, parts, text

ELEMENTS = 2_000
"""So many elements of one message are read."""
DEPTH = 4
"""How deep elements may lie in each other."""
ALL = "@_all"
"""Stands for everybody in the chat."""
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
    """The placeholders that stand for people and robots in the text: ``@_user_1``."""
    return frozenset({text(one, "key") for one in mentions} - {""})


def written(kind: str, content: Json, mentioned: Collection[str] = ()) -> str:
    """The text of a message of this kind (``text``, ``post``, ``interactive``), without its mentions; '' of any other."""
    if kind == "text":
        said = text(content, "text")
    elif kind == "post":
        body = _localised(content)
        said = _joined(text(body, "title"), _rows(body.get("content")))
    elif kind == "interactive":
        said = _joined(text(content, "title"), _rows(content.get("elements")))
    else:
        return ""
    return _MENTION.sub(lambda found: "" if found[0] in {*mentioned, ALL} else found[0], said).strip()


def _localised(content: Json) -> Json:
    """A rich text as it comes, or in the first of the languages it is wrapped in."""
    if "content" in content:
        return content
    return next((part(content, key) for key in content if "content" in part(content, key)), {})


def _joined(title: str, rows: list[str]) -> str:
    return "\n".join(row for row in (title, *rows) if row)


def _rows(rows: object) -> list[str]:
    """Each paragraph is a list of runs; in cards a row may be one element."""
    found: list[str] = []
    left = ELEMENTS
    for row in rows if isinstance(rows, list) else ():
        runs = row if isinstance(row, list) else [row]
        found.append("".join(_run(one, DEPTH) for one in runs[:left] if isinstance(one, dict)))
        left -= len(runs)
        if left <= 0:
            break
    return found


def _run(one: Json, depth: int) -> str:
    """One element; those that hold others (notes, columns) with what is in them."""
    tag = text(one, "tag")
    if tag == "code_block":
        return f"\n{text(one, 'text')}\n"
    if tag in _RUNS:
        said = text(one, "text") or text(one, "content")
        return html.unescape(said) if one.get("un_escape") is True else said
    if tag == "at":
        return "" if text(one, "user_id").startswith("@_") else f"@{text(one, 'user_name')}"
    if tag in {"hr", "br"}:
        return "\n"
    if depth == 0 or tag in _SILENT:
        return ""
    inner = [_run(each, depth - 1) for key in ("elements", "columns", "fields") for each in parts(one, key)[:ELEMENTS]]
    return "\n".join(filter(None, (_run({**part(one, "text")}, 0) if "text" in one else "", *inner)))
