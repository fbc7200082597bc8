"""Rows in memory that are searched like those of a snapshot: the same sides, the same columns, the same documents."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from index.candidates import ByFingerprint, ByVector, CandidateQuery, Scored
from index.hashing import Hashes, hash_all
from index.postings import Nearest, Postings, PostingTable, best, bm25, kept_length
from index.ragged import MARKED, marks
from index.segment import COLUMNS, Column
from kb.incident import Incident
from kb.record import read_chains, stored
from kb.trace import ExceptionChain, Level
from kb.trace.wire import chain_from_dict


@dataclass(frozen=True, slots=True)
class RecentEntry:
    """An entry in memory. What is searched of a duplicate is empty: it is found by its id alone."""

    id: str
    document: str
    packed_chains: str
    columns: Mapping[str, npt.NDArray[Any]]
    is_searchable: bool
    words: tuple[Hashes, npt.NDArray[np.int64]]
    """Distinct words, and how often each stands in the incident; frames and types likewise."""
    frames: tuple[Hashes, npt.NDArray[np.int64]]
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
        name: np.array(entry[name], dtype=np.int64).view(np.uint64) for name in COLUMNS if name != "marks"
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
        words=np.unique(hash_all(words) if is_searchable else nothing, return_counts=True),
        frames=np.unique(np.array(frames if is_searchable else [], dtype=np.uint64), return_counts=True),
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
        self.words.add(at, row.words[0].tolist(), row.words[1].tolist())
        self.frames.add(at, row.frames[0].tolist(), row.frames[1].tolist())
        self.prints.add(at, dict.fromkeys(row.prints))
        self.facets.add(at, dict.fromkeys(row.columns["facets"].tolist()))
        self.vectors.append(row.vector)
        self.lengths.append(np.array([kept_length(int(field[1].sum())) for field in (row.words, row.frames)]))
        self.rows.append(row)
        return at


@dataclass(frozen=True)
class RecentSegment:
    """The rows as they were at one moment."""

    held: RecentRows
    size: int
    latest: Mapping[str, int]
    """The row of each id; all others are hidden."""
    means: tuple[float, float]
    """How many words and how many frames an incident has on average, which is what lengths are held against."""

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

    def find(self, query: CandidateQuery, limit: int) -> Sequence[Sequence[Scored]]:
        """The best rows of each side; some more where several are equally good."""
        allowed = self._allowed(query.required)
        here = replace(query, allowed=allowed)
        lengths = self.held.lengths.first(self.size)
        fields = ((self.held.frames, query.frames, 1), (self.held.words, query.words, 0))
        scored = [bm25(postings, sought, lengths[:, at], self.means[at]) for postings, sought, at in fields]
        by_tokens = [np.where(allowed, scores, 0.0) for scores in scored]
        return [
            ByFingerprint(self).find(here, self.size),
            *(best(np.flatnonzero(scores), scores[scores > 0], limit) for scores in by_tokens),
            ByVector(self.vectors).find(here, limit),
        ]

    def rows(self, level: Level, digest: str) -> Sequence[int]:
        """The rows with that fingerprint, ascending."""
        found: list[int] = self.held.prints.of((level, digest), self.size)[:, 0].tolist()
        return [row for row in found if self._is_latest[row]]

    def row_of(self, incident_id: str) -> int | None:
        """The row of an id; None when it has none."""
        return self.latest.get(incident_id)

    def id_of(self, row: int) -> str:
        """The id at a row."""
        return self.held.rows[row].id

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
            here[self.held.facets.of(facet, self.size)[:, 0]] = True
            allowed = allowed & here
        return allowed


class _RecentColumn:
    def __init__(self, rows: Sequence[RecentEntry], name: str) -> None:
        self._rows = rows
        self._name = name

    def __getitem__(self, row: int) -> npt.NDArray[Any]:
        return self._rows[row].columns[self._name]

    def each(self, rows: npt.NDArray[np.int64]) -> list[npt.NDArray[Any]]:
        return [self[row] for row in rows.tolist()]
