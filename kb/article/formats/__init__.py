"""One module for each format an article comes in; here, which one it is."""

import re

from kb.article.blocks import Document
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
RST = frozenset({"rst", "rest"})
ASCIIDOC = frozenset({"adoc", "asciidoc", "asc"})
"""What the names of documents end in. `ingest` opens files with these endings, too."""
TEXT = frozenset({"txt", "text", "log"}) | RST | ASCIIDOC
"""All that is neither a page nor Markdown."""

_PAGE = lazy(
    r"\s{0,400}(?:<\?xml[^>]{0,200}>\s{0,40})?(?:<!--.{0,2000}?-->\s{0,40})?<(?:!doctype html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
_MARKED = lazy(r"^(?:#{2,6} \S|```|~~~|\[[^\]\n]{1,200}\]\([^)\n]{1,500}\)|- \[)", re.MULTILINE)


def take_apart(text: str, name: str) -> Document:
    """The blocks of a document, by the format its first words show and its name says."""
    suffix = name.rsplit(".", 1)[-1].lower() if "." in name else ""
    if is_notebook(text) and (document := notebook(text)) is not None:
        return document
    if _PAGE.match(text) or (suffix in HTML and "<" in text[:4_000]):
        return webpage(text)
    meta, body = split(text)
    if suffix in RST:
        return Document(text, rst(text, body), None, {**fields(text), **meta})
    if suffix in ASCIIDOC:
        return Document(text, asciidoc(text, body), None, {**attributes(text), **meta})
    if suffix in MARKDOWN or meta or text.lstrip().startswith("# ") or _MARKED.search(text):
        return Document(text, markdown(text, body), None, meta)
    return plaintext(text)
