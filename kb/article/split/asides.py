"""Errors inside a page that states no problem: each with the words right before it and those behind it, where its cause and its fix stand."""

from collections.abc import Iterator, Sequence

from kb.article.blocks import Block, BlockKind
from kb.article.split.parts import DocumentPart, DocumentParts

_BEFORE, _BEHIND = 2, 6
"""Blocks before an error and behind it that are of it: a manual goes on with something else."""
_MOST = 20
"""Errors of one page."""


def asides_of(blocks: Sequence[Block], places: Sequence[int]) -> DocumentParts:
    """Return a part for each error that begins at one of the ``places``, in order; none reaches into another section or another error."""
    return DocumentParts(tuple(_parts(blocks, places)), (), (), is_worth=False, context=())


def _parts(blocks: Sequence[Block], places: Sequence[int]) -> Iterator[DocumentPart]:
    found = [at for at, block in enumerate(blocks) if any(block.start <= place < block.end for place in places)]
    shown = [at for at in found if blocks[at].kind is not BlockKind.HEADING][:_MOST]
    begins = [_begin(blocks, at) for at in shown]
    ends = 0
    for number, at in enumerate(shown):
        if at < ends:
            continue  # a trace that goes on
        stop = min([*(begin for begin in begins if begin > at), at + _BEHIND + 1, len(blocks)])
        ends = next((n for n in range(at + 1, stop) if blocks[n].kind is BlockKind.HEADING), stop)
        part = tuple(blocks[begins[number] : ends])
        yield DocumentPart("", "", part, (part[0].start, part[-1].end))


def _begin(blocks: Sequence[Block], at: int) -> int:
    """The first of the words right before an error: those of its section, up to other code."""
    begin = at
    while begin > 0 and at - begin < _BEFORE and blocks[begin - 1].kind not in {BlockKind.HEADING, BlockKind.CODE}:
        begin -= 1
    return begin
