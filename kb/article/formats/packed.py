"""Documents that are no text: told by their first bytes, read by the libraries of the extra ``documents``."""

from collections.abc import Callable
from dataclasses import dataclass

from kb.article.blocks import Document
from kb.article.formats.pdf import pdf
from kb.article.formats.word import TooLargeError, is_word, word

_CURE = "pip install 'dejastack[documents]'"
LIBRARIES = ("mammoth", "pypdf")
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
    if head.startswith(b"%PDF-"):
        return _read(lambda: pdf(data), "a PDF", "pypdf")
    if head.startswith(b"PK\x03\x04") and is_word(data):
        return _read(lambda: (word(data), ()), "a Word document", "mammoth")
    if head.startswith(b"\xd0\xcf\x11\xe0"):
        return Unpacked(None, ("a Word document of the old format, or one with a password: save it as .docx",))
    if head.startswith(b"{\\rtf"):
        return Unpacked(None, ("a document in RTF: save it as .docx",))
    return None


def _read(read: Callable[[], tuple[Document, tuple[str, ...]]], kind: str, library: str) -> Unpacked:
    try:
        document, notes = read()
    except ImportError:
        return Unpacked(None, (f"{kind} is read with {library}, which is not installed: {_CURE}",))
    except TooLargeError as error:
        return Unpacked(None, (str(error),))
    except Exception as error:  # noqa: BLE001  what a library raises of bytes that anybody wrote is not foreseeable
        return Unpacked(None, (f"{kind} that is broken: {type(error).__name__}: {error}"[:300],))
    return Unpacked(document, notes)
