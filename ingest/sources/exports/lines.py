"""The lines of a file of JSON lines, each a document of its own. A line of any length takes bounded memory."""

import hashlib
import io
from collections.abc import Iterator
from dataclasses import dataclass

from ingest.quality import Reason
from ingest.sources.exports.records import Record
from ingest.sources.formats import DocumentFormat
from ingest.sources.listing import MAX_DOCUMENT

_BLOCK = 1 << 20


@dataclass(frozen=True, slots=True)
class SourceLine:
    """One line that is not blank."""

    number: int
    """From 1, blank ones counted."""
    offset: int
    size: int
    """In bytes, with what ends it."""
    content: str
    """SHA-256 of the line without what ends it."""
    data: bytes
    """Empty for a line that is too large."""

    @property
    def name(self) -> str:
        """``#`` and the start of its hash: a line keeps its name wherever it stands."""
        return f"#{self.content[:16]}"

    @property
    def too_large(self) -> str:
        """Why it is not read; empty when it is."""
        return f"{self.size:,} bytes; at most {MAX_DOCUMENT:,} are read" if self.size > MAX_DOCUMENT else ""


def cut_lines(file: io.BufferedReader) -> Iterator[SourceLine]:
    """Every line that is not blank."""
    offset = number = 0
    while piece := file.readline(_BLOCK):
        number += 1
        digest, size, blank, held = hashlib.sha256(piece.rstrip(b"\r\n")), len(piece), not piece.strip(), [piece]
        while not piece.endswith(b"\n") and (piece := file.readline(_BLOCK)):
            digest.update(piece.rstrip(b"\r\n"))
            size, blank = size + len(piece), blank and not piece.strip()
            held = [*held, piece] if size <= MAX_DOCUMENT else []
        if not blank:
            yield SourceLine(number, offset, size, digest.hexdigest(), b"".join(held))
        offset += size


def lines(file: io.BufferedReader, form: DocumentFormat) -> Iterator[Record]:
    """The same as records."""
    for line in cut_lines(file):
        if line.too_large:
            yield Record(line.name, b"", form, line.number, Reason.TOO_LARGE, line.too_large)
        else:
            yield Record(line.name, line.data.rstrip(b"\r\n"), form, line.number)
