"""Quoted sentences: their words, verbatim or as a list, and where they stand in the document."""

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import groupby

from kb.article.blocks import Block
from kb.article.quotes.announced import WIDE, begins_item, fenced, marker_at
from kb.article.sentences import Sentence, joined
from kb.incident import QuoteSpan

_SEVERAL = 2
"""Items from which on a quotation is shown as a list."""


@dataclass(frozen=True, slots=True)
class Quote:
    """Sentences of one section, quoted."""

    sentences: tuple[Sentence, ...]
    heading: str | None
    """The heading or label of the section."""
    blocks: tuple[Block, ...] = ()
    """Of the section of its last sentence: the one it stands in, and those behind that."""
    numbers: tuple[str, ...] = ()
    """Of each sentence the number of the label that opens its section, where they stand in several: *1.* for *Cause 1*."""

    @property
    def text(self) -> str:
        """The quotation, verbatim but for the marks of lists and emphasis that a cut leaves open."""
        return joined(self.sentences)

    def listed(self, text: str) -> str:
        """Return the quotation as Markdown: code between fences, two or more items or numbered labels as a list."""
        runs = [(number, [one for _, one in some]) for (number, *_), some in groupby(self._numbered(), key=_run_of)]
        heads = [number or _bullet(some[0], text) for number, some in runs]
        is_list = sum(map(bool, heads)) >= _SEVERAL
        if not is_list and not any(one.code for one in self.sentences):
            return self.text
        shown = ""
        before: str | None = None
        is_behind_code = False
        for head, (_, some) in zip(heads if is_list else [""] * len(runs), runs, strict=True):
            is_code = some[0].code
            words = fenced(joined(some)) if is_code else joined(some)
            is_apart = is_code or is_behind_code or (before and not head)  # else it goes on with the item above
            shown += "" if before is None else "\n\n" if is_apart else "\n"
            shown += f"{head}{'' if head.endswith(WIDE) else ' '}{words}".lstrip()
            before, is_behind_code = head, is_code
        return shown

    def _numbered(self) -> Iterator[tuple[str, Sentence]]:
        return zip(self.numbers or ("",) * len(self.sentences), self.sentences, strict=True)

    def places(self, text: str) -> tuple[QuoteSpan, ...]:
        """Where it stands in the text of its document; sentences that follow each other are one place."""
        spans: list[tuple[int, int]] = []
        for one in self.sentences:
            start, end = _offsets_of(text, one, spans[-1][1] if spans else 0)
            if spans and not text[spans[-1][1] : start].strip() and start >= spans[-1][1]:
                spans[-1] = (spans[-1][0], end)
            else:
                spans.append((start, end))
        return tuple(QuoteSpan(start, end, text.count("\n", 0, start) + 1, self.heading) for start, end in spans)


def _offsets_of(text: str, one: Sentence, after: int) -> tuple[int, int]:
    """The offsets of a sentence; those of its block where the block does not hold it letter by letter (tags, quote marks)."""
    first, last = one.place
    for begin in (max(first, after), first):
        start = text.find(one.text, begin, last)
        if start >= 0:
            return start, start + len(one.text)
    block = text[first:last]
    return first + len(block) - len(block.lstrip()), first + len(block.rstrip())


def _run_of(numbered: tuple[str, Sentence]) -> tuple[str, int, tuple[int, int]]:
    """What the sentences of one item have in common."""
    number, one = numbered
    return number, one.block, one.place


def _bullet(one: Sentence, text: str) -> str:
    """The bullet or number of an item, or of a paragraph that its document shows as one; '' for what is none, or shows it itself."""
    if one.code or begins_item(one.text):
        return ""
    return marker_at(one.place[0], text) or ("-" if one.item else "")
