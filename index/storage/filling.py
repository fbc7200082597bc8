"""Fill Milvus with the candidates of a snapshot: written under another name, counted, renamed."""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from index.storage.candidates import idf
from index.storage.lexical import kept_length, length_factor
from index.storage.milvus import LONG, NOTHING, STEP, Milvus, MilvusCollection, pymilvus, sparse, stored_print
from index.storage.place import CandidatePlace
from index.storage.segment import SnapshotSegment
from index.storage.snapshot import SnapshotInfo
from index.storage.vectors import FLAT_UP_TO
from index.terms.frequencies import Frequencies
from index.terms.hashing import Hashes
from kb.errors import CandidatesError

Progress = Callable[[int, int], None]
"""Called with the rows that are there and all rows."""
_BLOCK = 512
"""Rows sent at once: 5 to 15 MB, where a server takes 64."""
_MOST_IN_ARRAY = 4_096
"""Milvus's limit. An incident with more fingerprints is found by the first of them."""
_FILLING = "_filling"
_HNSW = {"M": 32, "efConstruction": 256}


def fill(info: SnapshotInfo, place: CandidatePlace, progress: Progress | None = None) -> int:
    """Put a snapshot's candidates into its collection; how many rows it has then. One that is there and whole stays as it is.

    CandidatesError when the server does not answer: what answered before answers on.
    """
    snapshot = SnapshotSegment(info)
    try:
        return _Filling(snapshot, place, info).run(progress or (lambda _done, _all: None))
    finally:
        snapshot.close()


def forget(place: CandidatePlace, snapshot_id: str) -> None:
    """Delete the collection of a snapshot, if there is one."""
    milvus = Milvus(place)
    try:
        for name in (place.of_snapshot(snapshot_id), place.of_snapshot(snapshot_id) + _FILLING):
            milvus.call("drop_collection", seconds=STEP, collection_name=name)
    finally:
        milvus.close()


def held_of(place: CandidatePlace, info: SnapshotInfo) -> int | None:
    """How many rows of a snapshot are there; None where it has no collection."""
    collection = MilvusCollection(place, info.id, info.manifest.counts["searchable"], {})
    try:
        return collection.held()
    finally:
        collection.close()


class _Filling:
    def __init__(self, snapshot: SnapshotSegment, place: CandidatePlace, info: SnapshotInfo) -> None:
        self._snapshot = snapshot
        self._milvus = Milvus(place)
        self._counted = {"words": snapshot.words, "frames": snapshot.frames}
        self._final = MilvusCollection(place, info.id, snapshot.searchable, self._counted)
        self._name = self._final.name + _FILLING
        self._dim = info.manifest.dim
        self._prints = snapshot.prints_by_row()

    def run(self, progress: Progress) -> int:
        rows = self._searchable()
        try:
            if self._final.held() == len(rows):
                return len(rows)
            self._create()
            for done in self._insert(rows):
                progress(done, len(rows))
            self._call("flush", seconds=LONG, collection_name=self._name)
            self._index()
            self._final.drop()
            self._call("rename_collection", old_name=self._name, new_name=self._final.name)
            if (held := self._final.held()) != len(rows):
                problem = f"Milvus took {held} of {len(rows)} rows of {self._final.name}"
                raise CandidatesError(problem, cure="fill it again with `kb snapshots fill`")
            self._call("load_collection", seconds=LONG, collection_name=self._final.name)
            return len(rows)
        finally:
            self._final.close()
            self._milvus.close()

    def _call(self, name: str, *, seconds: float = STEP, **given: object) -> Any:
        return self._milvus.call(name, seconds=seconds, **given)

    def _searchable(self) -> npt.NDArray[np.int64]:
        """The rows that are searched: a duplicate has no facets."""
        facets = self._snapshot.columns["facets"]
        return np.array([row for row in range(len(self._snapshot)) if len(facets[row])], dtype=np.int64)

    def _create(self) -> None:
        self._call("drop_collection", collection_name=self._name)
        client = pymilvus()
        kinds = client.DataType
        schema = client.MilvusClient.create_schema(auto_id=False, enable_dynamic_field=False)
        schema.add_field("row", kinds.INT64, is_primary=True)
        schema.add_field("vector", kinds.FLOAT_VECTOR, dim=self._dim)
        for field in self._counted:
            schema.add_field(field, kinds.SPARSE_FLOAT_VECTOR)
            schema.add_field(f"{field}_length", kinds.INT32)
        tokens = {"datatype": kinds.ARRAY, "element_type": kinds.VARCHAR, "max_capacity": _MOST_IN_ARRAY}
        schema.add_field("facets", max_length=16, **tokens)
        schema.add_field("prints", max_length=33, **tokens)
        self._call("create_collection", collection_name=self._name, schema=schema, consistency_level="Bounded")

    def _insert(self, rows: npt.NDArray[np.int64]) -> Iterator[int]:
        for at in range(0, len(rows), _BLOCK):
            block = rows[at : at + _BLOCK]
            vectors = self._snapshot.vectors.of(block)
            data = [self._row(row, vector) for row, vector in zip(block.tolist(), vectors, strict=True)]
            self._call("insert", collection_name=self._name, data=data)
            yield at + len(block)

    def _row(self, row: int, vector: npt.NDArray[np.float32]) -> Mapping[str, object]:
        names = {"words": self._snapshot.columns["terms"][row], "frames": self._snapshot.frames_of(row)}
        prints = [stored_print(level, digest) for level, digest in self._prints.of(row)]
        filled: dict[str, object] = {"row": row, "vector": vector.tolist(), "prints": prints[:_MOST_IN_ARRAY]}
        filled["facets"] = [f"{name:016x}" for name in self._snapshot.columns["facets"][row].tolist()][:_MOST_IN_ARRAY]
        for (field, own), mean in zip(names.items(), self._snapshot.means, strict=True):
            filled |= {field: self._weighted(field, own, mean), f"{field}_length": kept_length(len(own))}
        return filled

    def _weighted(self, field: str, names: Hashes, mean: float) -> Mapping[int, float]:
        """What each token of a row adds to its BM25 score."""
        counted: Frequencies = self._counted[field]
        factor = length_factor(np.array([kept_length(len(names))], dtype=np.float64), mean)[0]
        weights = idf(counted.counts(names), self._snapshot.searchable) * factor
        return sparse(counted, names, weights) or NOTHING

    def _index(self) -> None:
        client = pymilvus()
        indexes = client.MilvusClient.prepare_index_params()
        is_small = self._snapshot.searchable <= FLAT_UP_TO
        kind = {"index_type": "FLAT"} if is_small else {"index_type": "HNSW", "params": _HNSW}
        indexes.add_index("vector", metric_type="IP", **kind)
        for field in self._counted:
            indexes.add_index(field, index_type="SPARSE_INVERTED_INDEX", metric_type="IP")
        if "lite" not in str(
            self._call("get_server_version")
        ):  # Milvus Lite has no index over arrays: it looks through them
            for field in ("facets", "prints"):
                indexes.add_index(field, index_type="INVERTED")
        self._call("create_index", seconds=LONG, collection_name=self._name, index_params=indexes)
