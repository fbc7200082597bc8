"""Tables of plain markup lose no word, however they are drawn; and none makes more cells than its text is worth."""

import re
from collections.abc import Callable, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kb.article.blocks import BlockKind
from kb.article.formats import take_apart
from kb.tracker.wiki import wiki

KEPT = {
    "values between bars": ("[%header,format=csv]\n|===\nError,Fix\nOOM,raise\n|===\n", "a.adoc"),
    "values with colons": ("[format=dsv]\n|===\nError:Fix\nOOM:raise\n|===\n", "a.adoc"),
    "a fence of values": (",===\nError,Fix\nOOM,raise\n,===\n", "a.adoc"),
    "a fence of colons": (":===\nError:Fix\nOOM:raise\n:===\n", "a.adoc"),
    "values with tabs": ("[format=tsv]\n|===\nError\tFix\nOOM\traise\n|===\n", "a.adoc"),
    "another bar": ("[cols=2,separator=!]\n|===\n!Error !Fix\n!OOM !raise\n|===\n", "a.adoc"),
    "its last row is short": ("[cols=2]\n|===\n|Error |Fix\n|OOM |raise\n|===\n", "a.adoc"),
    "a grid without its last line": ("+-------+-----+\n| Error | Fix |\n+-------+-----+\n| OOM   | raise |\n", "a.rst"),
    "semicolons": (".. csv-table::\n   :delim: ;\n\n   Error; Fix\n   OOM; raise\n", "a.rst"),
    "tabs": (".. csv-table::\n   :delim: tab\n\n   Error\tFix\n   OOM\traise\n", "a.rst"),
    "spaces": (".. csv-table::\n   :delim: space\n\n   Error Fix\n   OOM raise\n", "a.rst"),
}


@pytest.mark.parametrize("name", KEPT)
def test_rows_have_their_columns(name: str) -> None:
    text, file = KEPT[name]
    cells = [(block.level, block.text) for block in take_apart(text, file).blocks if block.kind is BlockKind.TABLE]
    assert cells == [(1, "Error"), (2, "Fix"), (1, "OOM"), (2, "raise")]


BESIDE = {
    "lines below a grid": "+-------+\n| Error |\n+-------+\nOOM raise\n",
    "a row of half a width": "[cols=3]\n|===\n|Error |OOM |raise\n|words\n|===\n",
    "before the first bar": "|===\nError\n|OOM |raise\n|===\n",
    "a word over two columns": "=== ===\nError OOM\n=== ===\n",
    "a row wider than its grid": "+---+---+\n| Error | raise the heap |\n+---+---+\n",
    "a value without end": f".. csv-table::\n\n   Error, OOM\n   {'x' * 140_000}, raise\n   after, all\n",
    "many columns": ".. csv-table::\n\n   " + ", ".join(f"word{at}" for at in range(60)) + "\n",
    "items of no row": ".. list-table::\n\n   - Error\n   - OOM\n",
}


def lost(text: str, said: Sequence[str]) -> set[str]:
    """The words of a text that stand nowhere in what was read of it."""
    return {word for word in re.findall(r"\w+", text) if word not in "\n".join(said)}


@pytest.mark.parametrize("name", BESIDE)
def test_no_word_beside_the_cells_is_lost(name: str) -> None:
    text = BESIDE[name]
    said = [block.text for block in take_apart(text, "a.adoc" if "|===" in text else "a.rst").blocks]
    assert lost(text, said) <= {"csv", "list", "table", "cols", "3"}


WORD = st.text(alphabet="abcdefghijklmnopqrstuvwxyz根错", min_size=4, max_size=12)
WORDS = st.lists(WORD, max_size=3).map(" ".join)
ROWS = st.lists(st.lists(WORDS, min_size=1, max_size=5), min_size=1, max_size=6)
FENCES = st.sampled_from(
    ["|===", "!===", ",===", ":===", "[cols=3]\n|===", '[format="csv"]\n|===', "[separator=;]\n|==="]
)
LINES = st.lists(
    st.lists(
        st.one_of(WORD, st.sampled_from(["|", "||", " ", "+", "---", "+---+", ".2+|", "3+|", "2*|", ",", ":", "!"])),
        max_size=8,
    )
    .map("".join)
    .filter(str.strip),
    max_size=12,
)


@given(ROWS, FENCES, st.sampled_from("|!,:;"))
def test_every_word_of_asciidoc_is_kept(rows: list[list[str]], fence: str, mark: str) -> None:
    """Whatever the fence says of the mark."""
    lines = [" ".join(f"{mark}{cell}" for cell in row) for row in rows]
    said = [block.text for block in take_apart("\n".join((fence, *lines, fence.rpartition("\n")[2])), "a.adoc").blocks]
    assert not lost("\n".join(lines), said)


@given(LINES, FENCES)
def test_every_word_between_fences_is_kept(lines: list[str], fence: str) -> None:
    said = [block.text for block in take_apart("\n".join((fence, *lines)), "a.adoc").blocks]
    assert not lost(re.sub(r"[2-3]\*?(?=[+*|])", "", "\n".join(lines)), said)


@given(
    LINES,
    st.sampled_from(["+---+---+", "  +---+---+", "=== ===", "=====  ==  ===", ".. list-table::\n", ".. csv-table::\n"]),
    st.sampled_from(["", "+---+---+", "=== ===", "=====  ==  ==="]),
    st.integers(0, 5),
)
def test_every_word_of_restructuredtext_is_kept(lines: list[str], head: str, tail: str, indent: int) -> None:
    lines = [" " * indent + line for line in lines]
    said = [block.text for block in take_apart("\n".join((head, *lines, tail, "")), "a.rst").blocks]
    assert not lost("\n".join(lines), said)


@given(ROWS, LINES)
def test_every_word_of_a_wiki_is_kept(rows: list[list[str]], lines: list[str]) -> None:
    text = "\n".join((*(f"|{'|'.join(row)}|" for row in rows), *lines))
    assert not lost(re.sub(r"[2-3]\*?(?=[+*|])", "", text), [one.text for one in wiki(text)])


HOSTILE = {
    "spans of all columns": ('[cols="40*"]\n|===\n', "99.99+|x ", "a.adoc"),
    "repeated cells": ("|===\n", "99*|x\n", "a.adoc"),
    "columns over": ('[cols="40*"]\n|===\n', "39+|x |y\n", "a.adoc"),
    "cells over rows": ('[cols="40*"]\n|===\n', ".99+|x " * 39 + "|y\n" * 99, "a.adoc"),
    "tables": ("", '[cols="40*"]\n|===\n' + "39+|x |y\n" * 40 + "|===\n\n", "a.adoc"),
    "short lines of a grid": ("+" + "--+" * 40 + "\n", "|a\n+-\n", "a.rst"),
    "short lines between rules": ("== " * 40 + "\n", "a\n", "a.rst"),
    "lines that go on": ("== ==\n", "   b\n", "a.rst"),
}


@pytest.mark.parametrize("name", HOSTILE)
@pytest.mark.slow
def test_cells_grow_with_the_text(name: str, takes_linear_time: Callable[..., None]) -> None:
    """In number, too: a document has 20,000 cells besides those that its characters spell."""
    before, unit, file = HOSTILE[name]
    text = before + unit * (270_000 // len(unit))
    assert len(take_apart(text, file).blocks) <= len(text) / 2 + 25_000
    takes_linear_time(lambda size: take_apart(before + unit * (size // len(unit)), file), 10_000, 100_000)
