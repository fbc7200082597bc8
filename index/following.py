"""How far an engine has followed a store, and what of it could not be indexed."""

import time
from collections.abc import Callable, Mapping, Sequence
from threading import Lock

from index.entry import storable
from index.saved import MANY, TOGETHER, FailedChange, Position, StoreChanges, apply_each, lessons, pages
from kb import store as stores  # SQLAlchemy is imported when a store is opened, not before
from kb.store import IncidentChange
from kb.store.voices import LearnedSightings

AGAIN_SECONDS = 60.0
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
    ) -> None:
        self._apply, self._begin, self._learn = apply, begin, learn
        self._lock = Lock()
        self._tried = time.monotonic()
        self.position = position
        """What has a higher number is not searched yet."""
        self._heard = 0
        """The same number of what readers said, which no snapshot holds."""
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
        """Take some changes: afterwards that position is come to, whatever could be taken of them."""
        self._put(saved.changes)
        if saved.learned:
            self._learn(saved.learned)
        self.position = saved.position

    def _put(self, changes: Sequence[IncidentChange]) -> None:
        failed = apply_each(changes, self._apply)
        known = {storable(change.incident_id) for change in changes}
        self.aside = {name: one for name, one in self.aside.items() if name not in known} | failed

    def _try_again(self, store: "stores.Store") -> None:
        if not self.aside or time.monotonic() - self._tried < AGAIN_SECONDS:
            return
        self._tried = time.monotonic()
        for one in self.aside.values():
            page = store.changes(one.sequence - 1, 1)
            if page and page[0].sequence == one.sequence:  # else it has changed since, and comes by itself
                self._put(page)
