"""Packs: the documents that were cut out of one file, one behind the other, and the listing of them.

    packs/<file>/<content>/data           the bytes of the documents, as Spark's tasks read them by offset and length;
                                          raw, secrets and all, so it is there only while a run reads from it
    packs/<file>/<content>/index.parquet  `LISTING_SCHEMA` without ``location``; its metadata names the source

A pack is made once for each content of a file, whole or not at all. Nothing in the lake refers to it: one that is lost is made again.
"""

import hashlib
import io
import os
import shutil
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from itertools import islice
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from index.storage.snapshot import sync
from ingest.quality import Reason
from ingest.sources.archives import NO_ROOM
from ingest.sources.cutting import Cutter
from ingest.sources.exports.records import Budget, Record
from ingest.sources.formats import DocumentFormat
from ingest.sources.listing import LISTING_SCHEMA, ListedDocument, to_table
from ingest.versions import code_version
from kb.errors import SourceError

_TOGETHER = 5_000
_SOURCE = b"source"
_INDEX = "index.parquet"


Opened = Callable[[], io.BufferedReader]


@dataclass(frozen=True, slots=True)
class _Cut:
    """How a pack is made again."""

    file: ListedDocument
    wanted: DocumentFormat
    opened: Opened


class Packs:
    """The packs of one lake. New ones are made in ``fresh`` where that is given, and nothing is written in the lake."""

    def __init__(self, root: Path, *, fresh: Path | None = None) -> None:
        self.root = root
        self._fresh = fresh or root
        self._used: set[str] = set()
        self._cuts: dict[bytes, _Cut] = {}
        self._version = code_version("ingest.sources.cutting")

    def listed(
        self, file: ListedDocument, wanted: DocumentFormat, opened: Opened, again: Opened | None = None
    ) -> pa.Table:
        """The documents of a file, `LISTING_SCHEMA`; cut out of what ``opened`` gives when this content is new. Raises OSError.

        ``again`` opens it once more (None: as ``opened`` does), should a run want to read what is not there any more.
        """
        self._used.add(file.doc)
        identity = f"{file.content} {self._version} {wanted}"
        name = Path(file.doc) / hashlib.sha256(identity.encode()).hexdigest()[:24]
        folder = self.root / name
        table = _read(folder)
        if table is None:
            folder = self._fresh / name
            with _room(file), opened() as stream:
                self._make(folder, file, self._records(stream, file, wanted))
            table = pq.read_table(folder / _INDEX)
        place = os.fsencode(folder / "data")
        self._cuts[place] = _Cut(file, wanted, again or opened)
        location = pa.repeat(pa.scalar(place), table.num_rows)
        columns = {name: table[name] for name in table.column_names} | {"location": location}
        return pa.table([columns[name] for name in LISTING_SCHEMA.names], schema=LISTING_SCHEMA)

    def fill(self, locations: pa.ChunkedArray) -> None:
        """Have the bytes of these documents there. SourceError when a file is not what was listed any more."""
        for place in pc.unique(locations).to_pylist():
            cut, data = self._cuts.get(place), Path(os.fsdecode(place))
            if cut is None or data.exists():
                continue
            before = pq.read_table(data.with_name(_INDEX))
            try:
                with _room(cut.file), cut.opened() as stream:
                    self._make(data.parent, cut.file, self._records(stream, cut.file, cut.wanted))
                changed = not pq.read_table(data.with_name(_INDEX)).equals(before)
            except OSError:
                changed = True
            if changed:
                shutil.rmtree(data.parent, ignore_errors=True)
                problem = f"{cut.file.path} of {cut.file.source} changed while it was read"
                raise SourceError(problem, cure="run `kb ingest` again")

    def empty(self) -> None:
        """Remove the bytes of all documents; what was listed stays known."""
        for data in self.root.glob("*/*/data"):
            data.unlink(missing_ok=True)

    def scratch(self) -> Path:
        """A folder for what must be laid down for a while."""
        folder = self._fresh / "scratch"
        folder.mkdir(parents=True, exist_ok=True)
        return folder

    def prune(self, sources: Iterable[str]) -> None:
        """Removes the packs of files that are not in these sources any more, and what a killed run left half done."""
        given = {b"", *(source.encode() for source in sources)}
        for folder in self.root.glob("*"):
            if folder.name not in self._used and _source(folder) in given:
                shutil.rmtree(folder, ignore_errors=True)

    def _records(self, stream: io.BufferedReader, file: ListedDocument, wanted: DocumentFormat) -> Iterator[Record]:
        cutter = Cutter(wanted, Budget(file.size), self.scratch())
        found = False
        for record in cutter.records(stream, file.path):
            found = True
            yield record
        if not found:
            yield Record("", reason=Reason.EMPTY, detail="it holds no document")

    def _make(self, folder: Path, file: ListedDocument, records: Iterator[Record]) -> None:
        """Writes a pack beside its place and moves it there; then the packs of former contents go."""
        shutil.rmtree(folder.parent / "new", ignore_errors=True)
        fresh = folder.parent / "new"
        fresh.mkdir(parents=True)
        schema = LISTING_SCHEMA.remove(LISTING_SCHEMA.get_field_index("location"))
        schema = schema.with_metadata({_SOURCE: file.source.encode()})
        with (fresh / "data").open("wb") as data, pq.ParquetWriter(fresh / _INDEX, schema) as index:
            placed = _placed(file, records, data)
            while rows := list(islice(placed, _TOGETHER)):
                index.write_table(to_table(rows).drop_columns(["location"]))
        for name in ("data", _INDEX):
            sync(fresh / name)
        shutil.rmtree(folder, ignore_errors=True)  # one that somebody has tampered with
        fresh.rename(folder)
        sync(folder.parent)
        for former in folder.parent.iterdir():
            if former != folder:
                shutil.rmtree(former, ignore_errors=True)


def _read(folder: Path) -> pa.Table | None:
    """The listing of a pack; None where there is none, or with half of its bytes."""
    data = folder / "data"
    try:
        table = pq.read_table(folder / _INDEX)
        ends = pc.max(pc.add(table["offset"], table["size"])).as_py() or 0
        return table if not data.exists() or data.stat().st_size == ends else None
    except (OSError, pa.ArrowException):
        return None


def _placed(file: ListedDocument, records: Iterator[Record], data: io.BufferedWriter) -> Iterator[ListedDocument]:
    """The rows of the records, whose bytes go to ``data``. Equal names get -2, -3 … so that none is lost."""
    repeated: dict[str, int] = {}
    offset = 0
    for record in records:
        repeated[record.name] = count = repeated.get(record.name, 0) + 1
        size = 0 if record.reason else data.write(record.data)
        yield replace(
            file,
            path=_spelled(file.path + record.name + (f"-{count}" if count > 1 else "")),
            format=record.format.value,
            size=size,
            content=record.content,
            offset=offset,
            line=record.line,
            reason=record.reason.value if record.reason else "",
            detail=record.detail[:300],
        )
        offset += size


def _spelled(name: str) -> str:
    return name.encode("utf-8", "backslashreplace").decode()


def _source(folder: Path) -> bytes:
    """The source that the packs in a folder belong to; empty when there is none whole."""
    for index in folder.glob(f"*/{_INDEX}"):
        try:
            return bytes((pq.read_schema(index).metadata or {}).get(_SOURCE, b""))
        except (OSError, pa.ArrowException):
            continue
    return b""


def lost(table: pa.Table) -> tuple[tuple[str, str], ...]:
    """Source and path prefixes of what could not be read in files that hold many documents."""
    broken = table.filter(
        pc.is_in(table["reason"], value_set=pa.array([Reason.UNREADABLE, Reason.UNSAFE], pa.string()))
    )
    pairs = zip(broken["source"].to_pylist(), broken["path"].to_pylist(), strict=True)
    return tuple((source, f"{path}{sign}") for source, path in pairs for sign in ("#", "!/"))


@contextmanager
def _room(file: ListedDocument) -> Iterator[None]:
    """Tells a full disk from a file that cannot be read."""
    try:
        yield
    except (OSError, sqlite3.Error) as error:
        full = getattr(error, "errno", None) in NO_ROOM or "full" in str(error)
        if not full and isinstance(error, OSError):
            raise
        raise SourceError(
            f"no room to unpack {file.path} of {file.source} ({error})", cure="free room on the disk of KB_HOME"
        ) from error
