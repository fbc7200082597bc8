"""Lists files and folders of this machine in plain Python: names, sizes and content hashes, no Spark."""

import hashlib
import io
import os
import stat
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import islice
from pathlib import Path

import pyarrow as pa

from ingest.quality import Reason
from ingest.sources.cutting import unsupported
from ingest.sources.exports.lines import cut_lines
from ingest.sources.formats import DocumentFormat, format_of, record_format
from ingest.sources.listing import MAX_DOCUMENT, ListedDocument, Listing, to_table
from ingest.sources.packs import Packs, lost
from ingest.sources.recognise import HEAD, Shape, opened, recognise
from ingest.sources.remembered import Remembered
from ingest.sources.translated import BETWEEN, joined, whole_writeup, with_translations
from kb.errors import SourceError

_THREADS = 8
_TOGETHER = 20_000
_UNREADABLE, _UNSUPPORTED = Reason.UNREADABLE.value, Reason.UNSUPPORTED.value


@dataclass(slots=True)
class WalkResult:
    """What a walk found under one source."""

    source: str
    files: list[tuple[str, str]]
    """Relative path and location."""
    blind: list[tuple[str, str]]
    """Relative path of a folder that could not be opened, and why."""
    unsafe: list[str] = field(default_factory=list)
    """Relative paths of symbolic links that lead out of the source, or to what is hidden in it."""


def list_local(
    places: list[Path], wanted: DocumentFormat, packs: Packs, remembered: Remembered, *, follow_links: bool = False
) -> Listing:
    """Every document under ``places``, each a file or a folder. Raises `SourceError` for a place that is not there.

    A symbolic link that leads out of its place is refused, unless ``follow_links``.
    """
    remembered.turn()
    walked = (walk(place, follow_links=follow_links) for place in places)
    found = list({one.source: one for one in walked}.values())
    pairs = [(one.source, *with_translations(one.files)) for one in found]
    jobs = [
        (source, path, location, others.get(path, ())) for source, files, others in pairs for path, location in files
    ]
    alone: list[ListedDocument] = []
    tables: list[pa.Table] = []
    with ThreadPoolExecutor(_THREADS) as pool:
        for listed in pool.map(lambda job: _list_file(job, wanted, packs, remembered), jobs):
            (alone if isinstance(listed, ListedDocument) else tables).append(listed)
    for one in found:
        for path, why in one.blind:
            alone.append(
                ListedDocument(one.source, f"{path}/", b"", DocumentFormat.AUTO, 0, "", reason=_UNREADABLE, detail=why)
            )
    table = pa.concat_tables([to_table(alone), *tables])
    links = to_table([_refused(one.source, path) for one in found for path in one.unsafe])
    blind = [(one.source, f"{path}/" if path != "." else "") for one in found for path, _ in one.blind]
    # What was known through a link that is refused is removed, so links are none of what was lost.
    return Listing(pa.concat_tables([table, links]), tuple(one.source for one in found), (*blind, *lost(table)))


def _refused(source: str, path: str) -> ListedDocument:
    detail = "a link that leads out of the source; --follow-links reads it"
    return ListedDocument(source, path, b"", DocumentFormat.AUTO, 0, "", reason=Reason.UNSAFE.value, detail=detail)


def walk(place: Path, *, follow_links: bool = False) -> WalkResult:
    """The files under a file or folder, not opened; links are followed within it, or anywhere. Raises `SourceError` when it is not there."""
    try:
        root = place.resolve(strict=True)
    except (OSError, RuntimeError) as error:
        raise SourceError(
            f"source {place} is not there ({_why(error)})", cure="give the path of a file or folder"
        ) from error
    if not root.is_dir():
        return WalkResult(_spell(str(root)), [(_spell(root.name), str(root))], [])
    found = WalkResult(_spell(str(root)), [], [])
    below = len(os.path.join(root, ""))  # noqa: PTH118  a path of its own for each file would be felt
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
                if entry.is_symlink() and not follow_links and not _stays(entry.path, root):
                    found.unsafe.append(_spell(entry.path[below:]))
                elif _is_folder(entry):
                    folders.append(Path(entry.path))
                else:
                    found.files.append((_spell(entry.path[below:]), entry.path))
        except OSError as error:
            found.blind.append((_spell(str(folder)[below:]) or ".", _why(error)))
    found.files.sort()
    return found


def _stays(link: str, root: Path) -> bool:
    """Whether a link ends at something in the folder that is not hidden there. One that ends nowhere stays: it is told when it is tried."""
    try:
        end = Path(link).resolve(strict=True)
    except (OSError, RuntimeError):
        return True
    return end.is_relative_to(root) and not any(part.startswith(".") for part in end.relative_to(root).parts)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:  # a link to itself: a file that cannot be opened, which is told when it is tried
        return False


def _spell(name: str) -> str:
    r"""A file name as text; bytes that are no UTF-8 are spelled ``\xe9``, and a backslash is doubled, so that no two names are spelled alike."""
    return os.fsencode(name).replace(b"\\", b"\\\\").decode("utf-8", "backslashreplace")


def _why(error: BaseException) -> str:
    return getattr(error, "strerror", None) or str(error)


def _list_file(
    job: tuple[str, str, str, Sequence[str]], wanted: DocumentFormat, packs: Packs, remembered: Remembered
) -> ListedDocument | pa.Table:
    """The document that a file is, or those that it holds."""
    source, path, location, translations = job
    form = format_of(path, wanted)
    listed = ListedDocument(source, path, os.fsencode(location), form or DocumentFormat.AUTO, 0, "")
    try:
        status = os.stat(location)  # noqa: PTH116  a hundred thousand Path objects would be felt
        if not stat.S_ISREG(status.st_mode):  # a pipe or a device would hang or never end
            return replace(listed, reason=_UNREADABLE, detail="not a regular file")
        # What will not be read is not hashed either: it may be a disk image.
        listed = replace(listed, size=status.st_size, content=f"{status.st_size}@{status.st_mtime_ns}")
        if translations:
            return _list_translated(replace(listed, location=joined(location, translations)))
        if form is None:
            return replace(listed, reason=_UNSUPPORTED, detail=unsupported(path))
        known = remembered.known(listed, status)
        if known is not None:
            return known
        with opened(location) as file:
            return remembered.kept(list_opened(listed, file, wanted, packs), status)
    except OSError as error:
        return replace(listed, reason=_UNREADABLE, detail=_why(error))


def _list_translated(listed: ListedDocument) -> ListedDocument:
    """A write-up and its translations as one document. Raises OSError."""
    data = whole_writeup(listed.location.split(BETWEEN))
    listed = replace(listed, size=len(data), content=hashlib.sha256(data).hexdigest())
    if len(data) <= MAX_DOCUMENT:
        return listed
    detail = f"{len(data):,} bytes; at most {MAX_DOCUMENT:,} are read"
    return replace(listed, reason=Reason.TOO_LARGE.value, detail=detail)


def list_opened(
    listed: ListedDocument, file: io.BufferedReader, wanted: DocumentFormat, packs: Packs
) -> ListedDocument | pa.Table:
    """The same of a file that is open at its beginning. Raises OSError."""
    shape = recognise(file.peek(HEAD)[:HEAD], listed.path, wanted)
    if shape is Shape.LINES:
        rows, tables = _list_lines(replace(listed, format=record_format(wanted)), file), [to_table(())]
        while some := list(islice(rows, _TOGETHER)):  # half a million rows would be felt as objects
            tables.append(to_table(some))
        return pa.concat_tables(tables)
    if shape is Shape.NONE:
        return replace(listed, reason=_UNSUPPORTED, detail=unsupported(listed.path))
    if shape not in {Shape.DOCUMENT, Shape.PAGE}:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
        file.seek(0)
        return packs.listed(replace(listed, content=digest), wanted, lambda: file, partial(opened, listed.location))
    if listed.size > MAX_DOCUMENT:
        detail = f"{listed.size:,} bytes; at most {MAX_DOCUMENT:,} are read"
        return replace(listed, reason=Reason.TOO_LARGE.value, detail=detail)
    form = DocumentFormat.CONFLUENCE if shape is Shape.PAGE else DocumentFormat(listed.format)
    return replace(listed, format=form, content=hashlib.file_digest(file, "sha256").hexdigest())


def _list_lines(listed: ListedDocument, file: io.BufferedReader) -> Iterator[ListedDocument]:
    """One document per line that is not blank. Equal lines get -2, -3 … so that none is lost."""
    repeated: dict[str, int] = {}
    for line in cut_lines(file):
        repeated[line.name] = count = repeated.get(line.name, 0) + 1
        yield replace(
            listed,
            path=f"{listed.path}{line.name}" + (f"-{count}" if count > 1 else ""),
            offset=line.offset,
            size=line.size,
            line=line.number,
            content=line.content,
            reason=Reason.TOO_LARGE.value if line.too_large else "",
            detail=line.too_large,
        )
