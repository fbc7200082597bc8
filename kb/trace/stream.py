"""Traces of a text that is too large to hold: a log of gigabytes, a pipe that never ends."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from kb.trace.lines import clean
from kb.trace.model import ExceptionChain
from kb.trace.parse import LONGEST_MESSAGE, message, readings

_BLOCK = 4 << 20
"""Characters that are read at once."""
_BEFORE = 256 << 10
"""Characters before those still to be read that are kept, too: no reader looks back at more than 60 lines of 4,000."""
_MOST_HELD = 32 << 20
"""A trace of more characters is given as far as it was read."""


def parse_stream(blocks: Iterable[str]) -> Iterator[ExceptionChain]:
    """Every trace of the text that the blocks make together, as soon as it is complete, in bounded memory.

    The blocks may be of any size and end anywhere. Spans are places in the whole text. What comes out is what ``parse``
    gives for the whole text, but for its limit on the number of traces: whatever was read with the end of a block in view
    is read again when more is there.
    """
    held, base, start, floor, any_found = "", 0, 0, 0, False
    for block in _large(blocks):
        held += block
        plain = clean(held)
        is_full = len(held) >= _MOST_HELD
        ready = len(held) if is_full else plain.rfind("\n") + 1  # the last line may go on
        for found in readings(plain, start, floor):
            if found.begin >= ready or (found.is_open and not is_full):
                ready = min(ready, found.begin)
                break
            any_found |= bool(found.chains)
            yield from (_moved(chain, base) for chain in found.chains)
            start, floor = found.behind, found.floor
        start = min(max(start, ready), len(held))
        keep = plain.rfind("\n", 0, max(start - _BEFORE, 0)) + 1
        base, held, start, floor = base + keep, held[keep:], start - keep, max(min(floor, start) - keep, 0)
    plain = clean(held)
    for found in readings(plain, start, floor):
        any_found |= bool(found.chains)
        yield from (_moved(chain, base) for chain in found.chains)
    if not any_found and base == 0 and len(plain) <= LONGEST_MESSAGE + _BEFORE:
        yield from message(plain)


def _large(blocks: Iterable[str]) -> Iterator[str]:
    """The blocks joined to large ones that do not end between the two characters of a line's end."""
    parts: list[str] = []
    size = 0
    for block in blocks:
        parts.append(block)
        size += len(block)
        if size >= _BLOCK and not block.endswith("\r"):
            yield "".join(parts)
            parts, size = [], 0
    yield "".join(parts)


def _moved(chain: ExceptionChain, by: int) -> ExceptionChain:
    return replace(chain, span=(chain.span[0] + by, chain.span[1] + by)) if by else chain
