"""The lists of words in ``rules/words.txt``: each as a pattern, and some as automata that pass over most lines at once."""

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

import re2

from kb.errors import RulesError
from kb.patterns import lazy
from kb.trace.messages.form import widen

_AROUND = {
    "failure": ("(?i)(?<![a-z])", "(?![a-z])"),
    "person": ("(?i)(?<![\\w'])", "(?![\\w'])"),
    "tells-on": ("(?i)(?<![\\w'])", "(?![\\w'])"),
    "announces": ("(?i)(?<![a-z])", r"[^\w\n]{0,12}$"),
    "announces-zh": ("(?i)", r"[^\w\n]{0,12}$"),
    "system": (r"(?i)[:：(] ?\(?", r"\)?[.)\]\"'”]{0,3}$"),
    "starts": ("(?i)^", ""),
    "narrates": ("^", "(?![A-Za-z])"),
    "narrates-zh": ("^", ""),
}
"""What is before and behind the words of a list."""
_PLACE = "rules/words.txt"


@cache
def _lists() -> Mapping[str, tuple[str, ...]]:
    """Return the lists of ``rules/words.txt``: the heading of each, and its patterns."""
    lists: dict[str, list[str]] = {}
    words: list[str] | None = None
    for number, line in enumerate(files("kb.trace").joinpath(_PLACE).read_text(encoding="utf-8").splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        heading = _HEADING.fullmatch(line)
        if heading is not None:
            words = lists.setdefault(heading["name"], [])
        elif words is None:
            raise RulesError(f"{_PLACE}:{number}: {line!r} stands in no list", cure="a heading like [failure] above it")
        else:
            words.append(line)
    return {name: tuple(words) for name, words in lists.items()}


_HEADING = lazy(r"\[(?P<name>[a-z][a-z-]{2,30})\]")


@cache
def words_of(name: str) -> re.Pattern[str]:
    """Return the words of a list and of its Chinese counterpart, as one pattern."""
    return re.compile("|".join(_one(kind) for kind in (name, f"{name}-zh") if kind in _lists()))


def _one(kind: str) -> str:
    before, behind = _AROUND.get(kind, ("", ""))
    flags = before[:4] if before.startswith("(?i)") else ""
    return f"{'' if kind.endswith('-zh') else flags}{before.removeprefix(flags)}(?:{'|'.join(_lists()[kind])}){behind}"


def failure_pattern() -> str:
    """Return a pattern of RE2 that finds whatever tells a failure, and a little more."""
    return f"(?i:{widen(words_of('failure').pattern.removeprefix('(?i)'))})"


@cache
def failure_automaton() -> Any:
    """Return the words of failure as an automaton: it passes over most lines of a log."""
    return re2.compile(failure_pattern().encode())


@cache
def may_announce() -> Any:
    """Return how a sentence ends that announces, as an automaton: it reads backwards from the end, and mostly a letter or two."""
    return re2.compile(rf"(?:{_wide('announces')}|{_wide_zh('announces')})[^A-Za-z0-9_]*$".encode())


@cache
def may_be_personal() -> Any:
    """Return the words of a person as an automaton, which knows no letter but those of ASCII: it passes over most lines of a log."""
    return re2.compile(f"{_between_words('person')}|[?？]".encode())


@cache
def may_tell_on() -> Any:
    """Return the words with which somebody goes on, as such an automaton."""
    return re2.compile(_between_words("tells-on").encode())


def _between_words(kind: str) -> str:
    wide = rf"(?:^|[^\w'])(?:{_wide(kind)})(?:[^\w']|$)"
    return f"{wide}|{_wide_zh(kind)}" if f"{kind}-zh" in _lists() else wide


def _wide(kind: str) -> str:
    return f"(?i:{'|'.join(map(widen, _lists()[kind]))})"


def _wide_zh(kind: str) -> str:
    return "|".join(map(widen, _lists()[f"{kind}-zh"]))
