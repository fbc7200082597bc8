"""Everything about a query and an incident that the ranker looks at. Each number grows with agreement."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cached_property
from operator import attrgetter

import numpy as np
import numpy.typing as npt

from index.compare import FADE, SHARPNESS, Agreement, Rarity, Weighed, agreement, weighed
from index.frequencies import Frequencies
from index.hashing import Hashes, hash_all, token_hash
from index.reading import Reading, Trace
from index.segment import Column, Cosines
from index.sketch import ChainSketch, unpack
from kb.trace import Level

PAIRS = 4
"""Of the pairs (trace of the query, trace of the incident), those that share most are compared in full."""

_CONCEPT_SHARE = 0.8
"""A word whose concept the incident has in other words says this much of what the word itself would."""
_NOVEL = 0.5
"""The rarity of a word that neither the snapshot nor the background knows: a name or a number of somebody's own."""
_WORD_PRIOR = 1.0
_OTHER = {lang: np.uint64(token_hash(f"lang={other}")) for lang, other in (("zh", "en"), ("en", "zh"))}
_ABROAD = 1.25
"""An incident in the other language can have few of the query's words: those it has count so much more."""
_USUAL_TERMS = 300
_LENGTH = 0.5
"""A write-up of more terms than usual has some of everybody's words: what it shares is divided by 1 + _LENGTH · ln(terms / usual)."""
_TELLING = 1.0
"""A trace whose tokens weigh this much tells half of what a fingerprint of it can tell."""


@dataclass(frozen=True, slots=True)
class Features:
    """One number per kind of agreement, each at least 0, larger for more agreement."""

    exact: float = 0.0
    root_cause: float = 0.0
    loose: float = 0.0
    root_message: float = 0.0
    root_frames: float = 0.0
    root_both: float = 0.0
    rarest: float = 0.0
    lines: float = 0.0
    everything: float = 0.0
    words: float = 0.0
    focus: float = 0.0
    title: float = 0.0
    word_depth: float = 0.0
    meaning: float = 0.0


NAMES = tuple(field.name for field in fields(Features))
values_of: Callable[[Features], tuple[float, ...]] = attrgetter(*NAMES)
"""The numbers in the order of NAMES (dataclasses.astuple copies deeply, and this is asked for every candidate)."""


@dataclass(frozen=True, slots=True)
class Compared:
    """The features of one incident, and which traces agreed best."""

    row: int
    features: Features
    trace: int | None = None
    """Which of the reading's traces."""
    incident_chain: int | None = None
    """Which of the incident's chains."""
    words: tuple[str, ...] = ()
    """The words of the query that the incident has, the rarest first."""


@dataclass(frozen=True)
class QueryView:
    """A reading with everything about it that does not depend on the incident."""

    reading: Reading
    vector: npt.NDArray[np.float32]
    print_rows: dict[Level, dict[int, float]]
    """Per level, the rows that share a fingerprint, with what it tells (0 … 1)."""
    word_names: Hashes
    concept_names: Hashes
    word_weights: npt.NDArray[np.float64]

    @cached_property
    def term_names(self) -> Hashes:
        """The query's terms, ascending."""
        return np.sort(hash_all(self.reading.terms))


class FeatureReader:
    """Computes features from columns, with rarity by the counts given."""

    def __init__(
        self, columns: Mapping[str, Column], words: Frequencies, frames: Frequencies, vectors: Cosines
    ) -> None:
        self._columns = columns
        self.words = words
        self.frames = frames
        self._vectors = vectors

    def compared(self, query: QueryView, rows: Sequence[int]) -> list[Compared]:
        """The features of each row, in order."""
        chains = [unpack(self._columns["sketches"][row]) for row in rows]
        rarity = self._rarity_of(query.reading.traces, chains)
        cosines = self._vectors.cosines(query.vector, np.array(rows, dtype=np.int64)) if rows else ()
        traces = [weighed(trace.sketch, rarity) for trace in query.reading.traces]
        return [
            self._compared(query, traces, row, theirs, rarity, float(cosine))
            for row, theirs, cosine in zip(rows, chains, cosines, strict=True)
        ]

    def word_weights(self, names: Hashes) -> npt.NDArray[np.float64]:
        """What each word tells: rarity sharpened; words that nobody knows tell less than rare known ones."""
        rarity = self.words.rarity(names)
        return np.where(rarity >= 1.0, _NOVEL, rarity) ** SHARPNESS

    def telling(self, trace: Trace) -> float:
        """0 … 1: how much a trace says at all. A bare exception of a common type says next to nothing."""
        rarity = self._rarity_of([trace], [])
        weights = [
            rarity.get(e.simple, 0.0) ** SHARPNESS + 0.5 * sum(rarity[w] ** SHARPNESS for w in e.message)
            for e in trace.sketch
        ]
        frames = [rarity[f] ** SHARPNESS * np.exp(-FADE * i) for e in trace.sketch for i, f in enumerate(e.frames)]
        mass = math.fsum(weights) + math.fsum(frames)
        return mass / (mass + _TELLING)

    def _compared(
        self,
        query: QueryView,
        traces: Sequence[Weighed],
        row: int,
        theirs: Sequence[ChainSketch],
        rarity: Rarity,
        cosine: float,
    ) -> Compared:
        agreed, trace, chain = _best_pair(traces, theirs, rarity)
        terms = self._columns["terms"][row]
        known, by_concept = self._has(query, terms)
        share = known + _CONCEPT_SHARE * (by_concept & ~known)
        told = float(query.word_weights @ share) / (1.0 + _LENGTH * math.log(max(len(terms) / _USUAL_TERMS, 1.0)))
        more = _ABROAD if self._is_abroad(query.reading.lang, row) else 1.0
        whole = float(query.word_weights.sum())
        focus_known, focus_concept = self._has(query, self._columns["focus"][row])
        focus = float(query.word_weights @ (focus_known + _CONCEPT_SHARE * (focus_concept & ~focus_known)))
        features = Features(
            exact=query.print_rows[Level.EXACT].get(row, 0.0),
            root_cause=query.print_rows[Level.ROOT_CAUSE].get(row, 0.0),
            loose=query.print_rows[Level.LOOSE].get(row, 0.0),
            root_message=agreed.root_message,
            root_frames=agreed.root_frames,
            root_both=agreed.root_both,
            rarest=agreed.rarest,
            lines=agreed.lines,
            everything=agreed.everything,
            words=more * told / (whole + _WORD_PRIOR),
            focus=more * focus / (whole + _WORD_PRIOR),
            title=self._title(query, row),
            word_depth=float(np.log1p(told)),
            meaning=max(cosine, 0.0),
        )
        return Compared(row, features, trace, chain, _rarest(query, share))

    def _is_abroad(self, lang: str, row: int) -> bool:
        """Whether the incident is in the other language."""
        other = _OTHER.get(lang)
        return other is not None and bool((self._columns["facets"][row] == other).any())

    def _has(self, query: QueryView, terms: Hashes) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        return _isin(query.word_names, terms), _isin(query.concept_names, terms)

    def _title(self, query: QueryView, row: int) -> float:
        title = self._columns["title"][row]
        weights = self.word_weights(title)
        return float(weights @ _isin(title, query.term_names)) / (float(weights.sum()) + _WORD_PRIOR)

    def _rarity_of(self, traces: Iterable[Trace], others: Iterable[Sequence[ChainSketch]]) -> dict[int, float]:
        frames: set[int] = set()
        words: set[int] = set()
        for chain in (*(t.sketch for t in traces), *(chain for chains in others for chain in chains)):
            for e in chain:
                frames.update(e.frames)
                frames.add(e.simple)
                words.update(e.message)
        return self._table(self.words, words) | self._table(self.frames, frames)

    def _table(self, frequencies: Frequencies, names: set[int]) -> dict[int, float]:
        array = np.fromiter(names, dtype=np.uint64, count=len(names))
        return dict(zip(array.tolist(), frequencies.rarity(array).tolist(), strict=True))


def _rarest(query: QueryView, share: npt.NDArray[np.float64]) -> tuple[str, ...]:
    """The words of the query of which the incident has a share, the most telling first."""
    order = np.argsort(-query.word_weights * share, kind="stable")[:8]
    return tuple(query.reading.units[i][0] for i in order if share[i] > 0)


def _best_pair(
    traces: Sequence[Weighed], theirs: Sequence[ChainSketch], rarity: Rarity
) -> tuple[Agreement, int | None, int | None]:
    """The pair of traces that agrees best; of many, found by what they share and then compared in full."""
    pairs = [(i, j) for i, trace in enumerate(traces) if trace.chain for j, chain in enumerate(theirs) if chain]
    if len(pairs) > PAIRS:
        pairs.sort(key=lambda pair: -_shared(traces[pair[0]].chain, theirs[pair[1]], rarity))
    best: tuple[float, Agreement, int | None, int | None] = (0.0, Agreement(), None, None)
    for i, j in pairs[:PAIRS]:
        found = agreement(traces[i], weighed(theirs[j], rarity), rarity)
        total = found.root_message + 2 * found.root_frames + 2 * found.root_both + found.everything
        if total > best[0]:
            best = (total, found, i, j)
    return best[1:]


def _shared(query: ChainSketch, incident: ChainSketch, rarity: Rarity) -> float:
    told = (rarity[token] ** SHARPNESS for token in _tokens(query) & _tokens(incident) if token)
    return math.fsum(told)


def _tokens(chain: ChainSketch) -> set[int]:
    return {token for e in chain for token in (e.simple, *e.message, *e.frames)}


def _isin(names: Hashes, ascending: Hashes) -> npt.NDArray[np.bool_]:
    """Which names are among the ascending ones (0, no name, is not)."""
    if not len(ascending):
        return np.zeros(len(names), dtype=np.bool_)
    at = np.minimum(np.searchsorted(ascending, names), len(ascending) - 1)
    found: npt.NDArray[np.bool_] = (np.asarray(ascending[at]) == names) & (names != 0)
    return found


def unit_names(units: Sequence[tuple[str, str | None]]) -> tuple[Hashes, Hashes]:
    """The token names of words and of their concepts (0 for none)."""
    words = hash_all(word for word, _ in units)
    return words, np.array([token_hash(concept) if concept else 0 for _, concept in units], dtype=np.uint64)
