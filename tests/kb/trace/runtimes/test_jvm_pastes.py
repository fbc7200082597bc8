"""The JVM: traces cut, broken, joined, prefixed and several to a paste."""

import pytest

from kb.trace import ExceptionChain, Relation, parse
from tests.kb.trace.reading import only


def shape(chain: ExceptionChain) -> list[tuple[str | None, str | None, str | None, int | None, list[str | None]]]:
    return [(e.type, e.message, e.relation, e.parent, [f.function for f in e.stack.frames]) for e in chain.exceptions]


@pytest.mark.parametrize(
    ("text", "types"),
    [
        ("Caused by: a.I: i\n\tat a.B.y(B.java:3)\n\t... 2 more", ["a.I"]),
        ("\tat a.B.y(B.java:3)\n\tat a.B.z(B.java:4)", [None]),
        ("\tat a.B.y(B.java:3)\nCaused by: a.I: i\n\tat a.C.z(C.java:4)", [None, "a.I"]),
    ],
    ids=["caused-by", "frames", "frames-then-cause"],
)
def test_a_paste_that_begins_in_the_middle(text: str, types: list[str | None]) -> None:
    chain = only(text)
    assert chain.head_truncated
    assert [e.type for e in chain.exceptions] == types


def test_several_traces_and_their_spans() -> None:
    first = "java.io.IOException: a\n\tat a.B.y(B.java:3)"
    second = "java.lang.IllegalStateException\n\tat a.C.z(C.java:4)"
    text = f"before\n{first}\n\nbetween\n{second}\nafter"
    chains = parse(text)
    assert [text[slice(*c.span)] for c in chains] == [first, second]


def test_blank_lines_and_an_authors_dots_do_not_end_a_trace() -> None:
    chain = only(
        "a.b.E: o\n\n\tat a.A.x(A.java:1)\n\n\tat a.A.y(A.java:1)\n...\n\nCaused by: a.I: i\n\tat a.B.z(B.java:3)\n"
    )
    assert [[f.function for f in e.stack.frames] for e in chain.exceptions] == [["x", "y"], ["z"]]


def test_a_frame_broken_in_two_lines() -> None:
    chain = only("a.b.E: o\n\tat a.A.x(A.ja\nva:17)\n\tat a.A.y(A.java:1)\n")
    assert [(f.function, f.lineno) for f in chain.exceptions[0].stack.frames] == [("x", 17), ("y", 1)]


def test_frames_without_at_behind_a_head() -> None:
    chain = only(
        'Exception in thread "main" a.SparkException: x\norg.s.K$$anonfun$1.apply(K.scala:3)\norg.s.K.run(K.scala:4)\n'
    )
    assert [f.function for f in chain.exceptions[0].stack.frames] == ["apply", "run"]


def test_one_line_of_joined_frames() -> None:
    chain = only(
        "java.lang.RuntimeException: m at a.B.y(B.java:3) at a.C.&lt;init&gt;(C.java:4) Caused by: a.I: i at d.E.f(E.java:3) ... 2 more"
    )
    assert [[f.function for f in e.stack.frames] for e in chain.exceptions] == [["y", "<init>"], ["f", "y", "<init>"]]


@pytest.mark.parametrize(
    "prefix",
    ["> ", "web-1  | ", "2024-05-01 10:00:00,123 ERROR [main] c.a.X - ", "E/AndroidRuntime( 1234): ", "[ERROR] ", "  "],
    ids=["quote", "container", "logger", "logcat", "maven", "indented"],
)
def test_a_prefix_on_every_line(prefix: str) -> None:
    lines = [
        "java.io.IOException: o",
        "\tat a.A.x(A.java:1)",
        "Caused by: a.I: i",
        "\tat a.B.y(B.java:3)",
        "\t... 1 more",
    ]
    chain = only("\n".join(prefix + line for line in lines))
    assert shape(chain) == [
        ("java.io.IOException", "o", None, None, ["x"]),
        ("a.I", "i", Relation.CAUSE, 0, ["y", "x"]),
    ]


@pytest.mark.parametrize("breaks", ["\r\n", "\r", "\n"], ids=["crlf", "cr", "lf"])
def test_line_breaks(breaks: str) -> None:
    chain = only(
        breaks.join(["java.io.IOException: o", "\tat a.A.x(A.java:1)", "Caused by: a.I: i", "\tat a.B.y(B.java:3)"])
    )
    assert [(e.type, e.message) for e in chain.exceptions] == [("java.io.IOException", "o"), ("a.I", "i")]


def test_a_crash_of_the_jvm_itself() -> None:
    chain = only(
        "# A fatal error has been detected by the Java Runtime Environment:\n#\n"
        "#  SIGSEGV (0xb) at pc=0x00007f12ab34cd56, pid=4242, tid=4250\n#\n"
        "# Problematic frame:\n# C  [libfoo.so+0x1234]  bar+0x10\n#\n"
    )
    frame = chain.exceptions[0].stack.frames[0]
    assert (chain.exceptions[0].type, frame.module, frame.function) == ("SIGSEGV", "libfoo.so", "bar")
