"""A stream of blocks gives what the whole text gives."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.trace import parse, parse_stream
from kb.trace.stream import StreamLimits, TraceStream

TRACE = "java.io.IOException: {n}\n\tat com.acme.A.b(A.java:{n})\n\tat com.acme.C.d(C.java:1)\nCaused by: java.lang.IllegalStateException: x\n\tat com.acme.E.f(E.java:2)\n\t... 1 more\n"
PYTHON = 'Traceback (most recent call last):\n  File "/app/m{n}.py", line {n}, in f\n    g()\nValueError: {n}\n'
LINE = "2026-03-01 10:00:07,{n:03} INFO  org.example.Service - request {n} took 12 ms 成功\n"


def log(traces: int, between: int) -> str:
    parts = []
    for n in range(traces):
        parts += [LINE.format(n=i) for i in range(between)]
        parts.append((TRACE if n % 2 else PYTHON).format(n=n))
        parts.append("".join(f"2026-03-01T10:00:00.1Z stderr F {line}\n" for line in TRACE.format(n=n).splitlines()))
    return "".join(parts)


SMALL = StreamLimits(block=20_000)
"""Blocks so small that a text of a test has many."""


@pytest.mark.parametrize("size", [1, 7, 1_000, 19_999, 50_000])
def test_a_stream_gives_what_the_whole_text_gives(size: int) -> None:
    text = log(60, 25)[: 100_000 if size < 1_000 else None]
    assert tuple(parse_stream((text[at : at + size] for at in range(0, len(text), size)), SMALL)) == parse(text)


def test_a_terminal_s_width_is_told_by_lines_far_below() -> None:
    """Three different lines of 80 characters tell of a terminal that broke them: the third stands in another block."""
    filled = [f"a.b.CError: the {what} is closed and so on".ljust(79, "x") + "d\n" for what in ("till", "door", "lamp")]
    text = "".join((*[filled[0]] * 48, filled[1], *[filled[0]] * 12, filled[2]))
    assert len(parse(text)) < 48, "the last ones are one message"
    blocks = [text[at : at + 997] for at in range(0, len(text), 997)]
    assert tuple(parse_stream(blocks, StreamLimits(block=4_000))) == parse(text)


@given(st.lists(st.sampled_from(["", "a", "失败", "\n", "java.io.IOException: x", "\tat a.B.c(B.java:1)"]), max_size=6))
def test_blocks_end_anywhere(blocks: list[str]) -> None:
    assert tuple(parse_stream(blocks)) == parse("".join(blocks))


def test_a_trace_larger_than_the_window_is_read_in_bounded_memory() -> None:
    def blocks() -> Iterator[str]:
        yield "java.io.IOException: x\n"
        for n in range(200):
            yield f"\tat com.acme.A.b(A.java:{n})\n" * 50

    held = [chain.span[1] - chain.span[0] for chain in parse_stream(blocks(), StreamLimits(block=20_000, held=60_000))]
    assert held
    assert max(held) < 120_000


DEADLOCK = """
Found one Java-level deadlock:
=============================
"a":
  waiting to lock monitor 0x00007f1 (object 0x000000011, a java.lang.Object),
  which is held by "b"
"b":
  waiting to lock monitor 0x00007f2 (object 0x000000012, a shop.Stock),
  which is held by "a"

Java stack information for the threads listed above:
===================================================
"a":
\tat shop.Shop.a(Shop.java:1)
\t- waiting to lock <0x000000011> (a java.lang.Object)
"b":
\tat shop.Shop.b(Shop.java:2)
\t- waiting to lock <0x000000012> (a shop.Stock)

Found 1 deadlock.
"""
THREAD = """"worker-{n}" #{n} prio=5 os_prio=0 tid=0x00007f{n:04} nid=0x{n:x} runnable [0x0001]
   java.lang.Thread.State: RUNNABLE
\tat shop.Shop.step{kind}(Shop.java:{kind})
\tat shop.Shop.main(Shop.java:119)

"""
# One read each, however many blocks it lies in: what is told of it is known only at its end
WHOLE = [
    ("threads-of-one-stack", "Full thread dump OpenJDK 64-Bit Server VM:\n\n" + "".join(THREAD.format(n=n, kind=n % 3) for n in range(300))),
    ("deadlock-below-the-threads", "".join(THREAD.format(n=n, kind=n) for n in range(200)) + DEADLOCK),
    ("three-panics", "".join(f"thread 'main' panicked at src/a.rs:{n}:1:\nboom {n}\nstack backtrace:\n" + "".join(f"   {i}: acme::step{i}\n             at ./src/a.rs:{i}:9\n" for i in range(400)) for n in range(3))),
    ("panics-up-to-an-abort", "".join(f"thread 'main' panicked at src/a.rs:{n}:1:\n{said}\nstack backtrace:\n" + "".join(f"   {i}: acme::step{i}\n             at ./src/a.rs:{i}:9\n" for i in range(400)) for n, said in enumerate(["boom", "boom", "panic in a destructor during cleanup"]))),
    ("breaks-of-old-machines", (TRACE * 300).format(n=7).replace("\n", "\r\n")),
    ("one-line-of-many", ("java.io.IOException: x at a.B.c(B.java:1) " * 2_000)),
]  # fmt: skip


@pytest.mark.parametrize("size", [997, 20_001])
@pytest.mark.parametrize("text", [row[1] for row in WHOLE], ids=[row[0] for row in WHOLE])
@pytest.mark.slow
def test_what_lies_in_several_blocks_is_read_as_one(text: str, size: int) -> None:
    text = LINE.format(n=1) * 100 + text + LINE.format(n=2) * 100
    assert tuple(parse_stream((text[at : at + size] for at in range(0, len(text), size)), SMALL)) == parse(text)


# What stands above a trace tells what it stands in, also where that was read with the block before
END = "   --- End of inner exception stack trace ---\n"
FAILED = "HandleFailure(Exception e, bool telemetryStarted, HttpResponseMessage response)\n"
WITHIN = f"   at void System.Net.Http.HttpClient.{FAILED}{END}"
LUA = "E5108: Error executing lua x.lua:3: boom\n"
ERROR, CAUSES, LAST = " > Error: x\r > \r", " > Caused by:\r >     0: y\r", " >     1: z (os error 2)\r"
ABOVE = [
    ("an-abort-between-ends", f"  at volient.{FAILED}{END}Aborted (core dumped)\n{END}{WITHIN}" + (END + WITHIN) * 3),
    ("quoted-lines", (
        f"> Error: x\r > Caused by:\r >     0  thrown in /app/a.php on line 12\r{LUA}{LAST} > \r{ERROR}{CAUSES}{LAST} > \r{ERROR}{CAUSES}{LUA}"
        f"{LAST} > \r{ERROR}{CAUSES}{LAST} > \r{CAUSES}{LAST} > \r{ERROR}{CAUSES}{LAST}{LUA} > \r > Error: x\r{LUA} > \r{CAUSES}{LAST}{LUA}"
         f" > \r > \r > \r{LUA} > \r > \r{LUA}" + f" > \r > \r > \r > \r{LUA} > \r{LUA}" * 2)),
]  # fmt: skip


@pytest.mark.parametrize("block", [300, 997, 4_000])
@pytest.mark.parametrize("text", [row[1] for row in ABOVE], ids=[row[0] for row in ABOVE])
def test_what_was_read_before_is_still_seen(text: str, block: int) -> None:
    pieces = (text[at : at + 97] for at in range(0, len(text), 97))
    assert tuple(parse_stream(pieces, StreamLimits(block=block))) == parse(text)


LONG = "a" * 100
NEAR_MISSES = f"> f @ {LONG}.js:12.js:12\n> f @ {LONG}.js:12\n"
PREFIXED = "till java.io.IOException: x\ntill \tat a.B.c(B.java:1)\ntill \tat a.B.d(B.java:2)\n"
# Of a trace behind a prefix that is guessed: its frames are read unless many guesses were weighed in vain right above it
WEIGHED = [("few", 10, 0, 2), ("many", 30, 0, 0), ("many-far-above", 60, 10_000, 2)]


@pytest.mark.parametrize("block", [300, 997, 4_000])
@pytest.mark.parametrize(("count", "between", "frames"), [row[1:] for row in WEIGHED], ids=[row[0] for row in WEIGHED])
def test_what_was_weighed_in_vain_is_remembered(count: int, between: int, frames: int, block: int) -> None:
    text = "ok\n" + NEAR_MISSES * count + "ok\n" * (between // 3) + PREFIXED
    (chain,) = parse(text)
    assert len(chain.exceptions[0].stack.frames) == frames
    pieces = (text[at : at + 97] for at in range(0, len(text), 97))
    assert tuple(parse_stream(pieces, StreamLimits(block=block, before=2_000))) == (chain,)


def test_what_is_asked_for_twice_is_weighed_twice() -> None:
    stream = TraceStream()
    text = "ok\n" + NEAR_MISSES * 10 + PREFIXED
    assert not list(stream.feed(text))
    assert [list(stream.rest()) for _ in range(3)] == [list(parse(text))] * 3


def test_traces_come_as_they_are_complete() -> None:
    given_out = []

    def blocks() -> Iterator[str]:
        for n in range(4):
            given_out.append(n)
            yield TRACE.format(n=n) + LINE.format(n=n) * 60_000

    first = next(parse_stream(blocks()))
    assert first.exceptions[0].message == "0"
    assert given_out == [0]


@pytest.mark.parametrize("end", ["", "and that was all\n"])
@pytest.mark.parametrize("dress", ["    ", "> ", "\u3000"])
def test_a_text_of_several_blocks_that_is_indented_is_read_as_a_whole(dress: str, end: str) -> None:
    one = "java.io.IOException: page {0} of the ledger could not be read\nsince it is locked\n\tat com.acme.Store.read(Store.java:{0})\n\tat com.acme.Main.run(Main.java:3)\n"
    text = "".join(dress + line for at in range(60) for line in one.format(at).splitlines(keepends=True)) + end
    blocks = [text[at : at + 997] for at in range(0, len(text), 997)]
    assert len(parse(text)) == 60
    assert tuple(parse_stream(blocks, StreamLimits(block=4_000))) == parse(text)


def test_a_mark_of_encoding_in_the_middle_is_read_as_in_the_whole_text() -> None:
    text = "\ufeffok\n" + "\ufeff" + "\ufeff".join(PYTHON.format(n=n) for n in range(200))
    blocks = [text[at : at + 997] for at in range(0, len(text), 997)]
    assert tuple(parse_stream(blocks, StreamLimits(block=1_000))) == parse(text)
