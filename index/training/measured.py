"""The engine with what training and measuring look at: candidates with their features, probabilities, the state before a row."""

from collections.abc import Iterable, Sequence
from copy import copy
from itertools import permutations
from typing import Self

from index.engine import Engine
from index.holdings import Holdings
from index.ranking.features import ComparedIncident
from index.ranking.pairs import IncidentPairs
from index.ranking.rank import is_listed
from index.ranking.sightings import SightingIndex
from index.reading import Reading
from index.terms.facets import Narrowing, narrow
from index.terms.frequencies import Frequencies
from index.terms.hashing import Hashes
from kb.trace import ExceptionChain


class MeasuredEngine(Engine):
    """Opens and searches as any engine."""

    def compare(self, reading: Reading, narrowing: Narrowing | None = None) -> list[ComparedIncident]:
        """Return every candidate with its features, in the order of rows."""
        return self._compare(reading, narrowing)

    def judged(self, reading: Reading, narrowing: Narrowing | None = None) -> list[tuple[float, ComparedIncident]]:
        """Return all candidates with their probabilities, best first; of one probability by log-odds, then in the order of ids."""
        return self._judged(reading, self._compare(reading, narrowing))

    def ranked(self, reading: Reading, narrowing: Narrowing | None = None) -> list[tuple[float, ComparedIncident]]:
        """Return those of `judged` that are listed."""
        return [one for one in self.judged(reading, narrowing) if is_listed(reading, one[1], one[0], self.model)]

    def best(self, reading: Reading, without: Iterable[str] = ()) -> tuple[float, ComparedIncident] | None:
        """Return the first match of a search with its probability there, as if the incidents ``without`` were not known."""
        rows = {self._holdings.row_of(one) for one in without}
        groups = self._judge(reading, narrow(None, reading.lang), 1, rows).groups
        return groups[0][0] if groups else None

    def same_problems(self, found: Sequence[ComparedIncident]) -> list[tuple[int, int]]:
        """Return the pairs (of a first match and another one) of which the other is no rival of the first, by their places in ``found``."""
        causes = {one.row: self._holdings.shown(one.row).root_cause or "" for one in found}
        pairs = permutations(range(len(found)), 2)
        compared = IncidentPairs(self._holdings.features, self._causes.between(causes.__getitem__))
        return [(one, other) for one, other in pairs if not compared.is_rival(found[one], found[other])]

    def id_of(self, row: int) -> str:
        """Return the id of the incident at a row."""
        return self._holdings.id_of(row)

    def words_and_chains(self, row: int) -> tuple[Hashes, tuple[ExceptionChain, ...]]:
        """Return the names of the words of a row, ascending, and its normalised chains."""
        return self._holdings.terms(row), self._holdings.chains(row)

    def before(self, row: int, words: Frequencies, frames: Frequencies) -> Self:
        """Return the engine as it was before the rows from ``row`` on, with rarity by the counts given.

        It shares the files; only the first is closed.
        """
        then = copy(self)
        then._holdings = Holdings.of(self._snapshot.before(row, words, frames))  # noqa: SLF001 - our copy
        then._sightings = SightingIndex()  # noqa: SLF001 - nobody had voted yet
        return then
