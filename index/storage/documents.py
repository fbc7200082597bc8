"""The incidents of a snapshot: any row, or any id, without reading the others.

The file is mapped to know where its parts lie, and its texts are read: of a mapped file sixteen pages come into memory for each that is
looked at, and of documents, two thirds of a snapshot, a few here and there are looked at.
"""

import json
import mmap
import os
import struct
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, NamedTuple
from weakref import finalize

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.ipc

from index.storage.catalogue import Catalogue
from index.terms.hashing import Hashes, hash_all
from kb.errors import SnapshotError
from kb.incident import Incident
from kb.record import read_chains, stored
from kb.trace import ExceptionChain
from kb.trace.wire import chain_from_dict

_FILE = "documents.arrow"
_IDS = "ids.npy"
_SCHEMA = pa.schema([("id", pa.string()), ("document", pa.string()), ("chains", pa.string())])
_OFFSET, _SPAN = struct.Struct("<i"), struct.Struct("<2i")
"""An offset as Arrow stores it in a column of strings; where a text begins and where it ends."""
_ID = np.dtype([("name", "<u8"), ("row", "<u4")])
_CURE = "`kb snapshots verify` says more; `kb ingest` again builds it anew"


class _Place(NamedTuple):
    """Where in the file the offsets of a column's texts begin, where the texts, and how many bytes these have."""

    offsets: int
    texts: int
    size: int


class DocumentWriter:
    """Appends batches of documents; row numbers count up over all of them."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._sink = pa.OSFile(str(folder / _FILE), "wb")
        self._writer = pa.ipc.new_file(self._sink, _SCHEMA)
        self._names: list[np.ndarray] = []

    def add(self, batch: pa.RecordBatch) -> None:
        """The documents of a batch of entries."""
        self._writer.write_batch(batch.select(_SCHEMA.names).cast(_SCHEMA))
        self._names.append(hash_all(batch.column("id").to_pylist()))

    def close(self) -> None:
        """Finish the file and write the id table; once more does nothing."""
        if self._sink.closed:
            return
        self._writer.close()
        self._sink.close()
        names = np.concatenate([np.zeros(0, np.uint64), *self._names])
        table = np.zeros(len(names), _ID)
        table["name"], table["row"] = names, np.arange(len(names))
        np.save(self._folder / _IDS, np.sort(table, order=["name", "row"]))


class Documents:
    """Reads rows. SnapshotError where the file is not what was written: of where its texts lie at opening, of a text when it is read."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = os.open(folder / _FILE, os.O_RDONLY)
        finalize(self, os.close, self._file)  # when nobody reads any more: its number may be another file's then
        self._ids = np.load(folder / _IDS, mmap_mode="r")
        try:
            self._batches, self._starts, self._places = self._laid_out()
        except (pa.ArrowException, OSError, ValueError, KeyError) as error:
            raise self._damaged() from error
        if len(self._ids) and self._ids["row"].max() >= len(self):
            raise SnapshotError(f"{folder / _IDS} is not what was written", cure=_CURE)

    def _laid_out(self) -> tuple[list[pa.RecordBatch], list[int], dict[str, list[_Place]]]:
        """Return the batches; the first row of each, and behind them how many rows there are; and the places of each column's batches.

        Every offset is looked at, so that no later read goes astray: of a million incidents 12 MB, 14 ms of CPU (2026-11-30).
        """
        mapped = pa.py_buffer(mmap.mmap(self._file, 0, access=mmap.ACCESS_READ))
        reader = pa.ipc.open_file(mapped)
        if reader.schema != _SCHEMA:
            raise ValueError("another schema")
        batches = [reader.get_batch(i) for i in range(reader.num_record_batches)]
        starts = [0, *accumulate(batch.num_rows for batch in batches)]
        if starts[-1] != len(self._ids):
            raise ValueError("another number of rows")
        places = {name: [_place(batch.column(name), mapped.address) for batch in batches] for name in _SCHEMA.names}
        for column in places.values():
            for place, batch in zip(column, batches, strict=True):
                self._bounds(place, batch.num_rows)
        return batches, starts, places

    def __len__(self) -> int:
        return self._starts[-1]

    def id_of(self, row: int) -> str:
        """The id at a row."""
        return self._cell(row, "id")

    def names_of(self, rows: npt.NDArray[np.int64]) -> Hashes:
        """The names of the ids at some rows, without reading the ids."""
        found: Hashes = self._names[rows]
        return found

    @cached_property
    def _names(self) -> Hashes:
        """The names of the ids by row: eight bytes each, made when the first rows tie."""
        names = np.zeros(len(self), np.uint64)
        names[self._ids["row"]] = self._ids["name"]
        return names

    def ids(self) -> Iterator[str]:
        """The ids of all rows, in order."""
        for start, end, place in zip(self._starts[:-1], self._starts[1:], self._places["id"], strict=True):
            try:
                yield from [one.decode() for one in self._texts(place, end - start)]
            except ValueError as error:
                raise self._damaged(start) from error

    def incident(self, row: int) -> Incident:
        """The incident at a row."""
        shown = self.shown(row)
        return replace(shown, chains=read_chains(shown.traces))

    def shown(self, row: int) -> Incident:
        """The same without chains: reading its traces again costs more than finding it."""
        written = self._json(row, "document")
        try:
            return stored(written)
        except (ValueError, KeyError, TypeError, AttributeError) as error:  # a changed letter of a key
            raise self._damaged(row) from error

    def chains(self, row: int) -> tuple[ExceptionChain, ...]:
        """Its normalised chains."""
        written = self._json(row, "chains")
        try:
            return tuple(map(chain_from_dict, written))
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            raise self._damaged(row) from error

    def row_of(self, incident_id: str) -> int | None:
        """The row of an id; None when no incident has it."""
        name = hash_all([incident_id])[0]
        start = int(np.searchsorted(self._ids["name"], name, side="left"))
        for entry in self._ids[start : start + 8]:
            if entry["name"] == name and self._cell(int(entry["row"]), "id") == incident_id:
                return int(entry["row"])
        return None

    @cached_property
    def catalogue(self) -> Catalogue:
        """All that is found of them, to be browsed. Every document is read, once."""
        try:
            return Catalogue.of(self._written())
        except (ValueError, KeyError, TypeError) as error:  # pyarrow's are ValueErrors
            raise self._damaged() from error

    def _written(self) -> Iterator[tuple[bytes, bytes]]:
        """Document and chains of each row, as they were written, read a batch at a time."""
        for start, end, *places in zip(
            self._starts[:-1], self._starts[1:], self._places["document"], self._places["chains"], strict=True
        ):
            yield from zip(*(self._texts(place, end - start) for place in places), strict=True)

    def _texts(self, place: _Place, count: int) -> list[bytes]:
        """All texts of a column's batch. ValueError for offsets that cannot be right."""
        bounds = self._bounds(place, count).tolist()
        whole = os.pread(self._file, bounds[-1] - bounds[0], place.texts + bounds[0])
        return [whole[begin - bounds[0] : end - bounds[0]] for begin, end in pairwise(bounds)]

    def _bounds(self, place: _Place, count: int) -> npt.NDArray[np.int32]:
        """Where each text of a batch begins, and where the last ends. ValueError where they do not ascend within the texts."""
        bounds = np.frombuffer(os.pread(self._file, _OFFSET.size * (count + 1), place.offsets), "<i4")
        is_right = len(bounds) == count + 1 and bounds[0] >= 0 and bounds[-1] <= place.size
        if not is_right or (bounds[1:] < bounds[:-1]).any():
            raise ValueError("offsets that do not ascend")
        return bounds

    def repeated(self) -> str | None:
        """An id that two rows have; None when there is none."""
        same = np.flatnonzero(self._ids["name"][1:] == self._ids["name"][:-1])
        return self.id_of(int(self._ids["row"][same[0]])) if len(same) else None

    def some_titles(self, count: int) -> list[str]:
        """The titles of so many incidents, drawn by the names of their ids: the same ones however they came."""
        return [self.shown(int(entry["row"])).title for entry in self._ids[:count]]

    def close(self) -> None:
        """Answer no more; the file is let go of when the last search that began before has ended."""
        self._batches, self._places = [], {}

    def _damaged(self, row: int | None = None) -> SnapshotError:
        where = self._folder / _FILE if row is None else f"row {row} of {self._folder / _FILE}"
        return SnapshotError(f"{where} is not what was written", cure=_CURE)

    def _json(self, row: int, column: str) -> Any:
        """What was written there."""
        try:
            return json.loads(self._cell(row, column))
        except ValueError as error:
            raise self._damaged(row) from error

    def _batch_of(self, row: int) -> int:
        return bisect_right(self._starts, row) - 1  # numpy takes twice as long for each

    def _cell(self, row: int, column: str) -> str:
        batch = self._batch_of(row)
        place = self._places[column][batch]
        read = os.pread(self._file, _SPAN.size, place.offsets + _OFFSET.size * (row - self._starts[batch]))
        try:
            begin, end = _SPAN.unpack(read)
            if not 0 <= begin <= end <= place.size:
                raise self._damaged(row)
            return os.pread(self._file, end - begin, place.texts + begin).decode()
        except (struct.error, UnicodeDecodeError) as error:
            raise self._damaged(row) from error


def _place(column: pa.StringArray, start: int) -> _Place:
    """``start`` is where the file is mapped to."""
    _, offsets, texts = column.buffers()
    at = offsets.address + _OFFSET.size * column.offset - start
    return _Place(at, texts.address - start, texts.size) if texts else _Place(at, 0, 0)
