"""What looks like no logger's work: any word before every line, what ``grep`` prints, two processes in turns, quotes around a line."""

import pytest

from kb.trace import ExceptionChain, parse
from kb.trace.finding.line_prefix import pattern_of

JVM = "java.io.IOException: x\n\tat a.B.c(B.java:1)\n\tat a.B.d(B.java:2)"
JAVASCRIPT = "TypeError: x is not a function\n    at foo (/a/b.js:1:2)\n    at bar (/a/b.js:3:4)"
PYTHON = 'Traceback (most recent call last):\n  File "/app/m.py", line 3, in f\n    g()\n  File "/app/m.py", line 9, in g\n    h()\nValueError: 1'
GO = "panic: boom\n\ngoroutine 1 [running]:\nmain.f(0x1)\n\t/app/main.go:12 +0x1d\nmain.main()\n\t/app/main.go:5 +0x20\nexit status 2"
DOTNET = "System.InvalidOperationException: gone\n   at Acme.Pay.Run(String s) in /app/Pay.cs:line 12\n   at Acme.Pay.Main() in /app/Pay.cs:line 3"
RUBY = "/app/a.rb:2:in `g': boom (RuntimeError)\n\tfrom /app/a.rb:5:in `f'\n\tfrom /app/a.rb:8:in `<main>'"
RUST = "thread 'main' panicked at src/main.rs:2:5:\nboom\nstack backtrace:\n   0: rust_begin_unwind\n             at /rustc/1/library/std/src/panicking.rs:645:5\n   1: acme::f\n             at ./src/main.rs:2:5"
LUA = "lua: a.lua:2: boom\nstack traceback:\n\t[C]: in function 'error'\n\ta.lua:2: in function 'f'\n\ta.lua:5: in main chunk\n\t[C]: in ?"
TRACES = {
    "jvm": JVM,
    "javascript": JAVASCRIPT,
    "python": PYTHON,
    "go": GO,
    "dotnet": DOTNET,
    "ruby": RUBY,
    "rust": RUST,
    "lua": LUA,
}
WORDS = (
    "ERR ",
    "E ",
    "myapp ",
    "srv=pay ",
    "worker#3 ",
    "pay@h: ",
    "app1;",
    "$ ",
    "!! ",
    "~",
    "｜ ",
    "┊ ",
    "订单服务：",
    "【订单服务】",
    "错误 ",
    "(1) ",
    "+",
    "@@ ",
    "REM ",
)
FILES = ("app.log", "logs/app.log", "my-app-2.log", "C:\\logs\\app.log")


def _read(chains: tuple[ExceptionChain, ...]) -> list[tuple[str | None, str | None, tuple[str | None, ...]]]:
    raised = [one for chain in chains for one in chain.exceptions]
    return sorted((e.type or "", e.message or "", tuple(f.function for f in e.stack.frames)) for e in raised)


def _searched(file: str, trace: str, *, is_numbered: bool) -> str:
    lines = []
    for at, line in enumerate(trace.splitlines()):
        mark = "-" if at else ":"
        lines.append((file + mark if file else "") + (f"{at + 12}{mark}" if is_numbered else "") + line)
    return "\n".join(lines)


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("runtime", TRACES)
def test_any_word_before_every_line_is_dress(runtime: str, word: str) -> None:
    trace = TRACES[runtime]
    assert _read(parse("\n".join(word + line for line in trace.splitlines()))) == _read(parse(trace))


def test_a_head_and_one_frame_are_enough() -> None:
    (chain,) = parse("ERR java.io.IOException: x\nERR \tat a.B.c(B.java:1)")
    assert (chain.root.type, chain.root.message, len(chain.root.stack.frames)) == ("java.io.IOException", "x", 1)


@pytest.mark.parametrize(("file", "is_numbered"), [("", True), *((f, n) for f in FILES for n in (False, True))])
@pytest.mark.parametrize("runtime", TRACES)
def test_what_grep_prints_before_a_line_is_dress(runtime: str, file: str, *, is_numbered: bool) -> None:
    trace = TRACES[runtime]
    found = _searched(file, trace, is_numbered=is_numbered)
    assert _read(parse(found)) == _read(parse(trace))
    assert _read(parse(f"{found}\n--\n{found}")) == _read(parse(trace)) * 2


@pytest.mark.parametrize("runtime", ["jvm", "javascript", "python", "dotnet"])
def test_the_record_that_grep_found_may_have_its_time(runtime: str) -> None:
    trace = "2024-05-01 10:00:00,123 ERROR [main] c.a.X - " + TRACES[runtime]
    assert _read(parse(_searched("app.log", trace, is_numbered=True))) == _read(parse(trace))


@pytest.mark.parametrize(
    "prefix", ["E/System.err({}): ", "05-01 10:00:0{n}.123  {}  4250 E AndroidRuntime: ", "ERR pid={} "]
)
@pytest.mark.parametrize("runtime", ["jvm", "javascript", "dotnet", "rust"])
def test_two_processes_in_turns_are_two_traces(runtime: str, prefix: str) -> None:
    one = TRACES[runtime]
    other = one.replace("a.B.", "z.Z.").replace("foo", "food").replace("Acme", "Zed").replace("acme", "zed")
    pairs = zip(one.splitlines(), other.splitlines(), strict=True)
    lines = [
        prefix.format(pid, n=at) + line
        for at, pair in enumerate(pairs)
        for pid, line in zip((101, 202), pair, strict=True)
    ]
    assert _read(parse("\n".join(lines))) == sorted(_read(parse(one)) + _read(parse(other)))


@pytest.mark.parametrize("record", ['level=error err="{}" n=1', 'ERROR msg: "{}"', "err='{}' x", "values ('{}', 3)"])
@pytest.mark.parametrize("runtime", TRACES)
def test_escaped_lines_in_quotes_keep_their_head(runtime: str, record: str) -> None:
    trace = TRACES[runtime]
    quote = record[record.index("{") - 1]
    escaped = trace.replace("\n", "\\n").replace("\t", "\\t").replace(quote, "\\" + quote)
    assert _read(parse(record.format(escaped))) == _read(parse(trace))


def test_colours_as_a_pager_shows_them_are_none() -> None:
    assert _read(parse("\n".join(f"^[[31m{line}^[[0m" for line in JVM.splitlines()))) == _read(parse(JVM))


@pytest.mark.parametrize("trace", TRACES.values(), ids=TRACES)
def test_a_plain_trace_wears_no_dress(trace: str) -> None:
    words = trace.splitlines()[0].split(" ", 1)[0]
    chains = parse(f"seen today\n{trace}\n{words} as before")
    assert set(_read(parse(trace))) <= set(_read(chains))


def test_records_whose_numbers_are_as_long_share_a_pattern() -> None:
    """Each record of a log is compared with its neighbours: one pattern for all of them is made once."""
    one, other = "2026-01-02 03:04:05,678 [pool-1] 31 ", "2031-10-29 13:54:45,001 [pool-7] 92 "
    assert pattern_of(one, "") is pattern_of(other, "")
    for line in (one, other):
        found = pattern_of(one, "").fullmatch(line)
        assert found is not None
        assert found.groups()[-1] == line[-3:-1]
