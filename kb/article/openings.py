"""Lines that stand for the headings of a list of problems: asked, numbered, bold, or each with the same label (``问题：``)."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from kb.article.blocks import Block, Kind, plain
from kb.article.problems import label_of
from kb.article.sections import labels_in
from kb.article.vocabulary import Role, label_role

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
_WORDS = frozenset((Kind.PARAGRAPH, Kind.ITEM))
_CAUSES = frozenset((Role.ROOT_CAUSE, Role.POSSIBLE_CAUSE))
_FIXES = frozenset((Role.FIX, Role.WORKAROUND))


class Line(NamedTuple):
    """A line of words: which block, which of its lines."""

    block: int
    number: int
    words: str


def openings(text: str, blocks: Sequence[Block]) -> list[Line]:
    """The lines of a stretch between two headings that stand for headings, all of one make; none where fewer than two do.

    Questions, else numbers that begin at 1 and go up, else bold lines. Where the lines of a label tell a problem each, they
    are taken, or those of another make that name the same problems.
    """
    labelled = _labelled(blocks)
    for make in (_asked, _numbered, _bold):
        found = [line for line in make(text, blocks) if label_role(plain(line.words)) is None]
        if 2 <= len(found) <= _MOST and (not labelled or _name(found, labelled)):
            return found
    return labelled


def _lines(blocks: Sequence[Block], kinds: frozenset[Kind] = _WORDS) -> Iterator[Line]:
    for at, block in enumerate(blocks):
        if block.kind in kinds:
            for number, words in enumerate(block.text.split("\n")):
                if words.strip():
                    yield Line(at, number, words)


def _asked(_text: str, blocks: Sequence[Block]) -> list[Line]:
    return [line for line in _lines(blocks) if _ASKED.match(line.words[:_LONGEST])]


def _bold(_text: str, blocks: Sequence[Block]) -> list[Line]:
    return [
        line
        for line in _lines(blocks, frozenset((Kind.PARAGRAPH,)))
        if len(line.words) <= _LONGEST and _BOLD.match(line.words) and _SENTENCE.search(line.words)
    ]


def _numbered(text: str, blocks: Sequence[Block]) -> list[Line]:
    """Lines with the numbers 1, 2, 3 … at one indent. Markdown has taken the number off an item: the text still shows it."""
    expected, indent = 1, ""
    found: list[Line] = []
    for line in _lines(blocks):
        block = blocks[line.block]
        is_item = block.kind is Kind.ITEM and line.number == 0
        mark = _NUMBERED.match(text[block.start : block.start + 40] if is_item else line.words[:40])
        if mark is None or int(mark["number"]) != expected or (found and mark["indent"] != indent):
            continue
        indent = mark["indent"]
        found.append(line)
        expected += 1
    return found


def _labelled(blocks: Sequence[Block]) -> list[Line]:
    """The lines of the first label that tells a problem each time, with a cause or a fix of its own before the next."""
    lines = list(_lines(blocks))
    told: dict[str, dict[Line, str]] = {}
    for line in lines:
        if (label := label_of(line.words)) is not None:
            told.setdefault(label[0], {})[line] = label[1]
    for opening in told.values():
        if 2 <= len(opening) <= _MOST and _are_problems(opening, lines, blocks):
            return list(opening)
    return []


def _are_problems(opening: dict[Line, str], lines: Sequence[Line], blocks: Sequence[Block]) -> bool:
    """Whether the lines say several things, and a label of a cause stands behind each of them, or one of a fix behind each."""
    said = [words for words in opening.values() if words]
    if len(set(said)) < min(2, len(said)) or any(len(line.words) > _LONGEST for line in opening):
        return False
    answers: list[set[Role]] = []
    for line in lines:
        if line in opening:
            answers.append(set())
        elif answers:
            answers[-1] |= labels_in(replace(blocks[line.block], text=line.words))
    return all(one & _CAUSES for one in answers) or all(one & _FIXES for one in answers)


def _name(found: Sequence[Line], labelled: Sequence[Line]) -> bool:
    """Whether each labelled line has one that stands for its heading: on the same line, or behind the labelled line before."""
    before = (-1, -1)
    for label in labelled:
        if not any(before < line[:2] <= label[:2] for line in found):
            return False
        before = label[:2]
    return True
