"""Possessive quantifiers mean the same on every Python: some miss matches or raise SystemError unless `kb` mends them."""

import re

import pytest

import kb  # noqa: F401  mends them


@pytest.mark.parametrize(
    ("pattern", "text", "groups"),
    [
        (r"(?:(?P<key>[a-z]+)=)*+v", "a=b=v", ("b",)),
        (r"(?:(a|ab)(c|bcd))?+d", "abcdd", ("a", "bcd")),
        (r"x(?:,(\d{1,3}))*+!", "x,1,22!", ("22",)),
        (r"(?:ab?c)++d", "abcacd", ()),
        (r"((x)|y|z)*+", "xyz", ("z", "x")),
        (r"[a-z]*+=(\w++)", "key=value", ("value",)),
        (r"(?i)(?:(A)B)++", "abAB", ("A",)),
        (r"(?=(?:(a)b)*+c)\w+", "ababc", ("a",)),
        (r"(?:((x)|[yz]+)=){0,9}+v", "x=yz=v", ("yz", "x")),
        ("(?x) (?: ((x)|[yz]+) = ) # behind a comment, too\n*+ v", "x=yz=v", ("yz", "x")),
    ],
)
def test_a_possessive_group_matches_and_captures(pattern: str, text: str, groups: tuple[str, ...]) -> None:
    found = re.match(pattern, text)
    assert found is not None
    assert found[0] == text
    assert found.groups() == groups


@pytest.mark.parametrize("pattern", [r"(?:(a)b?)*+b", r"(?:(ab|a))++bc", r"a*+a"])
def test_it_gives_nothing_back(pattern: str) -> None:
    assert re.fullmatch(pattern, "ab" if pattern.endswith("b") else "abc") is None
