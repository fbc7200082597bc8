"""Blocks → the tree of their headings. A line may stand for a heading (`kb.article.openings`)."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from kb.article.blocks import LINE, Block, BlockKind, plain
from kb.article.openings import openings


@dataclass(slots=True)
class Node:
    """A heading and all that stands under it: ``blocks[first:stop]``, its own heading included. The root has none."""

    title: str
    level: int
    first: int
    stop: int
    children: list["Node"] = field(default_factory=list)

    @property
    def body(self) -> int:
        """Where what stands under the heading begins."""
        return self.first + (self.level > 0)

    @property
    def own(self) -> int:
        """Where the first heading below it stands, or the end."""
        return self.children[0].first if self.children else self.stop


def outline(blocks: Sequence[Block]) -> Node:
    """The tree of the headings among the blocks."""
    root = Node("", 0, 0, len(blocks))
    above = [root]
    for at, block in enumerate(blocks):
        if block.kind is not BlockKind.HEADING:
            continue
        while above[-1].level >= block.level:
            above.pop().stop = at
        node = Node(" ".join(plain(block.text).split()), block.level, at, len(blocks))
        above[-1].children.append(node)
        above.append(node)
    return root


def with_lines(text: str, blocks: Sequence[Block]) -> tuple[Block, ...]:
    """The blocks of a document, with lines that stand for headings as headings of level `LINE`."""
    done: list[Block] = []
    stretch: list[Block] = []
    for block in blocks:
        if block.kind is BlockKind.HEADING:
            done += _stretch(text, stretch)
            done.append(block)
            stretch = []
        else:
            stretch.append(block)
    return (*done, *_stretch(text, stretch))


def as_written(blocks: Iterable[Block]) -> tuple[Block, ...]:
    """The blocks with lines that stood for headings as paragraphs again."""
    return tuple(
        replace(one, kind=BlockKind.PARAGRAPH, level=0) if one.kind is BlockKind.HEADING and one.level == LINE else one
        for one in blocks
    )


def _stretch(text: str, blocks: list[Block]) -> Iterator[Block]:
    numbers: dict[int, set[int]] = {}
    for line in openings(text, blocks):
        numbers.setdefault(line.block, set()).add(line.number)
    for at, block in enumerate(blocks):
        yield from _cut(text, block, numbers[at]) if at in numbers else (block,)


def _cut(text: str, block: Block, opening: set[int]) -> Iterator[Block]:
    """The block, each of those of its lines as a heading of its own. A line that the document does not show stays."""
    held: list[str] = []
    at = block.start
    for number, line in enumerate(block.text.split("\n")):
        place = -1
        if number in opening:
            place = text.find(line.strip(), at, block.end) if number else at  # a flavour may have put it in other words
        if place < 0:
            held.append(line)
            continue
        if held:
            yield replace(block, text="\n".join(held), start=at, end=place)
            held = []
        at = min(place + len(line), block.end)
        yield Block(BlockKind.HEADING, line.strip(), place, at, LINE)
    if any(line.strip() for line in held):
        yield replace(block, text="\n".join(held), start=at, end=block.end)
