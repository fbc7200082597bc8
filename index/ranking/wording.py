"""How far the words of a text agree with those of many incidents at once."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from index.ranking.compare import SHARPNESS
from index.reading import Reading
from index.storage.segment import Column
from index.terms.frequencies import Frequencies
from index.terms.hashing import Hashes, among, distinct, hash_all, token_hash
from index.terms.ragged import MARKED

_CONCEPT_SHARE = 0.8
"""A word whose concept the incident has in other words says this much of what the word itself would."""
_NOVEL = 0.5
"""The rarity of a word that neither the snapshot nor the background knows: a name or a number of somebody's own."""
_WORD_PRIOR = 1.0
"""Words that tell so much together give half of what they can even where the incident has them all: one common word is no agreement. Since 2026-11-21; not measured."""
REASON = 0.5
"""Words of a stated cause that tell so much together count in full: one rare word, or some. Chosen among .5 to 1.5 on part train of the real pairs (2026-11-30)."""
_UNSTATED = 0.25
"""Where no cause is stated, all words of a write-up count as its cause's, but so much: then it has on average what those have that state one (.17 to .27; 2026-11-30)."""
MESSAGE_PRIOR = 0.4
"""The same of a message, as in `index.ranking.compare`. Since 2026-11-24; not measured."""
_BM25_K1, _BM25_B = 1.2, 0.3
"""Usual k1; length counts less than usual (b = 0.75), since a long write-up of one problem is no diluted one."""
_LANGS = {lang: np.uint64(token_hash(f"lang={lang}")) for lang in ("zh", "en")}
_ABROAD = 1.35
"""An incident in the other language can have few of the query's words: those it has count so much more."""
_ABROAD_MEANING = 1.1
"""Cosines across languages are lower than within one, by about as much."""
_USUAL_TERMS = 300
"""Terms up to which a write-up counts as no longer than usual, and the usual length of BM25. Since 2026-11-21; not measured."""
_LENGTH = 0.5
"""A write-up of more terms than usual has some of everybody's words: what it shares is divided by 1 + _LENGTH · ln(terms / usual)."""
_TITLE, _CAUSE, _OTHER_TITLE, _OTHER_CAUSE, _FOREIGN = (np.uint8(1 << bit) for bit, _ in enumerate(MARKED))
_PLACES = (_TITLE, _CAUSE, _OTHER_TITLE, _OTHER_CAUSE)
_STATED = _TITLE | _CAUSE | _OTHER_TITLE | _OTHER_CAUSE
_SPOKEN = 8
"""Words that are named as evidence."""

Numbers = npt.NDArray[np.float64]
Places = npt.NDArray[np.intp]
Found = tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]
"""Where names were found, and which (`index.terms.hashing.among`)."""


@dataclass(frozen=True, slots=True)
class Worded:
    """What the words of several incidents agree in; arrays, one number a row."""

    words: Numbers
    title: Numbers
    meaning: Numbers
    bm25: Numbers
    """ln(1 + BM25) over all words of the text, each counted once; the idf is the rarity of words (0 … 1)."""
    phrases: Numbers
    """ln(1 + pairs of neighbouring words of the title that the text has)."""
    cause: Numbers
    """The share of the weight of the stated cause's words that the text has."""
    reason: Numbers
    """What these words tell beside an error, up to `REASON`, as a share of it: of a long cause a few telling words are little, and decide all the same.

    0 for a text without an error: of a whole question some word stands in many a cause.
    """
    quoted: Numbers
    """The share of the weight of a message's words that the row has; of several messages the greatest."""
    complete: Numbers
    """That share times one minus the weight of the rarest word that the row lacks: *virtual* memory is not *physical* memory."""
    shares: Numbers
    """Rows by words of the query: 1 where the row has the word, less where it has the concept alone."""


@dataclass(frozen=True, slots=True)
class SharedWord:
    """A word of the query (a unit of `index.terms.tokens`) that an incident has."""

    word: str
    concept: str | None
    has_word: bool
    """Otherwise the incident has the concept alone, in other words."""


@dataclass(frozen=True)
class Wording:
    """The words of a query and how rare each is, looked up once."""

    reading: Reading
    names: Hashes
    """Words, concepts, terms and the words of messages, ascending, each once; 0 for no concept."""
    rarity: Numbers
    """Of each name."""
    words: Places
    """Of each word of the reading its place among the names."""
    concepts: Places
    """And of its concept."""
    messages: Sequence[Places]
    """Of each message the places of its words."""
    is_term: npt.NDArray[np.bool_]
    """Of each name whether it is one of the reading's terms."""

    @classmethod
    def of(cls, reading: Reading, counted: Frequencies) -> "Wording":
        """The words of a reading."""
        words = hash_all(word for word, _ in reading.units)
        concepts = np.array([token_hash(concept) if concept else 0 for _, concept in reading.units], dtype=np.uint64)
        terms = hash_all(reading.terms)
        spoken = {e.message for trace in reading.traces for e in trace.sketch if e.message}
        messages = [np.array(message, dtype=np.uint64) for message in spoken]
        names = distinct(np.concatenate([words, concepts, terms, *messages]))
        place, is_term = names.searchsorted, np.zeros(len(names), np.bool_)
        is_term[place(terms)] = True
        return cls(
            reading, names, counted.rarity(names), place(words), place(concepts), [*map(place, messages)], is_term
        )

    @cached_property
    def weights(self) -> Numbers:
        """The weight of each word of the reading."""
        return _sharpened(self.rarity[self.words])

    def rarity_of(self, names: Hashes) -> Numbers:
        """How rare some of the names are."""
        return self.rarity[self.names.searchsorted(names)]

    def agreeing(
        self,
        columns: Mapping[str, Column],
        rows: npt.NDArray[np.int64],
        cosines: Numbers,
        totals: "StatedTotals",
    ) -> Worded:
        """What each row agrees in, in order; ``cosines`` are those of its vector, ``totals`` those of the same columns and counts."""
        terms, marks = _Rows.of(columns["terms"], rows), columns["marks"].each(rows)[0]
        found = among(self.names, terms.names)
        has = terms.matrix(found, self.names)
        shares = self._shares(has)
        sizes = terms.sizes - np.bincount(terms.owners(np.flatnonzero(marks & _FOREIGN)), minlength=terms.count)
        length = np.maximum(sizes / _USUAL_TERMS, 1.0)  # a translation makes a write-up no longer
        numbers = (shares @ self.weights) / (1.0 + _LENGTH * np.log(length))
        of_terms = np.flatnonzero(self.is_term[found[1]])
        found = found[0][of_terms], found[1][of_terms]
        stated = totals.of(rows, terms, marks)
        quoted, complete = self._quoted(has)
        title, cause, reason = self._contained(terms, marks, found, _sharpened(self.rarity), stated)
        abroad = self._abroad(_Rows.of(columns["facets"], rows))
        more = np.where(abroad, _ABROAD, 1.0) / (float(self.weights.sum()) + _WORD_PRIOR)
        return Worded(
            words=more * numbers,
            title=title,
            meaning=np.clip(np.where(abroad, _ABROAD_MEANING, 1.0) * cosines, 0.0, 1.0),
            bm25=self._bm25(terms, sizes, found),
            phrases=np.log1p(self._phrases(_Rows.of(columns["phrases"], rows))),
            cause=cause,
            reason=reason,
            quoted=quoted,
            complete=complete,
            shares=shares,
        )

    def shared_words(self, shares: Numbers) -> tuple[SharedWord, ...]:
        """The words of the query that an incident has (a row of `Worded.shares`), the most telling first."""
        order = np.argsort(-self.weights * shares, kind="stable")[:_SPOKEN]
        named = [(self.reading.units[at], bool(shares[at] == 1.0)) for at in order.tolist() if shares[at]]
        return tuple(SharedWord(word, concept, has_word) for (word, concept), has_word in named)

    def _shares(self, has: npt.NDArray[np.bool_]) -> Numbers:
        """Rows by words: 1 where the row has the word, less where it has the concept alone; ``has`` is rows by names."""
        known, by_concept = has[:, self.words], has[:, self.concepts]
        shares: Numbers = known + _CONCEPT_SHARE * (by_concept & ~known)
        return shares

    def _abroad(self, facets: "_Rows") -> npt.NDArray[np.bool_]:
        """Which rows are in the other language alone."""
        is_own, is_abroad = np.zeros((2, facets.count), np.bool_)
        if self.reading.lang in _LANGS:
            for lang, name in _LANGS.items():
                (is_own if lang == self.reading.lang else is_abroad)[facets.owner[facets.names == name]] = True
        return is_abroad & ~is_own

    def _bm25(self, held: "_Rows", sizes: npt.NDArray[np.int64], has: Found) -> Numbers:
        at, which = has
        sums = np.bincount(held.owners(at), self.rarity[which], held.count)
        length = 1.0 - _BM25_B + _BM25_B * sizes / _USUAL_TERMS
        found: Numbers = np.log1p(sums * (_BM25_K1 + 1.0) / (1.0 + _BM25_K1 * length))
        return found

    def _phrases(self, held: "_Rows") -> Numbers:
        at, _ = among(np.sort(hash_all(self.reading.phrases)), held.names)
        return np.bincount(held.owners(at), minlength=held.count).astype(np.float64)

    def _quoted(self, has: npt.NDArray[np.bool_]) -> tuple[Numbers, Numbers]:
        """`Worded.quoted` and `Worded.complete`; ``has`` is rows by names."""
        quoted, complete = np.zeros(len(has)), np.zeros(len(has))
        for message in self.messages:
            words, weights = has[:, message], _sharpened(self.rarity[message])
            share = words @ weights / (weights.sum() + MESSAGE_PRIOR)
            lacks = (~words * weights).max(axis=1)
            np.maximum(quoted, share, out=quoted)
            np.maximum(complete, share * (1.0 - lacks), out=complete)
        return quoted, complete

    def _contained(
        self, held: "_Rows", marks: npt.NDArray[np.uint8], has: Found, weights: Numbers, stated: Numbers
    ) -> tuple[Numbers, Numbers, Numbers]:
        """Return the shares of the weight of title and of cause that the text has, of each in the language in which it has more, and `Worded.reason`.

        ``has`` is where a row has which of the query's terms, ``weights`` the weight of each name, ``stated`` the totals of each row.
        """
        owners, marked, weighed = held.owners(has[0]), marks[has[0]], weights[has[1]]
        places = (np.flatnonzero(marked & mark) for mark in _PLACES)
        sums = [np.bincount(owners[here], weighed[here], held.count) for here in places]
        title, cause, other_title, other_cause = (
            found / (total + _WORD_PRIOR) for found, total in zip(sums, stated.T, strict=True)
        )
        states = stated[:, 1] + stated[:, 3] > 0.0
        telling = np.where(states, np.maximum(sums[1], sums[3]), np.bincount(owners, weighed, held.count))
        weight = np.where(states, 1.0, _UNSTATED) if self.reading.traces else 0.0
        reason = weight * np.minimum(telling, REASON) / REASON
        return np.maximum(title, other_title), np.maximum(cause, other_cause), reason


class StatedTotals:
    """The total weight of the words of each row's title and of its cause.

    Counts of words do not change within one `Holdings`, so each row is summed once: a third of the time of comparing words.
    """

    def __init__(self, rows: int, counted: Frequencies) -> None:
        self.counted = counted
        self._totals = np.zeros((rows, len(_PLACES)))  # the system gives memory for what is written alone
        self._is_summed = np.zeros(rows, np.bool_)

    def of(self, rows: npt.NDArray[np.int64], held: "_Rows", marks: npt.NDArray[np.uint8]) -> Numbers:
        """Those of some rows, which hold these words with these marks: rows by `_PLACES`."""
        is_new = ~self._is_summed[rows]
        if is_new.any():
            at = np.flatnonzero((marks & _STATED != 0) & is_new[held.owner])
            names, places = np.unique(held.names[at], return_inverse=True)
            weights, owners, marked = word_weights(names, self.counted)[places], held.owners(at), marks[at]
            here = [np.flatnonzero(marked & mark) for mark in _PLACES]
            sums = [np.bincount(owners[one], weights[one], held.count) for one in here]
            self._totals[rows[is_new]] = np.column_stack(sums)[is_new]
            self._is_summed[rows[is_new]] = True  # last: another search may look meanwhile
        totals: Numbers = self._totals[rows]
        return totals


@dataclass(frozen=True, slots=True)
class _Rows:
    """The names that some rows hold, one after the other, and how many each holds."""

    names: Hashes
    sizes: npt.NDArray[np.int64]
    owner: npt.NDArray[np.intp]
    """Of each name, whose it is."""

    @classmethod
    def of(cls, column: Column, rows: npt.NDArray[np.int64]) -> "_Rows":
        names, sizes = column.each(rows)
        return cls(names, sizes, np.repeat(np.arange(len(sizes)), sizes))

    @property
    def count(self) -> int:
        """How many rows."""
        return len(self.sizes)

    def owners(self, at: npt.NDArray[np.intp]) -> npt.NDArray[np.intp]:
        """Whose the names at some places are."""
        return self.owner[at]

    def matrix(self, found: Found, names: Hashes) -> npt.NDArray[np.bool_]:
        """Rows by names: which row has which, by where they were found and which ones (`among`); none has 0, no name."""
        has = np.zeros((self.count, len(names)), dtype=np.bool_)
        has[self.owners(found[0]), found[1]] = True
        has[:, names == 0] = False
        return has


def in_title(columns: Mapping[str, Column], row: int) -> npt.NDArray[np.bool_]:
    """Which words of a row stand in its title."""
    marked: npt.NDArray[np.bool_] = columns["marks"][row] & _TITLE != 0
    return marked


def word_weights(names: Hashes, counted: Frequencies) -> Numbers:
    """Return the weight of each word: its rarity, sharpened; words that no incident has weigh less than rare known ones."""
    return _sharpened(counted.rarity(names))


def _sharpened(rarity: Numbers) -> Numbers:
    weights: Numbers = np.where(rarity >= 1.0, _NOVEL, rarity) ** SHARPNESS
    return weights
