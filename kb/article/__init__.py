"""Reading articles: the bytes of a Markdown, HTML or plain-text document → the incidents a reader finds in it."""

import re
from dataclasses import dataclass

from kb.article.blocks import Document, Kind, markdown
from kb.article.decode import decode
from kb.article.frontmatter import split
from kb.article.reading import incident_of
from kb.article.textual import Markup, textual
from kb.article.webpage import webpage
from kb.article.writeup import read_writeup
from kb.incident import Incident
from kb.language import detect

__all__ = ["Article", "read_article"]


@dataclass(frozen=True, slots=True)
class Article:
    """What was read of one document."""

    title: str
    lang: str
    incidents: tuple[Incident, ...]
    """The problems it tells of; empty when it holds no words at all."""
    notes: tuple[str, ...] = ()
    """What was odd about it, in words for the reader."""
    declined: bool = False
    """Its front matter says ``incident: false``: a guide or an index among write-ups."""


def read_article(data: bytes, name: str) -> Article:
    """Read a document of any format and encoding; ``name`` is its path relative to its source. Never raises."""
    decoded = decode(data)
    if not decoded.text.strip():
        notes = decoded.notes or ("the document has no words",)
        return Article(title=name, lang="en", incidents=(), notes=notes)
    written = read_writeup(decoded.text, name)
    if written is not None:
        return Article(written.title, written.lang, (written,), decoded.notes)
    document = take_apart(decoded.text, name)
    if document.meta.get("incident") in {False, "false"}:
        notes = (*decoded.notes, "its front matter says that it is no incident")
        return Article(name, detect(decoded.text), (), notes, declined=True)
    incident = incident_of(document, name)
    if incident is None:
        return Article(name, detect(decoded.text), (), (*decoded.notes, "the document has no words"))
    return Article(incident.title, incident.lang, (incident,), decoded.notes)


_PAGE = re.compile(
    r"\s{0,400}(?:<\?xml[^>]{0,200}>\s{0,40})?(?:<!--.{0,2000}?-->\s{0,40})?<(?:!doctype html|html|head|body)\b",
    re.IGNORECASE | re.DOTALL,
)
_MARKED = re.compile(r"^(?:#{2,6} \S|```|~~~|\[[^\]\n]{1,200}\]\([^)\n]{1,500}\)|- \[)", re.MULTILINE)
_SUFFIXES = {"rst": Markup.RST, "adoc": Markup.ADOC, "asciidoc": Markup.ADOC, "asc": Markup.ADOC}
_ADOC_META = re.compile(r"^:([\w-]{1,40}):[ \t]*(.*)$", re.MULTILINE)


def take_apart(text: str, name: str) -> Document:
    """The blocks of a document, by the format its first words show and its name says."""
    suffix = name.rsplit(".", 1)[-1].lower() if "." in name else ""
    if _PAGE.match(text) or (suffix in {"html", "htm", "xhtml"} and "<" in text[:4_000]):
        return webpage(text)
    meta, body = split(text)
    if suffix in _SUFFIXES:
        markup = _SUFFIXES[suffix]
        if markup is Markup.ADOC:
            meta = {**dict(_ADOC_META.findall(text[:4_000])), **meta}
        return Document(text, textual(text, markup, body), None, meta)
    if suffix in {"md", "markdown", "mdx"} or meta or text.lstrip().startswith("# ") or _MARKED.search(text):
        return Document(text, markdown(text, body), None, meta)
    return _copied_page(text)


def _copied_page(text: str) -> Document:
    """Plain text. Its first line is the title, or the heading below it where the name of the site is glued before."""
    blocks = textual(text, Markup.PLAIN)
    lines = [line.strip() for line in text.lstrip()[:4_000].split("\n")]
    if blocks[0].kind is Kind.CODE or len(lines[0]) > 200:
        return Document(text, blocks)
    again = next((line for line in lines[1:12] if len(line) >= 10 and lines[0].endswith(line)), None)
    return Document(text, blocks[1:] if again and blocks[0].text.strip() == lines[0] else blocks, again or lines[0])
