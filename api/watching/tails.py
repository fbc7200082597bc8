"""One open log: a file from a place on, or a pipe."""

import os
import select
from dataclasses import dataclass
from itertools import count
from pathlib import Path

PIECE = 4 << 20
"""Bytes that are taken of one log before the others get their turn."""
_READ = 1 << 20
_LAST = 64
"""Bytes before the place reached that are looked at again: others there mean that the file was written anew."""
_START = 2_000
_NUMBERS = count()

File = tuple[int, int]
"""Device and inode: which file it is, whatever it is called. Another one gets them once it is gone."""
Reached = tuple[int, bytes]
"""A place in a file, and the last bytes before it."""


@dataclass(frozen=True, slots=True)
class LogChunk:
    """Bytes of a log."""

    log: int
    """Which: a number that no other log has. A file that was written anew is another one."""
    name: str
    start: bytes
    """The first bytes of the whole log, or of what was taken of it."""
    data: bytes
    ended: bool = False
    """Nothing follows."""


class Tail:
    """One open file, from a place on."""

    def __init__(self, path: Path, place: int | None) -> None:
        """``place``: where to begin; None for its end. OSError when it cannot be opened."""
        self._fd = os.open(path, os.O_RDONLY)
        stat = os.fstat(self._fd)
        self.file: File = (stat.st_dev, stat.st_ino)
        self.place = stat.st_size if place is None else place
        self._path = path
        self._log = next(_NUMBERS)
        self._last = self._before()

    def read(self) -> LogChunk | None:
        """What was added; None if nothing was."""
        parts, size = [], 0
        while size < PIECE and (data := os.pread(self._fd, _READ, self.place)):
            parts.append(data)
            size += len(data)
            self.place += len(data)
        if not parts:
            return None
        self._last = self._before()
        return self._piece(b"".join(parts))

    def end(self) -> LogChunk:
        """Close it."""
        piece = self._piece(b"", ended=True)
        os.close(self._fd)
        return piece

    def is_rewritten(self) -> bool:
        """Whether the file was emptied, or holds something else where it was read already."""
        return os.fstat(self._fd).st_size < self.place or self._before() != self._last

    @property
    def reached(self) -> Reached:
        """How far it was read."""
        return self.place, self._last

    def go_on(self, reached: Reached) -> None:
        """Read on from there; another file that only has its inode `is_rewritten` then."""
        self.place, self._last = reached

    def leads_here(self) -> bool | None:
        """Whether the path still leads to this file; None where it leads nowhere."""
        try:
            stat = self._path.stat()
        except OSError:
            return None
        return (stat.st_dev, stat.st_ino) == self.file

    def _before(self) -> bytes:
        return os.pread(self._fd, min(_LAST, self.place), max(self.place - _LAST, 0))

    def _piece(self, data: bytes, *, ended: bool = False) -> LogChunk:
        return LogChunk(self._log, str(self._path), os.pread(self._fd, _START, 0), data, ended)


class Pipe:
    """Standard input, or what a shell puts in the place of a file: read as it comes, until it ends."""

    def __init__(self, fd: int, name: str) -> None:
        self.fd = fd
        self._name = name
        self._log = next(_NUMBERS)
        self._start = b""
        self.has_ended = False

    def read(self) -> LogChunk | None:
        """What came; None if nothing did. The last piece says that it is the last."""
        parts, size = [], 0
        while not self.has_ended and size < PIECE and select.select([self.fd], [], [], 0)[0]:
            data = os.read(self.fd, _READ)
            self.has_ended = not data
            parts.append(data)
            size += len(data)
        if not parts:
            return None
        whole = b"".join(parts)
        self._start = self._start or whole[:_START]
        return LogChunk(self._log, self._name, self._start, whole, self.has_ended)
