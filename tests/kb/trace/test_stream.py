"""A stream of blocks gives what the whole text gives."""

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.trace import parse, parse_stream, stream

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


@pytest.fixture
def small_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks so small that a text of a test has many."""
    monkeypatch.setattr(stream, "_BLOCK", 20_000)
    monkeypatch.setattr(stream, "_LAST", 6_000)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("size", [1, 7, 1_000, 19_999, 50_000])
def test_a_stream_gives_what_the_whole_text_gives(size: int) -> None:
    text = log(60, 25)[: 100_000 if size < 1_000 else None]
    assert tuple(parse_stream(text[at : at + size] for at in range(0, len(text), size))) == parse(text)


@given(st.lists(st.sampled_from(["", "a", "失败", "\n", "java.io.IOException: x", "\tat a.B.c(B.java:1)"]), max_size=6))
def test_blocks_end_anywhere(blocks: list[str]) -> None:
    assert tuple(parse_stream(blocks)) == parse("".join(blocks))


@pytest.mark.usefixtures("small_blocks")
def test_a_trace_larger_than_what_is_held_is_given_and_the_memory_stays_bounded(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(stream, "_MOST_HELD", 60_000)
    def blocks() -> Iterator[str]:
        yield "java.io.IOException: x\n"
        for n in range(200):
            yield f"\tat com.acme.A.b(A.java:{n})\n" * 50

    held = [chain.span[1] - chain.span[0] for chain in parse_stream(blocks())]
    assert held
    assert max(held) < 120_000


def test_traces_come_as_they_are_complete() -> None:
    given_out = []

    def blocks() -> Iterator[str]:
        for n in range(4):
            given_out.append(n)
            yield TRACE.format(n=n) + LINE.format(n=n) * 60_000

    first = next(parse_stream(blocks()))
    assert first.exceptions[0].message == "0"
    assert given_out == [0]
