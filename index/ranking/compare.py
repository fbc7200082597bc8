"""How far traces agree, as numbers from 0 to 1 that can be shown to a reader.

Rare agreement near the raise point counts, common frames count for nothing, the root cause is looked at by itself:
every token weighs ``rarity ** SHARPNESS``, frames further from the raise point weigh less, and agreement is
``shared / (shared + QUERY_ONLY · rest of the query + INCIDENT_ONLY · rest of the incident + PRIOR)`` (Tversky 1977,
with a prior so that little evidence never looks like full agreement).

A trace is compared with all the others at once: a chain is a set of tokens with weights (`Bag`), and what two have in common is
summed over a table of all tokens of all chains.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import numpy.typing as npt

from index.ranking.stacked import Flags, Numbers, StackedChains, Tokens
from index.terms.hashing import Hashes, distinct
from index.terms.sketch import LINE_BITS

SHARPNESS = 2.0
"""A frame that stands in every tenth incident says less than a third of one that stands in one."""
FADE = 0.06
"""Each further frame from the raise point weighs e^-FADE of the one before."""
QUERY_ONLY, INCIDENT_ONLY = 0.6, 0.4
"""Pastes are cut off more often at the incident's side: what only the incident has counts less against it."""
FRAME_PRIOR, MESSAGE_PRIOR, BAG_PRIOR, CONTAINED_PRIOR = 0.6, 0.4, 0.2, 1.5
"""Evidence worth this much gives half agreement even if all of it is shared."""
DEEPEST = 512
"""Frames from here on are too deep to weigh anything."""

ENOUGH = 3.0
"""With this many known frames, frames count half as much as they can at most."""
BOTH_SILENT = 0.5
"""Two roots without a message agree in that, half as much as in a message."""

_LINES = 1 << LINE_BITS

Weights = npt.NDArray[np.float64]
Rarity = Callable[[Hashes], Weights]
"""Token names → how rare each is."""
LookUp = Callable[[Hashes], tuple[Weights, Flags]]
"""Token names → how rare each is, and whether it stands anywhere."""


@dataclass(frozen=True, slots=True)
class Agreement:
    """How far a trace of the query and traces of incidents agree; arrays, one number a chain."""

    message: Weights
    """The messages that agree best, whatever level of either chain they stand at."""
    root_message: Weights
    root_frames: Weights
    root_both: Weights
    """Message and frames of the root together: the same place that says something else is another problem."""
    rarest: Weights
    """The rarity of the rarest frame of both."""
    lines: Weights
    """Frames that stand at the same line in both: the very same calls of the same release."""
    everything: Weights
    """Types, messages and frames in one bag, wherever they stand in the chain; both sides' rest counts alike."""
    contained: Weights
    """Share of the query chain's weight that the other chain has too, at any level. What only the other chain has does not count."""
    shared: Weights
    """The weight of everything that both have."""


@dataclass(frozen=True)
class Bag:
    """Distinct tokens of each chain with what they tell; those of a chain stand together, in the order of tokens."""

    chains: Numbers
    tokens: Numbers
    weights: Weights
    chain_count: int
    token_count: int

    @cached_property
    def masses(self) -> Weights:
        """What the tokens of each chain tell together."""
        return self._summed(self.chains, self.weights)

    def where(self, chosen: Flags, weights: Weights | None = None) -> "Bag":
        """Some of the tokens, with the weights they have or others."""
        kept = self.weights if weights is None else weights
        return Bag(self.chains[chosen], self.tokens[chosen], kept[chosen], self.chain_count, self.token_count)

    def overlap(self, chain: int, prior: float) -> Weights:
        """The agreement of a chain with each; see the module's formula."""
        at, ours = self.shared_with(chain)
        whose, theirs = self.chains[at], self.weights[at]
        shared = self._summed(whose, np.sqrt(ours * theirs))
        rest = QUERY_ONLY * (self.masses[chain] - self._summed(whose, ours))
        rest += INCIDENT_ONLY * (self.masses - self._summed(whose, theirs))
        found: Weights = shared / (shared + np.maximum(rest, 0.0) + prior)
        return found

    def shared(self, chain: int) -> Weights:
        """What the tokens tell that a chain and each have."""
        at, _ = self.shared_with(chain)
        return self._summed(self.chains[at], self.weights[at])

    def most(self, chain: int) -> Weights:
        """The greatest weight of a token that a chain and each have; 0 where there is none."""
        at, _ = self.shared_with(chain)
        found = np.zeros(self.chain_count)
        np.maximum.at(found, self.chains[at], self.weights[at])
        return found

    def shared_with(self, chain: int) -> tuple[Numbers, Weights]:
        """Where there are tokens that the chain has, too, and what they weigh there."""
        own = slice(*self.chains.searchsorted([chain, chain + 1]))
        has, ours = np.zeros(self.token_count, dtype=np.bool_), np.zeros(self.token_count)
        has[self.tokens[own]], ours[self.tokens[own]] = True, self.weights[own]
        at = np.flatnonzero(has[self.tokens])
        return at, ours[self.tokens[at]]

    def _summed(self, whose: Numbers, weights: Weights) -> Weights:
        return np.bincount(whose, weights, self.chain_count).astype(
            np.float64, copy=False
        )  # of nothing it is whole numbers


class Weighed:
    """The chains of a stack with the weight of each of their tokens."""

    def __init__(self, stack: StackedChains, words: Rarity, frames: LookUp) -> None:
        self._stack = stack
        names, at = np.unique(stack.words.names, return_inverse=True)
        words_of_stack = _distinct(stack.words, stack, at, words(names)[at])
        names, at = np.unique(np.concatenate([stack.frames.names, stack.types.names]), return_inverse=True)
        by_name, known_names = frames(names)
        rarity, count = by_name[at], len(stack.frames.names)
        called = _distinct(stack.frames, stack, at[:count], rarity[:count])
        typed = _distinct(stack.types, stack, at[count:], rarity[count:])
        known, rarity = known_names[at][called.first], rarity[called.first]
        self.familiar = np.bincount(called.bag.chains, rarity * known, len(stack.rows))
        """Of each chain, its frames that are known anywhere, each counted by how rare it is."""
        shown = self.familiar / (self.familiar + ENOUGH)
        called = called.weighing(np.where(known, 1.0, shown[called.bag.chains]))
        self._message = words_of_stack.bag.where(stack.words.is_root[words_of_stack.first])
        self._messages = _messages(stack, words_of_stack)
        depths = stack.depths[called.first]
        is_near = depths < DEEPEST
        faded = called.bag.weights * np.exp(-FADE * depths)
        self._root = called.bag.where(is_near & stack.frames.is_root[called.first], faded)
        self._rarity = called.bag.where(is_near, rarity)
        self._lines = _lines(stack, called, np.where(is_near, faded, 0.0))
        self._everything = [words_of_stack.bag, called.bag, typed.bag]

    def agreement(self, chain: int) -> Agreement:
        """The agreement of one chain with each."""
        message = self._message.overlap(chain, MESSAGE_PRIOR)
        frames = self._root.overlap(chain, FRAME_PRIOR)
        silent = self._stack.is_silent & self._stack.is_silent[chain]
        shared = sum((bag.shared(chain) for bag in self._everything), np.zeros(len(silent)))
        masses = sum((bag.masses for bag in self._everything), np.zeros(len(silent)))
        return Agreement(
            message=self._any_message(chain),
            root_message=message,
            root_frames=frames,
            root_both=frames * np.where(silent, BOTH_SILENT, message),
            rarest=self._rarity.most(chain),
            lines=self._lines.overlap(chain, FRAME_PRIOR),
            everything=shared / (np.sqrt(masses[chain] * masses) + BAG_PRIOR),
            contained=shared / (masses[chain] + CONTAINED_PRIOR),
            shared=shared,
        )

    def _any_message(self, chain: int) -> Weights:
        """The best agreement of a message of one chain with a message of each."""
        owners = self._stack.owners
        best = np.zeros(len(self._stack.rows))
        for exception in range(*owners.searchsorted([chain, chain + 1])):
            if self._messages.masses[exception]:
                np.maximum.at(best, owners, self._messages.overlap(exception, MESSAGE_PRIOR))
        return best


@dataclass(frozen=True, slots=True)
class _Distinct:
    bag: Bag
    first: Numbers
    """Of each token of the bag where it stands first."""
    places: Numbers
    """Of each token of the stack where it stands in the bag."""

    def weighing(self, factors: Weights) -> "_Distinct":
        """The same with each weight so many times."""
        return replace(self, bag=replace(self.bag, weights=self.bag.weights * factors))


def _distinct(tokens: Tokens, stack: StackedChains, numbers: Numbers, rarity: Weights) -> _Distinct:
    """The tokens of each chain, each once; each has a number, by its name, and a rarity."""
    count = int(numbers.max(initial=-1)) + 1
    _, first, places = np.unique(tokens.chains * count + numbers, return_index=True, return_inverse=True)
    weights = rarity[first] ** SHARPNESS
    return _Distinct(Bag(tokens.chains[first], numbers[first], weights, len(stack.rows), count), first, places)


def _messages(stack: StackedChains, words: _Distinct) -> Bag:
    """The words of each exception's message; here an exception stands where `Bag` speaks of a chain."""
    count = words.bag.token_count
    numbers = words.bag.tokens[words.places]
    _, first = np.unique(stack.words.exceptions * count + numbers, return_index=True)
    weights = words.bag.weights[words.places[first]]
    return Bag(stack.words.exceptions[first], numbers[first], weights, len(stack.owners), count)


def _lines(stack: StackedChains, called: _Distinct, weights: Weights) -> Bag:
    """Frames by the lines they stand at, those whose line is known and that weigh anything."""
    at = np.flatnonzero(stack.lines)
    where = distinct(called.places[at] * _LINES + stack.lines[at])  # a frame of a chain, at a line
    frame = where // _LINES
    _, calls = np.unique(called.bag.tokens[frame] * _LINES + where % _LINES, return_inverse=True)
    count = int(calls.max(initial=-1)) + 1
    return Bag(called.bag.chains[frame], calls, weights[frame], len(stack.rows), count)
