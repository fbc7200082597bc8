"""Errors that a log or a question names without their stack: whose they are, and what is only a sentence."""

import pytest

from kb.trace import parse

LOG = "2024-01-02 10:00:00 ERROR job failed\n{}\n2024-01-02 10:00:01 INFO next\n"
IN_LOGS = [
    ("reference", "ReferenceError: x is not defined", "javascript", "ReferenceError"),
    ("logged", "2024-01-02 10:00:00 ERROR TypeError: Cannot read properties of undefined (reading 'x')", "javascript", "TypeError"),
    ("clickhouse", "DB::Exception: Table x.y does not exist", "native", "DB::Exception"),
    ("clickhouse-log", "2024.01.02 10:00:00.123 [ 12 ] {} <Error> T: DB::Exception: no table", "native", "DB::Exception"),
    ("poco", "Poco::Net::NetException: no route", "native", "Poco::Net::NetException"),
    ("boost", "boost::system::system_error: no route", "native", "boost::system::system_error"),
    ("clickhouse-code", "Code: 60. DB::Exception: no table", "sql", "ClickHouse 60"),
    ("python-module", "tvm._ffi.base.TVMError: no device", "python", "tvm._ffi.base.TVMError"),
]  # fmt: skip
LINES = [
    ("quoted", '"KeyError: \'x\'"', "python", "KeyError", "'x'"),
    ("curly", "“ValueError: bad value”", "python", "ValueError", "bad value"),
    ("mail", "> ValueError: bad value", "python", "ValueError", "bad value"),
    ("code", "`redis.exceptions.ConnectionError: Error 111`", "python", "redis.exceptions.ConnectionError", "Error 111"),
    ("within", '报错 "requests.exceptions.ConnectionError: refused"，怎么办', "python", "requests.exceptions.ConnectionError", "refused"),
    ("jvm", "job failed: java.io.IOException: gone", "jvm", "java.io.IOException", "gone"),
    ("jvm-error", "org.acme.base.BarError: gone", "jvm", "org.acme.base.BarError", "gone"),
    ("jvm-exceptions", "redis.clients.jedis.exceptions.JedisException: gone", "jvm", "redis.clients.jedis.exceptions.JedisException", "gone"),
    ("ruby", "ActiveRecord::RecordNotFound: gone", "ruby", "ActiveRecord::RecordNotFound", "gone"),
    ("cxx", "DB::Exception: gone", "native", "DB::Exception", "gone"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "runtime", "type_"), [row[1:] for row in IN_LOGS], ids=[row[0] for row in IN_LOGS])
def test_an_error_between_the_lines_of_a_log(line: str, runtime: str, type_: str) -> None:
    assert [(c.runtime, c.exceptions[0].type) for c in parse(LOG.format(line))] == [(runtime, type_)]


@pytest.mark.parametrize(("line", "runtime", "type_", "said"), [r[1:] for r in LINES], ids=[r[0] for r in LINES])
def test_a_single_line(line: str, runtime: str, type_: str, said: str) -> None:
    (chain,) = parse(line)
    message = chain.exceptions[0].message or ""
    assert (chain.runtime, chain.exceptions[0].type, message[: len(said)]) == (runtime, type_, said)
    assert '"' not in message


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ('see it\nFile "report.docx", line 3, in summary', 0),
        ('File "report.docx", line 3, in summary\nis wrong', 0),
        ('File "a.docx", line 3, in f\nFile "b.docx", line 4, in g\n', 1),
        ('File "a.py", line 3, in f\nand so on', 1),
        ('File "<stdin>", line 3, in f\nand so on', 1),
        ('File "<frozen importlib._bootstrap>", line 3, in f\nand so on', 1),
        ('File "/usr/bin/yum", line 3, in f\nand so on', 1),
        ('File "report.docx", line 3, in summary\nValueError: x', 1),
    ],
    ids=["prose", "prose-lines", "two-frames", "source", "standard-input", "frozen", "program", "with-an-end"],
)
def test_one_place_in_a_file_is_a_traceback_of_python_files_only(text: str, count: int) -> None:
    assert [chain.runtime for chain in parse(text + "\n")] == ["python"] * count


def test_a_lower_case_word_is_no_type_of_python() -> None:
    assert parse("as seen here\nTraceback (most recent call last):\nmain: it stops\nand so on\n") == ()


@pytest.mark.parametrize(
    "below", ["TypeError: x.f is not a function\n    at f (/a.js:1:2)", "\n  1 | x.f()\n\n    at f (/a.js:1:2)"]
)
def test_an_error_whose_stack_stands_further_below_is_no_message_alone(below: str) -> None:
    assert [len(c.exceptions[0].stack.frames) for c in parse("a\nTypeError: x.f is not a function\n" + below)] == [1]


@pytest.mark.parametrize(
    ("line", "type_"),
    [
        ("thread ‘main’ panicked at src/a.rs:1:2:\nno order\nnote: run with `RUST_BACKTRACE=1`", "panic"),
        ("thread ‘main’ panicked at ‘no order’, src/a.rs:1:2", "panic"),
        ("terminate called after throwing an instance of ‘std::out_of_range’", "std::out_of_range"),
        ("*** Terminating app due to uncaught exception ‘NSRangeException’, reason: ‘index 3’", "NSRangeException"),
    ],
    ids=["rust", "rust-old", "c++", "apple"],
)
def test_marks_that_an_editor_curled(line: str, type_: str) -> None:
    (chain,) = parse(f"as seen\n{line}\n")
    straight = parse(f"as seen\n{line}\n".translate(str.maketrans("‘’", "''")))
    assert chain.exceptions[0].type == type_
    assert [(e.type, e.message) for e in chain.exceptions] == [(e.type, e.message) for e in straight[0].exceptions]


def test_the_mark_of_an_encoding_changes_no_reading() -> None:
    text = "2019-10-10 16:14:42.538 MSK [9590] FATAL:  database files are incompatible with server\n2019-10-10 16:14:42.538 MSK [9590] DETAIL:  The cluster is of another version."
    (plain,), (marked,) = parse(text), parse(f"\ufeff{text}")
    assert (marked.runtime, marked.root) == (plain.runtime, plain.root)
    assert marked.span == (plain.span[0] + 1, plain.span[1] + 1)
