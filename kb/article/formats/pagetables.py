"""A table of a page → its rows and cells, where it holds data: no layout, no listing of code, no stack traces."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from selectolax.lexbor import LexborNode

_CELLS = frozenset(("td", "th"))
_BODIES = frozenset(("thead", "tbody", "tfoot"))
_NO_CELL = "table, pre, h1, h2, h3, h4, h5, h6"
"""What a cell of data does not hold: a page laid out in a table does."""
_MOST_ROWS, _MOST_COLUMNS = 3_000, 40
_LONGEST = 3_000
"""Characters of a cell; one that says more is a column of a layout."""
_REPEATED = 400
"""Characters of a cell over several rows that each of them repeats; below a longer one stands nothing."""
_TRACE = re.compile(r"\s*(?:at\s+[\w.$]{1,200}\(|Caused by:|Traceback \(|File \"|\.\.\. \d+ (?:more|common))")
"""A line of a trace, which wants its lines."""


@dataclass(slots=True)
class _Spanning:
    """A cell that reaches into rows below its own."""

    text: str
    left: int


def data_rows(table: LexborNode, words_of: Callable[[LexborNode], str]) -> list[list[str]] | None:
    """The words of each cell by row, a cell over several rows or columns in its first column of each; None for a table that holds no data."""
    rows: list[list[str]] = []
    spans: dict[int, _Spanning] = {}
    for row in _rows(table):
        if len(rows) == _MOST_ROWS:
            return None
        words = _row(row, spans, words_of)
        if words is None:
            return None
        if any(words):
            rows.append(words)
    return rows if _is_data(rows) else None


def _rows(table: LexborNode) -> Iterator[LexborNode]:
    for part in table.iter():
        if part.tag == "tr":
            yield part
        elif part.tag in _BODIES:
            yield from (row for row in part.iter() if row.tag == "tr")


def _row(row: LexborNode, spans: dict[int, _Spanning], words_of: Callable[[LexborNode], str]) -> list[str] | None:
    """The cells of a row, with those that reach into it from above; None where one is no cell of data."""
    found: list[str] = []

    def from_above() -> None:
        while (above := spans.get(len(found))) is not None and above.left > 0:
            above.left -= 1
            found.append(above.text)

    for cell in row.iter():
        if cell.tag not in _CELLS:
            continue
        from_above()
        if len(found) >= _MOST_COLUMNS or cell.css_first(_NO_CELL) is not None:
            return None
        words = words_of(cell)
        if len(words) > _LONGEST:
            return None
        if (below := _span(cell, "rowspan", _MOST_ROWS) - 1) > 0:
            spans[len(found)] = _Spanning(words if len(words) <= _REPEATED else "", below)
        found += [words, *[""] * (_span(cell, "colspan", _MOST_COLUMNS) - 1)]
    from_above()
    return found


def _span(cell: LexborNode, name: str, most: int) -> int:
    """Over how many rows or columns a cell reaches, at least 1."""
    stated = (cell.attributes.get(name) or "").strip()
    return max(1, min(int(stated), most)) if stated.isascii() and stated.isdigit() and len(stated) < 6 else 1


def _is_data(rows: list[list[str]]) -> bool:
    if sum(len(row) > 1 for row in rows) < 2:
        return False
    if all(len(row) <= 2 and (not row[0] or row[0].isdigit()) for row in rows):
        return False  # code beside the numbers of its lines
    return not any(_TRACE.match(line) for row in rows for words in row if "\n" in words for line in words.split("\n"))
