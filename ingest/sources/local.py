"""Lists files and folders of this machine in plain Python: names, sizes and content hashes, no Spark."""

import hashlib
import os
import stat
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

from ingest.quality import Reason
from ingest.sources.formats import Format, format_of
from ingest.sources.listing import MAX_DOCUMENT, Listed, Listing, to_table
from kb.errors import SourceError

_THREADS = 8
_BLOCK = 1 << 20
_UNREADABLE, _UNSUPPORTED = Reason.UNREADABLE.value, Reason.UNSUPPORTED.value


@dataclass(slots=True)
class _Found:
    """What a walk found under one source."""

    source: str
    files: list[tuple[str, str]]
    """Relative path and location."""
    blind: list[tuple[str, str]]
    """Relative path of a folder that could not be opened, and why."""


def list_local(places: list[Path], wanted: Format) -> Listing:
    """Every document under ``places``, each a file or a folder. Raises `SourceError` for a place that is not there."""
    found = list({one.source: one for one in map(_walk, places)}.values())
    jobs = [(one.source, path, location) for one in found for path, location in one.files]
    with ThreadPoolExecutor(_THREADS) as pool:
        listed = list(chain.from_iterable(pool.map(lambda job: _list_file(job, wanted), jobs)))
    for one in found:
        for path, why in one.blind:
            listed.append(Listed(one.source, f"{path}/", b"", Format.AUTO, 0, "", reason=_UNREADABLE, detail=why))
    blind = tuple((one.source, f"{path}/" if path != "." else "") for one in found for path, _ in one.blind)
    return Listing(to_table(listed), tuple(one.source for one in found), blind)


def _walk(place: Path) -> _Found:
    try:
        root = place.resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise SourceError(
            f"source {place} is not there ({_why(error)})", cure="give the path of a file or folder"
        ) from error
    if not root.is_dir():
        return _Found(_spell(str(root)), [(_spell(root.name), str(root))], [])
    found = _Found(_spell(str(root)), [], [])
    seen: set[tuple[int, int]] = set()
    folders = [root]
    while folders:
        folder = folders.pop()
        try:
            status = folder.stat()
            if (status.st_dev, status.st_ino) in seen:  # a symbolic link back up, or a second way to the same folder
                continue
            seen.add((status.st_dev, status.st_ino))
            with os.scandir(folder) as entries:
                inside = sorted((entry for entry in entries if not entry.name.startswith(".")), key=lambda e: e.name)
            for entry in inside:
                if entry.is_dir():
                    folders.append(Path(entry.path))
                else:
                    found.files.append((_relative(entry.path, root), entry.path))
        except OSError as error:
            found.blind.append((_relative(str(folder), root), _why(error)))
    found.files.sort()
    return found


def _relative(location: str, root: Path) -> str:
    return _spell(Path(location).relative_to(root).as_posix())


def _spell(name: str) -> str:
    """A file name as text; bytes that are no UTF-8 are spelled with backslashes."""
    return os.fsencode(name).decode("utf-8", "backslashreplace")


def _why(error: BaseException) -> str:
    return getattr(error, "strerror", None) or str(error)


def _list_file(job: tuple[str, str, str], wanted: Format) -> list[Listed]:
    source, path, location = job
    form = format_of(path, wanted)
    listed = Listed(source, path, os.fsencode(location), form or Format.AUTO, 0, "")
    try:
        status = os.stat(location)  # noqa: PTH116  a hundred thousand Path objects would be felt
        if not stat.S_ISREG(status.st_mode):  # a pipe or a device would hang or never end
            return [replace(listed, reason=_UNREADABLE, detail="not a regular file")]
        if form is Format.JSONL:
            return list(_list_lines(listed))
        # What will not be read is not hashed either: it may be a disk image.
        listed = _measured(replace(listed, size=status.st_size, content=f"{status.st_size}@{status.st_mtime_ns}"))
        if form is None:
            return [replace(listed, reason=_UNSUPPORTED, detail=f"{Path(path).suffix} files are not read as articles")]
        if listed.reason:
            return [listed]
        with open(location, "rb") as file:  # noqa: PTH123
            return [replace(listed, content=hashlib.file_digest(file, "sha256").hexdigest())]
    except OSError as error:
        return [replace(listed, reason=_UNREADABLE, detail=_why(error))]


def _list_lines(file: Listed) -> Iterator[Listed]:
    """One document per line that is not blank. Equal lines get -2, -3 … so that none is lost."""
    repeated: dict[str, int] = {}
    for number, (offset, size, content) in enumerate(_lines(file.location), start=1):
        if not content:
            continue
        name = f"{file.path}#{content[:16]}"
        repeated[name] = count = repeated.get(name, 0) + 1
        path = name if count == 1 else f"{name}-{count}"
        yield _measured(replace(file, path=path, offset=offset, size=size, line=number, content=content))


def _measured(listed: Listed) -> Listed:
    if listed.size <= MAX_DOCUMENT:
        return listed
    detail = f"{listed.size:,} bytes; at most {MAX_DOCUMENT:,} are read"
    return replace(listed, reason=Reason.TOO_LARGE.value, detail=detail)


def _lines(location: bytes) -> Iterator[tuple[int, int, str]]:
    """Offset, size and SHA-256 of each line; "" for a blank one. A line of any length takes bounded memory."""
    offset = 0
    with open(location, "rb") as file:  # noqa: PTH123
        while line := file.readline(_BLOCK):
            digest, size, blank = hashlib.sha256(line.rstrip(b"\r\n")), len(line), not line.strip()
            while not line.endswith(b"\n") and (line := file.readline(_BLOCK)):
                digest.update(line.rstrip(b"\r\n"))
                size, blank = size + len(line), blank and not line.strip()
            yield offset, size, "" if blank else digest.hexdigest()
            offset += size
