"""Embeddings alone: the cosine of the words of two reports in the built-in model, frames left out."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from index.encoder import load_encoder
from tests.quality.duplicates.corpus import Array, Stacks


@dataclass(frozen=True, slots=True)
class Embedding:
    """It has no parameters."""

    def over(self, reports: Sequence[Stacks]) -> "EmbeddingIndex":
        """The method over reports in time order."""
        return EmbeddingIndex(reports)


class EmbeddingIndex:
    """Cosines with all earlier reports; 0 for what says nothing."""

    def __init__(self, reports: Sequence[Stacks]) -> None:
        texts = [" ".join((*report.words, *report.types, *report.said)) for report in reports]
        self._vectors = load_encoder(None).encode(texts)

    def scores(self, row: int) -> Array:
        """Of each report before this one."""
        return (self._vectors[:row] @ self._vectors[row]).astype(np.float64)
