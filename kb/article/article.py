"""One document: its bytes in any format → the incidents a reader finds in it."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from kb.article.blocks import Document
from kb.article.declining import Declined
from kb.article.decode import decode
from kb.article.formats import take_apart
from kb.article.formats.packed import unpacked
from kb.article.reading import incidents_of
from kb.article.writeups.writeup import read_writeup
from kb.incident import Incident
from kb.language import detect


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
    stating_none: Mapping[str, Declined] = field(default_factory=dict)
    """Which of the incidents state no problem, and what they are instead, by id: a manual, a list of links. The reader decides."""
    binary: bool = False
    """It is no text, or none that could be got out of it; the notes say why."""
    written: bool = False
    """It is a write-up in the format of ``corpus/``: its incident holds what it states and nothing that its words name."""
    text: str = field(default="", repr=False)
    """What offsets into the document count in: the decoded text, or what a page, a notebook, a PDF shows. As it came, with
    whatever secrets it holds: not to be stored, logged or shown."""


def read_article(data: bytes, name: str) -> Article:
    """Read a document of any format and encoding; ``name`` is its path relative to its source. Never raises."""
    held = unpacked(data)
    if held is not None:
        if held.document is None:
            return Article(name, "en", (), held.notes, binary=True)
        return _article_of(held.document, name, held.notes)
    decoded = decode(data)
    if not decoded.text.strip():
        return Article(name, "en", (), decoded.notes or (_WORDLESS,), binary=decoded.binary)
    written = read_writeup(decoded.text, name)
    if written is not None:
        return Article(written.title, written.lang, (written,), decoded.notes, written=True, text=decoded.text)
    return _article_of(take_apart(decoded.text, name), name, decoded.notes)


_WORDLESS = "the document has no words"


def _article_of(document: Document, name: str, notes: tuple[str, ...]) -> Article:
    """The article of a parsed document."""
    text = document.text
    if document.meta.get("incident") in {False, "false"}:
        notes = (*notes, "its front matter says that it is no incident")
        return Article(name, detect(text), (), notes, declined=True, text=text)
    read = incidents_of(document, name)
    if not read.incidents:
        return Article(name, read.lang, (), (*notes, _WORDLESS), text=text)
    return Article(read.title, read.lang, read.incidents, notes, stating_none=read.declined, text=text)
