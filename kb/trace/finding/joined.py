"""Lines that were joined into one: a record that escaped its line breaks, a chat that lost them, a table's cell. And lines that a page's width broke.

What is between two frames tells how: escaped breaks, a mark such as ``|`` or ``<br>``, or nothing but blanks.
"""

import re
from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

import re2

from kb.trace.finding.mapped_text import MappedPiece
from kb.trace.finding.needles import IN_TRACE
from kb.trace.lines import is_record
from kb.trace.page_breaks import begin_alike

_LONGEST = 1_000_000  # a longer line is not taken apart: no such trace was ever seen

_ESCAPED = re.compile(r"\\{1,4}(?:r\\{1,4})?n")
# e.g. 'price'
_QUOTED = re.compile(
    r"""(?:^|(?<=[\s=:(\[{,>]))(?:(?P<quote>["'])(?P<text>(?:(?!(?P=quote))[^\\]|\\.|(?P=quote){2}(?=\w))*+)(?P=quote))"""
)
_ESCAPED_TAB = re.compile(r"\\{1,4}t")
# e.g. "k":"\n\tat x",
_ESCAPED_TRACE = re.compile(
    r"\\n(?:\\{1,4}t|[ \t]){0,40}+(?:at |在 |File \\{0,3}[\"']|Caused by|from |goroutine \d|created by |stack (?:traceback|backtrace)"
    r"|\d{1,4}: |#\d{1,4} |in |Traceback |[\w./$*()@-]{1,200}?\.(?:go|rb|rs|lua|php|py|js|ts):\d|\[C\]:|\+ Exception|\|   File)"
)
_JVM_FRAME = r"at[ \t]{1,4}+[\w$./@&;<>-]{3,300}+\([^()\n]{1,120}+\)"
_MARKS = (" | ", " ↵ ", "↵", " → ", " ⏎ ", "¶", "; ", "<br>", "<br/>", "<br />", " / ", " \\\\ ")
"""What people and tools put where a line ended."""
_ASCII_MARKS = tuple(mark for mark in _MARKS if mark.isascii())
# e.g. `java.io.IOException: gone at a.b.C.d(C.java:1) at a.b.E.f(E.java:2)`
_JOINED = re.compile(
    rf"(?<!\(eval)(?<=\S)[ \t]{{1,40}}+(?={_JVM_FRAME}|(?:at|在)[ \t]++[\w.<>`$+\[\],]{{3,300}}+\([^()\n]{{0,200}}+\)(?: (?:in|位置) |[ \t]*+$|[ \t]{{2}}|[ \t]++(?:at|在) )"
    r"|at (?:async )?[\w$.<>\[\] ]{1,200}+\([^()\s]{1,300}:\d{1,7}:\d{1,7}\)"
    r"|Caused by: |Suppressed: |\.{3} \d{1,5} (?:more|common)"
    r'|File "[^"\n]{1,300}+", line \d|Traceback \(most|During handling of the above|The above exception was)'
    rf"|(?<=\))(?=Caused by: |Suppressed: |{_JVM_FRAME})"
)
_PYTHON = re.compile(r", in (?:<\w{1,40}>|[\w.]{1,200}+)(?P<cut>[ \t]{1,40})|(?P<before>[ \t]{1,40})(?=[A-Z][\w.]{0,100}(?:Error|Exception|Exit|Interrupt|Warning)(?::|$))")  # fmt: skip


# e.g. `gone at a.b.C.d(` or `\\n` in any line
_ANY_JOINED = re2.compile(
    (
        r"[^\s][ \t]+(?:at |在 |Caused by: |Suppressed: |File \"|Traceback |During handling |The above )|\)(?:Caused by|Suppressed|at )|\\n|"
        + "|".join(map(re2.escape, _MARKS))
    ).encode()
)


def any_joined(text: str) -> bool:
    """Whether any line of the text may be more than one: one pass, which most traces do not get behind."""
    return _ANY_JOINED.search(text.encode("utf-8", "surrogatepass")) is not None


def joints(line: str) -> int:
    """At how many places the line was joined; one may be a logger's words before a frame as well."""
    return sum(1 for _ in _breaks(line)) if len(line) <= _LONGEST and _may_be(line) else 0


def split_joined(line: str, at: int) -> list[MappedPiece] | None:
    """Return the lines that were joined into this one, each with its place; None if it is one line. ``at`` is where it begins."""
    if len(line) > _LONGEST or not _may_be(line):
        return None
    breaks = list(_breaks(line))
    if not breaks:
        return None
    breaks = _out_of_quotes(line, breaks)
    pieces: list[MappedPiece] = []
    start = 0
    for end, following in [*breaks, (len(line), len(line))]:
        if end > start and line[start:end].strip():
            pieces.append(MappedPiece(_plain(line[start:end]) + "\n", at + start, at + end))
        start = following
    return pieces


def _may_be(line: str) -> bool:
    """Whether the line holds more than one frame, or one behind something else; most lines of most traces do not."""
    if "\\n" in line or any(line.count(mark) > 1 for mark in (_ASCII_MARKS if line.isascii() else _MARKS)):
        return True
    for mark in ("at ", "在 ", 'File "', "Caused by: "):
        at = line.find(mark)
        if at >= 0 and (line.find(mark, at + 1) >= 0 or line[:at].strip()):
            return True
    return False


def _plain(piece: str) -> str:
    if "\\" not in piece:
        return piece
    return _ESCAPED_TAB.sub("\t", piece).replace('\\"', '"').replace("\\'", "'")


def _breaks(line: str) -> Iterable[tuple[int, int]]:
    """Return where lines end, and where the next begin."""
    if "\\n" in line:
        spans = [found.span() for found in _ESCAPED.finditer(line)]
        if _ESCAPED_TRACE.search(line) is not None or _in_trace(line, spans) > 1:
            return spans
    for mark in _MARKS:
        if line.count(mark) > 1:
            spans = _at_each(line, mark)
            if _in_trace(line, spans) > 1:
                return spans
    body = line.lstrip(" \t")
    indent = len(line) - len(body)
    cuts = [(f.start(), f.end() if not f[0].startswith("\t") else f.start()) for f in _JOINED.finditer(line, indent)]
    if not cuts or (len(cuts) == 1 and not _is_head(line[: cuts[0][0]])):
        return []
    if 'File "' in line:
        cuts = sorted({*cuts, *_python_cuts(line)})
    return cuts


def _out_of_quotes(line: str, breaks: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return a break more at either end of the quotes around the lines: a value of logfmt, a Python repr, a literal of SQL."""
    for found in _QUOTED.finditer(line):
        begin, end = found.span("text")
        if end >= breaks[0][0]:
            within = begin <= breaks[0][0] and end >= breaks[-1][1]
            behind = (
                len(line) if "\\n" not in line[end:] else end + 1
            )  # the record's other words are no line of the trace
            return [(found.start("quote"), begin), *breaks, (end, behind)] if within else breaks
    return breaks


def _in_trace(line: str, spans: list[tuple[int, int]]) -> int:
    """Return how many of the pieces begin as lines of a trace do."""
    starts = [0, *(end for _, end in spans)]
    ends = [*(start for start, _ in spans), len(line)]
    return sum(IN_TRACE.match(line, start, end) is not None for start, end in zip(starts, ends, strict=True))


def _at_each(line: str, mark: str) -> list[tuple[int, int]]:
    places, at = [], line.find(mark)
    while at >= 0:
        places.append((at, at + len(mark)))
        at = line.find(mark, at + len(mark))
    return places


def _is_head(text: str) -> bool:
    """Whether a frame behind this text was joined to a head, and does not just are behind a logger's words."""
    return (
        "Exception" in text
        or "Error" in text
        or text.rstrip().endswith(")")
        or text.lstrip().startswith(("at ", "在 ", "Traceback", "File "))
    )


def _python_cuts(line: str) -> list[tuple[int, int]]:
    return [found.span("cut" if found["cut"] else "before") for found in _PYTHON.finditer(line)]


# Lines of a trace that a terminal or a mail program broke at a page's width.

_WIDTHS = range(72, 241)
"""Columns of terminals."""
CONSOLE = 80
"""Columns of most: one line of them may be broken."""
_SURELY = 3
"""Lines of as many columns, and none longer, that leave no doubt."""
_BROKEN_END = re.compile(r"[\w./\\,(<$:'\"]\Z")
"""How a broken line ends; a box or a rule is as wide."""
_UNFINISHED = re.compile(
    r"[ \t]*+(?:> )?File(?: \"[^\"\n]{0,1000}+(?:\"(?:,(?: line(?: \d{1,9}+(?:,(?: in)?)?)?)?)?)?)?$"
    r"|(?:[^\n]{0,200}? )?panicked at(?: (?:/|[A-Za-z]:\\|\w{1,60}/)[^\s:'\"]{0,1000}+)?$"
    r"|[ \t]*+(?:at|from)$|[ \t]*+at (?:async )?[\w.$<>\[\]/]{3,300}+(?:[ \t]*+\([^()\n]{0,300}+\) in(?: [^\n:]{1,400}+)?)?$"
)
"""A frame, or the head of a panic, that lacks its end: ``File "/srv/a.py", line 3, in``, ``at acme.Pay.``, ``at A.B(C c) in``."""
_FINISHES = re.compile(
    r"[ \t]*+(?:[\"'‘]\S|line \d|in [\w<]|[\w<>.]{1,100}$|[^\s:]{1,300}\.rs:\d|[\w.$<>/]{1,300}+[(:]\S|\([^()\n]{1,300}\)|[A-Z]:\\|/[^\s:]{1,300}:)"
)
"""How the line below such a frame goes on with it."""
_CUT_IN_WORD = ("/", "\\", ".", "(", "-", "_", "$")
_MOST_PARTS = 8
"""Parts of one line: more are no frame."""


def _is_full(line: str, width: int) -> bool:
    """Return whether a line fills a page's width and ends where a longer one may have been broken."""
    return len(line) == width and _BROKEN_END.search(line) is not None


def _may_be_full(line: str, width: int) -> bool:
    """Return whether a line fills a page's width and is neither a rule nor the head of a notebook's traceback, which have a width of their own."""
    return len(line) == width and _OWN_WIDTH.search(line) is None


_OWN_LINE = re.compile(r"\t| {2}|stack traceback:")
"""How a line begins that is none broken off the one above."""
_OWN_WIDTH = re.compile(r"([-=~*_#])\1{20}|  Traceback \(most recent call last\)$")


def is_console(lines: Sequence[str]) -> bool:
    """Return whether a terminal broke some of these lines: several fill its columns, and none has more."""
    full = {one for one in lines if _is_full(one, CONSOLE)}
    return len(full) >= _SURELY and max(map(len, lines)) == CONSOLE and sum(map(is_record, full)) < _SURELY


def of_console(line: str, at: int) -> tuple[str, list[MappedPiece]] | None:
    """Return a line that fills a terminal's columns, to be read as one with the line below."""
    return ("", [MappedPiece(line, at, at + len(line))]) if _is_full(line, CONSOLE) else None


def may_be_unfinished(line: str) -> bool:
    """Return whether a line is like the beginning of a frame, or of the head of a panic, that may go on in the next."""
    return _MAY_GO_ON.match(line) is not None or "panicked at" in line


_MAY_GO_ON = re.compile(r"[ \t]*+(?:> )?(?:File|at|from)(?:[ \t][^\n]*+(?<!\)))?$")


def rejoining(
    line: str, above: Sequence[str], below: Sequence[str], *, is_suspect: bool
) -> Callable[[str, int], tuple[str, list[MappedPiece]] | None] | None:
    """Return what makes broken lines whole again, one after the other; None where neither the widest lines nor unfinished frames tell of a break. ``is_suspect``: some of the lines `may_be_unfinished`."""
    near = [*above[::-1], line, *below]
    width = max(map(len, near))
    is_broken = width in _WIDTHS and _is_broken_at(width, near)
    if not is_broken and not (is_suspect and any(map(_is_unfinished, (line, *below), below))):
        return None
    count = 0

    def take(line: str, at: int) -> tuple[str, list[MappedPiece]] | None:
        nonlocal count
        is_full = is_broken and _may_be_full(line, width)
        is_unfinished = not is_full and len(line) <= _LONGEST_PART and _UNFINISHED.match(line) is not None
        count = count + 1 if is_full or is_unfinished else 0
        if not count or count > _MOST_PARTS:
            return None
        end = "" if is_full or line.endswith(_CUT_IN_WORD) else " "
        return "", [MappedPiece(line + end, at, at + len(line))]

    return take


def _is_broken_at(width: int, near: Sequence[str]) -> bool:
    """Return whether the widest of some lines were broken: they go on in the line below, which is none of its own."""
    pairs = [pair for pair in pairwise(near) if len(pair[0]) == width and pair[1] and _may_be_full(pair[0], width)]
    full = {one for one, _ in pairs}
    return (
        len(full) >= (1 if width == CONSOLE else 2)
        and any(len(two) < width for _, two in pairs)
        and not any(_OWN_LINE.match(two) is not None or begin_alike(one, two) for one, two in pairs)
        and not all(map(is_record, full))
    )


def _is_unfinished(line: str, below: str) -> bool:
    """Return whether a frame, or the head of a panic, goes on in the line below."""
    is_part = len(line) <= _LONGEST_PART and _UNFINISHED.match(line) is not None
    return is_part and _FINISHES.match(below) is not None and _UNFINISHED.match(below, 0, _LONGEST_PART) is None


_LONGEST_PART = 400
