"""The JVM: how exceptions hang together, and which frames are restored."""

import pytest

from kb.trace import ExceptionChain, Relation
from tests.kb.trace.reading import only


def shape(chain: ExceptionChain) -> list[tuple[str | None, str | None, str | None, int | None, list[str | None]]]:
    return [(e.type, e.message, e.relation, e.parent, [f.function for f in e.stack.frames]) for e in chain.exceptions]


def test_causes_and_restored_frames() -> None:
    chain = only(
        "a.Outer: o\n\tat a.A.x(A.java:1)\n\tat a.M.main(M.java:2)\n"
        "Caused by: a.Middle: m\n\tat a.B.y(B.java:3)\n\t... 2 more\n"
        "Caused by: a.Inner: i\n\tat a.C.z(C.java:4)\n\t... 3 more\n"
    )
    assert shape(chain) == [
        ("a.Outer", "o", None, None, ["x", "main"]),
        ("a.Middle", "m", Relation.CAUSE, 0, ["y", "x", "main"]),
        ("a.Inner", "i", Relation.CAUSE, 1, ["z", "y", "x", "main"]),
    ]
    assert [e.elided for e in chain.exceptions] == [0, 2, 3]
    assert chain.root.type == "a.Inner"


def test_only_as_many_frames_are_restored_as_were_elided() -> None:
    chain = only(
        "a.E: o\n\tat a.A.x(A.java:1)\n\tat a.M.main(M.java:2)\nCaused by: a.I: i\n\tat a.B.y(B.java:3)\n\t... 1 more"
    )
    assert [f.function for f in chain.root.stack.frames] == ["y", "main"]


def test_nothing_is_restored_from_a_shorter_trace() -> None:
    chain = only("a.E: o\n\tat a.A.x(A.java:1)\n\t...\nCaused by: a.I: i\n\tat a.B.y(B.java:3)\n\t... 9 more")
    assert [f.function for f in chain.root.stack.frames] == ["y"]
    assert chain.root.elided == 9
    assert chain.notes == ("frames of a.E were left out by the author",)


@pytest.mark.parametrize("words", ["... 1 more", "... 1 common frames omitted", "...1 more", "… 1 more"])
def test_wordings_of_elided_frames(words: str) -> None:
    chain = only(
        f"a.E: o\n\tat a.A.x(A.java:1)\n\tat a.M.main(M.java:2)\nCaused by: a.I: i\n\tat a.B.y(B.java:3)\n\t{words}"
    )
    assert [f.function for f in chain.root.stack.frames] == ["y", "main"]


def test_truncated_frames_are_not_restored() -> None:
    chain = only("a.E: o\n\tat a.A.x(A.java:1)\nCaused by: a.I: i\n\tat a.B.y(B.java:3)\n\t... 1 frames truncated")
    assert [f.function for f in chain.root.stack.frames] == ["y"]
    assert chain.notes == ("1 frames of a.I were cut off by the logger and cannot be restored",)


def test_suppressed_and_its_cause_hang_on_what_they_belong_to() -> None:
    chain = only(
        "java.lang.Exception: outer\n\tat T.main(T.java:15)\n"
        "\tSuppressed: java.lang.Error: supp\n\t\tat T.close(T.java:3)\n\t\t... 1 more\n"
        "\tCaused by: java.io.IOException: of supp\n\t\t... 2 more\n"
        "Caused by: java.lang.RuntimeException: inner\n\tat T.f(T.java:9)\n\t... 1 more\n"
    )
    assert [(e.type, e.relation, e.parent) for e in chain.exceptions] == [
        ("java.lang.Exception", None, None),
        ("java.lang.Error", Relation.SUPPRESSED, 0),
        ("java.io.IOException", Relation.CAUSE, 1),
        ("java.lang.RuntimeException", Relation.CAUSE, 0),
    ]
    assert chain.root.type == "java.lang.RuntimeException"
    assert [f.function for f in chain.exceptions[2].stack.frames] == ["close", "main"]


def test_two_suppressed_exceptions_hang_on_the_same_one() -> None:
    chain = only(
        "a.E: o\n\tat a.A.x(A.java:1)\n\tSuppressed: a.S: 1\n\t\tat a.S.c(S.java:1)\n\tSuppressed: a.T: 2\n\t\tat a.T.c(T.java:1)\n"
    )
    assert [(e.type, e.relation, e.parent) for e in chain.exceptions[1:]] == [
        ("a.S", Relation.SUPPRESSED, 0),
        ("a.T", Relation.SUPPRESSED, 0),
    ]


def test_suppressed_without_indentation_leaves_the_cause_to_the_main_exception() -> None:
    chain = only(
        "a.E: o\nat a.A.x(A.java:1)\nSuppressed: a.S: s\nat a.A.c(A.java:2)\nCaused by: a.I: i\nat a.B.y(B.java:3)\n"
    )
    assert [(e.type, e.relation, e.parent) for e in chain.exceptions[1:]] == [
        ("a.S", Relation.SUPPRESSED, 0),
        ("a.I", Relation.CAUSE, 0),
    ]


def test_circular_reference_is_a_note() -> None:
    chain = only(
        "a.E: e\n\tat T.m(T.java:1)\nCaused by: a.I: c\n\t... 1 more\nCaused by: [CIRCULAR REFERENCE: a.E: e]\n"
    )
    assert [e.type for e in chain.exceptions] == ["a.E", "a.I"]
    assert chain.notes == ("circular reference: Caused by: [CIRCULAR REFERENCE: a.E: e]",)


def test_root_first_is_turned_round() -> None:
    chain = only(
        "a.I: i\n\tat a.B.y(B.java:3)\n\t... 1 common frames omitted\nWrapped by: a.E: e\n\tat a.A.x(A.java:1)\n\tat a.M.main(M.java:2)\n"
    )
    assert shape(chain) == [
        ("a.E", "e", None, None, ["x", "main"]),
        ("a.I", "i", Relation.CAUSE, 0, ["y", "main"]),
    ]


def test_a_cause_printed_behind_a_wrapper_hangs_where_its_indentation_says() -> None:
    chain = only(
        "o.InnerException\n\tWrapped by: g.OuterException: l\nCaused by: a.DeepException: n\n\tat a.B.y(B.java:3)\n"
    )
    assert [(e.type, e.parent) for e in chain.exceptions] == [
        ("g.OuterException", None),
        ("o.InnerException", 0),
        ("a.DeepException", 1),
    ]


def test_multi_line_message() -> None:
    chain = only("java.io.IOException: first\n  second\n\nthird: x\n\tat a.B.y(B.java:3)\n")
    assert chain.exceptions[0].message == "first\n  second\n\nthird: x"


def test_serialization_stack_is_part_of_the_message_of_a_cause() -> None:
    chain = only(
        "a.E: o\n\tat a.A.x(A.java:1)\nCaused by: java.io.NotSerializableException: a.Job\n"
        "Serialization stack:\n\t- object not serializable (class: a.Job, value: a.Job@1a2b)\n\tat a.B.y(B.java:3)\n"
    )
    assert (
        chain.root.message
        == "a.Job\nSerialization stack:\n\t- object not serializable (class: a.Job, value: a.Job@1a2b)"
    )
    assert [f.function for f in chain.root.stack.frames] == ["y"]


def test_spring_nested_text_becomes_the_cause_where_no_cause_follows() -> None:
    chain = only(
        "a.BeanException: no bean; nested exception is a.MidException: m; nested exception is java.io.IOException: x\n\tat a.B.y(B.java:3)"
    )
    assert [(e.type, e.message) for e in chain.exceptions] == [
        ("a.BeanException", "no bean"),
        ("a.MidException", "m"),
        ("java.io.IOException", "x"),
    ]
    assert chain.root.type == "java.io.IOException"


def test_causes_that_messages_repeat_are_read_eight_deep() -> None:
    heads = [f"a.{letter}Exception: " for letter in "ABCDEFGHIJKL"]
    few, many = only("".join(heads[:3]) + "gone\n\tat a.B.y(B.java:3)\n"), only("".join(heads) + "gone\n")
    assert shape(few) == [
        ("a.AException", "a.BException: a.CException: gone", None, None, ["y"]),
        ("a.BException", "a.CException: gone", Relation.CAUSE, 0, ["y"]),
        ("a.CException", "gone", Relation.CAUSE, 1, ["y"]),
    ]
    assert [e.type for e in many.exceptions] == [f"a.{letter}Exception" for letter in "ABCDEFGHI"]
    assert many.root.message == "a.JException: a.KException: a.LException: gone"


def test_spark_driver_quotes_the_executor() -> None:
    lost = "a.SparkException: aborted: Lost task 3.3 in stage 12.0 (TID 57, h, executor 2): java.lang.OutOfMemoryError: heap"
    text = f"{lost}\n\tat a.B.y(B.java:3)\n\nDriver stacktrace:\n\tat a.D.run(D.scala:2)\n"
    chain = only(text)
    again = only(text + "Caused by: java.lang.OutOfMemoryError: heap\n\tat a.B.y(B.java:3)\n")
    expected = [
        ("a.SparkException", "aborted: Lost task 3.3 in stage 12.0 (TID 57, h, executor 2)", None, None, ["run"]),
        ("java.lang.OutOfMemoryError", "heap", Relation.CAUSE, 0, ["y"]),
    ]
    assert shape(chain) == expected
    assert shape(again) == expected
