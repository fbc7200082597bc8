"""Run the service over a home inside this process: its routes answer a client, and no port is opened."""

import getpass
import logging
from collections.abc import Iterator
from contextlib import contextmanager

import httpx
from anyio.from_thread import BlockingPortal, start_blocking_portal
from fastapi import FastAPI

from api.access import Caller, caller
from api.app import create_app
from api.chat.context import ChatSetup
from api.chat.settings import ChatSettings
from api.hooks.settings import HookSettings
from api.settings import ServiceSettings, loaded
from kb.store import Actor, Role


class InProcessTransport(httpx.BaseTransport):
    """Sends the requests of a client to an app that runs behind a portal."""

    def __init__(self, portal: BlockingPortal, app: FastAPI) -> None:
        self._portal = portal
        self._app = httpx.ASGITransport(app=app)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """The app's answer, whole."""
        return self._portal.call(self._answer, request)

    async def _answer(self, request: httpx.Request) -> httpx.Response:
        response = await self._app.handle_async_request(request)
        return httpx.Response(response.status_code, headers=response.headers, content=await response.aread())


def app_for_local_user(settings: ServiceSettings) -> FastAPI:
    """Build the service for the local user, who may write the store's file and therefore may do everything, under their own name."""
    logging.getLogger("api.server.live").setLevel(
        logging.ERROR
    )  # incidents can be written where nothing is searched yet
    chats, alerts = ChatSetup(loaded(ChatSettings), {}), HookSettings.model_construct()  # both are the service's
    app = create_app(settings.model_copy(update={"reading": "open"}), chats, alerts)
    name = _user()
    someone = Caller(Actor(f"local:{name}", name, Role.ADMIN), Role.ADMIN, "local")

    async def who() -> Caller:
        return someone

    app.dependency_overrides[caller] = who
    return app


@contextmanager
def home_service(settings: ServiceSettings) -> Iterator[InProcessTransport]:
    """Run the service while the block lasts."""
    app = app_for_local_user(settings)
    failure: BaseException | None = None
    with start_blocking_portal() as portal, portal.wrap_async_context_manager(app.router.lifespan_context(app)):
        try:
            yield InProcessTransport(portal, app)
        except BaseException as error:  # noqa: BLE001 - it is the command's, and no failure of the service's own tasks
            failure = error
    if failure is not None:
        raise failure


def _user() -> str:
    try:
        return getpass.getuser()
    except (OSError, KeyError):  # a user id without a name
        return "local"
