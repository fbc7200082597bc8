"""All forms of all programs, and which of them a line has: one RE2 set finds the few that may fit, each then reads the line."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import re2

from kb.trace.messages import compilers, packages, runners, services, shells
from kb.trace.messages.form import Form

FORMS: tuple[Form, ...] = (
    *packages.FORMS,
    *runners.FORMS,
    *compilers.FORMS,
    *services.FORMS,
    *shells.FORMS,
    *shells.GENERAL,
)
"""In the order in which they are tried: the first that fits a line, and finds its message, decides."""
_BELOW = 12
"""Lines below in which a form looks for its message."""
_MEMORY = 64 << 20  # bytes for the states of the automaton
_LONGEST = 4_000
_CLASS = re.compile(r"\\[wds]")
_LOOK = re.compile(r"\(\?<?[=!]")
_REPEAT = re.compile(r"\{(?P<least>\d+)(?:,(?P<most>\d*))?\}")
_MANY = 8  # repeats; RE2 spells each of them out
_FOREIGN = r"\x{80}-\x{10FFFF}"  # any character that is not ASCII: cheaper in an automaton than classes of letters
_WIDER = {r"\w": rf"[\w{_FOREIGN}]", r"\s": rf"[\s{_FOREIGN}]", r"\S": ".", r"\d": rf"[\d{_FOREIGN}]", r"\b": ""}


@dataclass(frozen=True, slots=True)
class Reading:
    """What a form reads of a line."""

    form: Form
    type: str | None
    message: str | None
    line: int
    """The line on which the message stands, counted in the lines that were given."""
    begin: int
    """Where on that line; of no message where the line begins."""


def read_form(lines: Sequence[str], at: int) -> Reading | None:
    """What the first form that fits line ``at`` reads; None where no program prints so.

    The lines are without the dress of logs and quotations; those below are looked at where a form says its message there.
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
            if below is None:
                continue
            groups |= {name: value for name, value in below.groupdict().items() if value}
            begin = below.start("message")
        name = form.type.format(groups["type"]) if form.type is not None else groups["type"]
        return Reading(form, name, (groups["message"] or "").strip() or None, place, begin)
    return None


def _likely(line: str) -> list[Form]:
    """The forms that may fit, in their order."""
    return [FORMS[at] for at in sorted(_set().Match(line.encode("utf-8", "surrogatepass")) or ())]


@cache
def _set() -> Any:
    options = re2.Options()
    options.max_mem, options.never_nl, options.log_errors = _MEMORY, True, False
    forms = re2.Set.MatchSet(options)
    for form in FORMS:
        flags = "(?i)" if form.pattern.flags & re.IGNORECASE else ""
        forms.Add(f"{flags}^(?:{widened(form.pattern.pattern)})")
    forms.Compile()
    return forms


def widened(pattern: str) -> str:
    """A pattern for RE2 that matches whatever ``pattern`` does, and more: it has no look-around, no possessive repeats, no long ones."""
    parts: list[str] = []
    at = 0
    while at < len(pattern):
        if _LOOK.match(pattern, at):
            at = _behind_group(pattern, at)
            continue
        end = _end_of_atom(pattern, at)
        atom, at = pattern[at:end], end
        if atom.startswith("["):
            atom = atom if atom.startswith("[^") else _CLASS.sub(lambda found: found[0] + _FOREIGN, atom)
        parts.append(_WIDER.get(atom, "(?:" if atom == "(?>" else atom))
        repeat = _REPEAT.match(pattern, at)
        if repeat is not None:
            at = repeat.end()
            is_many = repeat["most"] == "" or int(repeat["most"] or repeat["least"]) > _MANY
            parts.append(("+" if int(repeat["least"]) else "*") if is_many else repeat[0])
        elif pattern[at : at + 1] in ("*", "+", "?"):
            parts.append(pattern[at])
            at += 1
        else:
            continue
        if pattern[at : at + 1] == "+":  # possessive
            at += 1
    return "".join(parts)


def _end_of_atom(pattern: str, at: int) -> int:
    if pattern[at] == "\\":
        return at + 2
    if pattern.startswith("(?>", at):
        return at + 3
    if pattern[at] != "[":
        return at + 1
    at += 2 if pattern.startswith("[^", at) else 1
    at += pattern[at] == "]"
    while pattern[at] != "]":
        at += 2 if pattern[at] == "\\" else 1
    return at + 1


def _behind_group(pattern: str, at: int) -> int:
    depth = 0
    while True:
        depth += (pattern[at] == "(") - (pattern[at] == ")")
        end = _end_of_atom(pattern, at) if pattern[at] != "(" else at + 1
        at = end
        if not depth:
            return at
