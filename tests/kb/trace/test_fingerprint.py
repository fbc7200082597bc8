"""Which traces share a fingerprint, which do not, and what a basis is made of."""

import pytest

from kb.trace import ExceptionChain, Frame, Level, RaisedException, Relation, StackTrace, fingerprints, normalize, parse
from kb.trace.fingerprint import fold
from tests.kb.trace.reading import digest

HEAD = "a.E: x\n\tat "
BODY = "\n\tat a.B.y(B.java:3)\n"
WRAPPED = "a.W: w\n\tat a.W.run(W.java:9)\n\tat a.M.main(M.java:1)\nCaused by: a.I: i 7\n\tat a.B.y(B.java:3)\n\tat a.W.run(W.java:5)\n\t... 1 more\n"
ALONE = "Caused by: a.I: i 8\n\tat a.B.y(B.java:4)\n\tat a.W.run(W.java:6)\n\t... 1 more\n"


# Each row: its id, a level, texts
SAME = [
    ("line-numbers", Level.EXACT, ["a.E: x\n\tat a.B.y(B.java:3)", "a.E: x\n\tat a.B.y(B.java:97)"]),
    ("packaging", Level.EXACT, ["a.E: x\n\tat a.B.y(B.java:3) ~[core-1.2.jar:1.2]", "a.E: x\n\tat a.B.y(B.java:3)"]),
    ("module", Level.EXACT, [f"{HEAD}java.base/java.util.X.y(X.java:1){BODY}", f"{HEAD}java.util.X.y(X.java:9){BODY}"]),
    ("elided", Level.EXACT, [
        "a.E: o\n\tat a.A.x(A.java:1)\n\tat a.M.main(M.java:2)\nCaused by: a.I: i\n\tat a.B.y(B.java:3)\n\tat a.A.x(A.java:1)\n\tat a.M.main(M.java:2)",
        "a.E: o\n\tat a.A.x(A.java:1)\n\tat a.M.main(M.java:2)\nCaused by: a.I: i\n\tat a.B.y(B.java:3)\n\t... 2 more",
    ]),
    ("inflation", Level.EXACT, [
        f"{HEAD}a.C.z(C.java:1)\n\tat sun.reflect.NativeMethodAccessorImpl.invoke0(Native Method)\n\tat sun.reflect.NativeMethodAccessorImpl.invoke(N.java:1)\n\tat java.lang.reflect.Method.invoke(Method.java:1){BODY}",
        f"{HEAD}a.C.z(C.java:1)\n\tat sun.reflect.GeneratedMethodAccessor7.invoke(Unknown Source)\n\tat java.lang.reflect.Method.invoke(Method.java:1){BODY}",
    ]),
    ("javac-access", Level.EXACT, [f"{HEAD}a.C.access$200(C.java:1){BODY}", "a.E: x\n\tat a.B.y(B.java:3)"]),
    ("recursion", Level.EXACT, ["a.E\n" + "\tat a.R.f(R.java:4)\n" * 5, "a.E\n" + "\tat a.R.f(R.java:4)\n" * 2]),
    ("cycle-phase", Level.EXACT, ["a.E\n" + "\tat a.R.f(R.java:4)\n\tat a.R.g(R.java:8)\n" * 3 + "\tat a.R.f(R.java:4)\n", "a.E\n" + "\tat a.R.g(R.java:8)\n\tat a.R.f(R.java:4)\n" * 2]),
    ("cycle-of-three", Level.EXACT, ["a.E\n" + "".join(f"\tat a.R.{'fgh'[i % 3]}(R.java:4)\n" for i in range(9)), "a.E\n" + "".join(f"\tat a.R.{'fgh'[i % 3]}(R.java:4)\n" for i in range(1, 12))]),
    ("zh-blanks", Level.EXACT, ["a.E: 用户42不存在\n\tat a.B.y(B.java:3)", "a.E: 用户 43 不存在\n\tat a.B.y(B.java:3)"]),
    ("wrapped-and-alone", Level.ROOT_CAUSE, [WRAPPED, ALONE]),
    ("two-wrappers", Level.ROOT_CAUSE, [WRAPPED, WRAPPED.replace("a.W: w", "a.Other: o").replace("W.run(W.java:9)", "Z.go(Z.java:1)").replace("a.M.main(M.java:1)", "a.N.main(N.java:1)").replace("\tat a.W.run(W.java:5)\n", "\tat a.W.run(W.java:5)\n")]),
    ("callers", Level.LOOSE, ["a.E: x\n\tat a.B.y(B.java:3)\n\tat a.X.one(X.java:1)", "a.E: x\n\tat a.B.y(B.java:3)\n\tat a.Z.two(Z.java:2)"]),
    ("platform-above-the-application", Level.LOOSE, ["a.E: x\n\tat java.util.L.get(L.java:1)\n\tat a.B.y(B.java:3)", "a.E: x\n\tat java.util.M.get(M.java:1)\n\tat a.B.y(B.java:3)"]),
    ("lambda-counter", Level.LOOSE, ["a.E: x\n\tat a.F.lambda$load$3(F.java:30)", "a.E: x\n\tat a.F.lambda$load$7(F.java:44)"]),
    ("group-members", Level.LOOSE, ["ExceptionGroup: eg (2 sub-exceptions)\n  ValueError: 1\n  TypeError: t", "ExceptionGroup: eg (3 sub-exceptions)\n  TypeError: t\n  ValueError: 9\n  ValueError: 2"]),
    ("text-width-and-script", Level.LOOSE, ["连接超时，请重试", "連接超時,請重試"]),
    ("text-blank-and-case", Level.LOOSE, ["checkpoint失败", "Checkpoint 失败"]),
    ("listcomp", Level.LOOSE, ['Traceback (most recent call last):\n  File "/a.py", line 2, in f\n  File "/a.py", line 2, in <listcomp>\nKeyError: 1', 'Traceback (most recent call last):\n  File "/b/a.py", line 9, in f\nKeyError: 1']),
]  # fmt: skip

DIFFERENT = [
    ("method", Level.EXACT, ["a.E: x\n\tat a.B.y(B.java:3)", "a.E: x\n\tat a.B.z(B.java:3)"]),
    ("package", Level.EXACT, ["a.E: x\n\tat a.a.B.y(B.java:3)", "a.E: x\n\tat a.b.B.y(B.java:3)"]),
    ("initialiser", Level.EXACT, ["a.E: x\n\tat a.F.<init>(F.java:10)", "a.E: x\n\tat a.F.<clinit>(F.java:10)"]),
    ("enclosing-method", Level.EXACT, ["a.E: x\n\tat a.F.lambda$load$0(F.java:30)", "a.E: x\n\tat a.F.lambda$save$1(F.java:61)"]),
    ("message-is-the-fault", Level.EXACT, ["java.lang.OutOfMemoryError: Metaspace\n\tat a.B.y(B.java:3)", "java.lang.OutOfMemoryError: Java heap space\n\tat a.B.y(B.java:3)"]),
    ("error-code", Level.EXACT, ["a.E: status code 503\n\tat a.B.y(B.java:3)", "a.E: status code 403\n\tat a.B.y(B.java:3)"]),
    ("root", Level.ROOT_CAUSE, [WRAPPED, WRAPPED.replace("a.I", "a.J")]),
    ("wrapped-type", Level.ROOT_CAUSE, ["a.R(a.X): m\n\tat a.B.y(B.java:3)", "a.R(a.Y): m\n\tat a.B.y(B.java:3)"]),
    ("top-frame", Level.LOOSE, ["a.E: x\n\tat a.B.y(B.java:3)", "a.E: x\n\tat a.C.y(C.java:3)"]),
    ("text-opposite", Level.LOOSE, ["正常关闭", "异常关闭"]),
    ("text-faults", Level.LOOSE, ["Connection refused", "Connection timed out"]),
]  # fmt: skip


@pytest.mark.parametrize(("level", "texts"), [row[1:] for row in SAME], ids=[row[0] for row in SAME])
def test_same(level: Level, texts: list[str]) -> None:
    assert len({digest(text, level) for text in texts}) == 1


@pytest.mark.parametrize(("level", "texts"), [row[1:] for row in DIFFERENT], ids=[row[0] for row in DIFFERENT])
def test_different(level: Level, texts: list[str]) -> None:
    assert len({digest(text, level) for text in texts}) == len(texts)


def test_levels_of_one_chain_differ_and_are_32_hex_digits() -> None:
    (chain,) = parse(WRAPPED)
    digests = [print_.digest for print_ in fingerprints(chain).values()]
    assert len(set(digests)) == 3
    assert all(len(d) == 32 and set(d) <= set("0123456789abcdef") for d in digests)


def test_the_basis_reads_like_the_trace() -> None:
    (chain,) = parse(WRAPPED)
    found = fingerprints(chain)
    assert found[Level.EXACT].basis == (
        "a.W: w",
        "  a.W.run",
        "  a.M.main",
        "cause of 0: a.I: i <int>",
        "  a.B.y",
        "  a.W.run",
        "  and 1 of the enclosing trace",
    )
    assert found[Level.ROOT_CAUSE].basis == ("a.I: i <int>", "  a.B.y", "  a.W.run")
    assert found[Level.LOOSE].basis == ("a.I", "  a.B.y")


@pytest.mark.parametrize(
    "exception",
    [
        RaisedException(None),
        RaisedException("a.E"),
        RaisedException(None, ""),
        RaisedException(None, "!!!"),
        RaisedException(None, None, StackTrace((Frame(None),))),
    ],
    ids=["nothing", "type", "empty-message", "marks", "nameless-frame"],
)
@pytest.mark.parametrize("runtime", ["jvm", "python", "text", "unheard-of"])
def test_a_basis_is_never_empty(exception: RaisedException, runtime: str) -> None:
    for print_ in fingerprints(ExceptionChain(runtime, (exception,))).values():
        assert any(part.strip() for part in print_.basis)


def test_a_root_in_the_platform_is_told_by_the_application_that_called_it() -> None:
    (chain,) = parse(
        "a.W: w\n\tat a.W.run(W.java:9)\nCaused by: java.net.ConnectException: refused\n\tat java.net.Socket.connect(Socket.java:1)\n\t... 1 more"
    )
    assert fingerprints(chain)[Level.LOOSE].basis == ("java.net.ConnectException", "  a.W.run")


def test_coroutine_markers_are_left_out() -> None:
    (chain,) = parse(
        "a.E: x\n\tat a.B.y(B.kt:3)\n\tSuppressed: kotlinx.coroutines.internal.DiagnosticCoroutineContextException: [Standalone{Cancelling}@3f2a1b]\n"
    )
    assert [e.type for e in normalize(chain).exceptions] == ["a.E"]


def test_machinery_counts_where_there_is_nothing_else() -> None:
    (chain,) = parse("a.E: x\n\tat java.lang.Thread.run(Thread.java:748)\n")
    assert [f.function for f in normalize(chain).exceptions[0].stack.frames] == ["run"]


def test_normalised_frames_have_no_line_and_no_raw() -> None:
    (chain,) = parse(WRAPPED)
    for exception in normalize(chain).exceptions:
        assert all(f.lineno is None and f.raw == "" for f in exception.stack.frames)


def test_shared_frames_of_a_normalised_exception_are_counted() -> None:
    (chain,) = parse(WRAPPED)
    assert [e.elided for e in normalize(chain).exceptions] == [0, 1]


def test_a_parent_that_is_left_out_hands_its_children_on() -> None:
    marker = RaisedException(
        "kotlinx.coroutines.internal.DiagnosticCoroutineContextException", None, StackTrace(), Relation.SUPPRESSED, 0
    )
    chain = ExceptionChain(
        "jvm", (RaisedException("a.E"), marker, RaisedException("a.I", None, StackTrace(), Relation.CAUSE, 1))
    )
    assert [(e.type, e.parent) for e in normalize(chain).exceptions] == [("a.E", None), ("a.I", 0)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("連接超時，請重試。", "连接超时请重试"),
        ("Checkpoint 失败", "checkpoint失败"),
        ("A-B  c", "a b c"),
        ("<int> 次", "<int>次"),
    ],
)
def test_fold(text: str, expected: str) -> None:
    assert fold(text) == expected


def test_one_line_has_its_own_name_in_each_runtime() -> None:
    """A dump passes over how a thread is put to sleep, a trace does not: what was read before changes neither."""
    line = "\tat java.util.concurrent.locks.LockSupport.park(LockSupport.java:211)\n"
    below = "\tat shop.Shop.main(Shop.java:119)\n"
    trace = f"java.lang.Error: x\n{line}{below}"
    dump = f'"main" #1 prio=5 tid=0x1 nid=0x2 waiting on condition\n   java.lang.Thread.State: WAITING (parking)\n{line}{below}'
    for first, second in ((trace, dump), (dump, trace)):
        kept = [[frame.function for frame in normalize(parse(text)[0]).root.stack.frames] for text in (first, second)]
        assert sorted(map(len, kept)) == [1, 2]


@pytest.mark.parametrize(
    ("runtime", "message"),
    [
        ("jvm", "1 " * 3_000),
        ("jvm", "x='" + "1 " * 1_998 + "'"),
        ("ruby", "undefined method 'x'\nDid you mean?  y\n Did you mean?  z"),
        ("dotnet", "u\nErr:1"),
        ("sql", "SQLSTATE[23000]: X: SQLSTATE[2300TE[23000]: X: SQLSTATE[23)00]"),
        ("sql", None),
    ],
    ids=["templates-grow", "cut-within-a-quotation", "ruby-suggestions", "dotnet-argument", "sql-states", "sql-none"],
)
def test_a_message_is_settled_at_once(runtime: str, message: str | None) -> None:
    once = normalize(ExceptionChain(runtime, (RaisedException("E", message),)))
    assert normalize(once) == once
    assert fingerprints(once) == fingerprints(ExceptionChain(runtime, (RaisedException("E", message),)))
