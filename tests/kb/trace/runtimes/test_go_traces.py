"""Go: panics, fatal errors, dumps, race reports and errors with stacks, in the shapes in which they are pasted."""

import pytest

from kb.trace import ExceptionChain, Level, Relation, parse
from kb.trace.runtimes.go.syntax import created_by
from tests.kb.trace.reading import digest, only

HEADER = "goroutine 1 [running]:\n"


def stack(*calls: str, header: str = HEADER) -> str:
    return header + "".join(f"{call}\n\t/s/m.go:7 +0x1d\n" for call in calls)


def names(chain: ExceptionChain, at: int = 0) -> list[str]:
    return [f"{f.module}.{f.function}" if f.module else str(f.function) for f in chain.exceptions[at].stack.frames]


def test_a_panic() -> None:
    text = f"panic: boom 7\n\n{stack('a.b/c.(*T).M(0x1)', 'main.main()')}exit status 2\n"
    chain = only(text)
    assert (chain.exceptions[0].type, chain.exceptions[0].message, chain.thread) == ("panic", "boom 7", "goroutine 1")
    top = chain.exceptions[0].stack.frames[0]
    assert (top.module, top.function, top.filename, top.lineno, top.in_app) == ("a.b/c", "(*T).M", "/s/m.go", 7, True)
    assert text[slice(*chain.span)] == text.rstrip()


def test_the_standard_library_and_the_module_cache_are_not_the_application() -> None:
    chain = only(
        f"panic: x\n\n{HEADER}net/http.(*ServeMux).ServeHTTP(0x1)\n\t/usr/local/go/src/net/http/server.go:2487 +0x1\n"
        "x.y/z.F()\n\t/go/pkg/mod/x.y/z@v1.2.3/z.go:3\nx.y/app.G()\n\t/b/app/g.go:3\n"
    )
    assert [f.in_app for f in chain.exceptions[0].stack.frames] == [False, False, True]


def test_the_signal_is_a_note_and_not_the_message() -> None:
    chain = only(f"panic: runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x48e32b]\n\n{stack('main.f()')}")  # fmt: skip
    assert chain.exceptions[0].message == "runtime error: invalid memory address or nil pointer dereference"
    assert chain.notes[0].startswith("signal SIGSEGV: ")


def test_a_panic_while_handling_a_panic_is_its_context() -> None:
    chain = only(
        f"panic: first [recovered]\n\tpanic: second\n\n{stack('main.f.func1()', 'panic({0x1, 0x2})', 'main.f()', 'main.main()')}"
    )
    assert [(e.message, e.relation, e.parent) for e in chain.exceptions] == [
        ("second", None, None),
        ("first", Relation.CONTEXT, 0),
    ]
    assert names(chain) == ["main.f.func1", "panic", "main.f", "main.main"]
    assert names(chain, 1) == ["panic", "main.f", "main.main"]
    assert chain.root.message == "second"


def test_three_panics_each_with_the_frames_it_was_raised_at() -> None:
    calls = ("main.c()", "panic({})", "main.b()", "panic({})", "main.a()")
    chain = only(f"panic: one\n\tpanic: two [recovered]\n\tpanic: three\n\n{stack(*calls)}")
    assert [e.message for e in chain.exceptions] == ["three", "two", "one"]
    assert [names(chain, at)[-1] for at in range(3)] == ["main.a"] * 3
    assert [len(names(chain, at)) for at in range(3)] == [5, 4, 2]


@pytest.mark.parametrize(
    "head",
    ["panic: x [recovered]\n\tpanic: x", "panic: x [recovered, repanicked]", "panic: x"],
    ids=["old", "1.23", "plain"],
)
def test_a_panic_raised_anew_is_one_panic_at_its_first_raise_point(head: str) -> None:
    chain = only(f"{head}\n\n{stack('testing.tRunner.func1()', 'panic({0x1})', 'main.f()')}")
    assert [e.message for e in chain.exceptions] == ["x"]
    assert names(chain) == ["panic", "main.f"]


def test_a_message_over_several_lines() -> None:
    chain = only(f"panic: 订单 42 失败：\n库存不足\n\n请联系\n\n{stack('main.f()')}")
    assert chain.exceptions[0].message == "订单 42 失败：\n库存不足\n请联系"


def test_the_failing_goroutine_counts_and_the_others_are_noted() -> None:
    other = stack("main.g()", header="goroutine 7 [select, 5 minutes]:\n")
    chain = only(
        "fatal error: runtime: out of memory\n\n" + stack("runtime.throw({0x1, 0x2})", header="runtime stack:\n")
        + "\n" + stack("runtime.sysMap()", header="goroutine 0 [idle]:\n") + "\n" + stack("main.alloc()") + "\n" + other + "\n" + other
    )  # fmt: skip
    assert names(chain) == ["main.alloc"]
    assert chain.notes == ("the runtime stack was passed over", "3 further goroutines were passed over")


def test_without_a_goroutine_the_runtime_stack_has_to_do() -> None:
    chain = only("fatal error: out of memory\n\n" + stack("runtime.throw({0x1, 0x2})", header="runtime stack:\n"))
    assert names(chain) == ["runtime.throw"]


def test_who_started_a_goroutine_is_no_frame() -> None:
    chain = only(f"panic: x\n\n{stack('main.f()')}created by main.main in goroutine 1\n\t/s/m.go:20 +0x2\n")
    assert names(chain) == ["main.f"]
    assert chain.notes == ("the goroutine was started by main.main",)
    assert created_by("created by testing.(*T).Run") == "testing.(*T).Run"


def test_each_goroutine_of_a_dump_is_a_chain() -> None:
    text = "SIGQUIT: quit\nPC=0x463c80 m=0 sigcode=0\n\n" + "\n".join(
        stack(call, header=f"goroutine {number} [{state}]:\n")
        for number, (call, state) in enumerate(
            [("runtime.epollwait()", "idle"), ("main.a()", "IO wait, 5 minutes"), ("main.b()", "semacquire")]
        )
    )
    chains = parse(text)
    assert [(c.thread, c.root.type, c.root.message, names(c)) for c in chains] == [
        ("goroutine 1", None, "IO wait", ["main.a"]),
        ("goroutine 2", None, "semacquire", ["main.b"]),
    ]
    assert not any(c.head_truncated for c in chains)


def test_what_debug_stack_printed_begins_where_it_panicked() -> None:
    chain = only(
        "2024/05/01 10:00:00 recovered in pay: boom\n"
        + stack("runtime/debug.Stack()", "main.h.func1()", "panic({0x1})", "main.h()")
    )
    assert (chain.root.type, chain.root.message) == ("panic", "recovered in pay: boom")
    assert names(chain) == ["panic", "main.h"]


def test_a_goroutine_behind_words_on_one_line() -> None:
    chain = only("[PANIC RECOVER] boom " + stack("main.f()"))
    assert (chain.root.message, names(chain)) == ("boom", ["main.f"])


def test_joined_by_blanks() -> None:
    chain = only(
        "panic: boom goroutine 1 [running]: main.f(0x1) /s/m.go:7 +0x1 main.main() /s/m.go:9 +0x2 exit status 2"
    )
    assert (chain.root.message, names(chain)) == ("boom", ["main.f", "main.main"])


@pytest.mark.parametrize("prefix", ["2024/05/01 10:00:0{} ", "app_1  | ", "2024-05-01T10:00:0{}.000Z stderr: ", "> "])
def test_every_line_behind_a_prefix(prefix: str) -> None:
    text = f"panic: boom\n\n{stack('main.f()', 'main.main()')}"
    dressed = "".join(f"{prefix.format(at % 10)}{line}\n" for at, line in enumerate(text.splitlines()))
    assert names(only(dressed)) == ["main.f", "main.main"]


def test_errors_with_stacks() -> None:
    text = "2024/05/01 10:00:00 open x: no such file\nread prices\nmain.f\n\t/s/m.go:7\nmain.main\n\t/s/m.go:9\nload shop\nmain.main\n\t/s/m.go:8\n"
    chain = only(text)
    assert [(e.type, e.message, e.relation) for e in chain.exceptions] == [
        ("error", "load shop", None),
        ("error", "read prices: open x: no such file", Relation.CAUSE),
    ]
    assert names(chain, 1) == ["main.f", "main.main"]
    assert text[slice(*chain.span)] == text.rstrip()


def test_a_logger_with_fields() -> None:
    chain = only(
        '2024-05-01T10:00:00.000Z\tERROR\ta/b.go:3\tfailed\t{"id": 7, "error": "timeout"}\nmain.f\n\t/s/m.go:7\n'
    )
    assert (chain.root.message, names(chain)) == ("failed: timeout", ["main.f"])


# (id, what the record says, message)
LOGFMT = [
    ("error", 'msg="failed" error="timeout"', "failed: timeout"),
    ("panic", 'msg=recovered panic="boom" user=7', "boom"),
    ("quotes", 'msg="say \\"boom\\"" user=7', 'say "boom"'),
]


@pytest.mark.parametrize(("said", "message"), [r[1:] for r in LOGFMT], ids=[r[0] for r in LOGFMT])
def test_a_logger_of_keys_and_values(said: str, message: str) -> None:
    chain = only(
        f'time="2024-05-01T10:00:00Z" level=error {said} stack="goroutine 7 [running]:\\nmain.f()\\n\\t/s/m.go:7 +0x1\\n"\n'
    )
    assert (chain.root.message, chain.thread, names(chain)) == (message, "goroutine 7", ["main.f"])


def test_a_panic_behind_a_log_is_another() -> None:
    """The message of the one above ends there; one whose words stand behind other words is still its message."""
    text = "panic: a\n2024-05-01 10:00:00 panic: b\n\ngoroutine 1 [running]:\nmain.f()\n\t/s/m.go:7 +0x1\n"
    assert [e.message for e in only(text).exceptions] == ["b"]


def test_a_stack_in_a_record() -> None:
    chain = only('{"level":"error","msg":"x","stacktrace":"main.f\\n\\t/s/m.go:7\\nmain.main\\n\\t/s/m.go:9"}\n')
    assert (chain.runtime, names(chain)) == ("go", ["main.f", "main.main"])


def test_a_race_is_two_accesses() -> None:
    stacks = "  main.f()\n      /s/m.go:7 +0x1\n\n"
    text = f"WARNING: DATA RACE\nRead at 0x00c0 by goroutine 7:\n{stacks}Previous write at 0x00c0 by main goroutine:\n{stacks}Goroutine 7 (running) created at:\n{stacks}"
    chain = only(text + "==================\n")
    assert [(e.type, e.message, e.relation) for e in chain.exceptions] == [
        ("DATA RACE", "Read at 0x00c0 by goroutine 7", None),
        ("DATA RACE", "Previous write at 0x00c0 by main goroutine", Relation.CONTEXT),
    ]
    assert digest(text, Level.EXACT) == digest(text.replace("by goroutine 7", "by main goroutine"), Level.EXACT)


def test_frames_in_the_middle_have_no_head() -> None:
    chain = only("main.f(0x1)\n\t/s/m.go:7 +0x1\nmain.main()\n\t/s/m.go:9 +0x2\n")
    assert (chain.head_truncated, chain.root.type, names(chain)) == (True, None, ["main.f", "main.main"])


def test_a_place_or_a_call_that_was_wrapped() -> None:
    chain = only(
        "panic: x\n\ngoroutine 1 [running]:\nmain.f(0x1,\n 0x2)\n\t/s/m.go:7 +0x1\nmain.g()\n\t/s/very/lo\nng.go:8 +0x2\n"
    )
    assert [(f.function, f.filename) for f in chain.root.stack.frames] == [("f", "/s/m.go"), ("g", "/s/very/long.go")]


def test_dots_of_an_author_and_elided_frames() -> None:
    chain = only(
        f"panic: x\n\n{stack('main.f()')}...\nmain.g()\n\t/s/m.go:9\n...23 frames elided...\nmain.main()\n\t/s/m.go:9\n"
    )
    assert names(chain) == ["main.f", "main.g", "main.main"]
    assert chain.notes == ("the runtime left frames out: ...23 frames elided...",)


def test_what_the_runtime_says_of_its_memory_is_passed_over() -> None:
    memory = "runtime: unexpected return pc for runtime.f called from 0x0\nstack: frame={sp:0x7f, fp:0x7f} stack=[0x7f,0x7f)\n00007f5918d8f4d8:  000000c000000900  01000000000003e8 \n00007f5918d8f5d8: <00000000013dce54  0000000000000012 \n"
    chain = only(
        f"fatal error: bad lfnode address\n\nruntime stack:\n{memory}runtime.throw(0x1)\n\t/r/panic.go:7 +0x1\n{memory}\n{stack('main.f()')}"
    )
    assert names(chain) == ["main.f"]


def test_a_thousand_frames_are_kept() -> None:
    chain = only("panic: x\n\n" + stack(*[f"main.f{n}()" for n in range(2_000)]))
    assert len(chain.root.stack.frames) == 1_024
    assert chain.notes == ("976 frames were not kept",)


@pytest.mark.parametrize(
    "text",
    [
        "panic: page fault\ncpuid = 0\nKDB: stack backtrace:\n",
        "x.c:1:10: fatal error: x.h: No such file or directory\ncompilation terminated.\n",
        "I0514 12:00:00.000000 1 main.go:42] listening\nI0514 12:00:01.000000 1 main.go:43] done\n",
        "2024/05/01 10:00:00 /app/repo.go:42 record not found\n[1.2ms] SELECT 1\n",
        "see\n\t/s/m.go:7\nfor it\n",
        "the goroutine 7 [main] ran\nwell\n",
        "kernel: don't\nKernel panic - not syncing: x\n",
    ],
    ids=["bsd", "gcc", "klog", "gorm", "mention", "words", "kernel"],
)  # fmt: skip
def test_what_is_no_trace_of_go(text: str) -> None:
    assert not any(chain.runtime == "go" for chain in parse(text))


@pytest.mark.parametrize(
    ("line", "type_", "message"),
    [
        ("panic: runtime error: index out of range [5] with length 3", "panic", "runtime error: index out of range [5] with length 3"),
        ("fatal error: all goroutines are asleep - deadlock!", "fatal error", "all goroutines are asleep - deadlock!"),
        ("2024/05/01 10:00:00 http: panic serving 10.0.0.1:2: boom", "panic", "boom"),
    ],
    ids=["panic", "fatal", "serving"],
)  # fmt: skip
def test_a_single_line(line: str, type_: str, message: str) -> None:
    chain = only(line)
    assert (chain.runtime, chain.root.type, chain.root.message) == ("go", type_, message)
