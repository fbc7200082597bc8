"""Rust: entries and places line by line, names that last, ranks."""

import pytest

from kb.trace import Level, normalize, normalize_function
from kb.trace.runtimes.rust import RUNTIME
from kb.trace.runtimes.rust.mangling import demangled
from kb.trace.runtimes.rust.names import is_installed, lasting_file, lasting_name, rank_of, without_arguments
from kb.trace.runtimes.rust.syntax import entry_of, place_of
from tests.kb.trace.reading import digest, only


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
    assert RUNTIME.names.function_name(raw) is None


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
