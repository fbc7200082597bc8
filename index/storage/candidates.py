"""Which incidents are worth comparing: four sides, one Protocol, in terms of queries and scored rows only.

Whatever answers behind it (memory-mapped files, tantivy and faiss; or Milvus) does not show.
"""

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from typing import NamedTuple, Protocol, Self

import numpy as np
import numpy.typing as npt

from index.storage.fingerprints import Rows
from index.storage.lexical import Hits, length_factor
from index.terms.facets import facet_token
from index.terms.frequencies import Frequencies
from index.terms.hashing import Hashes
from kb.trace import Fingerprint, Level


class Scored(NamedTuple):
    """Rows, best first, ties by row, and how well each fits, on the scale of the side that found it."""

    rows: Rows
    scores: npt.NDArray[np.float64]

    @classmethod
    def of(cls, pairs: Sequence[tuple[int, float]]) -> Self:
        """Those of pairs of a row and its score, in their order."""
        rows, scores = zip(*pairs, strict=True) if pairs else ((), ())
        return cls(np.array(rows, dtype=np.int64), np.array(scores, dtype=np.float64))


SAME = 1e-5
"""Scores that differ by this share are equal: one segment sums in single precision, another in double."""
_MOST_TIED = 1280
"""So many rows are looked through for those that tie with the last. A query of one common word may have more."""
_OFTEN_TIE, _COSTLY = 24, 200_000
"""Rows that share so few frames often tie. Where so many incidents hold these, counted frame by frame, asking again takes longer than
asking for all at once: of 600 pastes about a million incidents 86 tied, asked again in 5 ms; 1,280 rows take .5 ms more than 81 (2026-12-01)."""


@dataclass(frozen=True, slots=True)
class Sought:
    """Distinct tokens of one field that are looked up."""

    tokens: tuple[str, ...]
    """As the lexical index has them."""
    names: Hashes
    weights: npt.NDArray[np.float64]
    """How much each tells."""
    idf: npt.NDArray[np.float64]
    """Of each, over all that is searched, of which a segment is a part."""
    mean: float
    """How many tokens an incident has on average, over all that is searched."""

    def first(self, count: int) -> "Sought":
        """The first so many."""
        return Sought(self.tokens[:count], self.names[:count], self.weights[:count], self.idf[:count], self.mean)


@dataclass(frozen=True, slots=True)
class CandidateQuery:
    """What the sides look for."""

    prints: tuple[Fingerprint, ...]
    frames: Sought
    words: Sought
    vector: npt.NDArray[np.float32]
    required: tuple[str, ...] = ()
    """Facets every row must have; empty when all rows have them."""
    allowed: npt.NDArray[np.bool_] | None = None
    """The same as a mask of rows."""
    until: int | None = None
    """Only rows below this one; ``allowed`` knows of it."""


class CandidateSource(Protocol):
    """One way to find incidents."""

    def find(self, query: CandidateQuery, limit: int) -> Scored:
        """The best rows; all that tie with the last by fingerprint or tokens, so that the order of rows decides nothing."""


class Prints(Protocol):
    """Where fingerprints are looked up."""

    def rows(self, level: Level, digest: str) -> Rows:
        """The rows that have this digest at this level, ascending."""


class Vectors(Protocol):
    """Where vectors are looked up."""

    def nearest(
        self, vector: npt.NDArray[np.float32], limit: int, allowed: npt.NDArray[np.bool_] | None = None
    ) -> Sequence[tuple[int, float]]:
        """The nearest rows with their cosines, best first, ties by row; only allowed rows when a mask is given."""


class Lexicon(Protocol):
    """Where tokens are looked up."""

    def __len__(self) -> int:
        """How many incidents it has."""

    def search(
        self, field: str, weights: Mapping[str, float], limit: int, required: Iterable[str], until: int | None
    ) -> Hits:
        """The best rows: BM25 by its own counts, with one weight a token, within tokens of facets, below a row."""


class ByFingerprint:
    """Incidents with a trace of the same fingerprint; stricter levels first."""

    def __init__(self, index: Prints) -> None:
        self._index = index

    def find(self, query: CandidateQuery, limit: int) -> Scored:  # noqa: ARG002 - all are found
        """The score is 3, 2, 1 by level."""
        levels = list(dict.fromkeys(one.level for one in query.prints))
        by_level = [
            (level, digest) for level in levels for digest in {p.digest for p in query.prints if p.level is level}
        ]
        found = [self._index.rows(level, digest) for level, digest in by_level]
        whole = np.concatenate([np.zeros(0, np.int64), *found])
        scores = np.repeat([3.0 - levels.index(level) for level, _ in by_level], [len(rows) for rows in found])
        rows, first = np.unique(whole, return_index=True)
        scores = scores[first]
        if query.allowed is not None:
            rows, scores = rows[query.allowed[rows]], scores[query.allowed[rows]]
        order = np.argsort(-scores, kind="stable")
        return Scored(rows[order], scores[order])


class ByTokens:
    """Incidents that share rare tokens of one field, by BM25."""

    def __init__(self, index: Lexicon, field: str, counted: Frequencies, mean: float) -> None:
        self._index = index
        self._field = field
        self._counted = counted
        self._mean = mean
        """How many tokens an incident of the index has on average: what its scores go by."""

    def find(self, query: CandidateQuery, limit: int) -> Scored:
        """The score is BM25 with the query's token weights, by how rare tokens and how long incidents are over all that is searched."""
        sought = query.frames if self._field == "frames" else query.words
        counts = self._counted.counts(sought.names)
        here = idf(counts, len(self._index))
        weights = dict(zip(sought.tokens, (sought.weights * (sought.idf / here)).tolist(), strict=True))
        required = [facet_token(facet) for facet in query.required]
        most = max(1.0, sought.mean / self._mean)
        more = max(_MOST_TIED, 4 * limit)
        often_ties = self._field == "frames" and len(counts) <= _OFTEN_TIE and counts.sum() > _COSTLY
        for wanted in (more,) if often_ties else (2 * limit + 1, more):
            hits = self._index.search(self._field, weights, wanted, required, query.until)
            found = self._by_mean(hits, sought.mean)
            if len(hits.rows) < wanted or hits.scores[-1] * most < _least(found, limit):
                break  # else one that is not among them may tie, or be better by the other mean
        return with_ties(found, limit)

    def _by_mean(self, hits: Hits, mean: float) -> Scored:
        """The rows with the scores that they have where incidents are so long on average."""
        rows, scores, lengths = hits
        if mean == self._mean:  # nothing was saved since the snapshot
            return Scored(rows, scores)
        scores = scores * (length_factor(lengths, mean) / length_factor(lengths, self._mean))
        order = np.lexsort((rows, -scores))
        return Scored(rows[order], scores[order])


class ByVector:
    """Incidents whose words lie nearest."""

    def __init__(self, index: Vectors) -> None:
        self._index = index

    def find(self, query: CandidateQuery, limit: int) -> Scored:
        """The score is the cosine."""
        return Scored.of(self._index.nearest(query.vector, limit, query.allowed))


def idf(counts: npt.NDArray[np.float64], total: int) -> npt.NDArray[np.float64]:
    """Inverse document frequency as Lucene and tantivy have it: ln(1 + (N - n + 0.5) / (n + 0.5))."""
    found: npt.NDArray[np.float64] = np.log1p((total - counts + 0.5) / (counts + 0.5))
    return found


def with_ties(found: Scored, limit: int) -> Scored:
    """The first ``limit`` of those found and all that tie with the last of these."""
    if len(found.rows) <= limit:
        return found
    kept = int(np.count_nonzero(found.scores >= _least(found, limit)))
    return Scored(found.rows[:kept], found.scores[:kept])


def _least(found: Scored, limit: int) -> float:
    """The least score that ties with the last of ``limit`` rows."""
    last = float(found.scores[limit - 1])
    return last - SAME * abs(last)


def visible(side: CandidateSource, query: CandidateQuery, limit: int, hidden: AbstractSet[int]) -> Scored:
    """The best rows of a side that are not hidden; hidden ones take nobody's place."""
    wanted = limit
    while True:
        found = side.find(query, wanted)
        seen = found
        if hidden:
            is_seen = np.array([row not in hidden for row in found.rows.tolist()], dtype=np.bool_)
            seen = Scored(found.rows[is_seen], found.scores[is_seen])
        if len(seen.rows) >= limit or len(found.rows) < wanted:
            return with_ties(seen, limit)
        wanted *= 4
