"""Who may search now: a few at once, a bounded queue behind them, a time for each, and a clear refusal beyond that."""

import asyncio
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from contextvars import copy_context
from typing import TypeVar

from api.contract.problems import overloaded, too_slow
from index.stages import stop_when

Result = TypeVar("Result")


class Admission:
    """Lets ``running`` pieces of blocking work run at once, and ``queue`` more requests wait for their turn.

    A thread cannot be stopped: work that is out of time has its caller refused and goes on in its thread, which takes
    part again when the work ends; redaction ends as soon as nobody waits for it. So never more than ``running`` run, whatever was given up.
    """

    def __init__(self, running: int, queue: int) -> None:
        self._running = running
        self._places = running + queue
        self._inside = 0
        self._lost = 0
        self._lock = threading.Lock()
        self._threads = ThreadPoolExecutor(running, "search")

    @property
    def in_use(self) -> int:
        """How many requests have a place."""
        return self._inside

    @property
    def free(self) -> int:
        """How many more requests may come."""
        return max(0, self._places - self._inside)

    @property
    def lost(self) -> int:
        """How many threads are busy with work whose caller was refused."""
        return self._lost

    @property
    def is_stuck(self) -> bool:
        """Whether nothing can run, because every thread is busy with what nobody waits for."""
        return self._lost >= self._running

    @contextmanager
    def place(self) -> Iterator[None]:
        """A place for one request, however many pieces of work it has; Problem 503 when none is free."""
        if not self.free:
            raise overloaded()
        self._inside += 1
        try:
            yield
        finally:
            self._inside -= 1

    async def run(
        self, work: Callable[[], Result], seconds: float, ended: Callable[[], object] = lambda: None
    ) -> Result:
        """The result of ``work``, done in a thread when its turn comes; Problem 503 when it is not there in time.

        ``ended`` is called once the work is over or will never begin, which can be after the refusal.
        """
        gone = threading.Event()
        context = copy_context()
        context.run(stop_when, gone.is_set)
        future = self._threads.submit(context.run, work)
        future.add_done_callback(lambda _: ended())
        result = asyncio.wrap_future(future)
        try:
            await asyncio.wait((result,), timeout=seconds)
            if result.done():
                return result.result()
            raise too_slow(seconds)
        finally:
            if not result.done():
                gone.set()
                self._give_up(future)
                result.cancel()  # nobody will ask for it

    def close(self) -> None:
        """No more work; what waits never begins, what runs is not waited for."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    def _give_up(self, future: Future[Result]) -> None:
        if future.cancel():
            return
        with self._lock:
            self._lost += 1
        future.add_done_callback(self._release_lost)

    def _release_lost(self, _: Future[Result]) -> None:
        with self._lock:
            self._lost -= 1
