"""Patterns that are compiled at their first use behave as those of `re`."""

import gc
import importlib
import pickle
import pkgutil
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import kb
from kb.patterns import _LazyPattern, compile_all, lazy

USES = {
    "match": lambda one: one.match("ab12").span(),
    "search": lambda one: one.search("..ab12").group("letters"),
    "fullmatch": lambda one: one.fullmatch("ab12?"),
    "sub": lambda one: one.sub("-", "ab12 cd3"),
    "subn": lambda one: one.subn("-", "ab12 cd3"),
    "finditer": lambda one: [found.span() for found in one.finditer("ab12 cd3")],
    "findall": lambda one: one.findall("ab12 cd3"),
    "split": lambda one: one.split("ab12 cd3"),
    "groups": lambda one: one.groups,
    "groupindex": lambda one: dict(one.groupindex),
    "pattern": lambda one: one.pattern,
}


@pytest.mark.parametrize("use", USES.values(), ids=USES)
@pytest.mark.parametrize(
    ("source", "flags"), [(r"(?P<letters>[a-z]+)\d", 0), (r"(?P<letters>[A-Z]+)\d", re.IGNORECASE)]
)
def test_each_use_is_that_of_re_the_first_time_and_later(source: str, flags: int, use: Callable[[Any], Any]) -> None:
    one, other = lazy(source, flags), re.compile(source, flags)
    assert use(one) == use(other) == use(one)


def test_it_travels_between_processes() -> None:
    sent = pickle.loads(pickle.dumps(lazy("A+", re.IGNORECASE)))
    assert sent.match("aaa").end() == 3


def test_a_wrong_pattern_is_told_at_its_first_use() -> None:
    wrong = lazy("(")
    with pytest.raises(re.error):
        wrong.match("x")


def test_a_process_that_stays_compiles_all_ahead() -> None:
    one, wrong = lazy("b+"), lazy("(")
    with pytest.raises(AttributeError):
        object.__getattribute__(one, "match")
    compile_all()
    assert object.__getattribute__(one, "match")("bb").end() == 2
    with pytest.raises(re.error):
        wrong.match("x")


def test_what_re_does_not_have_it_has_not() -> None:
    with pytest.raises(AttributeError):
        _ = lazy("x").matches  # type: ignore[attr-defined]


def test_every_pattern_of_the_house_compiles() -> None:
    for module in pkgutil.walk_packages(kb.__path__, "kb."):
        importlib.import_module(module.name)
    gc.unfreeze()  # what a service of another test froze is not among the objects
    patterns = [one for one in gc.get_objects() if type(one) is _LazyPattern and one.pattern != "("]
    assert len(patterns) > 1000
    for one in patterns:
        assert re.compile(one.pattern, one._flags).groups == one.groups


def test_no_match_is_compared_by_its_pattern() -> None:
    """``match.re`` is the compiled pattern, never the lazy one: texts are compared instead."""
    for path in sorted(Path(kb.__path__[0]).rglob("*.py")):
        assert not re.search(r"\.re (?:is|==|!=) ", path.read_text(encoding="utf-8")), path
