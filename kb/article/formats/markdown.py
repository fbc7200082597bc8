"""Markdown → blocks."""

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import accumulate, pairwise

from markdown_it import MarkdownIt
from markdown_it.token import Token

from kb.article.blocks import LINE, MOST_COLUMNS, Block, BlockKind, plain, untagged
from kb.article.formats.flavours import in_plain_markdown
from kb.article.formats.webpage import table_cells
from kb.patterns import lazy

_MARKDOWN_LIMIT = 2_000_000
"""Characters: a longer text is a log somebody named .md, and is not worth a grammar."""
_HTML_HEADING = lazy(r"<h([1-6])\b[^<>]{0,500}>(.{0,500}?)</h\1\s*>", re.IGNORECASE | re.DOTALL)
_PRE = lazy(r"<pre\b[^<>]{0,500}>(.*?)(?:</pre\s*>|\Z)", re.IGNORECASE | re.DOTALL)
_ROW = lazy(r"<tr\b", re.IGNORECASE)
_HTML_BLOCK_END = lazy(r"</(?:p|li|div|tr|h[1-6]|ul|ol|table|blockquote|dd|dt|summary)\s*>|<br\s*/?>", re.IGNORECASE)
_FENCE = lazy(r"[ \t]{0,12}(`{3,}|~{3,})")


@lru_cache(maxsize=1)
def _grammar() -> MarkdownIt:
    """Block structure only: the inline text stays as it is written, and parsing costs a fifth."""
    grammar = MarkdownIt("commonmark", {"maxNesting": 30}).enable("table")
    grammar.core.ruler.enableOnly(["normalize", "block"])
    return grammar


def markdown(text: str, body: int = 0) -> tuple[Block, ...]:
    """The blocks of a Markdown text from offset ``body`` on."""
    if len(text) > _MARKDOWN_LIMIT:
        return (Block(BlockKind.CODE, text[body:], body, len(text)),)
    return tuple(_markdown(text, body, attempts=4))


def _markdown(text: str, body: int, attempts: int) -> Iterator[Block]:
    source = text[body:]
    starts = list(accumulate((len(line) + 1 for line in source.split("\n")), initial=body))
    starts[-1] = len(text)
    last = len(starts) - 1
    tokens = _grammar().parse(in_plain_markdown(source))
    inside: list[BlockKind] = []
    column = 0
    for at, token in enumerate(tokens):
        opened = tokens[at - 1].map if token.type == "inline" else None  # a heading with its underline; cells have none
        first, stop = opened or token.map or (0, 0)
        start, end = starts[min(first, last)], starts[min(stop, last)]
        column = 0 if token.type == "tr_open" else column + (token.type in _CELLS)
        if token.type in _CONTAINERS:
            inside.append(_CONTAINERS[token.type])
        elif token.type in _CLOSINGS:
            inside.pop()
        elif token.type == "fence":
            rest = _unclosed(text[start:end], token.markup) if attempts else None
            if rest is not None:
                yield Block(BlockKind.CODE, text[start : start + rest].partition("\n")[2], start, start + rest)
                yield from _markdown(text, start + rest, attempts - 1)
                return
            yield Block(BlockKind.CODE, token.content, start, end)
        else:
            yield from _leaf(token, tokens[at - 1], inside, (start, end), min(column, MOST_COLUMNS))


def _leaf(
    token: Token, opening: Token, inside: list[BlockKind], place: tuple[int, int], column: int
) -> Iterator[Block]:
    """The block of a token that holds text."""
    if token.type == "code_block":
        yield Block(BlockKind.CODE, token.content, *place)
    elif token.type == "html_block":
        yield from _html_block(token.content, *place)
    elif token.type == "inline" and opening.type == "heading_open":
        yield Block(BlockKind.HEADING, untagged(token.content), *place, int(opening.tag[1:]))
    elif token.type == "inline":
        level = column if opening.type in _CELLS else 0
        yield Block(inside[-1] if inside else BlockKind.PARAGRAPH, untagged(token.content), *place, level)


_CONTAINERS = {"list_item_open": BlockKind.ITEM, "blockquote_open": BlockKind.QUOTE, "table_open": BlockKind.TABLE}
_CELLS = frozenset(("td_open", "th_open"))
_CLOSINGS = frozenset(opening.replace("_open", "_close") for opening in _CONTAINERS)


def _unclosed(block: str, markup: str) -> int | None:
    """Where a fence that nobody closed should have ended: before the first heading or Chinese sentence after a blank line.

    None for a closed fence, and for one that holds nothing but code.
    """
    lines = block.splitlines(keepends=True)
    closing = lines[-1].strip().lstrip("> ") if len(lines) > 1 else ""
    if len(closing) >= len(markup) and not closing.strip(markup[0]):
        return None
    at = len(lines[0])
    for before, line in pairwise(lines):
        if not before.strip() and (re.match(r"#{1,6} \S|\S{0,60}[\u4e00-\u9fff].{0,400}[。：，]", line)):
            return at
        at += len(line)
    return None


def _html_block(content: str, start: int, end: int) -> Iterator[Block]:
    """Raw HTML in Markdown: its tables, its headings, its ``pre``, and the words of the rest."""
    at = 0
    for table, rows in _html_tables(content, start, end):
        yield from _html_marked(content[at : table.start], start, end)
        yield from rows
        at = table.stop
    yield from _html_marked(content[at:], start, end)


def _html_tables(content: str, start: int, end: int) -> Iterator[tuple[slice, list[Block]]]:
    """The tables of data in a piece of raw HTML of one place: where in the piece, and their cells, each at its row."""
    lower, at = content.lower(), 0
    while (first := lower.find("<table", at)) >= 0 and (close := lower.find("</table", first)) >= 0:
        last = lower.find(">", close) + 1 or len(content)
        at = last
        cells = table_cells(content[first:last])
        rows = [start + first + found.start() for found in _ROW.finditer(content, first, last)]
        stops = [*rows[1:], start + last]
        if cells and cells[-1].row == len(rows) and stops[-1] <= end:
            blocks = [Block(one.kind, one.text, rows[one.row - 1], stops[one.row - 1], one.level) for one in cells]
            yield slice(first, last), blocks


def _html_marked(content: str, start: int, end: int) -> Iterator[Block]:
    """The headings, the ``pre`` and the words of a piece of raw HTML."""
    at = 0
    marks = sorted([*_HTML_HEADING.finditer(content), *_PRE.finditer(content)], key=lambda m: m.start())
    for mark in marks:
        if mark.start() < at:
            continue
        yield from _html_words(content[at : mark.start()], start, end)
        if mark.re.pattern == _PRE.pattern:
            yield Block(BlockKind.CODE, untagged(mark[1]), start, end)
        else:
            yield Block(BlockKind.HEADING, plain(untagged(mark[2])).strip(), start, end, int(mark[1]))
        at = mark.end()
    yield from _html_words(content[at:], start, end)


def _html_words(content: str, start: int, end: int) -> Iterator[Block]:
    for piece in _HTML_BLOCK_END.split(content):
        text = untagged(piece).strip()
        if text:
            tags = piece.lower()
            level = LINE if "<summary" in tags or "<dt" in tags else 0
            yield Block(BlockKind.ITEM if "<li" in tags else BlockKind.PARAGRAPH, text, start, end, level)
