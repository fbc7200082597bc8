"""Traces of a text that is too large to hold: a log of gigabytes, a pipe that never ends."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from kb.trace.lines import clean
from kb.trace.model import ExceptionChain
from kb.trace.parse import LONGEST_MESSAGE, message, traces

_BLOCK = 4 << 20
"""Characters that are read at once."""
_LAST = 256 << 10
"""Characters at the end of a block in which a trace may not be complete yet: it is read again with what follows."""
_BEFORE = 4_000
"""Characters before those that are kept, too: a head may stand above the first frame."""
_MOST_HELD = 32 << 20
"""A trace of more characters is given as far as it was read."""


def parse_stream(blocks: Iterable[str]) -> Iterator[ExceptionChain]:
    """Every trace of the text that the blocks make together, as soon as it is complete, in bounded memory.

    The blocks may be of any size and end anywhere. Spans are places in the whole text. What comes out is what ``parse``
    gives for the whole text, but for its limit on the number of traces.
    """
    held, base, any_found, parts, size = "", 0, False, [], 0
    for block in blocks:
        parts.append(block)
        size += len(block)
        if size < _BLOCK:
            continue
        held = "".join((held, *parts))
        parts, size = [], 0
        cut = held.rfind("\n", 0, len(held) - _LAST) + 1
        chains = list(traces(clean(held)))
        late = next(
            (i for i, chain in enumerate(chains) if chain.span[1] > cut and len(held) < _MOST_HELD), len(chains)
        )
        # not in text order everywhere: a deadlock stands before the threads of its dump
        cut = min([cut, *(chain.span[0] for chain in chains[late:])])
        done = max((chain.span[1] for chain in chains[:late]), default=0)
        for chain in chains[:late]:
            any_found = True
            yield _moved(chain, base)
        keep = max(done, held.rfind("\n", 0, max(cut - _BEFORE, 0)) + 1)
        base += keep
        held = held[keep:]
    held = "".join((held, *parts))
    plain = clean(held)
    for chain in traces(plain):
        any_found = True
        yield _moved(chain, base)
    if not any_found and base == 0 and len(plain) <= LONGEST_MESSAGE + _BEFORE:
        yield from message(plain)


def _moved(chain: ExceptionChain, by: int) -> ExceptionChain:
    return replace(chain, span=(chain.span[0] + by, chain.span[1] + by)) if by else chain
