"""Traces of a text that is too large to hold: a log of gigabytes, a pipe that never ends."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import chain as joined

from kb.trace.finding.mapped_text import LONGEST_PASTE, may_be_indented
from kb.trace.lines import clean
from kb.trace.messages.telling import LONGEST
from kb.trace.model import ExceptionChain
from kb.trace.parse import VAIN_NEAR, completed, has_frames, in_text, is_telling, parse, readings

_TAIL = 2 * LONGEST
"""Characters of the end that are kept for the errors they show: more than are looked at, so that the first line is whole."""
_MOST_HELD_BACK = 100


@dataclass(frozen=True, slots=True)
class StreamLimits:
    """How much of a text is held, in characters."""

    block: int = 4 << 20
    """Read at once."""
    before: int = 256 << 10
    """Kept of what stands before those still to be read: no reader looks back at more than 60 lines of 4,000."""
    held: int = 32 << 20
    """A trace of more is given as far as it was read."""


LIMITS = StreamLimits()


class TraceStream:
    """Reads the traces of a text that comes piece by piece, in bounded memory. Spans are places in the whole text.

    What comes out is what ``parse`` gives for the whole text, but for its limit on the number of traces: whatever was read with the end
    of a piece in view is read again when more is there. Each piece is best as large as what is `unread`, and of some size.
    """

    def __init__(self, limits: StreamLimits = LIMITS) -> None:
        self._limits = limits
        self.base = 0
        """How much was let go of: the place in the whole text of what is held."""
        self.held = self._plain = ""
        self._start = self._floor = self._past = 0
        self._weighed: list[int] = []
        """Where guesses were weighed in vain before what is unread."""

    @property
    def unread(self) -> int:
        """Characters that are held to be read again with what follows: an open trace, or a line that has not ended."""
        return len(self.held) - self._start

    def feed(self, text: str) -> Iterator[ExceptionChain]:
        """Yield the traces that are complete now. To be taken to the end before anything else is done; until more is fed, their text is held."""
        self._let_go()
        whole = self.held.rfind("\n") + 1  # no line is cleaned by what is in another
        plain = self._plain = self._plain[:whole] + _cleaned(self.held[whole:] + text, self.base + whole)
        self.held += text
        is_full = len(self.held) >= self._limits.held
        ready = len(plain) if is_full else plain.rfind("\n") + 1  # the last line may go on
        start, floor = self._start, self._floor
        for found in readings(plain, start, floor, weighed=self._weighed):
            if found.begin >= ready or (found.is_open and not is_full):
                ready = min(ready, found.begin)
                break
            yield from (moved(in_text(chain, self.held, plain), self.base) for chain in found.chains)
            start, floor = found.behind, found.floor
        self._start = min(max(start, ready), len(plain))
        self._floor = min(floor, self._start)
        self._weighed = [at for at in self._weighed if self._start - VAIN_NEAR < at < self._start]
        self._past = plain.rfind("\n", 0, max(self._start - self._limits.before, 0)) + 1

    def rest(self, text: str = "") -> Iterator[ExceptionChain]:
        """Yield the traces of what is unread, as if the whole text ended behind ``text``. Nothing is taken: `feed` gives them again."""
        whole = self.held + text
        plain = _cleaned(whole, self.base)
        for found in readings(plain, self._start, self._floor, weighed=[*self._weighed]):
            yield from (moved(in_text(chain, whole, plain), self.base) for chain in found.chains)

    def _let_go(self) -> None:
        past, self._past = self._past, 0
        self.base, self.held = self.base + past, self.held[past:]
        self._plain = self._plain[past:]
        self._start, self._floor = self._start - past, max(self._floor - past, 0)
        self._weighed = [at - past for at in self._weighed]


def parse_stream(blocks: Iterable[str], limits: StreamLimits = LIMITS) -> Iterator[ExceptionChain]:
    """Yield every trace of the text that the blocks make together, as soon as it is complete.

    The blocks may be of any size and end anywhere. A text in which no trace tells what went wrong gives the errors that its end
    shows, as ``parse`` does. ``limits`` bound what is held; of a text of which every line is indented the first `LONGEST_PASTE` characters are, to see where that ends.
    """
    large = _large(blocks, limits.block)
    first = next(large)
    more: str | None = ""
    while more is not None and len(first) <= LONGEST_PASTE and may_be_indented(first):
        more = next(large, None)
        first += more or ""
    if more is None or len(first) < min(limits.block, LONGEST_PASTE):  # it is all of the text
        yield from parse(first)
        return
    stream, tail, size = TraceStream(limits), "", 0
    mute: list[ExceptionChain] = []
    """Traces that tell nothing, as long as none does; those without frames are held back, since a line below may be their message."""
    held: list[ExceptionChain] = []
    has_telling = False
    for block in joined((first,), large, (None,)):
        if block is not None:
            size, tail = size + len(block), (tail + block)[-_TAIL:]
        for chain in stream.feed(block) if block is not None else stream.rest():
            has_telling = has_telling or is_telling(chain)
            mute.append(chain)
            held.append(chain)
            if has_telling or has_frames(chain) or len(held) > _MOST_HELD_BACK:
                yield from held
                held.clear()
        mute = [] if has_telling else [chain for chain in mute if chain.span[1] > size - len(tail)]
    if not has_telling:
        base = size - len(tail)
        near = [moved(one, -base) for one in mute]
        found = [moved(chain, base) for chain in completed(tail, _cleaned(tail, base), near)]
        given_out = set(mute) - set(held)
        yield from (chain for chain in found if chain not in given_out)


def _cleaned(text: str, at: int) -> str:
    """Return what ``clean`` makes of text that stands at a place in the whole: a mark of encoding counts at the begin of the whole alone."""
    return clean(f"\n{text}")[1:] if at else clean(text)


def moved(chain: ExceptionChain, by: int) -> ExceptionChain:
    """Return the chain with its place counted from elsewhere."""
    return replace(chain, span=(chain.span[0] + by, chain.span[1] + by)) if by else chain


def _large(blocks: Iterable[str], least: int) -> Iterator[str]:
    """Yield the blocks joined to large ones that do not end between the two characters of a line's end."""
    parts: list[str] = []
    size = 0
    for block in blocks:
        parts.append(block)
        size += len(block)
        if size >= least and not block.endswith("\r"):
            yield "".join(parts)
            parts, size = [], 0
    yield "".join(parts)
