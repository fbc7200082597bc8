"""Parquet of somebody else's, read by a process of its own whose memory is bounded.

A few kilobytes of Parquet may hold gigabytes (a string of megabytes that a million rows share, wholly or by its beginning, a page of
zeros, a list without end), and a forged file may crash the library that reads it. Here the crash ends one process, and the file counts as unread.

    python -m ingest.triage.tables FILE PART PARTS ROW    the rows of every PARTS-th row group, as JSON lines; ROW as in `table_lines`
"""

import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterator
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from ingest.triage.fields import LONGEST_LINE, columns, shortened

_MEMORY = 1 << 30
"""Bytes for one process: a row group of ordinary reports takes a tenth."""
_FOOTER = 64 << 20
_MOST_ROWS, _ROWS_A_BYTE = 1_000_000, 20
"""Rows that any file may have, and beyond them for each of its bytes: 10^9 rows fit into 2 MB, and would be read for hours; times alone take a byte a row."""
_BYTES_A_ROW = 4_096
"""Bytes that the rows of a file may have on average, be there as many as there may: with prefixes that rows share (DELTA_BYTE_ARRAY), 1,292 bytes held 500 MB, and no figure of the file says so."""
_MOST_COLUMNS = 1_000
_SHARING = {"PLAIN", "RLE", "BIT_PACKED", "PLAIN_DICTIONARY", "RLE_DICTIONARY"}
_TOGETHER = 512
_PART = 16 << 20
_MOST_PARTS = 1_000
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def parts(location: str) -> int:
    """Return into how many parts a file is cut, each to be read by itself; of one that is gone, one."""
    with suppress(OSError):
        return min(_MOST_PARTS, 1 + os.stat(location).st_size // _PART)  # noqa: PTH116
    return 1


def table_lines(location: str, part: int, count: int, row: int = _BYTES_A_ROW) -> Iterator[str]:
    """Yield the rows of a part of a Parquet file as JSON lines. Raises OSError, with the reason, where it cannot be read to its end.

    ``row``: bytes that each of as many rows as a file of its size may have can take, all together.
    """
    command = [sys.executable, "-m", __name__, location, *map(str, (part, count, row))]
    environ = os.environ | {"PYTHONPATH": os.pathsep.join(one for one in sys.path if one)}
    environ["ARROW_DEFAULT_MEMORY_POOL"] = "system"  # the others take address space ahead of need
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environ) as child:  # noqa: S603  no shell
        if child.stdout is None or child.stderr is None:
            raise OSError("no pipe")
        try:
            for line in child.stdout:
                yield line.decode()
            errors = child.stderr.read().decode(errors="replace").strip()
            status = child.wait()
        finally:
            child.kill()
    if status:
        raise OSError(errors.rpartition("\n")[2] if status == 1 else "it is made so that reading it fails")


def _main(location: str, part: int, count: int, row: int) -> int:
    resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        for line in _lines(location, part, count, row):
            sys.stdout.write(line)
        sys.stdout.flush()
    except BrokenPipeError:
        return 2
    except MemoryError:
        problem = f"it would take more than {_MEMORY >> 20} MB of memory"
    except (pa.ArrowException, OSError, ValueError, RecursionError) as error:
        problem = " ".join(str(error).split())[:200]
    else:
        return 0
    sys.stderr.write(f"{problem}\n")
    return 1


def _lines(location: str, part: int, count: int, row: int) -> Iterator[str]:
    wanted = columns()
    limits = {"thrift_string_size_limit": _FOOTER, "thrift_container_size_limit": _FOOTER >> 6}
    with pq.ParquetFile(location, **limits) as file:
        names = [name for name in file.schema_arrow.names if name in wanted]
        size = os.stat(location).st_size  # noqa: PTH116
        _check(file.metadata, size)
        shared = sorted(_shared(file) & set(names))
        groups = list(range(part, file.metadata.num_row_groups, count))
    if not groups:
        return
    # A string that rows share is held once.
    with pq.ParquetFile(location, read_dictionary=shared, buffer_size=1 << 20, **limits) as file:
        most = left = row * _most_rows(size)
        for batch in file.iter_batches(_TOGETHER, groups, names, use_threads=False):
            left -= batch.nbytes
            if left < 0:
                raise ValueError(f"its {size:,} bytes hold more than {most:,}, which is the most that is read")
            yield from _rows(batch)


def _shared(file: pq.ParquetFile) -> set[str]:
    """Return the columns of texts that rows share; in other encodings they share none, and Arrow cannot read them as if they did."""
    texts = {field.name for field in file.schema_arrow if pa.types.is_string(field.type)}
    groups = [file.metadata.row_group(n) for n in range(file.metadata.num_row_groups)]
    chunks = (group.column(n) for group in groups for n in range(group.num_columns))
    return texts - {chunk.path_in_schema for chunk in chunks if not set(chunk.encodings) <= _SHARING}


def _most_rows(size: int) -> int:
    return _MOST_ROWS + size * _ROWS_A_BYTE


def _check(metadata: pq.FileMetaData, size: int) -> None:
    """Raises ValueError for a file that says to hold more than is read."""
    most = _most_rows(size)
    if not 0 <= metadata.num_rows <= most:
        raise ValueError(f"{metadata.num_rows:,} rows in {size:,} bytes; at most {most:,} are read")
    if metadata.num_columns > _MOST_COLUMNS:
        raise ValueError(f"{metadata.num_columns:,} columns; at most {_MOST_COLUMNS:,} are read")


def _rows(batch: pa.RecordBatch) -> Iterator[str]:
    held = {name: _values(column) for name, column in zip(batch.schema.names, batch.columns, strict=True)}
    for n in range(batch.num_rows):
        row = {name: values[n] for name, values in held.items() if values[n] is not None}
        line = json.dumps(row, default=_plain)
        yield f"{line}\n" if len(line) <= LONGEST_LINE else "null\n"


def _values(column: pa.Array) -> list[Any]:
    if pa.types.is_dictionary(column.type):
        kept = [_cut(value) for value in column.dictionary.to_pylist()]
        return [None if n is None else kept[n] for n in column.indices.to_pylist()]
    if pa.types.is_timestamp(column.type):
        numbers = column.cast(pa.timestamp("us", column.type.tz), safe=False).cast(pa.int64())
        return [None if n is None else _time(n) for n in numbers.to_pylist()]
    return [_cut(value) for value in column.to_pylist()]


def _cut(value: Any) -> Any:
    if isinstance(value, bytes):
        value = value.decode("utf-8", "replace")
    return shortened(value) if isinstance(value, str) else value


def _time(microseconds: int) -> str | None:
    try:
        return (_EPOCH + timedelta(microseconds=microseconds)).isoformat()
    except OverflowError:
        return None


def _plain(value: object) -> str:
    return value.isoformat() if isinstance(value, date | datetime) else str(value)


if __name__ == "__main__":
    sys.exit(_main(sys.argv[1], *map(int, sys.argv[2:])))
