"""What changed rules would do to a snapshot, before they are adopted: each trace fingerprinted under both."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import numpy as np
import numpy.typing as npt

from index.entry import MAX_TRACES
from index.local_rules import check_rules, read_house
from index.storage.documents import Documents
from index.storage.snapshot import check_files, current, read_info
from kb.trace import ExceptionChain, Fingerprint, Level, fingerprints
from kb.trace.custom import CustomRules
from kb.trace.in_force import adopted

_TOGETHER = 256  # incidents fingerprinted between two changes of rules, each of which clears what is remembered
_NAMED = 5  # incidents that are named of a group

Prints = dict[Level, Fingerprint]


@dataclass(frozen=True, slots=True)
class FingerprintChange:
    """One trace whose fingerprints would change: per changed level the basis now and then."""

    incident_id: str
    title: str
    trace: int
    """Which of the incident's traces, counted from one."""
    bases: dict[Level, tuple[tuple[str, ...], tuple[str, ...]]]


@dataclass(frozen=True, slots=True)
class RegroupedTraces:
    """Traces that would come together (several bases before, one after) or apart (one before, several after)."""

    level: Level
    incidents: tuple[str, ...]
    """The first few."""
    traces: int
    before: tuple[tuple[str, ...], ...]
    after: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True)
class Effect:
    """What would happen at one level."""

    changed: int
    """Traces whose fingerprint would change."""
    distinct_before: int
    distinct_after: int
    merging: int
    """Fingerprints after that several of before would come together in."""
    splitting: int
    """Fingerprints of before that would come apart."""


@dataclass(frozen=True, slots=True)
class Trial:
    """The effect of some rules on a snapshot."""

    snapshot_id: str
    rules_now: str
    rules_tried: str
    """Digests; empty for no rules."""
    incidents: int
    incidents_changed: int
    traces: int
    effects: dict[Level, Effect]
    examples: tuple[FingerprintChange, ...]
    merges: tuple[RegroupedTraces, ...]
    splits: tuple[RegroupedTraces, ...]


def try_rules(
    home: Path,
    rules: CustomRules,
    snapshot_id: str | None = None,
    *,
    show: int = 5,
    progress: Callable[[int, int], None] | None = None,
) -> Trial:
    """Both fingerprints of every trace of a snapshot (None: the one in use), compared. 60 bytes a trace are held.

    SnapshotError when there is no such snapshot, or when it was built under other rules than the home has now.
    """
    info = read_info(home / "snapshots" / snapshot_id) if snapshot_id else current(home)
    now = read_house(home)
    check_files(info)
    check_rules(info, now)
    documents = Documents(info.path)
    try:
        trial = _Trial(documents, now, rules)
        for start in range(0, len(documents), _TOGETHER):
            trial.look_at(range(start, min(start + _TOGETHER, len(documents))), show)
            if progress:
                progress(min(start + _TOGETHER, len(documents)), len(documents))
        return trial.result(info.id, show)
    finally:
        documents.close()


class _Trial:
    """The traces seen so far, as numbers."""

    def __init__(self, documents: Documents, now: CustomRules, tried: CustomRules) -> None:
        self._documents = documents
        self._now, self._tried = now, tried
        self._places: list[npt.NDArray[np.uint32]] = []  # row, trace
        self._names: list[npt.NDArray[np.uint64]] = []  # per level the digest before and after, shortened
        self._examples: list[FingerprintChange] = []

    def look_at(self, rows: Sequence[int], show: int) -> None:
        """Fingerprints the traces of these rows under both rules."""
        found = [(row, at, chain) for row in rows for at, chain in enumerate(self._chains(row))]
        places = [(row, at) for row, at, _ in found]
        both = list(zip(*self._both([chain for _, _, chain in found]), strict=True))
        self._places.append(np.array(places, np.uint32).reshape(-1, 2))
        named = [[_short(side[level]) for level in Level for side in pair] for pair in both]
        self._names.append(np.array(named, np.uint64).reshape(-1, 2 * len(Level)))
        for place, (before, after) in zip(places, both, strict=True):
            if len(self._examples) < show and (bases := _changed(before, after)):
                self._examples.append(self._change(place, bases))

    def result(self, snapshot_id: str, show: int) -> Trial:
        """What came out."""
        places = np.concatenate([np.zeros((0, 2), np.uint32), *self._places])
        names = np.concatenate([np.zeros((0, 2 * len(Level)), np.uint64), *self._names])
        sides = {level: (names[:, 2 * i], names[:, 2 * i + 1]) for i, level in enumerate(Level)}
        moved = np.any(names[:, 0::2] != names[:, 1::2], axis=1)
        merges = [g for level, (a, b) in sides.items() for g in self._groups(level, _apart(b, a), b, places, show)]
        splits = [g for level, (a, b) in sides.items() for g in self._groups(level, _apart(a, b), a, places, show)]
        return Trial(
            snapshot_id=snapshot_id,
            rules_now=self._now.digest,
            rules_tried=self._tried.digest,
            incidents=len(self._documents),
            incidents_changed=len(np.unique(places[moved, 0])),
            traces=len(places),
            effects={level: _effect(*side) for level, side in sides.items()},
            examples=tuple(self._examples),
            merges=tuple(merges),
            splits=tuple(splits),
        )

    def _chains(self, row: int) -> tuple[ExceptionChain, ...]:
        return self._documents.incident(row).chains[:MAX_TRACES]

    def _both(self, chains: Sequence[ExceptionChain]) -> tuple[list[Prints], list[Prints]]:
        with adopted(self._now):
            before = [dict(fingerprints(chain)) for chain in chains]
        with adopted(self._tried):
            return before, [dict(fingerprints(chain)) for chain in chains]

    def _change(
        self, place: tuple[int, int], bases: dict[Level, tuple[tuple[str, ...], tuple[str, ...]]]
    ) -> FingerprintChange:
        row, at = place
        incident = self._documents.incident(row)
        return FingerprintChange(incident.id, incident.title, at + 1, bases)

    def _groups(
        self,
        level: Level,
        together: npt.NDArray[np.uint64],
        names: npt.NDArray[np.uint64],
        places: npt.NDArray[np.uint32],
        show: int,
    ) -> Iterator[RegroupedTraces]:
        """The groups with these names, the first ``show``, with the bases of their traces under both rules."""
        for name in together[:show]:
            at = np.flatnonzero(names == name)
            found = [(int(row), int(trace)) for row, trace in places[at[:_TOGETHER]]]
            rows = [row for row, _ in groupby(place[0] for place in found)]
            before, after = self._both([self._chains(row)[trace] for row, trace in found])
            yield RegroupedTraces(
                level,
                tuple(self._documents.id_of(row) for row in rows[:_NAMED]),
                len(at),
                tuple(dict.fromkeys(prints[level].basis for prints in before)),
                tuple(dict.fromkeys(prints[level].basis for prints in after)),
            )


def _changed(before: Prints, after: Prints) -> dict[Level, tuple[tuple[str, ...], tuple[str, ...]]]:
    return {
        level: (before[level].basis, after[level].basis)
        for level in Level
        if before[level].digest != after[level].digest
    }


def _short(fingerprint: Fingerprint) -> int:
    return int(fingerprint.digest[:16], 16)


def _apart(ours: npt.NDArray[np.uint64], theirs: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    """The names of one side that go with several of the other."""
    pairs = np.unique(np.stack([ours, theirs], axis=1), axis=0)
    names, counts = np.unique(pairs[:, 0], return_counts=True)
    several: npt.NDArray[np.uint64] = names[counts > 1]
    return several


def _effect(before: npt.NDArray[np.uint64], after: npt.NDArray[np.uint64]) -> Effect:
    return Effect(
        changed=int(np.count_nonzero(before != after)),
        distinct_before=len(np.unique(before)),
        distinct_after=len(np.unique(after)),
        merging=len(_apart(after, before)),
        splitting=len(_apart(before, after)),
    )
