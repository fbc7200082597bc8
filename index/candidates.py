"""Which incidents are worth comparing: four sides, one Protocol, in terms of queries and scored rows only.

Whatever answers behind it (here memory-mapped files and tantivy and faiss; later a server) does not show.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
import numpy.typing as npt

from index.facets import facet_token
from index.fingerprints import FingerprintIndex
from index.lexical import LexicalIndex
from index.vectors import VectorIndex
from kb.trace import Fingerprint

Scored = tuple[int, float]
"""A row and how well it fits, on the scale of the side that found it."""


@dataclass(frozen=True, slots=True)
class CandidateQuery:
    """What the sides look for. Token weights say how much a token tells."""

    prints: tuple[Fingerprint, ...]
    frames: Mapping[str, float]
    words: Mapping[str, float]
    vector: npt.NDArray[np.float32]
    required: tuple[str, ...] = ()
    """Facets every row must have; empty when all rows have them."""
    allowed: npt.NDArray[np.bool_] | None = None
    """The same as a mask of rows."""
    until: int | None = None
    """Only rows below this one; ``allowed`` knows of it."""


class Side(Protocol):
    """One way to find incidents."""

    def find(self, query: CandidateQuery, limit: int) -> Sequence[Scored]:
        """The best rows, best first, ties by row."""


class ByFingerprint:
    """Incidents with a trace of the same fingerprint; stricter levels first."""

    def __init__(self, index: FingerprintIndex) -> None:
        self._index = index

    def find(self, query: CandidateQuery, limit: int) -> Sequence[Scored]:
        """The score is 3, 2, 1 by level."""
        best: dict[int, float] = {}
        strictness = {level: 3.0 - i for i, level in enumerate(dict.fromkeys(p.level for p in query.prints))}
        for fingerprint in query.prints:
            for row in self._index.rows(fingerprint.level, fingerprint.digest):
                if query.allowed is None or query.allowed[row]:
                    best[row] = max(best.get(row, 0.0), strictness[fingerprint.level])
        return sorted(best.items(), key=lambda pair: (-pair[1], pair[0]))[:limit]


class ByTokens:
    """Incidents that share rare tokens of one field, by BM25."""

    def __init__(self, index: LexicalIndex, field: str) -> None:
        self._index = index
        self._field = field

    def find(self, query: CandidateQuery, limit: int) -> Sequence[Scored]:
        """The score is BM25 with the query's token weights."""
        weights = query.frames if self._field == "frames" else query.words
        return self._index.search(
            self._field, weights, limit, [facet_token(facet) for facet in query.required], query.until
        )


class ByVector:
    """Incidents whose words lie nearest."""

    def __init__(self, index: VectorIndex) -> None:
        self._index = index

    def find(self, query: CandidateQuery, limit: int) -> Sequence[Scored]:
        """The score is the cosine."""
        return self._index.nearest(query.vector, limit, query.allowed)


def gather(sides: Sequence[Side], query: CandidateQuery, limit: int) -> list[int]:
    """The rows that any side found, each side giving its best ``limit``; ascending, so that order never decides."""
    return sorted({row for side in sides for row, _ in side.find(query, limit)})
