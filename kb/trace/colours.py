"""Colours and hyperlinks of a terminal (ECMA-48), in every spelling that reaches a log, taken out of a text."""

import re

_ESCAPES = ("\x1b", "^[[", "33[", "1b[", "1B[", "\\e[", "\u241b")
"""What an escape sequence holds in one of its spellings: raw, as ``less`` and ``cat -v`` show it, as rsyslog (``#033[31m``), C, JSON
(``\\u001b[31m``) and a shell write it, as the picture of the character."""
_SURE = ("\x1b", "^[[", "\u241b")
_RESETS = ("[0m", "39m", "[22m")
"""What ends a colour. A page or a chat loses the escape character and keeps the rest; ``rate(x[5m])`` has none of these."""
_MOST_BARE = 1 << 18
"""Characters of a text in which colours without their escape character are looked for: they come from pages and chats, and a look takes as long as
a third of a pass for traces."""
_SEQUENCE = re.compile(
    r"(?:\x1b|\^\[(?=\[)|\u241b|#033(?=\[)|\\(?:033|e|x1[bB]|u001[bB])(?=\[))"
    r"(?:\[[0-9;:?]{0,40}[A-Za-z]|\][^\x07\x1b\n]{0,2000}(?:\x07|\x1b\\)|[()][A-Z0-9])"
)
_BARE = re.compile(r"\[\d{1,3}(?:;\d{1,3}){0,5}m(?!\])")


def uncoloured(text: str) -> str:
    r"""The same text, same length: what follows a sequence in its line moves up to its place, and blanks close the line.

    Blanks in the place of a sequence would tear apart what it stands in: ``Pool.java:\x1b[33m88``.
    """
    is_bare = len(text) <= _MOST_BARE and any(one in text for one in _RESETS)
    # the spellings in digits are only looked for where a colour ends, too: most texts are passed over so
    is_escaped = (
        any(one in text for one in _ESCAPES) if is_bare else any(one[0] in text and one in text for one in _SURE)
    )
    if not is_escaped and not is_bare:
        return text
    lines = text.split("\n")
    return "\n".join([_line(line, is_escaped=is_escaped, is_bare=is_bare) for line in lines])


def _line(line: str, *, is_escaped: bool, is_bare: bool) -> str:
    plain = _shortened(line, is_escaped=is_escaped, is_bare=is_bare)
    return plain if len(plain) == len(line) else plain.ljust(len(line))


def _shortened(line: str, *, is_escaped: bool = True, is_bare: bool = True) -> str:
    if is_escaped and any(one in line for one in _ESCAPES):
        line = _SEQUENCE.sub("", line)
    if is_bare and any(one in line for one in _RESETS):
        line = _BARE.sub("", line)
    return line


def end_in(text: str, plain: str, end: int) -> int:
    """Where a span of ``uncoloured`` text ends in the coloured one: further on by the colours of its last line."""
    stop = plain.find("\n", end)
    stop = len(plain) if stop < 0 else stop
    line = text[plain.rfind("\n", 0, end) + 1 : stop]
    taken = len(line) - len(_shortened(line))
    if not taken or plain[end:stop].strip():
        return end
    return min(end + taken, stop - len(line) + len(line.rstrip()))
