"""Traces whose indentation was lost everywhere, as chats and web forms lose it: no type is invented, no chain is torn."""

from pathlib import Path

import pytest

from kb.trace import fingerprints, parse
from tests.kb.trace.reading import only

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "traces"
PYTHON = 'Traceback (most recent call last):\n  File "a.py", line 12, in charge\n    {}\n  File "b.py", line 90, in send\n    {}\n{}'
SOURCES = [
    ("a-call", "gw.send(x)", "raise E"),
    ("names", "foo.bar", "gw.send(x)"),
    ("a-class", "Shop.open", "E"),
    ("annotated", "x: int = f()", "return"),
    ("an-error-is-raised", "raise ValueError('x')", "raise app.E(f'{x}: {y}')"),
    ("bare-words", "raise", "pass"),
    ("called-class", "Order(x)", "Order"),
]
ENDS = [("dotted", "app.E: declined"), ("known", "ValueError: declined"), ("bare", "KeyboardInterrupt")]


def stripped(text: str) -> str:
    return "\n".join(line.strip() for line in text.split("\n"))


@pytest.mark.parametrize("end", [e[1] for e in ENDS], ids=[e[0] for e in ENDS])
@pytest.mark.parametrize(("first", "last"), [s[1:] for s in SOURCES], ids=[s[0] for s in SOURCES])
def test_source_of_python_is_no_type(first: str, last: str, end: str) -> None:
    text = PYTHON.format(first, last, end)
    assert fingerprints(only(stripped(text))) == fingerprints(only(text))


@pytest.mark.parametrize("end", [e[1] for e in ENDS[:2]], ids=[e[0] for e in ENDS[:2]])
@pytest.mark.parametrize(("first", "last"), [s[1:] for s in SOURCES], ids=[s[0] for s in SOURCES])
def test_the_same_joined_into_one_line(first: str, last: str, end: str) -> None:
    text = PYTHON.format(first, last, end)
    assert fingerprints(only(stripped(text).replace("\n", " "))) == fingerprints(only(text))


@pytest.mark.parametrize("last", ["gw.send(x)", "foo.bar", "x: int = 3", "raise"])
def test_source_at_the_end_of_a_cut_traceback_is_no_type(last: str) -> None:
    chain = only(stripped(PYTHON.format("f()", last, "")))
    assert (chain.exceptions[0].type, len(chain.exceptions[0].stack.frames)) == (None, 2)


def test_a_type_in_small_letters() -> None:
    text = PYTHON.format("gw.send(x)", "self.run", "socket.timeout: no answer")
    assert fingerprints(only(stripped(text))) == fingerprints(only(text))


def test_source_over_several_lines() -> None:
    text = PYTHON.format(
        "foo(\n    ~~~^\n        a.b,\n        ^^^^\n        c\n        ^\n    )\n    ^", "k.v", "app.E: no"
    )
    assert fingerprints(only(stripped(text))) == fingerprints(only(text))


def test_an_exception_right_below_a_frame_is_none_of_its_source() -> None:
    text = 'Traceback (most recent call last):\nFile "a.py", line 12, in charge\nKeyError: 7\nNote: see above'
    assert only(text).exceptions[0].type == "KeyError"


@pytest.mark.parametrize(
    "name",
    [
        "go/again", "go/test", "go/twice", "go/kubernetes-by-hand",
        "javascript/node-cause", "javascript/node-graph", "javascript/typeorm-by-hand",
        "python/caught", "python/gathered", "python/group", "python/notebook",
        "rust/eyre-by-hand", "rust/report",
    ],
)  # fmt: skip
def test_a_whole_trace_is_the_same(name: str) -> None:
    text = (GOLDEN / f"{name}.txt").read_text(encoding="utf-8")
    assert [fingerprints(c) for c in parse(stripped(text))] == [fingerprints(c) for c in parse(text)]


def test_two_panics_one_below_the_other_are_two_where_no_goroutine_follows() -> None:
    assert (
        len(parse("panic: runtime error: index out of range [1]\npanic: runtime error: index out of range [2]\n")) == 2
    )
