"""Sentences that frameworks print word for word when something failed, though few of their words tell so.

``rules/wordings.txt`` lists them, one a line. They are found anywhere in a line, because people quote them without quotation marks.
"""

from functools import cache
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
    text = files("kb.trace").joinpath(_PLACE).read_text(encoding="utf-8")
    whole: list[str] = []
    predicates: list[str] = []
    for pattern in read_wordings(text, _PLACE):
        (predicates if pattern.startswith(_SPELLED["*"]) else whole).append(pattern)
    return f"{'|'.join(whole)}|({'|'.join(one.removeprefix(_SPELLED['*']) for one in predicates)})"


def read_wordings(text: str, place: str) -> list[str]:
    """Return the wordings of a list as patterns of RE2; raise RulesError, with file and line, for one that is too short or listed twice."""
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
    return list(found.values())


def _pattern_of(wording: str) -> str:
    """Return a wording as a pattern: ``Port <> was already in use``, ``Target class [*] does not exist``."""
    parts, at = [], 0
    for variable in _VARIABLE.finditer(wording):
        parts += [re2.escape(wording[at : variable.start()]), _SPELLED[variable[0]]]
        at = variable.end()
    return "".join((*parts, re2.escape(wording[at:])))


def wording_in(text: str, begin: int, end: int) -> tuple[int, int] | None:
    """Return where the first known wording of a stretch begins, and where it ends; None where there is none. Linear in the length of the stretch."""
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
