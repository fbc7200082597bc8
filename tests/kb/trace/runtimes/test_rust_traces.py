"""Rust: panics in both forms, backtraces short and full, aborts, and the reports of error crates."""

import pytest

from kb.trace import ExceptionChain, Relation, fingerprints, parse
from tests.kb.trace.reading import only

NEW = "thread 'main' panicked at src/a.rs:2:9:\n"
NOTE = "note: run with `RUST_BACKTRACE=1` environment variable to display a backtrace\n"


def backtrace(*names: str) -> str:
    return "stack backtrace:\n" + "".join(
        f"{at:>4}: {name}\n             at ./src/a.rs:{at + 1}:9\n" for at, name in enumerate(names)
    )


def names(chain: ExceptionChain, at: int = 0) -> list[str | None]:
    return [frame.function for frame in chain.exceptions[at].stack.frames]


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
        ("thread 'main' panicked at '\n\nno till\nis here\n\n', src/a.rs:2:9\n" + NOTE, "main", "no till\nis here", ("src/a.rs", 2, 9)),
        (NEW + "\n\nno till\nis here\n" + NOTE, "main", "no till\nis here", ("src/a.rs", 2, 9)),
        (NEW + "assertion failed\n  left: 1\n right: 2\nnext line of a log\n", "main", "assertion failed\n  left: 1\n right: 2", ("src/a.rs", 2, 9)),
        ("thread 'main' panicked at 'assertion failed\n  left: `1`,\n right: `2`', src/a.rs:2:9\n", "main", "assertion failed\n  left: `1`,\n right: `2`", ("src/a.rs", 2, 9)),
        ("thread 'main' panicked at C:\\acme\\src\\a.rs:2:9:\nboom\n" + NOTE, "main", "boom", ("C:\\acme\\src\\a.rs", 2, 9)),
    ],
    ids=["old", "new", "thread-id", "quotes", "no-thread", "no-thread-new", "log-panics", "lines", "old-below", "new-below", "no-note", "old-lines", "windows"],
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
