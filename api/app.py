"""The service: routes, pages, and the watcher that follows the current snapshot."""

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from importlib.resources import files
from typing import Any

import anyio
from anyio import to_thread
from fastapi import FastAPI
from starlette.staticfiles import StaticFiles

from api import pages, problems
from api.admission import Admission
from api.live import LiveEngine
from api.metrics import Metrics
from api.middleware import BodyLimit, Envelope
from api.routes import health, incidents, search
from api.schemas import add_problem_schema
from api.service import Service
from api.settings import ServiceSettings

log = logging.getLogger(__name__)

DESCRIPTION = """Paste a stack trace, a log excerpt or a question, in Chinese or English; get the closest known incidents
with their root cause and fix, how sure the answer is, and why. Failures are problem documents (RFC 9457)."""


class Dejastack(FastAPI):
    """FastAPI, whose description also has the shape of a problem."""

    def openapi(self) -> dict[str, Any]:
        """The OpenAPI document."""
        if self.openapi_schema is None:
            self.openapi_schema = add_problem_schema(super().openapi())
        return self.openapi_schema


def create_app(settings: ServiceSettings) -> FastAPI:
    """The whole service over the home that ``settings`` names. It starts before there is a snapshot, and says so."""
    metrics = Metrics()
    live = LiveEngine(settings.home, settings.model)
    app = Dejastack(
        title="dejastack",
        version=version("dejastack"),
        description=DESCRIPTION,
        lifespan=_lifespan,
        docs_url=None,  # both would load their scripts from elsewhere; the description itself is at /openapi.json
        redoc_url=None,
        redirect_slashes=False,
    )
    app.state.settings = settings
    app.state.service = Service(live, Admission(settings.concurrency, settings.queue), metrics)
    app.add_middleware(BodyLimit, limit=settings.max_body_bytes)
    app.add_middleware(Envelope, metrics=metrics)
    problems.install(app)
    pages.install(app)
    for room in (search, incidents, health):
        app.include_router(room.router)
    app.mount("/static", StaticFiles(directory=str(files("api") / "static")), name="static")
    return app


def set_up_logging() -> None:
    """Our own lines from INFO, the libraries' from WARNING, on standard error."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(message)s")
    logging.getLogger("api").setLevel(logging.INFO)


def app_from_environment() -> FastAPI:
    """The app of one worker process; its settings come from the environment."""
    set_up_logging()
    return create_app(ServiceSettings.load())


@asynccontextmanager
async def _lifespan(app: FastAPI) -> AsyncIterator[None]:
    service: Service = app.state.service
    await to_thread.run_sync(_refresh, service)
    async with anyio.create_task_group() as tasks:
        tasks.start_soon(_watch, service, app.state.settings.poll_seconds)
        yield
        tasks.cancel_scope.cancel()
    service.live.close()


async def _watch(service: Service, poll_seconds: float) -> None:
    while True:
        await anyio.sleep(poll_seconds)
        await to_thread.run_sync(_refresh, service)


def _refresh(service: Service) -> None:
    if service.live.refresh() and (snapshot_id := service.live.snapshot_id):
        service.metrics.snapshot(snapshot_id)
