"""One shape for what is searched together: incidents in rows, found from four sides, compared by their columns.

The snapshot is one segment, what was saved since is another. Nobody who asks sees which.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from copy import copy
from dataclasses import replace
from functools import lru_cache, partial
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from index.encoder import Vectors
from index.phrases import phrase
from index.storage.candidates import (
    ByFingerprint,
    ByTokens,
    ByVector,
    CandidateQuery,
    CandidateSource,
    Lexicon,
    Scored,
    visible,
)
from index.storage.catalogue import Catalogue
from index.storage.documents import Documents
from index.storage.fingerprints import FingerprintIndex, PrintsByRow, Rows
from index.storage.lexical import LexicalIndex
from index.storage.milvus import MilvusCollection
from index.storage.place import CandidatePlace
from index.storage.snapshot import SnapshotInfo
from index.storage.vectors import VectorIndex
from index.terms.facets import mask
from index.terms.frequencies import Frequencies, names_of
from index.terms.hashing import Hashes
from index.terms.ragged import Laid, Ragged
from index.terms.sketch import frame_tokens
from kb.errors import CandidatesError
from kb.incident import Incident
from kb.trace import ExceptionChain, Level

RAGGED = ("sketches", "terms", "phrases", "facets")
"""The columns of an entry that are stored for the features, each under its name in `index.entry.ENTRY_SCHEMA`. One more is a field there
with its value in ``_row``, both versions raised (`index.entry.VERSION`, `index.storage.snapshot.FORMAT`), and its name here."""
COLUMNS = (*RAGGED, "marks")
"""``marks`` has a byte for each of the ``terms`` (`ragged.marks`)."""
MARKS = "terms.marks"
"""Its file."""


class Column(Protocol):
    """One kind of numbers, of every row."""

    def __getitem__(self, row: int) -> npt.NDArray[Any]:
        """Those of a row."""

    def each(self, rows: npt.NDArray[np.int64]) -> Laid:
        """Those of several rows, in the order asked for."""


class IncidentWords(Protocol):
    """What the incidents say."""

    def id_of(self, row: int) -> str:
        """The id at a row."""

    def names_of(self, rows: npt.NDArray[np.int64]) -> Hashes:
        """The names of the ids at some rows."""

    def incident(self, row: int) -> Incident:
        """The incident at a row."""

    def shown(self, row: int) -> Incident:
        """The same without chains: reading its traces again costs more than finding it."""

    def chains(self, row: int) -> tuple[ExceptionChain, ...]:
        """Its normalised chains."""


class RowLocations(Protocol):
    """Where the incidents lie."""

    def cosines(self, vector: npt.NDArray[np.float32], rows: npt.NDArray[np.int64]) -> npt.NDArray[np.float32]:
        """The cosine of the vector with each row."""

    def of(self, rows: npt.NDArray[np.int64]) -> Vectors:
        """The vectors of some rows, of length one."""


class Segment(Protocol):
    """Incidents by their rows, counted from 0. A hidden row (replaced, removed) is kept, and never found."""

    @property
    def columns(self) -> Mapping[str, Column]:
        """COLUMNS by name."""

    @property
    def documents(self) -> IncidentWords:
        """What the incidents say."""

    @property
    def vectors(self) -> RowLocations:
        """Where they lie."""

    def __len__(self) -> int:
        """How many rows there are, hidden ones included."""

    def find(self, query: CandidateQuery, limit: int) -> Sequence[Scored]:
        """The best rows of each side, in an order that all segments have."""

    def rows(self, level: Level, digest: str) -> Rows:
        """The rows with that fingerprint, ascending."""

    def row_of(self, incident_id: str) -> int | None:
        """The row of an id; None when it has none, or a hidden one."""

    def shown_rows(self) -> Iterable[int]:
        """The rows that are not hidden, ascending."""

    def ids(self) -> Iterator[str]:
        """All ids that are not hidden, duplicates included."""

    def catalogue(self) -> Catalogue:
        """The incidents that are found and not hidden, to be browsed."""


def mean_lengths(lengths: tuple[int, int], incidents: int) -> tuple[float, float]:
    """How many words and frames an incident has on average; 1 where there are none, which nothing is divided by then."""
    words, frames = (length / max(incidents, 1) for length in lengths)
    return words or 1.0, frames or 1.0


_MASKS = 16
"""Filters whose rows are remembered, a byte a row each: nearly all searches have the same."""


def _allowed(
    facets: Ragged, searchable: int, required: tuple[str, ...]
) -> tuple[npt.NDArray[np.bool_] | None, tuple[str, ...]]:
    """The rows with all the facets, None when all rows have them; and the facets, none when all that are searched have them."""
    allowed = mask(facets, required)
    return None if allowed.all() else allowed, () if np.count_nonzero(allowed) == searchable else required


class SnapshotSegment:
    """The rows of a snapshot. Candidates come from its own index, or from Milvus where a place is given."""

    def __init__(self, info: SnapshotInfo, place: CandidatePlace | None = None) -> None:
        counts = info.manifest.counts
        self.searchable = counts["searchable"]
        self.lengths = (counts["words"], counts["frames"])
        """How many distinct words and frames the incidents have, added up."""
        self.words = Frequencies(info.path, "words", counts["searchable"])
        self.frames = Frequencies(info.path, "frames", counts["with_traces"])
        ragged = {name: Ragged(info.path / name) for name in RAGGED}
        self.columns: Mapping[str, Column] = ragged | {"marks": ragged["terms"].beside(info.path / MARKS)}
        self.documents = Documents(info.path)
        self.vectors = VectorIndex(info.path)
        self._allowed = lru_cache(maxsize=_MASKS)(partial(_allowed, ragged["facets"], self.searchable))
        self._prints = FingerprintIndex(info.path)
        self._lexical = LexicalIndex(info.path / "lexical")
        counted = {"words": self.words, "frames": self.frames}
        self.elsewhere = MilvusCollection(place, info.id, self.searchable, counted) if place else None
        self._hidden: AbstractSet[int] = frozenset()
        self._until: int | None = None

    def __len__(self) -> int:
        return len(self.documents)

    @property
    def means(self) -> tuple[float, float]:
        """How many distinct words and frames an incident has on average."""
        return mean_lengths(self.lengths, self.searchable)

    def find(self, query: CandidateQuery, limit: int) -> Sequence[Scored]:
        """The best rows of each side."""
        allowed, required = self._allowed(query.required)
        if self._until is not None:
            past = np.arange(len(self)) < self._until
            allowed = past if allowed is None else allowed & past
        here = replace(query, required=required, allowed=allowed, until=self._until)
        if self.elsewhere is not None:
            try:
                return self._found_elsewhere(self.elsewhere, here, limit)
            except CandidatesError:
                if not self.elsewhere.falls_back:
                    raise
        return [visible(side, here, limit, self._hidden) for side in self._sides()]

    def _found_elsewhere(self, there: MilvusCollection, query: CandidateQuery, limit: int) -> Sequence[Scored]:
        """The four sides at once: each waits for the server."""
        return there.each(lambda side: visible(side, query, limit, self._hidden), self._sides_of(there, query))

    def rows(self, level: Level, digest: str) -> Rows:
        """The rows with that fingerprint, ascending."""
        found = self._prints.rows(level, digest)
        return found[[row not in self._hidden for row in found.tolist()]] if self._hidden and len(found) else found

    def row_of(self, incident_id: str) -> int | None:
        """The row of an id; None when it has none, or a hidden one."""
        row = self.documents.row_of(incident_id)
        return None if row in self._hidden else row

    def shown_rows(self) -> Iterable[int]:
        """The rows that are not hidden, ascending."""
        return (row for row in range(len(self)) if row not in self._hidden)

    def ids(self) -> Iterator[str]:
        """All ids that are not hidden, duplicates included."""
        return (one for row, one in enumerate(self.documents.ids()) if row not in self._hidden)

    def catalogue(self) -> Catalogue:
        """The incidents that are found and not hidden, to be browsed."""
        return self.documents.catalogue.without(map(self.documents.id_of, self._hidden))

    def hiding(self, rows: AbstractSet[int]) -> "SnapshotSegment":
        """The same files, of which these rows are not found."""
        then = copy(self)
        then._hidden = rows  # noqa: SLF001 - another of this class
        return then

    def before(self, row: int, words: Frequencies, frames: Frequencies) -> "SnapshotSegment":
        """The same files, of which only the rows below ``row`` are found, by other counts."""
        then = copy(self)
        then._until = row  # noqa: SLF001
        then.words, then.frames = words, frames
        return then

    def _sides(self) -> tuple[CandidateSource, ...]:
        return (
            ByFingerprint(self._prints),
            *self._token_sides(self._lexical),
            ByVector(self.vectors),
        )

    def _sides_of(self, there: MilvusCollection, query: CandidateQuery) -> tuple[CandidateSource, ...]:
        return (
            ByFingerprint(there.prints(query.prints)),
            *self._token_sides(there),
            ByVector(there.vectors(query.required, query.until)),
        )

    def _token_sides(self, lexicon: Lexicon) -> tuple[CandidateSource, CandidateSource]:
        words, frames = self.means
        return ByTokens(lexicon, "frames", self.frames, frames), ByTokens(lexicon, "words", self.words, words)

    @property
    def fault(self) -> str | None:
        """Why candidates do not come from Milvus although they should; None when they do, or nobody asked yet."""
        return self.elsewhere.fault if self.elsewhere else None

    def notes(self, lang: str) -> tuple[str, ...]:
        """What a reader is told of where candidates come from."""
        return (phrase(lang, "note_candidates"),) if self.fault else ()

    def prints_by_row(self) -> PrintsByRow:
        """The fingerprints of each row."""
        return self._prints.by_row()

    def frames_of(self, row: int) -> Hashes:
        """The distinct names of an incident's frames and types."""
        return np.unique(names_of(token for chain in self.documents.chains(row) for token in frame_tokens(chain)))

    def close(self) -> None:
        """Let go of the files, and of the server."""
        self.documents.close()
        if self.elsewhere is not None:
            self.elsewhere.close()
