"""Tables of plain-text markup → their rows: reStructuredText (drawn, ruled, ``list-table``, ``csv-table``), AsciiDoc, Jira."""

import csv
import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, zip_longest
from unicodedata import east_asian_width

from kb.patterns import lazy

_MOST_COLUMNS = 40
_LONGEST = 20_000
"""Characters of a line that is cut into cells."""
_MOST_TIMES = 12
"""How often a cell of AsciiDoc is repeated: three characters may ask for 99."""
_MOST_REPEATED = 4_000
"""Characters that a cell over several rows or columns comes to, all in all; it stands in two of them at least."""
_EDGES = lazy(r"=+")
_IN_WORD = lazy(r"\w\w")
_BAR = lazy(r"(?<!\\)\|")
_ROW_MARK = lazy(r"[ \t]*[*-][ \t]+[*-](?:[ \t]+|\Z)")
_CELL_MARK = lazy(r"[ \t]*[*-](?:[ \t]+|\Z)")
_OPTION = lazy(r":[\w-]{1,40}:")
_COLUMNS = lazy(r"\[[^\]\n]{0,200}\bcols=(?:\"([^\"\n]{1,200})\"|([^,\]\n]{1,40}))")
_TIMES = lazy(r"\s*(\d{1,2})\*")
_SPEC = lazy(r"(?:(\d{1,2})?(?:\.(\d{1,2}))?\+|(\d{1,2})\*)?[<^>]?(?:\.[<^>])?[adehlmsv]?\Z")
"""What stands before a bar: columns, rows, repetitions, how it is set: ``2+^``, ``.3+``, ``3*``, ``a``."""
_JIRA = lazy(r"\\.|\[[^\[\]\n]{1,500}\]|\{\{[^{}\n]{1,500}\}\}|(\|{1,2})")


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
            columns[column] += _over(_joined(held[column]), len(places) - len(columns[column]))
            held[column] = []
    if any(map(_joined, held)):  # without a line below
        places.append((begun, max(len(lines), begun + 1)))
    for column, pieces in enumerate(held):
        columns[column] += _over(_joined(pieces), len(places) - len(columns[column]))
    rows = (TableRow(*place, cells) for place, cells in zip(places, zip(*columns, strict=True), strict=True))
    return [row for row in rows if any(row.cells)]


def _over(text: str, rows: int) -> list[str]:
    """What a cell over some rows says in each of them; a long one in the first ones only."""
    times = _useful(text, rows)
    return [text] * times + [""] * (rows - times)


def _useful(text: str, times: int) -> int:
    return min(times, max(2, _MOST_REPEATED // (len(text) + 1)))


def _between(line: str, edges: Sequence[int]) -> list[str]:
    """What stands between the edges, in the first of the columns that a cell reaches over: by the bars where there are as many, else by where they are on a screen."""
    bars = [found.start() for found in _BAR.finditer(line[:_LONGEST])]
    places = bars if len(bars) == len(edges) else _places(line, edges)
    found: list[str] = []
    begin, over = 0 if line[: places[0]].strip() else places[0] + 1, 0
    for place in places[1:-1]:
        over += 1
        if line[place : place + 1] in {"|", "+", ""}:
            found += [line[begin:place], *[""] * (over - 1)]
            begin, over = place + 1, 0
    end = places[-1] if line[places[-1] : places[-1] + 1] in {"|", "+"} else len(line)
    beyond = line[end + 1 :].strip()
    return [*found, f"{line[begin:end]} {beyond}" if beyond else line[begin:end], *[""] * over]


def _closed(pieces: Iterable[str]) -> list[bool]:
    """Of each column whether a line ends its cell; one that a cell reaches over is as the first of them."""
    found = [False]
    for piece in pieces:
        found.append(not piece.strip("-=") if piece else found[-1])
    return found[1:]


def ruled(lines: Sequence[str]) -> list[TableRow]:
    """The rows of a table below and between lines of ``=``; a line without a first cell goes on with the row above."""
    edges = [found.start() for found in _EDGES.finditer(lines[0])][:_MOST_COLUMNS]
    width = len(edges)
    rows: list[tuple[int, int, list[list[str]]]] = []
    for at, line in enumerate(lines):
        if not line.strip() or not line.strip(" \t=-"):
            continue
        pieces = _apart(line, _places(line, edges))
        if rows and not pieces[0].strip() and width > 1:
            rows[-1][2].append(pieces)
            rows[-1] = (rows[-1][0], at + 1, rows[-1][2])
        else:
            rows.append((at, at + 1, [pieces]))
    return [
        TableRow(first, stop, _padded([_joined(column) for column in zip_longest(*held, fillvalue="")], width))
        for first, stop, held in rows
    ]


def _apart(line: str, places: Sequence[int]) -> list[str]:
    """A line from each place to the next, as far as it goes; no word is cut in two."""
    found: list[str] = []
    begin = over = 0
    for place in places[1:]:
        if place >= len(line):
            break
        over += 1
        if not _IN_WORD.match(line, place - 1):
            found += [line[begin:place], *[""] * (over - 1)]
            begin, over = place, 0
    return [*found, line[begin:]]


def _padded(cells: Sequence[str], width: int) -> tuple[str, ...]:
    return (*cells, *[""] * (width - len(cells)))


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
        elif line.strip() and not _OPTION.match(line):
            rows.append((at, at + 1, [[line]]))
    return [TableRow(first, stop, tuple(map(_joined, cells))) for first, stop, cells in rows]


def separated(lines: Sequence[str], mark: str = ",") -> list[TableRow]:
    """The rows of a table of values with a mark between them; a value in quotation marks may have several lines."""
    mark = "," if mark in {'"', "\r", "\n"} else mark
    texts = (f"{line}\n" for line in lines)
    reader = csv.reader(texts, delimiter=mark, skipinitialspace=not mark.isspace(), strict=False)
    rows: list[TableRow] = []
    begun = 0
    try:
        for values in reader:
            if any(value.strip() for value in values):
                rows.append(TableRow(begun, reader.line_num, _values(values, mark)))
            begun = reader.line_num
    except csv.Error:  # a value that is too long
        rows += (replace(row, first=row.first + begun, stop=row.stop + begun) for row in divided(lines[begun:], mark))
    return rows


def divided(lines: Sequence[str], mark: str) -> list[TableRow]:
    """The rows of a table of a line each, with a mark between values that a backslash makes part of one."""
    between = re.compile(rf"(?<!\\){re.escape(mark)}")
    return [
        TableRow(at, at + 1, _values([one.replace(f"\\{mark}", mark) for one in between.split(line)], mark))
        for at, line in enumerate(lines)
        if line.strip()
    ]


def _values(values: Sequence[str], mark: str) -> tuple[str, ...]:
    """The values; what follows the last column is part of it."""
    last = _MOST_COLUMNS - 1
    return tuple(one.strip() for one in (*values[:last], *filter(None, (mark.join(values[last:]),))))


def barred(lines: Sequence[str], columns: int, mark: str = "|", most: int = 1_000) -> list[TableRow]:
    """The rows of a table of AsciiDoc: ``mark`` begins a cell, before it may stand over how many columns and rows.

    It has some columns, or with 0 as many as its first line with cells. After ``most`` cells each stands for itself alone.
    """
    cells = list(_barred_cells(lines, re.compile(rf"(?<!\\){re.escape(mark)}")))
    first = next((cell.first for cell in cells), 0)
    width = columns or min(sum(cell.columns * cell.times for cell in cells if cell.first == first), _MOST_COLUMNS)
    rows: list[TableRow] = []
    reaching: dict[int, tuple[str, int]] = {}
    held: list[str] = []
    begun = first
    for cell in cells:
        text = _joined(cell.text).replace(f"\\{mark}", mark)
        for _ in range(_useful(text, cell.times) if most > 0 else 1):
            if most <= 0:
                reaching.clear()
            begun = begun if held else cell.first
            _reach(held, reaching, width)
            over, below = min(cell.columns, width - len(held)), _useful(text, cell.rows)
            over, below = (over, below) if most > 0 else (1, 1)
            for at in range(len(held), len(held) + over):
                reaching[at] = (text if at == len(held) else "", below - 1)
            held += [text, *[""] * (over - 1)]
            _reach(held, reaching, width)
            if len(held) >= width:
                rows.append(TableRow(begun, cell.first + cell.lines, tuple(held)))
                most -= width
                held = []
    if any(held):
        rows.append(TableRow(begun, len(lines), tuple(held)))
    return rows


def _reach(held: list[str], reaching: dict[int, tuple[str, int]], width: int) -> None:
    """Add to a row the cells that reach into it from above, up to the first column without one; rows of nothing else are passed over."""
    if not held and len(reaching) >= width and (rows := min(rows for _, rows in reaching.values())) > 0:
        reaching.update({at: (text, left - rows) for at, (text, left) in reaching.items()})
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
        last += line[_LONGEST:]
        for piece in before:
            words, blank, tail = piece.rpartition(" ")
            spec = _SPEC.match(tail)
            words = words + blank if spec else piece
            if held is None and words.strip():  # the first cell may have no mark
                held = _BarredCell(at, [], 1, 1, 1)
            if held is not None:
                held.text.append(words)
                yield held
            columns, over, times = (int(count or 1) for count in (spec.groups() if spec else (None,) * 3))
            held = _BarredCell(at, [], max(columns, 1), max(over, 1), max(min(times, _MOST_TIMES), 1))
        if held is None and last.strip():
            held = _BarredCell(at, [], 1, 1, 1)
        if held is not None:
            held.text.append(last)
    if held is not None:
        yield held


def columns_of(above: str) -> int:
    """How many columns ``[cols="1,2*"]`` says that a table has; 0 where it says nothing."""
    found = _COLUMNS.search(above)
    if found and (found[1] or found[2]).strip().isdecimal():  # ``cols=3`` are three
        return min(int((found[1] or found[2]).strip()), _MOST_COLUMNS)
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
