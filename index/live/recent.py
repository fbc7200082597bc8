"""Rows in memory that are searched like those of a snapshot: the same sides, the same columns, the same documents."""

import json
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from index.encoder import Vectors, normalised
from index.storage.candidates import ByFingerprint, ByVector, CandidateQuery, Scored, Sought
from index.storage.catalogue import Catalogue
from index.storage.fingerprints import Rows
from index.storage.lexical import kept_length, length_factor
from index.storage.segment import COLUMNS, RAGGED, Column
from index.terms.hashing import Hashes, distinct, hash_all
from index.terms.ragged import MARKED, Laid, marks
from kb.incident import Incident
from kb.record import read_chains, stored
from kb.trace import ExceptionChain, Level
from kb.trace.wire import chain_from_dict

_FREE = np.iinfo(np.uint32).max
"""The row in a place that nothing was written to: beyond every row."""

Posted = npt.NDArray[np.uint32]
"""Rows, ascending."""


class Postings:
    """Which rows have a key."""

    def __init__(self) -> None:
        self._held: dict[Hashable, Posted] = {}
        self._used: dict[Hashable, int] = {}

    def add(self, row: int, keys: Iterable[Hashable]) -> None:
        """The distinct keys of the next row."""
        for key in keys:
            used = self._used.get(key, 0)
            held = self._held.get(key)
            if held is None or used == len(held):
                grown = np.full(2 * used or 1, _FREE, dtype=np.uint32)
                grown[:used] = held if held is not None else 0
                self._held[key] = held = grown
            held[used] = row
            self._used[key] = used + 1

    def of(self, key: Hashable, below: int) -> Posted:
        """The rows below one that have the key."""
        held = self._held.get(key)
        return np.zeros(0, np.uint32) if held is None else held[held < below]


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


def bm25(postings: Postings, sought: Sought, lengths: npt.NDArray[np.float32]) -> npt.NDArray[np.float64]:
    """The score of each row, as tantivy sums it over tokens of which each row has one at most."""
    found = np.zeros(len(lengths))
    for name, weight in zip(sought.names.tolist(), (sought.weights * sought.idf).tolist(), strict=True):
        found[postings.of(name, len(lengths))] += weight
    return found * length_factor(lengths.astype(np.float64), sought.mean)


def best(rows: npt.NDArray[np.int64], scores: npt.NDArray[np.floating], limit: int) -> list[tuple[int, float]]:
    """The rows with the best scores, best first, ties by row; all that tie with the last, so that it is not chance who is left out."""
    if len(rows) > limit:
        kept = scores >= np.partition(scores, -limit)[-limit]
        rows, scores = rows[kept], scores[kept]
    order = np.lexsort((rows, -scores))
    return list(zip(rows[order].tolist(), scores[order].tolist(), strict=True))


@dataclass(frozen=True, slots=True)
class RecentEntry:
    """An entry in memory. What is searched of a duplicate is empty: it is found by its id alone."""

    id: str
    document: str
    packed_chains: str
    columns: Mapping[str, npt.NDArray[Any]]
    is_searchable: bool
    words: Hashes
    """Distinct ones, as frames and types are."""
    frames: Hashes
    prints: tuple[tuple[Level, str], ...]
    vector: npt.NDArray[np.float32]


def rows_of(batch: pa.RecordBatch) -> list[RecentEntry]:
    """The entries of a batch, in order."""
    marked = marks(batch.column("terms"), [batch.column(name) for name in MARKED])
    rows = batch.to_pylist()
    ends = accumulate(len(entry["terms"]) for entry in rows)
    return [_row(entry, marked[end - len(entry["terms"]) : end]) for entry, end in zip(rows, ends, strict=True)]


def _row(entry: Mapping[str, Any], marked: npt.NDArray[np.uint8]) -> RecentEntry:
    is_searchable = json.loads(entry["document"]).get("duplicate_of") is None
    nothing = np.zeros(0, np.uint64)
    columns: dict[str, npt.NDArray[Any]] = {
        name: np.array(entry[name], dtype=np.int64).view(np.uint64) for name in RAGGED
    }
    columns["marks"] = marked
    words, frames = entry["said"].split(), [int(name, 16) for name in entry["called"].split()]
    vector = np.array(entry["vector"], dtype=np.float32)
    return RecentEntry(
        id=entry["id"],
        document=entry["document"],
        packed_chains=entry["chains"],
        columns=columns if is_searchable else columns | {"facets": nothing},
        is_searchable=is_searchable,
        words=distinct(hash_all(words) if is_searchable else nothing),
        frames=distinct(np.array(frames if is_searchable else [], dtype=np.uint64)),
        prints=tuple((level, digest) for level in Level for digest in entry[level.value]) if is_searchable else (),
        vector=vector if is_searchable else np.zeros_like(vector),
    )


class RecentRows:
    """Rows that only ever become more. One thread appends; segments of it are searched meanwhile."""

    def __init__(self, dim: int) -> None:
        self.rows: list[RecentEntry] = []
        self.words, self.frames, self.prints, self.facets = Postings(), Postings(), Postings(), Postings()
        self.vectors = PostingTable(dim)
        self.lengths = PostingTable(2)
        """Of each row, how many words and how many frames it has."""

    def append(self, row: RecentEntry) -> int:
        """Add a row; its number."""
        at = len(self.rows)
        self.words.add(at, row.words.tolist())
        self.frames.add(at, row.frames.tolist())
        self.prints.add(at, dict.fromkeys(row.prints))
        self.facets.add(at, dict.fromkeys(row.columns["facets"].tolist()))
        self.vectors.append(row.vector)
        self.lengths.append(np.array([kept_length(len(field)) for field in (row.words, row.frames)]))
        self.rows.append(row)
        return at


@dataclass(frozen=True)
class RecentSegment:
    """The rows as they were at one moment."""

    held: RecentRows
    size: int
    latest: Mapping[str, int]
    """The row of each id; all others are hidden."""

    def __len__(self) -> int:
        return self.size

    @property
    def documents(self) -> "RecentSegment":
        """Itself."""
        return self

    @cached_property
    def columns(self) -> Mapping[str, Column]:
        """COLUMNS by name."""
        return {name: _RecentColumn(self.held.rows, name) for name in COLUMNS}

    @cached_property
    def vectors(self) -> Nearest:
        """Where the rows lie."""
        return Nearest(self.held.vectors.first(self.size))

    def find(self, query: CandidateQuery, limit: int) -> Sequence[Scored]:
        """The best rows of each side; some more where several are equally good."""
        allowed = self._allowed(query.required)
        here = replace(query, allowed=allowed)
        lengths = self.held.lengths.first(self.size)
        fields = ((self.held.frames, query.frames, 1), (self.held.words, query.words, 0))
        scored = [bm25(postings, sought, lengths[:, at]) for postings, sought, at in fields]
        by_tokens = [np.where(allowed, scores, 0.0) for scores in scored]
        return [
            ByFingerprint(self).find(here, self.size),
            *(Scored.of(best(np.flatnonzero(scores), scores[scores > 0], limit)) for scores in by_tokens),
            ByVector(self.vectors).find(here, limit),
        ]

    def rows(self, level: Level, digest: str) -> Rows:
        """The rows with that fingerprint, ascending."""
        found = self.held.prints.of((level, digest), self.size)
        return found[self._is_latest[found]].astype(np.int64)

    def row_of(self, incident_id: str) -> int | None:
        """The row of an id; None when it has none."""
        return self.latest.get(incident_id)

    def shown_rows(self) -> Iterable[int]:
        """The rows that are not hidden, ascending."""
        return np.flatnonzero(self._is_latest).tolist()

    def id_of(self, row: int) -> str:
        """The id at a row."""
        return self.held.rows[row].id

    def names_of(self, rows: npt.NDArray[np.int64]) -> Hashes:
        """The names of the ids at some rows."""
        return hash_all(self.held.rows[row].id for row in rows.tolist())

    def incident(self, row: int) -> Incident:
        """The incident at a row."""
        shown = self.shown(row)
        return replace(shown, chains=read_chains(shown.traces))

    def shown(self, row: int) -> Incident:
        """The same without chains."""
        return stored(json.loads(self.held.rows[row].document))

    def chains(self, row: int) -> tuple[ExceptionChain, ...]:
        """Its normalised chains."""
        return tuple(chain_from_dict(chain) for chain in json.loads(self.held.rows[row].packed_chains))

    def catalogue(self) -> Catalogue:
        """The incidents that are found and not hidden, to be browsed."""
        rows = (self.held.rows[row] for row in self.shown_rows())
        return Catalogue.of((one.document.encode(), one.packed_chains.encode()) for one in rows)

    def ids(self) -> Iterator[str]:
        """All ids, duplicates included."""
        return iter(self.latest)

    @cached_property
    def _is_latest(self) -> npt.NDArray[np.bool_]:
        latest = np.zeros(self.size, dtype=np.bool_)
        latest[list(self.latest.values())] = True
        return latest

    def _allowed(self, required: Sequence[str]) -> npt.NDArray[np.bool_]:
        """The rows that have all the facets."""
        allowed = self._is_latest
        for facet in hash_all(required).tolist():
            here = np.zeros(self.size, dtype=np.bool_)
            here[self.held.facets.of(facet, self.size)] = True
            allowed = allowed & here
        return allowed


class _RecentColumn:
    def __init__(self, rows: Sequence[RecentEntry], name: str) -> None:
        self._rows = rows
        self._name = name

    def __getitem__(self, row: int) -> npt.NDArray[Any]:
        return self._rows[row].columns[self._name]

    def each(self, rows: npt.NDArray[np.int64]) -> Laid:
        held = [self[row] for row in rows.tolist()]
        return np.concatenate(held), np.array([len(values) for values in held])
