"""Which trace of a paste and which trace of an incident agree best, for many incidents at once."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from index.compare import Agreement, Known, Rarity, Weighed, all_known
from index.hashing import Hashes
from index.sketch import ChainSketch, pack, tokens_of
from index.stacked import Numbers, StackedChains

PAIRS = 4
"""Of the pairs (trace of the query, trace of the incident), those that share most are compared in full."""

TRACED = ("message", "root_message", "root_frames", "root_both", "rarest", "lines", "everything", "contained")
"""What is told of the best pair, in this order."""
_COUNTS = np.array([2.0, 1.0, 2.0, 2.0, 0.0, 0.0, 1.0, 1.0])
"""How much each counts where the best pair is chosen."""
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


def paired(
    traces: Sequence[ChainSketch], rows: Sequence[Hashes], words: Rarity, frames: Rarity, is_known: Known = all_known
) -> Paired:
    """The best pairs between a query's traces and the packed chains of incidents, by how rare words and frames are."""
    numbers = np.zeros((len(rows), len(TRACED)))
    told = np.full((2, len(rows)), -1)
    both_show = np.zeros(len(rows))
    ours = np.array(sorted({token for trace in traces for token in tokens_of(trace)} - {0}), dtype=np.uint64)
    if len(ours) and rows:
        stack = StackedChains.of([pack(traces), *rows], ours)
        weighed = Weighed(stack, words, frames, is_known)
        both_show = np.minimum(stack.frame_counts[1:], weighed.familiar[: len(traces)].max())
        found = [weighed.agreement(trace) for trace in range(len(traces))]
        shares = np.array([_shares(one)[:, len(traces) :] for one in found])
        shared = np.array([one.shared[len(traces) :] for one in found])
        owners = stack.rows[len(traces) :] - 1
        trace, chain = _best(shares, shared, owners)
        numbers[owners[chain]] = shares[trace, :, chain]
        is_shown = numbers[owners[chain]][:, _SHOWN].any(axis=1)
        told[:, owners[chain[is_shown]]] = trace[is_shown], stack.numbers[len(traces) + chain[is_shown]]
    return Paired(numbers, both_show, *([at if at >= 0 else None for at in which] for which in told.tolist()))


def _shares(agreed: Agreement) -> _Shares:
    return np.array([getattr(agreed, name) for name in TRACED])


def _best(shares: _Shares, shared: _Shares, owners: Numbers) -> tuple[Numbers, Numbers]:
    """The pair that agrees best of each incident that has one; of many, found by what they share and then compared in full."""
    trace, chain = np.nonzero(shared > 0)
    by_shared = np.lexsort((-shared[trace, chain], owners[chain]))
    trace, chain = trace[by_shared], chain[by_shared]
    is_compared = _ranks(owners[chain]) < PAIRS
    trace, chain = trace[is_compared], chain[is_compared]
    totals = np.einsum("k,tkc->tc", _COUNTS, shares)[trace, chain]
    by_total = np.lexsort((-totals, owners[chain]))
    trace, chain = trace[by_total], chain[by_total]
    is_best = (_ranks(owners[chain]) == 0) & (totals[by_total] > 0)
    return trace[is_best], chain[is_best]


def _ranks(ascending: Numbers) -> Numbers:
    """The place of each among its equals."""
    begins = np.flatnonzero(np.diff(ascending, prepend=-1))
    found: Numbers = np.arange(len(ascending)) - np.repeat(begins, np.diff(begins, append=len(ascending)))
    return found
