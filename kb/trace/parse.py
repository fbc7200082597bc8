"""Finds every trace in any text, in one pass.

Only lines that hold a runtime's needle are looked at; from such a line on, a runtime reads its trace or declines.
A short text of one line without any trace is itself a message: it becomes a chain of runtime ``text``.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from kb.trace.envelopes import original_span, unwrap
from kb.trace.lines import Lines, clean, pieces
from kb.trace.model import ExceptionChain, RaisedException
from kb.trace.runtimes import RUNTIMES
from kb.trace.runtimes.jvm.frames import LOG_PREFIX

MOST_TRACES = 10_000
"""Traces read of one text; the last one carries a note if there are more."""
LONGEST_MESSAGE = 1_000
"""A text of one line and at most so many characters is read as a message; longer ones are prose."""

_DIGITS_OF_A_TIME = 6
_TYPED = re.compile(
    r"(?<![\w.$])(?P<type>[A-Z][A-Za-z0-9_]{1,80}(?:Error|Exception|Warning))(?![A-Za-z0-9_])(?P<message>: .+|$)"
)


class _Hunt:
    """The next place of any needle, each needle looking ahead on its own."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._needles = tuple(dict.fromkeys(needle for runtime in RUNTIMES for needle in runtime.needles))
        self._places = [self._find(needle, 0) for needle in self._needles]

    def _find(self, needle: str | re.Pattern[str], start: int) -> int:
        """Where the needle stands next; behind the end of the text if nowhere."""
        if isinstance(needle, str):
            at = self._text.find(needle, start)
            return at if at >= 0 else len(self._text)
        found = needle.search(self._text, start)
        return found.start() if found is not None else len(self._text)

    def after(self, start: int) -> int | None:
        """The first needle at or behind ``start``; None if there is none."""
        first = min(self._places)
        if first < start:
            for number, at in enumerate(self._places):
                if at < start:
                    self._places[number] = self._find(self._needles[number], start)
            first = min(self._places)
        return first if first < len(self._text) else None


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
        reading = None
        for runtime in RUNTIMES:
            if reading is None and runtime.starts(line):
                reading = runtime.read(lines)
        behind = reading.next_line if reading is not None else 1
        lines = lines.behind(behind, lines.start(behind) if reading is not None else floor)
        if reading is not None:
            floor = lines.start(0)
            yield reading.chain, floor


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
