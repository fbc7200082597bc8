"""TF-IDF over functions, types and messages: Lerch and Mezini, "Finding Duplicates of Your Yet Unwritten Bug Report" (CSMR 2013).

As Lucene scores: each token of the question that the report has adds tf · idf^power, tf damped, long reports scaled down; or the
cosine of the two weighted bags. Which of these, and over which fields, is tuned.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tests.quality.duplicates.corpus import REFRESH, Array, Postings, Stacks, bag


@dataclass(frozen=True, slots=True)
class TfIdf:
    """The parameters."""

    fields: tuple[str, ...] = ("functions", "types", "said")
    power: float = 2.0
    """Of idf: Lucene has 2."""
    cosine: bool = False
    plus: float = 1.0
    """What is added to ln((N + 1) / (df + 1))."""

    def over(self, reports: Sequence[Stacks]) -> "TfIdfIndex":
        """The method over reports in time order."""
        return TfIdfIndex(self, reports)


class TfIdfIndex:
    """Scores of all earlier reports."""

    def __init__(self, method: TfIdf, reports: Sequence[Stacks]) -> None:
        self._method = method
        self._postings = Postings([{t: float(n) for t, n in bag(r, method.fields).items()} for r in reports])
        self._counted = -REFRESH
        self.recount(0, self._postings.frequencies(0))

    def recount(self, total: int, frequencies: Array) -> None:
        """Take these document frequencies among ``total`` reports."""
        self._idf = np.log((total + 1) / (frequencies + 1)) + self._method.plus
        weights = np.sqrt(self._postings.values) * self._idf[self._postings.tokens]
        norms = self._postings.sums(weights**2) if self._method.cosine else self._postings.sums(self._postings.values)
        self._norms = np.sqrt(np.maximum(norms, 1e-12))

    def scores(self, row: int) -> Array:
        """Of each report before this one."""
        if row - self._counted >= REFRESH:
            self._counted = row
            self.recount(row, self._postings.frequencies(row))
        return self.compared(row, row)

    def compared(self, row: int, before: int) -> Array:
        """Of each of the first reports, compared with this one."""
        found = np.zeros(before)
        here = self._postings.document(row)
        for token, count in zip(
            self._postings.tokens[here].tolist(), self._postings.values[here].tolist(), strict=True
        ):
            rows, counts = self._postings.of(token, before)
            idf = self._idf[token]
            told = np.sqrt(count) * idf * idf if self._method.cosine else idf**self._method.power
            found[rows] += np.sqrt(counts) * told
        found /= self._norms[:before]
        return found / self._norms[row] if self._method.cosine else found
