""".NET: names and messages that last whatever the compiler, the runtime and the language."""

from functools import partial

import pytest

from kb.trace import Level, fingerprints, normalize_function
from kb.trace.model import Frame
from kb.trace.runtimes.dotnet import RUNTIME
from kb.trace.runtimes.dotnet.frames import frame_of
from kb.trace.runtimes.dotnet.languages import framework_message
from kb.trace.runtimes.dotnet.names import demangled
from tests.kb.trace import reading

only = partial(reading.only, runtime="dotnet")

MANGLED = [
    ("async", "Acme.A.<LoadAsync>d__1.MoveNext", "Acme.A", "LoadAsync", False),
    ("async of Roslyn's old numbers", "Acme.A.<LoadAsync>d__1b.MoveNext", "Acme.A", "LoadAsync", False),
    ("async generic", "Acme.A.<LoadAsync>d__14`1.MoveNext", "Acme.A", "LoadAsync", False),
    ("async of Mono", "Acme.A+<LoadAsync>c__async0.MoveNext", "Acme.A", "LoadAsync", False),
    ("iterator of Mono", "Acme.A+<Lines>c__Iterator3.MoveNext", "Acme.A", "Lines", False),
    ("async of VB", "Acme.A.VB$StateMachine_5_LoadAsync.MoveNext", "Acme.A", "LoadAsync", False),
    ("lambda", "Acme.A.<>c.<Main>b__1_0", "Acme.A", "Main", True),
    ("lambda that captures", "Acme.A.<>c__DisplayClass5_0.<Main>b__0", "Acme.A", "Main", True),
    ("lambda of a generic class", "Acme.A.<>c__DisplayClass29_0`1.<Main>b__0", "Acme.A", "Main", True),
    ("lambda of the old compiler", "Acme.A.<>c__DisplayClassc.<Main>b__b", "Acme.A", "Main", True),
    ("lambda of Mono", "Acme.A+<Main>c__AnonStorey3.<>m__0", "Acme.A", "Main", True),
    ("lambda of Mono in place", "Acme.A.<Main>m__0", "Acme.A", "Main", True),
    ("lambda of VB", "Acme.A._Closure$__75-0._Lambda$__0", "Acme.A", "<lambda>", True),
    ("async lambda", "Acme.A.<>c__DisplayClass0_0.<<RunAsync>b__0>d.MoveNext", "Acme.A", "RunAsync", True),
    ("local function", "Acme.A.<Main>g__Helper|0_0", "Acme.A", "Main.Helper", False),
    ("generic local function", "Acme.A.<Run>g__Awaited|134_0[T]", "Acme.A", "Run.Awaited", False),
    ("async local", "Program.<>c__DisplayClass0_0.<<<Main>$>g__Pick|0>d.MoveNext", "Program", "Main.Pick", False),
    ("top-level statements", "Program.<Main>$", "Program", "Main", False),
    ("async main", "Program.<Main>", "Program", "Main", False),
    ("lambda in a constructor", "Acme.A.<>c.<.ctor>b__3_0", "Acme.A", ".ctor", True),
    ("closure of F#", "<StartupCode$Lib-Git>.$Git.RunAsync@269-6.Invoke", "$Git", "RunAsync", True),
    ("constructor", "Acme.A..ctor", "Acme.A", ".ctor", False),
    ("static constructor", "Acme.A`1..cctor", "Acme.A`1", ".cctor", False),
    ("operator", "Acme.Money.op_Division", "Acme.Money", "op_Division", False),
    ("explicit interface", "Acme.A.System.IDisposable.Dispose", "Acme.A", "System.IDisposable.Dispose", False),
    ("own interface", "Acme.X.Store.Acme.X.IStore<int[]>.Put", "Acme.X.Store", "Acme.X.IStore<int[]>.Put", False),
    ("plain", "Acme.A.B.Run", "Acme.A.B", "Run", False),
    ("global", "lambda_method7", None, "lambda_method7", False),
    ("unbalanced", "Acme.<A.B", "Acme.<A", "B", False),
]


@pytest.mark.parametrize(
    ("name", "type_", "method", "is_lambda"), [row[1:] for row in MANGLED], ids=[row[0] for row in MANGLED]
)
def test_demangled(name: str, type_: str | None, method: str, is_lambda: bool) -> None:  # noqa: FBT001
    found = demangled(name)
    assert (found.type, found.name, found.is_lambda) == (type_, method, is_lambda)


LASTING = [
    ("   at System.Collections.Generic.List`1[System.__Canon].get_Item(Int32 i)", "System.Collections.Generic.List.get_Item"),
    ("   at System.Collections.Generic.List`1[[System.Int32, mscorlib, Version=4.0.0.0]].Add(T x)", "System.Collections.Generic.List.Add"),
    ("   at Acme.A.B[Int32](Int32 x)", "Acme.A.B"),
    ("   at Acme.A.B[T1,T2](T1 x)", "Acme.A.B"),
    ("   at lambda_method7(Closure , Object )", "lambda_method"),
    ("   at Castle.Proxies.OrderProxy_1.Pay()", "Castle.Proxies.OrderProxy.Pay"),
    ("   at System.Data.Entity.DynamicProxies.Order_5E43C6C196972BF0754973E48C9C941092D86818CD94005E9A759B70BF6E48E6.Pay()", "System.Data.Entity.DynamicProxies.Order.Pay"),
    ("  at Acme.Config+Section..ctor (System.String s) [0x0] in <a>:0", "Acme.Config.Section..ctor"),
    ("   at Submission#0.<<Initialize>>d__0.MoveNext()", "Submission.Initialize"),
    ("   at Acme.A.<>c.<Main>b__1_0(Int32 n)", "Acme.A.Main.<lambda>"),
    ("Acme.Player:Update () (at Assets/Scripts/Player.cs:12)", "Acme.Player.Update"),
    ("   at Acme.X.System.Collections.Generic.IDictionary<System.String,System.Object>.Add(String k)", "Acme.X.System.Collections.Generic.IDictionary.Add"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "key"), LASTING, ids=[row[1] for row in LASTING])
def test_lasting_name_is_its_own(line: str, key: str) -> None:
    frame = frame_of(line)
    assert frame is not None
    normal = RUNTIME.names.normal_frame(frame)
    assert (f"{normal.module}.{normal.function}" if normal.module else normal.function) == key
    assert RUNTIME.names.normal_frame(normal) == normal
    assert normal.raw == ""
    assert normal.lineno is None


@pytest.mark.parametrize(
    ("module", "function", "rank"),
    [
        ("Acme.A", "B", 0),
        ("System.String", "Format", 2),
        ("System.Data.SqlClient.SqlConnection", "Open", 1),
        ("Microsoft.AspNetCore.Mvc.X", "Y", 1),
        ("Microsoft.Win32.Registry", "Open", 2),
        ("Newtonsoft.Json.JsonConvert", "Parse", 1),
        ("SystemTests.A", "B", 0),
        (None, "lambda_method", 2),
    ],
)
def test_rank(module: str | None, function: str, rank: int) -> None:
    assert RUNTIME.names.rank(Frame(function, module)) == rank


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Acme.A.<Main>g__Helper|0_0(Int32 n)", "Acme.A.Main.Helper"),
        ("Acme.A.<LoadAsync>d__1.MoveNext()", "Acme.A.LoadAsync"),
        ("lambda_method12(Closure , Object )", "lambda_method"),
        ("System.Collections.Generic.List`1.Add", "System.Collections.Generic.List.Add"),
    ],
)
def test_function_name(name: str, expected: str) -> None:
    assert normalize_function(name) == expected


@pytest.mark.parametrize("name", ["std::vector<int>::at", "a.b.C.m", "foo", "", "x y", "operator<"])
def test_function_name_of_others(name: str) -> None:
    assert RUNTIME.names.function_name(name) is None


SAME = [
    ("fixed per type", "System.NullReferenceException: {}", ["未将对象引用设置到对象的实例。", "Object reference not set to an instance of an object."]),
    ("fixed sentence", "System.FormatException: {}", ["输入字符串的格式不正确。", "Input string was not in a correct format."]),
    ("parameter", "System.ArgumentNullException: {}", ["值不能为 null。\n参数名: order", "Value cannot be null. (Parameter 'order')", "Value cannot be null.\nParameter name: order"]),
    ("members appended", "System.AggregateException: {}", ["发生一个或多个错误。", "One or more errors occurred. (a) (b)"]),
    ("socket code", "System.Net.Sockets.SocketException {}", ["(10061): 由于目标计算机积极拒绝，无法连接。", "(10061): No connection could be made"]),
    ("code that says nothing", "System.Data.SqlClient.SqlException{}", [" (0x80131904): gone", ": gone"]),
]  # fmt: skip


@pytest.mark.parametrize(("head", "wordings"), [row[1:] for row in SAME], ids=[row[0] for row in SAME])
def test_wording_does_not_split(head: str, wordings: list[str]) -> None:
    found = {fingerprints(only(f"{head.format(w)}\n   在 Acme.A.B()\n"))[Level.EXACT].digest for w in wordings}
    assert len(found) == 1


def test_what_a_program_says_itself_splits() -> None:
    texts = [f"System.InvalidOperationException: {m}\n   at Acme.A.B()\n" for m in ("no stock", "no money")]
    assert len({fingerprints(only(text))[Level.EXACT].digest for text in texts}) == 2


def test_normal_messages_are_their_own() -> None:
    for type_ in ("System.ArgumentNullException", "System.Net.Sockets.SocketException", "System.AggregateException"):
        for message in (
            "值不能为 null。\n参数名: a",
            "(10061) 拒绝",
            "发生一个或多个错误。 (x)",
            "(0x80004005) x",
            "own text",
        ):
            once = framework_message(type_, message)
            assert framework_message(type_, once) == once
