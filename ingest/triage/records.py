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
from email.utils import parsedate_to_datetime
from typing import Any, BinaryIO

from ingest.triage.fields import HOSTS, MESSAGES, SOURCE, STACKS, TIMES, VERSIONS, shortened
from kb.trace import ExceptionChain, TraceStream, parse
from kb.trace.model import WITHOUT_TRACE

_LONGEST_NAME = 4_096
"""Characters of a version or a host that are read; what is kept of one is cut when its secrets are out."""
_LONGEST_TIME = 100
_NEAR = 120
"""Characters of a trace that may hold the time of its line."""
_SINGLE = 2_000
"""Characters of a single line that are looked at for an error."""
_BLOCK = 1 << 20
_MILLISECONDS, _MICROSECONDS, _NANOSECONDS = 10**11, 10**14, 10**17  # seconds have ten digits until the year 2286
_FIRST, _LAST = datetime(1990, 1, 1, tzinfo=UTC), datetime(2100, 1, 1, tzinfo=UTC)
"""Other times are none: Go writes the year 1 for a time that was not set, and others write the year 9999."""
_NUMBER = re.compile(r"\d{1,19}(?:\.\d{1,9})?", re.ASCII)
# e.g. `2026-11-23 04:05:06,789`, `2026-11-23T04:05:06+08:00`, `2026-11-23 04:05:06 UTC`, Go's `2026-11-23 04:05:06.7 +0800 CST`
_STAMP = re.compile(
    r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,18})?(?: ?(?:Z|UTC|GMT|[+-](?:0\d|1[0-4]):?[0-5]\d)(?!\w))?",
    re.ASCII,
)
_ZONE = re.compile(r" ?(?:Z|UTC|GMT)$| (?=[+-])")
# e.g. `Mon, 23 Nov 2026 04:05:06 GMT` of RFC 2822, `23/Nov/2026:04:05:06 +0000` of nginx and Apache
_MAIL = re.compile(r"(?:[A-Z][a-z]{2}, )?(\d{1,2})[ /-]([A-Z][a-z]{2})[ /-](\d{4})[ :](\d\d:\d\d.*)", re.ASCII)


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
    message = next(_texts(data, MESSAGES), None)
    stack = _stack(data, message)
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
    for block in _blocks(file, stream):
        for chain in stream.feed(block):
            record = _logged(chain, stream, last)
            last = record.at or last
            yield record
    for chain in stream.rest():
        record = _logged(chain, stream, last)
        last = record.at or last
        yield record


def _blocks(file: BinaryIO, stream: TraceStream) -> Iterator[str]:
    """Yield whole lines, as much at once as an open trace already has: that is read again with them."""
    rest = b""
    while block := file.read(max(_BLOCK, stream.unread)):
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
    stamps = _STAMP.findall(held[above : min(begin + _NEAR, end)])
    return CrashRecord(shortened(held[line:end]), _stamp(stamps[-1]) if stamps else last)


def _texts(data: Mapping[str, Any], names: Iterable[str]) -> Iterator[str]:
    for name in names:
        value = _value(data, name)
        if isinstance(value, list) and value and all(isinstance(one, str) for one in value):
            value = "\n".join(value)
        if isinstance(value, str) and value.strip():
            yield value


def _stack(data: Mapping[str, Any], message: str | None) -> str | None:
    """Return the first field with several lines, or with one that shows an error or a frame; where there is none, one with words.

    ``trace`` and ``stack`` may hold an id: it is the text where there is no other. A line is parsed only where there is a choice.
    """
    singles: list[str] = []
    for text in _texts(data, STACKS):
        if "\n" in text.strip():
            return next(filter(_shows_error, singles), text)
        singles.append(text)
    if len(singles) + (message is not None) > 1 and (error := next(filter(_shows_error, singles), None)):
        return error
    other = singles[0] if singles and message is None else None
    return next((text for text in singles if " " in text.strip()), other)


def _shows_error(line: str) -> bool:
    return any(chain.runtime not in WITHOUT_TRACE for chain in parse(line[:_SINGLE]))


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
    return next((found for name in TIMES if (found := _moment(_value(data, name)))), None)


def _moment(value: object) -> datetime | None:
    if isinstance(value, dict):  # an export of MongoDB
        value = value.get("$date")
        value = value.get("$numberLong") if isinstance(value, dict) else value
    return _stamp(value) if isinstance(value, str) else _epoch(value)


def _stamp(text: str) -> datetime | None:
    """Return the time that a text says: a number as `_epoch` takes it, ISO 8601, RFC 2822, or as nginx writes it. Without a zone it is in UTC."""
    text = text.strip().strip("[]")[:_LONGEST_TIME]
    number = _epoch(float(text)) if _NUMBER.fullmatch(text) else None
    try:
        return number or _within(_written_out(text))
    except (
        ValueError,
        TypeError,
        IndexError,
        OverflowError,
    ):  # OverflowError: the first or the last day that there is, in another zone
        return None


def _written_out(text: str) -> datetime:
    if mail := _MAIL.match(text):
        return parsedate_to_datetime(" ".join(mail.groups()))
    stamp = _STAMP.match(text)
    written = stamp[0].replace(",", ".") if stamp else text
    return datetime.fromisoformat(_ZONE.sub(lambda found: "" if found[0] == " " else "+00:00", written))


def _within(at: datetime) -> datetime | None:
    at = at.replace(tzinfo=UTC) if at.tzinfo is None else at.astimezone(UTC)
    return at if _FIRST <= at < _LAST else None


def _epoch(value: object) -> datetime | None:
    """Return the time of a number of seconds, milliseconds, microseconds or nanoseconds since 1970."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return None
    unit = next(
        (unit for least, unit in ((_NANOSECONDS, 1e9), (_MICROSECONDS, 1e6), (_MILLISECONDS, 1e3)) if value >= least),
        1.0,
    )
    try:
        return _within(datetime.fromtimestamp(value / unit, UTC))
    except (ValueError, OverflowError, OSError):
        return None
