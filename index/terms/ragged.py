"""Rows of numbers of unequal length in two files: values as they come, and where each row begins. Memory-mapped to read.

The words of the title and of the cause are words of the whole: a byte for each of those says so (`marks`).
"""

from array import array
from collections.abc import Sequence
from copy import copy
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from index.terms.hashing import Hashes

MARKED = ("title", "cause", "translated_title", "translated_cause", "translated")
"""What a word of the whole may be of as well; the bits of its mark, the first of the lowest."""

Laid = tuple[npt.NDArray[Any], npt.NDArray[np.int64]]
"""The values of some rows, laid end to end, and how many each row has."""


class RaggedWriter:
    """Appends rows; memory grows by eight bytes a row."""

    def __init__(self, stem: Path) -> None:
        self._stem = stem
        self._values = stem.with_suffix(".values").open("wb")
        self._offsets = array("Q", [0])

    def extend(self, rows: pa.ListArray) -> None:
        """Add rows of names (as entries have them, signed)."""
        values, lengths = parts(rows)
        self._values.write(values.astype("<u8", copy=False).data)
        ends = np.cumsum(lengths, dtype=np.uint64) + np.uint64(self._offsets[-1])
        self._offsets.frombytes(ends.tobytes())

    def close(self) -> None:
        """Write the offsets; once more does nothing."""
        if self._values.closed:
            return
        self._values.close()
        np.save(self._stem.with_suffix(".offsets.npy"), np.frombuffer(self._offsets, dtype=np.uint64))


def marks(whole: pa.ListArray, within: Sequence[pa.ListArray]) -> npt.NDArray[np.uint8]:
    """For each value of ``whole`` a byte: which of ``within``, that hold part of each row, have it; the first bit for the first of them.

    Names are distinct and ascending within a row, so a row and a name among all of the batch make one number.
    """
    names = np.unique(parts(whole)[0])
    keys = _keys(whole, names)
    found = np.zeros(len(keys), np.uint8)
    for bit, column in enumerate(within):
        found[np.searchsorted(keys, _keys(column, names))] |= np.uint8(1 << bit)
    return found


def _keys(rows: pa.ListArray, names: Hashes) -> npt.NDArray[np.int64]:
    """(row, place of the name among the names) as one number each, ascending."""
    values, lengths = parts(rows)
    owners = np.repeat(np.arange(len(lengths)), lengths)
    return owners * max(len(names), 1) + names.searchsorted(values)


def parts(rows: pa.ListArray) -> tuple[Hashes, npt.NDArray[np.int64]]:
    """The names of all rows in order, and how many each row has."""
    values = rows.flatten().to_numpy(zero_copy_only=False).astype(np.int64, copy=False)
    return values.view(np.uint64), rows.value_lengths().to_numpy(zero_copy_only=False).astype(np.int64)


class Ragged:
    """Row ``i`` in constant time, without reading the others."""

    def __init__(self, stem: Path) -> None:
        offsets = np.load(stem.with_suffix(".offsets.npy"), mmap_mode="r")
        self.offsets: npt.NDArray[np.uint64] = offsets.view(np.ndarray)  # a plain view slices ten times faster
        self.values = _mapped(stem.with_suffix(".values"), "<u8")

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> npt.NDArray[Any]:
        return self.values[int(self.offsets[row]) : int(self.offsets[row + 1])]

    def each(self, rows: npt.NDArray[np.int64]) -> Laid:
        """Several rows, in the order asked for."""
        begins, ends = self.offsets[rows], self.offsets[rows + 1]
        places = zip(begins.tolist(), ends.tolist(), strict=True)
        values = np.concatenate([self.values[:0], *(self.values[begin:end] for begin, end in places)])
        return values, (ends - begins).astype(np.int64)

    def beside(self, path: Path) -> "Ragged":
        """The bytes of a file that has one for each value, by the same rows."""
        then = copy(self)
        then.values = _mapped(path, np.uint8)
        return then


def first_of_each(rows: Laid) -> npt.NDArray[Any]:
    """The first value of each row, 0 where it has none."""
    values, sizes = rows
    found = np.zeros(len(sizes), values.dtype)
    has = sizes > 0
    found[has] = values[(np.cumsum(sizes) - sizes)[has]]
    return found


def _mapped(path: Path, kind: npt.DTypeLike) -> npt.NDArray[Any]:
    empty = path.stat().st_size == 0  # an empty file cannot be mapped
    return np.zeros(0, kind) if empty else np.memmap(path, dtype=kind, mode="r").view(np.ndarray)
