"""JVM traces in the shapes in which they are pasted: which exceptions, how they hang together, which frames."""

import pytest

from kb.trace import ExceptionChain, Relation, parse


def only(text: str) -> ExceptionChain:
    (chain,) = parse(text)
    return chain


def shape(chain: ExceptionChain) -> list[tuple[str | None, str | None, str | None, int | None, list[str | None]]]:
    return [(e.type, e.message, e.relation, e.parent, [f.function for f in e.stack.frames]) for e in chain.exceptions]


# (id, head line, type, message, wrapped type)
HEADS = [
    ("bare", "java.lang.NullPointerException", "java.lang.NullPointerException", None, None),
    ("message", "java.io.IOException: Broken pipe", "java.io.IOException", "Broken pipe", None),
    ("full-width-colon", "java.io.IOException：断开", "java.io.IOException", "断开", None),
    ("thread", 'Exception in thread "main" java.io.IOException: x', "java.io.IOException", "x", None),
    ("thread-with-colon", 'Exception in thread "Worker: 20" java.io.IOException: x', "java.io.IOException", "x", None),
    ("label", "Error: java.io.IOException: x", "java.io.IOException", "x", None),
    ("label-unlike-an-exception", "DataXceiver: java.io.IOException: x", "java.io.IOException", "x", None),
    ("label-and-text", "FAILED: Error in metadata: MetaException(message:a.b.StoreException: x", "a.b.StoreException", "x", None),
    ("label-unqualified", "SEVERE: GSSException: x", "GSSException", "x", None),
    ("label-alone", "Error: a.b.Thing is missing", "Error", "a.b.Thing is missing", None),
    ("jndi", "javax.naming.NamingException [Root exception is a.b.E: x]", "javax.naming.NamingException", "[Root exception is a.b.E: x]", None),
    ("quoted", "why is there `java.io.IOException: x`?", "java.io.IOException", "x", None),
    ("quoted-with-thread", 'what is `Exception in thread "main" java.lang.NoSuchFieldError: INSTANCE`?', "java.lang.NoSuchFieldError", "INSTANCE", None),
    ("quoted-zh", "报错“java.io.IOException: 断开”怎么办", "java.io.IOException", "断开", None),
    ("quotes-in-the-message", "java.io.IOException: no `x` in “y”", "java.io.IOException", "no `x` in “y”", None),
    ("unlike-an-exception", "com.acme.Oops: x", "com.acme.Oops", "x", None),
    ("unqualified", "NullPointerException: x", "NullPointerException", "x", None),
    ("log-prefix", "2024-05-01 10:00:00,123 ERROR [main] c.a.X - java.io.IOException: x", "java.io.IOException", "x", None),
    ("behind-text", "2024-05-01 10:00:00,123 ERROR X - job 7 failed java.io.IOException: x", "java.io.IOException", "x", None),
    ("glued-to-text", "任务失败java.io.IOException: x", "java.io.IOException", "x", None),
    ("message-quotes-another", "java.io.IOException: java.net.ConnectException: x", "java.io.IOException", "java.net.ConnectException: x", None),
    ("remote", "org.x.RemoteException(org.x.LeaseException): No lease", "org.x.RemoteException", "No lease", "org.x.LeaseException"),
    ("braces", "AsynchronousException{java.lang.Exception: x 7.}", "AsynchronousException", "java.lang.Exception: x 7.", "java.lang.Exception"),
    ("serialized", "org.x.SerializedThrowable: java.io.IOException: x", "org.x.SerializedThrowable", "x", "java.io.IOException"),
    ("thrift", "MetaException(message:Version information not found)", "MetaException", "Version information not found", None),
    ("exit-code", "Stack trace: ExitCodeException exitCode=127: ", "ExitCodeException", "exitCode=127", None),
    ("stack-hash", "<#6c5a9f1d> java.lang.RuntimeException: m", "java.lang.RuntimeException", "m", None),
    ("module", "java.base/java.lang.IllegalStateException: m", "java.lang.IllegalStateException", "m", None),
    ("scala-inner", "a.Job$Failed: m", "a.Job$Failed", "m", None),
]  # fmt: skip


@pytest.mark.parametrize(("line", "name", "message", "wrapped"), [h[1:] for h in HEADS], ids=[h[0] for h in HEADS])
def test_head(line: str, name: str, message: str | None, wrapped: str | None) -> None:
    chain = only(f"{line}\n\tat a.B.y(B.java:3)\n")
    exception = chain.exceptions[0]
    assert (exception.type, exception.message, exception.wrapped_type) == (name, message, wrapped)
    assert not chain.head_truncated


REPORT = (
    "### Error querying database.  Cause: java.sql.SQLException: denied\n### The error may exist in mapper/A.xml\n"
    "### SQL: select 1\n### Cause: java.sql.SQLException: denied\n"
)
FRAMES = "\tat org.apache.ibatis.X.y(X.java:2)\n\tat a.B.y(B.java:1)\n"
CAUSE = "Caused by: java.sql.SQLException: denied\n\tat c.D.e(D.java:3)\n"
# (id, text, types with their number of frames)
REPORTS = [
    ("whole", f"org.a.PersistenceException: \n{REPORT}{FRAMES}{CAUSE}", [("org.a.PersistenceException", 2), ("java.sql.SQLException", 1)]),
    ("in-a-cause", f"a.b.SystemException: nested\n{FRAMES}Caused by: org.a.PersistenceException: \n{REPORT}{FRAMES}{CAUSE}", [("a.b.SystemException", 2), ("org.a.PersistenceException", 2), ("java.sql.SQLException", 1)]),
    ("spring", f"a.b.DuplicateKeyException: \n{REPORT}; Duplicate entry; nested exception is java.sql.SQLException: denied\n{FRAMES}{CAUSE}", [("a.b.DuplicateKeyException", 2), ("java.sql.SQLException", 1)]),
    ("cause-not-printed", f"a.b.DuplicateKeyException: \n{REPORT}; Duplicate entry; nested exception is java.sql.SQLException: denied\n{FRAMES}", [("a.b.DuplicateKeyException", 2), ("java.sql.SQLException", 0)]),
    ("head-cut-off", f"### Cause: java.sql.SQLException: denied\n{FRAMES}{CAUSE}", [(None, 2), ("java.sql.SQLException", 1)]),
    ("no-frames", "### Cause: java.sql.SQLException: denied\n", [("java.sql.SQLException", 0)]),
]  # fmt: skip


@pytest.mark.parametrize(("text", "expected"), [r[1:] for r in REPORTS], ids=[r[0] for r in REPORTS])
def test_what_mybatis_reports_is_a_message(text: str, expected: list[tuple[str | None, int]]) -> None:
    assert [(e.type, len(e.stack.frames)) for e in only(text).exceptions] == expected


@pytest.mark.parametrize("prefix", ["", "2020-11-24T02:59:05.557120478Z "], ids=["bare", "docker"])
def test_a_json_list_of_frames_one_on_each_line(prefix: str) -> None:
    lines = ['"stacktrace": ["a.b.StartupException: [es][x]",', '"Caused by: a.b.Inner: too large",', '"at a.b.C.d(C.java:3) ~[e-7.6.jar:7.6]",', '"at a.b.C.e(C.java:4) [?:?]"] }']  # fmt: skip
    chain = only("".join(f"{prefix}{line}\n" for line in lines))
    assert [(e.type, e.message, len(e.stack.frames)) for e in chain.exceptions] == [
        ("a.b.StartupException", "[es][x]", 0),
        ("a.b.Inner", "too large", 2),
    ]


# (id, line above the frames, type, message)
ABOVE_FRAMES = [
    ("elasticsearch", "MapperParsingException[analyzer [ik] not found for field [msg]]", "MapperParsingException", "analyzer [ik] not found for field [msg]"),
    ("elasticsearch-nested", "[2017-07-06 15:25:49,511][WARN ][cluster] failed: IndexException[x]; nested: InnerException[y];", "IndexException", "x]; nested: InnerException[y"),
    ("words-in-brackets", "Job failed with exception 'a.b.AccessException(Permission denied: user=x)'", "a.b.AccessException", "Permission denied: user=x)'"),
    ("several-in-one", "org.m.MultiException[java.net.BindException: in use, java.io.IOException: y]", "org.m.MultiException", "java.net.BindException: in use, java.io.IOException: y"),
    ("array", "Things[3]", None, None),
]  # fmt: skip


@pytest.mark.parametrize(("line", "name", "message"), [r[1:] for r in ABOVE_FRAMES], ids=[r[0] for r in ABOVE_FRAMES])
def test_a_head_only_above_frames(line: str, name: str | None, message: str | None) -> None:
    root = only(f"{line}\n\tat a.B.y(B.java:1)\n\tat a.B.z(B.java:2)\n").exceptions[0]
    assert (root.type, root.message if name else None, len(root.stack.frames)) == (name, message, 2)


def test_what_several_in_one_wraps() -> None:
    root = only("org.m.MultiException[java.net.BindException: in use]\n\tat a.B.y(B.java:1)\n").exceptions[0]
    assert root.wrapped_type == "java.net.BindException"


def test_a_cause_on_the_line_below_its_words() -> None:
    chain = only("a.b.E: m\n\tat a.A.x(A.java:1)\nCaused by:\njava.io.IOException: i\n\tat a.B.y(B.java:2)\n")
    assert [(e.type, e.message) for e in chain.exceptions] == [("a.b.E", "m"), ("java.io.IOException", "i")]


def test_a_frame_without_a_place_in_the_middle() -> None:
    chain = only("a.b.E: m\n\tat a.A.x(A.java:1)\n\tat org.script.gen.c27.call()\n\tat a.B.y(B.java:2)\n")
    assert [f.function for f in chain.exceptions[0].stack.frames] == ["x", "call", "y"]


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


def test_a_frameless_null_pointer_is_explained() -> None:
    chain = only("java.lang.NullPointerException\n")
    assert chain.notes == (
        "java.lang.NullPointerException without frames: the JVM leaves them out after many throws (-XX:-OmitStackTraceInFastThrow)",
    )


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


NO_TRACE = [
    ("prose", "We saw java.lang.OutOfMemoryError: heap in the logs.\nIt was nothing."),
    ("dotnet", "System.ArgumentException: bad\n   at System.X.Y(Object value)"),
    ("thread-dump", '"main" #1 prio=5 tid=0x1 nid=0x2 runnable\n   java.lang.Thread.State: RUNNABLE\n\tat a.B.y(B.java:3)\n\tat a.B.z(B.java:3)\n'),
    ("thread-dump-lock", '"t" prio=5 tid=0x1\n   java.lang.Thread.State: BLOCKED\n\tat a.B.y(B.java:3)\n\t- locked <0x1> (a a.L)\n\tat a.B.z(B.java:3)\n'),
    ("deadlock", 'Java stack information:\n"B":\n\tat a.B.y(B.java:3)\n\t- waiting to lock <0x1>\n'),
    ("call-trace", "Call Trace:\n [<ffffffff8106db50>] ? leave_mm+0xc0/0xc0\n"),
    ("logger-named-for-exceptions", "2025-05-24 17:41:10.315  WARN 5908 --- [  main] f.g.j.DefaultExceptionHandler : fetching data failed\n2025-05-24 17:41:10.316  INFO 5908 --- [  main] f.g.App : up\n"),
    ("logger-of-failures", "2025-05-24 17:41:10 ERROR o.s.b.d.LoggingFailureAnalysisReporter : Application failed to start\n"),
    ("caused-by-prose", "The outage was\nCaused by: the network\nand nothing else"),
]  # fmt: skip


@pytest.mark.parametrize("text", [n[1] for n in NO_TRACE], ids=[n[0] for n in NO_TRACE])
def test_no_trace(text: str) -> None:
    assert [c for c in parse(text) if c.runtime == "jvm"] == []
