"""The words of redaction: what was taken away, and how a kind of secret is looked for."""

import re
from array import array
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import pairwise, starmap
from typing import NamedTuple, overload

from kb.patterns import lazy

PLACEHOLDER = "<secret>"
PEOPLE = {
    "email": "<email>",
    "phone": "<phone>",
    "identity_number": "<identity>",
    "bank_card": "<card>",
    "internal_host": "<hostname>",
}
"""What stands for that which tells of people and houses; all else becomes `PLACEHOLDER`."""
STANDING = "secret|email|phone|identity|card|hostname"
"""The names in angle brackets that may stand where something was taken away, as a pattern."""
LEFT = rf"<(?!(?:{STANDING})>)"
"""A bracket that is none of these."""
INSIDE = {
    '"': lazy(rf"""(?:[^"\\\r\n<]{{1,4000}}+|\\[^\r\n]|{LEFT}){{1,1000}}+"""),
    "'": lazy(rf"""(?:[^'\\\r\n<]{{1,4000}}+|\\[^\r\n]|{LEFT}){{1,1000}}+"""),
}
"""By quotation mark, a part of what stands between two of them, for `end_of_run`."""


NEEDED = 400
_MOST_ROWS = 1_000
"""Rows that are merged; hostile texts alone have more."""


class StoppedError(Exception):
    """Nobody waits for the text: it was not looked at to its end, so none of it is given out."""


IsOver = Callable[[], bool]
"""Whether nobody waits any more."""


def never() -> bool:
    """Somebody waits to the end."""
    return False


class Redaction(NamedTuple):
    """One secret that was taken away: its kind, and where it stood in the original text."""

    kind: str
    start: int
    end: int

    @property
    def placeholder(self) -> str:
        """What stands in its place."""
        return PEOPLE.get(self.kind, PLACEHOLDER)


class Redactions(Sequence[Redaction]):
    """Redactions in columns, 10 bytes each; a text has less than 4 billion characters.

    A hostile text has a million of them: as objects they take 130 bytes each, and the garbage collector walks through all of them
    while every thread waits.
    """

    __slots__ = ("_ends", "_kinds", "_names", "_numbers", "_starts")

    def __init__(self, found: Iterable[Redaction] = ()) -> None:
        self._names: list[str] = []
        self._numbers: dict[str, int] = {}
        self._kinds = array("H")
        self._starts, self._ends = array("I"), array("I")
        for one in found:
            self.append(one)

    def append(self, one: Redaction) -> None:
        """Put one behind the others."""
        if one.kind not in self._numbers:
            self._numbers[one.kind] = len(self._names)
            self._names.append(one.kind)
        self._kinds.append(self._numbers[one.kind])
        self._starts.append(one.start)
        self._ends.append(one.end)

    def in_order(self) -> "Redactions":
        """Return them by start, of one start the longest first.

        Each kind is looked for from the beginning on, so they are a few rows in order. A list to sort takes 80 bytes for each of them.
        """
        places = map(self._place, range(len(self)))
        bounds = [0, *(at for at, (one, two) in enumerate(pairwise(places), 1) if two < one), len(self)]
        if len(bounds) > _MOST_ROWS:
            return Redactions(map(self.__getitem__, sorted(range(len(self)), key=self._place)))
        return Redactions(map(self.__getitem__, merge(*starmap(range, pairwise(bounds)), key=self._place)))

    def _place(self, at: int) -> int:
        return (self._starts[at] << 64) - self._ends[at]

    @overload
    def __getitem__(self, at: int) -> Redaction: ...
    @overload
    def __getitem__(self, at: slice) -> "Redactions": ...
    def __getitem__(self, at: int | slice) -> "Redaction | Redactions":
        if isinstance(at, slice):
            return Redactions(map(self.__getitem__, range(*at.indices(len(self)))))
        return Redaction(self._names[self._kinds[at]], self._starts[at], self._ends[at])

    def __len__(self) -> int:
        return len(self._kinds)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sequence) and len(self) == len(other) and all(map(Redaction.__eq__, self, other))

    __hash__ = None  # type: ignore[assignment]  # more can be put behind

    def __repr__(self) -> str:
        return f"Redactions({list(self)})"


@dataclass(frozen=True, slots=True)
class Redacted:
    """A text without its secrets, and what was taken out, in text order."""

    text: str
    redactions: Sequence[Redaction] = ()


@dataclass(frozen=True, slots=True)
class SecretKind:
    """A kind of secret: its pattern is tried only where an anchor stands; its group ``secret`` is what is taken away."""

    name: str
    anchors: tuple[str, ...]
    """Lower-case literals; none where the pattern is searched for wherever `present` says that it can match."""
    pattern: re.Pattern[str]
    accepts: Callable[[re.Match[str]], bool] | None = None
    begins: Callable[[re.Match[str]], int] | None = None
    """Where the secret begins if that is before the anchor; -1 where there is none."""
    ends: Callable[[re.Match[str]], int] | None = None
    """Where an accepted secret ends if it goes on beyond the bound of its pattern: ``{1,256}+`` of a value of any length. Mostly `end_of`
    of the characters that a value has; without it the end of a long one stays readable."""
    spans: Callable[[re.Match[str]], Iterable[tuple[int, int]]] | None = None
    """Where the secrets stand, in text order, if an accepted match may announce several."""
    follows: str = ""
    """Characters one of which follows the name of a secret, for a kind whose pattern begins with such a name: a blank and a tab, say. The pattern
    is tried nowhere else, which saves time. '' where anything may follow."""
    unless: frozenset[str] = frozenset()
    """Beside ``follows``, pairs of characters behind the name that are left to another kind: a label leaves ``=x`` to settings."""
    needs: str = ""
    """What stands within `NEEDED` characters from the anchor on wherever the pattern matches: to look for it is ten times as quick."""
    present: str = ""
    """RE2 for texts in which the pattern can match, for a kind without anchors."""


def end_of(rest: re.Pattern[str], match: re.Match[str]) -> int:
    """Where the run of ``rest`` ends that begins where a secret ended. A pattern matches a part of it at a time, so that memory is bounded."""
    return end_of_run(rest, match.string, match.end("secret"))


def end_of_run(part: re.Pattern[str], text: str, at: int) -> int:
    """Where a run of parts ends. `re` keeps some 115 bytes for each round of a group, so that one match of a whole run takes a hundred times its size."""
    while (found := part.match(text, at)) and found.end() > at:
        at = found.end()
    return at
