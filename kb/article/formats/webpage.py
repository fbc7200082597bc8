"""HTML → blocks: the article of a page, without what surrounds it."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import accumulate, chain, islice
from operator import sub

from selectolax.lexbor import LexborHTMLParser, LexborNode

from kb.article.blocks import Block, BlockKind, Document, untagged
from kb.article.formats.mainbody import drop, main_body, marked, without_furniture
from kb.article.formats.pageblocks import pieces
from kb.article.formats.shown import ShownBlock, shown
from kb.article.tickets import without_ticket
from kb.article.vocabulary import chrome
from kb.patterns import lazy

_MOST_POSTS = 2_000
"""Elements looked at: a page of a forum shows some tens of posts."""
_DEEPEST_POST = 6


def thread(body: LexborNode) -> list[ShownBlock]:
    """The pieces of a thread; none for a page that holds less than two posts. What surrounds them is left out.

    What was said before the solution stays with the question: under a heading of its own it draws the cause to it.
    """
    posts = _posts(body)
    if not posts or _are_comments(posts, body):
        return []
    replies = {node.mem_id for node in body.css(", ".join(chrome().reply))}
    solved = next((ids for selector in chrome().solved if (ids := {one.mem_id for one in body.css(selector)})), set())
    found: list[ShownBlock] = []
    ahead = any(post.mem_id in solved for post in posts)
    for at, post in enumerate(posts):
        if post.mem_id in solved:
            ahead = False
            found.append(ShownBlock(BlockKind.HEADING, 1, "Answer"))
        elif at == 0 and post.mem_id not in replies:
            found.append(ShownBlock(BlockKind.HEADING, 1, "Description"))
        elif not ahead:
            found.append(ShownBlock(BlockKind.HEADING, 1, "Discussion"))
        found += _below(post)
    return found


def _posts(body: LexborNode) -> list[LexborNode]:
    """The posts by the first selector of a forum that finds two, in document order, none within another."""
    if body.css_first(", ".join(chrome().post)) is None:
        return []
    for selector in chrome().post:
        found = {node.mem_id: node for node in body.css(selector)[:_MOST_POSTS]}
        outermost = (node for node in found.values() if not any(one.mem_id in found for one in _around(node, body)))
        posts = [node for node in outermost if node.text(strip=True)]
        if len(posts) >= 2:
            return posts
    return []


def _are_comments(posts: list[LexborNode], body: LexborNode) -> bool:
    """Whether the page marks an article that stands apart from all of them."""
    article = marked(body)
    if article is None:
        return False
    above = {one.mem_id for one in (article, *_around(article, body))}
    return not any(
        post.mem_id in above or any(one.mem_id == article.mem_id for one in _around(post, body)) for post in posts
    )


def _around(node: LexborNode, body: LexborNode) -> Iterator[LexborNode]:
    """The elements around an element, up to the body."""
    outer = node.parent
    while outer is not None and outer.mem_id != body.mem_id:
        yield outer
        outer = outer.parent


def _below(post: LexborNode) -> Iterator[ShownBlock]:
    """The pieces of a post, its headings one level down."""
    for piece in pieces(without_furniture(post)):
        yield replace(piece, level=min(piece.level + 1, _DEEPEST_POST)) if piece.level else piece


_HEADINGS = 12
"""Headings looked at for the title."""
_SPACE = lazy(r"[ \t\n]+")
_LIMIT = 8_000_000
_DEEPEST = 2_000
"""Nesting above this is no page anybody wrote."""
_BLOCK_TAG = lazy(
    r"<(/?)(?:div|a(?:ddress|rticle|side)|blockquote|center|d(?:etails|ialog|ir|l)|f(?:ieldset|igcaption|igure|ooter|orm)|h(?:eader|group)"
    r"|m(?:ain|enu)|nav|ol|pre|s(?:ection|ummary)|table|ul)\b",
    re.IGNORECASE,
)
_TAG = lazy(r"<(/?)[a-z]", re.IGNORECASE)
_MOST_COPIES = 2_000_000
"""Elements that a parser may make of formatting: 450 bytes each. Pages as they are found stay below a tenth of it."""
_FORMATTING = lazy(r"<(?:b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)(?=[\s/>])[^>]{0,200}", re.IGNORECASE)
_FORMATTING_TAG = lazy(
    r"</?(?:b|big|code|em|font|i|nobr|s|small|strike|strong|tt|u)(?:[\s/][^<>]{0,2000})?>", re.IGNORECASE
)
_SIMPLE = lazy(r"<\w+(?:[^<\"']|=\"[^<\"]*\"|='[^<']*')*")
"""A tag that is over where its text is: no ``<``, and no quotation mark left open."""
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
    tree = _parsed(text[:_LIMIT])
    if tree is None:
        return _words(text[:_LIMIT], {})
    meta = _meta(tree)
    title = _title(tree, meta)
    body = tree.body
    if body is None:
        return Document("", (), title, meta)
    drop(body)
    return shown(thread(body) or pieces(main_body(body)), title, meta)


def table_cells(table: str) -> list[ShownBlock]:
    """The cells of a table that holds data, each with its row; none where it holds none."""
    tree = _parsed(table)
    body = tree.body if tree is not None else None
    return [one for one in pieces(body) if one.row] if body is not None else []


def fragment(text: str, meta: Mapping[str, object] | None = None) -> Document:
    """The blocks of HTML that is an article and nothing else."""
    tree = _parsed(text[:_LIMIT])
    if tree is None:
        return _words(text[:_LIMIT], meta or {})
    body = tree.body
    return shown(pieces(body) if body is not None else (), None, meta or {})


def _parsed(text: str) -> LexborHTMLParser | None:
    """The tree of a page; None for one that would take the parser hours or the machine's memory."""
    if _depth(text, _BLOCK_TAG) > _DEEPEST:
        return None
    if _copies(text) > _MOST_COPIES:
        text = _FORMATTING_TAG.sub("", text)
        if _copies(text) > _MOST_COPIES:
            return None
    tree = LexborHTMLParser(text)
    opened = text.count("<") - text.count("</")
    return None if opened > _DEEPEST and _depth(text, _TAG) > _DEEPEST and _is_deep(tree) else tree


def _copies(text: str) -> int:
    """How many elements can come of formatting that nobody closed: the parser opens it again after every element that ends.

    Of equal ones it keeps three (HTML standard, 13.2.4.3, "the Noah's Ark clause").
    """
    tags = Counter(_FORMATTING.findall(text))
    kept = sum(min(count, 3) if _SIMPLE.fullmatch(tag) else count for tag, count in tags.items())
    return kept * text.count("<")


def _words(text: str, meta: Mapping[str, object]) -> Document:
    """The words of HTML that nobody writes."""
    words = untagged(text).strip()
    return Document(words, (Block(BlockKind.PARAGRAPH, words, 0, len(words)),) if words else (), None, meta)


def _depth(text: str, tag: re.Pattern[str]) -> int:
    """How deep tags are nested, as far as they need to be closed: of blocks the parser's time grows with the square of it."""
    steps = list(accumulate(-1 if closing else 1 for closing in tag.findall(text)))
    lowest = accumulate(chain((0,), steps), min)  # a tag that closes nothing leaves the depth at 0
    return max(map(sub, steps, islice(lowest, 1, None)), default=0)


def _is_deep(tree: LexborHTMLParser) -> bool:
    """Whether elements are nested so deep that a selector of two takes the square of it."""
    node, depth = tree.root, 0
    while node is not None and depth <= _DEEPEST:
        below = node.child
        while below is None and node is not None and node.next is None:
            node, depth = node.parent, depth - 1
        if below is not None:
            depth += 1
        node = below or (node.next if node is not None else None)
    return depth > _DEEPEST


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
    """What the page says its title is: the heading that this repeats, else without the name of the site."""
    head = tree.css_first("head title") or tree.css_first("title")
    stated = meta.get("title") or (head.text() if head is not None else "")
    title = without_ticket(_SPACE.sub(" ", str(stated)).strip())
    headings = [_SPACE.sub(" ", node.text()).strip() for node in tree.css("h1, h2")[:_HEADINGS]]
    repeated = [words for words in headings if len(words) >= 4 and title.startswith(words)]
    if title and not repeated:
        repeated = [words for words in headings if len(words) >= 12 and words in title]
    if repeated:
        return max(repeated, key=len)
    if title:
        return _without_site(title, meta.get("site"))
    return next(filter(None, headings), None)


def _without_site(title: str, site: object) -> str:
    """``The problem | My blog`` → ``The problem``: the last part names the site when it is short."""
    parts = re.split(r"\s+[|·–—_-]\s+", title)
    if len(parts) > 1 and (parts[-1] == site or len(parts[-1]) <= 24) and len(parts[0]) >= 4:
        return title[: title.rindex(parts[-1])].rstrip(" |·–—_-")
    return title
