"""What is searched at one moment: segments, rows counted on over them, and how rare words and frames are among all of it."""

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from itertools import accumulate, pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from index.encoder import Vectors
from index.ranking.compare import FADE, SHARPNESS
from index.ranking.features import ComparedIncident, FeatureReader, QueryView
from index.ranking.wording import Wording
from index.reading import QueryTrace, Reading
from index.stages import stage
from index.storage.candidates import SAME, CandidateQuery, Scored, Sought, idf
from index.storage.catalogue import Catalogue
from index.storage.fingerprints import Rows
from index.storage.segment import COLUMNS, Column, RowLocations, Segment, SnapshotSegment
from index.terms.facets import Narrowing
from index.terms.frequencies import Frequencies, name_of
from index.terms.hashing import Hashes, hash_all, is_first
from index.terms.ragged import Laid
from index.terms.sketch import frame_tokens
from kb.incident import Incident
from kb.trace import ExceptionChain, Level

PER_SIDE = 40
"""Candidates each side gives; on 1,500 articles the right one is among them as often as with 200 (index/README.md)."""
MAX_TOKENS = 48
"""The tokens of a query that are looked up, the most telling ones: more only cost time."""
MAX_READ = 800_000
"""Incidents that hold the words looked up, words counted one by one, the most telling first; beyond that, words are common and cost
the most. Bases of less than 17,000 incidents never come to it."""
_PER_SEGMENT = 2 * PER_SIDE
"""Candidates that each side of one of several segments gives: those that tie with the last of PER_SIDE are among them."""


@dataclass(frozen=True)
class Holdings:
    """Never changes: a search keeps to the one it began with."""

    segments: tuple[Segment, ...]
    words: Frequencies
    frames: Frequencies
    searchable: int
    """How many incidents are found: duplicates are not, nor is what is hidden."""
    means: tuple[float, float]
    """How many distinct words and frames an incident has on average."""
    max_read: int = MAX_READ

    @classmethod
    def of(cls, snapshot: SnapshotSegment) -> "Holdings":
        """A snapshot alone."""
        return cls((snapshot,), snapshot.words, snapshot.frames, snapshot.searchable, snapshot.means)

    def compare(
        self, reading: Reading, vector: npt.NDArray[np.float32], narrowing: Narrowing, also: Iterable[int] = ()
    ) -> list[ComparedIncident]:
        """Every candidate with its features, in the order of rows; ``also`` are rows that are candidates whatever they share."""
        with stage("candidates"):
            view = self._view(reading, vector)
            found = self._candidates(self._query(view, narrowing))
            rows = sorted({*found, *(row for row in also if self._is_within(row, narrowing))})
        with stage("compare"):
            return self.features.compared(view, rows)

    def _is_within(self, row: int, narrowing: Narrowing) -> bool:
        """Return whether a row is searched (a duplicate has no facets) and has all required facets."""
        segment, at = self._place(row)
        facets = segment.columns["facets"][at]
        return len(facets) > 0 and bool(np.isin(hash_all(narrowing.required), facets).all())

    def compared(self, reading: Reading, vector: npt.NDArray[np.float32], row: int) -> ComparedIncident:
        """One row with its features."""
        return self.features.compared(self._view(reading, vector), [row])[0]

    def row_of(self, incident_id: str) -> int | None:
        """The row of an id; None when no incident has it."""
        for first, segment in zip(self._firsts, self.segments, strict=True):
            if (row := segment.row_of(incident_id)) is not None:
                return first + row
        return None

    def id_of(self, row: int) -> str:
        """The id at a row."""
        segment, at = self._place(row)
        return segment.documents.id_of(at)

    def incident(self, row: int) -> Incident:
        """The incident at a row."""
        segment, at = self._place(row)
        return segment.documents.incident(at)

    def shown(self, row: int) -> Incident:
        """The incident at a row as it is shown: without chains, which are read of its traces."""
        segment, at = self._place(row)
        return segment.documents.shown(at)

    def chains(self, row: int) -> tuple[ExceptionChain, ...]:
        """Its normalised chains."""
        segment, at = self._place(row)
        return segment.documents.chains(at)

    def terms(self, row: int) -> Hashes:
        """The names of its words, ascending."""
        segment, at = self._place(row)
        names: Hashes = segment.columns["terms"][at]
        return names

    def vectors_of(self, ids: Iterable[str], dim: int) -> Vectors:
        """The embeddings of incidents, one row each; zeros for an id that is not found."""
        found = [np.zeros((0, dim), np.float32)]
        for name in ids:
            row = self.row_of(name)
            segment, at = (None, 0) if row is None else self._place(row)
            found.append(segment.vectors.of(np.array([at])) if segment else np.zeros((1, dim), np.float32))
        return np.concatenate(found)

    def ids(self) -> Iterator[str]:
        """The ids of all incidents, duplicates included."""
        for segment in self.segments:
            yield from segment.ids()

    @cached_property
    def catalogue(self) -> Catalogue:
        """All that is found, to be browsed; what was saved since the snapshot is newer."""
        first, *later = (segment.catalogue() for segment in self.segments)
        return reduce(Catalogue.plus, later, first)

    @cached_property
    def _firsts(self) -> list[int]:
        """The first row of each segment."""
        return [0, *accumulate(len(segment) for segment in self.segments[:-1])]

    @cached_property
    def features(self) -> FeatureReader:
        columns, vectors = self.segments[0].columns, self.segments[0].vectors
        if len(self.segments) > 1:
            columns = {name: _Joined([s.columns[name] for s in self.segments], self._firsts) for name in COLUMNS}
            vectors = _JoinedPlaces([segment.vectors for segment in self.segments], self._firsts)
        return FeatureReader(columns, self.words, self.frames, vectors, sum(map(len, self.segments)))

    def _place(self, row: int) -> tuple[Segment, int]:
        at = bisect_right(self._firsts, row) - 1
        return self.segments[at], row - self._firsts[at]

    def _view(self, reading: Reading, vector: npt.NDArray[np.float32]) -> QueryView:
        return QueryView(
            reading=reading,
            vector=vector,
            print_rows=self._print_rows(reading),
            wording=Wording.of(reading, self.words),
        )

    def _print_rows(self, reading: Reading) -> dict[Level, list[tuple[Rows, float]]]:
        """Return, for each level, the rows with an equal fingerprint and its weight: less, the more rows have it."""
        found: dict[Level, list[tuple[Rows, float]]] = {level: [] for level in Level}
        for trace in reading.traces:
            shared = [(one, self._sharing(one.level, one.digest)) for one in trace.all_prints]
            telling = self.features.telling(trace) if any(len(rows) for _, rows in shared) else 0.0
            for one, rows in shared:
                if len(rows):
                    tells = self.features.telling(trace.without_frames) if one is trace.stated else telling
                    found[one.level].append((rows, tells / (1.0 + math.log(len(rows)))))
        return found

    def _sharing(self, level: Level, digest: str) -> Rows:
        pairs = zip(self._firsts, self.segments, strict=True)
        return np.concatenate([first + segment.rows(level, digest) for first, segment in pairs])

    def _query(self, view: QueryView, narrowing: Narrowing) -> CandidateQuery:
        return CandidateQuery(
            prints=tuple(p for trace in view.reading.traces for p in trace.all_prints),
            frames=self._frame_weights(view.reading.traces),
            words=self._word_weights(view),
            vector=view.vector,
            required=narrowing.required,
        )

    def _candidates(self, query: CandidateQuery) -> list[int]:
        """The rows that any side found, each side giving its best PER_SIDE; ascending, so that order never decides."""
        limit = PER_SIDE if len(self.segments) == 1 else _PER_SEGMENT
        by_segment = [segment.find(query, limit) for segment in self.segments]
        return sorted({row for sides in zip(*by_segment, strict=True) for row in self._best(sides)})

    def _best(self, found: Sequence[Scored]) -> list[int]:
        """The PER_SIDE best rows of one side over the segments; ties in the order of the names of ids, whatever order the rows have."""
        rows = np.concatenate([first + here.rows for first, here in zip(self._firsts, found, strict=True)])
        scores = np.concatenate([here.scores for here in found])
        if len(rows) <= PER_SIDE:
            return list(rows.tolist())
        last = np.partition(scores, -PER_SIDE)[-PER_SIDE]
        near = SAME * abs(last)
        better, tied = rows[scores > last + near], rows[np.abs(scores - last) <= near]
        if len(better) + len(tied) > PER_SIDE:  # a common error ties thousands
            tied = tied[self._names_of(tied).argsort(kind="stable")]
        chosen: list[int] = [*better.tolist(), *tied.tolist()][:PER_SIDE]
        return chosen

    def _names_of(self, rows: npt.NDArray[np.int64]) -> Hashes:
        """The names of the ids at some rows: the same ones on every machine, and not read from disk."""
        names = np.zeros(len(rows), np.uint64)
        for at, here, own in _parted(rows, self._firsts):
            names[here] = self.segments[at].documents.names_of(own)
        return names

    def _frame_weights(self, traces: Sequence[QueryTrace]) -> Sought:
        """The most telling frames and types, those near a raise point first."""
        fade: dict[int, float] = {}
        for trace in traces:
            for at, token in enumerate(frame_tokens(trace.normalised)):
                name = name_of(token)
                weight = math.exp(-FADE * at) if token[0] in "fp" else 1.0
                fade[name] = max(fade.get(name, 0.0), weight)
        names = np.fromiter(fade, dtype=np.uint64, count=len(fade))
        weights = self.frames.rarity(names) ** SHARPNESS * np.array(list(fade.values()))
        return self._sought([f"{name:016x}" for name in fade], names, weights, self.frames, self.means[1])

    def _word_weights(self, view: QueryView) -> Sought:
        """Return the rarest words and concepts of the query that any incident has, each with its weight."""
        terms = list(dict.fromkeys(t for unit in view.reading.units for t in unit if t))
        names = hash_all(terms)
        found = self._sought(terms, names, view.wording.rarity_of(names), self.words, self.means[0])
        return found.first(
            max(1, int(np.cumsum(self.words.counts(found.names)).searchsorted(self.max_read, side="right")))
        )

    def _sought(
        self,
        tokens: Sequence[str],
        names: Hashes,
        weights: npt.NDArray[np.float64],
        counted: Frequencies,
        mean: float,
    ) -> Sought:
        """The heaviest of the tokens that stand anywhere."""
        counts = counted.counts(names)
        weights = np.where(counts > 0, weights, 0.0)
        order = np.argsort(-weights, kind="stable")[:MAX_TOKENS]
        chosen = order[weights[order] > 0]
        kept, rare = tuple(tokens[at] for at in chosen), idf(counts[chosen], self.searchable)
        return Sought(kept, names[chosen], weights[chosen], rare, mean)


class _Joined:
    """A column over the rows of all segments."""

    def __init__(self, columns: Sequence[Column], firsts: Sequence[int]) -> None:
        self._columns = columns
        self._firsts = firsts

    def __getitem__(self, row: int) -> npt.NDArray[Any]:
        at = bisect_right(self._firsts, row) - 1
        return self._columns[at][row - self._firsts[at]]

    def each(self, rows: npt.NDArray[np.int64]) -> Laid:
        """Those of several rows, in the order asked for."""
        whose = np.searchsorted(self._firsts, rows, side="right") - 1
        runs = np.flatnonzero(is_first(whose)).tolist()  # neighbours of one segment
        found = [self._columns[0].each(rows[:0])]
        for begin, end in pairwise([*runs, len(rows)]):
            at = int(whose[begin])
            found.append(self._columns[at].each(rows[begin:end] - self._firsts[at]))
        values, sizes = (np.concatenate(parts) for parts in zip(*found, strict=True))
        return values, sizes


class _JoinedPlaces:
    """The vectors of all segments."""

    def __init__(self, vectors: Sequence[RowLocations], firsts: Sequence[int]) -> None:
        self._vectors = vectors
        self._firsts = firsts

    def cosines(self, vector: npt.NDArray[np.float32], rows: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """The cosine of the vector with each row."""
        found = np.zeros(len(rows), dtype=np.float32)
        for at, here, own in _parted(rows, self._firsts):
            found[here] = self._vectors[at].cosines(vector, own)
        return found

    def of(self, rows: npt.NDArray[np.int64]) -> Vectors:
        """The vectors of some rows, of length one."""
        parts = [(here, self._vectors[at].of(own)) for at, here, own in _parted(rows, self._firsts)]
        found = np.zeros((len(rows), parts[0][1].shape[1] if parts else 0), dtype=np.float32)
        for here, vectors in parts:
            found[here] = vectors
        return found


def _parted(
    rows: npt.NDArray[np.int64], firsts: Sequence[int]
) -> Iterator[tuple[int, npt.NDArray[np.bool_], npt.NDArray[np.int64]]]:
    """Each segment that has any of the rows: its number, which of the rows are its own, and how it counts them."""
    whose = np.searchsorted(firsts, rows, side="right") - 1
    for at in np.unique(whose).tolist():
        here = whose == at
        yield at, here, rows[here] - firsts[at]
