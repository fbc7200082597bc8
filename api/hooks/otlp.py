"""Exceptions in logs of OpenTelemetry, by OTLP/HTTP in protobuf or JSON, gzip or not.

opentelemetry.io/docs/specs/otlp/#otlphttp; opentelemetry.io/docs/specs/semconv/exceptions/exceptions-logs.
"""

import zlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from google.protobuf.json_format import MessageToDict
from google.protobuf.message import DecodeError
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest

from api.chat.platform import Refused
from api.chat.shapes import Json, load, part, parts, text
from api.hooks.alert import Alert, digest, joined, named
from api.hooks.monitoring import picked

PROTOBUF = "application/x-protobuf"
MOST = 16 * 1024 * 1024
"""Most bytes of a request when it is unpacked."""
HOUR = 3600 * 10**9
"""In nanoseconds."""
RECORDS = 50_000
"""Most records of a request that are looked at."""


def unpacked(body: bytes, encoding: str) -> bytes:
    """The body without its compression; Refused("unreadable") where it is broken, or larger than ``MOST``."""
    if encoding in {"", "identity"}:
        return body
    if encoding != "gzip":
        raise Refused("unreadable")
    reader = zlib.decompressobj(wbits=31)
    try:
        whole = reader.decompress(body, MOST)
    except zlib.error:
        raise Refused("unreadable") from None
    if not reader.eof:
        raise Refused("unreadable")
    return whole


def read(body: bytes, headers: Mapping[str, str], fields: Sequence[str]) -> tuple[Alert, ...]:
    """An alert for each record that tells of an exception."""
    data = unpacked(body, headers.get("content-encoding", "").strip().lower())
    is_protobuf = headers.get("content-type", "").partition(";")[0].strip().lower() == PROTOBUF
    told = _of_protobuf(data) if is_protobuf else load(data)
    return tuple(alert for alert in _alerts(told, fields) if alert is not None)


def _of_protobuf(data: bytes) -> Json:
    """The same shape as the JSON of the protocol."""
    request = ExportLogsServiceRequest()
    try:
        request.ParseFromString(data)
        shown: dict[str, Any] = MessageToDict(request)
    except (DecodeError, ValueError, RecursionError, OverflowError):
        raise Refused("unreadable") from None
    return shown


def _alerts(told: Json, fields: Sequence[str]) -> Iterator[Alert | None]:
    left = RECORDS
    for resource in parts(told, "resourceLogs"):
        service = _attributes(part(resource, "resource")).get("service.name", "")
        for scope in parts(resource, "scopeLogs"):
            for record in parts(scope, "logRecords")[:left]:
                left -= 1
                yield _alert(record, service, fields)


def _alert(record: Json, service: str, fields: Sequence[str]) -> Alert | None:
    """None for a record without an exception."""
    said = _attributes(record)
    kind, message, stack = (said.get(f"exception.{name}", "") for name in ("type", "message", "stacktrace"))
    if not (kind or stack):
        return None
    head = ": ".join(filter(None, (kind, message)))
    whole = stack if kind and kind.rpartition(".")[2] in stack else "\n".join(filter(None, (head, stack)))
    words = [] if stack else [text(part(record, "body"), "stringValue"), *picked([said], fields)]
    name = named(": ".join(filter(None, (service, kind))), head)
    return Alert(digest(service, _hour(record), whole), name, joined([whole, *words]), service or "otlp")


def _hour(record: Json) -> str:
    """An application logs one exception many times; once an hour it is another occurrence."""
    at = text(record, "timeUnixNano") or text(record, "observedTimeUnixNano")
    return str(int(at) // HOUR) if at.isascii() and at.isdecimal() and len(at) < 25 else ""


def _attributes(of: Json) -> dict[str, str]:
    """Those that are texts."""
    return {text(one, "key"): text(part(one, "value"), "stringValue") for one in parts(of, "attributes")}
