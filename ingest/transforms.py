"""The stages as DataFrame functions. What happens to one document is in `reading`, `quality`, `shingles` and `index.entry`."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, replace
from functools import cache
from typing import Any

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as f

from index.encoder import Encoder, load_encoder
from index.entry import ENTRY_SCHEMA, entries
from ingest.quality import Reason
from ingest.reading import ReadOutcome, read_bytes, read_document
from ingest.schemas import (
    DOCUMENT_FIELDS,
    DONE_SCHEMA,
    SHINGLE_FIELDS,
    STATED_FIELDS,
    spark_schema,
)
from ingest.shingles import shingled
from ingest.sources.formats import DocumentFormat
from kb.incident import Incident
from kb.record import from_record
from kb.trace.custom import NONE, CustomRules
from kb.trace.in_force import activate

_TOGETHER = 64  # documents whose entries are computed and handed back in one batch
_TASK_BYTES = 4 << 20
_TASK_DOCUMENTS = 1000
_DETAIL = 300

_ABOUT = (*(field.name for field in DOCUMENT_FIELDS), "ordinal")
REMADE_FROM = (*_ABOUT, "document")
"""The columns of the lake that entries are made anew from. The others may be of another type in rows of older code."""

Row = Mapping[str, Any]
Count = Callable[[int], None]


@dataclass(frozen=True, slots=True)
class Making:
    """What a stage in the executors must know."""

    model: str | None
    indexer: str
    """Version of the code, the model and the rules of the house that make entries."""
    rules: CustomRules = NONE
    keep_all: frozenset[str] = frozenset()
    """The sources whose documents are all kept, also those that state no problem."""


@dataclass(frozen=True, slots=True)
class _Line:
    """A row in the making: the columns about its document, and its incident if it has one."""

    about: dict[str, object]
    incident: Incident | None = None


@dataclass(frozen=True, slots=True)
class _Stated:
    """The columns `STATED_FIELDS` of one incident."""

    lang: str
    with_trace: bool
    with_cause: bool
    with_fix: bool

    @classmethod
    def of(cls, incident: Incident) -> "_Stated":
        return cls(incident.lang, bool(incident.chains), incident.root_cause is not None, incident.fix is not None)


def spread(session: SparkSession, listing: pa.Table) -> DataFrame:
    """The listed documents, in tasks of about equal bytes: at least three for each core, so that no core ends alone.

    The tasks, one behind the other, keep the order of the listing: however many machines read it, the lake holds its rows in that order.
    """
    cores = session.sparkContext.defaultParallelism
    sizes = listing["size"].to_pylist()
    total = sum(sizes)
    tasks = max(total // _TASK_BYTES, listing.num_rows // _TASK_DOCUMENTS, min(listing.num_rows, 3 * cores), 1)
    share = total / tasks + 1
    part, before = [], 0
    for size in sizes:
        part.append(int(before / share))
        before += size
    numbered = listing.append_column("task", pa.array(part, pa.int32()))
    numbered = numbered.append_column("at", pa.array(range(listing.num_rows), pa.int64()))
    frame = session.createDataFrame(numbered).repartitionById(tasks, f.col("task"))
    return frame.sortWithinPartitions("at").drop("task", "at")


def read(listed: DataFrame, making: Making, count: Count) -> DataFrame:
    """Listed documents (a ``data`` column, or a location to read) → rows of `DONE_SCHEMA`, accepted and rejected."""

    def batches(incoming: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        activate(making.rules)  # a Python worker outlives its job, and the next one may have others
        for rows in _groups(incoming):
            yield _done(
                [_lines(row, _outcome(row, keep_all=row["source"] in making.keep_all), making) for row in rows],
                making.model,
            )
            count(len(rows))

    return listed.mapInArrow(batches, spark_schema(DONE_SCHEMA))


def remake(done: DataFrame, making: Making, count: Count) -> DataFrame:
    """Rows of accepted documents → the same with new entries, made from the incidents in them: no source is read."""

    def batches(incoming: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        activate(making.rules)
        for rows in _groups(incoming):
            yield _done([_remade(row, making.indexer) for row in rows], making.model)
            count(len(rows))

    return done.mapInArrow(batches, spark_schema(DONE_SCHEMA))


def _groups(incoming: Iterable[pa.RecordBatch]) -> Iterator[list[Row]]:
    for batch in incoming:
        for start in range(0, batch.num_rows, _TOGETHER):
            yield batch.slice(start, _TOGETHER).to_pylist()


def _outcome(row: Row, *, keep_all: bool) -> ReadOutcome:
    """What one document became. Nothing that is wrong with it stops the others."""
    try:
        data = row.get("data")
        if data is None:
            data = read_bytes(row["location"], row["offset"], row["size"])
        return read_document(data, row["path"], DocumentFormat(row["format"]), keep_all=keep_all)
    except OSError as error:
        return ReadOutcome(reason=Reason.UNREADABLE, detail=error.strerror or str(error))
    except Exception as error:  # noqa: BLE001  the outermost handler around one document
        return ReadOutcome(reason=Reason.FAILED, detail=_reason(error))


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {error}"


def _lines(row: Row, outcome: ReadOutcome, making: Making) -> list[_Line]:
    about = {name: row[name] for name in ("doc", "source", "path", "size", "content", "line", "reader")}
    about |= {"indexer": making.indexer, "incidents": len(outcome.incidents), "ordinal": 0}
    about |= {"status": "accepted", "reason": "", "detail": outcome.detail}
    if outcome.reason is not None:
        return [_refused(_Line(about), outcome.reason, outcome.detail)]
    return [_Line(about | {"ordinal": at}, incident) for at, incident in enumerate(outcome.incidents)]


def _refused(line: _Line, reason: Reason, detail: str) -> _Line:
    detail = detail[:_DETAIL].encode(errors="backslashreplace").decode()  # a lone surrogate would end the job
    return _Line(line.about | {"status": "rejected", "reason": reason.value, "detail": detail, "incidents": 0})


def _remade(row: Row, indexer: str) -> list[_Line]:
    line = _Line({name: row[name] for name in _ABOUT} | {"indexer": indexer})
    try:
        return [replace(line, incident=from_record(json.loads(row["document"])))]
    except Exception as error:  # noqa: BLE001  the outermost handler around one incident
        return [_refused(line, Reason.FAILED, _reason(error))]


@cache
def encoder_for(model: str | None) -> Encoder:
    """The encoder that ``model`` names, loaded once in each process."""
    return load_encoder(model)


def _done(documents: list[list[_Line]], model: str | None) -> pa.RecordBatch:
    """Rows of `DONE_SCHEMA`. Entries are made for all documents at once; if that fails, one by one to find the culprit."""
    try:
        return _rows([line for document in documents for line in document], encoder_for(model))
    except Exception as error:  # noqa: BLE001  as above: a document whose entries cannot be made
        if len(documents) == 1:
            return _rows([_refused(documents[0][0], Reason.FAILED, _reason(error))], encoder_for(model))
        return pa.concat_batches([_done([document], model) for document in documents])


def _rows(lines: list[_Line], encoder: Encoder) -> pa.RecordBatch:
    incidents = [line.incident for line in lines if line.incident is not None]
    made = entries(incidents, encoder)
    hashes = [shingled(*pair).columns for pair in zip(incidents, made.column("exact").to_pylist(), strict=True)]
    columns = {name: _column(name, [line.about[name] for line in lines]) for name in _ABOUT}
    counter = iter(range(len(incidents)))
    numbers = pa.array([None if line.incident is None else next(counter) for line in lines], pa.int64())
    columns |= {name: made.column(name).take(numbers) for name in ENTRY_SCHEMA.names}
    stated = [asdict(_Stated.of(incident)) for incident in incidents]
    for fields, values in ((SHINGLE_FIELDS, hashes), (STATED_FIELDS, stated)):
        for field in fields:
            columns[field.name] = _column(field.name, [one[field.name] for one in values]).take(numbers)
    return pa.record_batch([columns[name] for name in DONE_SCHEMA.names], schema=DONE_SCHEMA)


def _column(name: str, values: list[object]) -> pa.Array:
    return pa.array(values, DONE_SCHEMA.field(name).type)
