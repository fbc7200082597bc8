"""Everything about a query and an incident that the ranker looks at. Each number grows with agreement."""

import math
from collections.abc import Callable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from index.ranking.compare import ENOUGH, FADE, SHARPNESS, Agreement, LookUp, Rarity, Weighed
from index.ranking.sightings import ReaderVotes
from index.ranking.stacked import Numbers, StackedChains
from index.ranking.wording import SharedWord, StatedTotals, Worded, Wording, in_title, word_weights
from index.reading import QueryTrace, Reading
from index.storage.fingerprints import Rows
from index.storage.segment import Column, RowLocations
from index.terms.frequencies import Frequencies
from index.terms.hashing import Hashes, is_first
from index.terms.ragged import Laid, first_of_each
from index.terms.sketch import ChainSketch, pack, tokens_of, unpack
from kb.trace import Level

PAIRS = 4
"""Of the pairs (trace of the query, trace of the incident), those that share most are compared in full."""

_KEPT = 512
"""Rows of which the words are kept with their weights, 2 kB each, and of which the chains: the candidates of a search or two."""
_COUNTS = {
    "message": 2.0,
    "root_message": 1.0,
    "root_frames": 2.0,
    "root_both": 2.0,
    "rarest": 0.0,
    "lines": 0.0,
    "everything": 1.0,
    "contained": 1.0,
}
"""The features of the best pair, which `Agreement` has by these names; how much each counts where that pair is chosen."""
TRACED = tuple(_COUNTS)
_SHOWN = [TRACED.index("rarest"), TRACED.index("message")]

_Shares = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Paired:
    """How the traces of incidents agree with those of a query."""

    numbers: _Shares
    """Incidents by TRACED."""
    both_show: _Shares
    """Of each incident, how many frames it and a trace of the query show: the lesser of the two numbers."""
    traces: Sequence[int | None]
    """Of each incident, which trace of the query agrees best; None where a word of some message is all they have in common."""
    chains: Sequence[int | None]
    """And which of its own."""


def paired(traces: Sequence[ChainSketch], rows: Laid, words: Rarity, frames: LookUp) -> Paired:
    """The best pairs between a query's traces and the packed chains of incidents, by how rare words and frames are."""
    count = len(rows[1])
    numbers = np.zeros((count, len(TRACED)))
    best = np.full((2, count), -1)
    both_show = np.zeros(count)
    ours = np.array(sorted({token for trace in traces for token in tokens_of(trace)} - {0}), dtype=np.uint64)
    if len(ours) and count:
        stack = StackedChains.of(pack(traces), rows, ours)
        weighed = Weighed(stack, words, frames)
        both_show = np.minimum(stack.frame_counts[1:], weighed.familiar[: len(traces)].max())
        found = [weighed.agreement(trace) for trace in range(len(traces))]
        shares = np.array([_shares(one)[:, len(traces) :] for one in found])
        shared = np.array([one.shared[len(traces) :] for one in found])
        owners = stack.rows[len(traces) :] - 1
        trace, chain = _best(shares, shared, owners)
        numbers[owners[chain]] = shares[trace, :, chain]
        is_shown = numbers[owners[chain]][:, _SHOWN].any(axis=1)
        best[:, owners[chain[is_shown]]] = trace[is_shown], stack.numbers[len(traces) + chain[is_shown]]
    return Paired(numbers, both_show, *([at if at >= 0 else None for at in which] for which in best.tolist()))


def _shares(agreed: Agreement) -> _Shares:
    return np.array([getattr(agreed, name) for name in TRACED])


def _best(shares: _Shares, shared: _Shares, owners: Numbers) -> tuple[Numbers, Numbers]:
    """The pair that agrees best of each incident that has one; of many, found by what they share and then compared in full."""
    trace, chain = np.nonzero(shared > 0)
    by_shared = np.lexsort((-shared[trace, chain], owners[chain]))
    trace, chain = trace[by_shared], chain[by_shared]
    is_compared = _ranks(owners[chain]) < PAIRS
    trace, chain = trace[is_compared], chain[is_compared]
    totals = np.einsum("k,tkc->tc", np.array([*_COUNTS.values()]), shares)[trace, chain]
    by_total = np.lexsort((-totals, owners[chain]))
    trace, chain = trace[by_total], chain[by_total]
    is_best = (_ranks(owners[chain]) == 0) & (totals[by_total] > 0)
    return trace[is_best], chain[is_best]


def _ranks(ascending: Numbers) -> Numbers:
    """The place of each among its equals."""
    begins = np.flatnonzero(is_first(ascending))
    found: Numbers = np.arange(len(ascending)) - np.repeat(begins, np.diff(begins, append=len(ascending)))
    return found


_TELLING = 1.0
"""A trace whose tokens weigh this much tells half of what a fingerprint of it can tell."""


class Features(NamedTuple):
    """One number per kind of agreement, each at least 0, larger for more agreement, and 0 where one side shows nothing.

    What needs more than the columns of a snapshot hold (`index.storage.segment.RAGGED`) needs a further column. A tuple: a hundred are made for every search, and a frozen dataclass takes three times as long.
    """

    exact: float = 0.0
    root_cause: float = 0.0
    loose: float = 0.0
    message: float = 0.0
    root_message: float = 0.0
    root_frames: float = 0.0
    root_both: float = 0.0
    rarest: float = 0.0
    lines: float = 0.0
    everything: float = 0.0
    contained: float = 0.0
    words: float = 0.0
    title: float = 0.0
    meaning: float = 0.0
    bm25: float = 0.0
    phrases: float = 0.0
    cause: float = 0.0
    reason: float = 0.0
    quoted: float = 0.0
    complete: float = 0.0
    wordless: float = 0.0
    """1 where the two show no frames to compare and one of them shows no error: no message can agree, which is no disagreement."""
    silent: float = 1.0
    """1 where the paste or the incident shows no frames to compare; nearer to 0 the more frames both show."""


NAMES = Features._fields


class ComparedIncident(NamedTuple):
    """The features of one incident, and which traces agreed best. A tuple, as `Features` is: so many are made for every search."""

    row: int
    features: Features
    trace: int | None = None
    """Which of the reading's traces."""
    incident_chain: int | None = None
    """Which of the incident's chains."""
    shared_words: Callable[[], tuple[SharedWord, ...]] = tuple
    """The words of the query that the incident has, the rarest first: asked of the few that are shown."""
    seen: ReaderVotes | None = None
    """The readers' votes on the incident for such a text."""


@dataclass(frozen=True)
class QueryView:
    """A reading with everything about it that does not depend on the incident."""

    reading: Reading
    vector: npt.NDArray[np.float32]
    print_rows: Mapping[Level, Sequence[tuple[Rows, float]]]
    """Per level, of each fingerprint that rows share these, ascending, and what it tells (0 … 1)."""
    wording: Wording


class FeatureReader:
    """Computes features from columns, with rarity by the counts given."""

    def __init__(
        self, columns: Mapping[str, Column], words: Frequencies, frames: Frequencies, vectors: RowLocations, rows: int
    ) -> None:
        self._columns = columns
        self.words = words
        self.frames = frames
        self._vectors = vectors
        self._totals = StatedTotals(rows, words)
        # the first match is compared with all that follow
        self._weighted = lru_cache(maxsize=_KEPT)(self._weigh)
        self.chains = lru_cache(maxsize=_KEPT)(self._chains)
        """Return the chains of a row, as numbers."""

    def compared(self, query: QueryView, rows: Sequence[int]) -> list[ComparedIncident]:
        """The features of each row, in order."""
        if not rows:
            return []
        places = np.array(rows, dtype=np.int64)
        cosines = self._vectors.cosines(query.vector, places).astype(np.float64)
        worded = query.wording.agreeing(self._columns, places, cosines, self._totals)
        sketches = [trace.sketch for trace in query.reading.traces]
        packed = self._columns["sketches"].each(places)
        traces = paired(sketches, packed, self.words.rarity, self.frames.looked_up)
        shows_error = first_of_each(packed) > 0  # a packed row begins with the number of its chains
        wordless = (traces.both_show == 0) & ~(shows_error & bool(sketches))
        return _compared(query, rows, traces, worded, wordless)

    def telling(self, trace: QueryTrace) -> float:
        """0 … 1: how much a trace says at all. A bare exception of a common type says next to nothing."""
        rarity = self.rarity_of([trace.sketch])
        weights = [
            rarity.get(e.simple, 0.0) ** SHARPNESS + 0.5 * sum(rarity[w] ** SHARPNESS for w in e.message)
            for e in trace.sketch
        ]
        frames = [rarity[f] ** SHARPNESS * np.exp(-FADE * i) for e in trace.sketch for i, f in enumerate(e.frames)]
        mass = math.fsum(weights) + math.fsum(frames)
        return mass / (mass + _TELLING)

    def _chains(self, row: int) -> tuple[ChainSketch, ...]:
        return unpack(self._columns["sketches"][row])

    def rarity_of(self, chains: Sequence[ChainSketch]) -> Mapping[int, float]:
        """The rarity of everything in the chains, by names."""
        exceptions = [e for chain in chains for e in chain]
        words = {word for e in exceptions for word in e.message}
        frames = {name for e in exceptions for name in (e.simple, *e.frames)}
        return _table(self.words, words) | _table(self.frames, frames)

    def alike(self, rows: Sequence[int]) -> npt.NDArray[np.float32]:
        """The cosine of each row with each, shape (n, n)."""
        vectors = self._vectors.of(np.array(rows, dtype=np.int64))
        cosines: npt.NDArray[np.float32] = vectors @ vectors.T
        return cosines

    def languages(self, rows: Sequence[int]) -> Hashes:
        """The name of the language of each row."""
        return first_of_each(self._columns["facets"].each(np.array(rows, dtype=np.int64)))

    def shared_words(self, row: int, other: int) -> float:
        """Which share of the words of two rows both have, by what each word tells (weighted Jaccard)."""
        return _shared(*(self._weighted(one)[:2] for one in (row, other)))

    def shared_title(self, row: int, other: int) -> float:
        """The same for the words of their titles."""
        return _shared(*((names[title], weights[title]) for names, weights, title in map(self._weighted, (row, other))))

    def _weigh(self, row: int) -> tuple[Hashes, _Shares, npt.NDArray[np.bool_]]:
        """Return the words of a row, ascending, the weight of each, and which stand in its title."""
        names: Hashes = self._columns["terms"][row]
        return names, word_weights(names, self.words), in_title(self._columns, row)


def _shared(ours: tuple[Hashes, _Shares], theirs: tuple[Hashes, _Shares]) -> float:
    """Return the weight of the words in both among the weight of those in either, 0 where there are none; both ascending."""
    (names, weights), (others, others_weights) = ours, theirs
    if not (len(names) and len(others)):
        return 0.0
    at = np.minimum(others.searchsorted(names), len(others) - 1)
    both = float(weights @ (others[at] == names))
    return both / ((float(weights.sum()) + float(others_weights.sum()) - both) or 1.0)


def _table(frequencies: Frequencies, names: AbstractSet[int]) -> dict[int, float]:
    array = np.fromiter(names, dtype=np.uint64, count=len(names))
    return dict(zip(array.tolist(), frequencies.rarity(array).tolist(), strict=True))


def _print_weights(rows: Sequence[int], shared: Sequence[tuple[Rows, float]]) -> _Shares:
    """What the fingerprint tells that each row shares, of several the most; 0 where there is none."""
    found = np.zeros(len(rows))
    for having, tells in shared:
        at = np.minimum(having.searchsorted(rows), len(having) - 1)
        np.maximum(found, tells * (having[at] == rows), out=found)
    return found


def _compared(
    query: QueryView, rows: Sequence[int], traces: Paired, worded: Worded, wordless: npt.NDArray[np.bool_]
) -> list[ComparedIncident]:
    columns = {
        **{level.value: _print_weights(rows, query.print_rows[level]) for level in Level},
        **dict(zip(TRACED, traces.numbers.T, strict=True)),
        "words": worded.words,
        "title": worded.title,
        "meaning": worded.meaning,
        "bm25": worded.bm25,
        "phrases": worded.phrases,
        "cause": worded.cause,
        "reason": worded.reason,
        "quoted": worded.quoted,
        "complete": worded.complete,
        "wordless": wordless,
        "silent": 1.0 / (1.0 + traces.both_show / ENOUGH),
    }
    numbers = np.array([columns[name] for name in NAMES], dtype=np.float64).T.tolist()
    spoken = map(partial(partial, query.wording.shared_words), worded.shares)
    return [
        ComparedIncident(*each)
        for each in zip(rows, map(Features._make, numbers), traces.traces, traces.chains, spoken, strict=True)
    ]
