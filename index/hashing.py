"""Stable 64-bit names for tokens: the same on every machine and in every process."""

from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b

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
    names = sorted(set(map(token_hash, set(tokens))))
    return np.fromiter(names, dtype=np.uint64, count=len(names))
