"""Cutting a file from memory, for tests."""

import io
from pathlib import Path

from ingest.sources.cutting import Cutter
from ingest.sources.exports.records import Budget, Record
from ingest.sources.formats import DocumentFormat
from ingest.sources.recognise import HEAD


def cut(data: bytes, name: str, form: DocumentFormat = DocumentFormat.AUTO, *, scratch: Path) -> list[Record]:
    """Every record of a file of these bytes."""
    stream = io.BufferedReader(io.BytesIO(data), HEAD)  # type: ignore[type-var]
    return list(Cutter(form, Budget(len(data)), scratch).records(stream, name))


def names(records: list[Record]) -> dict[str, str]:
    """The name of each record, with the reason of those that are refused."""
    return {record.name: record.reason.value if record.reason else record.format.value for record in records}
