"""Tables of a report: two columns, the name of a field and what it says (``Root cause | The disk is full.``)."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import groupby

from kb.article.blocks import Block, BlockKind, plain
from kb.article.sentences import size
from kb.article.vocabulary import SectionRole, label_role

_MENDS = frozenset((SectionRole.ROOT_CAUSE, SectionRole.FIX, SectionRole.WORKAROUND))
_FEWEST = 2
"""Fields that a report has: a table that compares things may name one of them after a cause."""
_SAYING = 3
"""Words of a cause or a fix that states one: *Action | reject* is a setting."""


@dataclass(frozen=True, slots=True)
class Field:
    """A row: its name, what it is about, and the cells that say it, as paragraphs."""

    name: str
    role: SectionRole
    blocks: tuple[Block, ...]


Fields = list[Field | tuple[Block, ...]]
"""The rows of a report; one that is about no section of a write-up as its cells."""


def with_fields(blocks: Sequence[Block]) -> Iterator[Block | Fields]:
    """The blocks; in place of the cells of a report its rows."""
    for is_table, some in groupby(blocks, key=lambda block: block.kind is BlockKind.TABLE):
        cells = list(some)
        report = _report(cells) if is_table else None
        if report is None:
            yield from cells
        else:
            yield report


def _report(cells: Sequence[Block]) -> Fields | None:
    """The rows of a table with a cause or a fix among its fields; None for any other table."""
    if any(cell.level not in {1, 2} for cell in cells):
        return None
    rows: list[list[Block]] = []
    for cell in cells:
        if cell.level == 1 or not rows:
            rows.append([])
        rows[-1].append(cell)
    told = [_field(row) or tuple(row) for row in rows]
    fields = [one for one in told if isinstance(one, Field)]
    if len(fields) < _FEWEST or any(_role(cell) is not None for field in fields for cell in field.blocks):
        return None  # *Cause | Solution*: the heads of two columns
    return told if any(field.role in _MENDS and _size_of(field) >= _SAYING for field in fields) else None


def _field(row: Sequence[Block]) -> Field | None:
    role = _role(row[0])
    says = tuple(replace(cell, kind=BlockKind.PARAGRAPH, level=0) for cell in row[1:] if cell.text.strip())
    return Field(plain(row[0].text).strip(), role, says) if role is not None and says else None


def _size_of(field: Field) -> int:
    return sum(size(block.text) for block in field.blocks)


def _role(cell: Block) -> SectionRole | None:
    words = plain(cell.text).strip(" :：")
    return label_role(words) if len(words) > 1 else None
