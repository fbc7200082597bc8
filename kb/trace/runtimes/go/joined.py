"""A goroutine whose lines were joined into one by blanks, taken apart again."""

import re

from kb.trace.runtimes.go.syntax import LONGEST_LINE, goroutine_of
from kb.trace.runtimes.pieces import Pieces

_LONGEST_JOINED = 200_000
_BREAK = re.compile(
    r"[ \t]++(?=(?:[A-Za-z]:)?/[^\s:]{1,400}\.(?:go|s):\d)|(?<=\w)[ \t]++(?=(?:created by|goroutine \d|exit status) ?)"
    r"|(?<=\+0x)[0-9a-f]{1,16}(?P<behind>[ \t]++)|(?<=\]:)[ \t]++|(?<=\.go:)\d{1,9}(?P<line>[ \t]++)(?!\+0x)"
)


def joined(line: str) -> Pieces | None:
    """The line taken apart, if a goroutine's calls follow its header on the same line."""
    found = goroutine_of(line) if len(line) > 30 else None
    if found is None or ".go:" not in found.after or len(line) > _LONGEST_JOINED:
        return None
    return Pieces(_apart(line))


def _apart(text: str) -> list[str]:
    pieces, start = [], 0
    for found in _BREAK.finditer(text):
        group = found.lastgroup
        begin, end = found.span(group) if group else found.span()
        pieces.append(text[start:begin])
        start = end
    return [piece[:LONGEST_LINE] for piece in [*pieces, text[start:]] if piece.strip()]
