"""What is kept of an incident's words, so that near-duplicates are found without reading the texts again.

A text becomes the set of its *shingles*: runs of four tokens (a word, a number, one Chinese character), hashed to 64 bits.
``sample`` keeps the 256 smallest hashes (bottom-k): the share of equal ones among the 256 smallest of both is an unbiased
estimate of the Jaccard similarity (Broder 1997), exact for texts of up to 256 shingles, and off by at most 0.025 (one standard
deviation, at 0.8) beyond. ``bands`` are 16 hashes of 4 MinHash values each: two texts of similarity s share at least
one with probability 1 - (1 - s^4)^16, that is 0.9998 at 0.8 and 0.23 at 0.36.
"""

import re
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from index.terms.hashing import Hashes, distinct
from kb.incident import Incident, fields_of
from kb.language import simplify

SHINGLE = 4
SAMPLE = 256
STATED_SAMPLE = 64
BANDS, ROWS = 16, 4
_LONGEST = 200_000  # characters looked at; what follows in a longer text does not make it another problem

_PLACED = frozenset(("symptom", "root_cause", "fix"))
_TOKEN = re.compile(r"[0-9a-z_]+|[\u3400-\u9fff]")
_GOLDEN, _FIRST, _SECOND = (np.uint64(n) for n in (0x9E3779B97F4A7C15, 0xBF58476D1CE4E5B9, 0x94D049BB133111EB))
_27, _30, _31, _32 = (np.uint64(bits) for bits in (27, 30, 31, 32))
_SEEDS = np.random.default_rng(20260701).integers(1, 2**63, size=(2, BANDS * ROWS), dtype=np.uint64)
_MULTIPLY, _ADD = _SEEDS[0] | np.uint64(1), _SEEDS[1]
_BLOCK = 512  # hashes whose products stay in a core's own memory


@dataclass(frozen=True, slots=True)
class Shingled:
    """What is kept of one incident. The numbers are 64-bit hashes, read as signed."""

    sample: list[int]
    bands: list[int]
    stated: list[int]
    """The sample of the stated cause and fix alone; empty when neither is stated."""
    rank: str
    """Sorts the incidents of a group: the first is the canonical one."""

    @property
    def columns(self) -> dict[str, object]:
        """The values by the names of `ingest.schemas.SHINGLE_FIELDS`."""
        return {"sample": self.sample, "bands": self.bands, "told": self.stated, "rank": self.rank}


def shingled(incident: Incident, exact: Iterable[str]) -> Shingled:
    """The incident's hashes; ``exact`` are its EXACT fingerprint digests, each of which counts as a shingle."""
    stated = "\n".join(filter(None, (incident.root_cause, incident.fix)))
    others = (
        getattr(incident, one.name) for one in fields_of(type(incident)) if one.is_prose and one.name not in _PLACED
    )
    words = "\n".join(filter(None, (incident.title, incident.symptom, stated, *others)))
    traces = np.array([int(digest[:16], 16) for digest in exact], np.uint64)
    hashes = distinct(np.concatenate((shingles(words), traces)))
    return Shingled(
        sample=_signed(hashes[:SAMPLE]),
        bands=_signed(bands(hashes)),
        stated=_signed(shingles(stated)[:STATED_SAMPLE]),
        rank=rank(incident, len(words)),
    )


def shingles(text: str) -> Hashes:
    """The hashes of all shingles of ``text``, sorted, each once; a text shorter than one shingle is one shingle."""
    tokens = _TOKEN.findall(simplify(text[:_LONGEST]).lower())
    if not tokens:
        return np.empty(0, np.uint64)
    known = {token: zlib.crc32(token.encode()) for token in set(tokens)}
    hashed = _mix(np.fromiter(map(known.__getitem__, tokens), np.uint64, len(tokens)))
    width = min(SHINGLE, len(tokens))
    joined = np.zeros(len(tokens) - width + 1, np.uint64)
    for at in range(width):
        joined = _mix(joined + hashed[at : at + len(joined)])
    return distinct(joined)


def _mix(values: Hashes) -> Hashes:
    """SplitMix64: spreads every bit of the input over the whole output."""
    values = values + _GOLDEN
    values ^= values >> _30
    values *= _FIRST
    values ^= values >> _27
    values *= _SECOND
    values ^= values >> _31
    return values


def bands(hashes: Hashes) -> Hashes:
    """`BANDS` hashes over `ROWS` MinHash values each; none for an empty set."""
    if not len(hashes):
        return np.empty(0, np.uint64)
    smallest = np.full(BANDS * ROWS, np.iinfo(np.uint64).max, np.uint64)
    for start in range(0, len(hashes), _BLOCK):
        block = hashes[start : start + _BLOCK, None] * _MULTIPLY
        block += _ADD
        smallest = np.minimum(smallest, block.min(axis=0))
    band = np.arange(BANDS, dtype=np.uint64)
    for row in (smallest >> _32).reshape(BANDS, ROWS).T:
        band = _mix(band + row)
    return band


def jaccard(a: Sequence[int], b: Sequence[int], size: int = SAMPLE) -> float:
    """The estimated Jaccard similarity of two texts by their samples of at most ``size`` hashes; 0 when both are empty."""
    left, right = (np.asarray(hashes, np.int64).view(np.uint64) for hashes in (a, b))
    union = np.union1d(left, right)[:size]
    if not len(union):
        return 0.0
    both = np.intersect1d(left, right, assume_unique=True)
    return float(np.isin(union, both, assume_unique=True).sum() / len(union))


def rank(incident: Incident, length: int) -> str:
    """Canonical first: the most complete, then the earliest created, then the longest, then by id.

    Completeness comes before age because the canonical write-up is the one whose cause and fix are shown.
    """
    stated = sum(bool(part) for part in (incident.root_cause, incident.fix, incident.chains))
    return f"{3 - stated}|{incident.created or '9999'}|{10**9 - length:010d}|{incident.id}"


def _signed(hashes: Hashes) -> list[int]:
    signed: list[int] = hashes.view(np.int64).tolist()
    return signed
