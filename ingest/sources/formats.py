"""What a document is written in, told by its name or asked for. What a file holds is told by its content, in `recognise`."""

from enum import StrEnum
from pathlib import PurePosixPath

from kb.article.formats import HTML, MARKDOWN, TEXT
from kb.tracker import Tracker


class DocumentFormat(StrEnum):
    """The forms of document that are read; ``auto`` tells them apart."""

    AUTO = "auto"
    MARKDOWN = "markdown"
    HTML = "html"
    TEXT = "text"
    JSONL = "jsonl"
    JIRA = "jira"
    GITHUB = "github"
    STACKEXCHANGE = "stackexchange"
    CONFLUENCE = "confluence"
    MBOX = "mbox"


SUFFIX = {DocumentFormat.MARKDOWN: ".md", DocumentFormat.HTML: ".html", DocumentFormat.TEXT: ".txt"}
"""The file name ending by which `kb.article` knows a form."""
TRACKER = {DocumentFormat(tracker.value): tracker for tracker in Tracker}
"""The forms whose documents are records of a tracker."""
DATA = frozenset((".csv", ".json", ".xml"))
"""Endings of files that may be an export; one that is none holds settings or figures, and no article."""

_BY_SUFFIX = {
    **{f".{suffix}": DocumentFormat.MARKDOWN for suffix in MARKDOWN},
    **{f".{suffix}": DocumentFormat.HTML for suffix in HTML},
    **{f".{suffix}": DocumentFormat.TEXT for suffix in TEXT},
    **dict.fromkeys((".jsonl", ".ndjson"), DocumentFormat.JSONL),
    **dict.fromkeys((".mbox", ".mbx", ".eml"), DocumentFormat.MBOX),
}
# What lies beside articles in every repository and wiki dump, and is none. Anything not named here or above is opened.
_NO_DOCUMENT = frozenset(
    f".{suffix}"
    for group in (
        "avi bmp gif ico jpeg jpg mov mp3 mp4 png svg tiff wav webm webp",  # pictures, sound
        "7z rar jar war whl bin class db dll exe o pyc so pptx xls xlsx",  # packed in other ways, binary
        "bat c cpp cs css go h java js kt mjs php py rb rs scala scss sh sql ts vue eot otf ttf woff woff2",  # code, fonts
        "conf ini lock map properties toml yaml yml",  # settings
    )
    for suffix in group.split()
)


def format_of(path: str, wanted: DocumentFormat) -> DocumentFormat | None:
    """The form of the document at ``path``: as asked, else by its name; AUTO when only its content can tell, None for none."""
    if wanted is not DocumentFormat.AUTO:
        return wanted
    suffix = suffix_of(path)
    if suffix in _NO_DOCUMENT:
        return None
    return _BY_SUFFIX.get(suffix, DocumentFormat.AUTO)


def suffix_of(path: str) -> str:
    """The ending of a name, in lower case, with its dot."""
    return PurePosixPath(path).suffix.lower()


def record_format(wanted: DocumentFormat) -> DocumentFormat:
    """The form of JSON records in a file: the tracker's that was asked for, else JSONL, which leaves it to their shape."""
    return wanted if wanted in TRACKER else DocumentFormat.JSONL
