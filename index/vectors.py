"""Nearest embeddings by inner product (cosine: stored rows are of length one, queries are made so)."""

from pathlib import Path

import faiss
import numpy as np
import numpy.typing as npt

from index.encoder import Vectors, normalised

_FILE = "vectors.faiss"


class VectorWriter:
    """Adds rows; the design of the index is chosen here and nowhere else."""

    def __init__(self, dim: int) -> None:
        self._index = faiss.IndexFlatIP(dim)  # exact; 0.1 ms for 1,500 rows of 512. By size: a later issue
        faiss.omp_set_num_threads(1)

    def add(self, rows: Vectors) -> None:
        """Append normalised rows."""
        self._index.add(np.ascontiguousarray(rows, dtype=np.float32))

    def write(self, folder: Path) -> None:
        """Write the index file."""
        faiss.write_index(self._index, str(folder / _FILE))


class VectorIndex:
    """Searches memory-mapped vectors."""

    def __init__(self, folder: Path) -> None:
        self._index = faiss.read_index(str(folder / _FILE), faiss.IO_FLAG_MMAP_IFC)

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
        parameters = None
        if allowed is not None:
            selector = faiss.IDSelectorBatch(np.flatnonzero(allowed))
            parameters = faiss.SearchParameters(sel=selector)  # type: ignore[call-arg]
        scores, rows = self._index.search(query, min(limit, len(self)), params=parameters)
        found = [(int(r), float(s)) for r, s in zip(rows[0], scores[0], strict=True) if r >= 0]
        return sorted(found, key=lambda pair: (-pair[1], pair[0]))

    def cosines(self, vector: npt.NDArray[np.float32], rows: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """The cosine of the vector with each row."""
        query = normalised(vector.reshape(1, -1).astype(np.float32))[0]
        found: npt.NDArray[np.float32] = self._index.reconstruct_batch(rows) @ query
        return found
