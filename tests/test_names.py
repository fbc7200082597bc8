"""What names and numbers must say: a docstring each, one meaning a word, and for a number of the ranking why."""

import ast
import re
from collections import defaultdict
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import pytest

from tests.structure import ROOMS, ROOT, SOURCES, against, module_of, riddles_of, tree_of


def test_public_names_say_what_they_are() -> None:
    def bare(path: Path) -> list[str]:
        return [
            node.name
            for node in tree_of(path).body
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
            and not node.name.startswith("_")
            and ast.get_docstring(node) is None
        ]

    assert against(bare) == {}


def _is_number(value: ast.expr | None) -> bool:
    if isinstance(value, ast.Tuple | ast.List):
        return bool(value.elts) and all(map(_is_number, value.elts))
    if isinstance(value, ast.UnaryOp):
        return _is_number(value.operand)
    if isinstance(value, ast.BinOp):
        return _is_number(value.left) and _is_number(value.right)
    return isinstance(value, ast.Constant) and type(value.value) in {int, float}


def _numbers(body: Sequence[ast.stmt]) -> list[tuple[ast.Assign | ast.AnnAssign, ast.stmt | None]]:
    """What sets names to numbers, and what stands below each."""
    return [
        (one, behind)
        for one, behind in pairwise([*body, None])
        if isinstance(one, ast.Assign | ast.AnnAssign) and _is_number(one.value)
    ]


@pytest.mark.parametrize(
    "line",
    [
        *("X = 0.5", "X: float = 0.5", "X: Final = -3", "X = -0.5", "X = +1", "X, Y = 1.2, -0.3"),
        *("X = 1 << 20", "X = 1 / 3", "X = [1, 2]", "X: tuple[float, ...] = (0.5, -1)"),
    ],
)
def test_a_number_is_seen(line: str) -> None:
    assert len(_numbers(ast.parse(line).body)) == 1


@pytest.mark.parametrize("line", ["X: float", "X = True", "X = ()", "X = 'a'", "X = f(1)", "X = Y", "X: int = -Y"])
def test_what_is_no_number_is_none(line: str) -> None:
    assert _numbers(ast.parse(line).body) == []


def test_each_number_of_the_ranking_says_why() -> None:
    """Below it, also where nobody has measured it: then it says so."""

    def bare(path: Path) -> list[str]:
        return [
            ast.unparse(one)
            for one, behind in _numbers(tree_of(path).body)
            if not (isinstance(behind, ast.Expr) and isinstance(behind.value, ast.Constant))
        ]

    ranking = [path for path in SOURCES if path.is_relative_to(ROOT / "index/ranking")]
    assert against(bare, ranking) == {}


BOUNDS = {
    *("DEEPEST", "PAIRS", "LOOKED_AT", "_LOOKED_AT", "WORDS", "MATCHES", "_CHAINS", "_CAUSE", "_CAUSES"),
    *("_MOST_IN_BLOCKS", "_MOST_IN_LINES", "_MOST_GAPS", "_MOST_BLOCKS", "_KEPT"),
}
"""Numbers of the ranking that only bound what is looked at, kept or shown."""


def test_each_number_of_the_ranking_that_decides_stands_in_the_table() -> None:
    page = (ROOT / "docs/ranking.md").read_text(encoding="utf-8")
    table = page.partition("## Constants that decide a verdict")[2].partition("\n## ")[0]
    named = set(re.findall(r"`(_?[A-Z][A-Z0-9_]*)`", table))
    ranking = [path for path in SOURCES if path.is_relative_to(ROOT / "index/ranking")]
    assigned = [one for path in ranking for one, _ in _numbers(tree_of(path).body)]
    targets = [to for one in assigned for to in (one.targets if isinstance(one, ast.Assign) else [one.target])]
    numbers = {node.id for to in targets for node in ast.walk(to) if isinstance(node, ast.Name)}
    assert numbers - BOUNDS - named == set(), "write it into the table of docs/ranking.md, or into BOUNDS here"
    assert BOUNDS - numbers == set()


def test_a_public_class_has_a_name_of_its_own() -> None:
    """One word, one meaning (docs/glossary.md). The client mirrors the wire, whose shapes are called as what they carry."""
    rooms: dict[str, list[str]] = defaultdict(list)
    for path in SOURCES:
        if not path.is_relative_to(ROOT / "kb/client"):
            for node in tree_of(path).body:
                if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                    rooms[node.name].append(module_of(path))
    assert len(rooms) > 400
    assert {name: modules for name, modules in rooms.items() if len(modules) > 1} == {}


@pytest.mark.parametrize("room", ROOMS)
def test_a_name_is_what_a_thing_is(room: str) -> None:
    """docs/glossary.md has the words: a message, a question, a span that is used."""
    found = {module_of(path): riddles_of(path) for path in SOURCES if path.is_relative_to(ROOT / room)}
    assert {module: names for module, names in found.items() if names} == {}
