"""How far the words of a text agree with those of many incidents at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from index.compare import SHARPNESS
from index.frequencies import Frequencies
from index.hashing import Hashes, hash_all, token_hash
from index.reading import Reading
from index.segment import Column

_CONCEPT_SHARE = 0.8
"""A word whose concept the incident has in other words says this much of what the word itself would."""
_NOVEL = 0.5
"""The rarity of a word that neither the snapshot nor the background knows: a name or a number of somebody's own."""
_WORD_PRIOR = 1.0
_OTHER = {lang: np.uint64(token_hash(f"lang={other}")) for lang, other in (("zh", "en"), ("en", "zh"))}
_ABROAD = 1.35
"""An incident in the other language can have few of the query's words: those it has count so much more."""
_ABROAD_MEANING = 1.1
"""Cosines across languages are lower than within one, by about as much."""
_USUAL_TERMS = 300
_LENGTH = 0.5
"""A write-up of more terms than usual has some of everybody's words: what it shares is divided by 1 + _LENGTH · ln(terms / usual)."""
_SPOKEN = 8
"""Words that are named as evidence."""

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Worded:
    """What the words of one incident agree in."""

    words: float
    focus: float
    title: float
    depth: float
    meaning: float
    spoken: tuple[str, ...]
    """The words of the query that the incident has, the most telling first."""


@dataclass(frozen=True)
class Wording:
    """The words of a query, and what each tells."""

    reading: Reading
    words: Hashes
    concepts: Hashes
    """Of each word its concept; 0 for none."""
    weights: Numbers

    @classmethod
    def of(cls, reading: Reading, counted: Frequencies) -> "Wording":
        """The words of a reading."""
        words, concepts = unit_names(reading.units)
        return cls(reading, words, concepts, word_weights(words, counted))

    @cached_property
    def terms(self) -> Hashes:
        """The query's terms, ascending."""
        return np.sort(hash_all(self.reading.terms))

    def agreeing(
        self, columns: Mapping[str, Column], rows: Sequence[int], counted: Frequencies, cosines: Numbers
    ) -> list[Worded]:
        """What each row agrees in, in order; ``cosines`` are those of its vector."""
        terms, facets = _Rows.of(columns["terms"], rows), _Rows.of(columns["facets"], rows)
        shares = self._shares(terms)
        length = np.maximum(np.bincount(terms.owners, minlength=len(rows)) / _USUAL_TERMS, 1.0)
        told = (shares @ self.weights) / (1.0 + _LENGTH * np.log(length))
        focus = self._shares(_Rows.of(columns["focus"], rows)) @ self.weights
        other = _OTHER.get(self.reading.lang)
        abroad = np.zeros(len(rows), dtype=np.bool_) if other is None else facets.having(other)
        more = np.where(abroad, _ABROAD, 1.0) / (float(self.weights.sum()) + _WORD_PRIOR)
        meaning = np.clip(np.where(abroad, _ABROAD_MEANING, 1.0) * cosines, 0.0, 1.0)
        title = self._titles(_Rows.of(columns["title"], rows), counted)
        numbers = (column.tolist() for column in (more * told, more * focus, title, np.log1p(told), meaning))
        return [Worded(*each) for each in zip(*numbers, self._spoken(shares), strict=True)]

    def _shares(self, held: "_Rows") -> Numbers:
        """Rows by words: 1 where the row has the word, less where it has the concept alone."""
        names, places = np.unique(np.concatenate([self.words, self.concepts]), return_inverse=True)
        has = held.matrix(names)[:, places]
        known, by_concept = has[:, : len(self.words)], has[:, len(self.words) :]
        shares: Numbers = known + _CONCEPT_SHARE * (by_concept & ~known)
        return shares

    def _titles(self, held: "_Rows", counted: Frequencies) -> Numbers:
        names, places = np.unique(held.names, return_inverse=True)
        weights = word_weights(names, counted)[places]
        shared = np.bincount(held.owners, weights * _isin(held.names, self.terms), held.count)
        found: Numbers = shared / (np.bincount(held.owners, weights, held.count) + _WORD_PRIOR)
        return found

    def _spoken(self, shares: Numbers) -> list[tuple[str, ...]]:
        order = np.argsort(-self.weights * shares, axis=1, kind="stable")[:, :_SPOKEN]
        said = np.take_along_axis(shares, order, axis=1) > 0
        units = self.reading.units
        return [
            tuple(units[at][0] for at, has in zip(places, had, strict=True) if has)
            for places, had in zip(order.tolist(), said.tolist(), strict=True)
        ]


@dataclass(frozen=True, slots=True)
class _Rows:
    """The names that some rows hold, one after the other, and whose each is."""

    names: Hashes
    owners: npt.NDArray[np.intp]
    count: int

    @classmethod
    def of(cls, column: Column, rows: Sequence[int]) -> "_Rows":
        held = [column[row] for row in rows]
        owners = np.repeat(np.arange(len(rows)), [len(names) for names in held])
        return cls(np.concatenate([np.zeros(0, np.uint64), *held]), owners, len(rows))

    def matrix(self, names: Hashes) -> npt.NDArray[np.bool_]:
        """Rows by ascending names: which row has which; none has 0, no name."""
        has = np.zeros((self.count, len(names)), dtype=np.bool_)
        if len(names):
            at = np.minimum(names.searchsorted(self.names), len(names) - 1)
            hit = names[at] == self.names
            has[self.owners[hit], at[hit]] = True
            has[:, names == 0] = False
        return has

    def having(self, name: np.uint64) -> npt.NDArray[np.bool_]:
        """Which rows have the name."""
        has = np.zeros(self.count, dtype=np.bool_)
        has[self.owners[self.names == name]] = True
        return has


def word_weights(names: Hashes, counted: Frequencies) -> Numbers:
    """What each word tells: rarity sharpened; words that nobody knows tell less than rare known ones."""
    rarity = counted.rarity(names)
    weights: Numbers = np.where(rarity >= 1.0, _NOVEL, rarity) ** SHARPNESS
    return weights


def _isin(names: Hashes, ascending: Hashes) -> npt.NDArray[np.bool_]:
    """Which names are among the ascending ones."""
    if not len(ascending):
        return np.zeros(len(names), dtype=np.bool_)
    found: npt.NDArray[np.bool_] = ascending[np.minimum(ascending.searchsorted(names), len(ascending) - 1)] == names
    return found


def unit_names(units: Sequence[tuple[str, str | None]]) -> tuple[Hashes, Hashes]:
    """The token names of words and of their concepts (0 for none)."""
    words = hash_all(word for word, _ in units)
    return words, np.array([token_hash(concept) if concept else 0 for _, concept in units], dtype=np.uint64)
