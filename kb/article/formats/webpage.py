"""HTML → blocks: the article of a page, without what surrounds it."""

import re
from collections.abc import Mapping
from itertools import accumulate, chain, islice
from operator import sub

from selectolax.lexbor import LexborHTMLParser

from kb.article.blocks import Block, Document, Kind, untagged
from kb.article.formats.mainbody import main_body
from kb.article.formats.pageblocks import pieces
from kb.article.formats.shown import shown

_HEADINGS = 12
"""Headings looked at for the title."""
_SPACE = re.compile(r"[ \t\n]+")
_LIMIT = 8_000_000
_DEEPEST = 2_000
"""Nesting above this is no page anybody wrote."""
_BLOCK_TAG = re.compile(
    r"<(/?)(?:div|a(?:ddress|rticle|side)|blockquote|center|d(?:etails|ialog|ir|l)|f(?:ieldset|igcaption|igure|ooter|orm)|h(?:eader|group)"
    r"|m(?:ain|enu)|nav|ol|pre|s(?:ection|ummary)|table|ul)\b",
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
        return _words(text, {})
    tree = LexborHTMLParser(text)
    meta = _meta(tree)
    title = _title(tree, meta)
    body = tree.body
    if body is None:
        return Document("", (), title, meta)
    return shown(pieces(main_body(body)), title, meta)


def fragment(text: str, meta: Mapping[str, object] | None = None) -> Document:
    """The blocks of HTML that is an article and nothing else."""
    text = text[:_LIMIT]
    if _depth(text) > _DEEPEST:
        return _words(text, meta or {})
    body = LexborHTMLParser(text).body
    return shown(pieces(body) if body is not None else (), None, meta or {})


def _words(text: str, meta: Mapping[str, object]) -> Document:
    """The words of HTML that is nested deeper than anybody writes it."""
    words = untagged(text).strip()
    return Document(words, (Block(Kind.PARAGRAPH, words, 0, len(words)),) if words else (), None, meta)


def _depth(text: str) -> int:
    """How deep the blocks of a page are nested: the parser's time grows with the square of it."""
    steps = list(accumulate(-1 if closing else 1 for closing in _BLOCK_TAG.findall(text)))
    lowest = accumulate(chain((0,), steps), min)  # a tag that closes nothing leaves the depth at 0
    return max(map(sub, steps, islice(lowest, 1, None)), default=0)


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
    title = _SPACE.sub(" ", str(stated)).strip()
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
