"""The section that a quotation stands in, as short Markdown: one sentence of it seldom answers, its list and its code do."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from typing import TYPE_CHECKING

from kb.article.blocks import LINE, Block, BlockKind, Document, plain
from kb.article.quotes.announced import MORE, goes_on, is_item, markdown_of, opens

if TYPE_CHECKING:  # whoever asks a service for `ARTICLE` needs no models
    from kb.article.quotes.stated import Stated

LINES = 40
"""Most lines that are kept of a section."""
CHARACTERS = 2_500
"""Most characters that are kept of a section."""
EXPLAINED = 1_200
"""Most characters that are kept of what explains a failure."""
ARTICLE = "article"
"""The key of the record's own words, kept where no cause or no fix was quoted."""
WHOLE = 20_000
"""Most characters that are kept of an article: 97 of 100 are shorter (300 articles drawn, 2026-11-24)."""
_END = f"\n\n{MORE}"
_WITHIN = frozenset((BlockKind.CODE, BlockKind.QUOTE, BlockKind.TABLE))
"""What stands between two items of a list and belongs to the one above."""
_SHORT = 400
"""Characters of a section that is shown from its beginning."""
_BEFORE = 250
"""Characters kept before the quotation of a longer one: what follows it says more often what to do."""
_READ = 20_000
"""Characters that are looked at."""
_LEAST = 24
"""Characters that a section must say beside its quotation: else it is not worth a place of its own."""


def sections_of(
    document: Document,
    quotes: Mapping[str, tuple[int, int, str]],
    anchor: int | None,
    is_trace: Callable[[str], bool],
    stated: "Stated | None" = None,
) -> dict[str, str]:
    """Return the section around each quotation, by the name of its field, as Markdown without secrets and traces.

    ``quotes`` has of each quotation where it begins and ends, and its words. Where ``root_cause`` or ``fix`` is missing, the words of the document
    itself stand under `ARTICLE`: all of a short one, else what stands around the sentences that are likeliest to state it,
    else from the section on in which ``anchor``, the offset of the first trace, lies. A section
    that two quotations share stands under ``fix`` alone, as long as it begins before what the cause needs: its list, what its colon announces.
    Under ``root_cause`` stands also what explains the failure where no cause is quoted; of several causes with a fix each all stand side by side.
    """
    blocks = document.blocks
    passages: dict[str, Passage] = {}
    for name, (start, end, quotation) in quotes.items():
        if passage := _passage(
            document, _block_at(blocks, start), _block_at(blocks, max(start, end - 1)), quotation, is_trace
        ):
            passages[name] = passage
    shown = {name: passage.text for name, passage in passages.items()}
    if (cause := passages.get("root_cause")) and (fix := passages.get("fix")) and cause.is_within(fix):
        shown.pop("root_cause")
    beside, explained, likeliest = (stated.beside, stated.explained, stated.likeliest) if stated else ({}, (), ())
    shown |= {name: _markdown(some, document.text, is_trace) for name, some in beside.items()}
    if explained and not beside:
        shown |= _explained(document, explained, shown.get("root_cause", ""), quotes, is_trace)
    if len(quotes) < 2 and blocks:
        is_long = sum(len(block.text) for block in blocks) > CHARACTERS
        first = next(_sections(blocks, _block_at(blocks, anchor)))[0] if is_long and anchor is not None else 0
        text = _begun(_markdown(blocks[first:], document.text, is_trace), is_cut=first > 0)
        if is_long and likeliest:
            text = _around(document, likeliest, is_trace) or text
        if len(_squeezed(text)) >= _LEAST and not any(_squeezed(text) in _squeezed(other) for other in shown.values()):
            shown[ARTICLE] = text
    return shown


def _explained(
    document: Document,
    explained: Sequence[Block],
    shown: str,
    quotes: Mapping[str, tuple[int, int, str]],
    is_trace: Callable[[str], bool],
) -> dict[str, str]:
    """What is shown in the place of the cause: what is shown already, and below it what else explains the failure."""
    quoted = _squeezed(quotes["root_cause"][2]) if "root_cause" in quotes else ""
    others = _squeezed(shown)
    new = [block for block in explained if (words := _squeezed(block.text)) not in quoted and words not in others]
    text = _markdown(new if shown else explained, document.text, is_trace, characters=EXPLAINED)
    is_more = len(_squeezed("".join(block.text for block in new)).replace(quoted, "")) >= (_LEAST if quoted else 1)
    return {"root_cause": f"{shown}\n\n{text}".strip()} if is_more else {}


def _around(document: Document, places: Sequence[int], is_trace: Callable[[str], bool]) -> str:
    """What stands around some places, each once, in order."""
    shown: list[str] = []
    for at in sorted(_block_at(document.blocks, place) for place in places):
        passage = _passage(document, at, at, plain(document.blocks[at].text), is_trace)
        if passage and not any(_squeezed(passage.text.removeprefix(MORE)) in _squeezed(other) for other in shown):
            shown.append(passage.text)
    return "\n\n".join(shown)


@dataclass(frozen=True, slots=True)
class Passage:
    """What is shown around a quotation."""

    text: str
    section: tuple[int, int]
    """The blocks of the section it is taken of."""
    needed: int
    """The first block without which the quotation is hard to follow: its own, or that of its list."""
    kept: int
    """The first block that is shown."""
    announces: bool

    def is_within(self, other: "Passage") -> bool:
        """Whether another passage shows what this one is for."""
        return self.section == other.section and other.kept <= self.needed and not self.announces


def _passage(document: Document, at: int, last: int, quotation: str, is_trace: Callable[[str], bool]) -> Passage | None:
    """Return the innermost section around the blocks ``at`` to ``last`` that says more than the quotation; None for none.

    Of a quotation that ends in a colon it is one that says something behind it: what a heading, or a trace, keeps apart from it, if need be.
    """
    blocks, text = document.blocks, document.text
    announces = quotation.rstrip().endswith((":", "："))
    found = list(_sections(blocks, at))
    if announces and found:
        found.append((found[0][0], len(blocks)))
    for number, (first, end) in enumerate(found):
        is_dropped = (lambda _line: False) if announces and number == len(found) - 1 else is_trace
        behind = (
            ""
            if not announces
            else _rest(blocks[last], quotation) or _markdown(blocks[last + 1 : end], text, is_dropped)
        )
        is_short = sum(len(block.text) for block in blocks[first:end]) <= _SHORT
        needed = _list_begins(blocks, first, at, text)
        kept = first if is_short else _nearest(blocks, first, at, needed, text)
        shown = _begun(_markdown(blocks[kept:end], text, is_dropped), is_cut=kept > first)
        says = len(_squeezed(shown)) >= len(_squeezed(quotation)) + _LEAST
        if _squeezed(behind) if announces else says:
            return Passage(shown, (first, end), needed, kept, announces)
    return None


def _rest(block: Block, quotation: str) -> str:
    """What stands behind a quotation in the last of its blocks."""
    return block.text.rpartition(quotation.rstrip().rpartition("\n")[2])[2]


def article_of(document: Document) -> str:
    """Return the blocks of a document in their order, traces included, as Markdown without secrets; at most `WHOLE` characters."""
    return _markdown(document.blocks, document.text, lambda _line: False, lines=WHOLE, characters=WHOLE - len(_END))


def _sections(blocks: Sequence[Block], at: int) -> Iterator[tuple[int, int]]:
    """The sections around a block as ranges of blocks, the innermost first, without the one that is the whole page.

    Each goes from behind its heading to the next heading that is not below it; without any heading it is all blocks.
    """
    head, level = at + 1, LINE + 1
    while True:
        above = (n for n in range(min(head, at + 1) - 1, -1, -1) if _is_head(blocks[n]) and _level(blocks[n]) < level)
        head = next(above, -1)
        if head < 0 and level <= LINE:
            return
        outer = _level(blocks[head]) if head >= 0 else 0
        if level <= LINE and outer <= 1:  # the page itself
            return
        level = outer
        heads = (n for n in range(max(at, head) + 1, len(blocks)) if _is_head(blocks[n]))
        yield head + 1, next((n for n in heads if head < 0 or _level(blocks[n]) <= level), len(blocks))
        if head < 0:
            return


def _is_head(block: Block) -> bool:
    return block.kind is BlockKind.HEADING


def _block_at(blocks: Sequence[Block], start: int) -> int:
    """The last block that begins at or before an offset."""
    return max(sum(block.start <= start for block in blocks) - 1, 0)


def _level(heading: Block) -> int:
    return heading.level or LINE


def _list_begins(blocks: Sequence[Block], first: int, at: int, text: str) -> int:
    """The first block of the list that the block at ``at`` is of, or the line that announces the list; ``at`` for a block of no list.

    Code and further paragraphs between two items belong to the list. Of a long list it is the last items that leave room for the others.
    """
    if not (is_item(blocks[at], text) or goes_on(blocks[at], text)):
        return at
    begin, left = at, CHARACTERS // 2
    for n in range(at - 1, max(first, at - LINES // 2) - 1, -1):
        left -= len(blocks[n].text)
        is_own = is_item(blocks[n], text)
        if left < 0 or not (is_own or blocks[n].kind in _WITHIN or goes_on(blocks[n], text)):
            break
        begin = n if is_own else begin
    return begin - 1 if begin > first and left > 0 and opens(blocks[begin - 1]) else begin


def _nearest(blocks: Sequence[Block], first: int, at: int, needed: int, text: str) -> int:
    """The first block of a section that is kept: few characters before the one at ``at``, all from ``needed`` on, and no list that has lost its head."""
    kept, left = needed, _BEFORE - sum(len(block.text) for block in blocks[needed:at])
    while kept > first and left >= len(blocks[kept - 1].text):
        kept -= 1
        left -= len(blocks[kept].text)
    return _list_begins(blocks, first, kept, text) if needed - LINES // 4 < kept < needed else kept


def _markdown(
    blocks: Sequence[Block],
    text: str,
    is_trace: Callable[[str], bool],
    *,
    lines: int = LINES,
    characters: int = CHARACTERS,
) -> str:
    length = accumulate(len(block.text) for block in blocks)
    near = [_bold(block) for block, end in zip(blocks, length, strict=True) if end - len(block.text) < _READ]
    return markdown_of(near, text, is_trace, lines=lines, characters=characters)


def _begun(markdown: str, *, is_cut: bool) -> str:
    """A section, and above it `MORE` where its beginning is left out."""
    return f"{MORE}\n\n{markdown}" if is_cut and markdown else markdown


def _bold(block: Block) -> Block:
    """A heading as a line in bold: the section is shown below headings of a page."""
    if block.kind is not BlockKind.HEADING:
        return block
    return replace(block, kind=BlockKind.PARAGRAPH, text=f"**{plain(block.text).strip(' *')}**")


def _squeezed(text: str) -> str:
    """The words of a Markdown text without blanks and marks, to compare how much two texts say."""
    return "".join(character for character in plain(text) if character.isalnum())
