"""Vectors of an English teacher, to distil: one row a text, kept on disk shard by shard so that hours of work are not lost.

Any sentence-transformers model teaches; the bundled model's teacher is all-MiniLM-L6-v2 (Reimers and Gurevych 2020, arXiv:2004.09813,
showed that the translation of a sentence may be taught the vector of the sentence).
"""

from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sentence_transformers import SentenceTransformer

SHARD = 4_096
MOST_TOKENS = 96
"""What the teacher reads of a text: nearly every sentence is shorter, and its time grows with the length."""


def load_teacher(model: str) -> SentenceTransformer:
    """The teacher, by folder or hub name."""
    teacher = SentenceTransformer(model, device="cpu")
    teacher.max_seq_length = MOST_TOKENS
    return teacher


def taught(
    teacher: SentenceTransformer, texts: Sequence[str], folder: Path, said: Callable[[str], None]
) -> npt.NDArray[np.float16]:
    """The teacher's rows of length one, shape (texts, dim). Shards that lie in the folder are not made again."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = []
    for at in range(0, len(texts), SHARD):
        path = folder / f"{at:08d}.npy"
        if not path.exists():
            found = teacher.encode(
                list(texts[at : at + SHARD]), batch_size=64, normalize_embeddings=True, show_progress_bar=False
            )
            half = path.with_suffix(".half")
            with half.open("wb") as file:
                np.save(file, found.astype(np.float16))
            half.rename(path)
            said(f"teacher: {min(at + SHARD, len(texts)):,} of {len(texts):,} texts")
        rows.append(np.load(path))
    return np.concatenate(rows)
