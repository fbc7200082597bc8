"""Texts with the word statistics of the real sets: few common words, a long tail, and words that belong to a topic."""

from collections.abc import Callable
from functools import cache, lru_cache

import jieba
import numpy as np

from tests.bench.million.names import chinese, english, hump, invented, mix
from tests.bench.million.plan import STATISTICS

_TOPICAL = 0.35
"""Of the words of a text that belong to its topic."""
_AGAIN = 0.2
"""Of the words of a text that stood in it before, beyond what chance gives."""
_FOREIGN = 0.16
"""Of the words of a Chinese text that are Latin."""
_PIECES = {"en": 0.74, "zh": 0.84}
"""Words as written for each word as counted: humps and hyphens make several of one."""
_RARE = 0.97
"""The known part of usage counts so much less: topics take from the tail what they add to the middle."""


class Vocabulary:
    """The words of one language by rank, and how often each rank is used."""

    def __init__(self, language: str, word: Callable[[int], str]) -> None:
        learned = STATISTICS["words"][language]
        self._covered = _RARE * np.array([0.0, *(share for _, share in learned["covered"])])
        self._logs = np.log2([0.5, *(rank for rank, _ in learned["covered"])])
        self._tail = 1.0 / (1.0 / learned["heaps"] - 1.0)
        self._word = word

    def draw(self, rng: np.random.Generator, count: int, topic: int) -> list[str]:
        """So many words."""
        ranks = self._ranks(rng.random(count), rng.random(count))
        own = np.flatnonzero(rng.random(count) < _TOPICAL)
        local = np.minimum(6.0 * rng.random(len(own)) ** -0.8, 1e6).astype(np.int64)
        ranks[own] = 60 * 2 ** (12 * _scattered(topic, local))
        again = np.flatnonzero(rng.random(count) < _AGAIN)
        ranks[again] = ranks[(again * rng.random(len(again))).astype(np.int64)]
        return [self._word(int(rank)) for rank in ranks]

    def _ranks(self, shares: np.ndarray, others: np.ndarray) -> np.ndarray:
        known = 2 ** np.interp(shares, self._covered, self._logs)
        rare = 2 ** self._logs[-1] * np.minimum(others**-self._tail, 1e6)
        return np.where(shares < self._covered[-1], known, rare)


@cache
def vocabulary(language: str) -> Vocabulary:
    """The words of ``en`` or ``zh``."""
    return Vocabulary(language, _chinese_word if language == "zh" else _english_word)


def text(rng: np.random.Generator, language: str, count: int, topic: int) -> str:
    """About so many words, as the project counts them, with the punctuation between them."""
    count = round(count * _PIECES[language])
    if not count:
        return ""
    words = vocabulary(language).draw(rng, count, topic)
    if language == "en":
        lines = (" ".join(words[at : at + 14]) for at in range(0, len(words), 14))
        return ". ".join(line[:1].upper() + line[1:] for line in lines) + "."
    foreign = np.flatnonzero(rng.random(count) < _FOREIGN)
    for at, word in zip(foreign, vocabulary("en").draw(rng, len(foreign), topic), strict=True):
        words[at] = f" {word} "
    clauses = ("".join(words[at : at + 6]) for at in range(0, len(words), 6))
    return "，".join(clauses).replace("  ", " ") + "。"


def _scattered(topic: int, local: np.ndarray) -> np.ndarray:
    """0 … 1 for each of a topic's own words: where among all words it stands."""
    state = local.astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) + np.uint64(mix(topic & 0xFFFFFFFF))
    state = (state ^ (state >> np.uint64(31))) * np.uint64(0xBF58476D1CE4E5B9)
    return (state >> np.uint64(11)).astype(np.float64) / (1 << 53)


@lru_cache(maxsize=1 << 18)
def _english_word(rank: int) -> str:
    known = english()
    if rank < len(known):
        return known[rank]
    return hump(rank, 2 + rank % 2) if rank % 4 == 0 else invented(rank)


@lru_cache(maxsize=1 << 18)
def _chinese_word(rank: int) -> str:
    known = chinese()
    if rank < len(known):
        return known[rank]
    listed = _dictionary()
    rest = rank - len(known)
    return listed[rest] if rest < len(listed) else listed[mix(rank) % 4000] + listed[mix(rank, 1) % 4000]


@cache
def _dictionary() -> tuple[str, ...]:
    """The words of jieba's dictionary, the commonest first."""
    counts, _ = jieba.Tokenizer().gen_pfdict(jieba.get_dict_file())
    listed = set(chinese())
    kept = [(count, word) for word, count in counts.items() if count and len(word) in (2, 3) and word not in listed]
    return tuple(word for _, word in sorted(kept, key=lambda pair: (-pair[0], pair[1])))
