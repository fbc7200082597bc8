"""What the pages of curators do the same way: forms read, callers known, changes made."""

from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import Depends, Request

from api.access import Caller, Scope, TheCaller, forbidden, key_needed, needs, within
from api.access.cookies import check_token, field, is_from_here, read_form
from api.access.refusals import from_elsewhere
from api.pages.rendering import the_pages
from api.problems import Problem
from api.service import TheService
from api.writing.calls import AtDesk
from kb.store import Role

OF_INCIDENTS = [Depends(within(Scope.INCIDENTS))]
_MOST_DIGITS = 9


def sending(role: Role) -> Callable[..., Awaitable[AtDesk]]:
    """The dependency of a form's door: only pages of this site send it, whoever asks."""

    async def made(request: Request, service: TheService, caller: Annotated[Caller, Depends(needs(role))]) -> AtDesk:
        if not is_from_here(request):
            raise from_elsewhere()
        return AtDesk(service, caller, request.app.state.settings)

    return made


Sending = Annotated[AtDesk, Depends(sending(Role.CURATOR))]
SaidByAnyone = Annotated[AtDesk, Depends(sending(Role.READER))]


async def at_any_desk(request: Request, service: TheService, caller: TheCaller) -> AtDesk:
    """Whoever asks: the page itself says what is missing, so that nothing that was typed is lost."""
    return AtDesk(service, caller, request.app.state.settings)


AnyDesk = Annotated[AtDesk, Depends(at_any_desk)]


async def refusal(request: Request, caller: Caller, role: Role) -> Problem | None:
    """Why a form of this caller is not to be obeyed; None when it is."""
    try:
        if not is_from_here(request):
            raise from_elsewhere()
        if not caller.may(role):
            raise key_needed() if caller.actor is None else forbidden(role, caller.role)
        if caller.token is not None:
            await check_token(request, caller.token)
    except Problem as problem:
        return problem
    return None


async def told(request: Request, name: str, most: int = 200) -> str:
    """A field of the form as a text with plain line ends, without what no text here holds; Problem 422 when it is too long."""
    text = field(await read_form(request), name).replace("\r\n", "\n").replace("\0", "")
    if len(text) > most:
        raise Problem(422, "invalid-request", f"{name}: has more than {most:,} characters")
    return text


async def number(request: Request, name: str) -> int:
    """A field of the form as a number; 0 when it is none."""
    text = (await told(request, name)).strip()
    return int(text) if text.isdecimal() and text.isascii() and len(text) <= _MOST_DIGITS else 0


def explained(request: Request, problem: Problem) -> str:
    """A failure in the reader's words, or in those of the problem."""
    return the_pages(request).strings(request).words.get(f"problem_{problem.kind}", problem.detail)
