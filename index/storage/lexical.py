"""BM25 over words and over frames, in tantivy, on tokens that were cut beforehand."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import tantivy

_ANALYZER = "cut"
_HEAP = 3 << 30
"""Bytes until a segment is written: they are taken as needed, and a million incidents need about half, so that there is one."""
FIELDS = ("words", "frames")
"""What can be searched: words of the texts; frames and types (as token names in hexadecimal)."""


class LexicalWriter:
    """Adds rows in order; one segment, so that scores do not depend on chance."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir()
        self._index = tantivy.Index(_schema(), path=str(folder))
        _register(self._index)
        self._writer = self._index.writer(heap_size=_HEAP, num_threads=1)
        self._is_open = True

    def add(self, row: int, words: str, frames: str, facets: str) -> None:
        """One row: tokens between blanks."""
        document = tantivy.Document()
        document.add_unsigned("row", row)
        document.add_text("words", words)
        document.add_text("frames", frames)
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
    ) -> list[tuple[int, float]]:
        """(row, score) of the best rows, best first, ties by row: BM25 with one weight per token, within facets, below a row."""
        if not weights or not self._searcher.num_docs:
            return []
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
        found = self._searcher.fast_field_values("row", [address for _, address in hits])
        return sorted(((row, score) for row, (score, _) in zip(found, hits, strict=True)), key=lambda p: (-p[1], p[0]))

    def _term(self, field: str, token: str) -> tantivy.Query:
        return tantivy.Query.term_query(self._schema, field, token, "freq" if field in FIELDS else "basic")


def _schema() -> tantivy.Schema:
    builder = tantivy.SchemaBuilder()
    builder.add_unsigned_field("row", stored=False, indexed=False, fast=True)
    for field in FIELDS:
        builder.add_text_field(field, stored=False, tokenizer_name=_ANALYZER, index_option="freq")
    builder.add_text_field("facets", stored=False, tokenizer_name=_ANALYZER, index_option="basic")
    return builder.build()


def _register(index: tantivy.Index) -> None:
    index.register_tokenizer(_ANALYZER, tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.whitespace()).build())
