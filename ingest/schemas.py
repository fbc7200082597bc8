"""The tables of the lake, as Arrow schemas, and their Spark form."""

import pyarrow as pa
from pyspark.sql.pandas.types import from_arrow_schema
from pyspark.sql.types import StructType

from index.entry import ENTRY_SCHEMA
from ingest.sources.listing import LISTING_SCHEMA

_HASHES = pa.list_(pa.int64())

DOCUMENT_FIELDS = [
    *(LISTING_SCHEMA.field(name) for name in ("doc", "source", "path", "size", "content", "line")),
    pa.field("status", pa.string()),  # accepted | rejected; removed is written by the lake alone
    pa.field("reason", pa.string()),
    pa.field("detail", pa.string()),
    pa.field("incidents", pa.int32()),
    pa.field("reader", pa.string()),  # version of the code that read it
    pa.field("indexer", pa.string()),  # version of the code and model that made its entries
]
SHINGLE_FIELDS = [
    pa.field("sample", _HASHES),
    pa.field("bands", _HASHES),
    pa.field("told", _HASHES),  # sample of the stated cause and fix alone
    pa.field("rank", pa.string()),
]
STATED_FIELDS = [
    pa.field("lang", pa.string()),
    pa.field("with_trace", pa.bool_()),
    pa.field("with_cause", pa.bool_()),
    pa.field("with_fix", pa.bool_()),
]
"""What the report counts."""

_ENTRY_FIELDS = [field.with_nullable(nullable=True) for field in ENTRY_SCHEMA]  # a rejected document has no entry

DONE_SCHEMA = pa.schema(
    [*DOCUMENT_FIELDS, pa.field("ordinal", pa.int32()), *_ENTRY_FIELDS, *SHINGLE_FIELDS, *STATED_FIELDS]
)
"""What reading leaves: one row per incident of an accepted document, one row without an entry per rejected one."""

_RUN = pa.field("run", pa.string())

STORED_SCHEMA = pa.schema([*DONE_SCHEMA, _RUN])
"""The same in the files of the lake, with the run that wrote it."""

STATE_SCHEMA = pa.schema([*DOCUMENT_FIELDS, _RUN])
"""One row per document ever seen; ``run`` is the run that holds its rows, "" for one that Spark never read."""

PAIR_SCHEMA = pa.schema(
    [*((name, pa.string()) for name in ("first", "second", "first_rank", "second_rank")), ("bands", _HASHES)]
)
"""Two near-duplicates by their keys, the first before the second in rank, and the bands in which they were brought together."""


def spark_schema(schema: pa.Schema) -> StructType:
    """The Spark form of an Arrow schema."""
    return from_arrow_schema(schema)
