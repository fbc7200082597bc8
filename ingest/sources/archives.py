"""What compressed files and archives hold, as streams: gzip, zstd, bzip2, xz, zip, tar. Nothing is ever written by a member's name."""

import bz2
import errno
import gzip
import io
import lzma
import re
import tarfile
import unicodedata
import zipfile
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from tempfile import TemporaryFile
from typing import Any, BinaryIO, Self

import pyarrow as pa

from ingest.quality import Reason
from ingest.sources.exports.records import Budget, DamagedError
from ingest.sources.recognise import HEAD, Shape

COMPRESSED = frozenset((Shape.GZIP, Shape.ZSTD, Shape.BZIP2, Shape.XZ))
_BROKEN = (zlib.error, lzma.LZMAError, EOFError, OSError, zipfile.BadZipFile, tarfile.TarError, RuntimeError, NotImplementedError, ValueError, KeyError)  # fmt: skip
"""What the standard library raises for a file that is cut off, damaged, encrypted or packed in a way it does not know."""
NO_ROOM = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG))
"""What a disk says that is full: our own, for nothing is written elsewhere."""
_ENDINGS = {".gz": "", ".zst": "", ".bz2": "", ".xz": "", ".zstd": "", ".tgz": ".tar", ".tbz2": ".tar", ".txz": ".tar"}
PACKED = frozenset((*_ENDINGS, ".zip", ".tar"))
"""Endings of files that hold others."""
_PIECE = 1 << 20
_LONGEST_HEADER = 1 << 20
"""Bytes of what a tar says about a member; names and attributes need a few hundred."""
_BESIDE = frozenset(("__MACOSX", "exportDescriptor.properties"))
_ENTRY = b"PK\x01\x02"
"""What each entry in the directory of a zip begins with."""


class _Metered(io.RawIOBase):
    """A stream that fills what it is asked for, counts what it gives, and raises `DamagedError` for whatever is wrong below."""

    def __init__(self, inner: BinaryIO, budget: Budget | None) -> None:
        # What was read before a fault is handed over, where a plain ``read`` would lose it.
        self._read: Callable[[int], bytes] = getattr(inner, "read1", inner.read)
        self._budget = budget

    def readable(self) -> bool:
        return True

    def readinto(self, target: bytearray | memoryview) -> int:  # type: ignore[override]
        got = 0
        while got < len(target):
            try:
                data = self._read(min(len(target) - got, _PIECE))
            except _BROKEN as error:
                if got:
                    break  # hand over what is good; the next call meets the fault again
                raise DamagedError(_reason(error)) from error
            if not data:
                break
            target[got : got + len(data)] = data
            got += len(data)
            if self._budget is not None:
                self._budget.unpack(len(data))
        return got


def _reason(error: BaseException) -> str:
    return getattr(error, "strerror", None) or str(error).partition("\n")[0] or type(error).__name__


def metered(inner: BinaryIO, budget: Budget | None = None) -> io.BufferedReader:
    """A stream whose first `HEAD` bytes can be looked at, with what it gives counted when there is a budget."""
    return io.BufferedReader(_Metered(inner, budget), HEAD)


def decompressed(stream: io.BufferedReader, shape: Shape, budget: Budget) -> io.BufferedReader:
    """What a compressed file holds."""
    return metered(_DECOMPRESS[shape](stream), budget)


_DECOMPRESS: Mapping[Shape, Callable[[io.BufferedReader], Any]] = {
    Shape.GZIP: lambda stream: gzip.GzipFile(fileobj=stream),
    Shape.BZIP2: bz2.BZ2File,
    Shape.XZ: lzma.LZMAFile,
    Shape.ZSTD: lambda stream: pa.CompressedInputStream(pa.PythonFile(stream, "r"), "zstd"),
}


def inner_name(name: str) -> str:
    """The name of what a compressed file holds: ``posts.md.gz`` → ``posts.md``."""
    path = PurePosixPath(name)
    ending = path.suffix.lower()
    return f"{path.stem}{_ENDINGS[ending]}" if ending in _ENDINGS else path.name


@dataclass(frozen=True, slots=True)
class ArchiveMember:
    """One file of an archive."""

    name: str
    stream: io.BufferedReader | None = None
    """None for one that is refused."""
    reason: Reason = Reason.UNSAFE
    detail: str = ""


def members(stream: io.BufferedReader, shape: Shape, budget: Budget, scratch: Path) -> Iterator[ArchiveMember]:
    """The files of an archive, hidden ones left out. Each is to be read before the next is asked for.

    Raises `DamagedError` when the rest of the archive cannot be read.
    """
    try:
        yield from _zipped(stream, budget, scratch) if shape is Shape.ZIP else _tarred(stream, budget)
    except _BROKEN as error:
        if getattr(error, "errno", None) in NO_ROOM:
            raise
        raise DamagedError(_reason(error)) from error


def _zipped(stream: io.BufferedReader, budget: Budget, scratch: Path) -> Iterator[ArchiveMember]:
    with _seekable(stream, scratch) as file, zipfile.ZipFile(_counted(file, budget)) as archive:
        for info in archive.infolist():
            name = _zip_name(info)
            problem = _unsafe(name)
            if info.is_dir() or (not problem and _is_hidden(name)):
                continue
            budget.member()
            if problem:
                yield ArchiveMember(name, detail=problem)
                continue
            try:
                inner = archive.open(info)
            except _BROKEN as error:
                yield ArchiveMember(name, reason=Reason.UNREADABLE, detail=_reason(error))
                continue
            with inner:
                yield ArchiveMember(name, metered(inner, budget))  # type: ignore[arg-type]


def _counted(file: BinaryIO, budget: Budget) -> BinaryIO:
    """The file, if its directory names no more members than are allowed: the standard library would hold them all. Raises `BombError`."""
    count, last = 0, b""
    while piece := file.read(_PIECE):
        count += (last + piece).count(_ENTRY)
        budget.allow(count)
        last = piece[1 - len(_ENTRY) :]
    file.seek(0)
    return file


@contextmanager
def _seekable(stream: io.BufferedReader, scratch: Path) -> Iterator[BinaryIO]:
    """A zip is read from its end: one that comes out of another file is laid down first."""
    if stream.seekable():
        stream.seek(0)
        yield stream
        return
    with TemporaryFile(dir=scratch) as file:
        while piece := stream.read1(_PIECE):
            file.write(piece)
        file.seek(0)
        yield file


class _Header(tarfile.TarInfo):
    """The header of a member; what says more about the next member is held in memory, so it must be short."""

    @classmethod
    def frombuf(cls, buf: bytes | bytearray, encoding: str | None, errors: str) -> Self:
        found = super().frombuf(buf, encoding, errors)  # type: ignore[arg-type]
        if not (found.isreg() or found.isdir()) and found.size > _LONGEST_HEADER:
            raise tarfile.ReadError(f"a header of {found.size:,} bytes")
        return found


def _tarred(stream: io.BufferedReader, budget: Budget) -> Iterator[ArchiveMember]:
    with tarfile.open(fileobj=stream, mode="r|", tarinfo=_Header) as archive:
        for info in archive:
            archive.members = []  # type: ignore[attr-defined]  # it would remember every member of an archive of any size
            name = info.name.encode("utf-8", "surrogateescape")
            spelled = _decoded_name(name)
            problem = _unsafe(spelled)
            if info.isdir() or (not problem and _is_hidden(spelled)):
                continue
            budget.member()
            inner = archive.extractfile(info) if info.isreg() and not problem else None
            if problem:
                yield ArchiveMember(spelled, detail=problem)
            elif inner is None:
                yield ArchiveMember(spelled, reason=Reason.UNSUPPORTED, detail="a link or a device, not a file")
            else:
                # The holes of a sparse file take no room in the archive, and come out as zeros without end.
                yield ArchiveMember(spelled, metered(inner, budget if info.issparse() else None))  # type: ignore[arg-type]


def _zip_name(info: zipfile.ZipInfo) -> str:
    """The name of a member. Without the mark for UTF-8 it may be in the encoding of the machine that packed it."""
    name = info.filename
    if not info.flag_bits & 0x800:
        with suppress(UnicodeEncodeError):
            name = _decoded_name(info.orig_filename.partition("\0")[0].encode("cp437"))
    return name.replace("\\", "/")  # as some Windows programs write them


def _decoded_name(name: bytes) -> str:
    for encoding in ("utf-8", "gb18030"):
        try:
            return name.decode(encoding)
        except UnicodeDecodeError:
            continue
    return name.decode("utf-8", "backslashreplace")


def _is_hidden(name: str) -> bool:
    """As in a folder: what begins with a dot is no document, and neither is what macOS and Confluence pack beside documents."""
    return any((part.startswith(".") and part.strip(".")) or part in _BESIDE for part in name.split("/"))


def _unsafe(name: str) -> str:
    """What is wrong with a member's name; empty when nothing is."""
    parts = re.split(r"[/\\]", name)
    if name.startswith(("/", "\\")) or ".." in parts or parts[0][1:2] == ":":
        return "its name leads out of the archive"
    if any(unicodedata.category(sign) in {"Cc", "Cs"} for sign in name) or len(name) > 1_000 or not name.strip():
        return "its name is no name of a file"
    return ""
