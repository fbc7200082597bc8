"""Lines that stand for the headings of a list of problems: questions, numbered, bold, codes, or each with the same label (``问题：``)."""

import re
from collections.abc import Iterable, Iterator, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from kb.article.blocks import LINE, Block, BlockKind, plain
from kb.article.sections import labels_in
from kb.article.split.problems import heading, label_of
from kb.article.vocabulary import SectionRole, label_role
from kb.patterns import lazy

_MOST = 400
"""Lines standing for headings that are looked at in one stretch: a longer list is data."""
_LONGEST = 200

_QUESTION = lazy(
    r"[ \t]*[*_#]{0,3}(?:Q ?\d{0,3}|问 ?\d{0,3}|问题 ?[\d一二三四五六七八九十]{1,3}|question ?\d{0,3})[*_]{0,3} ?[:：.、][ \t]*\S",
    re.IGNORECASE,
)
_NUMBERED = lazy(r"(?P<indent>[ \t]*)(?:[*_]{2})?[（(【\[]?(?P<number>\d{1,3})[.、)）】\]]+[ \t]*(?=\S)")
_BOLD = lazy(r"[ \t]*(\*\*|__)(?=\S)[^\n]{4,180}?(?<=\S)\1[ \t]*[:：]?[ \t]*\Z")
_CODED = lazy(
    r"[ \t]*[*_`(（【\[]{0,3}(?:(?:[A-Z][A-Z0-9]{1,11}[-_]?)?\d{3,6}[*_`)）】\]]{0,3}[ \t]{0,3}[:：][*_`]{0,3}[ \t]{0,3}\S"
    r"|[A-Z][A-Z0-9]{1,11}[-_]\d{3,6}[*_`)）】\]]{0,3}(?:[ \t]{1,3}\S|[ \t]*\Z))"
)
"""A code and its message: ``GAUSS-00571: "…"``, ``ORA-01000: …``, ``**301**：…``, ``GW-1001 Upstream refused``."""
_SENTENCE = lazy(r"[\u3400-\u9fff]{3}|\w\S{0,40}\s+\S{1,40}\s+\S*\w")
"""Three words: a bold command or file name is no heading."""
_FEWEST = 4
"""Lines of two problems behind a label: what each is and its answer."""
_MARKS = 40
"""Characters of indentation and marks before a line."""
_WORDS = frozenset((BlockKind.PARAGRAPH, BlockKind.ITEM, BlockKind.QUOTE))
_CAUSES = frozenset((SectionRole.ROOT_CAUSE, SectionRole.POSSIBLE_CAUSE))
_FIXES = frozenset((SectionRole.FIX, SectionRole.WORKAROUND))


class OpeningLine(NamedTuple):
    """A line of words: which block, which of its lines."""

    block: int
    number: int
    words: str


def openings(text: str, blocks: Sequence[Block]) -> list[OpeningLine]:
    """The lines of a stretch between two headings that stand for headings, all of one make; none where fewer than two do.

    Questions, else numbers that begin at 1 and go up, else bold lines, else codes with their messages, else what the markup says to name what stands below.
    Where the lines of a label name a problem each, they are chosen, or those of another make that name the same problems.
    """
    lines = list(_lines(blocks))
    if len(lines) < 2:
        return []
    own = [line for line in lines if blocks[line.block].kind is not BlockKind.QUOTE]
    labelled = _labelled(blocks, own)
    for make, among in ((_questions, own), (_numbered, own), (_bold, own), (_coded, own), (_named, lines)):
        found = [line for line in make(text, blocks, among) if not _is_label(line)]
        if 2 <= len(found) <= _MOST and _are_apart(found, blocks) and (not labelled or _name(found, labelled)):
            return found
    return labelled


def _lines(blocks: Sequence[Block]) -> Iterator[OpeningLine]:
    for at, block in enumerate(blocks):
        if block.kind in _WORDS:
            for number, words in enumerate(block.text.split("\n")):
                if words.strip():
                    yield OpeningLine(at, number, words)


def _is_label(line: OpeningLine) -> bool:
    """Whether a line is the name of a section and nothing else."""
    return label_role(plain(line.words)) is not None


def _questions(_text: str, _blocks: Sequence[Block], lines: Sequence[OpeningLine]) -> list[OpeningLine]:
    return [line for line in lines if _QUESTION.match(line.words[:_LONGEST])]


def _numbered(text: str, blocks: Sequence[Block], lines: Sequence[OpeningLine]) -> list[OpeningLine]:
    """Lines with the numbers 1, 2, 3 … at one indent. Markdown has taken the number off an item: the text still shows it."""
    expected, indent = 1, ""
    found: list[OpeningLine] = []
    for line in lines:
        block = blocks[line.block]
        is_item = block.kind is BlockKind.ITEM and line.number == 0
        mark = _NUMBERED.match(text[block.start : block.start + 40] if is_item else line.words[:40])
        if mark is None or int(mark["number"]) != expected or (found and mark["indent"] != indent):
            continue
        indent = mark["indent"]
        found.append(line)
        expected += 1
    return found


def _bold(text: str, blocks: Sequence[Block], lines: Sequence[OpeningLine]) -> list[OpeningLine]:
    paragraphs = (line for line in lines if blocks[line.block].kind is BlockKind.PARAGRAPH)
    return [line for line in paragraphs if _is_bold(line) and _is_written(text, blocks[line.block], line)]


def _coded(_text: str, blocks: Sequence[Block], lines: Sequence[OpeningLine]) -> list[OpeningLine]:
    """Codes, each with its message, that all have an answer under a label before the next: a log of such lines has none."""
    found = [line for line in lines if len(line.words) <= _LONGEST and _CODED.match(line.words)]
    return found if len(found) >= 2 and _are_answered(frozenset(found), lines, blocks) else []


def _is_bold(line: OpeningLine) -> bool:
    return (
        len(line.words) <= _LONGEST and _BOLD.match(line.words) is not None and _SENTENCE.search(line.words) is not None
    )


def _is_written(text: str, block: Block, line: OpeningLine) -> bool:
    """Whether the document shows a line as it stands here: the title of a box may be in other words there."""
    return line.number > 0 or line.words.strip() in text[block.start : block.start + len(line.words) + _MARKS]


def _named(_text: str, blocks: Sequence[Block], lines: Sequence[OpeningLine]) -> list[OpeningLine]:
    """Whatever the markup says to name what stands below, as summaries of a log do: each must ask, or be answered under a label."""
    naming = [line for line in lines if _is_naming(blocks[line.block], line) and not _is_label(line)]
    for is_item in (False, True):
        found = [line for line in naming if (blocks[line.block].kind is BlockKind.ITEM) == is_item]
        if 2 <= len(found) <= _MOST and (
            all(heading(line.words).asks for line in found) or _are_answered(frozenset(found), lines, blocks)
        ):
            return found
    return []


def _is_naming(block: Block, line: OpeningLine) -> bool:
    if line.number > 0 or block.level != LINE:
        return _is_bold(line)
    return len(line.words) <= _LONGEST and _SENTENCE.search(line.words) is not None


def _labelled(blocks: Sequence[Block], lines: Sequence[OpeningLine]) -> list[OpeningLine]:
    """The lines of the first label that names a problem each time, with a cause or a fix of its own before the next."""
    by_label: dict[str, dict[OpeningLine, str]] = {}
    for line in lines if len(lines) >= _FEWEST else ():
        if (label := label_of(line.words)) is not None:
            by_label.setdefault(label[0], {})[line] = label[1]
    for opening in by_label.values():
        if 2 <= len(opening) <= _MOST and _are_problems(opening, lines, blocks):
            return list(opening)
    return []


def _are_problems(opening: dict[OpeningLine, str], lines: Sequence[OpeningLine], blocks: Sequence[Block]) -> bool:
    """Whether the lines, short enough for a title, say several things, none goes on with the one before, and each is answered."""
    titles = [words for words in opening.values() if words]
    if any(heading(words).again for words in titles[1:]):
        return False
    if len(set(titles)) < min(2, len(titles)) or any(len(line.words) > _LONGEST for line in opening):
        return False
    return _are_answered(opening.keys(), lines, blocks)


def _are_answered(opening: AbstractSet[OpeningLine], lines: Sequence[OpeningLine], blocks: Sequence[Block]) -> bool:
    """Whether a label of a fix stands behind each of the lines, or one of a cause behind each; why after why is one story.

    So is a problem that was still there, where not each has its fix.
    """
    answers: list[set[SectionRole]] = []
    for line in lines:
        if line in opening:
            answers.append(set())
        elif answers:
            answers[-1] |= labels_in(replace(blocks[line.block], text=line.words))
    if all(one & _FIXES for one in answers):
        return True
    headings = (heading(line.words) for line in opening)
    return all(one & _CAUSES for one in answers) and not any(one.asks or one.lasts for one in headings)


def _are_apart(found: Sequence[OpeningLine], blocks: Sequence[Block]) -> bool:
    """Whether each block of the lines has a place of its own: those inside one piece of raw HTML do not."""
    places = {line.block: blocks[line.block].start for line in found}
    return len(set(places.values())) == len(places)


def _name(found: Sequence[OpeningLine], labelled: Sequence[OpeningLine]) -> bool:
    """Whether each labelled line has one that stands for its heading: on the same line, or behind the labelled line before."""
    before = (-1, -1)
    for label in labelled:
        if not any(before < line[:2] <= label[:2] for line in found):
            return False
        before = label[:2]
    return True


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
