"""Log envelopes: a trace is the same trace in whatever a shipper wraps each of its lines, or all of them."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest

from kb.trace import Level, fingerprints, parse
from kb.trace.finding.line_prefix import line_prefix

FENCE = re.compile(r"^```[a-z]*\n(.*?)^```", re.MULTILINE | re.DOTALL)


def _each(wrap: Callable[[str], str]) -> Callable[[str], str]:
    return lambda trace: "\n".join(wrap(line) for line in trace.splitlines())


def _compact(value: object) -> str:
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


ENVELOPES: dict[str, Callable[[str], str]] = {
    "docker-json-file": _each(lambda line: _compact({"log": line + "\n", "stream": "stderr", "time": "2024-05-01T10:00:00.123456789Z"})),
    "cri": _each(lambda line: f"2024-05-01T10:00:00.123456789Z stderr F {line}"),
    "cri-of-docker": _each(lambda line: "2024-05-01T10:00:00.1Z stderr F " + _compact({"log": line + "\n", "stream": "stderr", "time": "2024-05-01T10:00:00Z"})),
    "stern": _each(lambda line: f"pay-7d9f8c6b5-x2x4z app {line}"),
    "kubectl-prefix": _each(lambda line: f"[pod/pay-7d9f8c6b5-x2x4z/app] {line}"),
    "rfc-5424": _each(lambda line: f"<14>1 2024-05-01T10:00:00.003Z web.example pay 12 - - {line}"),
    "rfc-5424-data": _each(lambda line: f'<14>1 2024-05-01T10:00:00Z web pay 12 ID47 [a@1 b="c]\\"d"] {line}'),
    "rfc-3164": _each(lambda line: f"<14>May  1 10:00:00 web pay[12]: {line}"),
    "journald": _each(lambda line: f"May 01 10:00:00 web pay[12]: {line}"),
    "journald-iso": _each(lambda line: f"2024-05-01T10:00:00+0800 web pay[12]: {line}"),
    "rsyslog-octal": lambda trace: "May  1 10:00:00 web pay[12]: " + trace.replace("\n", "#012").replace("\t", "#011"),
    "rsyslog-octal-tabs": _each(lambda line: "May  1 10:00:00 web pay[12]: " + line.replace("\t", "#011")),
    "json-message-lines": _each(lambda line: json.dumps({"level": "error", "message": line, "@timestamp": "2024-05-01T10:00:00Z"})),
    "journald-json": _each(lambda line: json.dumps({"MESSAGE": line, "PRIORITY": "3", "_HOSTNAME": "web"})),
    "json-stack-trace": lambda trace: json.dumps({"level": "ERROR", "message": "call failed", "stack_trace": trace, "thread": "main"}),
    "json-exc-info": lambda trace: _compact({"msg": "call failed", "exc_info": trace, "levelname": "ERROR"}),
    "json-message": lambda trace: json.dumps({"message": "call failed\n" + trace, "level": "ERROR"}),
    "json-nested": lambda trace: json.dumps({"error": {"type": "E", "stack": trace}, "n": 3}),
    "json-behind-text": lambda trace: "2024-05-01 10:00:00 ERROR pay " + json.dumps({"exception": trace, "n": 1}),
    "json-indented": lambda trace: json.dumps({"level": "ERROR", "stack_trace": trace, "n": 1}, indent=2),
    "cri-of-json": lambda trace: "2024-05-01T10:00:00.1Z stdout F " + json.dumps({"stack_trace": trace, "n": 1}),
    "docker-of-json": lambda trace: _compact({"log": json.dumps({"stack_trace": trace, "n": 1}) + "\n", "stream": "stdout", "time": "2024-05-01T10:00:00Z"}),
}  # fmt: skip


def _trace(path: Path) -> str:
    found = FENCE.search(path.read_text(encoding="utf-8"))
    assert found is not None
    return found[1].rstrip("\n")


def _exact(text: str) -> list[str]:
    return [fingerprints(chain)[Level.EXACT].digest for chain in parse(text)]


CORPUS = [
    path
    for path in sorted((Path(__file__).parents[4] / "corpus").rglob("*-*.md"))
    if re.search(r"^```\n(?:Traceback|.*\n\s+at \S+\()", path.read_text(encoding="utf-8"), re.MULTILINE)
]
"""The write-ups whose first trace shows frames."""


MISSES: dict[str, list[str]] = {
    "elasticsearch-master-not-discovered": ["json-exc-info", "json-message"],
    "lombok-jdk-incompatible": ["cri-of-docker", "json-nested"],
    "postgres-connection-refused": ["rsyslog-octal", "json-nested"],
    "spark-executor-heartbeat-timed-out": [
        "json-message-lines",
        "journald-json",
        "json-stack-trace",
        "json-exc-info",
        "json-message",
        "json-nested",
        "json-behind-text",
        "json-indented",
    ],
}
"""By write-up, the envelopes in which its first trace is read otherwise: log lines that hold levels of their own in records that say another,
and one line without frames: `json-nested` gives it a type of its own (`E`), of which the line is then read as the cause. A repair turns this red."""


@pytest.mark.parametrize("path", CORPUS, ids=lambda path: path.stem)
def test_a_wrapped_trace_is_the_same_trace(path: Path) -> None:
    trace = _trace(path)
    plain = _exact(trace)
    assert plain
    assert [name for name, wrapped in ENVELOPES.items() if _exact(wrapped(trace)) != plain] == MISSES.get(path.stem, [])


SHORT = "java.lang.IllegalStateException: gone\n\tat com.acme.Pay.run(Pay.java:3)\n\tat com.acme.Pay.main(Pay.java:1)"


@pytest.mark.parametrize("name", ENVELOPES)
def test_the_span_points_into_the_text_that_was_given(name: str) -> None:
    text = f"前言 preface\n{ENVELOPES[name](SHORT)}\nend of it\n"
    (chain,) = parse(text)
    begin, end = chain.span
    if name in ("cri-of-docker", "cri-of-json", "docker-of-json", "json-message"):
        # nested escapes, and a head behind further text: near enough is the line
        assert text.count("\n", 0, begin) == 1
    else:
        assert text[begin:end].startswith("java.lang.IllegalStateException: gone")
    assert text[:end].endswith("com.acme.Pay.main(Pay.java:1)") or name == "docker-of-json"
    assert "end of it" not in text[begin:end]


def test_the_parts_of_a_cut_line_are_one_line() -> None:
    text = (
        "2024-05-01T10:00:00.1Z stderr P java.lang.Illegal\n"
        "2024-05-01T10:00:00.1Z stderr F StateException: gone\n"
        "2024-05-01T10:00:00.1Z stderr P \tat com.acme.Pay\n"
        "2024-05-01T10:00:00.1Z stderr F .run(Pay.java:3)\n"
        "2024-05-01T10:00:00.1Z stderr F \tat com.acme.Pay.main(Pay.java:1)"
    )
    assert _exact(text) == _exact(SHORT)


def test_docker_joins_the_parts_of_a_cut_line() -> None:
    parts = ["java.lang.Illegal", "StateException: gone\n", "\tat com.acme.Pay", ".run(Pay.java:3)\n", "\tat com.acme.Pay.main(Pay.java:1)\n"]  # fmt: skip
    text = "\n".join(_compact({"log": part, "stream": "stderr", "time": "t"}) for part in parts)
    assert _exact(text) == _exact(SHORT)


@pytest.mark.parametrize("fields", ["msg", "msg, log", "log, msg", "body, message, log", "msg, level, log, message"])
def test_of_several_fields_the_best_one_holds_the_line(fields: str) -> None:
    """`log` is a container's own, and tells more than what its program calls a message."""
    names = fields.split(", ")
    best = "log" if "log" in names else "msg"
    lines = SHORT.split("\n")
    records = [{name: line if name == best else f"step {at}" for name in names} for at, line in enumerate(lines)]
    assert _exact("\n".join(map(_compact, records))) == _exact(SHORT)


@pytest.mark.parametrize(
    "text",
    [
        "re-run the job\nre-run the job",
        '{"log":"started\\n","stream":"stdout","time":"2024-05-01T10:00:00Z"}\n{"log":"done\\n","stream":"stdout","time":"t"}',
        "<14>1 2024-05-01T10:00:00Z web pay 12 - - started\n<14>1 2024-05-01T10:00:00Z web pay 12 - - done",
        '{"log":"unclosed',
        '{"stack_trace": "a\\n\\tat \\ud800',
    ],
)
def test_envelopes_without_a_trace_give_none(text: str) -> None:
    assert [chain.runtime for chain in parse(text) if chain.runtime != "text"] == []


HOSTILE: dict[str, Callable[[int], str]] = {
    "json-strings": lambda n: '{"a\\n\\tat ' + '"\\n' * (n // 3),
    "json-values": lambda n: "{" + '"k":"\\n\\tat x",' * (n // 16) + "}",
    "backslashes": lambda n: '{"log":"' + "\\" * n + '"}',
    "octal": lambda n: "#012" * (n // 4),
    "cri": lambda n: "2024-05-01T10:00:00.1Z stderr P x\n" * (n // 36),
    "pods": lambda n: "a-b c \tat x\n" * (n // 12),
    "hyphens": lambda n: " \tat " + "a-" * (n // 2),
    "structured": lambda n: "<14>1 - a b c d " + '[a="' * (n // 4),
    "docker": lambda n: '{"log":"x","stream":"stderr"}\n' * (n // 30),
    # found by the fuzzer: the constant beginning of two lines was a pattern with many numbers side by side
    "long-numbers": lambda n: f"{'12' * 70}\xe9goroutine 0 [idle]:\n{'12' * 70}\xe9x\n{'1' * 90}x\n" * (n // 400),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_time_of_opening_grows_with_the_size(name: str, takes_linear_time: Callable[..., None]) -> None:
    takes_linear_time(lambda size: parse(HOSTILE[name](size)))


def test_every_record_of_a_log_tells_its_own_error() -> None:
    """A record is whole: its error may be in another field than its message, and the records around it are not opened with it."""
    record = {"level": "error", "msg": "call failed", "n": 1}
    errors = ["ERROR 1045 (28000): Access denied for user 'till'@'db'", SHORT, "ORA-12514: TNS:listener is gone", SHORT]
    log = "\n".join(json.dumps(record | {"error": error}) for error in errors for _ in range(3))
    found = [chain.root.type for chain in parse(log)]
    assert found == [
        kind
        for kind in ("MySQL 1045", "java.lang.IllegalStateException", "ORA-12514", "java.lang.IllegalStateException")
        for _ in range(3)
    ]


def test_an_answer_within_a_field_is_read() -> None:
    body = {"error": {"type": "index_not_found_exception", "reason": "no such index [pv]"}, "status": 404}
    (chain,) = parse(json.dumps({"level": "error", "msg": "search failed", "error": json.dumps(body)}))
    assert (chain.root.type, chain.root.message) == ("index_not_found_exception", "no such index [pv]")


def test_two_heads_alike_are_no_dress() -> None:
    """What two panics have in common is their message, of which the dress may end at the comma."""
    line = "2024-05-01T10:00:00Z ERROR thread 'main' panicked at 'boom', src/a.rs:2:9\n"
    below = [line.rstrip("\n")] * 3
    assert line_prefix(below[0], line * 4, (), below) is None
    assert [chain.root.message for chain in parse(line * 3)] == ["boom"] * 3
