"""Colours of a terminal: what is one in which spelling, that the length stays, and where a span ends."""

import pytest

from kb.trace import parse
from kb.trace.lines import uncoloured

RED = "\x1b[1;31m"


@pytest.mark.parametrize(
    ("coloured", "plain"),
    [
        (f"{RED}a\x1b[0mb", "ab"),
        ("^[[31ma^[[0m", "a"),
        ("#033[31ma#033[0m", "a"),
        (r"\033[31ma\033[0m", "a"),
        (r"\u001b[31ma\u001b[39m", "a"),
        ("\u241b[31ma", "a"),
        ("\x1b[38:5:9ma\x1b[2K", "a"),
        ("\x1b]8;;file:///a\x1b\\b\x1b]8;;\x1b\\", "b"),
        ("[31ma[0m", "a"),
        ("rate(x[5m])", "rate(x[5m])"),
        ("field [msg] of [31] [0m]", "field [msg] of [31] [0m]"),
        ("[31ma", "[31ma"),  # nothing ends it
    ],
)
def test_uncoloured(coloured: str, plain: str) -> None:
    found = uncoloured(coloured)
    assert found.rstrip() == plain
    assert len(found) == len(coloured)


def test_a_line_is_not_cleaned_by_another() -> None:
    assert uncoloured(f"[31ma\n{RED}b") == f"[31ma\nb{' ' * len(RED)}"


def test_a_span_ends_where_the_coloured_line_does() -> None:
    text = "java.io.IOException: gone\n\tat a.B.c(B.java:\x1b[33m3\x1b[0m)\nnothing"
    (chain,) = parse(text)
    assert text[: chain.span[1]] == text.removesuffix("\nnothing")
