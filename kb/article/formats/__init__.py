"""One module for each format an article comes in; here, which one it is. A further markup of plain text is a module and a row of `MARKUPS`."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from kb.article.blocks import Block, Document
from kb.article.formats.asciidoc import asciidoc, attributes
from kb.article.formats.markdown import markdown
from kb.article.formats.notebook import is_notebook, notebook
from kb.article.formats.plaintext import plaintext
from kb.article.formats.rst import fields, rst
from kb.article.formats.webpage import webpage
from kb.article.writeups.frontmatter import split
from kb.patterns import lazy

MARKDOWN = frozenset({"md", "markdown", "mdown", "mkd", "mdx"})
HTML = frozenset({"html", "htm", "xhtml", "shtml"})
"""What the names of documents end in. `ingest` opens files with these endings, too."""


@dataclass(frozen=True, slots=True)
class Markup:
    """A markup of plain text, which the name of a document tells."""

    endings: frozenset[str]
    blocks: Callable[[str, int], tuple[Block, ...]]
    """The blocks of a text from an offset on, where its front matter ends."""
    head: Callable[[str], Mapping[str, Any]]
    """What the first lines of a text state: author, date, tags."""


MARKUPS = (
    Markup(frozenset({"rst", "rest"}), rst, fields),
    Markup(frozenset({"adoc", "asciidoc", "asc"}), asciidoc, attributes),
)
TEXT = frozenset({"txt", "text", "log"}).union(*(markup.endings for markup in MARKUPS))
"""All that is neither a page nor Markdown."""

_PAGE = lazy(
    r"\s{0,400}(?:<\?xml[^>]{0,200}>\s{0,40})?(?:<!--.{0,2000}?-->\s{0,40})?<(?:!doctype html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
_MARKED = lazy(r"^(?:#{2,6} \S|```|~~~|\[[^\]\n]{1,200}\]\([^)\n]{1,500}\)|- \[)", re.MULTILINE)


def take_apart(text: str, name: str) -> Document:
    """The blocks of a document, by the format its first words show and its name says.

    A format that only its content shows (a notebook, a page) is recognised here, before the name; one that is no text by its bytes, in `packed`.
    """
    suffix = name.rsplit(".", 1)[-1].lower() if "." in name else ""
    if is_notebook(text) and (document := notebook(text)) is not None:
        return document
    if _PAGE.match(text) or (suffix in HTML and "<" in text[:4_000]):
        return webpage(text)
    meta, body = split(text)
    for markup in MARKUPS:
        if suffix in markup.endings:
            return Document(text, markup.blocks(text, body), None, {**markup.head(text), **meta})
    if suffix in MARKDOWN or meta or text.lstrip().startswith("# ") or _MARKED.search(text):
        return Document(text, markdown(text, body), None, meta)
    return plaintext(text)
