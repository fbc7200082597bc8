"""HTML → blocks: the article of a page, without what surrounds it."""

import re

from selectolax.lexbor import LexborHTMLParser, LexborNode

from kb.article.blocks import Block, Document, Kind, untagged
from kb.article.vocabulary import chrome

_HEADINGS = {f"h{n}": n for n in range(1, 7)}
_PARTS = frozenset(
    (
        "address",
        "article",
        "blockquote",
        "body",
        "center",
        "dd",
        "details",
        "dialog",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "header",
        "hgroup",
        "hr",
        "html",
        "li",
        "main",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
        "summary",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "ul",
    )
)
"""Elements that begin and end a block."""
_ENOUGH = 120
"""Characters a page element must show to be taken for the article."""
_NUMBERS = re.compile(r"[\s\d]*\Z")
_SPACE = re.compile(r"[ \t\n]+")
_LIMIT = 8_000_000
_DEEPEST = 2_000
"""Nesting above this is no page anybody wrote."""
_BLOCK_TAG = re.compile(
    r"<(/?)(?:address|article|aside|blockquote|center|details|dialog|dir|div|dl|fieldset|figcaption|figure|footer|form|header|hgroup|main|menu|nav|ol|pre|section|summary|table|ul)\b",
    re.IGNORECASE,
)
_META_KEYS = {
    "og:title": "title",
    "og:url": "url",
    "article:published_time": "date",
    "date": "date",
    "pubdate": "date",
    "article:tag": "tags",
    "keywords": "keywords",
    "og:site_name": "site",
}


def webpage(text: str) -> Document:
    """The article of a page: its blocks, with offsets into what the page shows, its title and what its head states."""
    text = text[:_LIMIT]
    if _depth(text) > _DEEPEST:
        words = untagged(text).strip()
        return Document(words, (Block(Kind.PARAGRAPH, words, 0, len(words)),), None, {})
    tree = LexborHTMLParser(text)
    meta = _meta(tree)
    title = _title(tree, meta)
    body = tree.body
    if body is None:
        return Document("", (), title, meta)
    for selector in chrome().drop:
        for node in body.css(selector):
            if node.parent is not None:
                node.decompose()
    shown: list[str] = []
    blocks: list[Block] = []
    at = 0
    for kind, level, words in _walk(_root(body)):
        blocks.append(Block(kind, words, at, at + len(words), level))
        shown.append(words)
        at += len(words) + 2
    return Document("\n\n".join(shown), tuple(blocks), title, meta)


def _depth(text: str) -> int:
    """How deep the blocks of a page are nested: the parser's time grows with the square of it."""
    depth = deepest = 0
    for tag in _BLOCK_TAG.finditer(text):
        depth = max(depth + (-1 if tag[1] else 1), 0)
        deepest = max(deepest, depth)
    return deepest


def _root(body: LexborNode) -> LexborNode:
    for selector in chrome().root:
        found = [node for node in body.css(selector) if len(node.text(strip=True)) >= _ENOUGH]
        if len(found) == 1:
            return found[0]
        if found:
            longest = max(found, key=lambda node: len(node.text(strip=True)))
            if len(longest.text(strip=True)) * 2 > len(body.text(strip=True)):
                return longest
    return body


def _meta(tree: LexborHTMLParser) -> dict[str, object]:
    found: dict[str, object] = {}
    tags: list[str] = []
    for node in tree.css("meta"):
        name = (node.attributes.get("property") or node.attributes.get("name") or "").lower()
        content = (node.attributes.get("content") or "").strip()
        key = _META_KEYS.get(name)
        if key == "tags" and content:
            tags.append(content)
        elif key and content:
            found.setdefault(key, content)
    if tags:
        found["tags"] = tags
    canonical = tree.css_first("link[rel=canonical]")
    if canonical is not None and canonical.attributes.get("href"):
        found["url"] = canonical.attributes["href"]
    when = tree.css_first("time[datetime]")
    if when is not None and when.attributes.get("datetime"):
        found.setdefault("date", when.attributes["datetime"])
    return found


def _title(tree: LexborHTMLParser, meta: dict[str, object]) -> str | None:
    stated = meta.get("title")
    if isinstance(stated, str):
        return _SPACE.sub(" ", stated).strip()
    for selector in ("h1.post-title", "h1.entry-title", "h1.article-title", "article h1", "title", "h1"):
        node = tree.css_first(selector)
        words = _SPACE.sub(" ", node.text()).strip() if node is not None else ""
        if words:
            return _without_site(words, meta.get("site")) if selector == "title" else words
    return None


def _without_site(title: str, site: object) -> str:
    """``The problem | My blog`` → ``The problem``: the last part names the site when it is short."""
    parts = re.split(r"\s+[|·–—_-]\s+", title)
    if len(parts) > 1 and (parts[-1] == site or len(parts[-1]) <= 24) and len(parts[0]) >= 4:
        return title[: title.rindex(parts[-1])].rstrip(" |·–—_-")
    return title


def _walk(root: LexborNode) -> list[tuple[Kind, int, str]]:
    """Kind, level and text of every block, in document order."""
    return _Walker().walk(root)


class _Walker:
    """Goes through a page with a stack of its own, since pages nest deeper than Python's."""

    def __init__(self) -> None:
        self.found: list[tuple[Kind, int, str]] = []
        self.words: list[str] = []
        self.context: list[tuple[Kind, int]] = [(Kind.PARAGRAPH, 0)]
        self.stack: list[LexborNode | None] = []
        """None stands for the end of the innermost part."""

    def walk(self, root: LexborNode) -> list[tuple[Kind, int, str]]:
        self.stack.append(root)
        while self.stack:
            node = self.stack.pop()
            if node is None:
                self._flush()
                self.context.pop()
            else:
                self._enter(node)
        self._flush()
        return self.found

    def _enter(self, node: LexborNode) -> None:
        tag = node.tag or ""
        if tag == "-text":
            self.words.append(node.text_content or "")
        elif tag == "br":
            self.words.append("\v")
        elif tag == "pre" or (tag == "code" and "\n" in (node.text() or "").strip()):
            self._flush()
            code = _code(node)
            if not _NUMBERS.match(code):
                self.found.append((Kind.CODE, 0, code))
        else:
            if tag in _PARTS or tag in _HEADINGS:
                self._flush()
                self.context.append(_context(tag, self.context[-1]))
                self.stack.append(None)
            if tag in {"td", "th"}:
                self.words.append(" ")
            self.stack.extend(reversed(list(node.iter(include_text=True))))

    def _flush(self) -> None:
        lines = (_SPACE.sub(" ", line).strip() for line in "".join(self.words).split("\v"))
        text = "\n".join(line for line in lines if line)
        self.words.clear()
        if text:
            self.found.append((*self.context[-1], text))


def _context(tag: str, outer: tuple[Kind, int]) -> tuple[Kind, int]:
    if tag in _HEADINGS:
        return Kind.HEADING, _HEADINGS[tag]
    named = {"li": Kind.ITEM, "blockquote": Kind.QUOTE, "td": Kind.TABLE, "th": Kind.TABLE}.get(tag)
    return (named, 0) if named else (outer[0] if outer[0] is not Kind.HEADING else Kind.PARAGRAPH, 0)


def _code(node: LexborNode) -> str:
    for line_break in node.css("br"):
        line_break.replace_with("\n")
    return node.text().strip("\n")
