"""Blocks → the tree of their headings. A line may stand for a heading: numbered, bold, or one that opens with ``Q:``."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace

from kb.article.blocks import Block, Kind, plain
from kb.article.vocabulary import label_role

LINE = 7
"""The level of a line that stands for a heading: below every heading of a document."""
_MOST = 400
"""Lines standing for headings that are looked at in one stretch: a longer list is data."""
_LONGEST = 200

_ASKED = re.compile(
    r"[ \t]*[*_#]{0,3}(?:Q ?\d{0,3}|问 ?\d{0,3}|问题 ?[\d一二三四五六七八九十]{1,3}|question ?\d{0,3})[*_]{0,3} ?[:：.、][ \t]*\S",
    re.IGNORECASE,
)
_NUMBERED = re.compile(r"(?P<indent>[ \t]*)(?:[*_]{2})?[（(【\[]?(?P<number>\d{1,3})[.、)）】\]]+[ \t]*(?=\S)")
_BOLD = re.compile(r"[ \t]*(\*\*|__)(?=\S)[^\n]{4,180}?(?<=\S)\1[ \t]*[:：]?[ \t]*\Z")
_SENTENCE = re.compile(r"[\u3400-\u9fff]{3}|\w\S{0,40}\s+\S{1,40}\s+\S*\w")
"""Three words: a bold command or file name is no heading."""


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
        if block.kind is not Kind.HEADING:
            continue
        while above[-1].level >= block.level:
            above.pop().stop = at
        node = Node(" ".join(plain(block.text).split()), block.level, at, len(blocks))
        above[-1].children.append(node)
        above.append(node)
    return root


def with_lines(text: str, blocks: Sequence[Block]) -> tuple[Block, ...]:
    """The blocks of a document, with lines that stand for headings as headings of level `LINE`.

    In each stretch between two headings lines of one make count, when there are at least two: questions, else numbers that
    begin at 1 and go up, else bold lines.
    """
    done: list[Block] = []
    stretch: list[Block] = []
    for block in blocks:
        if block.kind is Kind.HEADING:
            done += _stretch(text, stretch)
            done.append(block)
            stretch = []
        else:
            stretch.append(block)
    return (*done, *_stretch(text, stretch))


def as_written(blocks: Iterable[Block]) -> tuple[Block, ...]:
    """The blocks with lines that stood for headings as paragraphs again."""
    return tuple(replace(one, kind=Kind.PARAGRAPH, level=0) if one.level == LINE else one for one in blocks)


def _stretch(text: str, blocks: list[Block]) -> Iterator[Block]:
    for make in (_asked, _numbered, _bold):
        opening = [one for one in make(text, blocks) if not _is_label(blocks, one)]
        if 2 <= len(opening) <= _MOST:
            for at, block in enumerate(blocks):
                yield from _cut(text, block, {line for where, line in opening if where == at})
            return
    yield from blocks


def _is_label(blocks: list[Block], place: tuple[int, int]) -> bool:
    """Whether a line is the name of a section and nothing else."""
    return label_role(plain(blocks[place[0]].text.split("\n")[place[1]])) is not None


_Openings = list[tuple[int, int]]
"""Places of lines that stand for headings: which block, which of its lines."""


def _lines(blocks: list[Block], kinds: frozenset[Kind]) -> Iterator[tuple[int, int, str]]:
    for at, block in enumerate(blocks):
        if block.kind in kinds:
            for number, line in enumerate(block.text.split("\n")):
                if line.strip():
                    yield at, number, line


_WORDS = frozenset((Kind.PARAGRAPH, Kind.ITEM))


def _asked(_text: str, blocks: list[Block]) -> _Openings:
    return [(at, line) for at, line, words in _lines(blocks, _WORDS) if _ASKED.match(words[:_LONGEST])]


def _bold(_text: str, blocks: list[Block]) -> _Openings:
    return [
        (at, line)
        for at, line, words in _lines(blocks, frozenset((Kind.PARAGRAPH,)))
        if len(words) <= _LONGEST and _BOLD.match(words) and _SENTENCE.search(words)
    ]


def _numbered(text: str, blocks: list[Block]) -> _Openings:
    """Lines with the numbers 1, 2, 3 … at one indent. Markdown has taken the number off an item: the text still shows it."""
    expected, indent = 1, ""
    found: _Openings = []
    for at, line, words in _lines(blocks, _WORDS):
        block = blocks[at]
        shown = text[block.start : block.start + 40] if block.kind is Kind.ITEM and line == 0 else words[:40]
        mark = _NUMBERED.match(shown)
        if mark is None or int(mark["number"]) != expected or (found and mark["indent"] != indent):
            continue
        indent = mark["indent"]
        found.append((at, line))
        expected += 1
    return found


def _cut(text: str, block: Block, opening: set[int]) -> Iterator[Block]:
    """The block, each of those of its lines as a heading of its own. A line that the document does not show stays."""
    if not opening:
        yield block
        return
    held: list[str] = []
    at = block.start
    for number, line in enumerate(block.text.split("\n")):
        place = text.find(line.strip(), at, block.end) if number in opening else -1
        if place < 0:
            held.append(line)
            continue
        place = at if number == 0 else place
        if held:
            yield replace(block, text="\n".join(held), start=at, end=place)
            held = []
        at = min(place + len(line), block.end)
        yield Block(Kind.HEADING, line.strip(), place, at, LINE)
    if any(line.strip() for line in held):
        yield replace(block, text="\n".join(held), start=at, end=block.end)
