"""The engine that answers now: it follows `CURRENT` without a restart and without disturbing a running request."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from index import Engine
from index.local_rules import activate_home_rules, check_rules, read_house
from index.storage.place import CandidatePlace
from index.storage.restoring import finish
from index.storage.snapshot import current
from kb.errors import CandidatesError, KbError, SnapshotError
from kb.store import Store

log = logging.getLogger(__name__)

_OPENING = SnapshotError("the snapshot is still being opened", cure="ask again in a few seconds")
RETRY_SECONDS = 30.0
"""A snapshot that did not open is tried again this often, in case its cure was applied in place."""


@dataclass(slots=True)
class _Held:
    engine: Engine
    leases: int = 0
    retired: bool = False


@dataclass(frozen=True, slots=True)
class _Failure:
    snapshot_id: str
    error: KbError
    at: float


class LiveEngine:
    """Lends the engine of the current snapshot. A replaced engine is closed when its last borrower is done."""

    def __init__(
        self,
        home: Path,
        model: str | None = None,
        store: Path | str | None = None,
        candidates: CandidatePlace | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """``clock`` gives the seconds after which a snapshot that did not open is tried again."""
        self._home, self._clock = home, clock
        self._model = model
        self._store = store
        self._candidates = candidates
        self._lock = threading.Lock()
        self._held: _Held | None = None
        self._lent: dict[Engine, _Held] = {}
        self._failure: _Failure | None = None

    @property
    def snapshot_id(self) -> str | None:
        """The snapshot that answers, None before there is one."""
        held = self._held
        return held.engine.snapshot_id if held else None

    @property
    def engine(self) -> Engine | None:
        """The engine that answers, to read figures of; searches borrow it."""
        held = self._held
        return held.engine if held else None

    @property
    def problem(self) -> str | None:
        """Why the snapshot that CURRENT names is not the one that answers; None when it is."""
        failure = self._failure
        return str(failure.error) if failure else None

    @contextmanager
    def lease(self) -> Iterator[Engine]:
        """The engine, for one request. SnapshotError while there is none."""
        with self._lock:
            held = self._held
            if held is None:
                why = self._failure.error if self._failure else _OPENING
                raise SnapshotError(why.problem, cure=why.cure)
            held.leases += 1
            self._lent[held.engine] = held
        try:
            yield held.engine
        finally:
            self._return(held)

    def extend(self, engine: Engine) -> Callable[[], None]:
        """One more loan of an engine that is on loan, for work that may outlive its request; what comes back ends it."""
        with self._lock:
            held = self._lent[engine]
            held.leases += 1
        return lambda: self._return(held)

    def _return(self, held: _Held) -> None:
        with self._lock:
            held.leases -= 1
            if held.leases == 0:
                self._lent.pop(held.engine, None)
            unused = held.retired and held.leases == 0
        if unused:
            held.engine.close()

    @contextmanager
    def lease_if_any(self) -> Iterator[Engine | None]:
        """The same for what can do without; None while there is none."""
        if self._held is None:
            yield None
            return
        with self.lease() as engine:
            yield engine

    def follow(self, store: Store) -> bool:
        """Bring the engine that answers up to what the store says now; False while there is none. Cheap when nothing has changed."""
        with self.lease_if_any() as engine:
            if engine is None:
                return False
            engine.follow(store)
            return True

    def warm(self) -> None:
        """Have the engine read what its lists are made of, and the dictionary of Chinese words, so that no reader waits for it.

        Raises nothing: what is wrong with the files of a snapshot, ``refresh`` finds.
        """
        try:
            with self.lease_if_any() as engine:
                if engine is not None:
                    engine.catalogue()
                    engine.search("预热", 1)
        except Exception as error:  # noqa: BLE001 - files may be damaged in any way, and that ends no service
            log.info("not everything is loaded ahead: %r", error)

    def refresh(self) -> bool:
        """Open the snapshot that CURRENT names when it is not the one in use; True when it was swapped in.

        Blocks while it opens; answers go on from the old engine meanwhile. A snapshot that does not open changes
        nothing but ``problem``; so do rules of the house that were changed and not ingested with.
        """
        wanted = ""
        try:
            finish(self._home, self._store)
            held = self._held
            if held is None:
                activate_home_rules(self._home)  # for the doors that need no snapshot
            wanted = current(self._home).id
            if held is not None and wanted == held.engine.snapshot_id:
                self._check(held.engine)
                check_rules(held.engine.info, read_house(self._home))
                self._failure = None
                return False
            if self._tried(wanted):
                return False
            engine = self._opened()
        except Exception as error:  # noqa: BLE001 - outermost of the watcher: nothing in a new snapshot may end the service
            self._failed(wanted, error)
            return False
        self._swap(engine)
        return True

    def _check(self, engine: Engine) -> None:
        """SnapshotError when the files that answer were written to: then nothing answers any more, until they are mended."""
        try:
            engine.check()
        except SnapshotError:
            self._swap(None)
            raise

    def _opened(self) -> Engine:
        """The engine of the current snapshot with what the store says, after a first search: it loads what is loaded lazily."""
        engine = Engine.open(self._home, self._model, self._store, self._candidates)
        try:
            with suppress(CandidatesError):  # asked again with each search
                engine.search("java.io.IOException", 1)
        except BaseException:
            engine.close()
            raise
        return engine

    def close(self) -> None:
        """Give up the engine; running requests finish first."""
        self._swap(None)

    def _tried(self, snapshot_id: str) -> bool:
        failure = self._failure
        return failure is not None and failure.snapshot_id == snapshot_id and self._clock() - failure.at < RETRY_SECONDS

    def _failed(self, snapshot_id: str, error: Exception) -> None:
        expected = isinstance(error, KbError)
        why = error if isinstance(error, KbError) else _unexpected(snapshot_id, error)
        if self.problem != str(why):
            trace = None if expected else error
            log.warning("snapshot not used: %s (answering from %s)", why, self.snapshot_id, exc_info=trace)
        self._failure = _Failure(snapshot_id, why, self._clock())

    def _swap(self, engine: Engine | None) -> None:
        with self._lock:
            old, self._held = self._held, _Held(engine) if engine else None
            if engine:
                engine.activate()  # for the doors that hide secrets and read traces without it
                self._failure = None
            unused = old is not None and old.leases == 0
            if old is not None:
                old.retired = True
        if old is not None and unused:
            old.engine.close()
        if engine:
            log.info("snapshot %s answers now", engine.snapshot_id)


def _unexpected(snapshot_id: str, error: Exception) -> SnapshotError:
    problem = f"snapshot {snapshot_id} cannot be opened: {error!r}"
    return SnapshotError(problem, cure="`kb snapshots verify` checks it; `kb snapshots rollback` takes the one before")
