r"""What one house hides beside all others, and what it keeps: its hosts, the shapes of its own secrets, its public addresses.

``internal *.corp.example`` hides hosts, ``secret EMP-(\d{6})`` what an RE2 pattern finds (its group, if it has one), ``keep
*@lists.example.org`` leaves an address or a number as it is. `kb.trace.in_force` says where the rules act.
"""

import re
from collections.abc import Iterator, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Any

import re2

from kb.errors import RulesError
from kb.patterns import lazy
from kb.redact.words import PEOPLE, Redaction

VERBS = ("internal", "secret", "keep")
_CURE = "write `internal *.corp.example`, `secret PATTERN` in RE2, or `keep *@lists.example.org`"
_HOST = lazy(r"[A-Za-z0-9*-]{1,63}(?:\.[A-Za-z0-9*-]{1,63}){0,9}")
_KEPT = lazy(r"[\w.%+*@() -]{4,120}")
_LEAST = 4
"""Characters beside stars and dots that a rule must name."""
_ORDINARY = (
    *("localhost", "github.com", "www.example.com", "repo.maven.apache.org", "10.0.0.1", "index.html", "node-1", "db1"),
    *("com.google.common.base.Preconditions", "java.lang.String", "lib64.so.6", "main.py", "www.baidu.com", "app.js"),
)
_MEMORY = 1 << 20


@dataclass(frozen=True, slots=True)
class HouseRule:
    """One line of a house: ``internal``, ``secret`` or ``keep``, and what it fits."""

    verb: str
    pattern: str

    def __str__(self) -> str:
        return f"{self.verb} {self.pattern}"


@dataclass(frozen=True, slots=True)
class ReadyHouse:
    """The rules, ready to be asked."""

    rules: tuple[HouseRule, ...]
    finders: tuple[tuple[str, Any], ...]
    """Kinds of what is found, with their patterns."""
    kept: re.Pattern[str] | None


def read_house_rule(entry: str) -> HouseRule:
    """The rule of a line. RulesError says what is wrong with it."""
    verb, _, pattern = entry.partition(" ")
    rule = HouseRule(verb, pattern.strip())
    if verb not in VERBS or not rule.pattern:
        raise RulesError(f"{entry!r} is no rule", cure=_CURE)
    if verb == "secret":
        _check_pattern(rule.pattern)
        return rule
    form, what = (_HOST, "host") if verb == "internal" else (_KEPT, "address or number")
    if form.fullmatch(rule.pattern) is None:
        raise RulesError(f"{rule.pattern!r} is no {what}", cure=_CURE)
    fits = re.compile(_stars(rule.pattern, "[A-Za-z0-9_.-]"), re.IGNORECASE)
    ordinary = next((one for one in _ORDINARY if fits.fullmatch(one)), None)
    if ordinary is not None or len(re.sub(r"[*.\s]", "", rule.pattern)) < _LEAST:
        raise RulesError(
            f"{rule.pattern!r} is too wide" + (f": it fits {ordinary}" if ordinary else ""), cure="name more of it"
        )
    return rule


def _check_pattern(pattern: str) -> None:
    """RulesError where a pattern is none, or has several groups."""
    try:
        compiled = compiled_secret(pattern)
    except (re2.error, UnicodeEncodeError) as error:
        told = error.args[0]
        said = told.decode(errors="replace") if isinstance(told, bytes) else str(told)
        cure = "RE2 knows no look-around and no back-references"
        raise RulesError(f"{pattern!r} is no RE2 pattern: {said}", cure=cure) from error
    if compiled.groups > 1:
        raise RulesError(f"{pattern!r} has {compiled.groups} groups", cure="put the secret alone into ( )")
    if any(compiled.search(probe) for probe in ("", " ", "a", *_ORDINARY, "<secret>")):
        raise RulesError(f"{pattern!r} is too wide: it finds secrets in ordinary words", cure="say what stands around")


def compiled_secret(pattern: str) -> Any:
    """A pattern of a house; re2.error where it is none."""
    options = re2.Options()
    options.max_mem, options.log_errors, options.never_nl = _MEMORY, False, True
    return re2.compile(pattern, options)


def ready_house(rules: Sequence[HouseRule]) -> ReadyHouse:
    """Return the rules, compiled."""
    hosts = "|".join(_stars(rule.pattern, "[A-Za-z0-9_-]") for rule in rules if rule.verb == "internal")
    kept = "|".join(_stars(rule.pattern, r"[^\s,;<>]") for rule in rules if rule.verb == "keep")
    finders = [("house_secret", compiled_secret(rule.pattern)) for rule in rules if rule.verb == "secret"]
    if hosts:
        whole = rf"(?i)(?:^|[^A-Za-z0-9_.-])((?:{hosts}))(?:[^A-Za-z0-9_.-]|\.[^A-Za-z0-9_-]|\.?$)"
        finders.append(("internal_host", compiled_secret(whole)))
    return ReadyHouse(tuple(rules), tuple(finders), re.compile(kept, re.IGNORECASE) if kept else None)


def _stars(pattern: str, letter: str) -> str:
    """A star stands for any letters; one before the first dot for names with dots, too."""
    first, dot, rest = pattern.partition(".")
    if first == "*" and dot:
        return rf"(?:{letter}{{1,63}}\.){{1,9}}" + _stars(rest, letter)
    return f"{letter}{{0,200}}".join(map(re.escape, pattern.split("*")))


def custom_redactions(text: str) -> Iterator[Redaction]:
    """What the rules of the house hide in a text."""
    finders = _in_force().finders
    if not finders:
        return
    readable = text if text.isascii() else text.encode("utf-8", "replace").decode()  # RE2 takes no lone surrogate
    for kind, compiled in finders:
        at = 0
        while (match := compiled.search(readable, at)) is not None:
            start, end = match.span(compiled.groups)
            if start < end:
                yield Redaction(kind, start, end)
            at = max(end, match.start() + 1)


def is_kept(one: Redaction, text: str) -> bool:
    """Whether the house leaves an address or a number as it is; a secret is never left."""
    kept = _in_force().kept
    return kept is not None and one.kind in PEOPLE and kept.fullmatch(text, one.start, one.end) is not None


def _in_force() -> ReadyHouse:
    return here.get() or of_process[0]


of_process = [ready_house(())]
"""The rules that act where a context has none of its own; `kb.trace.in_force.activate` sets them."""
here: ContextVar[ReadyHouse | None] = ContextVar("rules of a house", default=None)
"""The rules that act in a context; `kb.trace.in_force.adopted` sets them."""
