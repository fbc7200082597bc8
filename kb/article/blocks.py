"""Blocks: a document as a sequence of headings, paragraphs, list items, quotes, tables and code; and what a reader sees of a text."""

import html
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from kb.patterns import lazy

LINE = 7
"""The level of a line that stands for a heading, or may: below every heading of a document."""


MOST_COLUMNS = 3
"""Columns of a table that are told apart: two, and any further."""


class BlockKind(StrEnum):
    """What a block is."""

    HEADING = "heading"
    PARAGRAPH = "paragraph"
    ITEM = "item"
    QUOTE = "quote"
    TABLE = "table"
    CODE = "code"


@dataclass(frozen=True, slots=True)
class Block:
    """One block. ``text`` is as the author wrote it, without the markers of the block itself."""

    kind: BlockKind
    text: str
    start: int
    """Offsets into `Document.text`, of whole lines."""
    end: int
    level: int = 0
    """Of a heading, from 1; of the cell of a table its column, from 1 to `MOST_COLUMNS`; 0 where it is not known. `LINE` of words that name what stands below them: a term, a summary, a bold line of a page."""
    guessed: bool = False
    """Of code: no mark says that it is. It may begin in the words above it, or go on in those below."""


@dataclass(frozen=True, slots=True)
class Document:
    """A parsed document. ``text`` is what the offsets count in: the decoded text, or what a page shows of it."""

    text: str
    blocks: tuple[Block, ...]
    title: str | None = None
    meta: Mapping[str, object] = field(default_factory=dict)


_TAG = lazy(
    r"</?(?:a|abbr|acronym|article|aside|audio|b|big|blockquote|body|button|center|cite|code|dd|del|details|dfn|div|dl|dt"
    r"|em|embed|figcaption|figure|font|footer|form|h[1-6]|head|header|hr|html|i|iframe|img|ins|kbd|li|main|mark|nav|nobr"
    r"|ol|p|picture|pre|q|s|samp|script|section|small|span|strike|strong|style|sub|summary|sup|svg|table|tbody|td|tfoot"
    r"|th|thead|tr|tt|u|ul|video|wbr)(?=[\s/>])[^<>]{0,2000}>",
    re.IGNORECASE,
)
"""Tags of HTML elements. ``<value>``, ``<your-host>`` and ``List<String>`` are the author's words."""
_SPAN = lazy(r"(`[^`]{1,2000}+`)")
_BREAK = lazy(r"<br\s*/?>", re.IGNORECASE)
_IMAGE = lazy(r"!\[[^\[\]\n]{0,500}\]\([^()\n]{0,2000}\)|\{%[^%\n]{0,500}%\}|\{:[^{}\n]{0,200}\}|<!--\s*more\s*-->")
_LINK = lazy(r"\[([^\[\]\n]{0,500})\]\((?:[^()\n]|\([^()\n]{0,200}\)){0,2000}\)")
_AUTOLINK = lazy(r"<(https?://[^<>\s]{1,2000})>")
_EMPHASIS = lazy(r"\*\*|__(?=\S)|__(?<=\S__)|\*(?<!\w\*)(?=\S)|_(?<!\w_)(?=\S)|\*(?<=\S\*)(?!\w)|_(?<=\S_)(?!\w)|`|~~")
"""Every branch begins with its mark: then `re` skips from mark to mark, eight times as fast as looking behind at each character."""
_MARKED = lazy(r"[<&\[{\\*_`~]")
_ESCAPED = lazy(r"\\([!-/:-@\[-`{-~])")


def plain(text: str) -> str:
    """The words of a text, without inline Markdown: what a reader sees of it. Raw HTML was taken off with the blocks."""
    if not _MARKED.search(text):
        return text
    if "<" in text:
        text = _AUTOLINK.sub(r"\1", text)
    if "](" in text or "{" in text:
        text = _LINK.sub(r"\1", _IMAGE.sub(" ", text))
    if "\\" in text:
        text = _ESCAPED.sub(r"\1", text)
    return _EMPHASIS.sub("", text)


def untagged(text: str) -> str:
    """The text without HTML tags and comments, entities read, code spans as they are; line breaks become line ends.

    For raw HTML in Markdown, once: what a page shows, and plain text, hold no tags.
    """
    if "<" not in text and "&" not in text:
        return text
    pieces = _SPAN.split(_uncommented(text))
    pieces[::2] = [html.unescape(_TAG.sub("", _BREAK.sub("\n", piece))) for piece in pieces[::2]]
    return "".join(pieces)


def _uncommented(text: str) -> str:
    """The text without ``<!-- … -->``. A comment that nobody closed is text, and so is one in a code span."""
    parts: list[str] = []
    at = 0
    while (start := text.find("<!--", at)) >= 0 and (end := text.find("-->", start)) >= 0:
        quoted = text.count("`", at, start) % 2
        parts.append(text[at : end + 3 if quoted else start])
        at = end + 3
    return "".join((*parts, text[at:]))
