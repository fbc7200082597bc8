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
from kb.redact.words import PEOPLE, IsOver, Redaction, StoppedError, never

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
_WORDS_MEMORY, _WORDS_AT_ONCE = 8 << 20, 32
"""What one pattern of hosts or of kept words takes, and how many rules it joins: 32 of the longest hosts need a quarter of it."""
_EVERY = 256
"""Secrets between two looks at whether it is over: some milliseconds."""
_WITHIN = bytes(range(0x80, 0xC0))
"""The bytes of UTF-8 that begin no character."""


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
    kept: tuple[Any, ...]


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
        reason = error.args[0]
        message = reason.decode(errors="replace") if isinstance(reason, bytes) else str(reason)
        cure = "RE2 knows no look-around and no back-references"
        raise RulesError(f"{pattern!r} is no RE2 pattern: {message}", cure=cure) from error
    if compiled.groups > 1:
        raise RulesError(f"{pattern!r} has {compiled.groups} groups", cure="put the secret alone into ( )")
    if any(compiled.search(probe) for probe in ("", " ", "a", *_ORDINARY, "<secret>")):
        raise RulesError(f"{pattern!r} is too wide: it finds secrets in ordinary words", cure="say what stands around")


def compiled_secret(pattern: str, memory: int = _MEMORY) -> Any:
    """Return a pattern of a house; re2.error where it is none. No match goes beyond its line."""
    options = re2.Options()
    options.max_mem, options.log_errors, options.never_nl = memory, False, True
    return re2.compile(pattern, options)


def ready_house(rules: Sequence[HouseRule]) -> ReadyHouse:
    """Return the rules, compiled. They were checked one by one, and so few are joined that they always fit."""
    hosts = [_stars(rule.pattern, "[A-Za-z0-9_-]") for rule in rules if rule.verb == "internal"]
    kept = [_stars(rule.pattern, r"[^\s,;<>]") for rule in rules if rule.verb == "keep"]
    finders = [("house_secret", compiled_secret(rule.pattern)) for rule in rules if rule.verb == "secret"]
    finders += [("internal_host", compiled_secret(_AROUND_HOST.format(some), _WORDS_MEMORY)) for some in _joined(hosts)]
    return ReadyHouse(
        tuple(rules),
        tuple(finders),
        tuple(compiled_secret(f"(?i:{some})", _WORDS_MEMORY) for some in _joined(kept)),
    )


_AROUND_HOST = r"(?im)(?:^|[^A-Za-z0-9_.-])({})(?:[^A-Za-z0-9_.-]|\.[^A-Za-z0-9_-]|\.?$)"
"""A host that stands alone; a line's end is no sign that RE2 lets a pattern name here."""


def _joined(patterns: Sequence[str]) -> Iterator[str]:
    for at in range(0, len(patterns), _WORDS_AT_ONCE):
        yield "|".join(patterns[at : at + _WORDS_AT_ONCE])


def _stars(pattern: str, letter: str) -> str:
    """A star stands for any letters; one before the first dot for names with dots, too."""
    first, dot, rest = pattern.partition(".")
    if first == "*" and dot:
        return rf"(?:{letter}+\.)+" + _stars(rest, letter)
    return f"{letter}*".join(map(re.escape, pattern.split("*")))


def has_finders() -> bool:
    """Whether the rules of the house hide anything."""
    return bool(_in_force().finders)


def custom_redactions(text: str, is_over: IsOver = never) -> Iterator[Redaction]:
    """What the rules of the house hide in a text. StoppedError soon after it is over."""
    finders = _in_force().finders
    if not finders:
        return
    data = text.encode("utf-8", "replace")  # once: of a `str`, RE2 makes bytes again for each search
    for kind, compiled in finders:
        at = begin = 0
        for number, (start, end) in enumerate(_found(compiled, data)):
            if number % _EVERY == 0 and is_over():
                raise StoppedError
            begin += _characters(data, at, start)
            behind = begin + _characters(data, start, end)
            yield Redaction(kind, begin, behind)
            at, begin = end, behind
        if is_over():
            raise StoppedError


def _found(compiled: Any, data: bytes) -> Iterator[tuple[int, int]]:
    """Where the last group of a pattern matches. What stands behind a secret may stand before the next one, too."""
    at = 0
    while (match := compiled.search(data, at)) is not None:
        start, end = match.span(compiled.groups)
        if start < end:
            yield start, end
        at = max(end, match.start() + 1)


def _characters(data: bytes, start: int, end: int) -> int:
    """How many characters begin in a piece of UTF-8."""
    return len(data[start:end].translate(None, _WITHIN))


def is_kept(one: Redaction, text: str) -> bool:
    """Whether the house leaves an address or a number as it is; a secret is never left."""
    kept = _in_force().kept
    if not kept or one.kind not in PEOPLE:
        return False
    word = text[one.start : one.end].encode("utf-8", "replace")
    return any(compiled.fullmatch(word) is not None for compiled in kept)


def _in_force() -> ReadyHouse:
    return here.get() or of_process[0]


of_process = [ready_house(())]
"""The rules that act where a context has none of its own; `kb.trace.in_force.activate` sets them."""
here: ContextVar[ReadyHouse | None] = ContextVar("rules of a house", default=None)
"""The rules that act in a context; `kb.trace.in_force.adopted` sets them."""
