"""Atlassian Document Format, the JSON that Jira's cloud writes texts in → blocks.

The format: https://developer.atlassian.com/cloud/jira/platform/apis/document/structure/
"""

from collections.abc import Iterator, Mapping

from kb.article.blocks import Block, BlockKind
from kb.tracker.fields import at, list_at, text_at
from kb.tracker.ticket import laid_out

_DEEPEST = 60
_KIND = {
    "blockquote": BlockKind.QUOTE,
    "listItem": BlockKind.ITEM,
    "taskItem": BlockKind.ITEM,
    "tableRow": BlockKind.TABLE,
}
_WORDS = frozenset(("paragraph", "heading", "codeBlock", "taskItem", "decisionItem", "tableRow"))
"""Nodes that are one block."""
_MARKS = {"code": "`", "strong": "**"}


def adf(document: object) -> tuple[Block, ...]:
    """The blocks of a document; none for anything that is no such document."""
    return laid_out(_pieces(document, BlockKind.PARAGRAPH, 0))


def is_adf(value: object) -> bool:
    """Whether a value is a document of this format."""
    return isinstance(value, Mapping) and value.get("type") == "doc" and isinstance(value.get("content"), list)


def _pieces(node: object, kind: BlockKind, depth: int) -> Iterator[tuple[BlockKind, int, str]]:
    if not isinstance(node, Mapping) or depth > _DEEPEST:
        return
    name = text_at(node, "type")
    kind = _KIND.get(name, kind)
    if name not in _WORDS:
        for child in list_at(node, "content"):
            yield from _pieces(child, kind, depth + 1)
    elif name == "codeBlock":
        yield BlockKind.CODE, 0, "".join(text_at(child, "text") for child in list_at(node, "content"))
    elif name == "heading":
        level = at(node, "attrs", "level")
        yield BlockKind.HEADING, level if isinstance(level, int) and 1 <= level <= 6 else 1, _words(node, depth).strip()
    else:
        yield kind, 0, _words(node, depth).strip()


def _words(node: object, depth: int) -> str:
    """The text below a node, with the marks of Markdown."""
    if not isinstance(node, Mapping) or depth > _DEEPEST:
        return ""
    name = text_at(node, "type")
    if name == "text":
        text = text_at(node, "text")
        for mark in list_at(node, "marks"):
            sign = _MARKS.get(text_at(mark, "type"), "")
            text = f"{sign}{text}{sign}" if text.strip() else text
        return text
    if name == "hardBreak":
        return "\n"
    if name in {"mention", "emoji", "date", "status", "inlineCard"}:
        return text_at(node, "attrs", "text") or text_at(node, "attrs", "url")
    inner = "".join(_words(child, depth + 1) for child in list_at(node, "content"))
    return f"{inner} " if name in {"tableCell", "tableHeader"} else inner
