"""What a line is in, and the window of lines that are in the same: records, containers, syslog, prefixes."""

import html
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from kb.trace.finding import joined
from kb.trace.finding.line_prefix import LinePrefix, constant_of, grep_of, line_prefix
from kb.trace.finding.mapped_text import MappedPiece, MappedText, Unwrapped, Unwrapper
from kb.trace.finding.needles import IN_TRACE, has_needle
from kb.trace.finding.records import record_of
from kb.trace.runtimes import RUNTIMES

# What a line of a trace is in: a container's record, a syslog header, a JSON field, a CSV cell, a page's entities.
#
# Each envelope looks at a telling line and its neighbours and says how lines of its kind are opened; what is cheap to tell
# is tried first. A taker opens one line: into pieces and the key of the source it came from (a pod, a process, a thread), or None if it is no line
# of that kind. What is inside may be in a further envelope: the opened text is read in the same way.

_LONGEST_LINE = 1_000_000
_LONGEST_PREFIX = 2_000

_TIME = r"\d{4}-\d{2}-\d{2}[T ]\d{2}:\d{2}:\d{2}(?:[.,]\d{1,9})?(?:Z|[+-]\d{2}:?\d{2})?"
_MONTH = r"(?:\d{1,2}月|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)"
PREFIXES: tuple[tuple[str, re.Pattern[str]], ...] = (
    ("cri", re.compile(rf"{_TIME} (?P<key>std(?:err|out)) (?P<tag>[FP])(?: |$)")),
    ("kubectl", re.compile(rf"(?P<key>\[pod/[^\s\]]{{1,500}}\])(?: {_TIME})?(?: |$)")),
    (
        "syslog, RFC 5424",
        re.compile(
            rf"<\d{{1,3}}>1 (?:{_TIME}|-)(?P<key>(?: [!-~]{{1,255}}+){{4}}) "
            r'(?:-|(?:\[(?:[^\]"\n]|"(?:[^"\\\n]|\\.)*+")*+\])++)(?: |$)'
        ),
    ),
    (
        "syslog, RFC 3164, journald",
        re.compile(
            rf"(?:<\d{{1,3}}>)?(?:{_MONTH} [ \d]\d \d{{2}}:\d{{2}}:\d{{2}}(?:\.\d{{1,9}})?|{_TIME}(?=[^\n]{{1,400}}\]: |[^\n]{{1,400}}#01)) "
            r"(?P<key>[\w.:-]{1,255}+ [\w./@-]{1,128}+(?:\[\d{1,10}\])?):(?: |$)"
        ),
    ),
)
"""Headers in front of a line: name, pattern with the source as ``key``."""
_PREFIX_BEGINS = frozenset("0123456789[<JFMASOND")

# e.g. re-run the job
_POD = re.compile(r"[a-z0-9][a-z0-9.]{0,200}+(?:-[a-z0-9.]{1,200}+)++ (?:[a-z0-9][a-z0-9-]{0,62}+|›) ")
# e.g. <br />
_ENTITY = re.compile(r"&(?:amp;)?(?:lt|gt|quot|apos|amp|nbsp|#\d{1,5}|#[xX][0-9a-fA-F]{1,5});|<br ?/?>")
_WIDE = str.maketrans("（）：，；“”＂．＄", '():,;"""' + ".$")
# e.g. KeyError：
_WIDE_SYNTAX = re.compile(
    r"[\w>$]（[^）]{0,300}）|“[^”]{1,300}”，|：\d{1,7}(?=[）：]|$)|(?:Exception|Error|Caused by|Suppressed|panic|last）)："
)
_CELL = re.compile(r'(?:(?:"[^"]*+(?:""[^"]*+)*+"|[^",;\t]{0,200}+)[,;\t]){0,30}+"(?=[^"])')
_READ_OVER_BLANKS = tuple(begin for runtime in RUNTIMES for begin in runtime.reads_over_blanks)
_CELL_END = re.compile(r'"(?=[,;\t]|\r?$)')


def envelopes_of(
    line: str, near: str, above: Sequence[str], below: Sequence[str], *, with_guesses: bool = True
) -> Iterator[Unwrapper]:
    """Yield how the lines around a telling line may be opened, the likeliest first; none if they are there as they were printed.

    ``near`` is the line with those behind it, as one text; ``above`` are the lines before it, nearest first; ``below``
    those behind it. Without guesses only what is sure is looked for.
    """
    if len(line) > _LONGEST_LINE:
        return
    searched = grep_of(line, near, above, below) if with_guesses else None
    if searched is not None:
        yield Unwrapper(_without_prefix(searched), is_guess=True)
    joints = max(map(joined.joints, (line, *below))) if joined.any_joined(near) else 0
    known = (
        _prefix(line)
        or (_prefix(below[0]) if len(below) > 1 and _prefix(below[0]) == _prefix(below[1]) else None)
        or (_octal(line, near) if "#01" in near else None)
        or (record_of(line) if '"' in line else None)
        or (_pod(line, above, below) if "-" in line else None)
        or (_page(line, below) if "&" in near or "<br" in near else None)
        or (_wide(line, below) if not near.isascii() else None)
        or _cell(line, above)
        or _spaced(line, below)
        or (Unwrapper(_from_joined) if joints > 1 else None)
        or _by_line_prefix(line, near, above, below)
    )
    if known is not None:
        yield known
        return
    if with_guesses:
        is_suspect = any(map(joined.may_be_unfinished, (line, *below)))
        whole = joined.rejoining(line, above, below, is_suspect=is_suspect)
        if whole is not None:
            yield Unwrapper(whole, is_guess=True)
    for guess in constant_of(line, near, above, below) if with_guesses or joints == 1 else ():
        yield Unwrapper(_without_prefix(guess), is_guess=joints != 1)
    if joints == 1:  # one frame behind other words, unless its neighbours are prefixed alike
        yield Unwrapper(_from_joined)


def _prefix(line: str) -> Unwrapper | None:
    if line[:1] not in _PREFIX_BEGINS:
        return None
    name = next((name for name, pattern in PREFIXES if pattern.match(line, 0, _LONGEST_PREFIX)), None)
    return Unwrapper(_from_prefix, is_on_every_line="syslog" not in name) if name is not None else None


def _from_prefix(line: str, at: int) -> Unwrapped | None:
    for name, pattern in PREFIXES:
        found = pattern.match(line, 0, _LONGEST_PREFIX)
        if found is not None:
            is_partial = name == "cri" and found["tag"] == "P"
            body = line[found.end() :] + ("" if is_partial else "\n")
            return found["key"], [MappedPiece(body, at + found.end(), at + len(line))]
    return None


def _octal(line: str, near: str) -> Unwrapper | None:
    return Unwrapper(_from_octal) if "#012" in line or "#011" in near else None


def _from_octal(line: str, at: int) -> Unwrapped | None:
    """Rsyslog's control characters as octal numbers: ``#012`` a line break, ``#011`` a tab."""
    if "#01" not in line:
        return None
    pieces, start = [], 0
    while start <= len(line):
        end = line.find("#012", start)
        end = len(line) if end < 0 else end
        pieces.append(MappedPiece(line[start:end].replace("#011", "\t") + "\n", at + start, at + end))
        start = end + 4
    return "", pieces


def _pod(line: str, above: Sequence[str], below: Sequence[str]) -> Unwrapper | None:
    found = _POD.match(line)
    is_shared = found is not None and any(one.startswith(found[0]) for one in (*above[:1], *below[:1]))
    return Unwrapper(_from_pod, is_on_every_line=True) if is_shared else None


def _from_pod(line: str, at: int) -> Unwrapped | None:
    """Stern's ``pod container`` before each line."""
    found = _POD.match(line)
    return (found[0], [MappedPiece(line[found.end() :] + "\n", at + found.end(), at + len(line))]) if found else None


def _page(line: str, below: Sequence[str]) -> Unwrapper | None:
    near = (line, *below)
    return (
        Unwrapper(_from_page)
        if any(("&" in one or "<br" in one) and _ENTITY.search(one, 0, 4_000) for one in near)
        else None
    )


def _from_page(line: str, at: int) -> Unwrapped | None:
    """Return a page's entities and line breaks, escaped once or twice."""
    if "&" not in line and "<br" not in line:
        return None
    pieces, start = [], 0
    for found in _ENTITY.finditer(line):
        pieces.append(MappedPiece(line[start : found.start()], at + start, at + found.start()))
        plain = "\n" if found[0].startswith("<") else html.unescape(html.unescape(found[0])).replace("\xa0", " ")
        pieces.append(MappedPiece(plain, at + found.start(), at + found.end()))
        start = found.end()
    pieces.append(MappedPiece(line[start:] + "\n", at + start, at + len(line)))
    return "", pieces


def without_entities(text: str) -> MappedText:
    """Return a text with the characters that a page's entities stand for, without secrets."""
    opened, at = MappedText(), 0
    for line in text.split("\n"):
        found = _from_page(line, at)
        for piece in found[1] if found is not None else (MappedPiece(line + "\n", at, at + len(line)),):
            opened.add(piece)
        at += len(line) + 1
    return opened.without_secrets()


def _wide(line: str, below: Sequence[str]) -> Unwrapper | None:
    return Unwrapper(_from_wide) if any(_is_wide(one) for one in (line, *below)) else None


def _is_wide(line: str) -> bool:
    return not line.isascii() and _narrow(line) is not None


def _narrow(line: str) -> str | None:
    """Return the line with a Latin keyboard's punctuation, where it is as in a frame or a head; messages keep theirs."""
    is_syntax = _WIDE_SYNTAX.search(line, 0, _LONGEST_PREFIX) or ("（" in line and IN_TRACE.match(line))
    return line.translate(_WIDE) if is_syntax else None


def _from_wide(line: str, at: int) -> Unwrapped | None:
    """Return a Chinese keyboard's punctuation in a frame or a head; messages keep theirs."""
    narrow = _narrow(line) if not line.isascii() else None
    return ("", [MappedPiece(narrow + "\n", at, at + len(line))]) if narrow is not None else None


def _from_joined(line: str, at: int) -> Unwrapped | None:
    pieces = joined.split_joined(line, at)
    return ("", pieces) if pieces is not None else None


def _by_line_prefix(line: str, near: str, above: Sequence[str], below: Sequence[str]) -> Unwrapper | None:
    prefix = line_prefix(line, near, above, below)
    return Unwrapper(_without_prefix(prefix)) if prefix is not None else None


def _without_prefix(prefix: LinePrefix) -> Callable[[str, int], Unwrapped | None]:
    def take(line: str, at: int) -> Unwrapped | None:
        found = prefix.match(line)
        if found is None:
            return None
        begin, end, key = found
        return key, [MappedPiece(line[begin:end] + "\n", at + begin, at + end)]

    return take


def _cell(line: str, above: Sequence[str]) -> Unwrapper | None:
    """Return a CSV cell of several lines: what is before and behind it is cut off, doubled quotes are single again."""
    first = next((one for one in (line, *above[:3]) if '"' in one and _opens_cell(one)), None)
    if first is None or (first is line and not has_needle(line)):
        return None
    is_open = [False, False]  # begun, ended

    def take(line: str, at: int) -> Unwrapped | None:
        if is_open[1] or not (is_open[0] or line == first):
            return None
        opening = _CELL.match(line, 0, 4_000) if not is_open[0] else None
        begin, is_open[0] = opening.end() if opening is not None else 0, True
        body = line[begin:]
        stop = _CELL_END.search(body.replace('""', "\0\0"))
        is_open[1] = stop is not None
        body = body[: stop.start()] if stop is not None else body
        return "", [MappedPiece(body.replace('""', '"') + "\n", at + begin, at + begin + len(body))]

    return Unwrapper(take)


def _opens_cell(line: str) -> bool:
    return line.count('"') % 2 == 1 and _CELL.match(line, 0, 4_000) is not None


def _spaced(line: str, below: Sequence[str]) -> Unwrapper | None:
    """Return every other line is blank: a page or a chat doubled the line breaks."""
    is_blank = [not one.strip() for one in below[:4]]
    if is_blank != [True, False, True, False] or not line.strip():
        return None
    lines = (line, *below)
    if any(one.lstrip(" \t").startswith(_READ_OVER_BLANKS) for one in lines):
        return None
    return Unwrapper(_from_spaced) if any(IN_TRACE.match(one) for one in lines) else None


def _from_spaced(line: str, at: int) -> Unwrapped | None:  # noqa: ARG001
    return ("", []) if not line.strip() else None


_ABOVE = 12
"""Lines above a telling line that may hold a trace's head."""
LINES_BELOW = 6
"""Lines below it that may tell what it is in."""
FAR_BELOW = 32
"""Lines below it that may tell that a terminal broke them."""
_LONGEST_ABOVE = 4_000  # characters; a longer line ends the look back, so the work stays bounded
FIRST_LINES = 256
"""Lines of the first window; a trace that reaches its end asks for a larger one."""
MOST_LINES = 65_536
_OTHERS = "\0"  # the source of lines that are in no envelope where all others do
_TAIL = 40
"""Lines at the end of a window in which a trace may have begun that goes on behind it."""


@dataclass(frozen=True, slots=True)
class Window:
    """Some lines of a text, opened."""

    sources: tuple[MappedText, ...]
    """The lines of each pod, process or thread apart: where they were printed at once, they are mixed."""
    tail: int
    """Where in the given text its last lines begin; what ends before is read whole."""
    is_last: bool
    """Whether the text ends here, so that nothing goes on behind it."""


def envelopes_at(text: str, begin: int, end: int, floor: int, *, with_guesses: bool = True) -> Iterator[Unwrapper]:
    """Yield how the lines around the one from ``begin`` to ``end`` may be opened; none for plain ones."""
    last = end
    for _ in range(LINES_BELOW):
        if last < len(text):
            last = text.find("\n", last + 1)
            last = len(text) if last < 0 else last
    near = text[begin:last]
    lines = text[end + 1 : last].split("\n") if last > end else []
    if max(end - begin, *map(len, lines), 0) == joined.CONSOLE and joined.is_console(
        [text[begin:end], *(text[first:last] for first, last in _below(text, end, FAR_BELOW))]
    ):
        yield Unwrapper(joined.of_console)
    above = [text[first:last] for first, last in _above(text, begin, floor, 3)]
    yield from envelopes_of(text[begin:end], near, above, lines, with_guesses=with_guesses)


def window(taker: Unwrapper, text: str, begin: int, floor: int, count: int) -> Window:
    """``count`` lines from ``begin`` on and some above it, opened. What the taker does not know stays with the line before."""
    sources: dict[str, MappedText] = {}
    key, is_unknown, tails = "", True, [begin]
    above = [*_above(text, begin, floor, _ABOVE)][::-1] if not taker.is_whole else []
    count = 1 if taker.is_whole else count
    places = [*above, *_below(text, begin - 1, count)]
    for number, (first, last) in enumerate(places):
        unwrapped = taker.take(text[first:last], first)
        if unwrapped is None:
            if taker.is_on_every_line and not sources and number < len(above):
                continue
            other = _OTHERS if taker.is_on_every_line else key
            unwrapped = (other, [MappedPiece(text[first:last] + "\n", first, last)])
        else:
            key = unwrapped[0]
            if is_unknown and sources:  # whose the lines before it are was not known yet
                sources = {key: next(iter(sources.values()))}
            is_unknown = False
        opened = sources.setdefault(unwrapped[0], MappedText())
        for piece in unwrapped[1]:
            opened.add(piece)
        tails.append(first)
    is_last = taker.is_whole or places[-1][1] >= len(text)
    return Window(tuple(sources.values()), max(tails[-min(_TAIL, len(tails))], begin), is_last)


def _above(text: str, begin: int, floor: int, count: int) -> Iterator[tuple[int, int]]:
    """Yield the lines before a place, nearest first."""
    end = begin - 1
    for _ in range(count):
        if end <= floor:
            return
        start = text.rfind("\n", max(floor, end - _LONGEST_ABOVE), end) + 1
        if start == 0:
            if end - floor > _LONGEST_ABOVE:
                return
            start = floor
        yield start, end
        end = start - 1


def _below(text: str, end: int, count: int) -> Iterator[tuple[int, int]]:
    """Yield the lines behind a place where a line ends."""
    for _ in range(count):
        start = end + 1
        if start > len(text):
            return
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        yield start, end
