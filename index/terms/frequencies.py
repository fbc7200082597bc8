"""In how many incidents each token stands, and so how rare it is.

A young knowledge base cannot tell a rare word from a common one, so counts are blended with a background that is shipped
as data: ``p = (df + m · background) / (N + m)``, where the background weighs like ``m`` further incidents. Rarity is
``ln p / ln p_least`` within 0 … 1: 1 for a token seen nowhere, 0 for one that stands everywhere.
"""

import math
from collections.abc import Iterable, Sequence
from copy import copy
from dataclasses import dataclass, field
from functools import cache, lru_cache
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from index.terms.hashing import Hashes, token_hash
from kb.errors import RulesError

MARK = 1 << 62


@lru_cache(maxsize=1 << 17)
def name_of(token: str) -> int:
    """The 64-bit name of a frame or type token (``f:…``, ``p:…``, ``t:…``, ``r:…``), marked when it is common."""
    plain = token_hash(f"f:{token[2:]}" if token[0] == "p" else token)
    return plain | MARK if is_common(token) else plain & ~MARK


def names_of(tokens: Iterable[str]) -> Hashes:
    """The names of the tokens, in order."""
    return np.fromiter(map(name_of, tokens), dtype=np.uint64)


def is_common(token: str) -> bool:
    """Whether the list has the type (root types like types), or the beginning of the frame, or it is the platform's."""
    if token.startswith("p:"):
        return True
    rules = _rules()
    if token.startswith("f:"):
        return token.startswith(rules.frames)
    return token[2:].rpartition(".")[2] in rules.types


def common_types() -> frozenset[str]:
    """The types on the list, by their last names."""
    return _rules().types


class _Rules:
    """The list, by kind."""

    def __init__(self, text: str) -> None:
        lines = [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
        for line in lines:
            if line[:2] not in ("t:", "f:") or len(line) < 4:
                raise RulesError(f"index/rules/common.txt: {line!r} is neither t:… nor f:…", cure="mend that line")
        self.types = frozenset(line[2:] for line in lines if line[0] == "t")
        self.frames = tuple(line for line in lines if line[0] == "f")


@cache
def _rules() -> _Rules:
    return _Rules(rules_text())


def rules_text() -> str:
    """The bundled list as text."""
    return resources.files("index").joinpath("rules/common.txt").read_text(encoding="utf-8")


BACKGROUND_WEIGHT = 1000.0
"""As many incidents as the background counts for; at 1,000,000 incidents it has faded."""

_UNSEEN = 0.4
"""The document count of a token that was seen nowhere: less than half of once."""
COMMON_SHARE = 0.1
"""A frame or type on the list of common ones counts as if at least every tenth incident had it."""


_FOLD = 16_000_000
"""Names that are held before they are counted: 128 MB."""


class FrequencyWriter:
    """Counts in how many rows each token stands."""

    def __init__(self) -> None:
        self._tokens: Hashes = np.zeros(0, np.uint64)
        self._counts: npt.NDArray[np.int64] = np.zeros(0, np.int64)
        self._waiting: list[Hashes] = []
        self._waiting_size = 0

    def add(self, names: Hashes) -> None:
        """The names of the tokens of some rows, each once a row."""
        self._waiting.append(names)
        self._waiting_size += len(names)
        if self._waiting_size > _FOLD:
            self._fold()

    def write(self, folder: Path, name: str) -> None:
        """Write the tokens ascending and their counts."""
        self._fold()
        np.save(folder / f"{name}.tokens.npy", self._tokens)
        np.save(folder / f"{name}.counts.npy", self._counts.astype(np.uint32))

    def _fold(self) -> None:
        new, times = np.unique(np.concatenate([np.zeros(0, np.uint64), *self._waiting]), return_counts=True)
        tokens = np.concatenate([self._tokens, new])
        self._tokens, inverse = np.unique(tokens, return_inverse=True)
        counts = np.bincount(inverse, np.concatenate([self._counts, times]), minlength=len(self._tokens))
        self._counts = counts.astype(np.int64)
        self._waiting, self._waiting_size = [], 0


@dataclass(frozen=True, slots=True)
class Tally:
    """In how many more rows each token stands, or fewer; never changes."""

    names: Hashes = field(default_factory=lambda: np.zeros(0, np.uint64))
    """Ascending."""
    counts: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, np.int64))

    def plus(self, rows: Sequence[Hashes], by: int) -> "Tally":
        """With the tokens of some rows, each once a row, counted ``by`` times."""
        more, times = np.unique(np.concatenate([np.zeros(0, np.uint64), *rows]), return_counts=True)
        at = self.names.searchsorted(more)
        is_known = np.zeros(len(more), dtype=np.bool_)
        inside = at < len(self.names)
        is_known[inside] = self.names[at[inside]] == more[inside]
        counts = self.counts.copy()
        counts[at[is_known]] += by * times[is_known]
        new = ~is_known
        return Tally(np.insert(self.names, at[new], more[new]), np.insert(counts, at[new], by * times[new]))


class Frequencies:
    """How rare tokens are among ``total`` incidents and the background."""

    def __init__(self, folder: Path, name: str, total: int) -> None:
        self._tokens: Hashes = np.load(folder / f"{name}.tokens.npy", mmap_mode="r").view(np.ndarray)
        counts = np.load(folder / f"{name}.counts.npy", mmap_mode="r").view(np.ndarray)
        self._counts: npt.NDArray[np.uint32] = counts
        self._background = background(name)
        self._marked = name == "frames"
        self._moved = Tally()
        self._total = total
        self._whole = total + BACKGROUND_WEIGHT
        self._least = math.log(_UNSEEN / self._whole)

    def moved(self, tally: Tally, incidents: int) -> "Frequencies":
        """The counts as they are after so many more incidents (or fewer) with the tokens of the tally."""
        then = copy(self)
        then._moved = tally  # noqa: SLF001 - another of this class
        then._whole = self._total + incidents + BACKGROUND_WEIGHT  # noqa: SLF001
        then._least = math.log(_UNSEEN / then._whole)  # noqa: SLF001
        return then

    def rarity(self, names: Hashes) -> npt.NDArray[np.float64]:
        """0 (everywhere) … 1 (nowhere) for each token name."""
        return self.looked_up(names)[0]

    def looked_up(self, names: Hashes) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
        """The rarity of each, and whether it stands anywhere; a frame that does not is of the reader's own application, or new."""
        counts = self.counts(names) + BACKGROUND_WEIGHT * _values_at(*self._background, names)
        shares = np.minimum(np.maximum(counts, _UNSEEN), self._whole) / self._whole  # np.clip takes twice as long
        if self._marked:
            shares = np.where(names & np.uint64(MARK), np.maximum(shares, COMMON_SHARE), shares)
        return np.log(shares) / self._least, counts > 0

    def places(self, names: Hashes) -> npt.NDArray[np.int64]:
        """The place of each name among the tokens of the snapshot; -1 for those that it does not have."""
        at = self._tokens.searchsorted(names)
        inside = np.minimum(at, max(len(self._tokens) - 1, 0))
        has = self._tokens[inside] == names if len(self._tokens) else np.zeros(len(names), np.bool_)
        return np.where(has, at, -1)

    def counts(self, names: Hashes) -> npt.NDArray[np.float64]:
        """In how many rows each token stands."""
        counts = _values_at(self._tokens, self._counts, names)
        return counts + _values_at(self._moved.names, self._moved.counts, names) if len(self._moved.names) else counts


def _values_at(tokens: Hashes, values: npt.NDArray[Any], names: Hashes) -> npt.NDArray[np.float64]:
    """The value beside each name among the ascending tokens, 0 where it is not."""
    if not len(tokens):
        return np.zeros(len(names))
    at = np.minimum(tokens.searchsorted(names), len(tokens) - 1)
    found: npt.NDArray[np.float64] = (values[at] * (tokens[at] == names)).astype(np.float64)
    return found


@cache
def background(name: str) -> tuple[Hashes, npt.NDArray[np.float64]]:
    """Token names, ascending, and the share of documents each stands in, from ``rules/background_<name>.tsv`` (how it was counted: index/README.md)."""
    path = resources.files("index").joinpath(f"rules/background_{name}.tsv")
    hashed = name_of if name == "frames" else token_hash
    shares: dict[int, float] = {}
    if name == "words":  # the name of an everyday exception says as little in a sentence as in a trace
        shares = {token_hash(kind.lower()): COMMON_SHARE for kind in common_types()}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if line.startswith("#") or not line:
            continue
        token, _, share = line.rpartition("\t")
        try:
            shares[hashed(token)] = max(float(share), shares.get(hashed(token), 0.0))
        except ValueError:
            raise RulesError(
                f"rules/background_{name}.tsv line {number}: {share!r} is no number",
                cure="run `python -m index.training.background`",
            ) from None
    names = np.fromiter(sorted(shares), dtype=np.uint64, count=len(shares))
    return names, np.array([shares[name] for name in names.tolist()])
