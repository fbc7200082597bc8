"""`/a/<id>`: an answer that somebody asked a link for. The paste is kept without its secrets; the answer is what is known when it is opened."""

from dataclasses import dataclass
from datetime import timedelta

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from api.access import Caller
from api.contract.problems import HttpProblem
from api.pages.answer import SEARCHES, answered
from api.pages.calls import SaidByAnyone, form_field
from api.pages.rendering import redirect_to, shown
from api.server.rates import Rate, caller_of
from api.server.service import Service, TheService
from kb.store import Missing, Refused
from kb.store.links import LONGEST
from kb.store.model import NOBODY, SharedPaste

router = APIRouter(include_in_schema=False)
COOKIE = "kb_link"
"""A cookie for the address of one link: it lets the maker delete it."""
LINKS_A_MINUTE = 6.0
BURST_SECONDS = 200.0
"""Twenty links at once, then one each ten seconds."""


@dataclass(frozen=True, slots=True)
class LinkView:
    """A link as its page shows it."""

    paste: SharedPaste
    address: str
    """The absolute URL, without a language."""
    is_deletable: bool
    """Whether the reader of the page may delete it."""

    @property
    def maker(self) -> str:
        """Return the name of its maker; '' where nobody was logged in."""
        return "" if self.paste.by.id == NOBODY.id else self.paste.by.name


def link_rate() -> Rate:
    """Return how often one caller may ask a worker for a link."""
    return Rate(LINKS_A_MINUTE / 60, burst=BURST_SECONDS)


@router.post("/a", dependencies=SEARCHES)
async def make(request: Request, desk: SaidByAnyone) -> Response:
    """Keep the paste and lead to its link. Problem 404 where links are switched off, 422 for nothing or too much, 429 for too many."""
    days = desk.settings.share_days
    if not days:
        raise HttpProblem(404, "not-found", "No links are made here (KB_SHARE_DAYS is 0).")
    text = await form_field(request, "text", LONGEST)
    if not text.strip():
        raise HttpProblem(422, "invalid-request", "There is nothing to share.")
    _count(request, desk.caller)
    actor = desk.caller.actor or NOBODY
    paste, secret = await desk.service.in_store(
        lambda store, _: store.links.create(text, timedelta(days=days), actor=actor)
    )
    response = redirect_to(request, f"/a/{paste.id}")
    is_secure = request.url.scheme == "https"
    path = f"/a/{paste.id}"
    response.set_cookie(COOKIE, secret, days * 86_400, path=path, secure=is_secure, httponly=True, samesite="lax")
    return response


@router.get("/a/{ref}", dependencies=SEARCHES)
async def shared(request: Request, ref: str, service: TheService) -> Response:
    """The answer to the paste of a link. Problem 404 when it has expired, was deleted, or never was."""
    caller: Caller = request.scope["caller"]
    held = request.cookies.get(COOKIE, "")
    paste, may_delete = await _found(service, ref, caller, held)
    view = LinkView(paste, f"{str(request.base_url).rstrip('/')}/a/{paste.id}", may_delete)
    return await answered(request, service, paste.text, shared=view, link=f"/a/{paste.id}")


@router.post("/a/{ref}/delete", dependencies=SEARCHES)
async def delete(request: Request, ref: str, desk: SaidByAnyone) -> Response:
    """Delete the paste of a link. Problem 403 when it is another's, 404 when there is none."""
    held, actor = request.cookies.get(COOKIE, ""), desk.caller.actor or NOBODY
    try:
        await desk.service.in_store(lambda store, _: store.links.delete(ref, actor=actor, secret=held))
    except Missing:
        raise _gone() from None
    except Refused as error:
        raise HttpProblem(403, "link-of-another", str(error)) from None
    response = await shown(request, desk.service, "unshared.html")
    response.delete_cookie(COOKIE, path=f"/a/{ref}")
    return response


@router.get("/a/{ref}/delete", dependencies=SEARCHES)
async def back(ref: str) -> Response:
    """Redirect to the link: a browser reloads the address of the form."""
    return RedirectResponse(f"/a/{ref}", 303)


async def _found(service: Service, ref: str, caller: Caller, held: str) -> tuple[SharedPaste, bool]:
    def find() -> tuple[SharedPaste, bool]:
        links = service.store.links
        paste = links.find(ref)
        return paste, links.may_delete(paste, caller.actor or NOBODY, held)

    try:
        return await service.look_up(find)
    except Missing:
        raise _gone() from None


def _count(request: Request, caller: Caller) -> None:
    """Count one link of a caller. This machine may make any number, as it may ask any number of times."""
    address = caller_of(request.client.host) if request.client else None
    rate: Rate = request.app.state.link_rate
    if name := caller.actor.id if caller.actor else address:
        rate.take(name)


def _gone() -> HttpProblem:
    return HttpProblem(404, "link-gone", "This link has expired, was deleted, or never was.")
