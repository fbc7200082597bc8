"""Postings, numbers and vectors in memory that grow at the end while what is already there is searched.

Nothing that was written changes, and whoever reads knows how many rows there were when it began: so readers need no lock.
"""

from collections.abc import Hashable, Iterable
from itertools import repeat

import numpy as np
import numpy.typing as npt

from index.candidates import Sought
from index.encoder import Vectors, normalised

_K1, _B = 1.2, 0.75
"""Of BM25, as Lucene and tantivy have them."""
_FREE = np.iinfo(np.uint32).max
"""The row in a place that nothing was written to: beyond every row."""

Posted = npt.NDArray[np.uint32]
"""Shape (n, 2): rows, ascending, and how often the key stands in each."""


class Postings:
    """Which rows have a key, and how often."""

    def __init__(self) -> None:
        self._held: dict[Hashable, Posted] = {}
        self._used: dict[Hashable, int] = {}

    def add(self, row: int, keys: Iterable[Hashable], times: Iterable[int] = repeat(1)) -> None:
        """The distinct keys of the next row."""
        for key, count in zip(keys, times, strict=False):
            used = self._used.get(key, 0)
            held = self._held.get(key)
            if held is None or used == len(held):
                grown = np.full((2 * used or 1, 2), _FREE, dtype=np.uint32)
                grown[:used] = held if held is not None else 0
                self._held[key] = held = grown
            held[used] = row, count
            self._used[key] = used + 1

    def of(self, key: Hashable, below: int) -> Posted:
        """The rows below one that have the key."""
        held = self._held.get(key)
        return np.zeros((0, 2), np.uint32) if held is None else held[held[:, 0] < below]


class PostingTable:
    """Rows of equally many numbers."""

    def __init__(self, width: int) -> None:
        self._values = np.zeros((16, width), dtype=np.float32)
        self._used = 0

    def append(self, row: npt.NDArray[np.float32]) -> None:
        """Add one row."""
        if self._used == len(self._values):
            self._values = np.concatenate([self._values, np.zeros_like(self._values)])
        self._values[self._used] = row
        self._used += 1

    def first(self, size: int) -> npt.NDArray[np.float32]:
        """The first rows, as they will stay."""
        return self._values[:size]


class Nearest:
    """Vectors of length one (or nothing), searched one by one."""

    def __init__(self, rows: Vectors) -> None:
        self._rows = rows

    def nearest(
        self, vector: npt.NDArray[np.float32], limit: int, allowed: npt.NDArray[np.bool_] | None = None
    ) -> list[tuple[int, float]]:
        """(row, cosine) of the nearest rows, best first, ties by row; only allowed rows when a mask is given."""
        if not vector.any():
            return []
        query = normalised(vector.reshape(1, -1))[0]
        scores = np.einsum(
            "rd,d->r", self._rows, query
        )  # one thread: searches run beside each other, and BLAS would spin
        rows = np.arange(len(scores)) if allowed is None else np.flatnonzero(allowed)
        return best(rows, scores[rows], limit)

    def cosines(self, vector: npt.NDArray[np.float32], rows: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """The cosine of the vector with each row."""
        found: npt.NDArray[np.float32] = self.of(rows) @ normalised(vector.reshape(1, -1))[0]
        return found

    def of(self, rows: npt.NDArray[np.int64]) -> Vectors:
        """The vectors of some rows, of length one."""
        found: Vectors = self._rows[rows]
        return found


def bm25(postings: Postings, sought: Sought, lengths: npt.NDArray[np.float32], mean: float) -> npt.NDArray[np.float64]:
    """The score of each row, as tantivy sums it: weight · idf · tf · (k1 + 1) / (tf + k1 · (1 - b + b · length / mean))."""
    found = np.zeros(len(lengths))
    for name, weight in zip(sought.names.tolist(), (sought.weights * sought.idf).tolist(), strict=True):
        posted = postings.of(name, len(lengths))
        rows, times = posted[:, 0], posted[:, 1].astype(np.float64)
        found[rows] += weight * times * (_K1 + 1) / (times + _K1 * (1 - _B + _B * lengths[rows] / mean))
    return found


def best(rows: npt.NDArray[np.int64], scores: npt.NDArray[np.floating], limit: int) -> list[tuple[int, float]]:
    """The rows with the best scores, best first, ties by row; all that tie with the last, so that it is not chance who is left out."""
    if len(rows) > limit:
        kept = scores >= np.partition(scores, -limit)[-limit]
        rows, scores = rows[kept], scores[kept]
    order = np.lexsort((rows, -scores))
    return list(zip(rows[order].tolist(), scores[order].tolist(), strict=True))


def kept_length(length: int) -> int:
    """The length of a field as tantivy (and Lucene's SmallFloat) remember it in one byte: exact below 40, then four leading bits."""
    beyond = length - 24
    spare = max(beyond.bit_length() - 4, 0) if beyond > 0 else 0
    return length if spare == 0 else 24 + (beyond >> spare << spare)
