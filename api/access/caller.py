"""The caller of a request, and the dependencies by which a route says whom it is for."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import Depends, Request, Security
from fastapi.dependencies.models import Dependant

from api.access.cookies import SAFE, check_token
from api.access.refusals import forbidden, key_needed, out_of_scope
from api.access.scopes import Scope
from api.contract.description import BEARER, SESSION
from kb.store import Actor, Role


@dataclass(frozen=True, slots=True)
class Caller:
    """Somebody who asks, as far as is known."""

    actor: Actor | None
    """None: nobody in particular."""
    role: Role | None
    """What they may do; None: nothing."""
    via: Literal["key", "session", "local"] | None
    """How they are known; ``local``: as nobody in particular on this machine."""
    scopes: tuple[str, ...] = ()
    """What their key is limited to; empty: all that the role may."""
    token: str | None = None
    """Of a session: what its forms carry."""
    address: str | None = None
    """Of nobody in particular: where they ask from, as `api.server.rates.caller_of` names it; None on this machine."""

    def may(self, role: Role) -> bool:
        """Whether they may do what ``role`` may."""
        return self.role is not None and self.role.covers(role)

    def is_limited_from(self, scope: Scope) -> bool:
        """Whether their key is limited to something else."""
        return bool(self.scopes) and scope.value not in self.scopes


async def caller(request: Request) -> Caller:
    """Who sent the request, as `api.access.entrance` found out."""
    found: Caller = request.scope["caller"]
    return found


TheCaller = Annotated[Caller, Depends(caller)]
_NEEDED: dict[object, Role | Scope] = {}
"""What each dependency made below needs, for the description of the routes."""


def needed_by(route: Dependant) -> tuple[Role | None, Scope | None]:
    """Return the role that a route needs and the scope that a key can be limited to for it; None where it needs none."""
    found = [_NEEDED.get(route.call), *(one for below in route.dependencies for one in needed_by(below))]
    return next((one for one in found if isinstance(one, Role)), None), next(
        (one for one in found if isinstance(one, Scope)), None
    )


def needs(role: Role) -> Callable[..., Awaitable[Caller]]:
    """The dependency of a route for callers who may do what ``role`` may; 401 or 403 for all others.

    A session's request that is no mere reading must also carry the session's token (`X-CSRF-Token`, or the field ``csrf`` of a form).
    """

    async def allowed(request: Request, asks: TheCaller) -> Caller:
        if not asks.may(role):
            raise key_needed() if asks.actor is None else forbidden(role, asks.role)
        if asks.token is not None and request.method not in SAFE:
            await check_token(request, asks.token)
        return asks

    async def allowed_and_documented(
        asks: Annotated[Caller, Depends(allowed)],
        _: Annotated[object, Security(BEARER)],
        __: Annotated[object, Security(SESSION)],
    ) -> Caller:
        return asks

    made = allowed if role is Role.READER else allowed_and_documented
    _NEEDED[made] = role
    return made


def within(scope: Scope) -> Callable[[Caller], Awaitable[None]]:
    """The dependency of routes that a key can be limited to, or kept from; 403 for one that is limited to others."""

    async def allowed(asks: TheCaller) -> None:
        if asks.is_limited_from(scope):
            raise out_of_scope(scope, asks.scopes)

    _NEEDED[allowed] = scope
    return allowed


async def for_metrics(asks: TheCaller) -> None:
    """The dependency of the counters: for this machine, a key limited to them, or an administrator."""
    if asks.via == "local" or Scope.METRICS.value in asks.scopes:
        return
    if asks.actor is None:
        raise key_needed()
    if asks.scopes:
        raise out_of_scope(Scope.METRICS, asks.scopes)
    if not asks.may(Role.ADMIN):
        raise forbidden(Role.ADMIN, asks.role)


_NEEDED[for_metrics] = Scope.METRICS
