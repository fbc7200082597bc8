"""The JVM: which lines are heads, and what belongs to them."""

import pytest

from kb.trace import parse
from tests.kb.trace.reading import only

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


def test_a_frameless_null_pointer_is_explained() -> None:
    chain = only("java.lang.NullPointerException\n")
    assert chain.notes == (
        "java.lang.NullPointerException without frames: the JVM leaves them out after many throws (-XX:-OmitStackTraceInFastThrow)",
    )


NO_TRACE = [
    ("prose", "We saw java.lang.OutOfMemoryError in the logs.\nIt was nothing."),
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
