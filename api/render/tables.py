"""Two sides as rows on a terminal: next to each other where there is room, else one below the other."""

from collections.abc import Sequence

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from api.render.console import plain
from api.render.sides import AlignedRow

WIDE = 160
"""From this many columns on, two full names fit side by side."""

_STYLE = {"same": "green", "differs": "", "one": "dim"}
_SIGN = {"same": "=", "differs": "≠", "one": ""}


def rows_table(rows: Sequence[AlignedRow], console: Console, ours: str, theirs: str) -> Table:
    """The rows in the form that fits the console; the headings name the two sides."""
    return _next_to(rows, ours, theirs) if console.width >= WIDE else _below(rows)


def legend(console: Console, ours: str, theirs: str) -> str:
    """What the signs of `rows_table` mean; empty where it has headings."""
    return "" if console.width >= WIDE else f" (= both, < {ours}, > {theirs})"


def _next_to(rows: Sequence[AlignedRow], ours: str, theirs: str) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, expand=True)
    table.add_column(ours, ratio=1, overflow="fold")
    table.add_column("", width=1)
    table.add_column(theirs, ratio=1, overflow="fold")
    for row in rows:
        table.add_row(
            Text(plain(row.ours or "–")), _SIGN[row.agreement], Text(plain(row.theirs or "–")), style=_style(row)
        )
    return table


def _below(rows: Sequence[AlignedRow]) -> Table:
    """A shared line once, after ``=``; what only one side has after ``<`` or ``>``."""
    table = Table.grid(padding=(0, 1))
    for row in rows:
        same = row.agreement == "same"
        for sign, name in (("=" if same else "<", row.ours), (">", None if same else row.theirs)):
            if name is not None:
                table.add_row(f"  {sign}", Text(plain(name), overflow="fold"), style=_style(row))
    return table


def _style(row: AlignedRow) -> str:
    return f"bold {_STYLE[row.agreement]}" if row.is_exception else _STYLE[row.agreement]
