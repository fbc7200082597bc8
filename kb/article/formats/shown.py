"""A document that is not text itself: its text is what it shows, one piece after the other."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from kb.article.blocks import Block, BlockKind, Document


@dataclass(frozen=True, slots=True)
class ShownBlock:
    """What a block is to be."""

    kind: BlockKind
    level: int
    text: str
    guessed: bool = False


def shown(pieces: Iterable[ShownBlock], title: str | None, meta: Mapping[str, object]) -> Document:
    """The document of the pieces, a blank line between them."""
    texts: list[str] = []
    blocks: list[Block] = []
    at = 0
    for piece in pieces:
        blocks.append(Block(piece.kind, piece.text, at, at + len(piece.text), piece.level, piece.guessed))
        texts.append(piece.text)
        at += len(piece.text) + 2
    return Document("\n\n".join(texts), tuple(blocks), title, meta)
