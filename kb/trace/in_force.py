"""Where the custom rules act: what normalising and fingerprinting ask.

Whoever works for one home works within `adopted`: an engine does so in each of its methods, so that two homes in one process
keep their own rules. `activate` sets what acts everywhere else, once for a process: a service or a command calls it for its
home, before anything is read. What is remembered of texts is remembered with the rules. With no rules every hook gives back
what it was given.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from kb.redact import house
from kb.trace.custom import NONE, CustomRules, compiled_pattern, spans
from kb.trace.model import Frame, RaisedException, Relation

LONGEST_LINE = 2_000
"""Characters of a message's line in which patterns are looked for: a longer one is a dump of data."""

_ROUNDS = 4  # a replaced value can make room for a further match beside it; more rounds than two were never seen
_MOST_WRAPPED = 8
_SURROGATES = re.compile(r"[\ud800-\udfff]")
# e.g. `OSError: x`
_INNER = re.compile(
    r"(?P<type>(?:[A-Za-z_]\w{0,80}\.){0,12}[A-Za-z_]\w{0,80}(?:Exception|Error|Failure|Fault))(?::\s*(?P<message>.*))?",
    re.DOTALL,
)


@dataclass(frozen=True, slots=True, eq=False)
class ReadyRules:
    """Rules, ready for use, and what is remembered of texts that were read under them."""

    rules: CustomRules
    verdicts: dict[str, bool]
    lengths: tuple[int, ...]
    """The distinct lengths of the in-app prefixes, longest first."""
    noise: tuple[str, ...]
    noise_whole: frozenset[str]
    wrappers: frozenset[str]
    patterns: tuple[tuple[str, Any], ...]
    hidden: house.ReadyHouse
    templates: dict[str, str] = field(default_factory=dict)
    """By message and by template, for a template is its own; `kb.trace.template` fills it."""
    named: dict[str, tuple[Frame, Any, Any]] = field(default_factory=dict)
    """By the text of a frame, the frame, its runtime and how it is named; `kb.trace.normalize` fills it."""

    @property
    def judge_frames(self) -> bool:
        """Whether the rules say anything about frames."""
        return bool(self.lengths or self.noise or self.noise_whole)

    def is_application(self, key: str) -> bool | None:
        """Return what the rules say about the frame with that key (``frame_key``); None where they say nothing."""
        return next((self.verdicts[key[:n]] for n in self.lengths if key[:n] in self.verdicts), None)

    def judged(self, frame: Frame, key: str, rank: int) -> tuple[Frame, int]:
        """Return a normalised frame and its rank as the rules have them: the application is 0, what they call foreign at least 1."""
        verdict = self.is_application(key)
        if verdict is None:
            return frame, rank
        return replace(frame, in_app=verdict), 0 if verdict else max(1, rank)

    def is_noise(self, key: str) -> bool:
        """Whether the rules drop the frame with that key like machinery."""
        return key.startswith(self.noise) or key in self.noise_whole

    def unwrapped(self, exceptions: Sequence[RaisedException]) -> tuple[RaisedException, ...]:
        """Normalised exceptions, wrappers looked through.

        What a wrapper was raised over, or groups alone, is its cause. A wrapper without a cause that names one in its message
        (``a.RemoteError: b.DiskError: full``) is that exception. Idempotent.
        """
        if not self.wrappers:
            return tuple(exceptions)
        found = list(exceptions)
        for at, raised in enumerate(exceptions):
            if raised.type not in self.wrappers:
                continue
            hung = [i for i, e in enumerate(found) if e.parent == at and i > at]
            within = [i for i in hung if found[i].relation in (Relation.CONTEXT, Relation.GROUPED)]
            if any(found[i].relation is Relation.CAUSE for i in hung):
                continue
            if len(within) == 1:
                found[within[0]] = replace(found[within[0]], relation=Relation.CAUSE)
            elif not within:
                found[at] = self._innermost_named(raised)
        return tuple(found)

    def apply_until_stable(self, text: str, built_in: Callable[[str], str]) -> str:
        """Return the text under the message patterns, then under the built-in placeholders, until nothing changes any more."""
        patterns = self.patterns
        if not patterns:
            return built_in(text)
        for _ in range(_ROUNDS):
            after = built_in("\n".join(_placed(line, patterns) for line in text.split("\n")))
            if after == text:
                break
            text = after
        return text

    def _innermost_named(self, raised: RaisedException) -> RaisedException:
        for _ in range(_MOST_WRAPPED):
            if raised.type not in self.wrappers:
                break
            if raised.wrapped_type:
                raised = replace(raised, type=raised.wrapped_type, wrapped_type=None)
                continue
            inner = _INNER.fullmatch(raised.message or "")
            if inner is None:
                break
            raised = replace(raised, type=inner["type"], message=(inner["message"] or "").strip() or None)
        return raised


def _placed(line: str, patterns: Sequence[tuple[str, Any]]) -> str:
    if len(line) > LONGEST_LINE:
        return line
    for placeholder, compiled in patterns:
        readable = line if line.isascii() else _SURROGATES.sub("\ufffd", line)  # RE2 reads UTF-8
        pieces, at = [], 0
        for start, end in spans(compiled, readable):
            if start < end:
                pieces += [line[at:start], placeholder]
                at = end
        if pieces:
            line = "".join((*pieces, line[at:]))
    return line


@lru_cache(maxsize=4)
def made_ready(rules: CustomRules) -> ReadyRules:
    """Return rules ready for use. Whoever reads under them again and again keeps what this gives: here a few are remembered."""
    return ReadyRules(
        rules=rules,
        verdicts=dict(rules.in_app),
        lengths=tuple(sorted({len(prefix) for prefix, _ in rules.in_app}, reverse=True)),
        noise=tuple(name for name in rules.noise if not name.endswith("$")),
        noise_whole=frozenset(name.removesuffix("$") for name in rules.noise if name.endswith("$")),
        wrappers=frozenset(rules.wrappers),
        patterns=tuple((placeholder, compiled_pattern(pattern)) for placeholder, pattern in rules.messages),
        hidden=house.ready_house(rules.redact),
    )


_of_process = [made_ready(NONE)]
_here: ContextVar[ReadyRules | None] = ContextVar("rules", default=None)


def ready_rules() -> ReadyRules:
    """Return the rules that act here, ready for use."""
    return _here.get() or _of_process[0]


def rules_in_force() -> CustomRules:
    """Return the rules that act here."""
    return ready_rules().rules


def activate(rules: CustomRules | ReadyRules) -> None:
    """Set the rules that act wherever none are `adopted`. What is running meanwhile may see the old ones or the new ones."""
    _of_process[0] = ready = rules if isinstance(rules, ReadyRules) else made_ready(rules)
    house.of_process[0] = ready.hidden


@contextmanager
def adopted(rules: CustomRules | ReadyRules) -> Iterator[None]:
    """Let the rules act within this thread or task, and in no other. Do not yield within it: the reader of a generator would work under these rules, too."""
    ready = rules if isinstance(rules, ReadyRules) else made_ready(rules)
    tokens = _here.set(ready), house.here.set(ready.hidden)
    try:
        yield
    finally:
        house.here.reset(tokens[1])
        _here.reset(tokens[0])
