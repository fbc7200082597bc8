""".NET: frames and heads in every language and runtime, what is none, needles, the tables behind them."""

import pytest
import re2

from kb.errors import RulesError
from kb.trace.model import Frame
from kb.trace.rules import names
from kb.trace.runtimes.dotnet import RUNTIME
from kb.trace.runtimes.dotnet.frames import frame_of, place_of, unknown_frame_of
from kb.trace.runtimes.dotnet.heads import arrow_of, head_of, marker_of, pieces_of
from kb.trace.runtimes.dotnet.languages import languages, read_languages, read_sentences, type_of_message


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


def test_pieces_and_types() -> None:
    assert pieces_of(r"   at A.B.C(String s) in C:\x (x86)\a.b\c.cs:line 3") == [
        r"   at A.B.C(String s) in C:\x (x86)\a.b\c.cs:line 3"
    ]
    assert type_of_message("索引超出了数组界限。") == "System.IndexOutOfRangeException"
    assert type_of_message("订单不存在") is None


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
