"""How documents and their problems are called: titles, ids, addresses."""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import PurePosixPath

from kb.article.blocks import Document, Kind, plain
from kb.article.formats.linewise import MACHINE
from kb.article.frontmatter import text_of
from kb.article.parts import Part
from kb.article.problems import bare, heading
from kb.article.traces import Found
from kb.article.vocabulary import heading_roles
from kb.record import short_hash, slug

_LONGEST = 200
_SECTION = 12
"""Characters of the name of a section."""
_LINE = 120
"""Characters of a line that may be a title."""
_GOES_ON = "。.:：;；,，"
_NO_TITLE = ("#", "http://", "https://")
"""How lines of tags and of addresses begin."""
_HAN = re.compile(r"[\u3400-\u9fff]")
_URL_KEYS = ("url", "link", "source_url", "original_url", "canonical_url", "source", "origin", "from", "permalink")
_SOURCE_LINE = re.compile(
    r"(?:原文(?:链接|地址)?|本文(?:链接|地址)|转载自|转自|来源|original(?: post| article)?|source|originally published at)\W{0,8}?(https?://[^\s)>\]\"'，。]{4,500})",
    re.IGNORECASE,
)
_EXPLICIT = re.compile(r"\{#([\w.:-]{1,120})[^{}\n]{0,200}\}?\s*\Z")
_NO_ANCHOR = re.compile(r"[^\w\- ]")


def document_id(document: Document, name: str) -> str:
    """The id a document states, else one that is readable, and unique by the hash of its path."""
    return text_of(document.meta, "id") or f"{slug(PurePosixPath(name).stem)}-{short_hash(name)}"


def title_of(document: Document, found: tuple[Found, ...], name: str) -> str:
    """The title: stated, else the first heading that is one, else the name of the file where it is words.

    Else a line that the document begins with, the head of the first trace that names an exception, the first words, the name.
    """
    stated = text_of(document.meta, "title") or document.title
    if stated:
        return plain(stated).strip() or stated
    headings = [block for block in document.blocks if block.kind is Kind.HEADING and plain(block.text).strip()]
    top = min((block.level for block in headings), default=0)
    for block in headings:
        words = " ".join(plain(block.text).split())
        if (
            block.level == top
            and not (block is not headings[0] and block.level > 1)
            and (block.level == 1 or not heading_roles(words))
        ):
            return words[:300]
    stem = PurePosixPath(name).stem
    if re.search(r"[\u4e00-\u9fff]{2}", stem) or len(re.findall(r"[A-Za-z]{2,}", stem)) >= 3:
        return " ".join(re.split(r"[\s_]+|(?<=\w)-(?=\w)", stem))
    return _unmarked(document, found) or PurePosixPath(name).stem or name or "untitled"


def _unmarked(document: Document, found: tuple[Found, ...]) -> str | None:
    """The title of a document that marks none."""
    first = document.blocks[0] if document.blocks else None
    if first is not None and first.kind is Kind.PARAGRAPH and _is_title(words := plain(first.text).strip()):
        return words
    for one in found:
        if one.chain.exceptions[0].type is not None:  # else it begins with a frame
            return one.text.strip().split("\n", 1)[0].strip()[:200]
    for block in document.blocks:
        words = " ".join(plain(block.text).split())
        if words and block.kind is not Kind.CODE and not (block.kind is Kind.HEADING and heading_roles(words)):
            return words[:120]
    return None


def _is_title(words: str) -> bool:
    """Whether words are one short line that neither ends like a sentence nor is a machine's: a title that nothing marks."""
    is_line = bool(words) and "\n" not in words and len(words) <= _LINE
    return is_line and words[-1] not in _GOES_ON and not words.startswith(_NO_TITLE) and MACHINE.match(words) is None


def address(document: Document, name: str) -> str:
    """The address a document states, else its name."""
    stated = text_of(document.meta, *_URL_KEYS)
    if stated and stated.startswith(("http://", "https://")):
        return stated
    for block in (*document.blocks[:6], *document.blocks[-6:]):
        if block.kind is not Kind.CODE and (found := _SOURCE_LINE.search(block.text[:2_000])):
            return found[1]
    return name


def part_title(part: Part, found: Sequence[Found], page: str) -> str:
    """A problem's title: its heading, with the head of its trace where the heading says nothing, and the page's title."""
    words = " ".join(plain(part.heading).split())
    if not words or _says_nothing(words):
        told = (
            found[0].text.strip() if found else next((one.text for one in part.blocks if one.kind is not Kind.CODE), "")
        )
        head = " ".join(plain(told.strip().split("\n", 1)[0]).split())
        words = ": ".join(filter(None, (words, head)))
    page = bare(page) or page
    words = words[:_LONGEST] or page
    return words if page in words or words in page else f"{words} — {page}"


def _says_nothing(words: str) -> bool:
    """Whether a heading is only a number or the name of a section."""
    if len(words) < (2 if _HAN.search(words) else 4):
        return True
    return len(words) <= _SECTION and bool(heading_roles(words)) and not heading(words).specific


def part_ids(base: str, parts: Sequence[Part], titles: Sequence[str]) -> list[str]:
    """The ids of a document's problems, distinct. Each is made of its own heading: a problem that is added changes no other's.

    Where headings are equal or say nothing, the title made of the trace tells them apart, then their text, then their order.
    """
    told = zip(parts, titles, strict=True)
    keys = [title if _says_nothing(part.heading) else part.heading for part, title in told]
    texts = ["\n".join(block.text for block in part.blocks) for part in parts]
    for more in (titles, texts, [str(at) for at in range(len(parts))]):
        counts = Counter(map(_short, keys))
        keys = [f"{key}\n{other}" if counts[_short(key)] > 1 else key for key, other in zip(keys, more, strict=True)]
    return [f"{base}-{_short(key)}" for key in keys]


def _short(key: str) -> str:
    """A slug of the first line; with a hash of the key where that is not all of it."""
    first, *more = key.split("\n", 1)
    short = slug(first)
    whole = sum(map(str.isalnum, first)) <= sum(map(str.isalnum, short))
    return short if whole and not more else f"{short}-{short_hash(key)}"


def part_address(url: str, part: Part) -> str:
    """The address of a problem: that of its page with the anchor of its heading, stated or as GitHub makes it."""
    stated = _EXPLICIT.search(part.anchor)
    anchor = (
        stated[1] if stated else _NO_ANCHOR.sub("", plain(part.anchor).strip().lower()).replace(" ", "-")[:_LONGEST]
    )
    return f"{url}#{anchor}" if anchor.strip("-") and "#" not in url else url
