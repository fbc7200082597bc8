"""Tables of plain-text markup → their rows: reStructuredText (drawn, ruled, ``list-table``, ``csv-table``), AsciiDoc, Jira."""

import csv
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, islice, pairwise
from unicodedata import east_asian_width

_MOST_COLUMNS = 40
_LONGEST = 20_000
"""Characters of a line that is cut into cells."""
_MOST_CELLS, _MOST_TIMES = 20_000, 12
"""Cells of a table of AsciiDoc, and how often one is repeated: three characters may ask for 99."""
_EDGES = re.compile(r"=+")
_BAR = re.compile(r"(?<!\\)\|")
_ROW_MARK = re.compile(r"[ \t]*[*-][ \t]+[*-](?:[ \t]+|\Z)")
_CELL_MARK = re.compile(r"[ \t]*[*-](?:[ \t]+|\Z)")
_COLUMNS = re.compile(r"\[[^\]\n]{0,200}\bcols=(?:\"([^\"\n]{1,200})\"|([^,\]\n]{1,40}))")
_TIMES = re.compile(r"\s*(\d{1,2})\*")
_SPEC = re.compile(r"(?:(\d{1,2})?(?:\.(\d{1,2}))?\+|(\d{1,2})\*)?[<^>]?(?:\.[<^>])?[adehlmsv]?\Z")
"""What stands before a bar: columns, rows, repetitions, how it is set: ``2+^``, ``.3+``, ``3*``, ``a``."""
_JIRA = re.compile(r"\\.|\[[^\[\]\n]{1,500}\]|\{\{[^{}\n]{1,500}\}\}|(\|{1,2})")


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a table: the lines it stands in, counted from the table's first, and its cells."""

    first: int
    stop: int
    cells: tuple[str, ...]


def drawn(lines: Sequence[str]) -> list[TableRow]:
    """The rows of a table drawn with ``+``, ``-`` and ``|``; a cell that reaches over several rows stands in each."""
    edges = [at for at, mark in enumerate(lines[0]) if mark == "+"][: _MOST_COLUMNS + 1]
    width = len(edges) - 1
    places: list[tuple[int, int]] = []
    columns: list[list[str]] = [[] for _ in range(width)]
    held: list[list[str]] = [[] for _ in range(width)]
    begun = 1
    for at, line in enumerate(lines[1:], 1):
        pieces = _between(line, edges)
        closed = _closed(pieces)
        for column, piece in enumerate(pieces):
            held[column] += [] if closed[column] else [piece]
        if any(closed):
            places.append((begun, max(at, begun + 1)))
            begun = at + all(closed)
        for column in (column for column, ends in enumerate(closed) if ends):
            columns[column] += [_joined(held[column])] * (len(places) - len(columns[column]))
            held[column] = []
    rows = (TableRow(*place, cells) for place, cells in zip(places, zip(*columns, strict=False), strict=False))
    return [row for row in rows if any(row.cells)]


def _between(line: str, edges: Sequence[int]) -> list[str]:
    """What stands between the edges, in the first of the columns that a cell reaches over: by the bars where there are as many, else by where they are on a screen."""
    bars = [found.start() for found in _BAR.finditer(line[:_LONGEST])]
    places = bars if len(bars) == len(edges) else _places(line, edges)
    found: list[str] = []
    begin, over = places[0] + 1, 0
    for place in places[1:]:
        over += 1
        if line[place : place + 1] in {"|", "+", ""}:
            found += [line[begin:place], *[""] * (over - 1)]
            begin, over = place + 1, 0
    return [*found, *[""] * over]


def _closed(pieces: Iterable[str]) -> list[bool]:
    """Of each column whether a line ends its cell; one that a cell reaches over is as the first of them."""
    found = [False]
    for piece in pieces:
        found.append(not piece.strip("-=") if piece else found[-1])
    return found[1:]


def ruled(lines: Sequence[str]) -> list[TableRow]:
    """The rows of a table below and between lines of ``=``; a line without a first cell goes on with the row above."""
    edges = [found.start() for found in _EDGES.finditer(lines[0])][:_MOST_COLUMNS]
    rows: list[tuple[int, int, list[list[str]]]] = []
    for at, line in enumerate(lines):
        if not line.strip() or not line.strip(" \t=-"):
            continue
        places = [*_places(line, edges), len(line)]
        pieces = [line[begin:end] for begin, end in pairwise(places)]
        if rows and not pieces[0].strip() and len(pieces) > 1:
            rows[-1] = (rows[-1][0], at + 1, [*rows[-1][2], pieces])
        else:
            rows.append((at, at + 1, [pieces]))
    return [
        TableRow(first, stop, tuple(_joined(column) for column in zip(*held, strict=True)))
        for first, stop, held in rows
    ]


def _places(line: str, columns: Sequence[int]) -> list[int]:
    """Where in a line some columns of the screen are: Chinese characters are two columns wide."""
    if line.isascii():
        return [min(column, len(line)) for column in columns]
    ends = list(accumulate(2 if east_asian_width(one) in "WF" else 1 for one in line[:_LONGEST]))
    return [bisect_right(ends, column) for column in columns]


def listed(lines: Sequence[str]) -> list[TableRow]:
    """The rows of a ``list-table``: items of items."""
    rows: list[tuple[int, int, list[list[str]]]] = []
    for at, line in enumerate(lines):
        if mark := _ROW_MARK.match(line):
            rows.append((at, at + 1, [[line[mark.end() :]]]))
        elif rows and (mark := _CELL_MARK.match(line)) and len(rows[-1][2]) < _MOST_COLUMNS:
            rows[-1][2].append([line[mark.end() :]])
            rows[-1] = (rows[-1][0], at + 1, rows[-1][2])
        elif rows and line.strip():
            rows[-1][2][-1].append(line)
            rows[-1] = (rows[-1][0], at + 1, rows[-1][2])
    return [TableRow(first, stop, tuple(map(_joined, cells))) for first, stop, cells in rows]


def separated(lines: Sequence[str], mark: str = ",") -> list[TableRow]:
    """The rows of a table of values with a mark between them; a value in quotation marks may have several lines."""
    reader = csv.reader((f"{line}\n" for line in lines), delimiter=mark, skipinitialspace=True, strict=False)
    rows: list[TableRow] = []
    begun = 0
    try:
        for values in reader:
            if any(value.strip() for value in values):
                rows.append(TableRow(begun, reader.line_num, tuple(value.strip() for value in values[:_MOST_COLUMNS])))
            begun = reader.line_num
    except csv.Error:  # a value that is too long
        return []
    return rows


def barred(lines: Sequence[str], above: str, mark: str = "|") -> list[TableRow]:
    """The rows of a table of AsciiDoc: ``mark`` begins a cell, before it may stand over how many columns and rows.

    ``above``, the line of its attributes, says how many columns there are; else the first line with cells does.
    """
    cells = list(islice(_barred_cells(lines, re.compile(rf"(?<!\\){re.escape(mark)}")), _MOST_CELLS))
    first = next((cell.first for cell in cells), 0)
    width = _columns(above) or sum(cell.columns for cell in cells if cell.first == first)
    rows: list[TableRow] = []
    reaching: dict[int, tuple[str, int]] = {}
    held: list[str] = []
    begun = first
    for cell in cells:
        begun = begun if held else cell.first
        text = _joined(cell.text).replace(f"\\{mark}", mark)
        for at in range(len(held), len(held) + cell.columns):
            reaching[at] = (text if at == len(held) else "", cell.rows - 1)
        held += [text, *[""] * (cell.columns - 1)]
        _reach(held, reaching, width)
        if len(held) >= width:
            rows.append(TableRow(begun, cell.first + cell.lines, tuple(held)))
            held = []
            _reach(held, reaching, width)
    return rows


def _reach(held: list[str], reaching: dict[int, tuple[str, int]], width: int) -> None:
    """Add to a row the cells that reach into it from above, up to the first column without one."""
    while len(held) < width and (above := reaching.get(len(held), ("", 0)))[1] > 0:
        reaching[len(held)] = (above[0], above[1] - 1)
        held.append(above[0])


@dataclass(frozen=True, slots=True)
class _BarredCell:
    first: int
    text: list[str]
    columns: int
    rows: int
    times: int

    @property
    def lines(self) -> int:
        """How many lines it has, without blank ones at its end."""
        return max((at for at, line in enumerate(self.text, 1) if line.strip()), default=1)


def _barred_cells(lines: Sequence[str], bar: re.Pattern[str]) -> Iterator[_BarredCell]:
    held: _BarredCell | None = None
    for at, line in enumerate(lines):
        *before, last = bar.split(line[:_LONGEST])
        for piece in before:
            words, blank, tail = piece.rpartition(" ")
            spec = _SPEC.match(tail)
            if held is not None:
                held.text.append(words + blank if spec else piece)
                yield from [held] * held.times
            columns, over, times = (int(said or 1) for said in (spec.groups() if spec else (None,) * 3))
            held = _BarredCell(at, [], max(columns, 1), max(over, 1), min(times, _MOST_TIMES))
        if held is not None:
            held.text.append(last)
    if held is not None:
        yield from [held] * held.times


def _columns(above: str) -> int:
    """How many columns ``[cols="1,2*"]`` says that a table has; 0 where it says nothing."""
    found = _COLUMNS.search(above)
    listed = re.split(r"[,;]", (found[1] or found[2]).strip()) if found else []
    return min(sum(int(times[1]) if (times := _TIMES.match(one)) else 1 for one in listed), _MOST_COLUMNS)


def piped(line: str) -> list[str]:
    """The cells of a row in Jira's markup: ``||head||head||``, ``|cell|cell|``."""
    cells, begun = [], None
    for found in _JIRA.finditer(line[:_LONGEST]):
        if found[1] and begun is not None:
            cells.append(line[begun : found.start()].strip())
        begun = found.end() if found[1] else begun
    rest = line[begun:].strip() if begun is not None else ""
    return [*cells, rest] if rest else cells


def _joined(lines: Iterable[str]) -> str:
    return "\n".join(filter(None, (line.strip() for line in lines)))
