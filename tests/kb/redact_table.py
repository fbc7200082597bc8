"""Read the tables of `tests/golden/redact` and `tests/security`: what must be hidden, and what must stay."""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "redact"

_FILLS = {
    "a": "q7Rk2ZwB9xLm4TvC1nYp8HsD",
    "A": "K7Q2ZB9XL4TVC1NYP8HS",
    "h": "3f9a7c1e5b8d2064",
    "d": "4829170365",
}
_FILL = re.compile(r"\{([aAhd])(\d{1,3})\}")
_MARK = re.compile("«([^»]*)»")


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table: its text, where what must go stands, and of what kind that is."""

    line: int
    kind: str
    text: str
    spans: tuple[tuple[int, int], ...]


def hidden() -> Iterator[Row]:
    """What must be hidden."""
    for line, entry in _lines(GOLDEN / "hidden.txt"):
        kind, _, marked = entry.partition(" | ")
        row = marked_row(line, kind, marked)
        assert row.spans, f"hidden.txt:{line} marks nothing"
        yield row


def kept() -> Iterator[Row]:
    """What must stay as it is."""
    for line, entry in _lines(GOLDEN / "kept.txt"):
        yield Row(line, "", _filled(entry), ())


def shapes(path: Path) -> Iterator[Row]:
    """The rows of a table with a tab between kind and text."""
    for line, entry in _lines(path):
        kind, _, marked = entry.partition("\t")
        yield marked_row(line, kind, marked)


def marked_row(line: int, kind: str, marked: str) -> Row:
    """A row out of a text in which «…» stands around what must go."""
    text, spans = "", []
    for at, piece in enumerate(_MARK.split(_filled(marked))):
        if at % 2:
            spans.append((len(text), len(text) + len(piece)))
        text += piece
    return Row(line, kind, text, tuple(spans))


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(path.read_text(encoding="utf-8").split("\n"), start=1):
        if line.strip() and not line.startswith(("# ", "## ")):
            yield number, line


def _filled(text: str) -> str:
    def fill(found: re.Match[str]) -> str:
        size, letters = int(found[2]), _FILLS[found[1]]
        return (letters * (size // len(letters) + 1))[:size]

    return _FILL.sub(fill, text).replace("⏎", "\n").replace("⇥", "\t")
