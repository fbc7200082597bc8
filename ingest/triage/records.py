"""A crash report as it is shipped: its text, when, where and in which version it happened.

The names of fields are those of the Elastic Common Schema (`@timestamp`, `error.stack_trace`, `service.version`, `host.name`), of
OpenTelemetry's log records (`exception.stacktrace`, `service.version`, `host.name`), of logstash-logback-encoder (`stack_trace`,
`HOSTNAME`) and the plain ones that people give. A hit of an Elasticsearch export has its fields under `_source`.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, BinaryIO

from ingest.triage.fields import HOSTS, MESSAGES, SOURCE, STACKS, TIMES, VERSIONS, shortened
from kb.trace import ExceptionChain, TraceStream

_LONGEST_NAME = 120
_BLOCK = 1 << 20
_MILLISECONDS, _MICROSECONDS, _NANOSECONDS = 10**11, 10**14, 10**17  # seconds have ten digits until the year 2286
# e.g. `2026-11-23 04:05:06,789`, `2026-11-23T04:05:06+08:00`
_STAMP = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?")


@dataclass(frozen=True, slots=True)
class CrashRecord:
    """One crash report as it was written, secrets and all. ``at`` is in UTC; a time without a zone is taken for UTC."""

    text: str
    at: datetime | None = None
    version: str | None = None
    host: str | None = None


def read_record(line: str) -> CrashRecord | None:
    """Return the report of one JSON line; None for a line that is no JSON object or names no text.

    What no column of text takes (lone surrogates) becomes a mark, so that no line ends the job.
    """
    try:
        data = json.loads(line)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict):
        return None
    if isinstance(data.get(SOURCE), dict):
        data = data[SOURCE]
    stack, message = _first(data, STACKS), _first(data, MESSAGES)
    text = (
        "\n".join(part for part in (message, stack) if part)
        if message and stack and message not in stack
        else stack or message
    )
    if not text:
        return None
    return CrashRecord(_written(shortened(text)), _time(data), _name(data, VERSIONS), _name(data, HOSTS))


def read_log(file: BinaryIO) -> Iterator[CrashRecord]:
    """Yield a report for each trace of a log, in bounded memory, with the time that its line or the line above begins with.

    Bytes that are no UTF-8 are replaced.
    """
    stream = TraceStream()
    last: datetime | None = None
    for block in _blocks(file):
        for chain in stream.feed(block):
            record = _logged(chain, stream, last)
            last = record.at or last
            yield record
    for chain in stream.rest():
        record = _logged(chain, stream, last)
        last = record.at or last
        yield record


def _blocks(file: BinaryIO) -> Iterator[str]:
    rest = b""
    while block := file.read(_BLOCK):
        whole = (rest + block).rfind(b"\n") + 1
        joined = rest + block
        whole = whole or (len(joined) if len(joined) > _BLOCK else 0)
        rest = joined[whole:]
        if whole:
            yield joined[:whole].decode("utf-8", "replace")
    if rest:
        yield rest.decode("utf-8", "replace")


def _logged(chain: ExceptionChain, stream: TraceStream, last: datetime | None) -> CrashRecord:
    begin, end = (place - stream.base for place in chain.span)
    held = stream.held
    line = held.rfind("\n", 0, begin) + 1
    above = held.rfind("\n", 0, max(line - 1, 0)) + 1
    stamps = _STAMP.findall(held[above : min(begin + _LONGEST_NAME, end)])
    return CrashRecord(shortened(held[line:end]), _stamp(stamps[-1]) if stamps else last)


def _first(data: Mapping[str, Any], names: Iterable[str]) -> str | None:
    for name in names:
        value = _value(data, name)
        if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
            value = "\n".join(value)
        if isinstance(value, str) and value.strip():
            return value
    return None


def _value(data: Mapping[str, Any], name: str) -> Any:
    """Return what a dotted name leads to: ``{"error": {"message": …}}`` or ``{"error.message": …}``."""
    if name in data:
        return data[name]
    head, dot, rest = name.partition(".")
    below = data.get(head) if dot else None
    return _value(below, rest) if isinstance(below, dict) else None


def _name(data: Mapping[str, Any], names: Iterable[str]) -> str | None:
    for name in names:
        value = _value(data, name)
        if isinstance(value, str | int | float) and not isinstance(value, bool) and str(value).strip():
            return _written(str(value).strip()[:_LONGEST_NAME])
    return None


def _written(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _time(data: Mapping[str, Any]) -> datetime | None:
    for name in TIMES:
        value = _value(data, name)
        found = _stamp(value) if isinstance(value, str) else _epoch(value)
        if found is not None:
            return found
    return None


def _stamp(text: str) -> datetime | None:
    try:
        at = datetime.fromisoformat(text.strip().replace(",", "."))
        return at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    except ValueError:
        return _epoch(float(text)) if text.strip().isdecimal() and len(text) < 20 else None
    except OverflowError:  # the first or the last day that there is, in another zone
        return None


def _epoch(value: object) -> datetime | None:
    """Return the time of a number of seconds, milliseconds, microseconds or nanoseconds since 1970."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    unit = next(
        (unit for least, unit in ((_NANOSECONDS, 1e9), (_MICROSECONDS, 1e6), (_MILLISECONDS, 1e3)) if value >= least),
        1.0,
    )
    try:
        return datetime.fromtimestamp(value / unit, UTC)
    except (ValueError, OverflowError, OSError):
        return None
