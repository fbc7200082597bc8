"""Who may search now: a few at once, a bounded queue behind them, and a clear refusal beyond it."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import ParamSpec, TypeVar

import anyio
from anyio import to_thread

from api.problems import overloaded

Parameters = ParamSpec("Parameters")
Result = TypeVar("Result")


class Admission:
    """Lets ``running`` pieces of blocking work run at once, and ``queue`` more requests wait for their turn."""

    def __init__(self, running: int, queue: int) -> None:
        self._limiter = anyio.CapacityLimiter(running)
        self._places = running + queue
        self._inside = 0

    @contextmanager
    def place(self) -> Iterator[None]:
        """A place for one request, however many pieces of work it has; Problem 503 when none is free."""
        if self._inside >= self._places:
            raise overloaded()
        self._inside += 1
        try:
            yield
        finally:
            self._inside -= 1

    async def run(
        self, work: Callable[Parameters, Result], *args: Parameters.args, **kwargs: Parameters.kwargs
    ) -> Result:
        """The result of ``work``, done in a thread when its turn comes."""
        return await to_thread.run_sync(lambda: work(*args, **kwargs), limiter=self._limiter)
