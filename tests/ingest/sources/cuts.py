"""Cutting a file from memory, for tests."""

import io
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

from ingest.sources.cutting import Cutter
from ingest.sources.exports.records import Budget, Record
from ingest.sources.formats import DocumentFormat
from ingest.sources.recognise import HEAD


def cut(
    data: bytes,
    name: str,
    form: DocumentFormat = DocumentFormat.AUTO,
    *,
    scratch: Path,
    limits: Mapping[str, int] = MappingProxyType({}),
) -> list[Record]:
    """Every record of a file of these bytes; ``limits`` are those of its `Budget` that are not the usual ones."""
    stream = io.BufferedReader(io.BytesIO(data), HEAD)  # type: ignore[type-var]
    return list(Cutter(form, Budget(len(data), **limits), scratch).records(stream, name))


def names(records: list[Record]) -> dict[str, str]:
    """The name of each record, with the reason of those that are refused."""
    return {record.name: record.reason.value if record.reason else record.format.value for record in records}
