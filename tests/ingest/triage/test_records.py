"""Crash reports in the shapes in which they are shipped."""

import json
from datetime import UTC, datetime
from io import BytesIO

import pytest

from ingest.triage.fields import LONGEST
from ingest.triage.records import CrashRecord, read_log, read_record

AT = datetime(2026, 11, 23, 4, 5, 6, tzinfo=UTC)
STACK = "java.lang.IllegalStateException: gone\n\tat com.acme.Pay.run(Pay.java:3)"
SHAPES = {
    "plain": {"text": STACK, "timestamp": "2026-11-23T04:05:06Z", "version": "1.2", "host": "web-1"},
    "ecs": {"@timestamp": "2026-11-23T04:05:06Z", "error": {"stack_trace": STACK}, "service": {"version": "1.2"}, "host": {"name": "web-1"}},
    "ecs-flat": {"@timestamp": "2026-11-23T12:05:06+08:00", "error.stack_trace": STACK, "service.version": "1.2", "host.name": "web-1"},
    "elasticsearch-hit": {"_index": "logs", "_source": {"@timestamp": "2026-11-23T04:05:06", "stack_trace": STACK, "version": "1.2", "HOSTNAME": "web-1"}},
    "opentelemetry": {"timestamp": 1795406706000000000, "attributes": {"exception.stacktrace": STACK}, "resource": {"service.version": "1.2", "host.name": "web-1"}},
    "epoch-milliseconds": {"ts": 1795406706000, "stacktrace": STACK, "release": "1.2", "hostname": "web-1"},
    "lines": {"time": "1795406706", "stack": STACK.split("\n"), "build": 1.2, "pod": "web-1"},
    "message-within": {"time": "2026-11-23 04:05:06", "message": "gone", "stack_trace": STACK, "version": "1.2", "host": "web-1"},
}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
def test_a_report_is_read_in_every_shape(name: str) -> None:
    assert read_record(json.dumps(SHAPES[name])) == CrashRecord(STACK, AT, "1.2", "web-1")


def test_a_message_beside_its_stack_stands_above_it() -> None:
    record = read_record(json.dumps({"message": "order 12 failed", "stack_trace": STACK}))
    assert record == CrashRecord(f"order 12 failed\n{STACK}")


@pytest.mark.parametrize(
    "line",
    ["", "no json", "[1]", "3", "{}", '{"text": ""}', '{"text": 5}', '{"message": null}', "[" * 100_000, '{"a": {"text": "x"}}'],
)  # fmt: skip
def test_what_is_no_report(line: str) -> None:
    assert read_record(line) is None


@pytest.mark.parametrize("value", [True, -1e300, 1e300, "soon", {}, [], "9" * 400, "NaN"])
def test_a_time_that_is_none(value: object) -> None:
    assert read_record(json.dumps({"text": "x", "time": value})) == CrashRecord("x")


@pytest.mark.parametrize(
    "value",
    [
        "1795406706", "1795406706.000", "1795406706000", "1795406706000000000", 1795406706.0,
        "2026-11-23 04:05:06 UTC", "2026-11-23T04:05:06Z", "2026-11-23 12:05:06,000 +0800", "2026-11-23 12:05:06.0000000009 +0800 CST m=+0.1",
        "Mon, 23 Nov 2026 04:05:06 GMT", "Mon, 23 Nov 2026 12:05:06 +0800", "23 Nov 2026 04:05:06 -0000", "23/Nov/2026:04:05:06 +0000", "[23/Nov/2026:12:05:06 +0800]",
        {"$date": "2026-11-23T04:05:06Z"}, {"$date": 1795406706000}, {"$date": {"$numberLong": "1795406706000"}},
    ],
)  # fmt: skip
def test_a_time_in_every_form(value: object) -> None:
    assert read_record(json.dumps({"text": "x", "time": value})) == CrashRecord("x", AT)


@pytest.mark.parametrize(
    "value",
    ["0001-01-01T00:00:00Z", "9999-12-31T00:00:00Z", "1970-01-01T00:00:00Z", 0, "0", 3, "23/Foo/2026:04:05:06 +0000", "23 Nov 2026 04:05:06 +9999", "99 Nov 2026 25:61", {"$date": {}}, {"$date": "soon"}],
)  # fmt: skip
def test_a_time_that_was_not_set_is_none(value: object) -> None:
    assert read_record(json.dumps({"text": "x", "time": value})) == CrashRecord("x")
    record = read_record(json.dumps({"text": "x", "time": value, "ts": 1795406706}))
    assert record is not None
    assert record.at == AT, "the next field is read"


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        ({"trace": "4bf92f3577b34da6a3ce929d0e0e4736", "text": STACK}, STACK),
        ({"stack": "payments", "trace": "4bf92f35", "message": STACK}, STACK),
        ({"trace": "4bf92f35", "text": "disk is full"}, "disk is full"),
        ({"trace": "4bf92f35"}, "4bf92f35"),
        ({"exception": "java.io.IOException: card 4", "text": "order 12\nfailed"}, "java.io.IOException: card 4"),
        ({"exception": "java.io.IOException: card 4", "message": "order 12"}, "order 12\njava.io.IOException: card 4"),
        ({"text": "disk is full", "message": "order 12"}, "order 12\ndisk is full"),
    ],
)  # fmt: skip
def test_a_field_that_holds_an_id_is_no_stack(fields: dict[str, str], text: str) -> None:
    assert read_record(json.dumps(fields)) == CrashRecord(text)


def test_a_long_report_keeps_its_ends() -> None:
    record = read_record(json.dumps({"text": "first" + "x" * 3 * LONGEST + "last"}))
    assert record is not None
    assert len(record.text) < LONGEST + 10
    assert (record.text[:5], record.text[-4:]) == ("first", "last")


def test_a_log_gives_its_traces_with_their_times() -> None:
    log = (
        "2026-11-23 04:05:06,000 INFO started\n"
        f"2026-11-23 04:05:06,000 ERROR pay failed\n{STACK}\n"
        + "2026-11-23 04:05:07,000 INFO a quiet line\n" * 50_000
        + f"{STACK.replace('gone', 'away')}\n"
    )
    records = list(read_log(BytesIO(log.encode() + b"\xff\xfe")))
    assert [record.text.splitlines()[-1] for record in records] == ["\tat com.acme.Pay.run(Pay.java:3)"] * 2
    assert ["away" in record.text for record in records] == [False, True]
    assert [record.at for record in records] == [AT, AT.replace(second=7)]


def test_an_open_trace_is_read_again_a_few_times_only() -> None:
    """With each piece it is read again, so the pieces are as large as what is open."""
    sizes: list[int] = []

    class Noted(BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            block = super().read(size)
            sizes.append(len(block))
            return block

    links = "".join(f"Caused by: com.acme.B{at}: m\n\tat com.acme.C.d(C.java:{at})\n" for at in range(70_000))
    assert len(links) > 5 << 19
    assert len(list(read_log(Noted(f"com.acme.A: x\n{links}".encode())))) == 1
    assert sizes[0] == 1 << 20
    assert sizes[2] > 1.9 * sizes[0]
