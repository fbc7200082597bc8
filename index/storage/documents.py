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
from typing import Any
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
    """Reads rows."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._file = os.open(folder / _FILE, os.O_RDONLY)
        finalize(self, os.close, self._file)  # when nobody reads any more: its number may be another file's then
        mapped = pa.py_buffer(mmap.mmap(self._file, 0, access=mmap.ACCESS_READ))
        reader = pa.ipc.open_file(mapped)
        self._batches = [reader.get_batch(i) for i in range(reader.num_record_batches)]
        self._places = {
            name: [_places(batch.column(name), mapped.address) for batch in self._batches] for name in _SCHEMA.names
        }
        self._starts: list[int] = [0, *accumulate(batch.num_rows for batch in self._batches)]
        self._ids = np.load(folder / _IDS, mmap_mode="r")

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
        for batch in self._batches:
            yield from batch.column("id").to_pylist()

    def incident(self, row: int) -> Incident:
        """The incident at a row."""
        shown = self.shown(row)
        return replace(shown, chains=read_chains(shown.traces))

    def shown(self, row: int) -> Incident:
        """The same without chains: reading its traces again costs more than finding it."""
        return stored(self._json(row, "document"))

    def chains(self, row: int) -> tuple[ExceptionChain, ...]:
        """Its normalised chains."""
        return tuple(chain_from_dict(chain) for chain in self._json(row, "chains"))

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
        return Catalogue.of(self._written())

    def _written(self) -> Iterator[tuple[bytes, bytes]]:
        """Document and chains of each row, as they were written, read a batch at a time."""
        for at in range(len(self._batches)):
            yield from zip(self._texts("document", at), self._texts("chains", at), strict=True)

    def _texts(self, column: str, batch: int) -> list[bytes]:
        """All cells of a column in a batch."""
        at, texts = self._places[column][batch]
        count = self._starts[batch + 1] - self._starts[batch]
        offsets = np.frombuffer(os.pread(self._file, _OFFSET.size * (count + 1), at), "<i4").tolist()
        whole = os.pread(self._file, offsets[-1] - offsets[0], texts + offsets[0])
        return [whole[begin - offsets[0] : end - offsets[0]] for begin, end in pairwise(offsets)]

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

    def _json(self, row: int, column: str) -> Any:
        """What was written there. SnapshotError when a byte of it has changed since (sizes alone are checked at opening)."""
        try:
            return json.loads(self._cell(row, column))
        except ValueError as error:  # JSONDecodeError, UnicodeDecodeError
            raise SnapshotError(
                f"row {row} of {self._folder / _FILE} is not what was written",
                cure="`kb snapshots verify` says more; `kb ingest` again builds it anew",
            ) from error

    def _batch_of(self, row: int) -> int:
        return bisect_right(self._starts, row) - 1  # numpy takes twice as long for each

    def _cell(self, row: int, column: str) -> str:
        batch = self._batch_of(row)
        offsets, texts = self._places[column][batch]
        at = offsets + _OFFSET.size * (row - self._starts[batch])
        begin, end = _SPAN.unpack(os.pread(self._file, _SPAN.size, at))
        return os.pread(self._file, end - begin, texts + begin).decode()


def _places(column: pa.StringArray, start: int) -> tuple[int, int]:
    """Where in the file the offsets of the column's texts begin, and where the texts: ``start`` is where the file is mapped to."""
    _, offsets, texts = column.buffers()
    return offsets.address + _OFFSET.size * column.offset - start, texts.address - start if texts else 0
