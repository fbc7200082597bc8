"""What the pages of curators do the same way: forms read, callers known, changes made."""

from collections.abc import Awaitable, Callable
from typing import Annotated

from fastapi import Depends, Request

from api.access import Caller, Scope, TheCaller, forbidden, key_needed, needs, within
from api.access.cookies import check_token, field, is_from_here, read_form
from api.access.refusals import from_elsewhere
from api.contract.problems import HttpProblem
from api.pages.rendering import the_pages
from api.server.service import TheService
from api.writing.calls import StoreAccess
from kb.store import Role
from kb.translatable import Translatable

OF_INCIDENTS = [Depends(within(Scope.INCIDENTS))]
_MOST_DIGITS = 9


def sending(role: Role) -> Callable[..., Awaitable[StoreAccess]]:
    """The dependency of a form's door: only pages of this site send it, whoever asks."""

    async def made(
        request: Request, service: TheService, caller: Annotated[Caller, Depends(needs(role))]
    ) -> StoreAccess:
        if not is_from_here(request):
            raise from_elsewhere()
        return StoreAccess(service, caller, request.app.state.settings)

    return made


Sending = Annotated[StoreAccess, Depends(sending(Role.CURATOR))]
SaidByAnyone = Annotated[StoreAccess, Depends(sending(Role.READER))]


async def any_store_access(request: Request, service: TheService, caller: TheCaller) -> StoreAccess:
    """Whoever asks: the page itself says what is missing, so that nothing that was typed is lost."""
    return StoreAccess(service, caller, request.app.state.settings)


AnyDesk = Annotated[StoreAccess, Depends(any_store_access)]


async def refusal(request: Request, caller: Caller, role: Role) -> HttpProblem | None:
    """Why a form of this caller is not to be obeyed; None when it is."""
    try:
        if not is_from_here(request):
            raise from_elsewhere()
        if not caller.may(role):
            raise key_needed() if caller.actor is None else forbidden(role, caller.role)
        if caller.token is not None:
            await check_token(request, caller.token)
    except HttpProblem as problem:
        return problem
    return None


async def form_field(request: Request, name: str, most: int = 200) -> str:
    """A field of the form as a text with plain line ends, without what no text here holds; Problem 422 when it is too long."""
    text = field(await read_form(request), name).replace("\r\n", "\n").replace("\0", "")
    if len(text) > most:
        detail = Translatable("`{}` has more than {} characters", name, f"{most:,}")
        raise HttpProblem(422, "invalid-request", detail)
    return text


async def form_fields(request: Request, name: str, most: int = 200) -> list[str]:
    """Every field of the form with this name, as texts; Problem 422 when one is too long."""
    texts = [one for one in (await read_form(request)).getlist(name) if isinstance(one, str)]
    if any(len(one) > most for one in texts):
        detail = Translatable("`{}` has more than {} characters", name, f"{most:,}")
        raise HttpProblem(422, "invalid-request", detail)
    return texts


async def number(request: Request, name: str) -> int:
    """A field of the form as a number; 0 when it is none."""
    text = (await form_field(request, name)).strip()
    return int(text) if text.isdecimal() and text.isascii() and len(text) <= _MOST_DIGITS else 0


def explained(request: Request, problem: HttpProblem) -> str:
    """A failure in the reader's words, or in those of the problem."""
    t = the_pages(request).strings(request)
    return t.words.get(f"problem_{problem.kind}") or t.sentence(problem.detail)[0]
