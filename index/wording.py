"""How far the words of a text agree with those of many incidents at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from index.compare import SHARPNESS
from index.frequencies import Frequencies
from index.hashing import Hashes, among, hash_all, token_hash
from index.ragged import MARKED
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
_FOCUS, _TITLE = (np.uint8(1 << bit) for bit, _ in enumerate(MARKED))
_SPOKEN = 8
"""Words that are named as evidence."""

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Worded:
    """What the words of several incidents agree in; arrays, one number a row."""

    words: Numbers
    focus: Numbers
    title: Numbers
    depth: Numbers
    meaning: Numbers
    shares: Numbers
    """Rows by words of the query: 1 where the row has the word, less where it has the concept alone."""


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
        self, columns: Mapping[str, Column], rows: npt.NDArray[np.int64], counted: Frequencies, cosines: Numbers
    ) -> Worded:
        """What each row agrees in, in order; ``cosines`` are those of its vector."""
        terms, marks = _Rows.of(columns["terms"], rows), np.concatenate(columns["marks"].each(rows))
        found = among(self._names[0], terms.names)
        shares = self._shares(terms.matrix(found, self._names[0]))
        length = np.maximum(terms.sizes / _USUAL_TERMS, 1.0)
        told = (shares @ self.weights) / (1.0 + _LENGTH * np.log(length))
        is_focus = marks[found[0]] & _FOCUS != 0
        focus = self._shares(terms.matrix((found[0][is_focus], found[1][is_focus]), self._names[0])) @ self.weights
        abroad = self._abroad(_Rows.of(columns["facets"], rows))
        more = np.where(abroad, _ABROAD, 1.0) / (float(self.weights.sum()) + _WORD_PRIOR)
        return Worded(
            words=more * told,
            focus=more * focus,
            title=self._titles(terms, np.flatnonzero(marks & _TITLE), counted),
            depth=np.log1p(told),
            meaning=np.clip(np.where(abroad, _ABROAD_MEANING, 1.0) * cosines, 0.0, 1.0),
            shares=shares,
        )

    def spoken(self, shares: Numbers) -> tuple[str, ...]:
        """The words of the query that an incident has (a row of `Worded.shares`), the most telling first."""
        order = np.argsort(-self.weights * shares, kind="stable")[:_SPOKEN]
        return tuple(self.reading.units[at][0] for at in order.tolist() if shares[at])

    @cached_property
    def _names(self) -> tuple[Hashes, npt.NDArray[np.intp]]:
        """Words and their concepts, ascending, each once; where words stand among them, and after these concepts."""
        names, places = np.unique(np.concatenate([self.words, self.concepts]), return_inverse=True)
        return names, places

    def _shares(self, has_name: npt.NDArray[np.bool_]) -> Numbers:
        """Rows by words: 1 where the row has the word, less where it has the concept alone."""
        has = has_name[:, self._names[1]]
        known, by_concept = has[:, : len(self.words)], has[:, len(self.words) :]
        shares: Numbers = known + _CONCEPT_SHARE * (by_concept & ~known)
        return shares

    def _abroad(self, facets: "_Rows") -> npt.NDArray[np.bool_]:
        """Which rows are in the other language."""
        other = _OTHER.get(self.reading.lang)
        if other is None:
            return np.zeros(facets.count, np.bool_)
        name = np.array([other])
        return facets.matrix(among(name, facets.names), name)[:, 0]

    def _titles(self, held: "_Rows", at: npt.NDArray[np.intp], counted: Frequencies) -> Numbers:
        """``at``: where the words of titles stand."""
        names, places = np.unique(held.names[at], return_inverse=True)
        weights, owners = word_weights(names, counted)[places], held.owners(at)
        ours, _ = among(self.terms, held.names[at])
        shared = np.bincount(owners[ours], weights[ours], held.count)
        found: Numbers = shared / (np.bincount(owners, weights, held.count) + _WORD_PRIOR)
        return found


@dataclass(frozen=True, slots=True)
class _Rows:
    """The names that some rows hold, one after the other, and how many each holds."""

    names: Hashes
    sizes: npt.NDArray[np.int64]

    @classmethod
    def of(cls, column: Column, rows: npt.NDArray[np.int64]) -> "_Rows":
        held = column.each(rows)
        return cls(np.concatenate([np.zeros(0, np.uint64), *held]), np.array([len(names) for names in held]))

    @property
    def count(self) -> int:
        """How many rows."""
        return len(self.sizes)

    def owners(self, at: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
        """Whose the names at some places are."""
        return np.cumsum(self.sizes).searchsorted(at, side="right")

    def matrix(self, found: tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]], names: Hashes) -> npt.NDArray[np.bool_]:
        """Rows by names: which row has which, by where they were found and which ones (`among`); none has 0, no name."""
        has = np.zeros((self.count, len(names)), dtype=np.bool_)
        has[self.owners(found[0]), found[1]] = True
        has[:, names == 0] = False
        return has


def titled(columns: Mapping[str, Column], row: int) -> Hashes:
    """The words of a row's title."""
    names: Hashes = columns["terms"][row][columns["marks"][row] & _TITLE != 0]
    return names


def word_weights(names: Hashes, counted: Frequencies) -> Numbers:
    """What each word tells: rarity sharpened; words that nobody knows tell less than rare known ones."""
    rarity = counted.rarity(names)
    weights: Numbers = np.where(rarity >= 1.0, _NOVEL, rarity) ** SHARPNESS
    return weights


def unit_names(units: Sequence[tuple[str, str | None]]) -> tuple[Hashes, Hashes]:
    """The token names of words and of their concepts (0 for none)."""
    words = hash_all(word for word, _ in units)
    return words, np.array([token_hash(concept) if concept else 0 for _, concept in units], dtype=np.uint64)
