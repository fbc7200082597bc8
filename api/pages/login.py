"""`/login` and `/logout`: with a key, or at the provider of the house."""

import math
import re
from datetime import UTC, datetime, timedelta

from fastapi import APIRouter, FastAPI, Request
from starlette.responses import HTMLResponse, RedirectResponse, Response

from api.access.caller import TheCaller
from api.access.cookies import check_token, field, give, is_from_here, read_form, session_secret, take
from api.access.openid import BACK, COOKIE, PATH, OpenId
from api.access.provider import Provider, provider
from api.access.refusals import from_elsewhere
from api.contract.problems import HttpProblem
from api.pages.rendering import the_pages
from api.server.service import TheService
from api.settings import ServiceSettings
from kb.store import Actor
from kb.store.model import Key

router = APIRouter(include_in_schema=False)
_LONGEST = 2_000
_INSIDE = re.compile(r"/(?![/\\])[!-\[\]-~]*\Z")
"""A path of this site: what browsers take for a backslash, a blank or another host is none."""


@router.get("/login")
async def login(request: Request, asks: TheCaller) -> Response:
    """The page where one logs in; whoever has done so already goes on."""
    goes_to = inside(request.query_params.get("next", ""))
    if asks.via == "session":
        return RedirectResponse(goes_to, 303)
    return _page(request, goes_to, is_needed=request.query_params.get("needed") == "yes")


@router.post("/login")
async def login_by_key(request: Request, service: TheService) -> Response:
    """A session for a key."""
    if not is_from_here(request):
        raise from_elsewhere()
    form = await read_form(request)
    goes_to, secret = inside(field(form, "next")), field(form, "key").strip()
    key = await service.look_up(lambda: service.store.keys.find(secret))
    if key is None:
        gone = await service.look_up(lambda: service.store.keys.whatever(secret))
        return _page(request, goes_to, "login_ended" if gone else "login_wrong")
    return await _begun(request, service, RedirectResponse(goes_to, 303), key.actor, key)


@router.get(PATH)
async def login_at_provider(request: Request) -> Response:
    """On to the provider."""
    return await _openid(request).begin(request, inside(request.query_params.get("next", "")))


@router.get(BACK)
async def back_from_provider(request: Request, service: TheService) -> Response:
    """A session for whom the provider knows."""
    known = await _openid(request).end(request)
    response = await _begun(request, service, RedirectResponse(known.return_to, 303), known.actor)
    response.delete_cookie(COOKIE, path=PATH)
    return response


@router.post("/logout")
async def logout(request: Request, service: TheService, asks: TheCaller) -> Response:
    """The session is over, here and in the store."""
    response = RedirectResponse("/", 303)
    if asks.token is not None and (secret := session_secret(request)):
        await check_token(request, asks.token)
        await service.look_up(lambda: service.store.sessions.end(secret))
    take(request, response)
    return response


def inside(address: str) -> str:
    """An address of this site, as it was asked for; of any other, the first page."""
    found = _INSIDE.match(address[:_LONGEST])
    return found[0] if found else "/"


async def _begun(
    request: Request, service: TheService, response: Response, actor: Actor, key: Key | None = None
) -> Response:
    """A new session each time; the one that there was is over."""
    settings: ServiceSettings = request.app.state.settings
    lasts, before = timedelta(hours=settings.session_hours), session_secret(request)

    def begin() -> str:
        with service.store.transaction():
            if before:
                service.store.sessions.end(before)
            return service.store.sessions.begin(actor, datetime.now(UTC) + lasts, key=key)

    give(request, response, await service.look_up(begin), math.ceil(lasts.total_seconds()))
    return response


def _page(request: Request, goes_to: str, wrong: str | None = None, *, is_needed: bool = False) -> Response:
    house: Provider | None = request.app.state.provider
    settings: ServiceSettings = request.app.state.settings
    values: dict[str, object] = {"contact": settings.contact}
    values |= {"goes_to": goes_to, "wrong": wrong, "is_needed": is_needed, "house": house.host if house else None}
    html = the_pages(request).render(request, "login.html", **values)
    return HTMLResponse(html, 401 if wrong else 200, {"Cache-Control": "no-store"})


def _openid(request: Request) -> OpenId:
    found: OpenId | None = request.app.state.openid
    if found is None:
        raise HttpProblem(404, "not-found", "No provider is set (KB_OIDC_ISSUER): log in with a key.")
    return found


def install(app: FastAPI, settings: ServiceSettings) -> None:
    """Add the doors; SettingsError when the provider is not set as it must be."""
    app.state.provider = house = provider(settings)
    app.state.openid = OpenId(house) if house else None
    app.include_router(router)
