"""Traces compared as numbers, for the tests: by the code that ranks, and by its definition, one pair at a time."""

import math
from collections.abc import Iterable, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from index.ranking.compare import (
    BAG_PRIOR,
    BOTH_SILENT,
    CONTAINED_PRIOR,
    DEEPEST,
    FADE,
    FRAME_PRIOR,
    INCIDENT_ONLY,
    MESSAGE_PRIOR,
    QUERY_ONLY,
    SHARPNESS,
    Bag,
    LookUp,
    Rarity,
)
from index.ranking.features import PAIRS, TRACED, paired
from index.terms.hashing import Hashes
from index.terms.ragged import Laid
from index.terms.sketch import ChainSketch, pack, tokens_of

Told = dict[str, float]


def rarity_of(told: Mapping[int, float]) -> Rarity:
    def rarity(names: Hashes) -> npt.NDArray[np.float64]:
        return np.array([told.get(name, 1.0) for name in names.tolist()])

    return rarity


def looked_up_of(told: Mapping[int, float]) -> LookUp:
    """The rarity of each name; every one is known."""
    rarity = rarity_of(told)
    return lambda names: (rarity(names), np.ones(len(names), np.bool_))


def laid(rows: Sequence[Sequence[ChainSketch]]) -> Laid:
    """Packed chains of several rows, end to end."""
    packed = [pack(chains) for chains in rows]
    return np.concatenate([np.zeros(0, np.uint64), *packed]), np.array([len(one) for one in packed], dtype=np.int64)


def agree(query: ChainSketch, incident: ChainSketch, told: Mapping[int, float]) -> Told:
    """How two chains agree, as it is ranked."""
    found = paired([query], laid([[incident]]), rarity_of(told), looked_up_of(told))
    return dict(zip(TRACED, found.numbers[0].tolist(), strict=True))


def overlap(ours: Mapping[int, float], theirs: Mapping[int, float], prior: float) -> float:
    """The share of two weighed sets of small numbers."""
    tokens, weights = [*sorted(ours), *sorted(theirs)], [ours[n] for n in sorted(ours)]
    weights += [theirs[n] for n in sorted(theirs)]
    chains = np.array([0] * len(ours) + [1] * len(theirs), dtype=np.int64)
    bag = Bag(chains, np.array(tokens, dtype=np.int64), np.array(weights, dtype=np.float64), 2, 100)
    return float(bag.overlap(0, prior)[1])


def by_definition(query: ChainSketch, incident: ChainSketch, rarity: Mapping[int, float]) -> Told:
    """The same as `agree`, slowly: sums over dictionaries."""
    ours, theirs = _frames(query, rarity), _frames(incident, rarity)
    message = _share(*(_squared(chain[0].message, rarity) for chain in (query, incident)), MESSAGE_PRIOR)
    frames = _share(*(_frames(chain[:1], rarity) for chain in (query, incident)), FRAME_PRIOR)
    both = BOTH_SILENT if not query[0].message and not incident[0].message else message
    one, other = (_squared(tokens_of(chain) - {0}, rarity) for chain in (query, incident))
    shared = math.fsum(one[token] for token in one.keys() & other.keys())
    return {
        "message": max(
            _share(_squared(a.message, rarity), _squared(b.message, rarity), MESSAGE_PRIOR)
            for a in query
            for b in incident
        ),
        "root_message": message,
        "root_frames": frames,
        "root_both": frames * both,
        "rarest": max((rarity.get(frame, 1.0) for frame in ours.keys() & theirs.keys()), default=0.0),
        "lines": _share(_lines(query, ours), _lines(incident, theirs), FRAME_PRIOR),
        "everything": shared / (math.sqrt(math.fsum(one.values()) * math.fsum(other.values())) + BAG_PRIOR),
        "contained": shared / (math.fsum(one.values()) + CONTAINED_PRIOR),
    }


COUNTED = {"message": 2, "root_message": 1, "everything": 1, "contained": 1, "root_frames": 2, "root_both": 2}
"""How much each counts where the best pair is chosen."""


def best_by_definition(
    queries: Sequence[ChainSketch], incidents: Sequence[ChainSketch], rarity: Mapping[int, float]
) -> Told:
    """Of the pairs that share most the one that agrees best."""

    def shared(pair: tuple[ChainSketch, ChainSketch]) -> float:
        both = tokens_of(pair[0]) & tokens_of(pair[1]) - {0}
        return math.fsum(rarity.get(token, 1.0) ** SHARPNESS for token in both)

    def total(one: Told) -> float:
        return math.fsum(count * one[name] for name, count in COUNTED.items())

    pairs = sorted(((a, b) for a in queries for b in incidents), key=shared, reverse=True)[:PAIRS]
    found = max((by_definition(a, b, rarity) for a, b in pairs), key=total, default=dict.fromkeys(TRACED, 0.0))
    return found if total(found) > 0 else dict.fromkeys(TRACED, 0.0)


def _frames(chain: ChainSketch, rarity: Mapping[int, float]) -> dict[int, float]:
    weights: dict[int, float] = {}
    for depth, frame in enumerate([frame for exception in chain for frame in exception.frames][:DEEPEST]):
        weights.setdefault(frame, rarity.get(frame, 1.0) ** SHARPNESS * math.exp(-FADE * depth))
    return weights


def _squared(tokens: Iterable[int], rarity: Mapping[int, float]) -> dict[int, float]:
    return {token: rarity.get(token, 1.0) ** SHARPNESS for token in tokens}


def _lines(chain: ChainSketch, frames: Mapping[int, float]) -> dict[tuple[int, int], float]:
    calls = ((f, n) for e in chain for f, n in zip(e.frames, e.lines, strict=False) if n and f in frames)
    return {(f, n): frames[f] for f, n in calls}


def _share(ours: Mapping[object, float], theirs: Mapping[object, float], prior: float) -> float:
    both = ours.keys() & theirs.keys()
    shared = sum(math.sqrt(ours[token] * theirs[token]) for token in both)
    rest = QUERY_ONLY * sum(w for token, w in ours.items() if token not in both)
    rest += INCIDENT_ONLY * sum(w for token, w in theirs.items() if token not in both)
    return shared / (shared + rest + prior)
