"""Where the custom rules act: one set for the whole process, asked by normalising and fingerprinting.

`adopt` is called by whoever opens a home, before anything is read, so that one text has the same fingerprints behind every
door. With no rules adopted every hook gives back what it was given.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
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


@dataclass(frozen=True, slots=True)
class _InForce:
    """The adopted rules, ready for use."""

    rules: CustomRules
    verdicts: dict[str, bool]
    lengths: tuple[int, ...]
    """The distinct lengths of the in-app prefixes, longest first."""
    noise: tuple[str, ...]
    noise_whole: frozenset[str]
    wrappers: frozenset[str]
    patterns: tuple[tuple[str, Any], ...]


def _ready(rules: CustomRules) -> _InForce:
    return _InForce(
        rules=rules,
        verdicts=dict(rules.in_app),
        lengths=tuple(sorted({len(prefix) for prefix, _ in rules.in_app}, reverse=True)),
        noise=tuple(name for name in rules.noise if not name.endswith("$")),
        noise_whole=frozenset(name.removesuffix("$") for name in rules.noise if name.endswith("$")),
        wrappers=frozenset(rules.wrappers),
        patterns=tuple((placeholder, compiled_pattern(pattern)) for placeholder, pattern in rules.messages),
    )


_clears: list[Callable[[], None]] = []
_now = [_ready(NONE)]


def on_adoption(clear: Callable[[], None]) -> None:
    """Has ``clear`` called whenever other rules are adopted: for what remembers results that depend on them."""
    _clears.append(clear)


def rules_in_force() -> CustomRules:
    """Return the rules that were adopted last."""
    return _now[0].rules


def activate(rules: CustomRules) -> None:
    """Put the rules in force for the whole process. What is running meanwhile may see the old ones or the new ones."""
    if rules == _now[0].rules:
        return
    _now[0] = _ready(rules)
    house.activate(rules.redact)
    for clear in _clears:
        clear()


@contextmanager
def adopted(rules: CustomRules) -> Iterator[None]:
    """Yield the rules in force for a while: for trying them in a program of one thread."""
    before = rules_in_force()
    activate(rules)
    try:
        yield
    finally:
        activate(before)


def is_application(key: str) -> bool | None:
    """Return what the rules say about the frame with that key (``frame_key``); None where they say nothing."""
    now = _now[0]
    return next((now.verdicts[key[:n]] for n in now.lengths if key[:n] in now.verdicts), None)


def judged(frame: Frame, key: str, rank: int) -> tuple[Frame, int]:
    """Return a normalised frame and its rank as the rules have them: the application is 0, what they call foreign at least 1."""
    verdict = is_application(key)
    if verdict is None:
        return frame, rank
    return replace(frame, in_app=verdict), 0 if verdict else max(1, rank)


def is_noise(key: str) -> bool:
    """Whether the rules drop the frame with that key like machinery."""
    now = _now[0]
    return key.startswith(now.noise) or key in now.noise_whole


def unwrapped(exceptions: Sequence[RaisedException]) -> tuple[RaisedException, ...]:
    """Normalised exceptions, wrappers looked through.

    What a wrapper was raised over, or groups alone, is its cause. A wrapper without a cause that names one in its message
    (``a.RemoteError: b.DiskError: full``) is that exception. Idempotent.
    """
    if not _now[0].wrappers:
        return tuple(exceptions)
    found = list(exceptions)
    for at, raised in enumerate(exceptions):
        if raised.type not in _now[0].wrappers:
            continue
        hung = [i for i, e in enumerate(found) if e.parent == at and i > at]
        within = [i for i in hung if found[i].relation in (Relation.CONTEXT, Relation.GROUPED)]
        if any(found[i].relation is Relation.CAUSE for i in hung):
            continue
        if len(within) == 1:
            found[within[0]] = replace(found[within[0]], relation=Relation.CAUSE)
        elif not within:
            found[at] = _innermost_named(raised)
    return tuple(found)


def _innermost_named(raised: RaisedException) -> RaisedException:
    for _ in range(_MOST_WRAPPED):
        if raised.type not in _now[0].wrappers:
            break
        if raised.wrapped_type:
            raised = replace(raised, type=raised.wrapped_type, wrapped_type=None)
            continue
        inner = _INNER.fullmatch(raised.message or "")
        if inner is None:
            break
        raised = replace(raised, type=inner["type"], message=(inner["message"] or "").strip() or None)
    return raised


def apply_until_stable(text: str, built_in: Callable[[str], str]) -> str:
    """Return the text under the message patterns, then under the built-in placeholders, until nothing changes any more."""
    patterns = _now[0].patterns
    if not patterns:
        return built_in(text)
    for _ in range(_ROUNDS):
        after = built_in("\n".join(_placed(line, patterns) for line in text.split("\n")))
        if after == text:
            break
        text = after
    return text


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
