"""TraceSim: Vasiliev et al., "TraceSim: A Method for Calculating Stack Trace Similarity" (2020), as Rodrigues et al. state it (EMSE 2022).

Needleman-Wunsch over functions. A frame at position p (from 1) weighs ``p^-alpha · exp(-beta · df%)``; an aligned pair of equal functions
scores ``max(w, w') · exp(-gamma · |p - p'|)``, a gap costs the weight of the frame, a mismatch both. The sum is divided by the weights of the
union: of each function the larger of the two sums. All candidates of a question are aligned together, a row of the table at a time.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from tests.quality.duplicates.corpus import REFRESH, Array, Rows, Stacks, sequence
from tests.quality.duplicates.fast import Fast, FastIndex

CANDIDATES = 100
"""Of all earlier reports, those are aligned that FaST ranks first: the alignment takes the product of two lengths."""
_LONGEST = 120
_NOTHING = -2.0


@dataclass(frozen=True, slots=True)
class TraceSim:
    """The parameters."""

    alpha: float = 0.5
    beta: float = 0.2
    gamma: float = 0.1
    root_first: bool = False
    candidates: Fast = field(default_factory=Fast)

    def over(self, reports: Sequence[Stacks]) -> "TraceSimIndex":
        """The method over reports in time order."""
        return TraceSimIndex(
            self, [sequence(r, root_first=self.root_first)[:_LONGEST] for r in reports], self.candidates.over(reports)
        )


class TraceSimIndex:
    """Scores of all earlier reports, _NOTHING for those that are not aligned."""

    def __init__(self, method: TraceSim, sequences: Sequence[Sequence[str]], candidates: FastIndex) -> None:
        self._method = method
        self._candidates = candidates
        names: dict[str, int] = {"": 0}
        self._rows = [np.array([names.setdefault(f, len(names)) for f in s], dtype=np.int64) for s in sequences]
        self.names = names
        self._counted = -REFRESH

    def scores(self, row: int) -> Array:
        """Of each report before this one."""
        if row - self._counted >= REFRESH:
            self._counted = row
            seen = [np.unique(functions) for functions in self._rows[:row]]
            self.recount(row, np.bincount(np.concatenate([[0], *seen]), minlength=len(self.names)).astype(np.float64))
        found = np.full(row, _NOTHING)
        rough = self._candidates.scores(row)
        best = np.argpartition(-rough, min(CANDIDATES, row - 1))[:CANDIDATES] if row else np.zeros(0, np.int64)
        best = best[rough[best] > -1.0]
        if len(best):
            found[best] = self.compared(row, best)
        return found

    def recount(self, total: int, frequencies: Array) -> None:
        """Take these document frequencies among ``total`` reports, by function."""
        self._told = np.exp(-self._method.beta * 100.0 * frequencies / max(total, 1))

    def compared(self, row: int, others: Rows) -> Array:
        """Of the other reports, compared with this one."""
        ours = self._rows[row]
        width = max(len(self._rows[o]) for o in others)
        theirs = np.zeros((len(others), width), dtype=np.int64)
        for at, other in enumerate(others.tolist()):
            theirs[at, : len(self._rows[other])] = self._rows[other]
        weights = self._weights(theirs) * (theirs > 0)
        own = self._weights(ours[None, :])[0]
        return self._aligned(ours, own, theirs, weights) / self._union(ours, own, theirs, weights)

    def _weights(self, functions: Rows) -> Array:
        return np.arange(1, functions.shape[1] + 1) ** -self._method.alpha * self._told[functions]

    def _aligned(self, ours: Rows, own: Array, theirs: Rows, weights: Array) -> Array:
        """The best sum of each pair. Padding weighs nothing, so gaps over it are free.

        Gaps along a row are a running maximum, once the cost of all gaps up to each column is added.
        """
        spent = np.concatenate([np.zeros((len(theirs), 1)), np.cumsum(weights, axis=1)], axis=1)
        row = -spent
        places = np.arange(theirs.shape[1])
        for at, (function, weight) in enumerate(zip(ours.tolist(), own.tolist(), strict=True)):
            near = np.exp(-self._method.gamma * np.abs(places - at))
            gained = np.where(theirs == function, np.maximum(weights, weight) * near, -(weights + weight))
            below = row - weight
            below[:, 1:] = np.maximum(below[:, 1:], row[:, :-1] + gained)
            row = np.maximum.accumulate(below + spent, axis=1) - spent
        return row[:, -1]

    def _union(self, ours: Rows, own: Array, theirs: Rows, weights: Array) -> Array:
        """Of each pair, the weights of all functions; of one that both have, the larger sum."""
        total = own.sum() + weights.sum(axis=1)
        for function in np.unique(ours).tolist():
            here = (weights * (theirs == function)).sum(axis=1)
            total -= np.minimum(here, own[ours == function].sum())
        return np.maximum(total, 1e-300)
