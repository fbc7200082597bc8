"""Files of this machine as lines of bytes, in parts and in bounded memory, whatever they hold.

Spark's own source of text ends the job over a file that is cut off or closed, and leaves out names that begin with ``_``.
"""

import bz2
import codecs
import gzip
import io
import lzma
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, NamedTuple

import pyarrow as pa

from ingest.sources.archives import metered
from ingest.sources.exports.records import DamagedError

_PART = 16 << 20
"""Bytes that one task reads, as `ingest.session` has it for Spark: five seconds of work."""
_COST = 64 << 10
"""Bytes that to open a file counts as."""
_PIECE = 1 << 20


class FilePart(NamedTuple):
    """The lines of a file that begin from one byte of it on and before another; None: to its end."""

    location: bytes
    begin: int
    end: int | None


def _zstd(location: bytes) -> pa.CompressedInputStream:
    return pa.CompressedInputStream(pa.PythonFile(io.FileIO(location), "r"), "zstd")


_OPEN: Mapping[str, Callable[[bytes], Any]] = {".gz": gzip.open, ".bz2": bz2.open, ".xz": lzma.open, ".zst": _zstd}
PACKED = tuple(_OPEN)
"""Endings of compressed files that are opened."""


@contextmanager
def opened(location: bytes) -> Iterator[io.BufferedReader]:
    """Open a file, compressed or not, as its name says. Raises OSError, also for one that is damaged, when the damage is reached."""
    try:
        with io.FileIO(location) as file:  # a fault of the file itself has its own words
            ending = os.fsdecode(os.path.splitext(location)[1]).lower()  # noqa: PTH122  bytes
            yield metered(_OPEN[ending](location)) if ending in _OPEN else io.BufferedReader(file, _PIECE)
    except DamagedError as error:
        raise OSError(str(error)) from error


def line_packs(locations: Iterable[str], part: int = _PART, cost: int = _COST) -> list[list[FilePart]]:
    """Return the parts of files, those together that one task reads. A compressed file is one part; so is one that is gone."""
    packs: list[list[FilePart]] = []
    room = 0
    for location in locations:
        name, size = os.fsencode(location), 0
        with suppress(OSError):
            size = os.stat(name).st_size  # noqa: PTH116  bytes
        whole = location.lower().endswith(PACKED) or size <= part
        for begin in (0,) if whole else range(0, size, part):
            if room <= 0:
                packs.append([])
                room = part
            packs[-1].append(FilePart(name, begin, None if whole else begin + part))
            room -= cost + (size if whole else part)
    return packs


def read_lines(location: bytes, begin: int, end: int | None, longest: int) -> Iterator[bytes | None]:
    """Yield the lines of a part; None for one of more than ``longest`` bytes, which is not held. Raises OSError."""
    with opened(location) as file:
        at = begin
        if begin:  # the line that goes on here is of the part before
            file.seek(begin - 1)
            at += _skip(file) - 1
        while (end is None or at < end) and (line := file.readline(longest + 1)):
            is_whole = len(line) <= longest or line.endswith(b"\n")
            at += len(line) + (0 if is_whole else _skip(file))
            yield line.removeprefix(codecs.BOM_UTF8).rstrip(b"\r\n") if is_whole else None


def _skip(file: io.BufferedReader) -> int:
    """Read to the end of the line; return how many bytes there were."""
    size = 0
    while piece := file.readline(_PIECE):
        size += len(piece)
        if piece.endswith(b"\n"):
            break
    return size
