"""The documents that `kb ingest` rejected, as the lake lists them: filtered and read a page at a time. `ingest` writes the table, the service shows it."""

import os
import threading
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from kb.errors import KbError
from kb.redact import redact, redact_path

REJECTED = "lake/rejected.parquet"
"""Below the home: the rejected documents, by source and path, without secrets."""
MOST_ROWS = 2_000_000
"""Rows that are read. A million take 0.6 s, filtered or not, and no more memory than a few (2026-11-29)."""
_BATCH = 16_384
_SEARCHED = ("source", "path", "detail")
_COLUMNS = ("source", "path", "line", "reason", "detail")


def without_secrets(rejected: pa.Table) -> pa.Table:
    """Return the table as `REJECTED` holds it: who filters it finds what is shown, and cannot confirm a guess of a secret.

    A path takes 15 µs where folders repeat themselves (2026-11-29).
    """
    folder, detail = cache(redact_path), cache(lambda text: redact(text).text)

    def path(text: str) -> str:
        above, slash, name = text.rpartition("/")
        return folder(above + slash) + redact_path(name)

    for column, hidden in (("source", folder), ("path", path), ("detail", detail)):
        at = rejected.schema.get_field_index(column)
        values = [text and hidden(text) for text in rejected[column].to_pylist()]
        rejected = rejected.set_column(at, rejected.schema.field(at), pa.array(values, pa.string()))
    return rejected


class RejectedError(KbError):
    """The table of rejected documents is there and cannot be read."""


@dataclass(frozen=True, slots=True)
class RejectedDocument:
    """One document that holds no incident, without secrets."""

    source: str
    path: str
    """Its path in the source; of a record, its file's and what it is called there."""
    line: int
    """Of a record in a file of lines; 0 for whole files."""
    reason: str
    """A value of `ingest.quality.Reason`."""
    detail: str


@dataclass(frozen=True, slots=True)
class RejectedPage:
    """Some of the rejected documents."""

    rows: tuple[RejectedDocument, ...]
    total: int
    """How many match reason and text."""
    reasons: Mapping[str, int]
    """How many match the text, by reason, the most frequent first."""
    at: datetime | None
    """When the last ingest that changed something wrote the table; None where none did."""


class RejectedDocuments:
    """The rejected documents of a home. Every method reads the disk; the counts of a table are kept until it changes."""

    def __init__(self, home: Path, *, most: int = MOST_ROWS) -> None:
        self.path = home / REJECTED
        self._most = most
        self._lock = threading.Lock()
        self._counted: tuple[tuple[int, int], Mapping[str, int]] | None = None

    def reasons(self) -> Mapping[str, int]:
        """Return how many documents were rejected, by reason, the most frequent first. Raises `RejectedError`."""
        if (state := self._state()) is None:
            return {}
        key = (state.st_mtime_ns, state.st_size)
        with self._lock:
            if self._counted is None or self._counted[0] != key:
                found: Counter[str] = Counter()
                for batch in self._batches("reason"):
                    found.update(_counts(batch))
                self._counted = key, dict(found.most_common())
            return self._counted[1]

    def page(self, reason: str, text: str, start: int, count: int) -> RejectedPage:
        """Return the documents with this reason and with this text in source, path or detail; '' takes all. Raises `RejectedError`."""
        if (state := self._state()) is None:
            return RejectedPage((), 0, {}, None)
        reasons: Counter[str] = Counter()
        rows: list[RejectedDocument] = []
        total = 0
        for batch in self._batches(*_COLUMNS):
            kept = batch.filter(_with(batch, text)) if text else batch
            reasons.update(_counts(kept))
            kept = kept.filter(pc.equal(kept["reason"], reason)) if reason else kept
            first = max(0, start - total)
            if len(rows) < count and first < kept.num_rows:
                rows += [_document(row) for row in kept.slice(first, count - len(rows)).to_pylist()]
            total += kept.num_rows
        return RejectedPage(
            tuple(rows), total, dict(reasons.most_common()), datetime.fromtimestamp(state.st_mtime, UTC)
        )

    def _state(self) -> os.stat_result | None:
        try:
            return self.path.stat()
        except OSError:
            return None

    def _batches(self, *columns: str) -> Iterator[pa.RecordBatch]:
        left = self._most
        try:
            with pq.ParquetFile(self.path) as file:
                for batch in file.iter_batches(_BATCH, columns=list(columns), use_threads=False):
                    if missing := set(columns) - set(batch.schema.names):
                        raise pa.ArrowInvalid(f"no column {min(missing)}")
                    yield batch.slice(0, left)
                    left -= batch.num_rows
                    if left <= 0:
                        return
        except (OSError, pa.ArrowException) as error:
            problem = f"{self.path.name} cannot be read: {error}"
            raise RejectedError(problem, cure="run `kb ingest --full` again, as the user of the service") from None


def _with(batch: pa.RecordBatch, text: str) -> pa.Array:
    masks = [pc.match_substring(batch[name].fill_null(""), text, ignore_case=True) for name in _SEARCHED]
    return pc.or_(pc.or_(masks[0], masks[1]), masks[2])


def _counts(batch: pa.RecordBatch) -> dict[str, int]:
    return {str(one["values"]): one["counts"] for one in pc.value_counts(batch["reason"]).to_pylist()}


def _document(row: Mapping[str, object]) -> RejectedDocument:
    """Return a row as it is shown: under the rules of now, and also of a table that an earlier version wrote, secrets and all."""
    line = row["line"]
    return RejectedDocument(
        redact_path(str(row["source"] or "")),
        redact_path(str(row["path"] or "")),
        line if isinstance(line, int) else 0,
        str(row["reason"] or ""),
        redact(str(row["detail"] or "")).text,
    )
