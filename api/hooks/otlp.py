"""Exceptions in logs of OpenTelemetry, by OTLP/HTTP in protobuf or JSON, gzip or not.

opentelemetry.io/docs/specs/otlp/#otlphttp; opentelemetry.io/docs/specs/semconv/exceptions/exceptions-logs.
"""

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence

from google.protobuf.message import DecodeError
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.resource.v1.resource_pb2 import Resource

from api.chat.payload import Json, load, part, parts, text
from api.chat.platform import RefusedRequest
from api.hooks.alert import Alert, digest, joined, named
from api.hooks.json_alerts import picked

_LONGEST = 70
"""Bits of the longest varint, by sevens."""


class FieldReader:
    """Reads at most ``left`` fields of one request, in time and memory linear in them; RefusedRequest("too-large") beyond."""

    def __init__(self, left: int) -> None:
        self._left = left

    def spend(self, count: int) -> None:
        """Count more parts against the limit."""
        self._left -= count
        if self._left < 0:
            raise RefusedRequest("too-large")

    def those(self, number: int, data: memoryview) -> Iterator[memoryview]:
        """Each field of that number that has a length and is not empty. RefusedRequest("unreadable") where it is no protobuf."""
        at = 0
        while at < len(data):
            self.spend(1)
            tag, at = _varint(data, at)
            match tag & 7:
                case 0:
                    _, at = _varint(data, at)
                case 1:
                    at += 8
                case 2:
                    size, at = _varint(data, at)
                    if size > len(data) - at:
                        raise RefusedRequest("unreadable")
                    if size and tag >> 3 == number:
                        yield data[at : at + size]
                    at += size
                case 5:
                    at += 4
                case _:
                    raise RefusedRequest("unreadable")
        if at > len(data):
            raise RefusedRequest("unreadable")


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    """The number that begins there, and where it ends."""
    value = 0
    for shift in range(0, _LONGEST, 7):
        if at >= len(data):
            break
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
    raise RefusedRequest("unreadable")


PROTOBUF = "application/x-protobuf"
MOST = 16 * 1024 * 1024
"""Most bytes of a request when it is unpacked."""
HOUR = 3600 * 10**9
"""In nanoseconds."""
RECORDS = 50_000
"""Most records of a request."""
PARTS = 500_000
"""Most objects and lists of a request: an empty one takes two bytes on the wire and a hundred in memory."""
PIECE = 2 * 1024 * 1024
"""Most bytes of one record with an exception, or of one resource."""
MEMBERS = 64
"""Most members of a gzip stream."""
_RESOURCE_LOGS, _RESOURCE, _SCOPE_LOGS, _LOG_RECORDS = 1, 1, 2, 2
"""Numbers of fields: opentelemetry-proto, logs/v1/logs.proto and collector/logs/v1/logs_service.proto."""


def unpacked(body: bytes, encoding: str) -> bytes:
    """The body without its compression, all its members; RefusedRequest("unreadable") where it is broken, "too-large" beyond ``MOST``."""
    if encoding in {"", "identity"}:
        return body
    if encoding != "gzip":
        raise RefusedRequest("unreadable")
    whole, rest = bytearray(), body
    for _ in range(MEMBERS):
        reader = zlib.decompressobj(wbits=31)
        try:
            whole += reader.decompress(rest, MOST + 1 - len(whole))
        except zlib.error:
            raise RefusedRequest("unreadable") from None
        if len(whole) > MOST:
            raise RefusedRequest("too-large")
        if not reader.eof:
            raise RefusedRequest("unreadable")
        rest = reader.unused_data
        if not rest:
            return bytes(whole)
    raise RefusedRequest("too-large")


def is_protobuf(headers: Mapping[str, str]) -> bool:
    """Whether the body is protobuf, by its content type in any case."""
    return headers.get("content-type", "").partition(";")[0].strip().lower() == PROTOBUF


def read(body: bytes, headers: Mapping[str, str], fields: Sequence[str], most: int = RECORDS) -> tuple[Alert, ...]:
    """Return an alert for each record with an exception. RefusedRequest("too-large") beyond ``most`` records, ``PARTS`` or ``PIECE``."""
    data = unpacked(body, headers.get("content-encoding", "").strip().lower())
    records = _of_protobuf(data, most) if is_protobuf(headers) else _of_json(data, most)
    return tuple(alert for service, record in records if (alert := _alert(record, service, fields)))


def _of_json(data: bytes, left: int) -> Iterator[tuple[str, Json]]:
    """Yield the name of the service and each record, at most ``left``."""
    if data.count(b"{") + data.count(b"[") > PARTS:
        raise RefusedRequest("too-large")
    for resource in parts(load(data), "resourceLogs"):
        service = _attributes(part(resource, "resource")).get("service.name", "")
        for scope in parts(resource, "scopeLogs"):
            records = parts(scope, "logRecords")
            left -= len(records)
            if left < 0:
                raise RefusedRequest("too-large")
            yield from ((service, record) for record in records)


def _of_protobuf(data: bytes, left: int) -> Iterator[tuple[str, Json]]:
    """Yield the same from protobuf, one record at a time in the shape of the JSON; records without an exception are not parsed."""
    reader = FieldReader(PARTS)
    for resource in reader.those(_RESOURCE_LOGS, memoryview(data)):
        service = _service(reader.those(_RESOURCE, resource), reader)
        for scope in reader.those(_SCOPE_LOGS, resource):
            for record in reader.those(_LOG_RECORDS, scope):
                left -= 1
                if left < 0:
                    raise RefusedRequest("too-large")
                yield service, _record(bytes(record), reader)


def _service(pieces: Iterable[memoryview], reader: FieldReader) -> str:
    """The name of the service; the same field again adds to the first (protobuf.dev/programming-guides/encoding#last-one-wins)."""
    resource = Resource()
    _parse(resource, b"".join(pieces))
    return _attributes(_shown(resource, reader)).get("service.name", "")


def _record(data: bytes, reader: FieldReader) -> Json:
    if b"exception." not in data:
        return {}
    record = LogRecord()
    _parse(record, data)
    times = {"timeUnixNano": record.time_unix_nano, "observedTimeUnixNano": record.observed_time_unix_nano}
    body = {"stringValue": record.body.string_value}
    return {**_shown(record, reader), "body": body, **{name: str(at) for name, at in times.items() if at}}


def _parse(into: LogRecord | Resource, data: bytes) -> None:
    if len(data) > PIECE:
        raise RefusedRequest("too-large")
    try:
        into.ParseFromString(data)
    except DecodeError:
        raise RefusedRequest("unreadable") from None


def _shown(of: LogRecord | Resource, reader: FieldReader) -> Json:
    """Its attributes, as the JSON has them."""
    reader.spend(len(of.attributes))
    return {"attributes": [{"key": one.key, "value": {"stringValue": one.value.string_value}} for one in of.attributes]}


def _alert(record: Json, service: str, fields: Sequence[str]) -> Alert | None:
    """None for a record without an exception."""
    attributes = _attributes(record)
    kind, message, stack = (attributes.get(f"exception.{name}", "") for name in ("type", "message", "stacktrace"))
    if not (kind or stack):
        return None
    head = ": ".join(filter(None, (kind, message)))
    whole = stack if kind and kind.rpartition(".")[2] in stack else "\n".join(filter(None, (head, stack)))
    words = [] if stack else [text(part(record, "body"), "stringValue"), *picked([attributes], fields)]
    name = named(": ".join(filter(None, (service, kind))), head)
    return Alert(digest(service, _hour(record), whole), name, joined([whole, *words]), service or "otlp")


def _hour(record: Json) -> str:
    """An application logs one exception many times; once an hour it is another occurrence."""
    at = text(record, "timeUnixNano") or text(record, "observedTimeUnixNano")
    return str(int(at) // HOUR) if at.isascii() and at.isdecimal() and len(at) < 25 else ""


def _attributes(of: Json) -> dict[str, str]:
    """Return the string attributes."""
    return {text(one, "key"): text(part(one, "value"), "stringValue") for one in parts(of, "attributes")}
