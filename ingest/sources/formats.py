"""What a document is written in, told by its name. Its content is looked at later, where it is read."""

from enum import StrEnum
from pathlib import PurePosixPath


class Format(StrEnum):
    """The forms of document that are read; ``auto`` tells them apart."""

    AUTO = "auto"
    MARKDOWN = "markdown"
    HTML = "html"
    TEXT = "text"
    JSONL = "jsonl"


SUFFIX = {Format.MARKDOWN: ".md", Format.HTML: ".html", Format.TEXT: ".txt"}
"""The file name ending by which `kb.article` knows a form."""

_BY_SUFFIX = {
    **dict.fromkeys((".md", ".markdown", ".mdown", ".mkd", ".mdx"), Format.MARKDOWN),
    **dict.fromkeys((".html", ".htm", ".xhtml", ".shtml"), Format.HTML),
    **dict.fromkeys((".txt", ".text", ".log", ".rst", ".rest", ".adoc", ".asciidoc", ".asc"), Format.TEXT),
    **dict.fromkeys((".jsonl", ".ndjson"), Format.JSONL),
}
# What lies beside articles in every repository and wiki dump, and is none. Anything not named here or above is opened.
_NO_DOCUMENT = frozenset(
    f".{suffix}"
    for group in (
        "avi bmp gif ico jpeg jpg mov mp3 mp4 png svg tiff wav webm webp",  # pictures, sound
        "7z bz2 gz jar tar tgz war whl zip zst bin class db dll exe o pyc so pptx xls xlsx",  # packed, binary
        "bat c cpp cs css go h java js kt mjs php py rb rs scala scss sh sql ts vue eot otf ttf woff woff2",  # code, fonts
        "conf csv ini json lock map properties toml xml yaml yml",  # settings, data
    )
    for suffix in group.split()
)


def format_of(path: str, wanted: Format) -> Format | None:
    """The form of the document at ``path``: as asked, else by its name; AUTO when only its content can tell, None for none."""
    if wanted is not Format.AUTO:
        return wanted
    suffix = PurePosixPath(path).suffix.lower()
    if suffix in _NO_DOCUMENT:
        return None
    return _BY_SUFFIX.get(suffix, Format.AUTO)
