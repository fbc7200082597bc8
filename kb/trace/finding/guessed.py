"""Dress that looks like nothing known: whatever lines begin with alike, and what ``grep`` puts before them.

Both are guesses: they are taken off only if more is read of the lines without them, which the parser tries on a few.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from operator import itemgetter

from kb.trace.finding.dress import LinePrefix, common_to, gap, is_bare, is_printed_by_runtime, pattern_of, recurring
from kb.trace.finding.hunt import has_needle
from kb.trace.finding.marks import IN_TRACE, any_in_trace

_LONGEST = 300
_LEAST_ALIKE = 3  # lines; with the telling one among them, two: a head and a frame
_MOST_ENDS = 8
_TOKENS = re.compile(r"\d+|[A-Za-z_]+|[ \t]+|.", re.DOTALL)
_NUMBER = re.compile(r"(?P<mark>[:-])(?P<number>\d{1,9})(?P=mark)(?P<digit>\d?)")
_FIRST_NUMBER = re.compile(r"(?P<number>\d{1,9})[:-]")
_FRAME = re.compile(r"[ \t]*+(?:at |在 |File \"|from )")
_JOINTS = (":", "-")
_PATH = re.compile(r"(?:[A-Za-z]:[\\/])?[^\s:]{1,300}")


def constant_of(line: str, near: str, above: Sequence[str], below: Sequence[str]) -> Iterator[LinePrefix]:
    """What the line and a neighbour may begin with alike, whatever it is, if behind it something looks like a trace."""
    following = next((one for one in below if one.strip()), "")
    if not line.strip() or is_bare(line, following) or not any_in_trace(near) or is_printed_by_runtime(line, following):
        return
    tried: set[re.Pattern[str]] = set()
    found: list[tuple[int, LinePrefix]] = []
    for one, other in (*((line, one) for one in (following, *below[1:2], *above[:1])), *pairwise(below[:4])):
        end = _end(one[:_LONGEST], other[:_LONGEST]) if one and other and _begin_alike(one, other) else 0
        body = one[:end].rstrip(" \t")
        if not body.strip(' \t"') or (has_needle(body) and not has_needle(one[len(body) :])):
            continue  # nothing, a list's quote, or the trace's own words
        common = common_to(one[:_LONGEST], other[:_LONGEST])
        blank = gap(common[len(body) :], one[len(common) : len(common) + 3])
        prefix = pattern_of(body, "(?: |$)" if blank == " ?" and body[-1].isalnum() else blank)
        if prefix not in tried:
            tried.add(prefix)
            dress = LinePrefix(prefix, ids=recurring(prefix, (*above[::-1], line, *below)))
            alike = [one for one in (line, *below) if prefix.match(one)]
            behind = [worn.end() for one in alike if (worn := prefix.match(one)) is not None]
            is_pair = alike[:1] == [line] and any(map(_FRAME.match, alike[1:], behind[1:]))
            if len(alike) >= _LEAST_ALIKE - is_pair and any(map(dress.is_on_a_trace, alike)):
                found.append((len(alike), dress))
    yield from (dress for _, dress in sorted(found, key=itemgetter(0), reverse=True))


def _begin_alike(one: str, other: str) -> bool:
    if one == other:
        return False  # two heads
    if one[0] in " \t" and other[0] in " \t" and (IN_TRACE.match(one) or IN_TRACE.match(other)):
        return False
    is_same = one[0] == other[0] or (one[0].isdigit() and other[0].isdigit())
    return is_same and not (IN_TRACE.match(one) and IN_TRACE.match(other))  # else these are a trace's own words


@lru_cache(maxsize=64)
def _end(one: str, other: str) -> int:
    """Where the dress ends: where the lines differ, or at the first place behind which one looks like a line of a trace."""
    end = 0
    for mine, others in zip(_TOKENS.finditer(one, 0, _LONGEST), _TOKENS.finditer(other, 0, _LONGEST), strict=False):
        if end and (IN_TRACE.match(one, mine.start()) or IN_TRACE.match(other, others.start())):
            return end
        if mine[0] != others[0] and not (mine[0][0].isdigit() and others[0][0].isdigit()):
            return end
        end = mine.end()
    return end


def grep_of(line: str, near: str, above: Sequence[str], below: Sequence[str]) -> LinePrefix | None:
    """``file:12:`` before what was searched and ``file-13-`` before the lines around it; either part may be missing."""
    if line[:1] in ("", " ", "\t") or (below and is_bare(line, below[0])) or not any_in_trace(near):
        return None
    pairs = [(line, one, 1) for one in below[:1]] + [(line, one, -1) for one in above[:1]]
    pairs += [(one, other, 1) for one, other in pairwise(below[:2])]
    for one, other, step in pairs:
        for prefix in _greps(one[:_LONGEST], other[:_LONGEST], step):
            dress = LinePrefix(prefix)
            if any(map(dress.is_on_a_trace, (line, *below))):
                return dress
    return None


def _greps(one: str, other: str, step: int) -> Iterator[re.Pattern[str]]:
    """The longest file first: its name may hold what stands behind it."""
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
