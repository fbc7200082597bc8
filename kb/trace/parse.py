"""Finds every trace in any text, in one pass.

Only lines that hold a runtime's needle are looked at; from such a line on, a runtime reads its trace or declines.
A short text of one line without any trace is itself a message: it becomes a chain of runtime ``text``.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import islice
from typing import Any

import re2

from kb.trace.envelopes import original_span, unwrap
from kb.trace.lines import Lines, clean, pieces
from kb.trace.model import ExceptionChain, RaisedException
from kb.trace.runtimes import RUNTIMES
from kb.trace.runtimes.jvm.frames import LOG_PREFIX
from kb.trace.runtimes.runtime import Reading

MOST_TRACES = 10_000
"""Traces read of one text; the last one carries a note if there are more."""
LONGEST_MESSAGE = 1_000
"""A text of one line and at most so many characters is read as a message; longer ones are prose."""

_DIGITS_OF_A_TIME = 6
_TYPED = re.compile(
    r"(?<![\w.$])(?P<type>[A-Z][A-Za-z0-9_]{1,80}(?:Error|Exception|Warning))(?![A-Za-z0-9_])(?P<message>: .+|$)"
)


@cache
def _needles() -> Any:
    """All needles of all runtimes as one automaton."""
    options = re2.Options()
    options.never_nl, options.max_mem = True, 64 << 20
    return re2.compile("|".join(needle for runtime in RUNTIMES for needle in runtime.needles).encode(), options)


class _Hunt:
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


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def parse(text: str) -> tuple[ExceptionChain, ...]:
    """Every trace in the text, in its order, with its span; () if there is none and the text is no single message."""
    plain = clean(text)
    opened, layers = unwrap(plain)
    chains = tuple(islice(_traces(opened), MOST_TRACES))
    if layers:
        chains = tuple(replace(chain, span=original_span(layers, chain.span)) for chain in chains)
    if len(chains) == MOST_TRACES:
        note = f"only the first {MOST_TRACES} traces of the text were read"
        chains = (*chains[:-1], replace(chains[-1], notes=(*chains[-1].notes, note)))
    return chains or _message(plain)


def _traces(text: str) -> Iterator[ExceptionChain]:
    hunt = _Hunt(text)
    floor = start = 0
    while (found := hunt.after(start)) is not None:
        begin = text.rfind("\n", start, found) + 1 or start
        end = text.find("\n", found)
        end = len(text) if end < 0 else end
        start = end + 1
        line = text[begin:end]
        if not any(runtime.starts(piece) for _, piece in pieces(line) for runtime in RUNTIMES):
            continue
        for chain, behind in _at(text, begin, end, floor):
            if chain is not None:
                yield chain
                yield from _embedded(text, chain)
            floor = start = max(behind, begin + 1)


def _at(text: str, begin: int, end: int, floor: int) -> Iterator[tuple[ExceptionChain | None, int]]:
    """The traces that start on one line (a joined line may hold several), each with where it ends."""
    lines = Lines.of(text, begin, floor)
    while lines.start(0) < end:
        line = lines.get(0) or ""
        reading = _best_reading(lines, line)
        behind = reading.next_line if reading is not None else 1
        lines = lines.behind(behind, lines.start(behind) if reading is not None else floor)
        if reading is not None:
            floor = lines.start(0)
            yield reading.chain, floor


def _best_reading(lines: Lines, line: str) -> Reading | None:
    """What the runtimes that know the line make of it: the reading with most frames; of equal ones the first.

    ``TypeError: x`` is a head in several runtimes, and only the frames below it tell in which.
    """
    readings = [
        reading for runtime in RUNTIMES if runtime.starts(line) and (reading := runtime.read(lines)) is not None
    ]
    return max(readings, key=_frames_of) if readings else None


def _frames_of(reading: Reading) -> int:
    return sum(len(e.stack.frames) for e in reading.chain.exceptions) if reading.chain is not None else 0


def _embedded(text: str, chain: ExceptionChain) -> Iterator[ExceptionChain]:
    """Traces of other runtimes inside the messages of this one: PySpark's Python traceback in a Java exception."""
    begin, end = chain.span
    for runtime in RUNTIMES:
        for needle in runtime.embedded if runtime.name != chain.runtime else ():
            at = text.find(needle, begin, end)
            reading = runtime.read(Lines.of(text, _line_start(text, at), begin, end)) if at >= 0 else None
            if reading is not None and reading.chain is not None:
                yield reading.chain


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _message(text: str) -> tuple[ExceptionChain, ...]:
    """The text itself as a message, where it is one short line."""
    body = text.strip()
    if not body or "\n" in body or len(body) > LONGEST_MESSAGE or not any(c.isalnum() for c in body):
        return ()
    begin = text.find(body)
    span = (begin, begin + len(body))
    for runtime in RUNTIMES:
        found = runtime.named_in(body)
        if found is not None:
            return (ExceptionChain(runtime.name, (found,), span=span),)
    return (ExceptionChain("text", (_untold(body),), span=span),)


def _untold(body: str) -> RaisedException:
    """A message whose runtime nobody knows; ``OutOfMemoryError: Metaspace`` names its type at least."""
    prefix = LOG_PREFIX.match(body)
    if prefix is not None and sum(c.isdigit() for c in prefix[0]) >= _DIGITS_OF_A_TIME:
        body = body[prefix.end() :] or body
    found = _TYPED.search(body)
    if found is None:
        return RaisedException(None, body)
    return RaisedException(found["type"], found["message"].removeprefix(":").strip() or None)
