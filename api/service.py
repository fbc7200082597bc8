"""What every door of the service does the same way: take a place, borrow the engine, do the work in a thread, count it."""

from collections.abc import Callable, Mapping
from time import perf_counter
from typing import Annotated, TypeVar

from fastapi import Depends, Request

from api.admission import Admission
from api.live import LiveEngine
from api.metrics import Metrics
from index import Engine
from index.answer import Answer

Result = TypeVar("Result")


class Service:
    """The running service, as the routes and the pages see it."""

    def __init__(self, live: LiveEngine, admission: Admission, metrics: Metrics) -> None:
        self.live = live
        self.admission = admission
        self.metrics = metrics

    async def ask(self, work: Callable[[Engine], Result]) -> Result:
        """The result of ``work`` on the engine that answers now; Problem 503 when there is none or no place."""
        with self.admission.place(), self.live.lease() as engine:
            return await self.run("search", lambda: work(engine))

    async def search(self, text: str, k: int, filters: Mapping[str, str] | None = None, *, door: str) -> Answer:
        """The answer to one paste."""
        answer = await self.ask(lambda engine: engine.search(text, k, filters))
        self.metrics.verdict(answer.verdict, door)
        return answer

    async def run(self, stage: str, work: Callable[[], Result]) -> Result:
        """``work`` in a thread when its turn comes; the wait and the work are timed."""
        asked = perf_counter()

        def timed() -> Result:
            self.metrics.stage("wait", perf_counter() - asked)
            start = perf_counter()
            try:
                return work()
            finally:
                self.metrics.stage(stage, perf_counter() - start)

        return await self.admission.run(timed)


def the_service(request: Request) -> Service:
    """The service of the app that got the request."""
    service: Service = request.app.state.service
    return service


TheService = Annotated[Service, Depends(the_service)]
