"""A million incidents from a quarter of a million: the same ones again in other dialects.

A dialect keeps the common words, frames and types and has rare ones of its own, so that what is common grows more common and
what is rare stays as rare: the statistics of one long draw, at a fiftieth of its cost. Vectors lie between two neighbours.
Only incidents of the first dialect are asked for; the others are what a search has to tell them from.
"""

import numpy as np
import pyarrow as pa

from index.encoder import normalised
from index.entry import ENTRY_SCHEMA
from index.terms.ragged import parts

NAMED = ("terms", "title", "cause", "phrases", "frames", "sketches")
DIGESTS = ("exact", "root_cause", "loose")
_COMMON_FROM = 0.004
"""Share of incidents from which on a word or frame is everybody's."""
_COUNTS = 1 << 32
"""Below are counts and lines of a sketch, above are names."""


class Dialects:
    """What is common, learned from some entries."""

    def __init__(self, sample: pa.RecordBatch) -> None:
        self._common: dict[str, np.ndarray] = {}
        for name in ("terms", "frames"):
            values, times = np.unique(parts(sample.column(name))[0], return_counts=True)
            self._common[name] = values[times >= _COMMON_FROM * sample.num_rows]
        self._words = self._everyday(sample.column("said"))
        self._calls = {f"{value:016x}" for value in self._common["frames"].tolist()}

    @staticmethod
    def _everyday(said: pa.StringArray) -> set[str]:
        counts: dict[str, int] = {}
        for text in said.to_pylist():
            for word in set(text.split(" ")):
                counts[word] = counts.get(word, 0) + 1
        return {word for word, count in counts.items() if count >= _COMMON_FROM * len(said)}

    def told(self, batch: pa.RecordBatch, dialect: int, first: int) -> pa.RecordBatch:
        """The entries in another dialect (from 1), numbered from ``first``."""
        columns = {name: batch.column(name) for name in ENTRY_SCHEMA.names}
        for name in NAMED:
            columns[name] = self._renamed(
                columns[name], dialect, "terms" if name in ("terms", "title", "cause", "phrases") else "frames"
            )
        for name in DIGESTS:
            flat = columns[name].flatten().to_pylist()
            columns[name] = pa.ListArray.from_arrays(
                _offsets(columns[name]),
                pa.array([_other(digest, dialect) for digest in flat], pa.string()),
            )
        columns["said"] = pa.array([self._reworded(text, dialect) for text in columns["said"].to_pylist()])
        columns["called"] = pa.array([self._recalled(text, dialect) for text in columns["called"].to_pylist()])
        columns |= _numbered(columns, first)
        dim = len(columns["vector"].flatten()) // batch.num_rows
        rows = columns["vector"].flatten().to_numpy().reshape(-1, dim)
        mixed = normalised(rows + np.roll(rows, dialect, axis=0))
        columns["vector"] = pa.ListArray.from_arrays(_offsets(columns["vector"]), pa.array(mixed.ravel()))
        return pa.RecordBatch.from_arrays(
            [columns[field.name].cast(field.type) for field in ENTRY_SCHEMA], schema=ENTRY_SCHEMA
        )

    def _renamed(self, names: pa.ListArray, dialect: int, kind: str) -> pa.ListArray:
        values, _ = parts(names)
        rare = (values >= _COUNTS) & ~np.isin(values, self._common[kind])
        other = np.where(rare, values ^ np.uint64(dialect), values)
        return pa.ListArray.from_arrays(_offsets(names), pa.array(other.view(np.int64)))

    def _reworded(self, text: str, dialect: int) -> str:
        return " ".join([word if word in self._words else f"{word}{dialect}" for word in text.split(" ")])

    def _recalled(self, text: str, dialect: int) -> str:
        names = text.split(" ") if text else []
        return " ".join([n if n in self._calls else _other(n, dialect) for n in names])


def _other(name: str, dialect: int) -> str:
    """A name in hexadecimal as another dialect has it; there is room for 256."""
    return f"{name[:-2]}{dialect ^ int(name[-2:], 16):02x}"


def _offsets(rows: pa.ListArray) -> pa.Array:
    lengths = rows.value_lengths().to_numpy(zero_copy_only=False)
    return pa.array(np.cumsum([0, *lengths], dtype=np.int32))


def _numbered(columns: dict[str, pa.Array], first: int) -> dict[str, pa.Array]:
    old = columns["id"].to_pylist()
    new = [f"inc-{first + at:07d}" for at in range(len(old))]
    documents = columns["document"].to_pylist()
    texts = [text.replace(before, after) for text, before, after in zip(documents, old, new, strict=True)]
    return {"id": pa.array(new), "document": pa.array(texts)}
