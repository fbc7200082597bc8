"""Where in a text anything tells of a trace: one automaton for the needles of all runtimes."""

from functools import cache
from typing import Any

import re2

from kb.trace.runtimes import RUNTIMES
from kb.trace.runtimes.runtime import Runtime

_MEMORY = 64 << 20  # bytes for the automaton's states


@cache
def _needles() -> Any:
    options = re2.Options()
    options.never_nl, options.max_mem = True, _MEMORY
    return re2.compile("|".join(needle for runtime in RUNTIMES for needle in runtime.needles).encode(), options)


@cache
def _set() -> tuple[Any, tuple[Runtime, ...]]:
    """The needles as a set that tells which of them are in a line, and whose each is."""
    whose = tuple(runtime for runtime in RUNTIMES for _ in runtime.needles)
    options = re2.Options()
    options.never_nl, options.max_mem = True, _MEMORY
    needles = re2.Set.SearchSet(options)
    for runtime in RUNTIMES:
        for needle in runtime.needles:
            needles.Add(needle)
    needles.Compile()
    return needles, whose


def told_by(line: str) -> tuple[Runtime, ...]:
    """The runtimes of which a needle is in the line, in the order of RUNTIMES."""
    needles, whose = _set()
    found = needles.Match(_utf8(line))
    if not found:
        return ()
    return tuple(dict.fromkeys([whose[number] for number in sorted(found)]))


class Hunt:
    """The next place of any needle. The automaton reads UTF-8; places are counted over from and to characters."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._bytes = _utf8(text)
        self._is_ascii = len(self._bytes) == len(text)
        self._at = 0  # one place, in characters
        self._byte = 0  # and in bytes

    def after(self, start: int) -> int | None:
        """The first needle at or behind ``start``, which never goes back; None if there is none."""
        self._byte += start - self._at if self._is_ascii else len(_utf8(self._text[self._at : start]))
        self._at = start
        found = _needles().search(self._bytes, self._byte)
        if found is None:
            return None
        if self._is_ascii:
            return int(found.start())
        skipped = self._bytes[self._byte : found.start()]
        self._byte = int(found.start())
        self._at += len(skipped.decode("utf-8", "surrogatepass"))
        return self._at


def tells(text: str) -> bool:
    """Whether any needle is in the text."""
    return _needles().search(_utf8(text)) is not None


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")
