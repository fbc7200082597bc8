"""Rows of numbers of unequal length in two files: values as they come, and where each row begins. Memory-mapped to read."""

from array import array
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from index.hashing import Hashes


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


def parts(rows: pa.ListArray) -> tuple[Hashes, npt.NDArray[np.int64]]:
    """The names of all rows in order, and how many each row has."""
    values = rows.flatten().to_numpy(zero_copy_only=False).astype(np.int64, copy=False)
    return values.view(np.uint64), rows.value_lengths().to_numpy(zero_copy_only=False).astype(np.int64)


class Ragged:
    """Row ``i`` in constant time, without reading the others."""

    def __init__(self, stem: Path) -> None:
        offsets = np.load(stem.with_suffix(".offsets.npy"), mmap_mode="r")
        self.offsets: npt.NDArray[np.uint64] = offsets.view(np.ndarray)  # a plain view slices ten times faster
        path = stem.with_suffix(".values")
        empty = path.stat().st_size == 0  # an empty file cannot be mapped
        self.values: Hashes = (
            np.zeros(0, np.uint64) if empty else np.memmap(path, dtype="<u8", mode="r").view(np.ndarray)
        )

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def __getitem__(self, row: int) -> Hashes:
        return self.values[int(self.offsets[row]) : int(self.offsets[row + 1])]

    def each(self, rows: npt.NDArray[np.int64]) -> list[Hashes]:
        """Several rows, in the order asked for."""
        begins, ends = self.offsets[rows].tolist(), self.offsets[rows + 1].tolist()
        return [self.values[begin:end] for begin, end in zip(begins, ends, strict=True)]
