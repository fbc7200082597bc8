"""A document that is not text itself: its text is what it shows, one piece after the other."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import groupby

from kb.article.blocks import Block, BlockKind, Document

_BESIDE = " | "
"""Stands between the cells of a row."""


@dataclass(frozen=True, slots=True)
class ShownBlock:
    """What a block is to be."""

    kind: BlockKind
    level: int
    text: str
    guessed: bool = False
    row: int = 0
    """Of the cell of a table: which row of the document it is of, from 1; 0 where that is not known."""


def shown(pieces: Iterable[ShownBlock], title: str | None, meta: Mapping[str, object]) -> Document:
    """The document of the pieces, a blank line between them; a row of a table is a line, which is where each of its cells stands."""
    texts: list[str] = []
    blocks: list[Block] = []
    at = 0
    for row, run in groupby(pieces, key=lambda piece: piece.row):
        for beside in [list(run)] if row else ([piece] for piece in run):
            text = _BESIDE.join(" ".join(one.text.split("\n")) for one in beside) if row else beside[0].text
            if texts:
                at += 2
            blocks += (Block(one.kind, one.text, at, at + len(text), one.level, one.guessed) for one in beside)
            texts.append(text)
            at += len(text)
    return Document("\n\n".join(texts), tuple(blocks), title, meta)
