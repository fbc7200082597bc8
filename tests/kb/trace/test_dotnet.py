"""The .NET reader: frames of every language and runtime, lasting names, whole readings, what is not .NET's."""

import pytest
import re2

from kb.errors import RulesError
from kb.trace import ExceptionChain, Level, Relation, fingerprints, normalize, normalize_function, parse
from kb.trace.model import Frame
from kb.trace.rules import names
from kb.trace.runtimes.dotnet import RUNTIME
from kb.trace.runtimes.dotnet.frames import bare_frame_of, frame_of, unknown_frame_of
from kb.trace.runtimes.dotnet.heads import arrow_of, head_of, marker_of, pieces_of
from kb.trace.runtimes.dotnet.languages import languages, read_languages
from kb.trace.runtimes.dotnet.mangled import demangled
from kb.trace.runtimes.dotnet.messages import framework_message, read_sentences, type_told
from kb.trace.runtimes.dotnet.places import place_of


def only(text: str) -> ExceptionChain:
    chains = parse(text)
    assert [chain.runtime for chain in chains] == ["dotnet"]
    return chains[0]


def printed(chain: ExceptionChain) -> list[tuple[str | None, str | None, list[str]]]:
    return [
        (e.type, e.message, [f"{f.module}.{f.function}" if f.module else str(f.function) for f in e.stack.frames])
        for e in chain.exceptions
    ]


def place(frame: Frame | None) -> tuple[str | None, str | None, str | None, int | None]:
    assert frame is not None
    return frame.module, frame.function, frame.filename, frame.lineno


FRAMES = [
    ("en", r"   at Acme.Svc.Run(String s) in C:\src\Svc.cs:line 42", r"C:\src\Svc.cs", 42),
    ("linux", "   at Acme.Svc.Run(String s) in /src/Acme App/Svc.cs:line 42", "/src/Acme App/Svc.cs", 42),
    ("zh-Hans", r"   在 Acme.Svc.Run(String s) 位置 C:\src\Svc.cs:行号 42", r"C:\src\Svc.cs", 42),
    ("zh-Hans full width", r"   在 Acme.Svc.Run(String s) 位置 C:\src\Svc.cs：行号 42", r"C:\src\Svc.cs", 42),
    ("zh-Hans converted", r"   于 Acme.Svc.Run(String s) 位置 C:\src\Svc.cs:行 42", r"C:\src\Svc.cs", 42),
    ("zh-Hant", r"   於 Acme.Svc.Run(String s) 於 C:\src\Svc.cs: 行 42", r"C:\src\Svc.cs", 42),
    ("ja", r"   場所 Acme.Svc.Run(String s) 場所 C:\src\Svc.cs:行 42", r"C:\src\Svc.cs", 42),
    ("ko", r"   위치: Acme.Svc.Run(String s) 파일 C:\src\Svc.cs:줄 42", r"C:\src\Svc.cs", 42),
    ("de", r"   bei Acme.Svc.Run(String s) in C:\src\Svc.cs:Zeile 42.", r"C:\src\Svc.cs", 42),
    ("fr", r"   à Acme.Svc.Run(String s) dans C:\src\Svc.cs:ligne 42", r"C:\src\Svc.cs", 42),
    ("es", r"   en Acme.Svc.Run(String s) en C:\src\Svc.cs:línea 42", r"C:\src\Svc.cs", 42),
    ("it", r"   in Acme.Svc.Run(String s) in C:\src\Svc.cs:riga 42", r"C:\src\Svc.cs", 42),
    ("pt", r"   em Acme.Svc.Run(String s) na C:\src\Svc.cs:linha 42", r"C:\src\Svc.cs", 42),
    ("ru", r"   в Acme.Svc.Run(String s) в C:\src\Svc.cs:строка 42", r"C:\src\Svc.cs", 42),
    ("pl", r"   w Acme.Svc.Run(String s) w C:\src\Svc.cs:wiersz 42", r"C:\src\Svc.cs", 42),
    ("cs", r"   v Acme.Svc.Run(String s) v C:\src\Svc.cs:řádek 42", r"C:\src\Svc.cs", 42),
    ("tr", r"   konum: Acme.Svc.Run(String s) C:\Box Office\Svc.cs içinde: satır 42", r"C:\Box Office\Svc.cs", 42),
    ("hu", r"   a következő helyen: Acme.Svc.Run(String s) hely: C:\src\Svc.cs, sor: 42", r"C:\src\Svc.cs", 42),
    ("sv", r"   vid Acme.Svc.Run(String s) i C:\src\Svc.cs:rad 42", r"C:\src\Svc.cs", 42),
    ("da", r"   ved Acme.Svc.Run(String s) i C:\src\Svc.cs:linje 42", r"C:\src\Svc.cs", 42),
    ("nl", r"   bij Acme.Svc.Run(String s) in C:\src\Svc.cs:regel 42", r"C:\src\Svc.cs", 42),
    ("fi", r"   kohteessa Acme.Svc.Run(String s) tiedostossa C:\src\Svc.cs:rivillä 42", r"C:\src\Svc.cs", 42),
    ("el", r"   σε Acme.Svc.Run(String s) στο C:\src\Svc.cs:γραμμή 42", r"C:\src\Svc.cs", 42),
    ("ar", r"   عند Acme.Svc.Run(String s) في C:\src\Svc.cs:السطر 42", r"C:\src\Svc.cs", 42),
    ("mono", "  at Acme.Svc.Run (System.String s) [0x00001] in /src/Svc.cs:42 ", "/src/Svc.cs", 42),
    ("mono without symbols", "  at Acme.Svc.Run (System.String s) [0x00012] in <a17fa1457c5d44f2>:0 ", None, None),
    ("mono unknown file", "  at Acme.Svc.Run () <0x2ac44e0 + 0x0000e> in <filename unknown>:0", None, None),
    ("mono wrapper", "  at (wrapper managed-to-native) Acme.Svc.Run(object,intptr)", None, None),
    ("native aot", "   at Acme.Svc.Run(String) + 0x1f", None, None),
    ("offset", "   at Acme.Svc.Run(String s) +227", None, None),
    ("il offset", "   at Acme.Svc.Run(String s) in Acme.dll:token 0x6000012+0x5", None, None),
    ("production", " à Acme!0x0600004e!Acme.Svc.Run() +0x33", None, None),
    ("demystified", "   at async Task<int> Acme.Svc.Run(string s) in /src/Svc.cs:line 42", "/src/Svc.cs", 42),
    ("logged", r"2024-01-31 09:12:44,107 [12] ERROR x -    在 Acme.Svc.Run()", None, None),
    ("last of a group", "   at Acme.Svc.Run(String s) in /src/Svc.cs:line 42<---", "/src/Svc.cs", 42),
    ("pointers", "   at Acme.Svc.Run(Byte* p, Int32& n, T[] rows, List`1 all)", None, None),
]


@pytest.mark.parametrize(("line", "filename", "lineno"), [row[1:] for row in FRAMES], ids=[row[0] for row in FRAMES])
def test_frame(line: str, filename: str | None, lineno: int | None) -> None:
    assert place(frame_of(line)) == ("Acme.Svc", "Run", filename, lineno)


@pytest.mark.parametrize(
    "line",
    [
        "    at a.b.C.m(D.java:12)",
        "    at com.acme.C.m(...)",
        "    at a.b.C.m(Native Method)",
        "    at a.b.C.m(Unknown Source)",
        "    at a.b.C.m(RuntimeConstantPool.java: 18)",
        "    at foo.bar (/srv/a.js:1:2)",
        "    at Object.<anonymous> (/srv/a.js:1:2)",
        "    at Array.map (<anonymous>)",
        "    at new Foo (file:///srv/a.js:1:2)",
        "    at request.onTimeout (...)",
        "at this point we call it",
        "   在 Acme.Svc.Run() 中出错",
        "   at std::vector::at()",
        "#0 /a.php(12): A->b()",
        "   w tym pliku jest (tekst)",
        "   in module.function() we see that",
    ],
)
def test_no_frame(line: str) -> None:
    assert frame_of(line) is None
    assert unknown_frame_of(line) is None


def test_every_language_of_the_table_is_read() -> None:
    for language in languages():
        for word in language.at:
            for line_word in language.line:
                for in_ in language.in_:
                    where = f"{in_} C:\\a.cs:{line_word} 7" if in_[0] != "~" else f"C:\\a.cs {in_[1:]}: {line_word} 7"
                    frame = frame_of(f"   {word} Acme.A.B(String s) {where}")
                    assert (language.code, place(frame)) == (language.code, ("Acme.A", "B", "C:\\a.cs", 7))
        for text in language.end_of_inner:
            marker = marker_of(f"   --- {text} ---")
            assert (language.code, marker and marker.is_end_of_inner) == (language.code, True)
        for text in language.end_of_previous:
            marker = marker_of(f"--- {text} ---")
            assert (language.code, marker and marker.is_end_of_inner) == (language.code, False)
        for text in language.inner:
            arrow = arrow_of(f"---> ({text} #3) System.IO.IOException: x<---")
            assert (language.code, arrow and arrow.number) == (language.code, 3)


def test_a_language_of_no_table_is_known_by_its_shape() -> None:
    frame = unknown_frame_of(r"   kod Acme.A.B(String s) wo C:\src\A.cs:zakaj 12")
    assert place(frame) == ("Acme.A", "B", r"C:\src\A.cs", 12)


def test_a_whole_trace_in_a_language_of_no_table() -> None:
    chain = only(
        "System.Exception: o ---> Acme.FooFailed: i\n   kod Acme.A.B(String s) wo C:\\a.cs:zak 12\n   --- bla bla bla ---\n"
        "   kod Acme.A.C()\n--- other words in some tongue ---\n   kod Acme.A.D()\n"
    )
    assert [frames for _, _, frames in printed(chain)] == [["Acme.A.C", "Acme.A.D"], ["Acme.A.B"]]


@pytest.mark.parametrize(
    ("rest", "expected"),
    [
        ("", (None, None)),
        (r" in C:\a b\c.cs:line 1", (r"C:\a b\c.cs", 1)),
        (r" 位置 D:\项目\订单.cs:行号 88", (r"D:\项目\订单.cs", 88)),
        (" in /_/src/A.cs:line 3", ("/_/src/A.cs", 3)),
        (" in <hash>:0", (None, None)),
    ],
    ids=["none", "blank", "chinese", "deterministic", "mono"],
)
def test_place(rest: str, expected: tuple[str | None, int | None]) -> None:
    found = place_of(rest)
    assert found is not None
    assert (found.filename, found.lineno) == expected


@pytest.mark.parametrize("rest", [" 中出错", " is slow", ": 12", " in the house"])
def test_no_place(rest: str) -> None:
    assert place_of(rest) is None


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
    normal = RUNTIME.normal_frame(frame)
    assert (f"{normal.module}.{normal.function}" if normal.module else normal.function) == key
    assert RUNTIME.normal_frame(normal) == normal
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
    assert RUNTIME.rank(Frame(function, module)) == rank


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
    assert RUNTIME.function_name(name) is None


HEADS = [
    ("System.Exception: m", "System.Exception", "m"),
    ("System.Exception", "System.Exception", None),
    ("System.Exception：消息", "System.Exception", "消息"),
    ("System.Data.SqlClient.SqlException (0x80131904): m", "System.Data.SqlClient.SqlException", "(0x80131904) m"),
    ("System.Net.Sockets.SocketException (10061): 拒绝", "System.Net.Sockets.SocketException", "(10061) 拒绝"),
    ("System.ServiceModel.FaultException`1[System.ServiceModel.ExceptionDetail]: m", "System.ServiceModel.FaultException`1[System.ServiceModel.ExceptionDetail]", "m"),
    ("Acme.Outer+InnerException: m", "Acme.Outer+InnerException", "m"),
    ("Unhandled exception. System.ArgumentException: x (Parameter 'a')", "System.ArgumentException", "x (Parameter 'a')"),
    ("未经处理的异常:  System.IO.IOException: 满", "System.IO.IOException", "满"),
    ("[ERROR] FATAL UNHANDLED EXCEPTION: Acme.GitFailed: m", "Acme.GitFailed", "m"),
    ("2024-01-31 09:12:44,107 [12] ERROR Acme.Db - System.IO.IOException: m", "System.IO.IOException", "m"),
    ("**System.IO.FileLoadException: m**", "System.IO.FileLoadException", "m"),
    ("NullReferenceException: m", "NullReferenceException", "m"),
    ("job failed: System.IO.IOException: disk full", "System.IO.IOException", "disk full"),
]  # fmt: skip


@pytest.mark.parametrize(("line", "type_", "message"), HEADS, ids=[row[0][:40] for row in HEADS])
def test_head(line: str, type_: str, message: str | None) -> None:
    head = head_of(line)
    assert head is not None
    assert (head.type, head.message) == (type_, message)


@pytest.mark.parametrize(
    "line",
    [
        "the method throws a System.ArgumentException if x is null",
        "java.lang.IllegalStateException: x",
        "com.acme.OrderException: x",
        "an Error: in the middle",
        "System.out.println(x)",
        "using System.Exception;",
    ],
)
def test_no_head(line: str) -> None:
    assert head_of(line) is None


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


ORDINARY = [
    "2024-01-31 09:12:44,107 INFO  [main] c.a.Service - started in 3.2 s at node1.prod:9092 (pid 12)",
    "2024-01-31 09:12:44 用户 42 在 10.0.0.1 登录成功 (token)",
    '10.0.0.1 - - [31/Jan/2024:09:12:44 +0800] "GET /a/b.aspx?x=1 HTTP/1.1" 200 512',
    "Jan 31 09:12:44 host kernel: [12.34] usb 1-1: new device in slot 3 (high speed)",
    "DEBUG Sql - SELECT a.b FROM t WHERE c IN (1, 2) -- in 12 ms",
    "commit 1a2b3c at branch main (clean); built Acme.Core.dll in 00:00:12",
    "--- a/src/Svc.cs", "+++ b/src/Svc.cs",
]  # fmt: skip


@pytest.mark.parametrize("line", ORDINARY)
def test_an_ordinary_line_has_no_needle(line: str) -> None:
    assert [needle for needle in RUNTIME.needles if re2.search(needle, line)] == []


@pytest.mark.parametrize("line", [row[1] for row in FRAMES if row[0] not in ("offset", "production", "mono wrapper")])
def test_a_frame_has_a_needle(line: str) -> None:
    assert [needle for needle in RUNTIME.needles if re2.search(needle, line)] != []


def test_an_arrow_in_a_message_is_no_inner_exception() -> None:
    chain = only("System.Exception: Text ---> Not a nested one\n   at A.B.C()\n")
    assert printed(chain) == [("System.Exception", "Text ---> Not a nested one", ["A.B.C"])]


def test_pieces_and_types() -> None:
    assert pieces_of(r"   at A.B.C(String s) in C:\x (x86)\a.b\c.cs:line 3") == [
        r"   at A.B.C(String s) in C:\x (x86)\a.b\c.cs:line 3"
    ]
    assert type_told("索引超出了数组界限。") == "System.IndexOutOfRangeException"
    assert type_told("订单不存在") is None


def test_normalised_once_is_normalised() -> None:
    for text in (GROUP, PAGE):
        normal = normalize(only(text))
        assert normalize(normal) == normal


@pytest.mark.parametrize(
    ("table", "problem"),
    [
        ("xx | at | in | line\n", "x.txt:1: 'xx | at | in | line' is not a language"),
        ("# a\nxx | | in | line | | |\n", "x.txt:2: 'xx | | in | line | | |' is not a language"),
    ],
)
def test_a_wrong_language_is_named(table: str, problem: str) -> None:
    with pytest.raises(RulesError) as raised:
        read_languages(table, "x.txt")
    assert raised.value.problem == problem


@pytest.mark.parametrize("table", ["alone\n", "a | b\nc | b\n"])
def test_a_wrong_sentence_is_named(table: str) -> None:
    with pytest.raises(RulesError):
        read_sentences(table, "x.txt")


@pytest.mark.parametrize("name", ["machinery", "platform", "framework", "roots", "localised"])
def test_bundled_lists_are_sound(name: str) -> None:
    found = names(f"dotnet_{name}")
    assert len(found.prefixes) + len(found.whole) > 10
