"""Who asks: the caller of a request, and what a route needs them to be."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Annotated, Literal

from fastapi import Depends, Request

from api.problems import Problem
from api.service import TheService
from kb.store import Actor, Role


@dataclass(frozen=True, slots=True)
class Caller:
    """Somebody who asks, as far as is known."""

    actor: Actor | None
    """None: nobody in particular."""
    role: Role | None
    """What they may do; None: nothing."""
    via: Literal["key", "session", "local"] | None

    def may(self, role: Role) -> bool:
        """Whether they may do what ``role`` may."""
        return self.role is not None and self.role.covers(role)


async def caller(request: Request, service: TheService) -> Caller:
    """Who sent the request; Problem 401 for a key that opens nothing."""
    kind, _, secret = request.headers.get("authorization", "").partition(" ")
    if not kind:
        return Caller(None, Role.READER, "local")
    found = None
    if kind.lower() == "bearer":
        found = await service.run("store", lambda: service.store.keys.find(secret.strip()))
    if found is None:
        raise unknown_caller()
    return Caller(found.actor, found.role, "key")


TheCaller = Annotated[Caller, Depends(caller)]


def needs(role: Role) -> Callable[[Caller], Awaitable[Caller]]:
    """The dependency of a route for callers who may do what ``role`` may; 401 or 403 for all others."""

    async def allowed(asks: TheCaller) -> Caller:
        if asks.may(role):
            return asks
        raise unknown_caller() if asks.actor is None else forbidden(role)

    return allowed


def unknown_caller() -> Problem:
    """401: it takes a key, and none that opens anything was given."""
    detail = "Send a key that is in force: Authorization: Bearer …"
    return Problem(401, "no-key", detail, headers={"WWW-Authenticate": "Bearer"})


def forbidden(role: Role) -> Problem:
    """403: the caller's role does not cover ``role``."""
    return Problem(403, "role-needed", f"This takes the role {role}.")
