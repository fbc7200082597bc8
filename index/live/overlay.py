"""What was saved since the snapshot was built, searched together with it.

Rarity is counted over both: what a change adds is added, what it replaces or removes is taken away. So an answer is the one that
the next snapshot will give (index/README.md, "Overlay").
"""

from collections.abc import Iterable, Sequence

from index.encoder import Encoder
from index.entry import entries, storable
from index.holdings import Holdings
from index.live.recent import RecentEntry, RecentRows, RecentSegment, rows_of
from index.live.saved import read_incidents
from index.storage.segment import SnapshotSegment, mean_lengths
from index.terms.frequencies import Tally
from index.terms.hashing import Hashes
from kb.store import IncidentChange


class Overlay:
    """Takes changes in; each costs time by its own size and by how many there were, not by the size of the snapshot."""

    def __init__(self, snapshot: SnapshotSegment, encoder: Encoder) -> None:
        self._snapshot = snapshot
        self._encoder = encoder
        self._applied: dict[str, int] = {}
        self._held = RecentRows(encoder.dim)
        self._latest: dict[str, int] = {}
        self._hidden: set[int] = set()
        self._words, self._frames = Tally(), Tally()
        self._searchable = self._with_traces = 0
        """How many incidents there are more than in the snapshot, or fewer."""
        self._lengths = (0, 0)
        """And how many distinct words and frames they have, added up."""

    def __len__(self) -> int:
        """How many incidents are otherwise than in the snapshot, or gone, or new."""
        return len(self._applied)

    def apply(self, changes: Iterable[IncidentChange]) -> Holdings | None:
        """The snapshot and everything applied so far; None when all of it was known. In any order, any number of times.

        One thread at a time may apply. What was given out before stays as it is.
        """
        fresh = self._fresh(changes)
        if not fresh:
            return None
        incidents = read_incidents(fresh.values())
        rows = rows_of(entries(incidents, self._encoder))  # the only thing that may fail: nothing is changed yet
        self._take_away(fresh)
        self._put_in(rows)
        self._applied |= {incident_id: change.sequence for incident_id, change in fresh.items()}
        return self._holdings()

    def _fresh(self, changes: Iterable[IncidentChange]) -> dict[str, IncidentChange]:
        """By id, the last change of each incident that has changed since."""
        fresh: dict[str, IncidentChange] = {}
        for change in changes:
            incident_id = storable(change.incident_id)
            known = fresh[incident_id].sequence if incident_id in fresh else self._applied.get(incident_id)
            if known is None or change.sequence > known:
                fresh[incident_id] = change
        return fresh

    def _take_away(self, ids: Iterable[str]) -> None:
        """Hide what the incidents said until now, and count it no more."""
        words: list[Hashes] = []
        frames: list[Hashes] = []
        for incident_id in ids:
            recent, row = self._latest.pop(incident_id, None), self._snapshot.documents.row_of(incident_id)
            if recent is not None:
                words.append(self._held.rows[recent].words)
                frames.append(self._held.rows[recent].frames)
                self._searchable -= self._held.rows[recent].is_searchable
            elif row is not None and row not in self._hidden:
                self._hidden.add(row)
                if len(self._snapshot.columns["facets"][row]):  # no duplicate
                    words.append(self._snapshot.columns["terms"][row])
                    frames.append(self._snapshot.frames_of(row))
                    self._searchable -= 1
        self._count(words, frames, -1)

    def _put_in(self, rows: Sequence[RecentEntry]) -> None:
        for row in rows:
            self._latest[row.id] = self._held.append(row)
            self._searchable += row.is_searchable
        self._count([row.words for row in rows], [row.frames for row in rows], 1)

    def _count(self, words: Sequence[Hashes], frames: Sequence[Hashes], by: int) -> None:
        self._words = self._words.plus(words, by)
        self._frames = self._frames.plus(frames, by)
        self._with_traces += by * sum(len(names) > 0 for names in frames)
        self._lengths = (self._lengths[0] + by * sum(map(len, words)), self._lengths[1] + by * sum(map(len, frames)))

    def _holdings(self) -> Holdings:
        latest = dict(self._latest)
        recent = RecentSegment(self._held, len(self._held.rows), latest)
        snapshot = self._snapshot
        searchable = snapshot.searchable + self._searchable
        words, frames = (there + more for there, more in zip(snapshot.lengths, self._lengths, strict=True))
        return Holdings(
            segments=(snapshot.hiding(frozenset(self._hidden)), recent),
            words=snapshot.words.moved(self._words, self._searchable),
            frames=snapshot.frames.moved(self._frames, self._with_traces),
            searchable=searchable,
            means=mean_lengths((words, frames), searchable),
        )
