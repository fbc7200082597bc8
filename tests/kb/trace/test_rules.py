"""The bundled lists of names and their reader."""

import pytest

from kb.errors import RulesError
from kb.trace.rules import names, read_names


def test_prefixes_and_whole_names() -> None:
    found = read_names("# why\na.b.\nc.D.run$  # this method only\n", "x.txt")
    assert "a.b.C" in found
    assert "a.bc" not in found
    assert "c.D.run" in found
    assert "c.D.runAll" not in found


def test_names_of_cxx_stand_as_they_are_printed() -> None:
    found = read_names("std::__throw_\nlibstdc++\n", "x.txt")
    assert "std::__throw_out_of_range" in found
    assert "libstdc++.so" in found
    assert "std.__throw_out_of_range" not in found


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("a.b.\n\nnot a name\n", "x.txt:3: 'not a name' is not a name"),
        ("a.b.\na.b.\n", "x.txt:2: 'a.b.' stands there twice"),
        ("a.b$\na.b$\n", "x.txt:2: 'a.b$' stands there twice"),
        ("x\n", "x.txt:1: 'x' is not a name"),
    ],
    ids=["blank-inside", "twice", "whole-twice", "too-short"],
)
def test_a_wrong_line_is_named(text: str, problem: str) -> None:
    with pytest.raises(RulesError) as raised:
        read_names(text, "x.txt")
    assert raised.value.problem == problem


@pytest.mark.parametrize(
    "name", ["jvm_platform", "jvm_framework", "jvm_machinery", "python_machinery", "python_errors"]
)
def test_bundled_lists_are_sound(name: str) -> None:
    assert len(names(name).prefixes) + len(names(name).whole) > 10


@pytest.mark.parametrize("name", ["jvm_platform", "jvm_framework"])
def test_packages_end_with_a_dot_so_that_they_are_whole(name: str) -> None:
    assert [prefix for prefix in names(name).prefixes if not prefix.endswith(".")] == []
