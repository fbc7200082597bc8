"""What readers confirmed or denied: which incidents a text was said to be, or not to be, by its fingerprints and the words of its message.

Confirmed pastes are searched beside the write-ups. They change no rarity and no feature: the log-odds of that one pair are moved, by a
bounded amount (`index.ranking.rank`), so taking a sighting away restores every probability exactly.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from index.entry import storable
from index.ranking.compare import SHARPNESS
from index.reading import QueryTrace, Reading
from index.terms.frequencies import Frequencies
from index.terms.hashing import hash_all
from kb.store.model import Vote
from kb.store.voices import LearnedSightings, Sighting
from kb.trace import Level

MESSAGE = "message"
WORDS = 50
"""Words of a message that are kept, those that come first: a template is shorter."""
SHARES: Mapping[str, float] = {Level.EXACT.value: 1.0, Level.ROOT_CAUSE.value: 0.8, MESSAGE: 0.4}
"""How much a sighting counts by what is the same, the strictest first, as a share of what one may move (`index.ranking.rank.bound`). The same
root under another wrapper is the same problem less often; the same message moves less than lies between `related` and `known`."""
_ALIKE, _SAME = 0.4, 0.7
"""Messages count from this share of what their words tell, and in full from that one. Measured on part train of the real pairs, one
question of each problem confirmed: .4 is reached by 48 % of the other questions of the problem and by 2.5 % of those of others, .7 by 26 and 0 %."""
_ENOUGH = 0.5
"""A trace that tells this much (`index.ranking.features.FeatureReader.telling`) counts in full: a bare exception of a common type does not."""
_PRIOR = 0.4
"""As for messages in `index.ranking.compare`: a short message never looks like full agreement."""
_NOVEL = 0.5
"""The rarity of a word that nobody knows, as in `index.ranking.wording`."""
_LOOKED_AT = 400
"""Sightings whose messages are compared with one of the query, those that share its rarest words first."""


@dataclass(frozen=True, slots=True)
class ReaderVotes:
    """The readers' votes on an incident for such a text."""

    share: float
    """From -1 (denied) to 1 (confirmed): of what a sighting may move."""
    level: str
    """What is the same: ``exact``, ``root_cause`` or ``message``."""
    count: int
    """How many readers voted so."""
    alike: float = 1.0
    """Of messages how far they are the same."""


@dataclass(frozen=True, slots=True)
class _Held:
    stands_for: str
    prints: Mapping[str, frozenset[str]]
    """Digests by level, where there are any."""
    words: frozenset[int]
    sighting: Sighting

    @classmethod
    def of(cls, stands_for: str, one: Sighting) -> "_Held":
        levels = (Level.EXACT.value, Level.ROOT_CAUSE.value)
        prints = {level: frozenset(one.prints[level]) for level in levels if one.prints.get(level)}
        return cls(storable(stands_for), prints, frozenset(int(name, 16) for name in one.prints.get(MESSAGE, ())), one)


@dataclass(frozen=True)
class SightingIndex:
    """All sightings that count at one moment. Immutable: a change returns another index."""

    learned: Mapping[str, LearnedSightings] = field(default_factory=dict)
    _by_key: Mapping[tuple[str, str | int], tuple[_Held, ...]] = field(default_factory=dict)
    """By level and digest, or by ``message`` and word."""

    def __len__(self) -> int:
        return sum(len(one.sightings) for one in self.learned.values())

    def with_learned(self, learned: Iterable[LearnedSightings]) -> "SightingIndex":
        """These and what was learned since; of an incident the later state holds, in whatever order they come."""
        now, by_key = dict(self.learned), dict(self._by_key)
        for one in learned:
            before = now.get(one.incident_id)
            if before is not None and before.sequence >= one.sequence:
                continue
            for sighting in before.sightings if before else ():
                for key in _keys(sighting):
                    left = tuple(held for held in by_key[key] if held.sighting is not sighting)
                    if left:
                        by_key[key] = left
                    else:
                        del by_key[key]
            for sighting in one.sightings:
                held = _Held.of(one.stands_for, sighting)
                for key in _keys(sighting):
                    by_key[key] = (*by_key.get(key, ()), held)
            now[one.incident_id] = one
        return SightingIndex(now, by_key)

    def about(
        self, reading: Reading, words: Frequencies, telling: Callable[[QueryTrace], float]
    ) -> dict[str, ReaderVotes]:
        """By id, what readers said of incidents for this text; where they disagree, the strictest level that is the same decides."""
        if not self._by_key:
            return {}
        found: dict[str, list[ReaderVotes]] = {}
        for level in (Level.EXACT, Level.ROOT_CAUSE):
            for held, seen in self._same(reading, level, telling):
                found.setdefault(held.stands_for, []).append(seen)
        for held, seen in self._alike(reading, words):
            found.setdefault(held.stands_for, []).append(seen)
        decided = {name: _decided(votes) for name, votes in found.items()}
        return {name: seen for name, seen in decided.items() if seen is not None}

    def _same(
        self, reading: Reading, level: Level, telling: Callable[[QueryTrace], float]
    ) -> Iterator[tuple[_Held, ReaderVotes]]:
        """The sightings all of whose fingerprints of a level the text has."""
        whose = {one.digest: trace for trace in reading.traces for one in trace.prints if one.level is level}
        found = {id(held): held for digest in whose for held in self._by_key.get((level.value, digest), ())}
        for held in found.values():
            prints = held.prints[level.value]
            if prints <= whose.keys():
                weight = max(min(1.0, telling(whose[one]) / _ENOUGH) for one in prints)
                yield held, _seen(held, level.value, weight)

    def _alike(self, reading: Reading, words: Frequencies) -> Iterator[tuple[_Held, ReaderVotes]]:
        """The sightings whose message says about what one of the text says. One without fingerprints is denied by the very same words."""
        best: dict[int, tuple[_Held, float]] = {}
        for message in _messages(reading):
            weights = _weights(message, words)
            for held in self._sharing(weights):
                if held.sighting.vote is Vote.YES:
                    alike = _agreement(weights, _weights(held.words, words))
                else:
                    alike = float(not held.prints and held.words == weights.keys())
                best[id(held)] = max(best.get(id(held), (held, 0.0)), (held, alike), key=lambda one: one[1])
        for held, alike in best.values():
            if alike > _ALIKE:
                yield held, _seen(held, MESSAGE, min(1.0, (alike - _ALIKE) / (_SAME - _ALIKE)), alike)

    def _sharing(self, weights: Mapping[int, float]) -> list[_Held]:
        """Sightings with a word of the message, those with a rare one first."""
        found: dict[int, _Held] = {}
        for name in sorted(weights, key=lambda one: -weights[one]):
            found |= {id(held): held for held in self._by_key.get((MESSAGE, name), ())}
            if len(found) >= _LOOKED_AT:
                break
        return list(found.values())[:_LOOKED_AT]


def fingerprint_digests(reading: Reading) -> dict[str, tuple[str, ...]]:
    """What of a text a sighting is made of: digests of its fingerprints by level, and the names of the words of its message.

    Words are told where there is one message: of several traces nobody says which one was meant, so all of them have to come again.
    """
    found: dict[str, dict[str, None]] = {level.value: {} for level in Level}
    for trace in reading.traces:
        for one in trace.prints:
            found[one.level.value][one.digest] = None
    messages = list(_messages(reading))
    if len(messages) == 1:
        found[MESSAGE] = dict.fromkeys(f"{name:016x}" for name in messages[0][:WORDS])
    return {level: tuple(digests) for level, digests in found.items() if digests}


def _messages(reading: Reading) -> Iterator[tuple[int, ...]]:
    """The names of the words of each trace's messages; of a text without traces, those of all its words."""
    for trace in reading.traces:
        if words := tuple(dict.fromkeys(name for exception in trace.sketch for name in exception.message)):
            yield words
    if not reading.traces and reading.units:
        yield tuple(dict.fromkeys(hash_all([word for word, _ in reading.units[:WORDS]]).tolist()))


def _keys(sighting: Sighting) -> list[tuple[str, str | int]]:
    digests = [
        (level, one) for level in (Level.EXACT.value, Level.ROOT_CAUSE.value) for one in sighting.prints.get(level, ())
    ]
    return [*digests, *((MESSAGE, int(name, 16)) for name in sighting.prints.get(MESSAGE, ()))]


def _weights(names: Iterable[int], words: Frequencies) -> dict[int, float]:
    array = np.fromiter(names, dtype=np.uint64)
    rarity = words.rarity(array)
    return dict(zip(array.tolist(), (np.where(rarity >= 1.0, _NOVEL, rarity) ** SHARPNESS).tolist(), strict=True))


def _agreement(ours: Mapping[int, float], theirs: Mapping[int, float]) -> float:
    """Which share of what the words of two messages tell both have (weighted Jaccard)."""
    shared = math.fsum(weight for name, weight in ours.items() if name in theirs)
    every = math.fsum(ours.values()) + math.fsum(theirs.values()) - shared
    return shared / (every + _PRIOR)


def _seen(held: _Held, level: str, weight: float, alike: float = 1.0) -> ReaderVotes:
    is_it = held.sighting.vote is Vote.YES
    share = SHARES[level] * weight * (1 if is_it else -1)
    return ReaderVotes(share, level, held.sighting.yes if is_it else held.sighting.no, alike)


def _decided(votes: Sequence[ReaderVotes]) -> ReaderVotes | None:
    """One word of several: denied where the strictest level is; None where that is as much denied as confirmed."""
    strictest = min(votes, key=lambda one: list(SHARES).index(one.level)).level
    here = [one for one in votes if one.level == strictest]
    yes, no = max(here, key=lambda one: one.share), min(here, key=lambda one: one.share)
    if no.share < 0 < yes.share:
        return None
    return no if no.share < 0 else max((one for one in votes), key=lambda one: one.share)
