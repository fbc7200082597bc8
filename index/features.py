"""Everything about a query and an incident that the ranker looks at. Each number grows with agreement."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from operator import attrgetter

import numpy as np
import numpy.typing as npt

from index.compare import FADE, SHARPNESS, Agreement, Rarity, Weighed, agreement, weighed
from index.frequencies import Frequencies
from index.hashing import Hashes
from index.reading import Reading, Trace
from index.segment import Column, Places
from index.sketch import ChainSketch, unpack
from index.wording import Worded, Wording, word_weights
from kb.trace import Level

PAIRS = 4
"""Of the pairs (trace of the query, trace of the incident), those that share most are compared in full."""

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
    wording: Wording


_Pair = tuple[Agreement, int | None, int | None]
"""How far two traces agree; which of the query's, which of the incident's."""


class FeatureReader:
    """Computes features from columns, with rarity by the counts given."""

    def __init__(self, columns: Mapping[str, Column], words: Frequencies, frames: Frequencies, vectors: Places) -> None:
        self._columns = columns
        self.words = words
        self.frames = frames
        self._vectors = vectors

    def compared(self, query: QueryView, rows: Sequence[int]) -> list[Compared]:
        """The features of each row, in order."""
        if not rows:
            return []
        chains = [unpack(self._columns["sketches"][row]) for row in rows]
        ours = [tokens_of(trace.sketch) - {0} for trace in query.reading.traces]
        near = [_near(ours, theirs) for theirs in chains]
        met = ([theirs[j] for j in {j for _, j in pairs}] for theirs, pairs in zip(chains, near, strict=True))
        rarity = self._rarity_of(query.reading.traces, met)
        traces = [weighed(trace.sketch, rarity) for trace in query.reading.traces]
        cosines = self._vectors.cosines(query.vector, np.array(rows, dtype=np.int64)).astype(np.float64)
        worded = query.wording.agreeing(self._columns, rows, self.words, cosines)
        best = [_best_pair(traces, theirs, pairs, rarity) for theirs, pairs in zip(chains, near, strict=True)]
        return [_compared(query, *each) for each in zip(rows, best, worded, strict=True)]

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

    def chains(self, row: int) -> tuple[ChainSketch, ...]:
        """The chains of a row, as numbers."""
        return unpack(self._columns["sketches"][row])

    def rarity_of(self, chains: Sequence[ChainSketch]) -> Rarity:
        """The rarity of everything in the chains."""
        return self._rarity_of([], [chains])

    def alike(self, rows: Sequence[int]) -> npt.NDArray[np.float32]:
        """The cosine of each row with each, shape (n, n)."""
        vectors = self._vectors.of(np.array(rows, dtype=np.int64))
        cosines: npt.NDArray[np.float32] = vectors @ vectors.T
        return cosines

    def languages(self, rows: Sequence[int]) -> Hashes:
        """The name of the language of each row."""
        return np.array([self._columns["facets"][row][:1].sum() for row in rows], dtype=np.uint64)

    def shared(self, column: str, row: int, other: int) -> float:
        """Which share of the words of two rows both have, by what each word tells (weighted Jaccard)."""
        ours, theirs = self._columns[column][row], self._columns[column][other]
        every = np.union1d(ours, theirs)
        weights = word_weights(every, self.words)
        both = np.isin(every, ours) & np.isin(every, theirs)
        return float(weights @ both) / (float(weights.sum()) or 1.0)

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
        array = np.fromiter(sorted(names), dtype=np.uint64, count=len(names))  # neighbours are looked up together
        return dict(zip(array.tolist(), frequencies.rarity(array).tolist(), strict=True))


def _compared(query: QueryView, row: int, best: _Pair, worded: Worded) -> Compared:
    agreed, trace, chain = best
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
        words=worded.words,
        focus=worded.focus,
        title=worded.title,
        word_depth=worded.depth,
        meaning=worded.meaning,
    )
    return Compared(row, features, trace, chain, worded.spoken)


def _near(ours: Sequence[set[int]], theirs: Sequence[ChainSketch]) -> list[tuple[int, int]]:
    """The pairs (trace of the query, trace of the incident) that share anything; in others nothing agrees."""
    if not ours:
        return []
    tokens = [tokens_of(chain) for chain in theirs]
    return [(i, j) for i, one in enumerate(ours) for j, other in enumerate(tokens) if not one.isdisjoint(other)]


def _best_pair(
    traces: Sequence[Weighed], theirs: Sequence[ChainSketch], pairs: Sequence[tuple[int, int]], rarity: Rarity
) -> _Pair:
    """The pair of traces that agrees best; of many, found by what they share and then compared in full."""
    if len(pairs) > PAIRS:
        pairs = sorted(pairs, key=lambda pair: -_shared(traces[pair[0]].chain, theirs[pair[1]], rarity))
    best: tuple[float, Agreement, int | None, int | None] = (0.0, Agreement(), None, None)
    for i, j in pairs[:PAIRS]:
        found = agreement(traces[i], weighed(theirs[j], rarity), rarity)
        total = found.root_message + 2 * found.root_frames + 2 * found.root_both + found.everything
        if total > best[0]:
            best = (total, found, i, j)
    agreed, trace, chain = best[1:]
    if agreed.rarest or agreed.root_message:
        return agreed, trace, chain
    return agreed, None, None  # a word of some message in common: nothing to lay side by side


def _shared(query: ChainSketch, incident: ChainSketch, rarity: Rarity) -> float:
    told = (rarity[token] ** SHARPNESS for token in tokens_of(query) & tokens_of(incident) if token)
    return math.fsum(told)


def tokens_of(chain: ChainSketch) -> set[int]:
    """Types, words of messages and frames of a chain; 0 for what is not known."""
    return {token for e in chain for token in (e.simple, *e.message, *e.frames)}
