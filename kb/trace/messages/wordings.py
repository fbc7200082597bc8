"""Sentences that frameworks print word for word when something failed, though few of their words tell so.

``rules/wordings.txt`` lists them, one a line. They are found anywhere in a line, because people quote them without quotation marks.
"""

from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

import re2

from kb.errors import RulesError
from kb.patterns import lazy

_PLACE = "rules/wordings.txt"
_LEAST = 10
"""Characters of a wording at least: shorter ones stand in anybody's sentence."""
_MEMORY = 32 << 20  # bytes for the states of the automaton
_VARIABLE = lazy(r"\\<|<>|\*")
_SPELLED = {"*": r"[^\n]*?", "<>": r"[\w./:$-]+", r"\<": "<"}


@cache
def wording_pattern() -> str:
    """Return a pattern of RE2 that finds any of the wordings; those that begin with a star are group 1, without it."""
    whole: list[str] = []
    predicates: list[str] = []
    for pattern in _bundled().values():
        (predicates if pattern.startswith(_SPELLED["*"]) else whole).append(pattern)
    return f"{'|'.join(whole)}|({'|'.join(one.removeprefix(_SPELLED['*']) for one in predicates)})"


@cache
def _bundled() -> dict[str, str]:
    return read_wordings(files("kb.trace").joinpath(_PLACE).read_text(encoding="utf-8"), _PLACE)


def read_wordings(text: str, place: str) -> dict[str, str]:
    """Return the wordings of a list, each with its pattern of RE2; raise RulesError, with file and line, for one that is too short or listed twice."""
    found: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        wording = line.strip()
        if not wording or wording.startswith("# "):
            continue
        if len(wording) < _LEAST:
            raise RulesError(f"{place}:{number}: {wording!r} is too short", cure=f"at least {_LEAST} characters")
        if wording in found:
            raise RulesError(f"{place}:{number}: {wording!r} is listed twice", cure="keep one of the two")
        found[wording] = _pattern_of(wording)
    return found


def _pattern_of(wording: str) -> str:
    """Return a wording as a pattern: ``Port <> was already in use``, ``Target class [*] does not exist``."""
    parts, at = [], 0
    for variable in _VARIABLE.finditer(wording):
        parts += [re2.escape(wording[at : variable.start()]), _SPELLED[variable[0]]]
        at = variable.end()
    return "".join((*parts, re2.escape(wording[at:])))


@cache
def _needed() -> tuple[dict[str, list[frozenset[str]]], tuple[str, ...]]:
    """Return by one of its words all whole words of each wording; and wordings of too few, of which the longest stretch counts."""
    by_word: dict[str, list[frozenset[str]]] = {}
    short: list[str] = []
    for wording in _bundled():
        literal = _VARIABLE.sub(lambda found: "<" if found[0] == "\\<" else "\0", wording)
        words = frozenset(_WHOLE_WORD.findall(literal))
        if words:
            by_word.setdefault(max(words, key=lambda word: (len(word), word)), []).append(words)
        else:
            short.append(max(literal.split("\0"), key=len))
    return by_word, tuple(short)


_WHOLE_WORD = lazy(r"(?<=[^A-Za-z\0])[A-Za-z]+(?=[^A-Za-z\0])")
"""A word of a wording that is whole wherever the wording is found: neither its first nor its last, nor beside a variable."""
_WORD = lazy(r"[A-Za-z]+")


@lru_cache(maxsize=64)
def may_hold_wording(line: str) -> bool:
    """Whether all whole words of a wording are in a line. The automaton makes a state for nearly each character of a new line: 150 µs, and this takes 5 (2026-11-30)."""
    by_word, short = _needed()
    words = set(_WORD.findall(line))
    return any(needed <= words for word in words & by_word.keys() for needed in by_word[word]) or any(
        one in line for one in short
    )


def wording_in(text: str, begin: int, end: int) -> tuple[int, int] | None:
    """Return where the first known wording of a stretch begins, and where it ends; None where there is none. Linear in the length of the stretch."""
    if not may_hold_wording(text[begin:end]):
        return None
    given = text[begin:end].encode("utf-8", "surrogatepass")
    found = _automaton().search(given)
    if found is None:
        return None
    before = given[: found.start()].decode("utf-8", "surrogatepass")
    first = begin + len(before)
    last = first + len(found[0].decode("utf-8", "surrogatepass"))
    if found.group(1) is None:
        return first, last
    least = max(len(before) - _LONGEST_SUBJECT, 0)
    return begin + max((border.end() for border in _BORDER.finditer(before, least)), default=least), last


_LONGEST_SUBJECT = 300
_BORDER = lazy(r"[.:!?] {1,2}|[，。：；！？、] ?|, |[\u4e00-\u9fff] ?(?=[!-~])")
"""What a sentence begins behind whose predicate is a known wording."""


@cache
def _automaton() -> Any:
    options = re2.Options()
    options.max_mem, options.log_errors = _MEMORY, False
    return re2.compile(wording_pattern().encode(), options)
