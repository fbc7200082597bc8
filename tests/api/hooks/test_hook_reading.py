"""What the systems tell of, as their pages show it, becomes alerts: each with a text to search, once, and none that is over."""

import gzip
import json
import resource
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue

from api.chat.platform import RefusedRequest
from api.hooks import json_alerts, otlp, sentry
from api.hooks.alert import NAME, TEXT, Alert, spread
from kb.trace import parse
from tests.api.knowledge import HDFS_TRACE, PYTHON_TRACE

FIELDS = json_alerts.usual_fields()
AT = "2026-01-01T00:00:00Z"


def notified(*alerts: dict[str, Any], **more: Any) -> tuple[Alert, ...]:
    told = {"version": "4", "groupKey": '{}:{alertname="X"}', "status": "firing", "alerts": alerts, **more}
    return json_alerts.read_monitoring(json.dumps(told).encode(), FIELDS)


def firing(annotations: dict[str, Any] | None = None, **labels: Any) -> dict[str, Any]:
    return {"status": "firing", "labels": {"alertname": "X", **labels}, "annotations": annotations or {}, "startsAt": AT, "fingerprint": "f1"}  # fmt: skip


def test_the_published_alertmanager_vector(shared_data: Path) -> None:
    told = json.loads((shared_data / "facts" / "webhook_vectors.json").read_text())["alertmanager"]["body"]
    (alert,) = json_alerts.read_monitoring(json.dumps(told).encode(), FIELDS)
    assert alert.text == "java.lang.OutOfMemoryError: Java heap space\nX"
    assert (alert.name, alert.is_over, alert.group) == ("X", False, '{}:{alertname="X"}')


TEXTS: list[tuple[dict[str, Any], dict[str, Any], str]] = [
    ({"summary": "it broke", "description": "on host a"}, {}, "on host a\nit broke\nX"),
    ({"summary": "s", "stacktrace": "t"}, {}, "t\ns\nX"),
    ({"Stack-Trace": "t", "runbook_url": "https://x"}, {}, "t\nX"),
    ({"exception_stacktrace": "t", "message": "m"}, {"error": "e"}, "t\ne\nm\nX"),
    ({"message": "same", "description": "same"}, {}, "same\nX"),
    ({"message": 5, "description": None, "summary": " "}, {}, "X"),
]


@pytest.mark.parametrize(("annotations", "labels", "text"), TEXTS, ids=range(len(TEXTS)))
def test_where_the_text_of_an_alert_is(annotations: dict[str, Any], labels: dict[str, Any], text: str) -> None:
    assert notified(firing(annotations, **labels))[0].text == text


def test_a_field_of_the_house() -> None:
    told = {"alerts": [firing({"our.dump": "t", "summary": "s"})]}
    (alert,) = json_alerts.read_monitoring(json.dumps(told).encode(), (*FIELDS, "our-dump"))
    assert alert.text == "s\nt\nX"


def test_an_occurrence_has_one_name() -> None:
    same = [notified(firing({"summary": text}))[0].id for text in ("a", "b")]
    assert same[0] == same[1], "values in an annotation change while it fires"
    other = [firing() | {"startsAt": "2026-01-02T00:00:00Z"}, firing() | {"fingerprint": "f2"}, firing()]
    ids = {notified(one)[0].id for one in other} | {notified(firing(), groupKey="other")[0].id}
    assert len(ids) == 4
    assert notified({"status": "firing", "labels": {"a": "1"}})[0].id != notified({"status": "firing", "labels": {"a": "2"}})[0].id  # fmt: skip


def test_what_is_resolved_is_over() -> None:
    alerts = notified(firing() | {"status": "resolved"}, firing())
    assert [alert.is_over for alert in alerts] == [True, False]


def test_of_a_flood_each_name_comes_first() -> None:
    names = [alert.name for alert in spread(notified(*(firing(alertname=name) for name in "aaaabac")))]
    assert names == ["a", "b", "c", "a", "a", "a", "a"]


def grafana_body() -> dict[str, Any]:
    """As grafana.com/docs shows it."""
    return {"receiver": "kb", "status": "firing", "orgId": 1, "version": "1", "groupKey": "{}:{}", "title": "[FIRING:1] High error rate", "state": "alerting", "message": "m", "alerts": [{"status": "firing", "labels": {"alertname": "High error rate", "grafana_folder": "prod"}, "annotations": {"summary": "boom", "logs": HDFS_TRACE}, "startsAt": AT, "endsAt": "0001-01-01T00:00:00Z", "values": {"B": 22}, "fingerprint": "57c6d9296de2ad39", "silenceURL": "https://g"}]}  # fmt: skip


def test_grafana_speaks_the_same_form() -> None:
    (alert,) = json_alerts.read_monitoring(json.dumps(grafana_body()).encode(), FIELDS)
    assert alert.name == "High error rate"
    assert parse(alert.text) == parse(HDFS_TRACE)


EVENT = {
    "event_id": "e1",
    "platform": "python",
    "title": "ValueError: bad",
    "culprit": "app.rows in read",
    "issue_id": "117",
    "logentry": {"formatted": "while reading rows"},
    "exception": {"values": [{"type": "ValueError", "value": "bad", "stacktrace": {"frames": [{"filename": "rows.py", "function": "read", "lineno": 7}]}}]},
}  # fmt: skip


def of_sentry(resource: str, told: dict[str, Any], **headers: str) -> tuple[Alert, ...]:
    return sentry.read(json.dumps(told).encode(), {"sentry-hook-resource": resource, **headers})


@pytest.mark.parametrize(("resource", "key"), [("event_alert", "event"), ("error", "error")])
def test_an_event_of_sentry_has_its_trace(resource: str, key: str) -> None:
    (alert,) = of_sentry(resource, {"action": "triggered", "data": {key: EVENT, "triggered_rule": "r"}})
    (chain,) = parse(alert.text)
    assert [(one.type, [frame.function for frame in one.stack.frames]) for one in chain.exceptions] == [("ValueError", ["read"])]  # fmt: skip
    assert (alert.name, alert.group, alert.is_over) == ("ValueError: bad", "117", False)
    assert alert.text.endswith("while reading rows")
    again = of_sentry(resource, {"action": "triggered", "data": {key: EVENT | {"culprit": "x"}, "triggered_rule": "s"}})
    assert again[0].id == alert.id, "one event by two rules is one alert"


def test_an_event_without_a_stack_is_told_in_words() -> None:
    told = {"data": {"event": {"title": "Disk is full", "culprit": "df", "message": "No space left on device"}}}
    assert of_sentry("event_alert", told)[0].text == "Disk is full\nNo space left on device\ndf"


ISSUE = {"id": "117", "shortId": "P-1", "title": "ValueError: bad", "culprit": "app.rows in read", "metadata": {"type": "ValueError", "value": "bad", "function": "read"}}  # fmt: skip


def test_an_issue_has_title_and_culprit() -> None:
    (alert,) = of_sentry("issue", {"action": "created", "data": {"issue": ISSUE}}, **{"request-id": "r1"})
    assert alert.text == "ValueError: bad\napp.rows in read\nread"
    assert (alert.name, alert.group) == ("ValueError: bad", "117")


@pytest.mark.parametrize(("resource", "action", "count", "over"), [("issue", "created", 1, 0), ("issue", "unresolved", 1, 0), ("issue", "resolved", 1, 1), ("issue", "archived", 1, 1), ("issue", "assigned", 0, 0), ("metric_alert", "critical", 1, 0), ("metric_alert", "resolved", 1, 1), ("installation", "created", 0, 0), ("comment", "created", 0, 0), ("", "created", 0, 0)])  # fmt: skip
def test_which_calls_of_sentry_tell_of_a_fault(resource: str, action: str, count: int, over: int) -> None:
    told = {"action": action, "data": {"issue": ISSUE, "description_title": "Too many errors", "description_text": "1000 events"}}  # fmt: skip
    alerts = of_sentry(resource, told)
    assert (len(alerts), sum(alert.is_over for alert in alerts)) == (count, over)


GENERIC: list[tuple[str, Any, list[str]]] = [
    ("text || message", {"message": "boom"}, ["boom"]),
    ("events[].error.stack", {"events": [{"error": {"stack": "a"}}, {"error": {"stack": "b"}}, {}]}, ["a", "b"]),
    ("join('\n', [title, body])", {"title": "t", "body": "b"}, ["t\nb"]),
    ("text", {"text": "x" * (TEXT + 5)}, ["x" * TEXT]),
]


@pytest.mark.parametrize(("expression", "told", "texts"), GENERIC, ids=range(len(GENERIC)))
def test_any_json_by_an_expression(expression: str, told: Any, texts: list[str]) -> None:
    alerts = json_alerts.read_generic(json.dumps(told).encode(), json_alerts.compiled(expression), "g")
    assert [alert.text for alert in alerts] == texts
    assert all(len(alert.name) <= NAME for alert in alerts)


@pytest.mark.parametrize(("expression", "body"), [("text", b"{}"), ("text", b'{"text": 5}'), ("text", b'{"text": ["", null]}'), ("length(text)", b'{"text": 5}'), ("text", b"[]"), ("text", b"{"), ("to_number(text)", b'{"text": "1"}'), ("sort_by(a, &b)", b'{"a": [{"b": 1}, {"b": "x"}]}')])  # fmt: skip
def test_json_in_which_nothing_is_found_is_refused(expression: str, body: bytes) -> None:
    with pytest.raises(RefusedRequest, match="unreadable"):
        json_alerts.read_generic(body, json_alerts.compiled(expression), "g")


@pytest.mark.parametrize("expression", ["", "a[", "nosuch(a)" + "!", "a" * 1001])
def test_an_invalid_expression_is_a_settings_error(expression: str) -> None:
    with pytest.raises(ValueError, match=r"JMESPath|characters"):
        json_alerts.compiled(expression)


def logs(*records: dict[str, str], service: str = "shop", second: int = 1_700_000_000) -> ExportLogsServiceRequest:
    """A request as an exporter makes it."""
    request = ExportLogsServiceRequest()
    resource = request.resource_logs.add()
    resource.resource.attributes.append(KeyValue(key="service.name", value=AnyValue(string_value=service)))
    scope = resource.scope_logs.add()
    for number, record in enumerate(records):
        made = scope.log_records.add(time_unix_nano=second * 10**9 + number, trace_id=b"\x01" * 16)
        made.body.string_value = record.pop("body", "")
        made.attributes.extend(KeyValue(key=key, value=AnyValue(string_value=value)) for key, value in record.items())
    return request


def as_json(request: ExportLogsServiceRequest) -> bytes:
    """The JSON of the protocol, whose ids are in hexadecimal."""
    from google.protobuf.json_format import MessageToDict

    return json.dumps(MessageToDict(request)).replace("AQEBAQEBAQEBAQEBAQEBAQ==", "01" * 16).encode()


FORMS: dict[str, Callable[[ExportLogsServiceRequest], tuple[bytes, dict[str, str]]]] = {
    "protobuf": lambda it: (it.SerializeToString(), {"content-type": "application/x-protobuf"}),
    "json": lambda it: (as_json(it), {"content-type": "application/json"}),
    "gzip": lambda it: (gzip.compress(it.SerializeToString()), {"content-type": "application/x-protobuf", "content-encoding": "gzip"}),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_exceptions_in_logs(form: str) -> None:
    request = logs(
        {"exception.type": "UnicodeDecodeError", "exception.message": "m", "exception.stacktrace": PYTHON_TRACE},
        {"body": "nothing wrong"},
        {"body": "GET /", "exception.type": "java.lang.IllegalStateException", "exception.message": "closed"},
    )
    body, headers = FORMS[form](request)
    first, second = otlp.read(body, headers, FIELDS)
    assert first.text == PYTHON_TRACE.strip()
    assert (first.name, first.group) == ("shop: UnicodeDecodeError", "shop")
    assert second.text == "java.lang.IllegalStateException: closed\nGET /"
    assert first.id == otlp.read(*FORMS[form](logs({"exception.type": "UnicodeDecodeError", "exception.stacktrace": PYTHON_TRACE})), FIELDS)[0].id  # fmt: skip


def test_an_exception_that_is_logged_again_is_the_same_for_an_hour() -> None:
    ids = [
        otlp.read(*FORMS["protobuf"](logs({"exception.type": kind}, service=service, second=at)), FIELDS)[0].id
        for kind, service, at in (
            ("E", "a", 3600),
            ("E", "a", 7199),
            ("E", "a", 7200),
            ("F", "a", 3600),
            ("E", "b", 3600),
        )
    ]
    assert ids[0] == ids[1]
    assert len(set(ids)) == 4


def test_a_stack_without_its_head_gets_it() -> None:
    stack = "\tat a.B.c(B.java:1)\n"
    body, headers = FORMS["json"](logs({"exception.type": "a.E", "exception.message": "m", "exception.stacktrace": stack}))  # fmt: skip
    assert otlp.read(body, headers, FIELDS)[0].text == "a.E: m\n\tat a.B.c(B.java:1)"


BROKEN = [
    (b"\xff\xff\xff", {"content-type": "application/x-protobuf"}),
    (b"{", {"content-type": "application/json"}),
    (b"not gzip", {"content-encoding": "gzip"}),
    (gzip.compress(b"{}")[:-6], {"content-encoding": "gzip"}),
    (b"{}", {"content-encoding": "br"}),
    (gzip.compress(b"{}") + b"more", {"content-encoding": "gzip"}),
    (b"\x0a\x05\x12", {"content-type": "application/x-protobuf"}),
    (b"\x0b\x0c", {"content-type": "application/x-protobuf"}),
]


@pytest.mark.parametrize(("body", "headers"), BROKEN, ids=range(len(BROKEN)))
def test_a_broken_export_is_refused(body: bytes, headers: dict[str, str]) -> None:
    with pytest.raises(RefusedRequest, match="unreadable"):
        otlp.read(body, headers, FIELDS)


def test_all_members_of_gzip_are_read() -> None:
    body, headers = FORMS["protobuf"](logs({"exception.type": "E"}))
    packed = gzip.compress(body[:9]) + gzip.compress(body[9:])
    assert otlp.read(packed, headers | {"content-encoding": "gzip"}, FIELDS) == otlp.read(body, headers, FIELDS)
    with pytest.raises(RefusedRequest, match="too-large"):
        otlp.unpacked(gzip.compress(b"") * 400_000, "gzip")
    with pytest.raises(RefusedRequest, match="too-large"):
        otlp.unpacked(gzip.compress(b" " * (otlp.MOST + 1)), "gzip")
    assert len(otlp.unpacked(gzip.compress(b" " * otlp.MOST), "gzip")) == otlp.MOST


@pytest.mark.parametrize("form", FORMS)
def test_more_records_than_may_be_are_refused(form: str) -> None:
    assert (
        len(otlp.read(*FORMS[form](logs(*({"exception.type": f"E{number}"} for number in range(3)))), FIELDS, 3)) == 3
    )
    with pytest.raises(RefusedRequest, match="too-large"):
        otlp.read(*FORMS[form](logs(*({"exception.type": f"E{number}"} for number in range(4)))), FIELDS, 3)


def within(*numbers: int, data: bytes) -> bytes:
    """``data`` as the field of these numbers, one in another."""
    for number in reversed(numbers):
        size, length = len(data), b""
        while size > 127:
            size, length = size >> 7, length + bytes([size & 127 | 128])
        data = bytes([number << 3 | 2]) + length + bytes([size]) + data
    return data


_EXCEPTION = within(6, data=within(1, data=b"exception.type"))
FLOODS = {
    "records": within(1, 2, data=b"\x12\x00" * 4_000_000),
    "scopes": within(1, data=b"\x12\x00" * 4_000_000),
    "resources": b"\x0a\x00" * 4_000_000,
    "numbers": b"\x08\x00" * 4_000_000,
    "attributes": within(1, 2, 2, data=_EXCEPTION + b"\x32\x00" * 1_000_000),
    "attributes of many": within(1, 2, data=within(2, data=_EXCEPTION + b"\x32\x00" * 100_000) * 9),
    "large attributes": within(1, 2, 2, data=_EXCEPTION + b"\x32\x00" * 4_000_000),
    "list": within(1, 2, 2, data=_EXCEPTION + within(5, 5, data=b"\x0a\x00" * 4_000_000)),
    "resource": within(1, 1, data=b"\x0a\x00" * 4_000_000),
    "objects": b'{"resourceLogs": [{"scopeLogs": [{"logRecords": [' + b"{}," * 4_000_000 + b"{}]}]}]}",
    "lists": b'{"resourceLogs": [' + b"[]," * 4_000_000 + b"[]]}",
}


@pytest.mark.parametrize("flood", FLOODS)
@pytest.mark.slow
def test_a_flood_of_empty_parts_takes_little_time_and_memory(flood: str) -> None:
    """Some kilobytes of gzip that unpack to millions of empty parts."""
    body = FLOODS[flood]
    kind = "application/json" if body.startswith(b"{") else "application/x-protobuf"
    headers = {"content-type": kind, "content-encoding": "gzip"}
    packed = gzip.compress(body, 1)
    before, began = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    with pytest.raises(RefusedRequest, match="too-large"):
        otlp.read(packed, headers, FIELDS)
    assert time.process_time() - began < 6, "2.4 s were measured for the longest, 3.2 beside other work"
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 200 * 1024, "in KiB"


_JSON = st.recursive(st.none() | st.integers() | st.text(max_size=6), lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["alerts", "labels", "annotations", "status", "message", "data", "event", "issue", "title", "metadata", "exception", "resourceLogs", "scopeLogs", "logRecords", "attributes", "key", "value", "stringValue"]), inner, max_size=4), max_leaves=15)  # fmt: skip


@given(_JSON, st.sampled_from(["event_alert", "issue", "error", "metric_alert"]))
def test_any_json_is_read_or_refused(told: Any, resource: str) -> None:
    body = json.dumps(told).encode()
    for read in (lambda: json_alerts.read_monitoring(body, FIELDS), lambda: sentry.read(body, {"sentry-hook-resource": resource}), lambda: otlp.read(body, {}, FIELDS)):  # fmt: skip
        with suppress(RefusedRequest):
            assert all(isinstance(alert, Alert) for alert in read())


@given(st.binary(max_size=300))
def test_any_bytes_are_read_or_refused(body: bytes) -> None:
    for headers in ({"content-type": "application/x-protobuf"}, {"content-encoding": "gzip"}, {}):
        with suppress(RefusedRequest):
            assert all(isinstance(alert, Alert) for alert in otlp.read(body, headers, FIELDS))
