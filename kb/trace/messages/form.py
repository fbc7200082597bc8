"""One form in which a program prints an error, and the words that such forms have in several languages."""

import re
from dataclasses import dataclass
from enum import IntEnum
from functools import cache

from kb.patterns import lazy

# A form's pattern made so wide that RE2 can ask it: one automaton of all forms then tells which lines are worth a look.

_TOKEN = lazy(
    r"\\.|\[\^?\]?(?:\\.|[^\]\\])*+\]|\(\?P<\w+>|\(\?:|\(\?<?[=!]|[()]|\{\d+(?:,\d*)?\}[+?]?|[*+?][+?]?|.", re.DOTALL
)
"""A part of a pattern: ``\\d``, ``[a-z]``, ``(?P<message>``, ``(?!``, ``{1,40}``, ``++``, ``x``."""
_FOREIGN = r"\x{80}-\x{10FFFF}"
"""Any character that is not ASCII: what Python's classes take beyond RE2's, and cheaper in an automaton than classes of letters."""
_WIDER = {r"\w": rf"[\w{_FOREIGN}]", r"\s": rf"[\s{_FOREIGN}]", r"\S": ".", r"\d": rf"[\d{_FOREIGN}]", r"\b": ""}
_CLASS = lazy(r"\\[wds]")
_LOOKS = ("(?=", "(?!", "(?<=", "(?<!")


def widen(pattern: str) -> str:
    """Return an RE2 pattern that matches whatever the given one matches, and a little more.

    Look-around goes, since RE2 has none; so do the bounds of repeats, which would blow up its automaton, and the names of groups.
    """
    parts: list[str] = []
    looks: list[bool] = []  # of every open group, whether it only looks
    for part in _TOKEN.findall(pattern):
        opens = part.startswith("(")
        if opens:
            looks.append(part in _LOOKS)
        within = any(looks)
        if part == ")":
            looks.pop()
        if within:
            continue
        parts.append("(?:" if opens else _widened(part))
    return "".join(parts)


@cache
def _widened(part: str) -> str:
    """Return a part made wide: 400 patterns have 31,000 parts, of which 400 differ."""
    return _wider(_unbounded(part))


def _unbounded(part: str) -> str:
    """``{0,40}`` as ``*``, ``{2}`` as ``+``, ``++`` and ``+?`` as ``+``; anything else as it is."""
    if re.match(r"\{\d", part):
        return "*" if part.startswith("{0") else "+"
    return part[0] if part[0] in "*+?" else part


def _wider(part: str) -> str:
    """Return a class that is ASCII alone in RE2, with all other characters."""
    if part.startswith("[") and not part.startswith("[^"):
        return _CLASS.sub(lambda found: found[0] + _FOREIGN, part)
    return _WIDER.get(part, part)


class Severity(IntEnum):
    """How much a line says about what went wrong. Of several lines in a paste the most severe one is chosen."""

    WARNING = 1
    """The program went on."""
    SUMMARY = 2
    """It only says that something failed: ``make: *** [all] Error 2``, ``Process completed with exit code 1``."""
    ERROR = 3
    """It says what failed."""


@dataclass(frozen=True, slots=True)
class MessageForm:
    """One way in which a program prints an error.

    ``pattern`` is matched (`re.Pattern.match`) at the beginning of a line from which indentation, quotation marks, list marks,
    colours, CI time stamps and log prefixes are taken off. It must be linear on hostile text: bounded or possessive repeats only. Groups:

    ``message``  what the program says, without its own prefix; may be missing where ``below`` finds it, or where the type says it all (``OOMKilled``)
    ``type``     the error's code or class, where the line names one (``TS2345``, ``E0308``, ``ELIFECYCLE``)
    """

    program: str
    """Who prints it: ``npm``, ``nginx``."""
    pattern: re.Pattern[str]
    severity: Severity = Severity.ERROR
    type: str | None = None
    """The type where the program's line always means the same error and names none. ``{}`` in it stands for the group ``type``: ``curl {}``."""
    runtime: str = "tool"
    """Whose error it is, where a program prints one of a runtime: pytest one of Python's."""
    below: re.Pattern[str] | None = None
    """Finds the message on one of the next lines (group ``message``, and ``type`` where it is there)."""
    says_all: bool = False
    """Whether the line's own type says it all where no message is below: ``Reason: OOMKilled``."""
