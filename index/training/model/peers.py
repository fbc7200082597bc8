"""What the model is measured beside: words by BM25, the hashing encoder, all-MiniLM-L6-v2 and other models."""

from collections import Counter
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from index.encoder import Encoder, HashingEncoder, load_encoder
from index.query import tokens
from index.training.model.measure import Scores, cosine

K1, B = 1.2, 0.75


def bm25(questions: Sequence[str], candidates: Sequence[str]) -> npt.NDArray[np.float32]:
    """Okapi BM25 (Robertson et al. 1994) over the words of `index.query.tokens`, glossary concepts among them."""
    counts = [Counter(tokens.words(text)) for text in candidates]
    lengths = np.array([sum(count.values()) for count in counts], dtype=np.float64)
    damping = K1 * (1 - B + B * lengths / max(lengths.mean(), 1.0))
    postings: dict[str, list[tuple[int, int]]] = {}
    for at, count in enumerate(counts):
        for word, n in count.items():
            postings.setdefault(word, []).append((at, n))
    scores = np.zeros((len(questions), len(candidates)), dtype=np.float32)
    for row, question in zip(scores, questions, strict=True):
        for word, times in Counter(tokens.words(question)).items():
            found = postings.get(word)
            if not found:
                continue
            places, n = np.array(found).T
            rarity = np.log(1 + (len(candidates) - len(found) + 0.5) / (len(found) + 0.5))
            row[places] += (times * rarity * n * (K1 + 1) / (n + damping[places])).astype(np.float32)
    return scores


def peers(models: Sequence[str]) -> dict[str, Scores]:
    """Name → scorer: BM25, hashing, then each model by folder or hub name."""
    encoders: list[Encoder] = [HashingEncoder(), *(load_encoder(model) for model in models)]
    return {"BM25": bm25} | {encoder.name: cosine(encoder.encode) for encoder in encoders}
