"""The service: routes, pages, and the watcher that follows the current snapshot."""

import logging
from importlib.metadata import version
from importlib.resources import files
from typing import Any

from fastapi import FastAPI
from starlette.middleware.cors import CORSMiddleware
from starlette.staticfiles import StaticFiles

from api import pages
from api.access.entrance import Entrance
from api.access.hosts import KnownHosts
from api.chat import dead_letters, page
from api.chat import routes as chat
from api.chat.context import ChatSetup, make_context
from api.contract import problems
from api.contract.description import complete
from api.hooks import routes as hooks
from api.hooks.settings import HookSettings
from api.hooks.webhook import deliveries
from api.mcp import http as agents
from api.observability import logs, tracing
from api.observability.metrics import Metrics
from api.pages import login
from api.routes import drafts, feedback, health, incidents, merges, reviews, revisions, search, sightings, triage
from api.server.admission import Admission
from api.server.intake import Intake
from api.server.lifespan import end_with_parent, lifespan
from api.server.live import LiveEngine
from api.server.middleware import Envelope
from api.server.service import AnswerCounts, Service
from api.server.tally import SearchTally
from api.settings import ServiceSettings, loaded
from api.writing import incident_input
from api.writing.answers import StaleOut
from index.triage_reports import TriageReports

log = logging.getLogger(__name__)

DESCRIPTION = """Paste a stack trace, a log excerpt or a question, in Chinese or English; get the closest known incidents
with their root cause and fix, how sure the answer is, and why. Failures are problem documents (RFC 9457)."""

ROOMS = (
    *(search, drafts, revisions, merges, reviews, feedback, sightings, triage, incidents, health),
    *(dead_letters, chat, page, hooks),
)
"""Whose routers are asked, in this order."""
CROSS_ORIGIN: dict[str, Any] = {
    "allow_methods": ("GET", "POST", "PUT", "DELETE"),
    "allow_headers": ("Authorization", "Content-Type", "If-Match", "X-Request-ID", *agents.HEADERS),
    "expose_headers": ("ETag", "Retry-After", "X-Request-ID"),
    "allow_credentials": False,
}
"""What pages of other origins may do: everything with a key in the header, nothing with this site's cookies."""


class Dejastack(FastAPI):
    """FastAPI, whose description also has the shape of a problem."""

    def openapi(self) -> dict[str, Any]:
        """The OpenAPI document."""
        if self.openapi_schema is None:
            self.openapi_schema = complete(super().openapi(), *incident_input.MODELS, StaleOut)
        return self.openapi_schema


def _service(settings: ServiceSettings) -> Service:
    live = LiveEngine(settings.home, settings.model, settings.store, settings.place)
    admission = Admission(settings.concurrency, settings.queue)
    counts = AnswerCounts(Metrics(), SearchTally(settings.insight_days, keeps_text=settings.feedback_text))
    return Service(live, admission, counts, settings.search_seconds)


def create_app(
    settings: ServiceSettings, chats: ChatSetup | None = None, hook_settings: HookSettings | None = None
) -> FastAPI:
    """The whole service over the home that ``settings`` names. It starts before there is a snapshot, and says so.

    ``chats``: the chat platforms that are set up; ``hook_settings``: who tells of alerts; None: as the environment says.
    """
    app = Dejastack(
        title="dejastack",
        version=version("dejastack"),
        description=DESCRIPTION,
        lifespan=lifespan,
        docs_url=None,  # both would load their scripts from elsewhere; `api.pages.docs` serves its own
        redoc_url=None,
        redirect_slashes=False,
        generate_unique_id_function=lambda route: route.name,
        # Its own spans and logs hold the query of the address, which can hold a paste: see `api.observability.tracing`.
        telemetry={"auto_configure": False, "tracing": False, "metrics": False, "logs": False},
    )
    app.state.settings = settings
    app.state.service = service = _service(settings)
    app.state.triage = TriageReports(settings.home)
    chats = chats or ChatSetup.from_environment()
    alerts = hook_settings or loaded(HookSettings)
    app.state.chat = make_context(service, settings, chats, deliveries(alerts))
    app.state.hooks = hooks.make_hooks(service, alerts, app.state.chat, app.state.triage)
    app.add_middleware(Entrance, service=service, settings=settings)
    app.add_middleware(Intake, service=service, settings=settings, chat_calls=chats.calls)
    if settings.cors_origins:
        app.add_middleware(CORSMiddleware, allow_origins=settings.cors_origins, **CROSS_ORIGIN)
    app.add_middleware(KnownHosts, settings=settings, public_url=chats.settings.public_url)
    app.add_middleware(Envelope, service=service)
    problems.install(app)
    pages.install(app)
    login.install(app, settings)
    for room in ROOMS:
        app.include_router(room.router)
    agents.install(app, settings)
    app.mount("/static", StaticFiles(directory=str(files("api") / "static")), name="static")
    return app


def app_from_environment() -> FastAPI:
    """The app of one worker process; its settings come from the environment."""
    settings = ServiceSettings.load()
    logs.set_up(settings.log_format, settings.log_level)
    tracing.set_up()
    end_with_parent()
    return create_app(settings)
