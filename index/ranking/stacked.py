"""The traces of many incidents side by side in flat arrays, so that all of them are compared with a paste at once.

They are read of the numbers that `sketch.pack` wrote; a loop in Python goes over exceptions, never over frames or words.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from index.terms.hashing import Hashes, among, is_first
from index.terms.ragged import Laid
from index.terms.sketch import HEAD, LINE_BITS, LINES_A_NUMBER

Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class Tokens:
    """Tokens of one kind, those of a chain one after the other, from the root cause outwards."""

    names: Hashes
    chains: Numbers
    """Whose each is."""
    is_root: Flags
    """Whether it is the root exception's."""
    exceptions: Numbers
    """The exception each belongs to, counted on over all chains."""


@dataclass(frozen=True, slots=True)
class StackedChains:
    """Chains of several rows."""

    frame_counts: Numbers
    """Of each row, how many frames the longest of its chains shows."""
    rows: Numbers
    """Of each chain, which of the rows it is of."""
    numbers: Numbers
    """Of each chain, which of the row's chains it is."""
    owners: Numbers
    """The chain of each exception."""
    is_silent: Flags
    """Of each chain, whether its root says nothing."""
    types: Tokens
    """The last parts of types; those that are not known are left out."""
    words: Tokens
    frames: Tokens
    depths: Numbers
    """Of each frame, how many of its chain stand before it."""
    lines: Numbers
    """Of each frame the line it stood at, 0 for not known."""

    @classmethod
    def of(cls, first: Hashes, rows: Laid, ours: Hashes) -> "StackedChains":
        """The chains of packed rows (`sketch.pack`): all of the first row, of the others those that have one of the names ``ours``.

        ``ours`` is ascending and without 0.
        """
        flat = np.concatenate([first, rows[0]])
        found = _Places.of(flat, [len(first), *rows[1].tolist()])
        near = np.zeros(len(found.starts), dtype=np.bool_)
        near[found.starts.searchsorted(among(ours, flat)[0], side="right") - 1] = True
        return _stacked(flat, found, near | (found.rows == 0), 1 + len(rows[1]))


@dataclass(frozen=True, slots=True)
class _Places:
    """Where chains and exceptions begin."""

    rows: Numbers
    numbers: Numbers
    starts: Numbers
    """Of each chain."""
    counts: Numbers
    """Exceptions of each chain."""
    heads: Numbers
    """Of each exception."""

    @classmethod
    def of(cls, flat: Hashes, lengths: Sequence[int]) -> "_Places":
        held = flat.data
        chains: list[tuple[int, int, int, int]] = []
        heads: list[int] = []
        at = 0
        for row, length in enumerate(lengths):
            count, at = (held[at], at + 1) if length else (0, at)
            for number in range(count):
                chains.append((row, number, at, held[at]))
                exceptions, at = held[at], at + 1
                for _ in range(exceptions):
                    heads.append(at)
                    at += HEAD + held[at + 2] + held[at + 3] + held[at + 4]
        of_row, numbers, starts, counts = np.array(chains, dtype=np.int64).reshape(-1, 4).T
        return cls(of_row, numbers, starts, counts, np.array(heads, dtype=np.int64))


def _stacked(flat: Hashes, places: _Places, chosen: Flags, count: int) -> StackedChains:
    frame_counts = np.zeros(count, dtype=np.int64)
    of_chain = np.repeat(np.arange(len(places.counts)), places.counts)
    shown = np.bincount(of_chain, flat[places.heads + 3].astype(np.int64), len(places.counts)).astype(np.int64)
    np.maximum.at(frame_counts, places.rows, shown)
    heads = places.heads[np.repeat(chosen, places.counts)]
    counts = places.counts[chosen]
    whose = np.repeat(np.arange(len(counts)), counts)
    is_root = is_first(whose)
    sizes = flat[heads[:, None] + np.array([2, 3, 4])].astype(np.int64)
    words, frames, lines = sizes.T
    silent = np.ones(len(counts), dtype=np.bool_)
    silent[whose[is_root]] = words[is_root] == 0
    simple = flat[heads + 1]
    typed = simple != 0
    frames_at = heads + HEAD + words
    before = np.cumsum(frames) - frames
    of_chain = np.zeros(len(counts), dtype=np.int64)
    of_chain[whose[is_root]] = before[is_root]
    return StackedChains(
        frame_counts=frame_counts,
        rows=places.rows[chosen],
        numbers=places.numbers[chosen],
        owners=whose,
        is_silent=silent,
        types=Tokens(simple[typed], whose[typed], is_root[typed], np.flatnonzero(typed)),
        words=_tokens(flat, heads + HEAD, words, whose, is_root),
        frames=_tokens(flat, frames_at, frames, whose, is_root),
        depths=np.arange(int(frames.sum())) - np.repeat(of_chain[whose], frames),
        lines=_lines(flat, frames_at + frames, lines, frames),
    )


def _tokens(flat: Hashes, begins: Numbers, sizes: Numbers, whose: Numbers, is_root: Flags) -> Tokens:
    exceptions = np.repeat(np.arange(len(sizes)), sizes)
    return Tokens(flat[_runs(begins, sizes)], np.repeat(whose, sizes), np.repeat(is_root, sizes), exceptions)


def _runs(begins: Numbers, sizes: Numbers) -> Numbers:
    """The places of runs of so many numbers from each beginning."""
    before = np.cumsum(sizes) - sizes
    places: Numbers = np.arange(int(sizes.sum())) + np.repeat(begins - before, sizes)
    return places


def _lines(flat: Hashes, begins: Numbers, sizes: Numbers, frames: Numbers) -> Numbers:
    """The lines of the frames, four to a number of which there may be none or too few."""
    at = _runs(np.zeros_like(frames), frames)
    found = np.zeros(len(at), dtype=np.int64)
    has = at // LINES_A_NUMBER < np.repeat(sizes, frames)
    number = np.repeat(begins, frames)[has] + at[has] // LINES_A_NUMBER
    shift = (at[has] % LINES_A_NUMBER * LINE_BITS).astype(np.uint64)
    found[has] = (flat[number] >> shift & np.uint64((1 << LINE_BITS) - 1)).astype(np.int64)
    return found
