"""BM25 over words and over frames, in tantivy, on tokens that were cut beforehand, each once an incident.

So the length of an incident is one factor of its score, and a score by one average length can be turned into that by another:
what was saved since a snapshot moves the average.
"""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple, Self

import numpy as np
import numpy.typing as npt
import tantivy

_ANALYZER = "cut"
_HEAP = 3 << 30
"""Bytes until a segment is written: they are taken as needed, and a million incidents need about half, so that there is one."""
_K1, _B = 1.2, 0.75
"""Of BM25, as Lucene and tantivy have them."""
FIELDS = ("words", "frames")
"""What can be searched: words of the texts; frames and types (as token names in hexadecimal)."""


class Hits(NamedTuple):
    """The rows that were found, best first, ties by row."""

    rows: npt.NDArray[np.int64]
    scores: npt.NDArray[np.float64]
    lengths: npt.NDArray[np.float64]
    """How many tokens of the field each has, as it is kept (`kept_length`)."""

    @classmethod
    def of(cls, rows: Sequence[int], scores: Sequence[float], lengths: Sequence[int]) -> Self:
        """The same in order."""
        at, score = np.array(rows, dtype=np.int64), np.array(scores, dtype=np.float64)
        order = np.lexsort((at, -score))
        return cls(at[order], score[order], np.array(lengths, dtype=np.float64)[order])


def kept_length(length: int) -> int:
    """The length of a field as tantivy (and Lucene's SmallFloat) remember it in one byte: exact below 40, then four leading bits."""
    beyond = length - 24
    spare = max(beyond.bit_length() - 4, 0) if beyond > 0 else 0
    return length if spare == 0 else 24 + (beyond >> spare << spare)


def length_factor(lengths: npt.NDArray[np.float64], mean: float) -> npt.NDArray[np.float64]:
    """What the weights of the tokens that a row has are multiplied by: the longer the row, the less."""
    factor: npt.NDArray[np.float64] = (_K1 + 1) / (1 + _K1 * (1 - _B + _B * lengths / mean))
    return factor


def distinct_tokens(text: str) -> list[str]:
    """The tokens between blanks, each once."""
    return list(dict.fromkeys(text.split()))


class LexicalWriter:
    """Adds rows in order; one segment, so that scores do not depend on chance."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._index = tantivy.Index(_schema(), path=str(folder))
        _register(self._index)
        self._writer = self._index.writer(heap_size=_HEAP, num_threads=1)
        self._is_open = True

    def add(self, row: int, words: str, frames: str, facets: str) -> None:
        """One row: tokens between blanks; how often one is repeated does not count."""
        document = tantivy.Document()
        document.add_unsigned("row", row)
        for field, text in zip(FIELDS, (words, frames), strict=True):
            tokens = distinct_tokens(text)
            document.add_text(field, " ".join(tokens))
            document.add_unsigned(f"{field}_length", kept_length(len(tokens)))
        document.add_text("facets", facets)
        self._writer.add_document(document)

    def commit(self) -> None:
        """Write what was added; nothing can be added any more."""
        self._writer.commit()
        self.close()

    def close(self) -> None:
        """Wait for the threads that write, finished or not; once more does nothing."""
        if self._is_open:
            self._is_open = False
            self._writer.wait_merging_threads()


class LexicalIndex:
    """Searches one field by weighted tokens. The folder is only read: it may be on a volume that nobody may write to."""

    def __init__(self, folder: Path) -> None:
        # tantivy opens nothing without a lock file beside it, and its watcher may write one more while the folder is removed
        with TemporaryDirectory(prefix="kb-lexical-", ignore_cleanup_errors=True) as linked:
            for file in folder.iterdir():
                if file.suffix != ".lock":
                    Path(linked, file.name).symlink_to(file.absolute())
            index = tantivy.Index.open(linked)
            index.config_reader(reload_policy="manual")
            _register(index)
            self._schema = index.schema
            self._searcher = index.searcher()  # holds what it read of every file
            del index  # and its watcher with it

    def __len__(self) -> int:
        return int(self._searcher.num_docs)

    def search(
        self,
        field: str,
        weights: Mapping[str, float],
        limit: int,
        required: Iterable[str] = (),
        until: int | None = None,
    ) -> Hits:
        """The best rows: BM25 with one weight per token, within facets, below a row."""
        if not weights or not self._searcher.num_docs:
            return Hits.of([], [], [])
        clauses = [
            (tantivy.Occur.Should, tantivy.Query.boost_query(self._term(field, token), weight))
            for token, weight in weights.items()
        ]
        query = tantivy.Query.boolean_query(clauses)
        filters = [self._term("facets", facet) for facet in required]
        if until is not None:
            rows = (None, until, True, False)
            filters.append(tantivy.Query.range_query(self._schema, "row", tantivy.FieldType.Unsigned, *rows))
        for wanted in filters:
            unscored = tantivy.Query.const_score_query(wanted, 0.0)
            query = tantivy.Query.boolean_query([(tantivy.Occur.Must, query), (tantivy.Occur.Must, unscored)])
        hits = self._searcher.search(query, limit, count=False).hits
        places = [address for _, address in hits]
        rows, lengths = (self._searcher.fast_field_values(name, places) for name in ("row", f"{field}_length"))
        return Hits.of(rows, [score for score, _ in hits], lengths)

    def _term(self, field: str, token: str) -> tantivy.Query:
        return tantivy.Query.term_query(self._schema, field, token, "freq" if field in FIELDS else "basic")


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("row", stored=False, indexed=False, fast=True)
    for field in FIELDS:
        builder.add_unsigned_field(f"{field}_length", stored=False, indexed=False, fast=True)
        builder.add_text_field(field, stored=False, tokenizer_name=_ANALYZER, index_option="freq")
    builder.add_text_field("facets", stored=False, tokenizer_name=_ANALYZER, index_option="basic")
    return builder.build()


def _register(index: tantivy.Index) -> None:
    index.register_tokenizer(_ANALYZER, tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build())
