""".NET: whole readings, and what is not .NET's."""

from functools import partial

import pytest

from kb.trace import ExceptionChain, Relation, normalize, parse
from kb.trace.runtimes.dotnet.frames import bare_frame_of
from tests.kb.trace import reading

only = partial(reading.only, runtime="dotnet")


def printed(chain: ExceptionChain) -> list[tuple[str | None, str | None, list[str]]]:
    return [
        (e.type, e.message, [f"{f.module}.{f.function}" if f.module else str(f.function) for f in e.stack.frames])
        for e in chain.exceptions
    ]


def test_inner_exceptions_several_deep() -> None:
    chain = only(
        "System.A.OneException: 一 ---> System.A.TwoException: 二 ---> System.A.ThreeException: 三\n"
        "   在 A.T.R3()\n   --- 内部异常堆栈跟踪的结尾 ---\n   在 A.T.R2()\n"
        "   --- 内部异常堆栈跟踪的结尾 ---\n   在 A.T.R1()\n   在 A.T.Main()\nnext line"
    )
    assert printed(chain) == [
        ("System.A.OneException", "一", ["A.T.R1", "A.T.Main"]),
        ("System.A.TwoException", "二", ["A.T.R2"]),
        ("System.A.ThreeException", "三", ["A.T.R3"]),
    ]
    assert [(e.relation, e.parent) for e in chain.exceptions] == [
        (None, None),
        (Relation.CAUSE, 0),
        (Relation.CAUSE, 1),
    ]
    assert chain.root.type == "System.A.ThreeException"


GROUP = """System.AggregateException: One or more errors occurred. (a) (b)
 ---> System.Exception: a
   at A.B.One()
   --- End of inner exception stack trace ---
   at A.B.Wait()
 ---> (Inner Exception #1) System.IO.IOException: b ---> System.TimeoutException: c
   at A.B.Deep()
   --- End of inner exception stack trace ---
   at A.B.Two()<---
"""


def test_group_of_two() -> None:
    chain = only(GROUP)
    assert printed(chain) == [
        ("System.AggregateException", "One or more errors occurred. (a) (b)", ["A.B.Wait"]),
        ("System.Exception", "a", ["A.B.One"]),
        ("System.IO.IOException", "b", ["A.B.Two"]),
        ("System.TimeoutException", "c", ["A.B.Deep"]),
    ]
    relations = [(e.relation, e.parent) for e in chain.exceptions]
    assert relations == [(None, None), (Relation.GROUPED, 0), (Relation.GROUPED, 0), (Relation.CAUSE, 2)]


def test_group_of_one_is_a_cause_and_its_copy_is_left_out() -> None:
    text = (
        "System.AggregateException: 发生一个或多个错误。 ---> System.Exception: a\n   在 A.B.One()\n   --- 内部异常堆栈跟踪的结尾 ---\n"
        "   在 A.B.Wait()\n---> (内部异常 #0) System.Exception: a\n   在 A.B.One()<---\n"
    )
    chain = only(text)
    assert [e.relation for e in chain.exceptions] == [None, Relation.CAUSE]
    assert chain.root.type == "System.Exception"
    assert chain.span == (0, len(text) - 1)


def test_mono_prints_twice() -> None:
    trace = "System.Exception: x\n  at A.B.C () [0x00001] in /src/B.cs:3 \n"
    text = f"\nUnhandled Exception:\n{trace}[ERROR] FATAL UNHANDLED EXCEPTION: {trace}"
    chain = only(text)
    assert chain.notes == ("printed twice",)
    assert text[chain.span[0] : chain.span[1]].startswith("System.Exception: x\n")
    assert chain.span[1] == len(text.rstrip())


def test_coded_exceptions_print_no_marker() -> None:
    chain = only(
        "System.Exception: o ---> System.Data.SqlClient.SqlException (0x80131904): net ---> "
        "System.ComponentModel.Win32Exception (0x80004005): gone\n   at System.Data.X.Y()\n"
        "   --- End of inner exception stack trace ---\n   at Acme.A.B()\n"
    )
    assert [frames for _, _, frames in printed(chain)] == [["Acme.A.B"], ["System.Data.X.Y"], []]


def test_what_an_exception_appends_to_its_stack_is_passed_over() -> None:
    chain = only(
        "System.Exception: o ---> Npgsql.PostgresException: 23505: dup\n   at A.B.C()\n  Exception data:\n    Severity: ERROR\n"
        "    SqlState: 23505\n   --- End of inner exception stack trace ---\n   at A.B.D()\n"
    )
    assert [frames for _, _, frames in printed(chain)] == [["A.B.D"], ["A.B.C"]]


@pytest.mark.parametrize(
    "text",
    [
        "System.Exception: m   在 A.B.C(String s) 位置 C:\\a.cs:行号 3   在 A.B.D()   --- 引发异常的上一位置中堆栈跟踪的末尾 ---   在 A.B.E()",
        "System.Exception: m\\r\\n   在 A.B.C(String s) 位置 C:\\a.cs:行号 3\\r\\n   在 A.B.D()\\r\\n   在 A.B.E()",
        "System.Exception: m en A.B.C(String s) en C:\\a.cs:línea 3 en A.B.D() en A.B.E()",
        "System.Exception: m\n   在 A.B.C(String s)\n   位置 C:\\a.cs:行号 3\n   在 A.B.D()\n   在 A.B.E()",
        "System.Exception: m\n   在 A.B.C(String s) 位置 C:\\a\n.cs:行号 3\n   在 A.B.D()\n\n   在 A.B.E()",
    ],
    ids=["one line", "escaped", "spanish line", "place alone", "wrapped"],
)
def test_mangled(text: str) -> None:
    chain = only(text)
    assert printed(chain) == [("System.Exception", "m", ["A.B.C", "A.B.D", "A.B.E"])]
    assert chain.exceptions[0].stack.frames[0].lineno in (3, None)
    assert chain.exceptions[0].stack.frames[0].filename in ("C:\\a.cs", "C:\\\\a.cs")


def test_a_frame_alone_has_no_head() -> None:
    chain = only("   at Acme.A.<Main>g__Helper|0_0(Int32 n)")
    assert chain.head_truncated
    assert printed(chain) == [(None, None, ["Acme.A.Main.Helper"])]


@pytest.mark.parametrize(
    ("above", "expected"),
    [
        ("未将对象引用设置到对象的实例。", ("System.NullReferenceException", "未将对象引用设置到对象的实例。", True)),
        ("订单 42 不存在", (None, "订单 42 不存在", True)),
        ("Exception type: HttpException\nException message: gone", ("HttpException", "gone", False)),
        ("Stack trace:", (None, None, True)),
        ("Acme.OrderException: 订单", ("Acme.OrderException", "订单", False)),
    ],
    ids=["fixed message", "own message", "event log", "label", "head"],
)
def test_what_stands_above(above: str, expected: tuple[str | None, str | None, bool]) -> None:
    chain = only(f"{above}\n   在 Acme.A.B()\n   在 Acme.A.C()")
    assert (chain.exceptions[0].type, chain.exceptions[0].message, chain.head_truncated) == expected


PAGE = """Exception Details: System.Data.SqlClient.SqlException: gone

Source Error:

Line 16:             return db.Orders.ToList();

Stack Trace:

[Win32Exception (0x80004005): Access is denied]

[SqlException (0x80131904): gone]
   System.Data.SqlClient.SqlConnection.Open() +96

[EntityException: failed
on Open]
   Acme.Shop.Orders.Page_Load(Object sender, EventArgs e) in d:\\shop\\Orders.aspx.cs:16
   System.Web.UI.Page.ProcessRequest() +51

Version Information: Microsoft .NET Framework Version:4.0.30319
"""


def test_error_page_of_asp_net() -> None:
    chain = only(PAGE)
    assert printed(chain) == [
        ("EntityException", "failed\non Open", ["Acme.Shop.Orders.Page_Load", "System.Web.UI.Page.ProcessRequest"]),
        ("System.Data.SqlClient.SqlException", "(0x80131904) gone", ["System.Data.SqlClient.SqlConnection.Open"]),
        ("Win32Exception", "(0x80004005) Access is denied", []),
    ]
    assert chain.root.type == "Win32Exception"
    assert chain.exceptions[0].stack.frames[0].lineno == 16
    assert bare_frame_of("   System.Web.UI.Page.ProcessRequest() +51") is not None
    assert PAGE[chain.span[0] : chain.span[1]].endswith("+51")


@pytest.mark.parametrize(
    ("where", "category"),
    [
        ("At line:1 char:1", "ObjectNotFound: (C:\\x:String) [Get-Item], ItemNotFoundException"),
        ("所在位置 行:1 字符: 1", "ObjectNotFound: (C:\\x:String) [Get-Item]，ItemNotFoundException"),
        ("At C:\\run.ps1:12 char:5", "ObjectNotFound: (C:\\x:String) [Get-Item], ItemNotFoundException"),
    ],
)
def test_power_shell(where: str, category: str) -> None:
    chain = only(
        f"PS C:\\> Get-Item C:\\x\nGet-Item : no such path\n{where}\n+ Get-Item C:\\x\n+ ~~~~~\n"
        f"    + CategoryInfo          : {category}\n    + FullyQualifiedErrorId : PathNotFound,Acme.Cmd\n"
    )
    assert printed(chain) == [("ItemNotFoundException", "no such path", [])]


def test_unity_rethrows() -> None:
    chain = only(
        "NullReferenceException: Object reference not set\nAcme.Player:Update () (at Assets/Player.cs:12)\n"
        "Rethrow as InvalidOperationException: tick\nAcme.Loop.Tick () (at Assets/Loop.cs:4)\n"
    )
    assert printed(chain) == [
        ("InvalidOperationException", "tick", ["Acme.Loop.Tick"]),
        ("NullReferenceException", "Object reference not set", ["Acme.Player:Update"]),
    ]


@pytest.mark.parametrize(
    ("text", "runtime"),
    [
        ("java.lang.Exception: x\n\tat a.b.C.m(D.java:1)\n", "jvm"),
        ("TypeError: x is not a function\n    at foo (/srv/a.js:1:2)\n", "javascript"),
        ("ValueError: x", "python"),
    ],
)
def test_others_keep_theirs(text: str, runtime: str) -> None:
    assert [chain.runtime for chain in parse(text)] == [runtime]


@pytest.mark.parametrize(
    "text",
    [
        "see System.Exception: it is the base class of all\nand more prose\nand more",
        "the call   at Acme.Svc.Run() is slow\nand so on",
        "--- some title of a section ---\nprose\nprose",
    ],
)
def test_prose_has_no_trace(text: str) -> None:
    assert [chain for chain in parse(text) if chain.runtime == "dotnet"] == []


def test_a_message_alone() -> None:
    assert printed(only("支付失败: System.Net.WebException: 操作超时")) == [("System.Net.WebException", "操作超时", [])]


def test_an_arrow_in_a_message_is_no_inner_exception() -> None:
    chain = only("System.Exception: Text ---> Not a nested one\n   at A.B.C()\n")
    assert printed(chain) == [("System.Exception", "Text ---> Not a nested one", ["A.B.C"])]


def test_normalised_once_is_normalised() -> None:
    for text in (GROUP, PAGE):
        normal = normalize(only(text))
        assert normalize(normal) == normal


def test_a_whole_trace_in_a_language_of_no_table() -> None:
    chain = only(
        "System.Exception: o ---> Acme.FooFailed: i\n   kod Acme.A.B(String s) wo C:\\a.cs:zak 12\n   --- bla bla bla ---\n"
        "   kod Acme.A.C()\n--- other words in some tongue ---\n   kod Acme.A.D()\n"
    )
    assert [frames for _, _, frames in printed(chain)] == [["Acme.A.C", "Acme.A.D"], ["Acme.A.B"]]
