"""Structured log records against reviewed readings, and error bodies of services."""

import gc
import json
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kb.trace import parse
from kb.trace.finding.structured import LogRecord, read_block, read_record

GOLDEN = Path(__file__).resolve().parents[3] / "golden" / "records"
FILES = sorted(GOLDEN.glob("*.txt"))
STRUCTURED = re.compile(r"\{|[\w.@-]+=")
"""How a JSON record and one of pairs begin."""
NONE = "# no records"
"""The remark above lines that look like records and are none."""


@pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])
def test_records(path: Path, golden: Callable[[Path, str], None]) -> None:
    text = path.read_text(encoding="utf-8")
    assert list(_unread(text)) == [], "its row in kb/trace/finding/formats.py is missing; or write `# no records` above"
    golden(path.with_suffix(".reading"), "\n".join(_reading(text)) + "\n")


def _unread(text: str) -> Iterator[str]:
    """Yield the lines that look like records and are not read as one: no golden file may pin them by accident."""
    remark = ""
    for line in text.split("\n"):
        if line.startswith("# "):
            remark = line
        elif remark != NONE and STRUCTURED.match(line) and read_record(line) is None:
            yield line


def test_a_record_that_is_not_read_is_named() -> None:
    lines = ['{"level": "error", "msg": "x"}', '{"lvl9": "error", "txt9": "x"}', "a=1 b=2", "Traceback:"]
    assert list(_unread("\n".join(["# a logger", *lines, NONE, *lines]))) == lines[1:3]


def _reading(text: str) -> Iterator[str]:
    for number, line in enumerate(text.split("\n"), 1):
        if line.startswith("# ") or not line.strip():
            yield line
            continue
        found = read_record(line)
        if found is None:
            yield f"{number} no record"
            continue
        yield f"{number} {found.level} {found.logger or '-'}: {found.message!r}"
        if found.message_span is not None and line[slice(*found.message_span)] != found.message:
            yield f"    stands as {line[slice(*found.message_span)]!r}"
        if found.exception_type or found.exception_message:
            yield f"    {found.exception_type}: {found.exception_message!r}"
        if found.stack is not None:
            yield from (f"    | {one}" for one in found.stack.split("\n")[:4])
        for chain in parse(line):
            if any(one.stack.frames for one in chain.exceptions):
                frames = [(one.type, len(one.stack.frames)) for one in chain.exceptions]
                yield f"    parsed as {chain.runtime}: {frames}"


BODIES = {
    "Spring Boot": (
        {"timestamp": "2026-11-23T03:44:58Z", "status": 500, "error": "Internal Server Error", "message": "order 42 is not paid", "path": "/pay"},
        ("Internal Server Error", "order 42 is not paid"),
    ),
    "Spring Boot, with the exception": (
        {"status": 500, "error": "Internal Server Error", "exception": "shop.PaymentException", "message": "order 42 is not paid", "path": "/pay"},
        ("shop.PaymentException", "order 42 is not paid"),
    ),
    "RFC 9457": (
        {"type": "https://example.com/probs/out-of-credit", "title": "You do not have enough credit.", "detail": "Your balance is 30.", "status": 403},
        ("You do not have enough credit.", "Your balance is 30."),
    ),
    "RFC 9457, about:blank": ({"type": "about:blank", "title": "Not Found", "status": 404}, ("Not Found", "Not Found")),
    "Django REST framework": ({"detail": "Authentication credentials were not provided."}, (None, "Authentication credentials were not provided.")),
    "Rails": (
        {"status": 500, "error": "Internal Server Error", "exception": "#<NoMethodError: undefined method `pay' for nil:NilClass>"},
        ("NoMethodError", "undefined method `pay' for nil:NilClass"),
    ),
    "GraphQL": (
        {"errors": [{"message": "Not signed in", "locations": [{"line": 2, "column": 3}], "extensions": {"code": "UNAUTHENTICATED"}}], "data": None},
        ("UNAUTHENTICATED", "Not signed in"),
    ),
    "JSON:API": ({"errors": [{"status": "422", "title": "Invalid Attribute", "detail": "First name is too short."}]}, ("Invalid Attribute", "First name is too short.")),
    "Google": (
        {"error": {"code": 403, "message": "The caller lacks permission", "status": "PERMISSION_DENIED"}},
        ("PERMISSION_DENIED", "The caller lacks permission"),
    ),
    "Azure": (
        {"error": {"code": "ResourceNotFound", "message": "The resource 'x' was not found.", "target": "x"}},
        ("ResourceNotFound", "The resource 'x' was not found."),
    ),
    "AWS": (
        {"__type": "ResourceNotFoundException", "message": "Requested resource not found"},
        ("ResourceNotFoundException", "Requested resource not found"),
    ),
    "OpenAI and others": (
        {"error": {"message": "Rate limit reached", "type": "requests", "param": None, "code": "rate_limit_exceeded"}},
        ("rate_limit_exceeded", "Rate limit reached"),
    ),
    "OAuth": ({"error": "invalid_grant", "error_description": "Token has expired"}, ("invalid_grant", "Token has expired")),
    "Kubernetes": (
        {"kind": "Status", "apiVersion": "v1", "status": "Failure", "message": 'pods "web" not found', "reason": "NotFound", "code": 404},
        ("NotFound", 'pods "web" not found'),
    ),
    "Laravel": (
        {"message": "Undefined variable $x", "exception": "ErrorException", "file": "/srv/Pay.php", "line": 7, "trace": [{"file": "/srv/Pay.php", "line": 7, "function": "pay", "class": "Shop\\Pay", "type": "->"}]},
        ("ErrorException", "Undefined variable $x"),
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", BODIES)
@pytest.mark.parametrize("indent", [2, None])
def test_error_bodies(name: str, indent: int | None) -> None:
    body, expected = BODIES[name]
    found = read_block(json.dumps(body, indent=indent))
    assert found is not None
    assert (found.exception_type, found.exception_message or found.message) == expected


SOLE: list[tuple[dict[str, object], tuple[str | None, str | None]]] = [
    ({"till_response": {"sign": "", "code": "40002", "msg": "Arguments are invalid"}}, (None, "Arguments are invalid")),
    ({"result": {"success": False, "errorMessage": "the till is closed", "errorCode": "T-7"}}, ("T-7", "the till is closed")),
    ({"result": {"success": False, "message": "the till is closed"}}, (None, "the till is closed")),
    ({"response": {"status": 404, "message": "no such till"}}, (None, "no such till")),
    ({"response": {"error": {"type": "TillError", "message": "no such till"}}}, ("TillError", "no such till")),
    ({"event": {"severity": "error", "message": "no such till"}}, (None, "no such till")),
    ({"cause": {"type": "shop.TillException", "message": "no such till"}}, ("shop.TillException", "no such till")),
    ({"errorResponse": {"code": "T-7", "message": "no such till"}}, ("T-7", "no such till")),
    ({"last_error": {"message": "no such till"}}, (None, "no such till")),
    ({"socket": {"errno": -111, "code": "ECONNREFUSED", "message": "connect ECONNREFUSED 10.0.0.7:80"}}, ("ECONNREFUSED", "connect ECONNREFUSED 10.0.0.7:80")),
]  # fmt: skip


@pytest.mark.parametrize(("body", "expected"), SOLE, ids=lambda one: next(iter(one)) if isinstance(one, dict) else "")
def test_an_error_may_be_in_an_object_that_is_all_of_the_record(
    body: dict[str, object], expected: tuple[str | None, str | None]
) -> None:
    found = read_record(json.dumps(body))
    assert found is not None
    assert (found.exception_type, found.exception_message or found.message) == expected


HARMLESS = [
    # Kubernetes
    '{"spec": {"type": "NodePort"}}', '{"spec": {"type": "NodePort", "reason": "we expose it"}}', '{"strategy": {"type": "Recreate"}}', '{"policy": {"type": "RollingUpdate", "detail": "one by one"}}',
    '{"condition": {"type": "Ready", "message": "kubelet is posting ready status"}}', '{"condition": {"type": "Ready", "status": "True", "reason": "KubeletReady", "message": "kubelet is posting ready status"}}',
    '{"rollout": {"type": "Progressing", "reason": "NewReplicaSetAvailable", "message": "ReplicaSet web-7 has successfully progressed."}}',
    '{"event": {"type": "Normal", "reason": "Pulled", "message": "Container image is already present on machine"}}', '{"lastState": {"reason": "Completed", "message": "all done"}}',
    '{"container": {"type": "docker", "reason": "Completed", "exitCode": 0}}', '{"volume": {"name": "logs", "type": "hostPath"}}', '{"readinessProbe": {"type": "tcp", "port": 80}}',
    "spec:\n  type: NodePort\n  ports:\n    - port: 80\n", "condition:\n  type: Ready\n  message: kubelet is posting ready status\n",
    # schemas: OpenAPI, JSON Schema, Elasticsearch
    '{"schema": {"type": "string", "format": "date"}}', '{"default": {"type": "string", "message": "x"}}', '{"properties": {"message": "the name of a till", "type": "string"}}',
    '{"components": {"schemas": {"Error": {"type": "object", "required": ["code", "message"], "properties": {"code": {"type": "integer"}, "message": {"type": "string"}}}}}}',
    "openapi: 3.0.0\ncomponents:\n  schemas:\n    Error:\n      type: object\n      properties:\n        message:\n          type: string\n",
    '{"mappings": {"type": "keyword"}}', '{"field": {"type": "text", "analyzer": "ik_max_word"}}', '{"properties": {"title": {"type": "text"}, "error": {"type": "keyword"}}}',
    '{"mappings": {"properties": {"error": {"properties": {"message": {"type": "text"}, "type": {"type": "keyword"}}}}}}',
    # what services answer and log
    '{"response": {"status": 200, "message": "ok"}}', '{"request": {"status": 200, "message": "GET /cart served in 0 ms"}}', '{"access": {"status": 304, "method": "GET", "path": "/shop.css", "message": "not modified"}}',
    '{"http": {"status": 201, "code": "CREATED", "message": "order 7 is made"}}', '{"status": 200, "message": "ok"}', '{"code": 0, "msg": "ok", "data": []}', '{"data": {"code": 0, "message": "success"}}',
    '{"result": {"code": 200, "msg": "ok"}}', '{"result": {"success": true, "errorCode": 0, "errorMessage": null, "type": "order"}}', '{"result": {"success": true, "message": "saved", "code": "T-0", "errorMessage": ""}}',
    '{"status": {"code": "PENDING", "message": "Order 12 waits for the till"}}', '{"notification": {"type": "info", "message": "Your order has shipped"}}', '{"event": {"type": "PaymentFailed", "message": "hi"}}',
    '{"health": {"status": "UP", "message": "all checks pass"}}', '{"status": "UP", "components": {"db": {"status": "UP"}, "diskSpace": {"status": "UP"}}}', '{"stats": {"errors": 0, "message": "12 rows", "type": "csv"}}',
    '{"metric": {"type": "gauge", "name": "till_open"}}', '{"user": {"level": 50, "name": "Ann", "message": "hi"}}', '{"task": {"priority": 3, "message": "paint the shed", "type": "chore"}}',
    '{"status": "ok", "message": "all systems go"}', '{"message": "Order 12 was created", "code": 201}', '{"success": true, "message": "saved"}', '{"statusCode": 204, "message": "gone for good", "type": "order"}',
    # settings
    '{"datasource": {"type": "prometheus", "uid": "p1"}}', '{"cache": {"type": "redis", "host": "10.0.0.7", "port": 6379}}', '{"logging": {"level": "debug", "type": "file"}}', '{"auth": {"type": "basic", "name": "ann"}}',
    '{"onError": {"type": "continue"}}', '{"repository": {"type": "git", "url": "https://git.example/till"}}', '{"trigger": {"type": "push", "code": "main"}}', '{"compilerOptions": {"type": "module", "strict": true}}',
    '{"deploy": {"code": "v2", "message": "shop 2.0 is out"}}', '{"type": "NodePort"}',
]  # fmt: skip


@pytest.mark.parametrize("text", HARMLESS)
def test_a_document_with_a_type_and_a_message_is_no_error(text: str) -> None:
    """Neither by itself, nor in code, nor on lines of a log; the error beside it is still the one that is read."""
    refused = "Unable to connect to the server: dial tcp 10.0.0.1:6443: connect: connection refused"
    said = "dial tcp 10.0.0.1:6443: connect: connection refused"
    wide = json.dumps(json.loads(text), indent=2) if text.startswith("{") else text
    assert [parse(one) for one in (text, f"```\n{wide}\n```", f"{text}\n{text}\n")] == [()] * 3
    assert [chain.root.message for chain in parse(f"{text}\n{refused}")] == [said]
    if text.startswith("{"):
        assert [chain.root.message for chain in parse(f"kubectl patch svc web -p '{text}'\n{refused}")] == [said]


@pytest.mark.parametrize("body", ['{"status": 0, "message": "no answer from the till"}', '{"code": 200, "error": "no such till", "message": "ok"}', '{"success": false, "message": "no such till"}', '{"code": 1001, "message": "签名校验失败"}'])  # fmt: skip
def test_an_answer_that_tells_no_success_is_an_error(body: str) -> None:
    """A browser's status 0 is no answer at all."""
    assert len(parse(body)) == 1


def test_a_schema_has_no_type_of_an_error() -> None:
    for schema in (
        {"properties": {"message": "must be a string", "type": "string"}},
        {"a": {"type": "string", "message": "x"}},
    ):
        assert all(chain.root.type is None for chain in parse(json.dumps(schema)))


@pytest.mark.parametrize(
    "text",
    ["", "{}", "prose {", "42", '{"items": [1, 2]}', '{"name": "x"} and more words', "int main() {\n  return 0;\n}"],
)
def test_what_is_no_body(text: str) -> None:
    assert read_block(text) is None


def test_a_body_is_read_up_to_its_limit() -> None:
    body = json.dumps({"detail": "no", "rest": "x" * 70_000})
    assert read_block(body) is None


def test_a_record_names_its_places() -> None:
    line = 'pay | {"level":"error","msg":"it \\"broke\\"\\n","err":"refused"}'
    found = read_record(line)
    assert found == LogRecord("error", None, 'it "broke"', (30, 42), None, "refused", None)
    assert line[30:42] == 'it \\"broke\\"'


@pytest.mark.parametrize(
    ("level", "expected"),
    [
        ('"level":50', "error"), ('"level":3', "error"), ('"level":400', "error"), ('"level":40000', "error"), ('"PRIORITY":"4"', "warning"),
        ('"level":"ERR"', "error"), ('"levelname":"CRITICAL"', "fatal"), ('"levelno":40', "error"), ('"severityNumber":13', "warning"),
        ('"severityLevel":3', "error"), ('"severity":"NOTICE"', "notice"), ('"level":"Information"', "info"), ('"level":77', None),
        ('"status":500', None), ('"level":["error"]', None),
    ],
)  # fmt: skip
def test_levels(level: str, expected: str | None) -> None:
    found = read_record(f'{{{level},"message":"the disk is full"}}')
    assert found is not None
    assert found.level == expected


WHOLE = json.dumps(
    {"level": "error", "logger": "shop", "message": "payment failed", "error": {"type": "PayError", "message": "not paid", "stack_trace": "PayError: not paid\n    at pay (/srv/pay.js:3:9)"}}
)  # fmt: skip


@pytest.mark.parametrize("end", range(0, len(WHOLE), 3))
def test_a_record_that_is_cut_off_is_read_as_far_as_it_goes(end: int) -> None:
    found = read_record(WHOLE[:end])
    assert (found is not None) == (end > WHOLE.index("payment")), WHOLE[:end]
    if found is not None:
        assert found.level == "error"
        assert "payment failed".startswith(str(found.message))


@pytest.mark.parametrize(
    "unit",
    [
        "{", "[", '{"a":', '{"a":[', '{"a":{"b":', '"', "\\", '\\"', '{"message":"', '{"message":"{\\"message\\":\\"', "a=", "a=1 ", 'a="', "a=',", "a=[", "a=,",
        'err=x" ', "level=error msg=x ", '{"level":"error","msg":"x"},', '{"stack":["at a (b:1:1)",', '{"trace":[{"file":"a","line":1},', '{"a":"\\u00', "{'a':'b',\"c\":",
        '"k":"\\n\\tat x",', "   ", "[2026-11-23", "ERROR ", "=> ", '{"cause":{"stack":["    at a (b:1:1)"],', '{"key":"a","value":1},', "\ud800",
    ],
)  # fmt: skip
@pytest.mark.parametrize("before", ["", '{"level":"error","message":"', '{"stackTrace":[', "level=error msg="])
def test_hostile_lines_take_linear_time(before: str, unit: str, takes_linear_time: Callable[..., None]) -> None:
    def read(size: int) -> None:
        text = before + unit * (size // len(unit))
        read_record(text)
        read_block(text[: 64 << 10])

    takes_linear_time(read)


def test_a_megabyte_is_read_in_a_second() -> None:
    """The garbage collector is off: it would visit the objects of all earlier tests."""
    gc.disable()
    try:
        for unit in ('{"a":1},', '"a":"b",', "a=1 ", '{"level":"error","err":{"stack":["    at a (b:1:1)"]}},'):
            text = '{"rows":[' + unit * (2_000_000 // len(unit))
            start = time.process_time()
            read_record(text)
            assert time.process_time() - start < 2
    finally:
        gc.enable()
