"""What holds for every text and every chain."""

import json
import random
import re
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.trace import (
    ExceptionChain,
    Frame,
    Level,
    RaisedException,
    Relation,
    StackTrace,
    align,
    fingerprints,
    normalize,
    parse,
    template,
)
from kb.trace.wire import chain_from_dict, chain_to_dict

SURROGATES = st.characters(codec=None)
ANY_TEXT = st.text(SURROGATES)
# Text made of what traces are made of: finds more than letters at random
BASICS = [
    "java.io.IOException", "a.E", ": ", "x y", "\n", "\n", "\n", "\t", "\tat a.B.y(B.java:3)", "at ", "(B.java:3)", "Caused by: ",
    "Suppressed: ", "Wrapped by: ", "\t... 2 more", "... 1 common frames omitted", "[CIRCULAR REFERENCE: a.E]", "nested exception is ", "; ",
    'Exception in thread "m" ', "Traceback (most recent call last):\n", '  File "/a.py", line 3, in f\n', "KeyError: 'k'\n",
    "\nDuring handling of the above exception, another exception occurred:\n\n", "\nThe above exception was the direct cause of the following exception:\n\n",
    "  + Exception Group Traceback (most recent call last):\n", "  | ", "  +-+---------------- 1 ----------------\n", "    | ", "    +---------------- 2 ----------------\n",
    "    +------------------------------------\n", "2024-05-01 10:00:00 ERROR ", "> ", "\\n\\tat ", "&lt;init&gt;", "\r\n", "\udc80", "失败", "Driver stacktrace:", "Lost task 1 (x): ",
    "ExceptionGroup: eg (2 sub-exceptions)\n", "  ValueError: 1\n", "# A fatal error has been detected by the Java Runtime Environment:\n", "#  SIGSEGV (0xb)\n", "# C  [l.so+0x1]  f\n",
]  # fmt: skip
HOSTILE = sorted((Path(__file__).parent / "hostile").glob("*.json"))
BY_RUNTIME = {path.stem: list(json.loads(path.read_text(encoding="utf-8"))["shards"]) for path in HOSTILE}


def joined(shards: list[str]) -> st.SearchStrategy[str]:
    return st.lists(st.sampled_from(shards), max_size=30).map("".join)


# One runtime's pieces make a trace; those of all make the text in which readers must not claim each other's lines.
SHARDS = st.one_of(
    joined(BASICS),
    st.sampled_from(sorted(BY_RUNTIME)).flatmap(
        lambda name: joined(BY_RUNTIME[name] + ["\n", "\n", "\t", "x y", "> "])
    ),
    joined(BASICS + [shard for shards in BY_RUNTIME.values() for shard in shards]),
)
TEXTS = st.one_of(ANY_TEXT, SHARDS)


@given(TEXTS)
def test_parse_never_raises_and_spans_lie_in_the_text(text: str) -> None:
    for chain in parse(text):
        begin, end = chain.span
        assert 0 <= begin <= end <= len(text)
        assert chain.exceptions
        assert chain.root in chain.exceptions
        for at, exception in enumerate(chain.exceptions):
            assert (exception.parent is None) == (at == 0)
            assert exception.parent is None or exception.parent < at
            assert (exception.relation is None) == (at == 0)


@given(TEXTS)
def test_normalising_twice_changes_nothing(text: str) -> None:
    for chain in parse(text):
        once = normalize(chain)
        assert normalize(once) == once


@given(TEXTS)
def test_a_normalised_chain_keeps_its_fingerprints(text: str) -> None:
    for chain in parse(text):
        assert fingerprints(normalize(chain)) == fingerprints(chain)


@given(TEXTS)
def test_a_template_is_its_own_template(text: str) -> None:
    assert template(template(text)) == template(text)


@given(st.text(st.sampled_from("0123456789abcdef.:-_@/<>'\"= \n年月日时分秒毫失败utfmsGETORA,()[]{}")))
def test_a_template_is_its_own_template_on_numbers_and_marks(text: str) -> None:
    assert template(template(text)) == template(text)


@given(TEXTS)
def test_the_wire_is_lossless(text: str) -> None:
    for chain in parse(text):
        assert chain_from_dict(chain_to_dict(chain)) == chain
        normal = normalize(chain)
        assert chain_from_dict(chain_to_dict(normal)) == normal


NAMES = st.sampled_from(
    [
        "a.A.x",
        "a.B.y",
        "a.C$1.z",
        "a.D.lambda$f$1",
        "java.lang.Thread.run",
        "org.s.E.f",
        "com.sun.proxy.$Proxy7.g",
        "a.A.access$200",
    ]
)
FRAMES = st.lists(st.tuples(NAMES, st.integers(1, 9)), max_size=8)
STEPS = st.lists(
    st.tuples(
        st.sampled_from(["a.E", "a.F", "java.io.IOException"]), st.sampled_from(["", "x", "no 7", "no 8"]), FRAMES
    ),
    min_size=1,
    max_size=4,
)


def chain_of(steps: list[tuple[str, str, list[tuple[str, int]]]]) -> ExceptionChain:
    raised = []
    for at, (name, message, frames) in enumerate(steps):
        stack = tuple(
            Frame(f.rpartition(".")[2], f.rpartition(".")[0], "X.java", line, raw="at " + f) for f, line in frames
        )
        raised.append(
            RaisedException(
                name, message or None, StackTrace(stack), Relation.CAUSE if at else None, at - 1 if at else None
            )
        )
    return ExceptionChain("jvm", tuple(raised))


@given(STEPS)
def test_normalising_any_chain_twice_changes_nothing(steps: list[tuple[str, str, list[tuple[str, int]]]]) -> None:
    once = normalize(chain_of(steps))
    assert normalize(once) == once


@given(STEPS, STEPS)
def test_equal_exact_means_equal_root_cause_and_loose(one: list, other: list) -> None:  # type: ignore[type-arg]
    a, b = fingerprints(chain_of(one)), fingerprints(chain_of(other))
    if a[Level.EXACT].digest == b[Level.EXACT].digest:
        assert a[Level.ROOT_CAUSE].digest == b[Level.ROOT_CAUSE].digest
        assert a[Level.LOOSE].digest == b[Level.LOOSE].digest


TRACE = """java.lang.IllegalStateException: order 17 at 10.0.0.3 failed
\tat com.shop.Orders.pay(Orders.java:31)
\tat com.sun.proxy.$Proxy17.pay(Unknown Source)
\tat com.shop.Ctl$$EnhancerBySpringCGLIB$$1a2b3c4d.get(<generated>)
\tat com.shop.Main.main(Main.java:3)
Caused by: java.net.ConnectException: node 0x7f3c8a9b is gone since 2024-05-01 10:00:00
\tat com.shop.Net.connect(Net.java:8)
\t... 1 more
"""


@given(st.randoms(use_true_random=False))
def test_numbers_addresses_and_lines_do_not_move_a_fingerprint(chance: random.Random) -> None:
    moved = re.sub(r"\.java:\d+", lambda _: f".java:{chance.randint(1, 9999)}", TRACE)
    moved = moved.replace("order 17", f"order {chance.randint(0, 10**9)}").replace(
        "10.0.0.3", ".".join(str(chance.randint(1, 254)) for _ in range(4))
    )
    moved = moved.replace("$Proxy17", f"$Proxy{chance.randint(0, 999)}").replace(
        "1a2b3c4d", f"{chance.randint(0, 2**32 - 1):08x}"
    )
    moved = moved.replace("0x7f3c8a9b", hex(chance.randint(1, 2**48))).replace(
        "2024-05-01", f"20{chance.randint(10, 99)}-1{chance.randint(0, 2)}-0{chance.randint(1, 9)}"
    )
    (before,), (after,) = parse(TRACE), parse(moved)
    assert {level: p.digest for level, p in fingerprints(after).items()} == {
        level: p.digest for level, p in fingerprints(before).items()
    }


@given(STEPS)
def test_a_chain_aligned_with_itself_matches_all_it_shows(steps: list[tuple[str, str, list[tuple[str, int]]]]) -> None:
    chain = normalize(chain_of(steps))
    found = align(chain, chain)
    assert found.exceptions == tuple((at, at) for at in range(len(chain.exceptions)))
    assert all(pair.is_match and pair.frame_a == pair.frame_b for pair in found.frames)


@pytest.mark.parametrize("text", ["", " \n\t", "\x00", "\ud800", "!!!"])
def test_a_text_that_says_nothing_has_no_chain(text: str) -> None:
    assert parse(text) == ()


def test_a_message_of_one_line_is_a_chain_of_its_own() -> None:
    (chain,) = parse("  连接超时，请重试  ")
    assert chain == ExceptionChain("text", (RaisedException(None, "连接超时，请重试"),), span=(2, 10))
    assert parse("一行\n两行") == ()
    assert parse("x" * 1001) == ()


@pytest.mark.parametrize(
    ("text", "runtime", "name", "message"),
    [
        ("job failed: java.io.IOException: Broken pipe", "jvm", "java.io.IOException", "Broken pipe"),
        ("OutOfMemoryError: Metaspace", "jvm", "OutOfMemoryError", "Metaspace"),
        ("2024-05-01 10:00:00 ERROR shop TimeoutError: 3 s", "text", "TimeoutError", "3 s"),
        ("2024-05-01 10:00:00 [main] ERROR disk full", "text", None, "disk full"),
        ("ValueError: bad", "python", "ValueError", "bad"),
    ],
    ids=["mention", "type", "type-in-log", "log", "python"],
)
def test_what_a_single_line_names(text: str, runtime: str, name: str | None, message: str) -> None:
    (chain,) = parse(text)
    assert (chain.runtime, chain.root.type, chain.root.message) == (runtime, name, message)


def test_a_chain_without_parents_out_of_order_survives() -> None:
    chain = chain_of([("a.E", "", [("a.A.x", 1)]), ("a.F", "", [("a.A.x", 2)])])
    broken = replace(chain, exceptions=(chain.exceptions[0], replace(chain.exceptions[1], parent=None, relation=None)))
    assert len(normalize(broken).exceptions) == 2
