"""What other languages than Java, and the programs around them, print on the JVM; wrappers that hide a cause."""

import pytest

from kb.trace import Level, fingerprints, normalize
from tests.kb.trace.reading import only

# (id, message of the outer one, its message without the quoted one, the quoted one)
NESTED = [
    ("spring", "no bean; nested exception is java.io.IOException: x", "no bean", "java.io.IOException"),
    ("rmi", "RemoteException occurred in server thread; nested exception is: \n\tjava.io.IOException: x", "RemoteException occurred in server thread", "java.io.IOException"),
    ("dubbo", "Failed to invoke the method pay, cause: org.apache.dubbo.remoting.TimeoutException: x", "Failed to invoke the method pay", "org.apache.dubbo.remoting.TimeoutException"),
    ("caused-by", "cannot read; caused by: java.io.IOException: x", "cannot read", "java.io.IOException"),
    ("root-cause", "cannot read; root cause: java.io.IOException: x", "cannot read", "java.io.IOException"),
]  # fmt: skip


@pytest.mark.parametrize(("message", "outer", "inner"), [n[1:] for n in NESTED], ids=[n[0] for n in NESTED])
def test_a_quoted_cause_is_the_cause(message: str, outer: str, inner: str) -> None:
    chain = only(f"a.b.WrapperException: {message}\n\tat a.B.y(B.java:3)\n")
    assert [(e.type, e.message) for e in chain.exceptions] == [("a.b.WrapperException", outer), (inner, "x")]
    assert chain.root.type == inner


def test_a_sentence_about_a_cause_is_none() -> None:
    chain = only("java.io.IOException: it stopped, cause: the network\n\tat a.B.y(B.java:3)\n")
    assert [e.message for e in chain.exceptions] == ["it stopped, cause: the network"]


def test_a_remote_exception_is_one_exception_that_names_the_server_s() -> None:
    chain = only(
        "org.apache.hadoop.ipc.RemoteException(org.apache.hadoop.security.AccessControlException): Permission denied: user=etl\n"
        "\tat org.apache.hadoop.hdfs.server.namenode.FSPermissionChecker.check(FSPermissionChecker.java:400)\n"
        "\tat org.apache.hadoop.ipc.Server$Handler.run(Server.java:2682)\n\n"
        "\tat org.apache.hadoop.ipc.Client.getRpcResponse(Client.java:1553)\n\tat shop.Load.main(Load.java:3)\n"
    )
    (raised,) = chain.exceptions
    assert (raised.type, raised.wrapped_type) == (
        "org.apache.hadoop.ipc.RemoteException",
        "org.apache.hadoop.security.AccessControlException",
    )
    assert [f.function for f in raised.stack.frames] == ["check", "run", "getRpcResponse", "main"]


# (id, line, type, message, class, function, file, line number)
CLOJURE = [
    ("execution", "Execution error (ArithmeticException) at user/eval1 (REPL:1).\nDivide by zero\n", "ArithmeticException", "Divide by zero", "user", "eval1", "REPL", 1),
    ("syntax", "Syntax error compiling at (src/shop/pay.clj:5:13).\nUnable to resolve symbol: prize in this context\n\nFull report at:\n/tmp/clojure-1.edn\n", "Syntax error", "Unable to resolve symbol: prize in this context", None, None, "pay.clj", 5),
    ("reader", "Syntax error reading source at (REPL:2:1).\nUnmatched delimiter: )\n", "Syntax error", "Unmatched delimiter: )", None, None, "REPL", 2),
    ("class", "Syntax error (ClassNotFoundException) compiling at (pay.clj:1:1).\nshop.Missing\n", "ClassNotFoundException", "shop.Missing", None, None, "pay.clj", 1),
    ("spec", "Execution error - invalid arguments to shop.pay/total at (pay.clj:3).\n-1 - failed: pos-int? at: [:n]\n", "Execution error", "-1 - failed: pos-int? at: [:n]", None, None, "pay.clj", 3),
]  # fmt: skip


@pytest.mark.parametrize("row", [c[1:] for c in CLOJURE], ids=[c[0] for c in CLOJURE])
def test_clojure(row: tuple[str, str, str, str | None, str | None, str, int]) -> None:
    text, name, message, *place = row
    chain = only(text)
    (exception,) = chain.exceptions
    (frame,) = exception.stack.frames
    assert (exception.type, exception.message) == (name, message)
    assert [frame.module, frame.function, frame.filename, frame.lineno] == place
    assert text[slice(*chain.span)] == text.rstrip()


def test_clojure_s_data_is_not_part_of_the_lasting_message() -> None:
    chain = normalize(
        only("clojure.lang.ExceptionInfo: no price {:order 42, :kind :missing}\n\tat shop.pay$f.invoke(pay.clj:3)\n")
    )
    assert chain.exceptions[0].message == "no price"


@pytest.mark.parametrize(
    "boundary",
    [
        "\tat _COROUTINE._BOUNDARY._(CoroutineDebugging.kt:46)",
        "\t(Coroutine boundary)",
        "\tat \b\b\b(Coroutine boundary.\b(\b)",
    ],
    ids=["1.6", "terminal", "raw"],
)
def test_the_boundary_between_coroutines_is_no_frame_of_the_fault(boundary: str) -> None:
    text = "shop.MissingException: x\n\tat shop.Pay$load$2.invokeSuspend(Pay.kt:3)\n{}\tat shop.Pay.main(Pay.kt:9)\n"
    plain, joined = only(text.format("")), only(text.format(boundary + "\n"))
    assert fingerprints(joined)[Level.EXACT] == fingerprints(plain)[Level.EXACT]
    assert joined.notes == ()


def test_chinese_names() -> None:
    chain = only(
        'Exception in thread "main" 商店.结算$订单异常: 缺货\n\tat 商店.结算.合计(结算.java:19)\nCaused by: 商店.库存错误: 无\n\tat 商店.库存.取(库存.java:3)\n'
    )
    assert [(e.type, e.message) for e in chain.exceptions] == [("商店.结算$订单异常", "缺货"), ("商店.库存错误", "无")]
    assert chain.root.stack.frames[0].module == "商店.库存"


def test_a_class_begins_where_its_script_begins() -> None:
    chain = only("任务失败java.io.IOException: x\n\tat a.B.y(B.java:3)\n")
    assert chain.exceptions[0].type == "java.io.IOException"


@pytest.mark.parametrize(
    "head",
    ["2024-05-01 10:00:00 ERROR [main] x - shop.Missing: no price", "```shop.Missing: no price", "| 1 | shop.Missing: no price"],
    ids=["log", "fence", "table"],
)  # fmt: skip
def test_a_class_of_any_name_above_a_frame_is_its_head(head: str) -> None:
    chain = only(f"{head}\n\tat shop.Pay.run(Pay.java:3)\n\tat shop.Pay.main(Pay.java:9)\n")
    assert (chain.exceptions[0].type, chain.exceptions[0].message) == ("shop.Missing", "no price")


@pytest.mark.parametrize(
    "words",
    ["... suppressed 26 lines", "... 26 frames excluded", "... 26 frames truncated", "... 26 collapsed"],
)
def test_frames_that_a_logger_left_out(words: str) -> None:
    chain = only(f"a.b.E: x\n\tat a.B.y(B.java:3)\n\t{words}\n\tat a.B.main(B.java:9)\n")
    assert [f.function for f in chain.exceptions[0].stack.frames] == ["y", "main"]
    assert chain.exceptions[0].elided == 26


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("java.lang.ClassCastException: a.B cannot be cast to a.C", "java.lang.ClassCastException: class a.B cannot be cast to class a.C (a.B and a.C are in unnamed module of loader 'app')"),
        ("java.lang.ArrayIndexOutOfBoundsException: 5", "java.lang.ArrayIndexOutOfBoundsException: Index 5 out of bounds for length 3"),
    ],
    ids=["cast", "index"],
)  # fmt: skip
def test_what_newer_jvms_add_is_not_part_of_the_message(one: str, other: str) -> None:
    frames = "\n\tat a.B.y(B.java:3)\n"
    assert fingerprints(only(one + frames))[Level.EXACT] == fingerprints(only(other + frames))[Level.EXACT]


def test_what_a_narrow_page_moved_to_a_line_below_is_read() -> None:
    chain = only(
        "a.b.CException: x\n\tat a.B.y(B.java:3)\n~[core-1.2.jar:1.2]\n\tat\na.B.read(B.java:4)\n\tat a.B.read0(Native\nMethod)\n\tat a.B.main(B.java:9)\n"
    )
    assert [f.function for f in chain.exceptions[0].stack.frames] == ["y", "read", "read0", "main"]
    assert chain.notes == ()


def test_groovy_names_the_exception_before_it_prints_it() -> None:
    chain = only("Caught: java.io.IOException: x\njava.io.IOException: x\n\tat a.B.y(B.groovy:3)\n")
    assert [(e.type, e.message) for e in chain.exceptions] == [("java.io.IOException", "x")]
