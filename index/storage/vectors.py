"""Nearest embeddings by inner product (cosine: stored rows are of length one, queries are made so), memory-mapped.

How they are searched depends on how many there are. Few are compared one by one. Of many, a code of half a byte for two numbers is
looked through first (product quantisation, André et al. 2015), and the best of that are compared in half precision: as many as it
takes to find what comparing all of them would find, which is measured while building.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import faiss
import numpy as np
import numpy.typing as npt

from index.encoder import Vectors, normalised

_FILE = "vectors.faiss"
_WAITING = "vectors.waiting"

FLAT_UP_TO = 20_000
"""Rows that are compared one by one: 20 MB, about 2 ms."""
WANTED_RECALL = 0.98
"""Of the NEAREST true ones that must be found on average."""
NEAREST = 50
_SEED = 20261121
_TRAINED_ON = 40_000
"""Rows that the codes are learned from."""
RESCORED = (8, 16, 32, 64)
"""Times as many rows as are asked for that are compared in half precision."""
_BLOCK = 65_536
_FEW_SHARE = 0.02
"""Where a filter leaves fewer of the rows, each of those is compared."""
_SAME = 1e-6
"""Cosines that differ by less are of equal texts: any of these rows is as good."""


@dataclass(frozen=True, slots=True)
class VectorFacts:
    """How the vectors are searched and how well, for the manifest."""

    index: str
    """As faiss names it."""
    rescored: int
    """Times as many rows as are asked for that are compared again, more exactly; 0 where all rows are."""
    recall_at_50: float
    """Of the 50 nearest by exact comparison, the share that is found; rows at the same cosine as the last count as well."""
    cosine_error: float
    """The largest difference between a stored and an exact cosine among those."""


class VectorWriter:
    """Takes rows in batches, holds them on disk, and chooses the index when all are there; nowhere else is it chosen.

    Up to ``flat_up_to`` rows are compared one by one; of more, the least of ``rescored`` that finds enough is taken.
    """

    def __init__(
        self, folder: Path, dim: int, *, flat_up_to: int = FLAT_UP_TO, rescored: Sequence[int] = RESCORED
    ) -> None:
        self._folder = folder
        self._dim = dim
        self._flat_up_to = flat_up_to
        self._rescored = rescored
        self._rows = 0
        self._waiting = (folder / _WAITING).open("wb")

    def add(self, rows: Vectors) -> None:
        """Append normalised rows; zero rows are near to nothing."""
        self._waiting.write(np.ascontiguousarray(rows, dtype=np.float32).data)
        self._rows += len(rows)

    def write(self, queries: Vectors) -> VectorFacts:
        """Write the index file. ``queries``: vectors of likely queries; recall is measured with them and with stored rows."""
        self.close()
        path = self._folder / _WAITING
        rows = np.memmap(path, np.float32, "r", shape=(self._rows, self._dim)) if self._rows else None
        found, facts = (
            _chosen(rows, queries, self._rescored)
            if rows is not None and self._rows > self._flat_up_to
            else _flat(rows, self._dim)
        )
        faiss.write_index(found, str(self._folder / _FILE))
        path.unlink()
        return facts

    def close(self) -> None:
        """Let go of the file, finished or not."""
        self._waiting.close()


def _flat(rows: Vectors | None, dim: int) -> tuple[faiss.Index, VectorFacts]:
    index = faiss.IndexFlatIP(dim)
    for block in _blocks(rows):
        index.add(block)
    return index, VectorFacts("Flat", 0, 1.0, 0.0)


def _chosen(rows: Vectors, queries: Vectors, candidates: Sequence[int]) -> tuple[faiss.Index, VectorFacts]:
    """Codes, with as few compared again as find enough; everything one by one where that is never enough."""
    if rows.shape[1] % 2:
        return _flat(rows, rows.shape[1])
    queried = _sample_queries(rows, queries)
    scores = _nearest(rows, queried)
    name = f"PQ{rows.shape[1] // 2}x4fs,Refine(SQfp16)"
    index = _trained(rows, name)
    for rescored in candidates:
        index.k_factor = rescored
        recall, error = _measured(index, rows, queried, scores)
        if recall >= WANTED_RECALL:
            return index, VectorFacts(name, rescored, round(recall, 4), round(error, 6))
    return _flat(rows, rows.shape[1])


def _trained(rows: Vectors, name: str) -> faiss.IndexRefine:
    index: faiss.IndexRefine = faiss.index_factory(rows.shape[1], name, faiss.METRIC_INNER_PRODUCT)  # type: ignore[assignment]
    sample = np.random.default_rng(_SEED).choice(len(rows), min(len(rows), _TRAINED_ON), replace=False)
    index.train(np.ascontiguousarray(rows[np.sort(sample)]))
    for block in _blocks(rows):
        index.add(block)
    return index


def _sample_queries(rows: Vectors, queries: Vectors) -> Vectors:
    """Return what recall is measured with: stored rows drawn at random, and the queries; none that is all zeros."""
    drawn = np.sort(np.random.default_rng(_SEED).choice(len(rows), min(len(rows), 100), replace=False))
    queried = np.concatenate([rows[drawn], queries])
    return np.ascontiguousarray(queried[queried.any(axis=1)])


def _nearest(rows: Vectors, queries: Vectors) -> npt.NDArray[np.float32]:
    """The exact cosines of the nearest rows of each query, best first."""
    best = np.full((len(queries), NEAREST), -2.0, np.float32)
    for block in _blocks(rows):
        both = np.concatenate([best, queries @ block.T], axis=1)
        best = -np.partition(-both, NEAREST - 1, axis=1)[:, :NEAREST]
    return -np.sort(-best, axis=1)


def _measured(
    index: faiss.Index, rows: Vectors, queries: Vectors, scores: npt.NDArray[np.float32]
) -> tuple[float, float]:
    """Recall, and the largest error of a cosine."""
    approximate, found = index.search(queries, NEAREST)
    exact = np.einsum("qd,qnd->qn", queries, rows[np.maximum(found, 0)])
    hit = (exact >= scores[:, -1:] - _SAME) & (found >= 0)
    error = np.abs(approximate - exact)[found >= 0]
    return float(hit.mean()), float(error.max(initial=0.0))


def _blocks(rows: Vectors | None) -> Iterator[Vectors]:
    for at in range(0, 0 if rows is None else len(rows), _BLOCK):
        yield np.ascontiguousarray(rows[at : at + _BLOCK])  # type: ignore[index]


class VectorIndex:
    """Searches memory-mapped vectors."""

    def __init__(self, folder: Path) -> None:
        self._index = faiss.read_index(str(folder / _FILE), faiss.IO_FLAG_MMAP_IFC)
        faiss.omp_set_num_threads(1)  # searches run beside each other

    @property
    def dim(self) -> int:
        """How many numbers a vector has."""
        return int(self._index.d)

    def __len__(self) -> int:
        return int(self._index.ntotal)

    def nearest(
        self, vector: npt.NDArray[np.float32], limit: int, allowed: npt.NDArray[np.bool_] | None = None
    ) -> list[tuple[int, float]]:
        """(row, cosine) of the nearest rows, best first, ties by row; only allowed rows when a mask is given."""
        query = normalised(vector.reshape(1, -1).astype(np.float32))
        if not query.any() or not len(self):
            return []
        if allowed is None:
            return self._found(query, limit)
        share = float(allowed.mean())
        if share < _FEW_SHARE:
            return self._compared(query[0], np.flatnonzero(allowed), limit)
        if isinstance(self._index, faiss.IndexFlat):
            selector = faiss.IDSelectorBitmap(np.packbits(allowed, bitorder="little"))  # type: ignore[call-arg, arg-type]
            return self._found(query, limit, faiss.SearchParameters(sel=selector))  # type: ignore[call-arg]
        wanted = limit
        while wanted < len(self):  # codes know of no filter
            wanted = min(math.ceil(2 * wanted / share), len(self))
            found = [pair for pair in self._found(query, wanted) if allowed[pair[0]]]
            if len(found) >= limit:
                return found[:limit]
        return self._compared(query[0], np.flatnonzero(allowed), limit)

    def _found(
        self, query: npt.NDArray[np.float32], limit: int, parameters: faiss.SearchParameters | None = None
    ) -> list[tuple[int, float]]:
        scores, rows = self._index.search(query, min(limit, len(self)), params=parameters)
        found = [(int(r), float(s)) for r, s in zip(rows[0], scores[0], strict=True) if r >= 0]
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))

    def _compared(
        self, query: npt.NDArray[np.float32], rows: npt.NDArray[np.int64], limit: int
    ) -> list[tuple[int, float]]:
        scores = self.cosines(query, rows)
        best = np.argsort(-scores, kind="stable")[:limit]
        return [(int(rows[at]), float(scores[at])) for at in best]

    def cosines(self, vector: npt.NDArray[np.float32], rows: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """The cosine of the vector with each row, as exact as the rows are stored (`VectorFacts.cosine_error`)."""
        query = normalised(vector.reshape(1, -1).astype(np.float32))[0]
        found: npt.NDArray[np.float32] = self.of(rows) @ query
        return found

    def of(self, rows: npt.NDArray[np.int64]) -> Vectors:
        """The vectors of some rows, of length one."""
        found: Vectors = self._index.reconstruct_batch(rows)
        return found
