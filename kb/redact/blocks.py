"""Secrets out of a text that is too large to hold."""

from collections.abc import Callable, Iterable, Iterator

from kb.redact import Redaction, redact

_AHEAD = 8_000
"""A secret may go on over a line's end."""
_MOST_HELD = 32 << 20
"""Characters without a line's end that are held; then the text is cut where it is."""


def redacted_blocks(blocks: Iterable[str], found: Callable[[Redaction], None], ahead: int = _AHEAD) -> Iterator[str]:
    """The text of the blocks without its secrets, block by block; ``found`` is told each, at its place in the whole text.

    ``ahead`` characters behind a cut are seen before it is made.
    """
    held, base = "", 0
    for block in blocks:
        held += block
        redactions = redact(held).redactions
        cut = held.rfind("\n", 0, max(len(held) - ahead, 0)) + 1
        cut = len(held) if not cut and len(held) >= _MOST_HELD else cut
        cut = min([cut, *(one.start for one in redactions if one.start < cut < one.end)])
        if cut:
            yield _rebased(held[:cut], redactions, base, found)
            held, base = held[cut:], base + cut
    yield _rebased(held, redact(held).redactions, base, found)


def _rebased(text: str, redactions: Iterable[Redaction], base: int, found: Callable[[Redaction], None]) -> str:
    parts, at = [], 0
    for one in redactions:
        if one.end <= len(text):
            found(Redaction(one.kind, base + one.start, base + one.end))
            parts += [text[at : one.start], one.placeholder]
            at = one.end
    return "".join((*parts, text[at:]))
