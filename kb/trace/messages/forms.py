"""All forms of all programs, and which of them a line has: one RE2 set finds the few that may fit, each then reads the line."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

import re2

from kb.patterns import lazy
from kb.trace.messages.form import MessageForm, widen
from kb.trace.messages.runners import RUNNERS
from kb.trace.messages.services import CLIENTS, KUBERNETES, SERVERS
from kb.trace.messages.shells import GENERAL, SHELLS
from kb.trace.messages.text_lines import LINE_PREFIX, TextLine
from kb.trace.messages.toolchains import COMPILERS, PACKAGE_MANAGERS
from kb.trace.messages.word_lists import failure_automaton
from kb.trace.messages.wordings import wording_in
from kb.trace.messages.words import failure_from, mentions_failure
from kb.trace.runtimes import RUNTIMES

SERVICES: tuple[MessageForm, ...] = (*KUBERNETES, *CLIENTS, *SERVERS)
"""Cluster tools, clients, servers, launchers."""
FORMS: tuple[MessageForm, ...] = (
    *PACKAGE_MANAGERS,
    *RUNNERS,
    *COMPILERS,
    *SERVICES,
    *SHELLS,
    *GENERAL,
)
"""All of them in the order in which they are tried: the first that fits a line, and finds its message, decides. So summaries are before the
forms that would read them as errors, and narrow forms before wide ones. Of several errors in a paste, the first one counts: compilers go on after an
error, and what comes later mostly follows from it. What a message is:

* The program's own prefix is off: ``npm ERR!``, ``E:``, ``fatal:``, ``curl: (7)``, a file's place, ``-> [Help 1]``.
* A Unix tool's name stays (``cp: cannot stat …``): one form reads all of them, and without the name nobody knows who printed it.
* Where the line wraps or goes on below, the message is its first line.
"""
_BELOW = 12
"""Lines below in which a form looks for its message."""
_MEMORY = 64 << 20  # bytes for the states of the automaton
_LONGEST = 4_000


@dataclass(frozen=True, slots=True)
class FormMatch:
    """What a form reads of a line."""

    form: MessageForm
    type: str | None
    message: str | None
    line: int
    """The line on which the message is, counted in the lines that were given."""
    begin: int
    """Where on that line; of no message where the line begins."""


def read_form(lines: Sequence[str], at: int) -> FormMatch | None:
    """Return what the first form that fits line ``at`` reads; None where no program prints so.

    The lines are without the prefix of logs and quotations; those below are looked at where a form says its message there.
    """
    line = lines[at][:_LONGEST]
    for form in _likely(line):
        found = form.pattern.match(line)
        if found is None:
            continue
        groups: dict[str, str | None] = {"type": None, "message": None, **found.groupdict()}
        place, begin = at, max(found.start("message"), 0) if "message" in form.pattern.groupindex else 0
        if form.below is not None and not groups["message"]:
            near = ((n, form.below.match(lines[n][:_LONGEST])) for n in range(at + 1, min(at + 1 + _BELOW, len(lines))))
            place, below = next(((n, one) for n, one in near if one is not None), (at, None))
            if below is None and not form.says_all:
                continue
            if below is not None:
                groups |= {name: value for name, value in below.groupdict().items() if value}
                begin = below.start("message")
        name = form.type.format(groups["type"]) if form.type is not None else groups["type"]
        return FormMatch(form, name, (groups["message"] or "").strip() or None, place, begin)
    return None


def may_have_form(line: str) -> bool:
    """Whether any form may fit a line."""
    return bool(_likely(line[:_LONGEST]))


_TELLS = r"Error|Exception|Warning|Failure|Fault|Timeout|_exception|_error|\b(?:errors?|exceptions?|exc)\.[A-Z]|[A-Z]_[A-Z]|::E[A-Z]|错误|异常|ERR|FATAL|SEVERE|CRIT|[\[ <]E[\] >/]"
"""What else an exception, a code or a level is spelled with."""


@cache
def _telling() -> tuple[Any, re.Pattern[str]]:
    """Return an automaton that passes over most lines of a log, and the pattern: to RE2 a Chinese letter is none of a word."""
    return re2.compile(_TELLS.encode()), re.compile(_TELLS)


def may_show(line: str) -> bool:
    """Whether a line of a log is looked at: it tells a failure, holds a name that errors have, or has a program's form."""
    automaton, pattern = _telling()
    holds_name = automaton.search(line.encode("utf-8", "surrogatepass")) is not None and pattern.search(line)
    return bool(holds_name) or mentions_failure(line) or may_have_form(line)


def numbers_that_may_show(text: str, lines: Sequence[TextLine]) -> Iterator[int]:
    """Yield the numbers of the lines of a log that are looked at, in their order; automata pass over the whole text."""
    data = text[lines[0].begin :].encode("utf-8", "surrogatepass")
    found = set[int]()
    for automaton in (_telling()[0], failure_automaton(), *_begun()):
        found.update(_numbers_in(automaton, data))
    return (number for number in sorted(found) if may_show(lines[number].text))


def _numbers_in(automaton: Any, data: bytes) -> Iterator[int]:
    """Yield the numbers of the lines in which an automaton finds anything."""
    at = number = 0
    while (found := automaton.search(data, at)) is not None:
        number += data.count(b"\n", at, found.start())
        yield number
        at, number = data.find(b"\n", found.start()) + 1, number + 1
        if not at:
            return


@cache
def _begun() -> tuple[Any, ...]:
    """Return how lines begin that have a form, as automata for a whole text: the sets take four times as long for each line."""
    before = f"(?m)^{widen(LINE_PREFIX.pattern)}"
    parts = ("|".join(f"(?:{_wide()[at]})" for at in part) for part in _parts())
    return tuple(re2.compile(f"{before}(?:{one})".encode(), _options()) for one in parts)


def knows_words(line: str) -> bool:
    """Whether a runtime that knows errors by their words may know a line."""
    return _known().search(line.encode("utf-8", "surrogatepass")) is not None


@cache
def _known() -> Any:
    needles = (needle for runtime in RUNTIMES if runtime.is_known_by_words for needle in runtime.needles)
    return re2.compile("|".join(f"(?:{one})" for one in needles).encode(), _options())


def _options() -> Any:
    options = re2.Options()
    options.max_mem, options.log_errors = _MEMORY, False
    return options


_SPELLED = (
    r"\d\d:\d\d:\d\d|(?i:exited)|status code: [45]\d|"
    r"(?i:err\b|warn|crit|alert|emerg|severe|panic|level|severity|StopIteration|GeneratorExit|Throwable|ImproperlyConfigured|DoesNotExist|MultipleObjectsReturned|AppRegistryNotReady)"
    r"|Error|Exception|Warning|Failure|Fault|Panic|Interrupt|Timeout|Exit\b|_exception|_error|\b(?:errors?|exceptions?|exc)\.[A-Z]|[A-Z0-9]_[A-Z]|::E[A-Z]|\bE[A-Z]{3,12}\b|[A-Z]{1,8}-?\d{3,5}\b|\*\* \(|#<[A-Z]|\":|错误|异常|报错|提示|出错|[\[ <][EF][\] >/\d]|^[EF][ /\d]"
)
"""What else errors, codes, levels and records are spelled with, beside words of failure."""


@cache
def _spelled() -> Any:
    """Return the same as an automaton of its own: in one with the words of failure and the wordings its states would multiply."""
    return re2.compile(_SPELLED.encode())


def may_hold(words: str, line: str, *, holds_needle: bool) -> bool:
    """Whether a line may show an error: most of a page's cannot, and are passed over. ``line`` is it without its prefix; ``holds_needle``: its text does."""
    return (
        failure_from(words) >= 0
        or _spelled().search(words.encode("utf-8", "surrogatepass")) is not None
        or wording_in(words, 0, len(words)) is not None
        or (holds_needle and knows_words(words))
        or may_have_form(line)
    )


@lru_cache(maxsize=64)
def _likely(line: str) -> tuple[MessageForm, ...]:
    """Return the forms that may fit, in their order. Each line is looked up twice, with its prefix and without; mostly both are the same."""
    data = line.encode("utf-8", "surrogatepass")
    found = [part[at] for forms, part in _sets() for at in forms.Match(data) or ()]
    return tuple(FORMS[at] for at in sorted(found))


@cache
def _wide() -> tuple[str, ...]:
    """Return the patterns of all forms, made wide for RE2."""
    return tuple(widen(form.pattern.pattern) for form in FORMS)


@cache
def _parts() -> tuple[tuple[int, ...], ...]:
    """Return the numbers of the forms in two parts: those that begin with any word, and the others, which most lines leave at their first characters.

    All in one automaton make a state for nearly each character of a new line: of pastes a line took 15 µs, and takes 9 in two (2026-11-30).
    """
    begin_with_any_word = [_CLASS.match(pattern) is not None for pattern in _wide()]
    return tuple(
        tuple(at for at, any_word in enumerate(begin_with_any_word) if any_word is each) for each in (False, True)
    )


_CLASS = lazy(r"(?:\(\?:)*\[(?!\^[^\]]{0,3}\\n)")
"""How a wide pattern begins that goes on over any word, ``[^\\s:]+: line``; over anything, as ``[^\\n]*rpc error``, is another matter."""


@cache
def _sets() -> tuple[tuple[Any, tuple[int, ...]], ...]:
    return tuple((_set_of([_wide()[at] for at in part]), part) for part in _parts())


def _set_of(patterns: Sequence[str]) -> Any:
    options = _options()
    options.never_nl = True
    forms = re2.Set.MatchSet(options)
    for pattern in patterns:
        forms.Add(f"^(?:{pattern})")
    forms.Compile()
    return forms
