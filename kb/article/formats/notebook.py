"""Jupyter notebooks (nbformat 3 and 4) → blocks: their Markdown, their code, and what that printed, tracebacks included."""

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from kb.article.blocks import Block, BlockKind, Document
from kb.article.decode import tidied
from kb.article.formats.markdown import markdown
from kb.article.formats.shown import ShownBlock, shown

_MOST_CELLS = 5_000
_LONGEST = 200_000
"""Characters of one cell or output; what is printed beyond that is a log."""


def is_notebook(text: str) -> bool:
    """Whether a text is a notebook: a JSON object that states its ``nbformat``."""
    return text[:64].lstrip()[:1] == "{" and '"nbformat"' in text and ('"cells"' in text or '"worksheets"' in text)


def notebook(text: str) -> Document | None:
    """The document of a notebook; None where the JSON is broken or is something else."""
    try:
        book = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(book, dict):
        return None
    metadata = book.get("metadata")
    title = metadata.get("title") if isinstance(metadata, dict) else None
    pieces = [piece for cell in _cells(book) for piece in _pieces(cell)]
    return shown(pieces, title if isinstance(title, str) and title.strip() else None, {})


def _cells(book: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    sheets = book.get("worksheets")  # nbformat 3
    holders = [book, *(sheets if isinstance(sheets, list) else [])]
    lists = [holder.get("cells") for holder in holders if isinstance(holder, dict)]
    return [cell for cells in lists if isinstance(cells, list) for cell in cells if isinstance(cell, dict)][
        :_MOST_CELLS
    ]


def _pieces(cell: Mapping[str, Any]) -> Iterator[ShownBlock]:
    source = _text(cell.get("source", cell.get("input")))
    kind = cell.get("cell_type")
    if kind == "markdown":
        yield from map(_of_markdown, markdown(source))
    elif kind == "heading" and source.strip():
        level = cell.get("level")
        yield ShownBlock(BlockKind.HEADING, level if isinstance(level, int) and 1 <= level <= 6 else 1, source.strip())
    elif kind == "code":
        outputs = cell.get("outputs")
        printed = map(_printed, outputs if isinstance(outputs, list) else [])
        yield from (ShownBlock(BlockKind.CODE, 0, text) for text in (source, *printed) if text.strip())


def _of_markdown(block: Block) -> ShownBlock:
    """The block, a cell of a table in its row: of a source each row begins at another place."""
    row = block.start + 1 if block.kind is BlockKind.TABLE and block.level else 0
    return ShownBlock(block.kind, block.level, block.text, row=row)


def _printed(output: object) -> str:
    """What an output shows as text. A traceback is in the colours of a terminal, which go."""
    if not isinstance(output, dict):
        return ""
    if "traceback" in output:
        lines = output["traceback"]
        return tidied("\n".join(map(_text, lines)) if isinstance(lines, list) else _text(lines))
    data = output.get("data")
    shows = output.get("text") or (data.get("text/plain") if isinstance(data, dict) else None)
    return tidied(_text(shows))


def _text(value: object) -> str:
    """A multi-line string of a notebook: a text, or a list of its lines."""
    lines = value if isinstance(value, list) else [value]
    return "".join(line for line in lines if isinstance(line, str))[:_LONGEST]
