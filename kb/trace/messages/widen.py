"""A form's pattern made so wide that RE2 can ask it: one automaton of all forms then tells which lines are worth a look."""

import re

_TOKEN = re.compile(
    r"\\.|\[\^?\]?(?:\\.|[^\]\\])*+\]|\(\?P<\w+>|\(\?:|\(\?<?[=!]|[()]|\{\d+(?:,\d*)?\}[+?]?|[*+?][+?]?|.", re.DOTALL
)
"""A part of a pattern: ``\\d``, ``[a-z]``, ``(?P<message>``, ``(?!``, ``{1,40}``, ``++``, ``x``."""
_FOREIGN = r"\x{80}-\x{10FFFF}"
"""Any character that is not ASCII: what Python's classes take beyond RE2's, and cheaper in an automaton than classes of letters."""
_WIDER = {r"\w": rf"[\w{_FOREIGN}]", r"\s": rf"[\s{_FOREIGN}]", r"\S": ".", r"\d": rf"[\d{_FOREIGN}]", r"\b": ""}
_CLASS = re.compile(r"\\[wds]")
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
        parts.append("(?:" if opens else _wider(_unbounded(part)))
    return "".join(parts)


def _unbounded(part: str) -> str:
    """``{0,40}`` as ``*``, ``{2}`` as ``+``, ``++`` and ``+?`` as ``+``; anything else as it is."""
    if re.match(r"\{\d", part):
        return "*" if part.startswith("{0") else "+"
    return part[0] if part[0] in "*+?" else part


def _wider(part: str) -> str:
    """A class that is ASCII alone in RE2, with all other characters."""
    if part.startswith("[") and not part.startswith("[^"):
        return _CLASS.sub(lambda found: found[0] + _FOREIGN, part)
    return _WIDER.get(part, part)
