"""Other engines on the same entries and questions: ``python -m tests.bench.million.peers NAME PARTS SIZE COUNT``. Prints JSON.

Each gets the very tokens that our lexical index has (words of the text, names of frames and types), in one field; faiss gets the
vectors. None is given our ranking: the table says what search alone costs and finds.
"""

import importlib
import json
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

import faiss
import pyarrow as pa
import tantivy

from index.encoder import load_encoder
from index.reading import Reading, read
from index.terms.frequencies import name_of
from index.terms.sketch import frame_tokens
from tests.bench.million.make import read as read_entries
from tests.bench.million.measure import hits, memory, spread, timed
from tests.bench.million.queries import questions

Search = Callable[[Reading], list[int]]
"""A text to the rows it finds, best first."""
_FOUND = 10


def tokens_of(reading: Reading) -> list[str]:
    """What is looked up of a text."""
    frames = (f"{name_of(token):016x}" for trace in reading.traces for token in frame_tokens(trace.normalised))
    return list(dict.fromkeys([*sorted(reading.terms), *frames]))


def texts(batches: Iterable[pa.RecordBatch]) -> Iterator[str]:
    """The tokens of each entry between blanks."""
    for batch in batches:
        yield from (
            f"{said} {called}"
            for said, called in zip(*(batch.column(c).to_pylist() for c in ("said", "called")), strict=True)
        )


def flat_faiss(batches: Iterable[pa.RecordBatch], _: Path) -> Search:
    """Every vector compared."""
    encoder = load_encoder(None)
    index = faiss.IndexFlatIP(encoder.dim)
    faiss.omp_set_num_threads(1)
    for batch in batches:
        index.add(batch.column("vector").flatten().to_numpy().reshape(-1, encoder.dim))
    return lambda reading: index.search(encoder.encode([reading.embedded]), _FOUND)[1][0].tolist()


def tantivy_alone(batches: Iterable[pa.RecordBatch], folder: Path) -> Search:
    """BM25 over all tokens of the question, unweighed."""
    schema = tantivy.SchemaBuilder().add_unsigned_field("row", fast=True)
    schema = schema.add_text_field("text", tokenizer_name="cut", index_option="freq").build()
    index = tantivy.Index(schema, path=str(folder))
    index.register_tokenizer("cut", tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build())
    writer = index.writer(heap_size=1 << 30, num_threads=1)
    for row, text in enumerate(texts(batches)):
        document = tantivy.Document()
        document.add_unsigned("row", row)
        document.add_text("text", text)
        writer.add_document(document)
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    searcher = index.searcher()

    def search(reading: Reading) -> list[int]:
        terms = [
            (tantivy.Occur.Should, tantivy.Query.term_query(schema, "text", t, "freq")) for t in tokens_of(reading)
        ]
        hits = searcher.search(tantivy.Query.boolean_query(terms), _FOUND, count=False).hits
        return searcher.fast_field_values("row", [address for _, address in hits])

    return search


def bm25s(batches: Iterable[pa.RecordBatch], _: Path) -> Search:
    """BM25 by sparse matrices in memory (PyPI: bm25s), without numba."""
    library: Any = importlib.import_module("bm25s")
    vocabulary: dict[str, int] = {}
    ids = [[vocabulary.setdefault(token, len(vocabulary)) for token in text.split(" ")] for text in texts(batches)]
    model = library.BM25(k1=1.2, b=0.75)
    model.index(library.tokenization.Tokenized(ids=ids, vocab=vocabulary), show_progress=False)
    del ids

    def search(reading: Reading) -> list[int]:
        known = [token for token in tokens_of(reading) if token in vocabulary]
        return model.retrieve([known], k=_FOUND, show_progress=False)[0][0].tolist() if known else []

    return search


def fts5(batches: Iterable[pa.RecordBatch], folder: Path) -> Search:
    """SQLite's full-text index, on disk, any of the tokens, ordered by its bm25."""
    base = sqlite3.connect(folder / "fts.db")
    base.execute("pragma journal_mode=off")
    base.execute("create virtual table t using fts5(x, content='', tokenize=\"ascii tokenchars '.:_-$'\")")
    base.executemany("insert into t(rowid, x) values (?, ?)", enumerate(texts(batches), start=1))
    base.commit()

    def search(reading: Reading) -> list[int]:
        wanted = " OR ".join('"' + token.replace('"', "") + '"' for token in tokens_of(reading))
        rows = (
            base.execute("select rowid from t where t match ? order by rank limit ?", (wanted, _FOUND))
            if wanted
            else ()
        )
        return [row - 1 for (row,) in rows]

    return search


PEERS: dict[str, Callable[[Iterable[pa.RecordBatch], Path], Search]] = {
    "tantivy": tantivy_alone,
    "bm25s": bm25s,
    "fts5": fts5,
    "faiss_flat": flat_faiss,
}


def figures(name: str, parts: Path, size: int, count: int) -> dict[str, float]:
    """Building, searching, memory and what is found."""
    asked = [(question, read(question.text)) for question in questions(count)]
    with tempfile.TemporaryDirectory() as folder:
        start = time.process_time()
        search = PEERS[name](read_entries(parts, size), Path(folder))
        found = {"build_cpu_s": time.process_time() - start}
        taken: list[float] = []
        rows: list[Sequence[int]] = []
        for _, reading in asked:
            taken.append(timed(lambda reading=reading: rows.append(search(reading))))
        found |= spread("search", taken) | {"memory.resident_MB": memory()["resident"]}
        found["disk_MB"] = sum(path.stat().st_size for path in Path(folder).rglob("*")) / 1e6
    return found | hits([(q, [f"inc-{row:07d}" for row in r]) for (q, _), r in zip(asked, rows, strict=True)])


if __name__ == "__main__":
    json.dump(figures(sys.argv[1], Path(sys.argv[2]), *map(int, sys.argv[3:])), sys.stdout)
