"""Reading articles: the bytes of a Markdown, HTML or plain-text document → the incidents a reader finds in it."""

from dataclasses import dataclass

from kb.article.decode import decode
from kb.article.formats import take_apart
from kb.article.reading import incident_of
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
