"""Stable 64-bit names for tokens: the same on every machine and in every process."""

from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b
from typing import TypeVar

import numpy as np
import numpy.typing as npt

Hashes = npt.NDArray[np.uint64]
"""A vector of token names."""


@lru_cache(maxsize=1 << 18)
def token_hash(token: str) -> int:
    """The 64-bit name of a token (BLAKE2b, eight bytes). Lone surrogates are hashed like any other character."""
    return int.from_bytes(blake2b(token.encode("utf-8", "surrogatepass"), digest_size=8).digest(), "little")


def hash_all(tokens: Iterable[str]) -> Hashes:
    """The names of the tokens, in order, repeats kept."""
    return np.fromiter(map(token_hash, tokens), dtype=np.uint64)


def hash_set(tokens: Iterable[str]) -> Hashes:
    """The names of the distinct tokens, ascending."""
    return np.sort(hash_all(set(tokens)))


_Number = TypeVar("_Number", bound=np.generic)


def distinct(numbers: npt.NDArray[_Number]) -> npt.NDArray[_Number]:
    """The numbers, names among them, ascending, each once. For some hundreds numpy's own way takes eight times as long."""
    ordered = np.sort(numbers)
    return ordered[is_first(ordered)]


def is_first(numbers: npt.NDArray[_Number]) -> npt.NDArray[np.bool_]:
    """Whether each number is another than the one before it."""
    found = np.ones(len(numbers), np.bool_)
    np.not_equal(numbers[1:], numbers[:-1], out=found[1:])
    return found


_BUCKETS = 1 << 16


def among(names: Hashes, held: Hashes) -> tuple[npt.NDArray[np.intp], npt.NDArray[np.intp]]:
    """Where in ``held`` there is one of the ascending ``names``, and which one. Most of what is held is told apart by its last 16 bits."""
    is_likely = np.zeros(_BUCKETS, dtype=np.bool_)
    is_likely[names.astype(np.uint16)] = True
    at = np.flatnonzero(is_likely.take(held.astype(np.uint16)))
    which = names.searchsorted(held[at])
    which[which == len(names)] = 0
    hit = names[which] == held[at] if len(names) else np.zeros(0, np.bool_)
    return at[hit], which[hit]
