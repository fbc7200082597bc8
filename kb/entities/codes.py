"""Error codes in a text: ORA-00942, SQLSTATE 42S02, HTTP 503, ENOSPC, exit 137, OOMKilled. By a table of RE2 patterns."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

import re2

from kb.errors import RulesError

MOST = 20
"""Codes of one text that are kept."""
LONGEST = 200_000
"""Characters of a text that are looked at."""
_LINE = re.compile(r"(?P<shown>[^=*]{0,40}\*[^=*]{0,40}?)[ \t]+=[ \t]+(?P<pattern>\S.*)")
_CURE = "write `shown = pattern`, a star in what is shown and one group in the RE2 pattern: Shop * = \\bSHOP-(\\d+)\\b"
_MEMORY = 1 << 20
_PROBES = ("", " ", "a", "aa bb", "The job ran at 10:30 for 200 seconds.")


@dataclass(frozen=True, slots=True)
class CodeRule:
    """How a code is shown, ``*`` standing for what the group of the pattern found."""

    shown: str
    pattern: str

    def __str__(self) -> str:
        return f"{self.shown} = {self.pattern}"


def read_rule(entry: str) -> CodeRule:
    """The rule of a line. RulesError says what is wrong with it."""
    found = _LINE.fullmatch(entry)
    if found is None:
        raise RulesError(f"{entry!r} is no rule", cure=_CURE)
    rule = CodeRule(found["shown"].strip(), found["pattern"])
    try:
        compiled = _compiled(rule.pattern)
        groups = compiled.groups
        width = any(compiled.search(probe) for probe in _PROBES)
    except (re2.error, UnicodeEncodeError) as error:
        problem = error.args[0]
        reason = problem.decode(errors="replace") if isinstance(problem, bytes) else str(problem)
        cure = "RE2 knows no look-around and no back-references"
        raise RulesError(f"{rule.pattern!r} is no RE2 pattern: {reason}", cure=cure) from error
    if groups != 1:
        raise RulesError(
            f"{rule.pattern!r} has {groups} groups", cure="put the code alone into ( ), other groups into (?: )"
        )
    if width:
        raise RulesError(
            f"{rule.pattern!r} is too wide: it finds codes in ordinary words", cure="say what stands around the code"
        )
    return rule


def codes_of(text: str, house: Sequence[CodeRule] = ()) -> tuple[str, ...]:
    """The distinct codes that a text names, in the order of the text. ``house`` are rules beside the bundled ones."""
    readable = text[:LONGEST]
    if not readable.isascii():
        readable = readable.encode("utf-8", "replace").decode()  # RE2 takes no lone surrogate
    rules = (*house, *bundled())
    found = [
        (match.start(1), rules[at].shown.replace("*", match[1]))
        for at in _set(rules).Match(readable) or ()
        for match in _matches(_compiled(rules[at].pattern), readable)
    ]
    return tuple(dict.fromkeys(code for _, code in sorted(found)))[:MOST]


def _matches(compiled: Any, text: str) -> Iterator[Any]:
    for count, match in enumerate(compiled.finditer(text)):
        if count == 10 * MOST:
            return
        yield match


@lru_cache(maxsize=1)
def bundled() -> tuple[CodeRule, ...]:
    """The rules that come with the program."""
    text = files("kb.entities").joinpath("rules", "codes.txt").read_text(encoding="utf-8")
    return tuple(read_rule(line.strip()) for line in text.splitlines() if line.strip() and not line.startswith("#"))


@lru_cache(maxsize=4)
def _set(rules: tuple[CodeRule, ...]) -> Any:
    """All patterns at once: which of them are found anywhere takes one pass."""
    options = re2.Options()
    options.max_mem, options.log_errors = 64 * _MEMORY, False
    together = re2.Set.SearchSet(options)
    for rule in rules:
        together.Add(rule.pattern)
    together.Compile()
    return together


@lru_cache(maxsize=512)
def _compiled(pattern: str) -> Any:
    options = re2.Options()
    options.max_mem, options.log_errors = _MEMORY, False
    return re2.compile(pattern, options)
