"""The exact signature: reports with the same row of functions are the same, all others are not. What crash reporters begin with."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tests.quality.duplicates.corpus import Array, Stacks, sequence


@dataclass(frozen=True, slots=True)
class Signature:
    """It has no parameters."""

    def over(self, reports: Sequence[Stacks]) -> "SignatureIndex":
        """The method over reports in time order."""
        return SignatureIndex(reports)


class SignatureIndex:
    """1 for each earlier report with the same functions, 0 for the others."""

    def __init__(self, reports: Sequence[Stacks]) -> None:
        known: dict[tuple[str, ...], int] = {}
        self._names = np.array([known.setdefault(tuple(sequence(r)), len(known)) for r in reports], dtype=np.int64)

    def scores(self, row: int) -> Array:
        """Of each report before this one."""
        return (self._names[:row] == self._names[row]).astype(np.float64)
