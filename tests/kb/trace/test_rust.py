"""Rust: panics in both forms, backtraces short and full, aborts, and the reports of error crates."""

import pytest

from kb.trace import ExceptionChain, Level, Relation, fingerprints, normalize, normalize_function, parse
from kb.trace.runtimes.rust import RUNTIME
from kb.trace.runtimes.rust.mangling import demangled
from kb.trace.runtimes.rust.names import is_installed, lasting_file, lasting_name, rank_of, without_arguments
from kb.trace.runtimes.rust.syntax import entry_of, place_of

NEW = "thread 'main' panicked at src/a.rs:2:9:\n"
NOTE = "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n"


def only(text: str) -> ExceptionChain:
    (chain,) = parse(text)
    return chain


def backtrace(*names: str) -> str:
    return "stack backtrace:\n" + "".join(
        f"{at:>4}: {name}\n             at ./src/a.rs:{at + 1}:9\n" for at, name in enumerate(names)
    )


def names(chain: ExceptionChain, at: int = 0) -> list[str | None]:
    return [frame.function for frame in chain.exceptions[at].stack.frames]


def digest(text: str, level: Level) -> str:
    return fingerprints(only(text))[level].digest


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("   3: acme::load", "acme::load"),
        ("  12: acme::load::h0123456789abcdef", "acme::load::h0123456789abcdef"),
        ("   0:     0x557e259f793c - std::panicking::default_hook", "std::panicking::default_hook"),
        ("  35:                0x0 - <unknown>", "<unknown>"),
        ("   3: <acme::Foo as core::fmt::Debug>::fmt", "<acme::Foo as core::fmt::Debug>::fmt"),
        ("   4: acme::f::<i32, &dyn core::ops::Fn<(), Output = i32> + core::marker::Sync>", "acme::f::<i32, &dyn core::ops::Fn<(), Output = i32> + core::marker::Sync>"),
        ("   9: main", "main"),
        ("   2: <[T] as acme::Len>::len", "<[T] as acme::Len>::len"),
        ("   0: reading the file", None),
        ("   1: No such file or directory (os error 2)", None),
        ("   1: ", None),
        ("10:00:00: acme", None),
    ],
    ids=["short", "hash", "full", "unknown", "trait", "generics", "c", "slice", "cause", "os-error", "empty", "time"],
)  # fmt: skip
def test_entries(line: str, name: str | None) -> None:
    found = entry_of(line)
    assert (found[0] if found is not None else None) == name


@pytest.mark.parametrize(
    ("line", "place"),
    [
        ("             at ./src/a.rs:2:9", ("./src/a.rs", 2, 9)),
        ("             at src/order.rs:12", ("src/order.rs", 12, None)),
        ("             at C:\\acme\\src\\a.rs:2:9", ("C:\\acme\\src\\a.rs", 2, 9)),
        ("             at /rustc/59807616e1fa/library/core/src/panicking.rs:80:14", ("/rustc/59807616e1fa/library/core/src/panicking.rs", 80, 14)),
        ("\tat com.acme.B.c(B.java:3)", None),
        ("    at f (/srv/a.js:2:1)", None),
    ],
    ids=["new", "old", "windows", "rustc", "java", "node"],
)  # fmt: skip
def test_places(line: str, place: tuple[str, int, int | None] | None) -> None:
    found = place_of(line)
    assert ((found.filename, found.lineno, found.column) if found is not None else None) == place


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("_ZN4acme4load17h0123456789abcdefE", "acme::load"),
        ("_ZN4core3fmt9Formatter3pad17h0123456789abcdefE.llvm.0A1B2C", "core::fmt::Formatter::pad"),
        ("_ZN46_$LT$acme..Foo$u20$as$u20$core..fmt..Debug$GT$3fmt17h0123456789abcdefE", "<acme::Foo as core::fmt::Debug>::fmt"),
        ("_ZN4acme4load28_$u7b$$u7b$closure$u7d$$u7d$17h0123456789abcdefE", "acme::load::{{closure}}"),
        ("_ZN6fuzzer6Fuzzer15ExecuteCallbackEPKhm", "_ZN6fuzzer6Fuzzer15ExecuteCallbackEPKhm"),
        ("_ZN3foo3barE", "_ZN3foo3barE"),
        ("_RNvC6_123foo3bar", "123foo::bar"),
        ("_RNvCs1234_7mycrate3foo", "mycrate::foo"),
        ("_RNCNCNgCs6DXkGYLi8lr_2cc5spawn00B5_", "cc::spawn::{closure#0}::{closure#0}"),
        ("_RINbNbCskIICzLVDPPb_5alloc5alloc8box_freeDINbNiB4_5boxed5FnBoxuEp6OutputuEL_ECs1iopQbuBiw2_3std", "alloc::alloc::box_free::<dyn alloc::boxed::FnBox<()>>"),
        ("_RNvMC0INtC8arrayvec8ArrayVechKj7b_E3new", "<arrayvec::ArrayVec<u8, 123>>::new"),
        ("_RNvNvC0uaaa3foo", "_RNvNvC0uaaa3foo"),
        ("_RNvCB_3foo", "_RNvCB_3foo"),
        ("Random", "Random"),
    ],
    ids=["legacy", "llvm", "escapes", "closure", "c++", "no-hash", "v0", "crate-id", "closures", "dyn", "const", "broken", "loop", "word"],
)  # fmt: skip
def test_demangling(symbol: str, name: str) -> None:
    assert demangled(symbol) == name


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("acme::load::h0123456789abcdef", "acme::load"),
        ("acme::h0123456789abcdef::load", "acme::h0123456789abcdef::load"),
        ("acme::load::{closure#0}", "acme::load::{{closure}}"),
        ("acme[5f3a0b1c2d3e4f50]::load", "acme::load"),
        ("<acme::Foo>::bar", "acme::Foo::bar"),
        ("acme::f::<i32, u8>", "acme::f<i32,u8>"),
        ("core::slice::<impl [T]>::get", "core::slice::<impl [T]>::get"),
        ("core::ops::function::FnOnce::call_once{{vtable.shim}}", "core::ops::function::FnOnce::call_once"),
    ],
    ids=["hash", "not-at-end", "closure", "crate-id", "inherent", "turbofish", "impl", "shim"],
)
def test_names_that_last(raw: str, name: str) -> None:
    assert lasting_name(raw) == name
    assert lasting_name(name) == name


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("acme::Cache<alloc::string::String,u32>::get", "acme::Cache<T>::get"),
        ("<acme::Foo<u8> as core::fmt::Debug>::fmt", "<acme::Foo<T> as core::fmt::Debug>::fmt"),
        ("acme::_::<impl serde::Deserialize<u8> for acme::Foo>::f", "acme::_::<impl serde::Deserialize<T> for acme::Foo>::f"),
        ("acme::f<fn(u8) -> u8>::g", "acme::f<T>::g"),
        ("acme::f", "acme::f"),
    ],
    ids=["type", "trait", "impl", "arrow", "plain"],
)  # fmt: skip
def test_type_arguments(raw: str, name: str) -> None:
    assert without_arguments(raw) == name


@pytest.mark.parametrize(
    ("name", "rank"),
    [
        ("acme::load", 0),
        ("core::panicking::panic", 2),
        ("<acme::Foo as core::fmt::Debug>::fmt", 0),
        ("<F as acme::Step>::run", 0),
        ("<usize as core::slice::index::SliceIndex<[T]>>::index", 2),
        ("<alloc::vec::Vec<T,A> as core::ops::index::Index<I>>::index", 2),
        ("<&mut F as core::future::Future>::poll", 2),
        ("<tracing::instrument::Instrumented<T> as core::future::future::Future>::poll", 1),
        ("tokio::runtime::park::park", 1),
        ("stdout::f", 0),
        ("__libc_start_main", 2),
    ],
)
def test_ranks(name: str, rank: int) -> None:
    assert rank_of(name) == rank


@pytest.mark.parametrize(
    ("filename", "lasting", "installed"),
    [
        ("/rustc/59807616e1fa/library/core/src/panicking.rs", "library/core/src/panicking.rs", True),
        ("/root/.cargo/registry/src/index.crates.io-6f17d22bba15001f/serde-1.0.1/src/de.rs", "serde/src/de.rs", True),
        ("/home/u/.cargo/git/checkouts/acme-0a1b2c3d/4e5f6a7/src/lib.rs", "src/lib.rs", True),
        ("/build/7/src/order/pay.rs", "src/order/pay.rs", False),
        ("./src/a.rs", "src/a.rs", False),
        ("C:\\b\\src\\a.rs", "src/a.rs", False),
    ],
    ids=["rustc", "registry", "git", "build", "relative", "windows"],
)
def test_files(filename: str, lasting: str, installed: bool) -> None:  # noqa: FBT001
    assert (lasting_file(filename), is_installed(filename)) == (lasting, installed)
    assert lasting_file(lasting) == lasting


@pytest.mark.parametrize(
    ("raw", "name"),
    [
        ("acme::load::h0123456789abcdef", "acme::load"),
        ("_RNvC6_123foo3bar", "123foo::bar"),
        ("_ZN4acme4load17h0123456789abcdefE", "acme::load"),
        ("<acme::Foo as core::fmt::Debug>::fmt", "<acme::Foo as core::fmt::Debug>::fmt"),
    ],
)
def test_a_function_alone(raw: str, name: str) -> None:
    assert normalize_function(raw) == name


@pytest.mark.parametrize("raw", ["std::vector<int>::push_back(int const&)", "a.b.C.m", "f", "_ZN3foo3barEv", "RUNNING"])
def test_a_function_of_others(raw: str) -> None:
    assert RUNTIME.function_name(raw) is None


@pytest.mark.parametrize(
    ("text", "thread", "message", "place"),
    [
        ("thread 'main' panicked at 'boom', src/a.rs:2:9\n" + NOTE, "main", "boom", ("src/a.rs", 2, 9)),
        (NEW + "boom\n" + NOTE, "main", "boom", ("src/a.rs", 2, 9)),
        ("thread '工作' (25355) panicked at src/a.rs:2:9:\nboom\n" + NOTE, "工作", "boom", ("src/a.rs", 2, 9)),
        ("thread '<unnamed>' panicked at 'a 'quoted' b', src/a.rs:2\n", "<unnamed>", "a 'quoted' b", ("src/a.rs", 2, None)),
        ("panicked at 'boom', src/a.rs:2:9\n", None, "boom", ("src/a.rs", 2, 9)),
        ("panicked at src/a.rs:2:9:\nboom\n", None, "boom", ("src/a.rs", 2, 9)),
        ("2024-05-01T10:00:00Z ERROR panic: thread 'main' panicked at 'boom': src/a.rs:2\n", "main", "boom", ("src/a.rs", 2, None)),
        (NEW + "订单 42\n失败\n" + NOTE, "main", "订单 42\n失败", ("src/a.rs", 2, 9)),
        (NEW + "assertion failed\n  left: 1\n right: 2\nnext line of a log\n", "main", "assertion failed\n  left: 1\n right: 2", ("src/a.rs", 2, 9)),
        ("thread 'main' panicked at 'assertion failed\n  left: `1`,\n right: `2`', src/a.rs:2:9\n", "main", "assertion failed\n  left: `1`,\n right: `2`", ("src/a.rs", 2, 9)),
        ("thread 'main' panicked at C:\\acme\\src\\a.rs:2:9:\nboom\n" + NOTE, "main", "boom", ("C:\\acme\\src\\a.rs", 2, 9)),
    ],
    ids=["old", "new", "thread-id", "quotes", "no-thread", "no-thread-new", "log-panics", "lines", "no-note", "old-lines", "windows"],
)  # fmt: skip
def test_panics_without_a_backtrace(
    text: str, thread: str | None, message: str, place: tuple[str, int, int | None]
) -> None:
    chain = only(text)
    (frame,) = chain.root.stack.frames
    assert (chain.thread, chain.root.type, chain.root.message) == (thread, "panic", message)
    assert (frame.function, (frame.filename, frame.lineno, frame.column)) == (None, place)


def test_a_backtrace() -> None:
    text = (
        NEW + "boom\n" + backtrace("__rustc::rust_begin_unwind", "acme::load::h0123456789abcdef", "acme::main") + NOTE
    )
    chain = only(text)
    assert names(chain) == ["__rustc::rust_begin_unwind", "acme::load", "acme::main"]
    frame = chain.root.stack.frames[1]
    assert (frame.filename, frame.lineno, frame.column, frame.in_app) == ("./src/a.rs", 2, 9, True)
    assert text[slice(*chain.span)] == text.rstrip()


def test_a_full_backtrace_has_the_fingerprints_of_the_short_one() -> None:
    own = (
        "acme::load",
        "acme::main",
        "std::sys::backtrace::__rust_begin_short_backtrace",
        "std::rt::lang_start",
        "main",
    )
    hook = (
        "std::panicking::default_hook::{{closure}}",
        "core::fmt::write",
        "std::sys::backtrace::__rust_end_short_backtrace",
    )
    full = NEW + "boom\nstack backtrace:\n" + "".join(
        f"{at:>4}:     0x55f0{at:08x} - {name}::h{at:016x}\n                               at /b/src/a.rs:{at}:9\n"
        for at, name in enumerate((*hook, "core::panicking::panic", *own))
    )  # fmt: skip
    short = NEW + "boom\n" + backtrace("core::panicking::panic", *own[:2])
    assert names(only(full))[0] == "core::panicking::panic"
    assert fingerprints(only(full)) == fingerprints(only(short))


def test_a_panic_in_a_destructor_is_caused_by_the_panic_before_it() -> None:
    parts = [
        NEW + message + "\n" + backtrace(f"acme::{name}") + "\n" for message, name in (("first", "f"), ("second", "g"))
    ]
    chain = only(
        "".join(parts) + NEW + "panic in a destructor during cleanup\nthread caused non-unwinding panic. aborting.\n"
    )
    assert [(e.message, e.relation, e.parent) for e in chain.exceptions] == [
        ("panic in a destructor during cleanup", None, None),
        ("second", Relation.CAUSE, 0),
        ("first", Relation.CONTEXT, 1),
    ]
    assert (chain.root.message, chain.notes) == ("second", ("thread caused non-unwinding panic. aborting.",))


def test_two_panics_of_one_thread_are_two_chains() -> None:
    chains = parse((NEW + "one\n" + backtrace("acme::f") + "\n") + NEW + "two\n" + backtrace("acme::g"))
    assert [(c.root.message, names(c)) for c in chains] == [("one", ["acme::f"]), ("two", ["acme::g"])]


@pytest.mark.parametrize(
    ("text", "type_", "message"),
    [
        ("\nthread 'main' has overflowed its stack\nfatal runtime error: stack overflow, aborting\n", "fatal runtime error", "stack overflow"),
        ("fatal runtime error: Rust cannot catch foreign exceptions\nAborted\n", "fatal runtime error", "Rust cannot catch foreign exceptions"),
        ("memory allocation of 80 bytes failed\nAborted\n", "allocation failure", "memory allocation of 80 bytes failed"),
    ],
    ids=["overflow", "foreign", "memory"],
)  # fmt: skip
def test_aborts(text: str, type_: str, message: str) -> None:
    chain = only(text)
    assert (chain.runtime, chain.root.type, chain.root.message) == ("rust", type_, message)


@pytest.mark.parametrize(
    ("text", "messages", "functions"),
    [
        ("Error: load\n\nCaused by:\n    0: read\n    1: gone (os error 2)\n\nStack backtrace:\n" + backtrace("acme::f").partition("\n")[2], ["load", "read", "gone (os error 2)"], ["acme::f"]),
        ("Error: load\n\nCaused by:\n    gone\n", ["load", "gone"], []),
        ("Error: load\n\nCaused by:\n    gone\n    for good\n", ["load", "gone\nfor good"], []),
        ("Error: \n   0: load\n   1: gone\n\nLocation:\n   src/a.rs:42\n", ["load", "gone"], [None]),
        ("2024-05-01T10:00:00Z ERROR acme: load\n\nCaused by:\n    0: read\n    1: gone\n", ["load", "read", "gone"], []),
        ("error: failed to run\n\nCaused by:\n  failed to read\n\nCaused by:\n  gone (os error 2)\n", ["failed to run", "failed to read", "gone (os error 2)"], []),
    ],
    ids=["anyhow", "one-cause", "lines", "eyre", "log", "cargo"],
)  # fmt: skip
def test_reports(text: str, messages: list[str], functions: list[str | None]) -> None:
    chain = only(text)
    assert chain.runtime == "rust"
    assert [e.message for e in chain.exceptions] == messages
    assert [(e.relation, e.parent) for e in chain.exceptions[1:]] == [
        (Relation.CAUSE, at) for at in range(len(messages) - 1)
    ]
    assert [f.function for f in chain.root.stack.frames] == functions


@pytest.mark.parametrize(
    "text",
    [
        "the outage\n\nCaused by:\n    a config change\n",
        "the outage\n\nCaused by:\n- a config change\n- a bad day\n",
        "java.io.IOException: x\n\tat a.B.c(B.java:3)\nCaused by:\n    nothing\n",
        "Steps:\n   0: open it\n   1: close it\n",
        "10: foo::bar is a path\n11: words\n",
        "he panicked at the disco\nand ran\n",
    ],
    ids=["prose", "bullets", "java", "steps", "mention", "disco"],
)
def test_what_is_no_trace_of_rust(text: str) -> None:
    assert not any(chain.runtime == "rust" for chain in parse(text))


@pytest.mark.parametrize("prefix", ["2024-05-01T10:00:0{}Z ", "app-1  | ", "> "])
def test_every_line_behind_a_prefix(prefix: str) -> None:
    text = NEW + "boom\n" + backtrace("acme::load", "acme::main") + NOTE
    dressed = "".join(f"{prefix.format(at % 10)}{line}\n" for at, line in enumerate(text.splitlines()))
    chain = only(dressed)
    assert (chain.root.message, names(chain)) == ("boom", ["acme::load", "acme::main"])


def test_joined_by_blanks() -> None:
    chain = only(
        "thread 'main' panicked at 'boom', src/a.rs:2:9 stack backtrace: 0: acme::load at ./src/a.rs:2:9 1: acme::main at ./src/a.rs:9:1"
    )
    assert names(chain) == ["acme::load", "acme::main"]


def test_entries_in_the_middle_have_no_head() -> None:
    chain = only("   7: acme::load\n             at ./src/a.rs:2:9\n   8: acme::main\n")
    assert (chain.head_truncated, chain.root.type, names(chain)) == (True, None, ["acme::load", "acme::main"])


def test_a_place_that_was_wrapped_and_an_authors_dots() -> None:
    chain = only(
        NEW
        + "boom\nstack backtrace:\n   0: acme::load\n             at ./src/ve\nry/long.rs:2:9\n   ...\n   9: acme::main\n"
    )
    assert [(f.function, f.filename) for f in chain.root.stack.frames] == [
        ("acme::load", "./src/very/long.rs"),
        ("acme::main", None),
    ]


def test_the_trait_is_identity_and_its_arguments_are_not() -> None:
    one, other = (f"   3: <acme::Foo as core::fmt::{name}>::fmt\n" for name in ("Debug", "Display"))
    assert digest(one, Level.EXACT) != digest(other, Level.EXACT)
    assert digest("   3: a::C<u8>::get\n", Level.LOOSE) == digest("   3: a::C<K,V>::get\n", Level.LOOSE)
    assert digest("   3: a::C<u8>::get\n", Level.EXACT) != digest("   3: a::C<K,V>::get\n", Level.EXACT)


@pytest.mark.parametrize(
    "name",
    [
        "a[abcd][01cd][abcd]::b",
        "a[12[abcd]34]::b",
        "acme[0123abcd]::f::h0123456789abcdef::h0123456789abcdef",
        "a" + "[0123abcd]" * 60,
        "a" + "[12" * 60 + "[abcd]" + "34]" * 60,
    ],
    ids=["one-behind-the-other", "one-within-the-other", "two-hashes", "many", "deep"],
)
def test_a_name_with_several_hashes_is_settled(name: str) -> None:
    once = normalize(only(f"   3: {name}\n"))
    assert normalize(once) == once
