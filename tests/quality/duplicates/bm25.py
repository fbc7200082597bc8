"""Okapi BM25 (Robertson and Zaragoza 2009) over the words of a report and the tokens of its traces: what a search engine does."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tests.quality.duplicates.corpus import REFRESH, Array, Postings, Stacks, bag


@dataclass(frozen=True, slots=True)
class Bm25:
    """The parameters."""

    fields: tuple[str, ...] = ("functions", "types", "said", "words")
    k1: float = 1.2
    b: float = 0.75

    def over(self, reports: Sequence[Stacks]) -> "Bm25Index":
        """The method over reports in time order."""
        return Bm25Index(self, reports)


class Bm25Index:
    """Scores of all earlier reports."""

    def __init__(self, method: Bm25, reports: Sequence[Stacks]) -> None:
        self._method = method
        self._postings = Postings([{t: float(n) for t, n in bag(r, method.fields).items()} for r in reports])
        self._lengths = self._postings.sums(self._postings.values)
        self._counted = -REFRESH

    def scores(self, row: int) -> Array:
        """Of each report before this one."""
        if row - self._counted >= REFRESH:
            self._counted = row
            self.recount(row)
        return self.compared(row, row)

    def recount(self, total: int) -> None:
        """Take the document frequencies and the mean length of the first reports."""
        frequencies = self._postings.frequencies(total)
        self._idf = np.log(1.0 + (total - frequencies + 0.5) / (frequencies + 0.5))
        mean = self._lengths[:total].mean() if total else 1.0
        self._damped = self._method.k1 * (1.0 - self._method.b + self._method.b * self._lengths / max(mean, 1e-12))

    def compared(self, row: int, before: int) -> Array:
        """Of each of the first reports, compared with this one."""
        found = np.zeros(before)
        here = self._postings.document(row)
        for token, count in zip(
            self._postings.tokens[here].tolist(), self._postings.values[here].tolist(), strict=True
        ):
            rows, counts = self._postings.of(token, before)
            found[rows] += count * self._idf[token] * counts * (self._method.k1 + 1.0) / (counts + self._damped[rows])
        return found
