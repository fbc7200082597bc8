"""Prefixes of log lines: found by what neighbouring lines share, guessed where they look like no known logger."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from operator import itemgetter

from kb.trace.finding.needles import IN_TRACE, any_in_trace, has_needle
from kb.trace.lines import LOG_PREFIX
from kb.trace.runtimes import RUNTIMES

# What every line of a trace begins with: a logger's prefix, line numbers, quote marks, a table's borders.
#
# No grammar of loggers: what a telling line has in common with its neighbour is the prefix, provided that it looks like one.
# Times and counters may differ from line to line. A prefix on the first line alone does not count; the runtimes know those.

_LONGEST = 300
_SEEN = _LONGEST + 4
"""Characters of a line that are looked at."""
_TOKEN = re.compile(r"\d{1,20}|[A-Za-z_]{1,60}|[ \t]{1,200}|.", re.DOTALL)
# Where a prefix may end: behind a bar or a bracket, behind another mark and a blank
_ENDS = re.compile(
    r"[|│┃¦>\]]|[•·*:)\-.#/,;](?=[ \t])"
    r"|(?<![A-Za-z0-9])(?:[0-9a-f-]{12,40}|\*\d{1,9}|TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL)(?=[ \t])"
)
_LEVEL = r"(?i:trace|debug|info|notice|warn|warning|error|err|fatal|severe|critical|crit|panic)"
_LEVELLED = re.compile(rf"{_LEVEL}:(?:[\w.$-]{{1,100}}+:)?")
# e.g. <eval>
_LOOKS_LIKE = re.compile(rf"[^\n]{{0,300}}?[|│┃¦>•·*\]]|[ \t]*+(?:#|//|-|{_LEVEL}\b|\d{{1,9}}[.:)]?$)")
_DIGITS_OF_A_TIME = 4
_SUFFIX = re.compile(r"[ \t]*(?:[|│┃¦\\]|<br ?/?>)+[ \t]*$")
_SUFFIXES = ("|", "│", "┃", "¦", "\\", "br>", "/>")
_SOURCE = re.compile(r"\[(?P<name>[A-Za-z_][^\[\]]{0,100})\]")
_OWN = re.compile("|".join(prefix for runtime in RUNTIMES for prefix in runtime.own_prefixes))
"""What a runtime prints itself in front of its lines."""
_CRASH = re.compile(r"# (?:A fatal error has been detected|There is insufficient memory)")
_PLAIN = ("at ", 'File "')
_BLANKS = (" ", "\t")
_LEVEL_WORD = re.compile(rf"{_LEVEL}\Z")
_LEAST_TO_RECUR = 3  # lines
_LONGEST_ID = 7  # digits; longer numbers are times
_ID = r"(\d{1,20})"
_LONG_NUMBER = r"\d{1,300}"
_TIME_MARKS = frozenset(".:,-/+")


@dataclass(frozen=True, slots=True)
class LinePrefix:
    """What to take off a line, in front and behind."""

    prefix: re.Pattern[str] | None
    has_suffix: bool = False
    ids: tuple[int, ...] = ()
    """The groups of the prefix that hold a process or a thread."""

    def match(self, line: str) -> tuple[int, int, str] | None:
        """Return where the line itself begins and ends, and which thread's it is; None for a line without this prefix."""
        begin, key = 0, ""
        if self.prefix is not None:
            found = self.prefix.match(line)
            if found is None:
                return self._of_another(line)
            begin = found.end()
            names = [n for n in _SOURCE.findall(line, 0, begin) if not _LEVEL_WORD.match(n)]
            key = " ".join([*names, *(found[number] for number in self.ids)])
        return begin, max(begin, _without_suffix(line) if self.has_suffix else len(line)), key

    def _of_another(self, line: str) -> tuple[int, int, str] | None:
        """Return a line of the same log, up to its process or thread, that goes on otherwise: no line of the trace."""
        header = _header(self.prefix.pattern, self.ids[-1]) if self.prefix is not None and self.ids else None
        return (0, len(line), "\0") if header is not None and header.match(line) is not None else None

    def is_on_a_trace(self, line: str) -> bool:
        """Whether what follows the prefix is a line of a trace, and not just the next record of a log."""
        matched = self.prefix.match(line) if self.prefix is not None else None
        if matched is None and self.prefix is not None:
            return False
        end = _without_suffix(line) if self.has_suffix else len(line)
        return IN_TRACE.match(line, matched.end() if matched is not None else 0, end) is not None


def line_prefix(line: str, near: str, above: Sequence[str], below: Sequence[str]) -> LinePrefix | None:
    """Return what the line and a neighbour begin with; None where they are plain. ``near``: the line and those below."""
    following = next((one for one in below if one.strip()), "") if line.strip() else ""
    if not line.rstrip().endswith(_SUFFIXES) and is_bare(line, following):
        return None
    if not any_in_trace(near) or is_printed_by_runtime(line, following):
        return None
    has_suffix = (
        line.rstrip().endswith(_SUFFIXES)
        and line.rstrip()[-1:] == following.rstrip()[-1:]
        and _without_suffix(line) < len(line)
    )
    near_by = [one for one in (line, *below) if one.strip()]
    candidates: list[tuple[int, LinePrefix]] = []
    for prefix in _prefixes(line, following, above, below):
        candidate = LinePrefix(prefix, has_suffix)
        if any(map(candidate.is_on_a_trace, near_by)) and not _hides(candidate, line):
            ids = recurring(prefix, (*above[::-1], line, *below)) if prefix.match(line) else ()
            alike = sum(prefix.match(one) is not None for one in near_by)
            candidates.append((alike, LinePrefix(prefix, has_suffix, ids)))
            if candidates[-1][0] >= len(near_by[:_LEAST_TO_RECUR]):
                break
    if candidates:  # twins of two threads begin alike behind their prefix: what more lines have is the prefix
        return max(candidates, key=itemgetter(0))[1]
    bare = LinePrefix(None, has_suffix=True)
    return bare if has_suffix and any(bare.is_on_a_trace(one) for one in (line, *below)) else None


def is_printed_by_runtime(line: str, following: str) -> bool:
    """Whether a runtime itself prints what these lines begin with."""
    return _OWN.match(line) is not None or _OWN.match(following) is not None


def is_bare(line: str, following: str) -> bool:
    """Whether this is a head and a bare frame below: nine in ten are."""
    return following.lstrip(" \t").startswith(_PLAIN) or (following[:1] in _BLANKS and line[:1] not in _BLANKS)


@lru_cache(maxsize=64)
def _header(pattern: str, group: int) -> re.Pattern[str] | None:
    """Return the pattern of a prefix up to one of its groups; None for one without a time."""
    end = -1
    for _ in range(group):
        end = pattern.index(_ID, end + 1)
    header = pattern[: end + len(_ID)]
    return re.compile(header) if header.count(_ID[1:-1]) - header.count(_ID) >= _DIGITS_OF_A_TIME else None


def recurring(prefix: re.Pattern[str], lines: Sequence[str]) -> tuple[int, ...]:
    """Return the numbers that come back with the same value, as a process or a thread does; counters and times go on."""
    if not prefix.groups:
        return ()
    found = [one.groups() for one in map(prefix.match, lines) if one is not None]
    if len(found) < _LEAST_TO_RECUR:
        return ()
    return tuple(number for number, values in enumerate(zip(*found, strict=True), 1) if len(set(values)) < len(values))


def _hides(prefix: LinePrefix, line: str) -> bool:
    """Whether what shows a trace would be taken off with the prefix: two heads alike, one above the other."""
    begin, end, _ = prefix.match(line) or (0, 0, "")
    return begin > 0 and has_needle(line[:begin]) and not has_needle(line[begin:end])


def _prefixes(line: str, following: str, above: Sequence[str], below: Sequence[str]) -> Iterator[re.Pattern[str]]:
    """Yield what the line may begin with, the likeliest first."""
    pairs = [(line, one, 0) for one in (following, *above[:3], *below[1:2])]
    if line.lstrip(" \t").startswith((*_PLAIN, "Traceback (")):
        pairs = []
    # two lines may begin alike behind their prefix, too; or the paste begins behind the prefix of its first line
    pairs += [(one, other, _DIGITS_OF_A_TIME) for one, other in pairwise(below[:4])]
    if line[:1].isdigit() or line[:1] in " \t":
        pairs += [(one, other, 1) for one, other in pairwise(below[:4])]
    tried: set[re.Pattern[str]] = set()
    for one, other, least_digits in pairs:
        prefix = _shared(one[:_SEEN], other[:_SEEN], least_digits)
        if prefix is not None and prefix not in tried and (least_digits != 1 or prefix.match(line)):
            tried.add(prefix)
            yield prefix


def _without_suffix(line: str) -> int:
    """Return where a table's right border begins, a page's line break, a continued line's backslash."""
    if not line.rstrip().endswith(_SUFFIXES):
        return len(line)
    found = _SUFFIX.search(line, max(len(line) - 200, 0))
    return found.start() if found is not None else len(line)


@lru_cache(maxsize=64)
def _shared(line: str, other: str, least_digits: int) -> re.Pattern[str] | None:
    """Return the prefix of two lines, as a pattern that the other lines of the trace match."""
    if not line or not other:
        return None
    is_same = line[0] == other[0] or (line[0].isdigit() and other[0].isdigit())
    if not is_same and line[0] not in " \t" and other[0] not in " \t":
        return None
    common = common_to(line[:_LONGEST], other[:_LONGEST])
    end = _end(common)
    body = common[:end].rstrip(" \t")
    if body.endswith("#") and (_CRASH.search(line) or _CRASH.search(other)):
        body = body[:-1].rstrip(" \t")  # the JVM's own mark, which only its first lines have
    blank = gap(common[len(body) :], line[len(common) : len(common) + 3])
    digits = sum(map(str.isdigit, body))
    if not body or digits < least_digits or not (digits >= _DIGITS_OF_A_TIME or _LOOKS_LIKE.match(body)):
        return None
    return pattern_of(body.lstrip(" \t"), blank, "[ \t]*+")


def pattern_of(body: str, blank: str, before: str = "") -> re.Pattern[str]:
    """Return a prefix as a pattern: any numbers in the place of its numbers, each that may be a process or a thread as a group."""
    return _pattern_of(body.translate(_ZEROS), blank, before)


_ZEROS = str.maketrans("123456789", "000000000")


@lru_cache(maxsize=512)
def _pattern_of(body: str, blank: str, before: str) -> re.Pattern[str]:
    """Return the pattern of a prefix with zeros for its digits: the same for all records of a log whose numbers are as long."""
    tokens = _TOKEN.findall(body)
    forms: list[str] = []
    for at, token in enumerate(tokens):
        if token[0].isdigit() and at and tokens[at - 1][0].isdigit():
            forms[-1] = (
                _LONG_NUMBER  # a number of several tokens: side by side their forms would try each border of the two
            )
        else:
            forms.append(_ID if token[0].isdigit() and _may_be_id(tokens, at) else _form(token))
    return re.compile(before + "".join(forms) + blank)


def _may_be_id(tokens: list[str], at: int) -> bool:
    """Whether a number is alone, and not in a date, a time or an address."""
    before, behind = tokens[max(at - 2, 0) : at], tokens[at + 1 : at + 3]
    return len(tokens[at]) <= _LONGEST_ID and not (
        (len(before) > 1 and before[1] in _TIME_MARKS and before[0].isdigit())
        or (len(behind) > 1 and behind[0] in _TIME_MARKS and behind[1].isdigit())
    )


def gap(common: str, behind: str) -> str:
    """Return the blank that is part of the prefix. A tab may be the trace's own, but for one in front of a head."""
    if common.startswith("\t") and len(common) == 1 and behind[:1] not in ("", " ", "\t") and behind != "at ":
        return "\t?"
    return " ?" if common.startswith(" ") else ""


@lru_cache(maxsize=64)
def common_to(line: str, other: str) -> str:
    """Return the beginning of a line that another has, too, but for the digits of its numbers and the width of its blanks."""
    size = 0
    for one, two in zip(_tokens(line), _tokens(other), strict=False):
        if one != two and _kind(one) != _kind(two):
            break
        size += len(one)
    return line[:size]


@lru_cache(maxsize=64)
def _tokens(line: str) -> list[str]:
    """Return the tokens of a line: each is compared with some neighbours."""
    return _TOKEN.findall(line, 0, _LONGEST)


def _kind(token: str) -> str:
    if token[0].isdigit():
        return "0"
    return " " if token[0] in " \t" else token


def _end(common: str) -> int:
    """Return where the prefix ends in what two lines share; the rest is what both happen to begin with."""
    levelled = _LEVELLED.match(common)
    if levelled is not None:
        return levelled.end()
    end = max((found.end() for found in _ENDS.finditer(common)), default=0)
    prefix = LOG_PREFIX.match(common)
    return max(end, prefix.end() if prefix is not None else 0)


def _form(token: str) -> str:
    if token[0].isdigit():
        return r"\d{1,20}"
    return r"[ \t]{1,200}" if token[0] in " \t" else re.escape(token)


_LEAST_ALIKE = 3  # lines; with the telling one among them, two: a head and a frame
_MOST_ENDS = 8
_TOKENS = re.compile(r"\d+|[A-Za-z_]+|[ \t]+|.", re.DOTALL)
_NUMBER = re.compile(r"(?P<mark>[:-])(?P<number>\d{1,9})(?P=mark)(?P<digit>\d?)")
_FIRST_NUMBER = re.compile(r"(?P<number>\d{1,9})[:-]")
_FRAME = re.compile(r"[ \t]*+(?:at |在 |File \"|from )")
_JOINTS = (":", "-")
_PATH = re.compile(r"(?:[A-Za-z]:[\\/])?[^\s:]{1,300}")


def constant_of(line: str, near: str, above: Sequence[str], below: Sequence[str]) -> Iterator[LinePrefix]:
    """Yield what the line and a neighbour may begin with alike, whatever it is, if behind it something looks like a trace."""
    following = next((one for one in below if one.strip()), "")
    if not line.strip() or is_bare(line, following) or not any_in_trace(near) or is_printed_by_runtime(line, following):
        return
    tried: set[re.Pattern[str]] = set()
    found: list[tuple[int, LinePrefix]] = []
    for one, other in (*((line, one) for one in (following, *below[1:2], *above[:1])), *pairwise(below[:4])):
        end = _shared_end(one[:_LONGEST], other[:_LONGEST]) if one and other and _begin_alike(one, other) else 0
        body = one[:end].rstrip(" \t")
        if not body.strip(' \t"') or (has_needle(body) and not has_needle(one[len(body) :])):
            continue  # nothing, a list's quote, or the trace's own words
        common = common_to(one[:_LONGEST], other[:_LONGEST])
        blank = gap(common[len(body) :], one[len(common) : len(common) + 3])
        prefix = pattern_of(body, "(?: |$)" if blank == " ?" and body[-1].isalnum() else blank)
        if prefix not in tried:
            tried.add(prefix)
            alike = [(one, matched.end()) for one in (line, *below) if (matched := prefix.match(one)) is not None]
            is_pair = bool(alike) and alike[0][0] == line and any(_FRAME.match(*one) for one in alike[1:])
            if len(alike) >= _LEAST_ALIKE - is_pair and any(IN_TRACE.match(*one) for one in alike):
                ids = recurring(prefix, (*above[::-1], line, *below))
                found.append((len(alike), LinePrefix(prefix, ids=ids)))
    yield from (candidate for _, candidate in sorted(found, key=itemgetter(0), reverse=True))


def _begin_alike(one: str, other: str) -> bool:
    if one == other:
        return False  # two heads
    if one[0] in " \t" and other[0] in " \t" and (IN_TRACE.match(one) or IN_TRACE.match(other)):
        return False
    is_same = one[0] == other[0] or (one[0].isdigit() and other[0].isdigit())
    return is_same and not (IN_TRACE.match(one) and IN_TRACE.match(other))  # else these are a trace's own words


@lru_cache(maxsize=64)
def _shared_end(one: str, other: str) -> int:
    """Return where the prefix ends: where the lines differ, or at the first place behind which one looks like a line of a trace."""
    end = 0
    for mine, others in zip(_TOKENS.finditer(one, 0, _LONGEST), _TOKENS.finditer(other, 0, _LONGEST), strict=False):
        if end and (_is_in_trace(one, mine.start()) or _is_in_trace(other, others.start())):
            return end
        if mine[0] != others[0] and not (mine[0][0].isdigit() and others[0][0].isdigit()):
            return end
        end = mine.end()
    return end


@lru_cache(maxsize=2_048)
def _is_in_trace(line: str, at: int) -> bool:
    """Return whether a line goes on at a place as one of a trace begins. Each line is compared with some neighbours."""
    return IN_TRACE.match(line, at) is not None


def grep_of(line: str, near: str, above: Sequence[str], below: Sequence[str]) -> LinePrefix | None:
    """``file:12:`` before what was searched and ``file-13-`` before the lines around it; either part may be missing."""
    if line[:1] in ("", " ", "\t") or (below and is_bare(line, below[0])) or not any_in_trace(near):
        return None
    pairs = [(line, one, 1) for one in below[:1]] + [(line, one, -1) for one in above[:1]]
    pairs += [(one, other, 1) for one, other in pairwise(below[:2])]
    for one, other, step in pairs:
        for prefix in _greps(one[:_LONGEST], other[:_LONGEST], step):
            candidate = LinePrefix(prefix)
            if any(map(candidate.is_on_a_trace, (line, *below))):
                return candidate
    return None


def _greps(one: str, other: str, step: int) -> Iterator[re.Pattern[str]]:
    """Yield the longest file first: its name may hold what is behind it."""
    first, second = _FIRST_NUMBER.match(one), _FIRST_NUMBER.match(other)
    is_counted = first is not None and second is not None and int(second["number"]) - int(first["number"]) == step
    if (
        first is not None and is_counted and not one[first.end() :].startswith(" ")
    ):  # an editor's numbers have a blank behind them
        yield re.compile(r"\d{1,9}[:-]")
    path = _PATH.match(one)
    longest = next((at for at, (mine, others) in enumerate(zip(one, other, strict=False)) if mine != others), len(one))
    longest = min(longest, path.end() if path is not None else 0)
    ends = [at for at in range(longest, 0, -1) if one[at : at + 1] in _JOINTS and other[at : at + 1] in _JOINTS]
    for end in ends[:_MOST_ENDS]:
        first, second = _NUMBER.match(one, end), _NUMBER.match(other, end)
        is_numbered = (
            first is not None
            and second is not None
            and (int(second["number"]) - int(first["number"]) == step or not (first["digit"] or second["digit"]))
        )
        if is_numbered:
            yield re.compile(re.escape(one[:end]) + r"(?:(?P<mark>[:-])\d{1,9}(?P=mark))")
        elif ":" in (one[end], other[end]) and any(mark in one[:end] for mark in "./\\"):
            yield re.compile(re.escape(one[:end]) + "[:-]")
