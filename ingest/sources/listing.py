"""A listing: every document of the sources as one Arrow row, found and hashed but not read."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass, fields
from operator import attrgetter

import pyarrow as pa

MAX_DOCUMENT = 16 << 20
"""Bytes of the largest document that is read. Real articles stay far below; beyond lie logs and dumps."""


@dataclass(frozen=True, slots=True)
class ListedDocument:
    """One document as it was found."""

    source: str
    """The source it belongs to: an absolute path or a URL."""
    path: str
    """Relative to the source; for a line of a JSON-lines file ``file.jsonl#`` and the start of the line's hash."""
    location: bytes
    """The file or URL that holds it; bytes, because a file name need not be Unicode. Of a write-up with translations all files, with a NUL between."""
    format: str
    size: int
    content: str
    """Changes when the content does: SHA-256 of the bytes; for a URL, length and modification time."""
    offset: int = 0
    line: int = 0
    """Line number in a JSON-lines file, from 1; 0 for a whole file."""
    reason: str = ""
    """Why it cannot be read, when listing found that out already."""
    detail: str = ""

    @property
    def doc(self) -> str:
        """The key of the document in the lake: 128 bits of hash over source and path."""
        return hashlib.blake2b(f"{self.source}\0{self.path}".encode(), digest_size=16).hexdigest()


@dataclass(frozen=True, slots=True)
class Listing:
    """What the sources hold now."""

    documents: pa.Table
    """`LISTING_SCHEMA`, one row per document."""
    sources: tuple[str, ...]
    """What was listed: absolute paths and URLs."""
    blind: tuple[tuple[str, str], ...] = ()
    """Source and path prefix of folders that could not be opened: what was known below them is not taken as removed."""


_OTHER = {"location": pa.binary(), "size": pa.int64(), "offset": pa.int64(), "line": pa.int64()}
LISTING_SCHEMA = pa.schema(
    [("doc", pa.string()), *((f.name, _OTHER.get(f.name, pa.string())) for f in fields(ListedDocument))]
)

_MEMBERS = attrgetter(*(f.name for f in fields(ListedDocument)))


def to_table(listed: Iterable[ListedDocument]) -> pa.Table:
    """The rows as a `LISTING_SCHEMA` table."""
    rows = [(one.doc, *_MEMBERS(one)) for one in listed]
    columns = zip(*rows, strict=True) if rows else [()] * len(LISTING_SCHEMA)
    arrays = [pa.array(column, field.type) for column, field in zip(columns, LISTING_SCHEMA, strict=True)]
    return pa.Table.from_arrays(arrays, schema=LISTING_SCHEMA)
