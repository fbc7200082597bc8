"""What a file holds, by its first bytes: one document, many records, or other files. The name decides last."""

import io
import re
from enum import StrEnum

from ingest.sources.exports.tables import is_jira_header
from ingest.sources.formats import DATA, DocumentFormat, format_of, suffix_of
from kb.tracker.confluence import is_storage

HEAD = 256 << 10
"""Bytes of a file that are looked at."""


def opened(location: str | bytes) -> io.BufferedReader:
    """A file whose first `HEAD` bytes can be peeked at without being consumed. Raises OSError."""
    return io.BufferedReader(io.FileIO(location), HEAD)


class Shape(StrEnum):
    """How a file is to be cut into documents."""

    DOCUMENT = "document"
    """It is one."""
    PAGE = "page"
    """One Confluence page in storage format."""
    LINES = "lines"
    """Each line is a JSON record."""
    JSON = "json"
    """JSON records in arrays, in the objects of a paged answer, or one after another."""
    JIRA_XML = "jira_xml"
    JIRA_CSV = "jira_csv"
    POSTS = "posts"
    """``Posts.xml`` of a Stack Exchange dump."""
    ENTITIES = "entities"
    """``entities.xml`` of a Confluence export."""
    MBOX = "mbox"
    GZIP = "gzip"
    ZSTD = "zstd"
    BZIP2 = "bzip2"
    XZ = "xz"
    ZIP = "zip"
    TAR = "tar"
    NONE = "none"
    """An ending that is read only when the content is an export, and it is none."""


_MAGIC = (
    (b"\x1f\x8b\x08", Shape.GZIP),
    (b"\x28\xb5\x2f\xfd", Shape.ZSTD),
    (b"\xfd7zXZ\x00", Shape.XZ),
    (b"PK\x03\x04", Shape.ZIP),
    (b"PK\x05\x06", Shape.ZIP),
)
_OFFICE = frozenset(
    f".{suffix}"
    for group in ("docx docm dotx xlsx xlsm pptx odt ods odp epub", "jar war ear whl apk xpi vsix")  # texts, programs
    for suffix in group.split()
)
_BZIP2 = re.compile(rb"BZh[1-9]1AY&SY")
_MBOX = re.compile(r"From \S[^\n]{0,300} \d\d:\d\d[^\n]{0,40} \d{4}[^\n]{0,10}\n(?:>?[A-Za-z][\w-]{0,60}:|From )")
_JSON = re.compile(r'\s*(?:\[\s*)*(?:\{\s*(?:"|\Z)|\])')
_TICKET = re.compile(r'"(?:fields|storage)"\s*:\s*\{|"issues"\s*:\s*\[\s*[\{\]]')
_TITLE = re.compile(r'"title"\s*:\s*"')
_CONTENT = re.compile(r'"(?:body|trace|traces|symptom|root_cause|fix)"\s*:')
_LINE = re.compile(r'\s*\{[^\n]*\}[ \t\r]*\n\s*(?:\{\s*"|\Z)')


def recognise(head: bytes, name: str, wanted: DocumentFormat) -> Shape:
    """The shape of a file that begins with ``head``. A form given by --format holds for the members of archives, too."""
    packed = _packed(head, name)
    if packed:
        return packed
    if wanted is DocumentFormat.JSONL:
        return Shape.LINES
    form = format_of(name, wanted)
    text = _text(head)
    if form is DocumentFormat.HTML:
        return (_page(text) if wanted is DocumentFormat.AUTO else None) or Shape.DOCUMENT
    if form is DocumentFormat.MARKDOWN or wanted is DocumentFormat.TEXT:
        return Shape.DOCUMENT
    shape = _export(text, name, form)
    if shape is not None:
        return shape
    return Shape.NONE if wanted is DocumentFormat.AUTO and suffix_of(name) in DATA else Shape.DOCUMENT


def _packed(head: bytes, name: str) -> Shape | None:
    for magic, shape in _MAGIC:
        if head.startswith(magic):
            return None if shape is Shape.ZIP and _is_office(head, name) else shape
    if _BZIP2.match(head):
        return Shape.BZIP2
    return Shape.TAR if head[257:262] == b"ustar" or (suffix_of(name) == ".tar" and len(head) >= 512) else None


def _is_office(head: bytes, name: str) -> bool:
    """Whether a zip is one document: of an office program, an e-book, a program; by its name, or its first member."""
    first = head[30:60]
    return suffix_of(name) in _OFFICE or first.startswith((b"[Content_Types].xml", b"mimetype", b"META-INF/"))


def _text(head: bytes) -> str:
    """Readable as far as ASCII goes; the encoding itself is found where the file is read."""
    if head.startswith((b"\xff\xfe", b"\xfe\xff")):
        return head.decode("utf-16", "replace")
    return head.removeprefix(b"\xef\xbb\xbf").decode("latin-1")


def _export(text: str, name: str, form: DocumentFormat | None) -> Shape | None:
    suffix = suffix_of(name)
    if text.lstrip()[:1] == "<":
        return _xml(text)
    if _MBOX.match(text) or suffix == ".eml":
        return Shape.MBOX
    if form is DocumentFormat.JSONL:
        return Shape.LINES
    if (suffix in {".csv", ".tsv"} or form is DocumentFormat.JIRA) and is_jira_header(_line(text)):
        return Shape.JIRA_CSV
    if _JSON.match(text) and suffix != ".ipynb":
        is_ticket = _TICKET.search(text) or (_TITLE.search(text) and _CONTENT.search(text))
        if is_ticket or (form in {DocumentFormat.JIRA, DocumentFormat.GITHUB} and suffix != ".csv"):
            return Shape.LINES if _LINE.match(text) else Shape.JSON
    return None


def _line(text: str) -> str:
    """The first line with letters beyond ASCII, which `_text` leaves apart."""
    line = text.partition("\n")[0]
    if not line.isascii() and all(sign < "\u0100" for sign in line):
        data = line.encode("latin-1")
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            return data.decode("gb18030", "replace")  # as office programs save it
    return line


def _xml(text: str) -> Shape | None:
    begins = text[:4_000]
    if "<hibernate-generic" in begins:
        return Shape.ENTITIES
    if re.search(r"<posts[\s>]", begins):
        return Shape.POSTS
    if "<rss" in begins and ("RSS generated by J" in begins or "<key id=" in text):
        return Shape.JIRA_XML
    return _page(text)


def _page(text: str) -> Shape | None:
    return Shape.PAGE if is_storage(text) and "<html" not in text[:4_000].lower() else None
