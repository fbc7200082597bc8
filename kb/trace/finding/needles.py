"""Finds the lines that may begin a trace: automata for the needles of all runtimes, and what lines of a trace begin with."""

import re
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import Any

import re2

from kb.trace.runtimes import RUNTIMES
from kb.trace.runtimes.base import Runtime

_CALL = r"[ \t]{2,}+\S{1,12} [\w.$<>`+]{3,300}[(\[]"
"""Any word behind an indentation, and a call: .NET says "at" in twenty languages."""
_PLACE = r"[\w./$@-]{1,200}\.\w{1,5}:\d"
"""A file and a line, whatever runtime prints it."""
_MARKS = "|".join([*(mark for runtime in RUNTIMES for mark in runtime.frame_marks), _PLACE])
# a JSON list of frames, one on each line, has them in quotes
IN_TRACE = re.compile(rf"[ \t]*+\"?+(?:{_MARKS})|{_CALL}")
"""How the lines of a trace begin: frames, links and titles of all runtimes."""
_HINTS = (*(hint for runtime in RUNTIMES for hint in runtime.frame_hints), r"\.\w+:\d", r"  \S+ [\w.$<>`+]+[(\[]")
_ANY_HINT = re2.compile("|".join(_HINTS).encode())
"""Whether any line nearby can be one of a trace, in one pass: most that name an error are alone."""


@lru_cache(maxsize=8)
def any_in_trace(text: str) -> bool:
    """Whether any line of the text can be one of a trace: one pass, and seldom wrong in that direction."""
    return _ANY_HINT.search(text.encode("utf-8", "surrogatepass")) is not None


_MEMORY = 64 << 20  # bytes for the states of an automaton
_MOST_TOGETHER = 60
"""Needles of one automaton for short texts. Of all in one, nearly each character of a new line makes a new state: a line takes 74 µs, in five
parts 26 (2026-11-30)."""
_LARGE = 1 << 16
"""Bytes from which on a text is searched by two automata: each of them is slower at first, and its states pay in a log."""
_LOG = 1 << 14
"""The same of a text whose lines begin alike: two automata read logs of 16 to 64 kB at 250 to 310 MB/s, five at 150; articles at 40 and 60 (2026-11-30)."""
_SAMPLED = 64  # lines at the beginning of a text
_ALIKE = 0.8
"""Share of lines of a log that begin with the same character, or with a digit; of articles, sources and traces fewer do."""
_WINDOW = 4 << 20
"""Characters that are searched at once: all at once, a large text would be in memory once more."""


def _options() -> Any:
    options = re2.Options()
    options.never_nl, options.max_mem = True, _MEMORY
    return options


@cache
def _parts() -> tuple[tuple[Runtime, ...], ...]:
    """Return the runtimes in their order, in parts whose needles are few enough for one automaton."""
    parts: list[tuple[Runtime, ...]] = [()]
    for runtime in RUNTIMES:
        if sum(len(one.needles) for one in (*parts[-1], runtime)) > _MOST_TOGETHER:
            parts.append(())
        parts[-1] = (*parts[-1], runtime)
    return tuple(parts)


@cache
def _needles(*, is_large: bool) -> tuple[Any, ...]:
    """Return the automata that search a text: a large one is searched by two, which read fastest what they know.

    Sorted, needles that begin alike are one way for RE2, and a new state takes a fifth less time.
    """
    if is_large:
        every = [(one, needle) for one in RUNTIMES for needle in one.needles]
        parts = [[needle for one, needle in every if _is_apart(one, needle) is each] for each in (True, False)]
    else:
        parts = [[needle for one in part for needle in one.needles] for part in _parts()]
    return tuple(re2.compile("|".join(f"(?:{n})" for n in sorted(part)).encode(), _options()) for part in parts)


def _is_apart(runtime: Runtime, needle: str) -> bool:
    """Whether a needle is searched with those that begin in words: it is one, or asks where a line or a word begins.

    Each state of its automaton then knows that, too. Of the 193 needles that begin in no words 15 do: apart from the others, 20 new logs took 11 instead of 15 ms (2026-12-01).
    """
    return runtime.needles_in_words or needle.startswith("(?m:^") or r"\b" in needle


@cache
def _sets() -> tuple[tuple[Any, tuple[Runtime, ...]], ...]:
    """Return for each part a set that tells which of its needles are in a line, and whose each is."""
    return tuple((_set_of(part), tuple(runtime for runtime in part for _ in runtime.needles)) for part in _parts())


def _set_of(runtimes: tuple[Runtime, ...]) -> Any:
    needles = re2.Set.SearchSet(_options())
    for runtime in runtimes:
        for needle in runtime.needles:
            needles.Add(needle)
    needles.Compile()
    return needles


def matching_runtimes(line: str) -> Iterator[Runtime]:
    """Yield the runtimes of which a needle is in the line, in the order of RUNTIMES.

    A set is asked only where the automaton of its part finds a needle: that has passed over the line already, and knows its states.
    """
    data = _utf8(line)
    for automaton, (needles, whose) in zip(_needles(is_large=False), _sets(), strict=True):
        if automaton.search(data) is not None:
            yield from dict.fromkeys([whose[number] for number in sorted(needles.Match(data) or ())])


def may_be_known_by_words(line: str) -> bool:
    """Whether a needle is in the line, of a runtime that knows errors by their words or of one that is searched for together with it."""
    data = _utf8(line)
    return any(
        automaton.search(data) is not None
        for automaton, part in zip(_needles(is_large=False), _parts(), strict=True)
        if any(runtime.is_known_by_words for runtime in part)
    )


class NeedleScanner:
    """The next line with any needle. The automaton reads UTF-8, some megabytes of whole lines at once; places are counted over from and to characters."""

    def __init__(self, text: str, window: int = _WINDOW) -> None:
        self._text = text
        self._window = window
        self._searches: tuple[_Search, ...]
        self._at, self._byte, self._end = 0, 0, 0
        self._open(0)

    def after(self, start: int) -> int | None:
        """Return the place of a needle in the first line that holds one at or behind ``start``, which never goes back; None if there is none."""
        if start >= len(self._text):
            return None
        if start >= self._end:
            self._open(self._text.rfind("\n", 0, start) + 1)
        while True:
            self._byte += start - self._at if self._is_ascii else len(_utf8(self._text[self._at : start]))
            self._at = start
            place = self._first_needle()
            if place is not None:
                skipped = self._bytes[self._byte : place]
                self._byte = place
                self._at += len(skipped) if self._is_ascii else len(skipped.decode("utf-8", "surrogatepass"))
                return self._at
            if self._end >= len(self._text):
                return None
            start = self._end
            self._open(start)

    def _open(self, start: int) -> None:
        """Go to the lines from ``start`` on; no needle reaches over the end of a line."""
        end = self._text.find("\n", start + self._window) + 1
        self._end = end or len(self._text)
        self._bytes = _utf8(self._text[start : self._end])
        self._is_ascii = len(self._bytes) == self._end - start
        self._at = start  # one place, in characters
        self._byte = 0  # and in bytes of these lines
        is_large = len(self._bytes) > _LARGE or (len(self._bytes) > _LOG and _begin_alike(self._bytes))
        self._searches = tuple(_Search(automaton, self._bytes) for automaton in _needles(is_large=is_large))

    def _first_needle(self) -> int | None:
        """Return a needle in the first line that holds one, from the present byte on.

        An automaton reads no further than to the line of a needle that those before it found: a trace's head is mostly such a line, and its
        reader takes those below.
        """
        first, end = None, len(self._bytes)
        for search in self._searches:
            place = search.first(self._byte, end)
            if place is not None:
                first, end = place, search.line
        return first


def _begin_alike(data: bytes) -> bool:
    """Return whether most of the first lines begin as those of a log do: with the same character, or with a digit."""
    firsts = b"".join([line[:1] for line in data.split(b"\n", _SAMPLED)[:_SAMPLED]])
    most = max(map(firsts.count, set(firsts)), default=0)
    return max(most, len(firsts) - len(firsts.translate(None, b"0123456789"))) >= _ALIKE * len(firsts)


class _Search:
    """What one automaton finds in some lines, each of which it reads once."""

    def __init__(self, automaton: Any, data: bytes) -> None:
        self._automaton = automaton
        self._data = data
        self.line = 0
        """Where the line of the last needle begins; not before the place from which it was looked for."""
        self._place = 0
        self._is_needle = False
        """Whether a needle is at the place; else there is none before it."""

    def first(self, start: int, end: int) -> int | None:
        """Return the first needle between two places, the second of which is where a line begins; None if there is none."""
        if self._place < start:
            self._place, self._is_needle = start, False
        if not self._is_needle and self._place < end:
            found = self._automaton.search(self._data, self._place, end)
            if found is None:
                self._place = end
                return None
            place = found.start()
            self.line = max(self._data.rfind(b"\n", self._place, place) + 1, self._place)
            self._place, self._is_needle = place, True
        return self._place if self._is_needle and self._place < end else None


def has_needle(text: str) -> bool:
    """Whether any needle is in the text."""
    data = _utf8(text)
    return any(needles.search(data) is not None for needles in _needles(is_large=len(data) > _LARGE))


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
