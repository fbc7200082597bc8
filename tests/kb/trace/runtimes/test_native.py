"""Native traces: lines to frames, names to lasting names, whole readings, and what is no native trace."""

import pytest

from kb.trace import Level, fingerprints, normalize, normalize_function, parse
from kb.trace.runtimes.native.demangle.itanium import itanium
from kb.trace.runtimes.native.frames import frame_of, prefix_of
from kb.trace.runtimes.native.heads import head_of
from kb.trace.runtimes.native.names import lasting_function
from kb.trace.runtimes.native.signature import signature

# id, line, number, function, module, file, line number, in_app
FRAMES = [
    ("gdb-library", "#0  0x00007f12ab34cd56 in raise () from /lib64/libc.so.6", 0, "raise", "libc.so.6", None, None, False),
    ("gdb-source", "#1  leaf (n=n@entry=0, p=<optimized out>) at /src/c.c:5", 1, "leaf", None, "/src/c.c", 5, True),
    ("gdb-arguments-like-a-place", '#1  0x00005555 in ns::Foo<int>::bar (this=0x0, s="a) at b.c:3") at ../src/foo.cpp:12', 1, "ns::Foo<int>::bar", None, "../src/foo.cpp", 12, True),
    ("gdb-null-call", "#0  0x0000000000000000 in ?? ()", 0, None, "0x0", None, None, True),
    ("gdb-windows-path", "#0  f () at c:\\build\\src\\a.cpp", 0, "f", None, "c:\\build\\src\\a.cpp", None, True),
    ("bare", "#0 a", 0, "a", None, None, None, True),
    ("asan", "    #1 0x55 in ns::f(std::vector<int> const&) (/srv/a.out+0x1234) (BuildId: abcd)", 1, "ns::f", "a.out", None, None, True),
    ("asan-nameless", "    #3 0x5556  (/usr/lib/libx.so+0x1f2e3)", 3, None, "libx.so", None, None, True),
    ("asan-interceptor", "    #0 0x7ffaf08b89cf in __interceptor_malloc asan_malloc_linux.cpp:69", 0, "__interceptor_malloc", None, "asan_malloc_linux.cpp", 69, False),
    ("tsan-without-address", "    #1 leaf /src/c.c:5 (mod+0x123)", 1, "leaf", "mod", "/src/c.c", 5, True),
    ("systemd", "#0  0x00007f1200 n/a (libx.so + 0x1f2e3)", 0, None, "libx.so", None, None, True),
    ("lldb", "* frame #0: 0x0000555555555131 a.out`ns::Foo<int>::bar(this=0x00, x=3) at a.cpp:4:6", 0, "ns::Foo<int>::bar", "a.out", "a.cpp", 4, True),
    ("lldb-operator", "frame #1: 0x000055555555a184 shop`shop::Order::operator(this=0x00007f, price=3)(int) const at shop.cpp:41:68", 1, "shop::Order::operator()", "shop", "shop.cpp", 41, True),
    ("lldb-arguments-with-places", "frame #5: 0x00007ffff7a4524a libc.so.6`__libc_start_call_main(main=(shop`main at shop.cpp:69:36), argc=2) at libc_start_call_main.h:58:16", 5, "__libc_start_call_main", "libc.so.6", "libc_start_call_main.h", 58, False),
    ("glibc", "./c_plain(main+0x59)[0x55d1c0a2b1c9]", -1, "main", "c_plain", None, None, True),
    ("glibc-nameless", "./c_plain(+0x1169) [0x55d1c0a2b169]", -1, None, "c_plain", None, None, True),
    ("glog", "    @     0x7f12ab34cd56  ns::f()", -1, "ns::f", None, None, None, True),
    ("boost", " 0# f(int) at /src/a.cpp:12", 0, "f", None, "/src/a.cpp", 12, True),
    ("clickhouse", "0. ./src/Common/X.cpp:96: DB::f(int, bool) @ 0x0c67 in /usr/bin/clickhouse", 0, "DB::f", "clickhouse", "./src/Common/X.cpp", 96, True),
    ("node", " 1: 0xb090e0 node::Abort() [node]", 1, "node::Abort", "node", None, None, False),
    ("valgrind", "==12==    by 0x48: g (in /usr/lib/libx.so.3)", -1, "g", "libx.so.3", None, None, True),
    ("android", "      #01 pc 000000000001234c  /data/app/~~x==/com.foo-y==/lib/arm64/libapp.so (ns::f(int)+24) (BuildId: abc)", 1, "ns::f", "libapp.so", None, None, True),
    ("android-of-a-jvm-trace", "native: #00 pc 000000000004c35c  /system/lib64/libc.so (__ioctl+4)", 0, "__ioctl", "libc.so", None, None, False),
    ("apple", "0   Foo                           \t0x0000000100001234 -[Foo bar:] + 12 (Foo.m:12)", 0, "-[Foo bar:]", "Foo", "Foo.m", 12, True),
    ("apple-nameless", "3   Foo   0x0000000104abc123 0x104a00000 + 1234", 3, None, "Foo", None, None, True),
    ("apple-swift-closure", "5   Shop  0x1025b1b28 closure #1 in Order.run() + 40 (Order.swift:31)", 5, "closure #1 in Order.run", "Shop", "Order.swift", 31, True),
    ("breakpad", " 0  libfoo.so!ns::f(int) [file.cc : 12 + 0x5]", 0, "ns::f", "libfoo.so", "file.cc", 12, True),
    ("breakpad-nameless", " 1  libfoo.so + 0x1234", 1, None, "libfoo.so", None, None, True),
    ("windbg", "00 000000d2`1234f678 00007ff6`1234abcd app!ns::Foo::bar+0x12 [c:\\src\\foo.cpp @ 12]", 0, "ns::Foo::bar", "app", "c:\\src\\foo.cpp", 12, True),
    ("windbg-short", "ntdll!RtlUserThreadStart+0x21", -1, "RtlUserThreadStart", "ntdll", None, None, False),
    ("visual-studio", ">\tapp.exe!ns::f(int x=3) Line 12\tC++", -1, "ns::f", "app.exe", None, 12, True),
]  # fmt: skip
OTHERS = [
    ("php", "#0 /srv/a.php(12): foo()"), ("php-end", "#1 {main}"), ("dart", "#0      main (package:app/main.dart:10:3)"), ("heading", "# 0x12 things"),
    ("sentence", "#0 Fix the bug in this"), ("java", "\tat a.b.C.m(C.java:1)"), ("rust", "   3: acme::load"), ("go", "main.main()"), ("list", "1. Do this"),
    ("log", "2024-01-01 10:00:00 INFO worker#3 got 0x1234 at step 4"), ("kernel", "[  12.3]  do_exit+0x12/0x34"), ("mail", "someone@0x.example.org said"),
]  # fmt: skip
# id, printed, lasting
NAMES = [
    ("arguments-and-return", "void ns::Foo<int, std::string>::bar(int) const", "ns::Foo::bar"),
    ("operator", "ns::operator<<(std::ostream&, A const&)", "ns::operator<<"),
    ("operator-template", "bool ns::operator< <int>(A<int> const&, B)", "ns::operator<"),
    ("cast", "Foo::operator int() const", "Foo::operator int"),
    ("new", "operator new[](unsigned long)", "operator new[]"),
    ("lambda-gcc", "foo::{lambda(int)#1}::operator()(int) const", "foo::lambda::operator()"),
    ("lambda-in-const", "A::f() const::{lambda()#1}::operator()() const", "A::f::lambda::operator()"),
    ("lambda-llvm", "load()::'lambda'(int)::operator()(int) const", "load::lambda::operator()"),
    ("lambda-clang", "load()::$_0::operator()(int) const", "load::lambda::operator()"),
    ("lambda-msvc", "<lambda_8d1c1b8a5e0f4a7f9b0c1d2e3f405162>::operator()", "lambda::operator()"),
    ("inline-namespace", "std::__1::vector<int>::at", "std::vector::at"),
    ("abi-tag", "foo::bar[abi:cxx11](int)", "foo::bar"),
    ("compared-template-argument", "std::enable_if<(1>2), int>::type ns::f<3>(int)", "ns::f"),
    ("returned-template", "std::__cxx11::list<int> const& ns::f<int>(int)", "ns::f"),
    ("anonymous-msvc", "`anonymous namespace'::total", "(anonymous namespace)::total"),
    ("clone", "foo.constprop.0.isra.1", "foo"),
    ("cold", "_ZN3foo3barEi.cold", "foo::bar"),
    ("version", "pthread_cond_wait@@GLIBC_2.3.2", "pthread_cond_wait"),
    ("variant", "__memcpy_avx_unaligned_erms", "memcpy"),
    ("alias", "__GI___assert_fail", "__assert_fail"),
    ("interceptor", "__interceptor_malloc", "malloc"),
    ("itanium", "_ZN12_GLOBAL__N_15startEv", "(anonymous namespace)::start"),
    ("itanium-lambda", "_ZZ4loadvENKUliE_clEi", "load::lambda::operator()"),
    ("itanium-local-template", "_ZNSt6vectorIN4llvm9StackMaps12CallsiteInfoESaIS2_EE17_M_realloc_insertIJRPKNS0_6MCExprEEEEvv", "std::vector::_M_realloc_insert"),
    ("itanium-thunk", "_ZThn16_N3FooD0Ev", "Foo::~Foo"),
    ("itanium-apple", "__ZN3foo3barEv", "foo::bar"),
    ("msvc", "?h@@YAXH@Z", "h"),
    ("msvc-template", "??$g@V?$vector@HV?$allocator@H@std@@@std@@@ns@@YAXV?$vector@HV?$allocator@H@std@@@std@@@Z", "ns::g"),
    ("msvc-constructor", "??0Foo@ns@@QEAA@XZ", "ns::Foo::Foo"),
    ("msvc-local", "?f@?1??g@@YAXXZ@YAXXZ", "g::f"),
    ("msvc-anonymous", "?f@?A0x12345678@@YAXXZ", "(anonymous namespace)::f"),
    ("swift", "$s4main3FooC3baryyF", "main.Foo.bar"),
    ("swift-words", "$s4main0A3FooC3baryyF", "main.mainFoo.bar"),
    ("swift-closure", "$s4main3FooC3bar1xySi_tFyyXEfU_", "main.Foo.bar.closure"),
    ("block", "__45-[Foo load:]_block_invoke_2", "-[Foo load:]_block_invoke"),
    ("category", "-[Foo(Private) bar:]", "-[Foo bar:]"),
    ("il2cpp", "Foo__ctor_m0123456789abcdef0123456789abcdef01234567", "Foo__ctor"),
    ("plain", "main", "main"),
    ("broken-mangling", "_ZN3fooE4", "foo"),
    ("no-mangling", "_Zebra", "_Zebra"),
    ("open-bracket", "f(", "f("),
]  # fmt: skip
# id, line, type, message
HEADS = [
    ("gdb", "Program received signal SIGSEGV, Segmentation fault.", "SIGSEGV", "Segmentation fault"),
    ("gdb-core", "Program terminated with signal 11, Segmentation fault.", "SIGSEGV", "Segmentation fault"),
    ("gdb-thread", 'Thread 2 "shop" received signal SIGABRT, Aborted.', "SIGABRT", "Aborted"),
    ("shell", "段错误 (核心已转储)", "SIGSEGV", None),
    ("asan", "==1==ERROR: AddressSanitizer: heap-buffer-overflow on address 0x60200000001a at pc 0x5", "heap-buffer-overflow", None),
    ("asan-double-free", "==1==ERROR: AddressSanitizer: attempting double-free on 0x602 in thread T0:", "double-free", None),
    ("asan-bad-free", "==1==ERROR: AddressSanitizer: attempting free on address which was not malloc()-ed: 0x1 in thread T0", "bad-free", None),
    ("tsan", "WARNING: ThreadSanitizer: data race (pid=12)", "data race", None),
    ("ubsan", "/src/a.c:5:3: runtime error: signed integer overflow: 2147483647 + 1 cannot be represented in type 'int'", "signed integer overflow", "2147483647 + 1 cannot be represented in type 'int'"),
    ("ubsan-sentence", "a.c:5:3: runtime error: division by zero", "division by zero", "division by zero"),
    ("libfuzzer", "==12== ERROR: libFuzzer: timeout after 25 seconds", "timeout", None),
    ("assert", "shop: a.cpp:80: int ns::f(int): Assertion `x > 0' failed.", "Assertion failed", "x > 0"),
    ("assert-apple", "Assertion failed: (x > 0), function f, file a.c, line 12.", "Assertion failed", "x > 0"),
    ("heap", "free(): invalid pointer", "free()", "invalid pointer"),
    ("heap-detail", "double free or corruption (fasttop)", "double free or corruption", "fasttop"),
    ("heap-old", "*** Error in `./prog': double free or corruption (fasttop): 0x00000000023b5010 ***", "double free or corruption", "fasttop"),
    ("smash", "*** stack smashing detected ***: terminated", "stack smashing detected", None),
    ("terminate", "terminate called after throwing an instance of 'std::out_of_range'", "std::out_of_range", None),
    ("libcxxabi", "libc++abi: terminating due to uncaught exception of type std::runtime_error: no", "std::runtime_error", "no"),
    ("check", "F0301 09:12:44.120532  4711 store.cc:33] Check failed: item != nullptr 价格为空", "Check failed", "item != nullptr 价格为空"),
    ("android", "Fatal signal 11 (SIGSEGV), code 1 (SEGV_MAPERR), fault addr 0x0", "SIGSEGV", "code 1 (SEGV_MAPERR), fault addr 0x0"),
    ("apple", "Exception Type:        EXC_BAD_ACCESS (SIGSEGV)", "EXC_BAD_ACCESS", "SIGSEGV"),
    ("apple-watchdog", "Exception Type:  00000020", "00000020", None),
    ("cocoa", "2024-03-01 09:12:44 Shop[1:2] *** Terminating app due to uncaught exception 'NSRangeException', reason: 'out'", "NSRangeException", "out"),
    ("breakpad", "Crash reason:  SIGSEGV /SEGV_MAPERR", "SIGSEGV", "SEGV_MAPERR"),
    ("windows", "(1a2c.1f30): Access violation - code c0000005 (first chance)", "Access violation", "c0000005"),
    ("mysql", "10:00:00 UTC - mysqld got signal 11 ;", "SIGSEGV", None),
]  # fmt: skip


@pytest.mark.parametrize("row", FRAMES, ids=[row[0] for row in FRAMES])
def test_frame(row: tuple[object, ...]) -> None:
    printed = frame_of(str(row[1]))
    assert printed is not None
    frame = printed.frame
    found = (printed.number, frame.function, frame.module, frame.filename, frame.lineno, frame.in_app)
    assert found == row[2:]
    assert frame.raw == str(row[1]).strip()


@pytest.mark.parametrize("line", [row[1] for row in OTHERS], ids=[row[0] for row in OTHERS])
def test_what_is_no_frame(line: str) -> None:
    assert frame_of(line) is None
    assert [chain for chain in parse(line + "\n" + line + "\n") if chain.runtime == "native"] == []


def test_a_log_prefix_is_told_from_the_frame() -> None:
    line = "11-12 10:00:00.123  1234  1234 F DEBUG   :       #00 pc 0004c35c  /system/lib/libc.so (abort+4)"
    assert prefix_of(line) == line[: line.index("#")]


@pytest.mark.parametrize(("printed", "lasting"), [row[1:] for row in NAMES], ids=[row[0] for row in NAMES])
def test_lasting_name(printed: str, lasting: str) -> None:
    assert lasting_function(printed) == lasting
    assert lasting_function(lasting) == lasting


@pytest.mark.parametrize(("line", "name", "message"), [row[1:] for row in HEADS], ids=[row[0] for row in HEADS])
def test_head(line: str, name: str, message: str | None) -> None:
    head = head_of(line)
    assert head is not None
    assert (head.type, head.message) == (name, message)


@pytest.mark.parametrize(
    "line",
    [
        "received signal 15, shutting down",
        "Assertions failed to convince",
        "the signal was lost",
        "Exception Type: KeyError at /pay/",
        "Exception Type: System.InvalidOperationException",
        "Fatal error: Uncaught Error: x in a.php:3",
    ],
)
def test_what_says_nothing_of_a_native_fault(line: str) -> None:
    assert [chain for chain in parse(f"{line}\nand more\n") if chain.runtime == "native"] == []


@pytest.mark.parametrize(
    "name",
    [
        "a::b",
        "Net::ReadTimeout",
        "see Foo::bar() for why it fails",
        "std::vector",
        "x < y and y > z",
        "core::ops::FnOnce::call_once::h0123456789abcdef",
    ],
)
def test_a_line_that_is_no_native_function(name: str) -> None:
    assert [chain for chain in parse(name) if chain.runtime == "native"] == []


def test_letters_are_no_mangled_name() -> None:
    assert normalize_function("f") == "f"
    assert itanium("f") is None


def test_a_mangled_name_never_blows_up() -> None:
    name = "_Z1fPFviE" + "".join(f"PFvS{digit}_S{digit}_E" for digit in "0123456789ABCDEF" * 100)
    assert len(lasting_function(name)) <= len(name)
    assert signature("a<" * 3_000) is None


def only(text: str) -> tuple[str | None, str | None, list[str | None]]:
    (chain,) = parse(text)
    (exception,) = chain.exceptions
    return exception.type, exception.message, [frame.function for frame in exception.stack.frames]


def test_an_uncaught_exception_says_more_than_its_signal() -> None:
    text = "terminate called after throwing an instance of 'E'\n  what():  no\nProgram received signal SIGABRT, Aborted.\n#0  raise () from libc.so.6\n#1  f () at a.c:1\n"
    assert only(text) == ("E", "no", ["raise", "f"])


@pytest.mark.parametrize(
    ("text", "runtimes"),
    [
        ("Unhandled exception. System.Exception: x\n   at P.Main()\nAborted (core dumped)\n", ["dotnet"]),
        ("Unhandled exception. System.Exception: x\n   at P.Main()\nfatal\n\nAborted (core dumped)\n", ["dotnet"]),
        (
            "Unhandled exception. System.Exception: x\n   at P.Main()\nnext\nSegmentation fault (core dumped)\n",
            ["dotnet", "native"],
        ),
        (
            "Unhandled exception. System.Exception: x\n   at P.Main()\n" + "went on\n" * 12 + "Aborted (core dumped)\n",
            ["dotnet", "native"],
        ),
        ("$ ./app\nAborted (core dumped)\n", ["native"]),
        ("Aborted (core dumped)\n$ \n", ["native"]),
    ],
    ids=["right-below", "a-little-below", "segfault-is-news", "far-below", "alone", "first"],
)
def test_a_shells_aborted_line_belongs_to_the_trace_above(text: str, runtimes: list[str]) -> None:
    assert [chain.runtime for chain in parse(text)] == runtimes


@pytest.mark.parametrize(
    ("line", "in_app"),
    [
        ("#1  0x00005581a3c0f111 in shop::total (a=1) at total.cc:3", True),
        ("1. ./src/Common/Exception.h:111: DB::Exception::Exception<String>(int, String&&) @ 0x000000000b4a9d2d in /usr/bin/x", False),
        ("    @     0x5581a3c0df1a  (unknown)", False),
    ],
    ids=["own", "a-template-of-the-lists", "nothing-known"],
)  # fmt: skip
def test_whose_a_frame_is(line: str, in_app: bool) -> None:  # noqa: FBT001 - a table's column
    printed = frame_of(line)
    assert printed is not None
    assert printed.frame.in_app is in_app


def test_secondary_stacks_become_notes() -> None:
    text = "==1==ERROR: AddressSanitizer: heap-use-after-free on address 0x1\nREAD of size 4 at 0x1 thread T0\n    #0 0x5561 in f /a.c:1\n\nfreed by thread T0 here:\n    #0 0x5561 in g /a.c:2\n"
    (chain,) = parse(text)
    assert [frame.function for frame in chain.exceptions[0].stack.frames] == ["f"]
    assert chain.exceptions[0].message == "READ of size 4"
    assert chain.notes == ("a further stack was passed over: freed by thread T0 here",)


def test_a_terminal_broke_the_frame() -> None:
    text = "#0  f (a=1,\n    b=2) at a.c:5\n#1  0x00007f1234 in main (argc=1)\n    at b.c:6\n"
    (chain,) = parse(text)
    assert [(frame.function, frame.filename, frame.lineno) for frame in chain.exceptions[0].stack.frames] == [
        ("f", "a.c", 5),
        ("main", "b.c", 6),
    ]


def test_frames_joined_into_one_line() -> None:
    (chain,) = parse(
        "==1==ERROR: AddressSanitizer: SEGV on unknown address\n#0 0x5561 in f /a.c:1 #1 0x5562 in g /a.c:2\n"
    )
    assert [frame.function for frame in chain.exceptions[0].stack.frames] == ["f", "g"]


@pytest.mark.parametrize(
    ("one", "other", "level", "is_same"),
    [
        ("#0  memcpy ()\n#1  f () at c.c:5", "#0  __memcpy_ssse3 ()\n#1  f () at d/c.c:9", Level.EXACT, True),
        ("#0  f () at a.c:1\n#1  g () at a.c:2", "#0  f () at b.c:1\n#1  g () at a.c:2", Level.EXACT, False),
        ("#0  ns::f () at a.c:1\n#1  g () at a.c:2", "#0  ns::f () from libx.so\n#1  g () at a.c:2", Level.EXACT, True),
        ("    #0 0x1 (/usr/lib/libx.so+0x001f2e3)", "    #0 0x2 (/opt/libx.so.3+0x1f2e3)", Level.EXACT, True),
        ("    #0 0x1 (/usr/lib/libx.so+0x1f2e3)", "    #0 0x1 (/usr/lib/libx.so+0x1f2e4)", Level.EXACT, False),
        ("    #0 0x1 (/usr/lib/libx.so+0x1f2e3)", "    #0 0x1 (/usr/lib/libx.so+0x1f2e4)", Level.LOOSE, True),
        ("#0  raise ()\n#1  f () at a.c:1", "Program received signal SIGABRT, Aborted.\n#0  abort ()\n#1  f () at a.c:3", Level.LOOSE, True),
    ],
    ids=["variant", "file", "qualified", "library-version", "offset", "offset-loose", "type-not-in-loose"],
)  # fmt: skip
def test_what_is_the_same(one: str, other: str, level: Level, *, is_same: bool) -> None:
    digests = [fingerprints(parse(text)[0])[level].digest for text in (one, other)]
    assert (digests[0] == digests[1]) is is_same


@pytest.mark.parametrize("line", [row[1] for row in FRAMES], ids=[row[0] for row in FRAMES])
def test_a_normal_frame_stays(line: str) -> None:
    (chain,) = parse(f"Program received signal SIGSEGV, Segmentation fault.\n{line}\n")
    assert normalize(normalize(chain)) == normalize(chain)
