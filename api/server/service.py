"""What every door of the service does the same way: take a place, borrow the engine, do the work in a thread, count it."""

import asyncio
import logging
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path
from time import monotonic, perf_counter
from typing import Annotated, TypeVar

import structlog
from anyio import to_thread
from fastapi import Depends, Request

from api.contract.problems import HttpProblem, no_snapshot, stopping, store_closed, stuck, too_slow
from api.observability import tracing
from api.observability.metrics import Metrics
from api.server.admission import Admission
from api.server.live import LiveEngine
from api.server.tally import SearchTally
from index import Engine
from index.answer import Answer
from index.stages import listening
from kb.store import Store

log = logging.getLogger(__name__)

Result = TypeVar("Result")
LOOKUPS = 4
"""Threads that find out who asks."""


@dataclass(frozen=True, slots=True)
class AnswerCounts:
    """Where answers are counted: of the process, and over days."""

    metrics: Metrics
    tally: SearchTally


class Service:
    """The running service, as the routes and the pages see it."""

    def __init__(self, live: LiveEngine, admission: Admission, counts: AnswerCounts, search_seconds: float) -> None:
        self.live = live
        self.admission = admission
        self.metrics = counts.metrics
        self.tally = counts.tally
        self.is_stopping = False
        """Set when the process was told to end: it says so in `/readyz` and closes each connection after its answer."""
        self._seconds = search_seconds
        self._lookups = Admission(LOOKUPS, 0)
        self._store: Store | None = None
        self._is_behind = False
        self._followed = monotonic()
        self._saved = asyncio.Event()
        self._waiting: list[asyncio.Future[bool]] = []

    @property
    def unready(self) -> HttpProblem | None:
        """Why it cannot answer a search now; None when it can."""
        if self.is_stopping:
            return stopping()
        if self.live.snapshot_id is None:
            return no_snapshot(self.live.problem or "The snapshot is still being opened.")
        return stuck() if self.admission.is_stuck else None

    @property
    def trouble(self) -> str | None:
        """What an operator should know although searches are answered: why a newer snapshot is not used, that nothing can be saved, or that Milvus does not answer."""
        if self._store is not None and self._store.is_full:
            return "The disk of the store is full: nothing can be saved. Make room on it."
        if (
            self.live.problem is None and self.candidates_fault
        ):  # anybody may read it, so not the fault itself: it names an address
            return "Milvus, where candidates come from, does not answer: `kb doctor` says why."
        return self.live.problem

    @property
    def candidates_fault(self) -> str | None:
        """Why candidates do not come from where `KB_CANDIDATES` says; None when they do."""
        engine = self.live.engine
        return engine.candidates_fault if engine else None

    @property
    def store(self) -> Store:
        """The store of curated incidents; Problem 503 before it is open."""
        if self._store is None:
            raise store_closed()
        return self._store

    @property
    def behind(self) -> float:
        """For how many seconds searches have not agreed with the store; 0 while they are brought up to it as usual."""
        return monotonic() - self._followed if self._is_behind else 0.0

    @property
    def set_aside(self) -> int:
        """How many incidents are searched as they were before, or not at all, because a change of them cannot be indexed."""
        engine = self.live.engine
        return len(engine.aside) if engine else 0

    def is_aside(self, incident_id: str) -> bool:
        """Whether that is one of them."""
        engine = self.live.engine
        return engine is not None and incident_id in engine.aside

    def open_store(self, place: str | Path) -> None:
        """Open it, once a worker; StoreError when it cannot be used."""
        self._store = Store.open(place)

    def close(self) -> None:
        """Let go of the engine and of the store."""
        self.live.close()
        self._lookups.close()
        if self._store is not None:
            self._store.close()
            self._store = None

    async def in_store(self, work: Callable[[Store, Engine | None], Result]) -> Result:
        """The result of ``work`` on the store and on what is searched (None while nothing is)."""
        with self.admission.place(), self.live.lease_if_any() as engine:
            return await self.run("store", lambda: work(self.store, engine), engine)

    async def follow(self) -> bool:
        """Wait until what was saved is searched in this worker, in bounded time; whether it is. What was saved is saved: nothing raises here.

        Nobody waits in a thread: those are for searches, which go on while a long backlog is taken in.
        """
        started = perf_counter()
        searched: asyncio.Future[bool] = asyncio.get_running_loop().create_future()
        self._waiting.append(searched)
        self._saved.set()
        await asyncio.wait((searched,), timeout=self._seconds)
        self.metrics.stage("follow", perf_counter() - started)
        return searched.done() and searched.result()

    async def keep_following(self, seconds: float) -> None:
        """Bring what is searched up to what the store says, every so many seconds and whenever something was saved here."""
        while True:
            with suppress(TimeoutError):
                await asyncio.wait_for(self._saved.wait(), seconds)
            self._saved.clear()
            waiting, self._waiting = self._waiting, []
            is_searched = await to_thread.run_sync(self.try_to_follow)
            for searched in waiting:
                if not searched.done():
                    searched.set_result(is_searched)

    def try_to_follow(self) -> bool:
        """Bring it up now; whether it is. A failure is logged, and it is tried again soon."""
        try:
            is_searched = self._store is not None and self.live.follow(self._store)
            self._is_behind = False
            self._followed = monotonic()
        except Exception:
            if not self._is_behind:  # it is tried five times a second
                log.exception("what is searched does not follow the store")
            self._is_behind = True
            return False
        return is_searched

    async def ask(self, work: Callable[[Engine], Result]) -> Result:
        """The result of ``work`` on the engine that answers now; Problem 503 when there is none, no place or no time."""
        with self.admission.place(), self.live.lease() as engine:
            return await self.run("search", lambda: work(engine), engine)

    async def search(
        self, text: str, k: int, filters: Mapping[str, str] | None = None, *, door: str, lang: str | None = None
    ) -> Answer:
        """The answer to one paste, in a language (None: that of the paste)."""
        with self.admission.place(), self.live.lease() as engine:
            answer = await self.run("search", partial(engine.search, text, k, filters, lang=lang), engine)
        self.gave(answer, door, text)
        return answer

    def gave(
        self, answer: Answer, door: str, text: str = "", *, by: str | None = None, is_another_look: bool = False
    ) -> None:
        """Count an answer to a text given at a door (``http``, ``page``, ``mcp``), and put its verdict on the request's log line.

        ``by``: see `SearchTally.note`. ``is_another_look``: nobody has asked anew, so the dashboard does not count it.
        """
        self.metrics.verdict(answer.verdict, door)
        if not is_another_look:
            self.tally.note(answer, door, text, by=by)
        structlog.contextvars.bind_contextvars(verdict=str(answer.verdict))

    def count(self) -> None:
        """Bring the figures of what is in use up to date."""
        if engine := self.live.engine:
            built = datetime.fromisoformat(engine.info.manifest.built)
            self.metrics.snapshot(engine.snapshot_id, built.timestamp())
            self.metrics.overlay(engine.overlay_size, engine.position.sequence)
        self.metrics.following(self.behind, self.set_aside)
        self.metrics.candidates(is_down=self.candidates_fault is not None)
        self.metrics.places(self.admission.in_use, self.admission.free, self.admission.lost)

    async def look_up(self, work: Callable[[], Result]) -> Result:
        """Short ``work`` about who asks and what they sent, which does not wait for searches; Problem 503 when it is not done in time."""
        start = perf_counter()
        try:
            return await self._lookups.run(work, self._seconds)
        finally:
            self.metrics.stage("access", perf_counter() - start)

    async def run(self, stage: str, work: Callable[[], Result], engine: Engine | None = None) -> Result:
        """``work`` in a thread when its turn comes; the wait and the work are timed, and end in 503 when time is up.

        An ``engine`` on loan stays so until the work is over, which can be later than the answer.
        """
        started = perf_counter()

        def timed() -> Result:
            self.metrics.stage("wait", perf_counter() - started)
            with listening(lambda name: self._stage(name, started)), self._stage(stage, started):
                return work()

        ended = self.live.extend(engine) if engine else lambda: None
        return await self.admission.run(timed, self._seconds, ended)

    @contextmanager
    def _stage(self, name: str, begun: float) -> Iterator[None]:
        """Time a stage; one that would begin too late does not."""
        start = perf_counter()
        if start - begun > self._seconds:
            raise too_slow(self._seconds)
        with tracing.span(name):
            try:
                yield
            finally:
                self.metrics.stage(name, perf_counter() - start)


def the_service(request: Request) -> Service:
    """The service of the app that got the request."""
    service: Service = request.app.state.service
    return service


TheService = Annotated[Service, Depends(the_service)]
