"""Fingerprint digest → incidents. Sorted arrays on disk, searched by bisection through the memory map.

Chosen over sqlite and Arrow: nothing to open or parse, 21 bytes an entry, shared between processes by the page cache.
"""

from bisect import bisect_left, bisect_right
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from kb.trace import Level

Rows = npt.NDArray[np.int64]
_LEVELS = tuple(Level)
_ENTRY = np.dtype([("high", "<u8"), ("low", "<u8"), ("level", "u1"), ("row", "<u4")])
_FILE = "fingerprints.npy"


class FingerprintWriter:
    """Collects digests and writes them sorted."""

    def __init__(self) -> None:
        self._parts: list[npt.NDArray[np.void]] = []

    def add(self, level: Level, digests: pa.ListArray, rows: npt.NDArray[np.intp]) -> None:
        """The digests (32 hexadecimal digits each) that some rows have at one level."""
        found = np.zeros(len(digests.flatten()), dtype=_ENTRY)
        halves = np.frombuffer(bytes.fromhex("".join(digests.flatten().to_pylist())), dtype=">u8").reshape(-1, 2)
        found["high"], found["low"] = halves[:, 0], halves[:, 1]
        found["level"] = _LEVELS.index(level)
        found["row"] = np.repeat(rows, digests.value_lengths().to_numpy(zero_copy_only=False))
        self._parts.append(found)

    def write(self, folder: Path) -> None:
        """Write the sorted array."""
        whole = np.concatenate(self._parts) if self._parts else np.zeros(0, _ENTRY)
        np.save(folder / _FILE, np.sort(whole, order=["high", "low", "level", "row"]))


class FingerprintIndex:
    """Looks digests up."""

    def __init__(self, folder: Path) -> None:
        self._entries = np.load(folder / _FILE, mmap_mode="r").view(np.ndarray)  # bisected in a third of the time
        self._high = self._entries["high"]

    def rows(self, level: Level, digest: str) -> Rows:
        """The rows that have this digest at this level, ascending."""
        high, low = _halves(digest)
        start = bisect_left(self._high, high)  # searchsorted would copy the column, for it lies between others
        end = bisect_right(self._high, high, lo=start)
        found = self._entries[start:end]
        here = (found["low"] == np.uint64(low)) & (found["level"] == _LEVELS.index(level))
        rows: Rows = found["row"][here].astype(np.int64)
        return rows

    def by_row(self) -> "PrintsByRow":
        """The same the other way round."""
        return PrintsByRow(self._entries)


class PrintsByRow:
    """The fingerprints of each row; eight bytes of memory for each of them."""

    def __init__(self, entries: npt.NDArray[np.void]) -> None:
        self._entries = entries
        self._order = np.argsort(entries["row"], kind="stable")
        self._rows = entries["row"][self._order]

    def of(self, row: int) -> list[tuple[Level, str]]:
        """The level and the digest of each fingerprint of a row."""
        start, end = np.searchsorted(self._rows, [row, row + 1])
        found = self._entries[self._order[start:end]]
        return [(_LEVELS[one["level"]], f"{one['high']:016x}{one['low']:016x}") for one in found]


def _halves(digest: str) -> tuple[int, int]:
    return int(digest[:16], 16), int(digest[16:32], 16)
