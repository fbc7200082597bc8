"""Measure redaction on `secrets.tsv` and `harmless.tsv`: recall and changed lines, by half and by kind.

``python -m tests.security.secrets_table`` prints the figures, with ``--missed`` the rows that fail in the teaching half.
Odd rows teach: rules may be written after them. Even rows measure.
"""

import sys
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from kb.redact import Redacted, redact
from tests.kb.redact_table import Row, shapes

_HERE = Path(__file__).parent
SECRETS = tuple(shapes(_HERE / "secrets.tsv"))
HARMLESS = tuple(shapes(_HERE / "harmless.tsv"))
_LATER = (
    "plain_1",
    "plain_2",
    "pages_1",
    "rules_1",
    "pages_2",
    "fresh_1",
    "fresh_2",
    "pasted_1",
    "pasted_2",
    "pasted_3",
    "oncall_1",
    "oncall_2",
    "abroad_1",
    "abroad_2",
)
DOCUMENTED = {
    name: tuple(shapes(_HERE / f"{name}.tsv"))
    for name in (
        "documented",
        "untried",
        "kept_back",
        "mixed_1",
        "mixed_2",
        "mixed_3",
        "wild_1",
        "wild_2",
        "tools_1",
        "tools_2",
        "tools_3",
        *_LATER,
    )
}
"""Shapes after the documentation of tools, and of all kinds, in the order in which they were tried."""
STAYING = {
    name: tuple(shapes(_HERE / f"{name}_harmless.tsv"))
    for name in (
        "documented",
        "untried",
        "mixed_1",
        "mixed_2",
        "mixed_3",
        "wild_1",
        "wild_2",
        "tools_1",
        "tools_2",
        "tools_3",
        *_LATER,
    )
}
RARE = "rare"
"""Kind of the rows that nobody promises."""


@dataclass(frozen=True, slots=True)
class Share:
    """How many rows of how many."""

    count: int
    total: int

    def __str__(self) -> str:
        return f"{self.count}/{self.total} = {self.count / max(self.total, 1):.1%}"


def halves(rows: Sequence[Row]) -> dict[str, tuple[Row, ...]]:
    """The teaching and the measuring half: every second row."""
    return {"teaching": tuple(rows[::2]), "measuring": tuple(rows[1::2])}


def is_caught(row: Row, hide: Callable[[str], Redacted] = redact) -> bool:
    """Whether every marked character is taken away."""
    taken = {at for one in hide(row.text).redactions for at in range(one.start, one.end)}
    return all(taken.issuperset(range(start, end)) for start, end in row.spans)


def is_changed(row: Row, hide: Callable[[str], Redacted] = redact) -> bool:
    """Whether anything is taken away."""
    return bool(hide(row.text).redactions)


def share(rows: Sequence[Row], counts: Callable[[Row], bool]) -> Share:
    """How many of the rows count."""
    return Share(sum(map(counts, rows)), len(rows))


def main() -> None:
    """Print the figures."""
    for name, rows in halves(SECRETS).items():
        ordinary = [row for row in rows if row.kind != RARE]
        print(f"{name}: caught {share(ordinary, is_caught)} of the ordinary ones")
        for kind in Counter(row.kind for row in rows):
            print(f"  {kind}: {share([row for row in rows if row.kind == kind], is_caught)}")
    for name, rows in halves(HARMLESS).items():
        print(f"{name}: changed {share(rows, is_changed)} of the harmless ones")
    for name, rows in DOCUMENTED.items():
        print(f"{name}: caught {share(rows, is_caught)}")
    for name, rows in STAYING.items():
        print(f"beside {name}: changed {share(rows, is_changed)} of the harmless ones")
    if "--missed" in sys.argv:
        _print_missed()


def _print_missed() -> None:
    for row in halves(SECRETS)["teaching"]:
        if not is_caught(row):
            print(row.line, row.kind, repr(row.text), "->", repr(redact(row.text).text), sep="\t")
    for row in halves(HARMLESS)["teaching"]:
        if is_changed(row):
            print(row.line, row.kind, repr(row.text), "->", repr(redact(row.text).text), sep="\t")


if __name__ == "__main__":
    main()
