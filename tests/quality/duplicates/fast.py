"""FaST: Rodrigues, Aloise and Fernandes, "FaST: A linear time stack trace alignment heuristic for crash report deduplication" (MSR 2022).

A frame at position p (from 1) weighs ``p^-alpha · exp(-beta · df%)``. The n-th time a function stands in one trace is aligned with the
n-th time in the other, whatever lies between: an aligned pair scores ``(w + w') · exp(-gamma · |p - p'|)``, a frame left alone costs its
weight, and the sum is divided by all weights. So the score is within -1 and 1, and an inverted index of (function, n) gives it.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tests.quality.duplicates.corpus import REFRESH, Array, Postings, Stacks, sequence


@dataclass(frozen=True, slots=True)
class Fast:
    """The parameters."""

    alpha: float = 0.5
    beta: float = 0.2
    gamma: float = 0.1
    root_first: bool = False

    def over(self, reports: Sequence[Stacks]) -> "FastIndex":
        """The method over reports in time order."""
        return FastIndex(self, [sequence(report, root_first=self.root_first) for report in reports])


class FastIndex:
    """Scores of all earlier reports."""

    def __init__(self, method: Fast, sequences: Sequence[Sequence[str]]) -> None:
        self._method = method
        numbered = [_numbered(functions) for functions in sequences]
        self._postings = Postings([{f"{f}#{n}": float(at) for (f, n), at in found.items()} for found in numbered])
        names = list(self._postings.names)
        self._first = np.array([self._postings.names[name.rpartition("#")[0] + "#0"] for name in names], dtype=np.int64)
        self.function = {name[:-2]: at for name, at in self._postings.names.items() if name.endswith("#0")}
        self._places = self._postings.values**-method.alpha
        self._counted = -REFRESH

    def scores(self, row: int) -> Array:
        """Of each report before this one."""
        if row - self._counted >= REFRESH:
            self._counted = row
            self.recount(row, self._postings.frequencies(row))
        return self.compared(row, row)

    def recount(self, total: int, frequencies: Array) -> None:
        """Take these document frequencies among ``total`` reports; by token, of which the first of each function counts."""
        share = frequencies[self._first] / max(total, 1)
        self._told = np.exp(-self._method.beta * 100.0 * share)
        self._weights = self._postings.sums(self._places * self._told[self._postings.tokens])

    def compared(self, row: int, before: int) -> Array:
        """Of each of the first reports, compared with this one."""
        found = np.zeros(before)
        here = self._postings.document(row)
        tokens, places = self._postings.tokens[here].tolist(), self._postings.values[here].tolist()
        for token, place in zip(tokens, places, strict=True):
            rows, others = self._postings.of(token, before)
            weights = (place**-self._method.alpha + others**-self._method.alpha) * self._told[token]
            found[rows] += weights * (1.0 + np.exp(-self._method.gamma * np.abs(others - place)))
        every = self._weights[:before] + self._weights[row]
        return found / np.maximum(every, 1e-300) - 1.0


def _numbered(functions: Sequence[str]) -> dict[tuple[str, int], int]:
    """(function, how often it stood before) → position, from 1."""
    times: Counter[str] = Counter()
    found: dict[tuple[str, int], int] = {}
    for at, function in enumerate(functions, start=1):
        found[function, times[function]] = at
        times[function] += 1
    return found
