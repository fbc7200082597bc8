"""Traces of a log as they appear: each once, complete, in bounded memory, whatever the log is made of."""

import itertools
import json
import tracemalloc
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from api.watching.logs import Decoder
from api.watching.traces import LogTrace, TraceFinder, excerpts
from kb.trace import ExceptionChain, Level, TraceStream, fingerprints, parse
from kb.trace.stream import StreamLimits
from tests.api.knowledge import DISK_TRACE, HDFS_TRACE, HIVE_TRACE, KAFKA_TRACE, PYTHON_TRACE, UNKNOWN_TRACE

LINE = "2026-03-01 10:00:07,{n:03} INFO  org.example.Service - request {n} took 12 ms 成功\n"
TRACES = (HDFS_TRACE, KAFKA_TRACE, DISK_TRACE, PYTHON_TRACE, HIVE_TRACE, UNKNOWN_TRACE)


def quiet_lines(count: int) -> str:
    return "".join(LINE.format(n=n % 1000) for n in range(count))


def digest(trace: str) -> str:
    return fingerprints(parse(trace)[0])[Level.EXACT].digest


def found_in(pieces: list[str], *, quiet: bool = False) -> list[LogTrace]:
    finder = TraceFinder("app.log")
    found = []
    for piece in pieces:
        found += finder.take(piece) + finder.look()
        if quiet:
            found += finder.quiet()
    return found + finder.quiet()


LOG = "".join(quiet_lines(n) + trace for n, trace in enumerate(TRACES, 3))


@given(st.lists(st.integers(1, LOG.count("\n") - 1), max_size=8), st.booleans())
def test_however_it_comes_each_trace_is_found_once(cuts: list[int], quiet: bool) -> None:  # noqa: FBT001
    """In whole lines, with or without quiet moments between them."""
    lines = LOG.splitlines(keepends=True)
    places = [0, *sorted(cuts), len(lines)]
    pieces = ["".join(lines[begin:end]) for begin, end in itertools.pairwise(places)]
    found = found_in(pieces, quiet=quiet)
    assert [one.digest for one in last_of_each(found)] == [digest(trace) for trace in TRACES]


def last_of_each(found: list[LogTrace]) -> list[LogTrace]:
    """Of a trace that went on after a quiet moment, the last that was given."""
    kept: list[LogTrace] = []
    for one in found:
        at = next((at for at, other in enumerate(kept) if other.digest == one.instead_of), None)
        if at is None:
            kept.append(one)
        else:
            kept[at] = one
    return kept


def test_a_trace_whose_lines_come_slowly_is_told_to_go_on() -> None:
    finder, found = TraceFinder("app.log"), []
    for line in KAFKA_TRACE.splitlines(keepends=True):
        found += finder.take(line) + finder.quiet()
    for one, other in itertools.pairwise(found):
        assert other.instead_of == one.digest
    assert found[-1].digest == digest(KAFKA_TRACE)
    assert finder.take(quiet_lines(3)) + finder.quiet() == []


def test_a_line_without_an_end_is_seen_after_a_quiet_moment() -> None:
    finder, (*lines, last) = TraceFinder("x"), KAFKA_TRACE.rstrip("\n").split("\n")
    assert finder.take("\n".join(lines) + "\n") + finder.look() == []
    (one,) = finder.quiet(last)
    assert one.digest == digest(KAFKA_TRACE)
    assert finder.take(last + "\n") + finder.quiet() == []


@pytest.mark.parametrize(
    "dressed",
    [
        pytest.param(lambda line: line, id="plain"),
        pytest.param(lambda line: f"2026-03-01T10:00:07.123456789Z stderr F {line}", id="a container of Kubernetes"),
        pytest.param(
            lambda line: json.dumps({"log": f"{line}\n", "stream": "stderr", "time": "2026-03-01T10:00:07.1Z"}),
            id="Docker's JSON",
        ),
        pytest.param(lambda line: f"api-1  | {line}", id="compose"),
        pytest.param(lambda line: f"\x1b[31m{line}\x1b[0m", id="colours"),
        pytest.param(lambda line: f"{line}\r", id="CRLF"),
        pytest.param(lambda line: f"Mar  1 10:00:07 host app[77]: {line}", id="syslog"),
    ],
)
def test_whatever_its_lines_stand_in(dressed: object) -> None:
    text = "".join(f"{dressed(line)}\n" for line in KAFKA_TRACE.splitlines())  # type: ignore[operator]
    (one,) = found_in([quiet_lines(3), text, quiet_lines(3)])
    assert one.digest == digest(KAFKA_TRACE)
    assert [fingerprints(chain)[Level.EXACT].digest for chain in parse(one.text)] == [one.digest]


def test_a_record_of_json_is_asked_about_whole() -> None:
    record = json.dumps({"level": "error", "message": "cannot commit", "stack_trace": KAFKA_TRACE})
    (one,) = found_in([f'{{"level": "info", "message": "ok"}}\n{record}\n'])
    assert one.text == f"{record}\n"
    assert one.digest == digest(KAFKA_TRACE)


def test_threads_that_write_in_turns_are_asked_about_apart() -> None:
    ours, theirs = KAFKA_TRACE.splitlines(), UNKNOWN_TRACE.splitlines()
    theirs += [f"\tat com.acme.billing.Loop.turn{n}(Loop.java:{n})" for n in range(len(ours) - len(theirs))]
    mixed = "".join(
        f"2026-03-01T10:00:07.123Z [worker-1] {a}\n2026-03-01T10:00:07.123Z [worker-2] {b}\n"
        for a, b in zip(ours, theirs, strict=True)
    )
    one, other = sorted(found_in([mixed]), key=lambda found: "kafka" not in found.text)
    assert one.digest == digest(KAFKA_TRACE)
    assert "InvoicePrinter" not in one.text
    assert "KafkaConsumer" not in other.text
    assert other.place is not None
    assert "InvoicePrinter.footer" in other.place


def test_a_dump_of_threads_is_one_question() -> None:
    thread = '"pool-{n}" #2{n} prio=5 os_prio=0 tid=0x00007f{n} nid=0x1{n} waiting on condition\n   java.lang.Thread.State: WAITING (parking)\n\tat sun.misc.Unsafe.park(Native Method)\n\tat com.acme.Queue{n}.take(Queue.java:{n})\n\n'
    dump = "2026-03-01 10:00:00\nFull thread dump OpenJDK 64-Bit Server VM (17.0.1 mixed mode):\n\n" + "".join(
        thread.format(n=n) for n in range(1, 9)
    )
    assert len(parse(dump)) > 3
    assert len(found_in([quiet_lines(2), dump, quiet_lines(2)])) == 1


def test_a_traceback_inside_a_message_goes_with_the_outer_one() -> None:
    text = (
        "org.apache.spark.SparkException: Job aborted: Traceback (most recent call last):\n"
        '  File "/srv/a.py", line 3, in f\n    x()\nValueError: bad\n\n'
        "\tat org.apache.spark.A.b(A.scala:3)\n\tat org.apache.spark.A.c(A.scala:4)\n"
    )
    assert len(parse(text)) == 2
    (one,) = excerpts(parse(text), text, 0)
    assert one.text == text


def test_secrets_do_not_leave() -> None:
    (one,) = found_in([KAFKA_TRACE.replace("Commit cannot", "password=hunter2hunter2 Commit cannot")])
    assert "hunter2" not in one.text
    assert "hunter2" not in (one.place or "")


@pytest.mark.parametrize(
    "piece",
    [
        pytest.param("x" * 8_192, id="no line ever ends"),
        pytest.param("\tat a.b.C.d(C.java:1)\n" * 300, id="a trace without end"),
        pytest.param("java.lang.Error: " + "x" * 8_000 + "\n", id="nothing but long messages"),
        pytest.param("Caused by: a.b.C: x\n\tat a.b.C.d(C.java:1)\n" * 150, id="causes without end"),
        pytest.param("\x1b[0m\x00\u202e" * 1_000 + "\n", id="nothing that is seen"),
    ],
)
@pytest.mark.slow
def test_memory_is_bounded(piece: str) -> None:
    limits = StreamLimits(before=16 << 10, held=128 << 10)
    finder = TraceFinder("x", TraceStream(limits), small=16 << 10)
    finder.take(piece)
    tracemalloc.start()
    try:
        for _ in range(100):
            finder.take(piece)
            finder.look()
        assert tracemalloc.get_traced_memory()[1] < 6 << 20
    finally:
        tracemalloc.stop()


def test_what_is_open_is_not_read_again_for_every_line() -> None:
    """Pieces of a text that is read again anyway wait until they are as long."""
    fed: list[int] = []

    class Noting(TraceStream):
        def feed(self, text: str) -> Iterator[ExceptionChain]:
            fed.append(self.unread + len(text))
            return super().feed(text)

    finder = TraceFinder("x", Noting())
    size = 0
    for _ in range(400):
        finder.take("x" * 5_000)
        finder.look()
        size += 5_000
    assert sum(fed) < 5 * size


class TestDecoding:
    """Bytes in, whole lines out."""

    @pytest.mark.parametrize(
        "encoding", ["utf-8", "utf-8-sig", "gb18030", "utf-16", "utf-16-le", "utf-16-be", "utf-32"]
    )
    @pytest.mark.parametrize("size", [1, 7, 1000])
    def test_lines_in_any_encoding_are_decoded_whole(self, encoding: str, size: int) -> None:
        text = "错误：提交位移失败，消费组已经发生再均衡\nerror: cannot commit the offsets of the group\n" * 3
        data = text.encode(encoding)
        decoder = Decoder(data[:2_000])
        parts = [decoder.lines(data[at : at + size]) for at in range(0, len(data), size)]
        assert all(part.endswith("\n") for part in parts if part)
        assert "".join(parts).removeprefix("\ufeff") == text

    def test_what_a_writer_leaves_of_an_emptied_file(self) -> None:
        """A file that was emptied under a writer who goes on where it was: zeros, then lines."""
        decoder = Decoder(b"\0" * 2_000)
        assert decoder.lines(b"\0" * 70_000) == ""
        assert decoder.lines(b"\0\0boom\nhalf") == "boom\n"
        assert decoder.unfinished == "half"

    def test_what_is_no_text_is_passed_over(self) -> None:
        decoder, garbage = Decoder(b"\x7fELF"), bytes(range(128, 256)) * 40 + b"\x01\x02\x03" * 500
        assert decoder.lines(garbage + b"\n") == "\n"
        assert not decoder.is_text
        assert (
            decoder.lines(garbage + b"\nboom\n\tat a.b(C.java:1)\n" + garbage + b"\n")
            == "\nboom\n\tat a.b(C.java:1)\n\n"
        )
        assert not decoder.is_text
        assert decoder.lines(b"text again\n") == "text again\n"
        assert decoder.is_text

    def test_a_line_without_end_is_cut(self) -> None:
        decoder = Decoder(b"x", longest=10)
        assert decoder.lines(b"x" * 10) == ""
        assert decoder.lines(b"y") == "x" * 10 + "y"
