"""A record: a document that was cut out of a file that holds many. And the limits of what is cut."""

import hashlib
from dataclasses import dataclass

from ingest.quality import Reason
from ingest.sources.formats import DocumentFormat

MAX_DEPTH = 4
"""Archives inside one another."""
MAX_MEMBERS = 500_000
"""Files in one archive, those of the archives in it included."""
MAX_RATIO = 200
"""To how many times its size a file may unpack. Text packs 3 to 20 times, logs up to 100, bombs from 1,000 on."""
SMALL = 64 << 20
"""Bytes that any file may unpack to, whatever its size."""


@dataclass(frozen=True, slots=True)
class Record:
    """One document cut out of a file, or what could not be cut and why."""

    name: str
    """What comes behind the path of the file: ``#FLINK-31234`` for a record, ``!/docs/a.md`` for a member of an archive,
    both for a record of a member; empty for the file itself."""
    data: bytes = b""
    format: DocumentFormat = DocumentFormat.AUTO
    line: int = 0
    reason: Reason | None = None
    detail: str = ""

    @property
    def content(self) -> str:
        """SHA-256 of the bytes."""
        return hashlib.sha256(self.data).hexdigest()


class DamagedError(Exception):
    """The rest of a file cannot be read. Its words tell why."""


class BombError(Exception):
    """A file unpacks to far more than anybody would pack."""


@dataclass(slots=True)
class Budget:
    """What one file may unpack to, in all its layers together."""

    size: int
    """Bytes of the file itself."""
    allowance: int = SMALL
    """Bytes that it may unpack to, however small it is."""
    max_members: int = MAX_MEMBERS
    members: int = 0
    unpacked: int = 0

    def unpack(self, count: int) -> None:
        """Counts bytes that came out of a decompressor. Raises `BombError`."""
        self.unpacked += count
        if self.unpacked > max(self.allowance, MAX_RATIO * self.size):
            raise BombError(f"it unpacks to more than {MAX_RATIO} times its {self.size:,} bytes")

    def member(self) -> None:
        """Counts a member of an archive. Raises `BombError`."""
        self.members += 1
        self.allow(0)

    def allow(self, more: int) -> None:
        """Whether so many members may come. Raises `BombError` when they are too many."""
        if self.members + more > self.max_members:
            raise BombError(f"it holds more than {self.max_members:,} files")
