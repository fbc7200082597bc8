"""Tables of errors: rows that hold a code or a message, and in further columns what it means and what to do."""

import re
from collections.abc import Iterator, Sequence
from itertools import groupby

from kb.article.blocks import Block, BlockKind, plain
from kb.article.problems import lists_errors
from kb.article.vocabulary import SectionRole, heading_roles

_MENDS = frozenset((SectionRole.ROOT_CAUSE, SectionRole.POSSIBLE_CAUSE, SectionRole.FIX, SectionRole.WORKAROUND))
_FEWEST = 2
_CODE = 24
"""Characters of a cell that is a code: the next one says what it means."""
_LEVEL = 6
_SENTENCE = re.compile(r"[。；;]|\. ")

Row = tuple[str, tuple[Block, ...]]
"""What a row is about, and its cells as sections: the head of its column, then the words."""


def error_rows(blocks: Sequence[Block]) -> list[Row]:
    """The rows of all tables whose head says error in the first column and cause or fix in another. Cells of a row share their place.

    No rows below *How to tell it apart*: such a table compares the problem with others.
    """
    found: list[Row] = []
    apart = 0
    for kind, some in groupby(blocks, key=lambda block: block.kind):
        if kind is BlockKind.HEADING:
            for block in some:
                if not apart or block.level <= apart:
                    apart = block.level if heading_roles(plain(block.text)) == (SectionRole.DISTINGUISH,) else 0
        elif kind is BlockKind.TABLE and not apart:
            found += _rows([list(row) for _, row in groupby(some, key=lambda cell: (cell.start, cell.end))])
    return found


def _rows(rows: list[list[Block]]) -> list[Row]:
    head = [" ".join(plain(cell.text).split()) for cell in rows[0]]
    mends = [at for at, words in enumerate(head) if set(heading_roles(words)) & _MENDS]
    if not mends or not lists_errors(head[0]):
        return []
    told = [
        row
        for row in rows[1:]
        if len(row) == len(head) and row[0].text.strip() and any(row[at].text.strip() for at in mends)
    ]
    return [(_title(row, mends), tuple(_cells(head, row))) for row in told] if len(told) >= _FEWEST else []


def _title(row: list[Block], mends: list[int]) -> str:
    title = " ".join(plain(row[0].text).split())
    if len(title) <= _CODE and 1 not in mends:
        meaning = _SENTENCE.split(" ".join(plain(row[1].text).split()), maxsplit=1)[0]
        title = f"{title} {meaning}".strip()
    return title


def _cells(head: list[str], row: list[Block]) -> Iterator[Block]:
    for name, cell in zip(head, row, strict=True):
        if cell.text.strip() and (cell is not row[0] or len(cell.text) > _CODE):
            yield Block(BlockKind.HEADING, name, cell.start, cell.start, _LEVEL)
            yield Block(BlockKind.PARAGRAPH, cell.text, cell.start, cell.end)
