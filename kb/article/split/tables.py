"""Tables: their secrets, and the rows of tables of errors, which hold a code or a message, what it means and what to do."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from kb.article.blocks import Block, BlockKind, plain
from kb.article.split.problems import lists_errors
from kb.article.vocabulary import SectionRole, heading_roles
from kb.patterns import lazy
from kb.redact import PLACEHOLDER, redact

_MENDS = frozenset((SectionRole.ROOT_CAUSE, SectionRole.POSSIBLE_CAUSE, SectionRole.FIX, SectionRole.WORKAROUND))
_FEWEST = 2
_CODE = 24
"""Characters of a cell that is a code: the next one says what it means."""
_LEVEL = 6
_ITEM = "- "
"""How a line of a cell begins that was an item of a list."""
_SHORT = 60
"""Characters of a cell in which a secret is looked for by the head of its column."""
_SENTENCE = lazy(r"[。；;]|\. ")

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


def without_secret_columns(blocks: Iterable[Block]) -> tuple[Block, ...]:
    """Return the blocks without the cells of columns of secrets: once cells are lines of a text, no column says which is a password."""
    clean: list[Block] = []
    for is_table, run in groupby(blocks, key=lambda block: block.kind is BlockKind.TABLE):
        cells = list(run)
        clean += _without_columns(cells) if is_table else cells
    return tuple(clean)


def _without_columns(cells: list[Block]) -> list[Block]:
    """The cells without those of a column whose head calls it a secret, in a table whose source shows no columns.

    The rows are put together anew for it, of each cell the beginning: a password is short, and a long row ends a table.
    """
    rows = [list(row) for _, row in groupby(cells, key=lambda cell: (cell.start, cell.end))]
    if len(rows) < 2 or not any(len(row) > 1 for row in rows):
        return cells
    width = max(map(len, rows))
    lines = [_line([*(_short(cell.text) for cell in row), *[""] * (width - len(row))]) for row in rows]
    table = "\n".join((lines[0], _line(["---"] * width), *lines[1:], ""))
    secrets = {table[one.start : one.end] for one in redact(table).redactions}
    return [replace(cell, text=PLACEHOLDER) if _short(cell.text) in secrets else cell for cell in cells]


def _line(words: Iterable[str]) -> str:
    return f"| {' | '.join(words)} |"


def _short(words: str) -> str:
    """The beginning of a cell on one line that divides no row."""
    return " ".join(words[:_SHORT].split()).replace("|", "/")


def _rows(rows: list[list[Block]]) -> list[Row]:
    head = [" ".join(plain(cell.text).split()) for cell in rows[0]]
    mends = [at for at, words in enumerate(head) if set(heading_roles(words)) & _MENDS]
    if not mends or not lists_errors(head[0]):
        return []
    complete = [
        row
        for row in rows[1:]
        if len(row) == len(head) and row[0].text.strip() and any(row[at].text.strip() for at in mends)
    ]
    return [(_title(row, mends), tuple(_cells(head, row))) for row in complete] if len(complete) >= _FEWEST else []


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
            for is_item, lines in groupby(cell.text.split("\n"), key=lambda line: line.startswith(_ITEM)):
                if is_item:
                    yield from (Block(BlockKind.ITEM, one.removeprefix(_ITEM), cell.start, cell.end) for one in lines)
                else:
                    yield Block(BlockKind.PARAGRAPH, "\n".join(lines), cell.start, cell.end)
