"""Documents that are no text: told by their first bytes, read by the libraries of the extra ``documents``."""

from collections.abc import Callable
from dataclasses import dataclass

from kb.article.blocks import Document
from kb.article.formats.pdf import pdf
from kb.article.formats.word import TooLargeError, is_word, word

_CURE = "pip install 'dejastack[documents]'"
_Read = Callable[[bytes], tuple[Document, tuple[str, ...]]]
"""Return the document and remarks on it. Raises what the library raises, and ImportError without it."""


@dataclass(frozen=True, slots=True)
class PackedFormat:
    """A format that a library reads, told by its bytes."""

    name: str
    library: str
    """It stands in the extra ``documents`` and in the group ``dev`` of `pyproject.toml`, too."""
    begins: bytes
    read: _Read
    holds: Callable[[bytes], bool] = lambda _: True
    """Whether data that begin so are of this format: many formats are zip archives."""


FORMATS = (
    PackedFormat("a PDF", "pypdf", b"%PDF-", pdf),
    PackedFormat("a Word document", "mammoth", b"PK\x03\x04", lambda data: (word(data), ()), is_word),
)
LIBRARIES = tuple(sorted({one.library for one in FORMATS}))
"""What reads these documents, where it is installed."""


@dataclass(frozen=True, slots=True)
class Unpacked:
    """What was read of a document that is no text."""

    document: Document | None
    """None when it could not be read; the notes say why."""
    notes: tuple[str, ...] = ()


def unpacked(data: bytes) -> Unpacked | None:
    """The Word document or PDF in the bytes; None where they are neither. Never raises."""
    head = data[:64].lstrip(b"\xef\xbb\xbf\r\n\t\x00 ")
    for one in FORMATS:
        if head.startswith(one.begins) and one.holds(data):
            return _read(one, data)
    if head.startswith(b"\xd0\xcf\x11\xe0"):
        return Unpacked(None, ("a Word document of the old format, or one with a password: save it as .docx",))
    if head.startswith(b"{\\rtf"):
        return Unpacked(None, ("a document in RTF: save it as .docx",))
    return None


def _read(form: PackedFormat, data: bytes) -> Unpacked:
    try:
        document, notes = form.read(data)
    except ImportError:
        return Unpacked(None, (f"{form.name} is read with {form.library}, which is not installed: {_CURE}",))
    except TooLargeError as error:
        return Unpacked(None, (str(error),))
    except Exception as error:  # noqa: BLE001  what a library raises of bytes that anybody wrote is not foreseeable
        return Unpacked(None, (f"{form.name} that is broken: {type(error).__name__}: {error}"[:300],))
    return Unpacked(document, notes)
