"""What curators saved: into a snapshot when it is built, and over it afterwards."""

import logging
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from threading import Lock

import pyarrow as pa
import pyarrow.compute as pc

from index.encoder import Encoder
from index.entry import entries, storable
from index.storage.snapshot import SnapshotManifest
from kb import store as stores  # SQLAlchemy is imported when a store is opened, not before
from kb.incident import Incident
from kb.record import read_chains
from kb.store import IncidentChange
from kb.store.voices import LearnedSightings

log = logging.getLogger(__name__)

TOGETHER = 8
"""Changes read and applied in one batch: about 30 ms of a core, beside which searches go on."""
MANY = 256
"""The same where nothing is searched yet."""


@dataclass(frozen=True, slots=True)
class Position:
    """How far a store was followed."""

    store_id: str = ""
    sequence: int = 0

    @classmethod
    def of(cls, manifest: SnapshotManifest) -> "Position":
        """Up to where a snapshot holds a store."""
        return cls(manifest.store_id, manifest.store_sequence)

    @classmethod
    def now(cls, store: "stores.Store") -> "Position":
        """Where a store is."""
        head = store.head()
        return cls(head.store_id, head.sequence)

    def within(self, store_id: str) -> int:
        """Return the sequence number that was reached in the store with this id; 0 for any other store."""
        return self.sequence if store_id == self.store_id else 0


@dataclass(frozen=True, slots=True)
class StoreChanges:
    """All that a store has over a snapshot, to be carried to where the store is not."""

    position: Position
    changes: tuple[IncidentChange, ...] = field(compare=False, repr=False)
    learned: tuple[LearnedSightings, ...] = field(default=(), compare=False, repr=False)
    """What readers confirmed and denied, which no snapshot holds."""

    @classmethod
    def since(cls, manifest: SnapshotManifest, store: "stores.Store | None") -> "StoreChanges":
        """What is there now; of no store, nothing."""
        position = Position.of(manifest)
        if store is None:
            return cls(position, ())
        now = Position.now(store)
        found = pages(store, position.within(now.store_id), now.sequence)
        learned = tuple(one for page in lessons(store, 0) for one in page)
        return cls(now, tuple(change for page, _ in found for change in page), learned)


@dataclass(frozen=True, slots=True)
class FailedChange:
    """A change that could not be indexed: the incident is searched as it was before, or not at all."""

    sequence: int
    fault: str
    """The name of an error. Its words may hold a text."""


class UnreadableError(ValueError):
    """A record in the store that no code of ours wrote."""


def apply_each(
    changes: Sequence[IncidentChange], take: Callable[[Sequence[IncidentChange]], object]
) -> dict[str, FailedChange]:
    """Apply changes together, or one by one if that fails. Return those that cannot be applied, by id; they hold up no other."""
    try:
        take(changes)
    except Exception as error:
        if len(changes) > 1:
            return {name: one for change in changes for name, one in apply_each((change,), take).items()}
        (change,) = changes
        fault = change.fault or type(error).__name__
        log.exception("a change of the store cannot be indexed: change %d, %s", change.sequence, fault)
        return {storable(change.incident_id): FailedChange(change.sequence, fault)}
    return {}


@contextmanager
def opened(home: Path | str, place: Path | str | None = None) -> Iterator["stores.Store | None"]:
    """The store at a place (None: where a home has it); None where there is no such file."""
    place = Path(home) / "store.db" if place is None else place
    if isinstance(place, Path) and not place.exists():
        yield None
        return
    with stores.Store.open(place) as store:
        yield store


def pages(
    store: "stores.Store", after: int, upto: int, together: int = TOGETHER
) -> Iterator[tuple[Sequence[IncidentChange], int]]:
    """Yield the changes between two sequence numbers in order, a page at a time, each with the number reached.

    The last page may hold what is newer than ``upto``.
    """
    while after < upto:
        page = store.changes(after, together)
        last = page[-1].sequence if page else after
        after = last if len(page) == together else max(last, upto)
        yield page, after


def lessons(store: "stores.Store", after: int) -> Iterator[Sequence[LearnedSightings]]:
    """What readers confirmed and denied since a number, a page at a time, up to now."""
    while page := store.sightings.learned(after, MANY):
        yield page
        after = page[-1].sequence


def read_incidents(changes: Iterable[IncidentChange]) -> list[Incident]:
    """The incidents that are searched after some changes, their traces read under the rules in force."""
    found = []
    for change in changes:
        if change.fault is not None:
            raise UnreadableError(change.fault)
        if change.incident is not None:
            found.append(change.incident)
    return [replace(one, chains=read_chains(one.traces)) for one in found]


def is_followed(position: Position, store: "stores.Store") -> bool:
    """Whether nothing became otherwise in search since."""
    return not store.changes(position.within(store.head().store_id), 1)


def joined(
    batches: Iterable[pa.RecordBatch], store: "stores.Store", upto: int, encoder: Encoder
) -> Iterator[pa.RecordBatch]:
    """The entries of articles, without those that the store decides about; behind them the store's own, up to a number.

    What changes meanwhile has a higher number, and lies over the snapshot afterwards.
    """
    decided = pa.array([storable(one) for one in store.decided()], pa.string())
    for batch in batches:
        kept = batch.filter(pc.invert(pc.is_in(batch.column("id"), value_set=decided)))
        if kept.num_rows:
            yield kept
    for page, _ in pages(store, 0, upto):
        batches_of_page: list[pa.RecordBatch] = []

        def take(changes: Sequence[IncidentChange], found: list[pa.RecordBatch] = batches_of_page) -> None:
            if incidents := read_incidents(changes):
                found.append(entries(incidents, encoder))

        apply_each(
            [change for change in page if change.sequence <= upto], take
        )  # what cannot be indexed is logged, and left out
        yield from batches_of_page


_AGAIN_SECONDS = 60.0
"""What could not be indexed is tried again so often: memory may have been short, or a model away."""
_REST = 1.0
"""Rest after a page of changes, in the time that the page took."""


class StoreFollower:
    """Takes a store's changes in order. One that cannot be indexed is set aside and holds up no other."""

    def __init__(
        self,
        position: Position,
        apply: Callable[[Sequence[IncidentChange]], object],
        begin: Callable[[], object],
        learn: Callable[[Sequence[LearnedSightings]], object],
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._apply, self._begin, self._learn = apply, begin, learn
        self._lock = Lock()
        self._clock = clock  # in seconds
        self._tried = clock()
        self.position = position
        """What has a higher number is not searched yet."""
        self._heard = 0
        """The sequence number of the readers' votes, which no snapshot holds."""
        self.aside: Mapping[str, FailedChange] = {}
        """By id, what could not be indexed: those incidents are searched as they were before, or not at all."""

    def follow(self, store: "stores.Store") -> int:
        """Take all that changed since the last time, with rests in which searches have the processor; how many incidents did."""
        return self._go_on(store, TOGETHER, _REST)

    def catch_up(self, store: "stores.Store") -> int:
        """The same while nothing is searched yet."""
        return self._go_on(store, MANY, 0.0)

    def _go_on(self, store: "stores.Store", together: int, rest: float) -> int:
        with self._lock:
            head, count = store.head(), 0
            if head.store_id != self.position.store_id:
                self._begin()
                self.position, self.aside, self._heard = Position(head.store_id), {}, 0
            self._try_again(store)
            if self._heard < head.sequence:
                for learned in lessons(store, self._heard):
                    self._learn(learned)
                self._heard = head.sequence
            started = time.perf_counter()
            for page, reached in pages(store, self.position.sequence, head.sequence, together):
                self.take(StoreChanges(Position(head.store_id, reached), tuple(page)))
                count += len(page)
                if reached < head.sequence:
                    time.sleep(rest * (time.perf_counter() - started))
                    started = time.perf_counter()
            return count

    def take(self, saved: StoreChanges) -> None:
        """Apply some changes and move to their position, also when some of them cannot be applied."""
        self._put(saved.changes)
        if saved.learned:
            self._learn(saved.learned)
        self.position = saved.position

    def _put(self, changes: Sequence[IncidentChange]) -> None:
        failed = apply_each(changes, self._apply)
        known = {storable(change.incident_id) for change in changes}
        self.aside = {name: one for name, one in self.aside.items() if name not in known} | failed

    def _try_again(self, store: "stores.Store") -> None:
        if not self.aside or self._clock() - self._tried < _AGAIN_SECONDS:
            return
        self._tried = self._clock()
        for one in self.aside.values():
            page = store.changes(one.sequence - 1, 1)
            if page and page[0].sequence == one.sequence:  # else it has changed since, and comes by itself
                self._put(page)


Take = Callable[[StoreFollower], object]
"""Brings an engine that was just opened up to what a store says."""
