"""Who asks is found out before anything of a request is read; without a name nothing is answered where reading takes a key."""

import logging
import time
from collections import OrderedDict

from starlette.datastructures import MutableHeaders
from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.access.caller import Caller
from api.access.cookies import SAFE, session_secret, token_of
from api.access.hosts import is_this_machine, name_of
from api.access.refusals import key_needed, key_refused
from api.contract.problems import HttpProblem
from api.server.rates import Rate, caller_of
from api.server.service import Service
from api.settings import ServiceSettings
from kb.errors import KbError
from kb.store import Actor, Role, Store
from kb.store.model import Key, Session

log = logging.getLogger(__name__)

OPEN = frozenset(
    {"/healthz", "/readyz", "/metrics", "/login", "/login/openid", "/login/openid/back", "/logout", "/write"}
)
"""What answers nobody in particular even where reading takes a key; the counters have a rule of their own, and so has the editor, which
gives back what was typed when a session has ended."""
OPEN_FOLDER = "/static/"
OPEN_FOLDERS = (OPEN_FOLDER, "/v1/chat/", "/v1/hooks/")
"""A chat platform has a signature in the place of a key: its door looks at it, and nobody else comes by."""
NAMELESS = ("/healthz", "/readyz", OPEN_FOLDER, "/v1/hooks/")
"""Where it does not matter who asks: the first three answer while the store does not, and a door for alerts takes other proofs than keys."""


def is_open(path: str) -> bool:
    """Return whether a path answers, or refuses by a rule of its own, whoever asks and however reading is set."""
    return path in OPEN or path.startswith(OPEN_FOLDERS)


_QUIET_SECONDS = 60.0
_REMEMBERED = 10_000


class Entrance:
    """Puts the `Caller` into the scope of each request; Problem 401 for a key that opens nothing, 429 for one that asks too often.

    A refused change of somebody known is written to the audit log, once a minute for the same person and door.
    """

    def __init__(self, app: ASGIApp, service: Service, settings: ServiceSettings) -> None:
        self.app = app
        self._service = service
        self._nobody = None if settings.reading == "key" else Role.READER
        self._rate = Rate(settings.rate_per_key) if settings.rate_per_key else None
        self._logged: OrderedDict[tuple[str, str], float] = OrderedDict()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        request = Request(scope, receive)

        async def send_logged(message: Message) -> None:
            if message["type"] == "http.response.start":
                await self._log_access(request, scope.get("refusal") or message["status"])
                # What names somebody is nobody else's, and gone with them.
                if (asks := scope.get("caller")) and asks.via == "session":
                    MutableHeaders(scope=message).setdefault("Cache-Control", "no-store")
            await send(message)

        try:
            asks = scope["caller"] = await self._caller(request)
            if asks.role is None and not is_open(scope["path"]):
                raise key_needed()
            if self._rate and asks.actor:
                self._rate.take(asks.actor.id)
        except (HttpProblem, KbError) as error:
            response = await scope["app"].state.failure(request, error)
            await response(scope, receive, send_logged)
            return
        await self.app(scope, receive, send_logged)

    async def _caller(self, request: Request) -> Caller:
        address = caller_of(request.client.host) if request.client else None
        nobody = Caller(None, self._nobody, "local" if _is_near(request) else None, address=address)
        if request.scope["path"].startswith(NAMELESS):  # `url` is made of the Host header
            return nobody
        kind, _, secret = request.headers.get("authorization", "").partition(" ")
        if kind.lower() == "bearer":
            return await self._by_key(request, secret.strip())
        if (held := session_secret(request)) and (session := await self._session(held)):
            return Caller(session.actor, session.actor.role, "session", session.scopes, token_of(held))
        return nobody

    async def _by_key(self, request: Request, secret: str) -> Caller:
        store = self._service.store
        key, is_good = await self._service.look_up(lambda: _key(store, secret))
        if key is None or not is_good:
            if key is not None:
                request.scope["refused"] = key.actor
            raise key_refused(key)
        return Caller(key.actor, key.role, "key", key.scopes)

    async def _session(self, secret: str) -> Session | None:
        store = self._service.store
        return await self._service.look_up(lambda: store.sessions.find(secret))

    async def _log_access(self, request: Request, status: int) -> None:
        asks: Caller | None = request.scope.get("caller")
        actor: Actor | None = asks.actor if asks else request.scope.get("refused")
        if status not in {401, 403} or request.method in SAFE or actor is None:
            return
        door = f"{request.method} {getattr(request.scope.get('route'), 'path', '(any)')}"
        now, name = time.monotonic(), (actor.id, door)
        if now - self._logged.get(name, -_QUIET_SECONDS) < _QUIET_SECONDS:
            return
        self._logged[name] = now
        self._logged.move_to_end(name)
        if len(self._logged) > _REMEMBERED:
            self._logged.popitem(last=False)
        try:
            store = self._service.store
            await self._service.look_up(lambda: store.audit.refused(actor, door, {"status": status}))
        except Exception:
            log.exception("a refusal is not in the audit log")


def _key(store: Store, secret: str) -> tuple[Key | None, bool]:
    """The key with that secret, and whether it opens anything."""
    found = store.keys.find(secret)
    return (found, True) if found else (store.keys.whatever(secret), False)


def _is_near(request: Request) -> bool:
    """Whether a program of this machine asks, for itself and not for somebody elsewhere."""
    client = request.client
    is_forwarded = "x-forwarded-for" in request.headers or "forwarded" in request.headers
    is_direct = not is_forwarded and is_this_machine(name_of(request.headers.get("host", "")))
    return client is not None and client.host != "" and caller_of(client.host) is None and is_direct
