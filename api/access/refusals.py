"""The ways of saying no. None of them tells anything of what was asked for."""

from api.access.scopes import Scope
from api.contract.problems import HttpProblem
from kb.store import Role
from kb.store.model import Key
from kb.translatable import Translatable

CHALLENGE = 'Bearer realm="dejastack"'
_WRONG = f'{CHALLENGE}, error="invalid_token"'


def key_needed() -> HttpProblem:
    """401: nobody in particular asked for what takes somebody."""
    detail = "This takes a key (Authorization: Bearer …), or a login on the page."
    return HttpProblem(401, "no-key", detail, headers={"WWW-Authenticate": CHALLENGE})


def key_refused(key: Key | None) -> HttpProblem:
    """401: the key that was sent opens nothing. What became of it is told to who holds it, and to nobody else."""
    if key is None:
        kind, detail = "unknown-key", "No key has this secret."
    elif key.revoked_at is not None:
        kind, detail = "revoked-key", f"The key {key.id} was revoked on {key.revoked_at:%Y-%m-%d}."
    else:
        kind, detail = "expired-key", f"The key {key.id} expired on {key.expires_at:%Y-%m-%d}."
    detail += " `kb keys create` makes another."
    return HttpProblem(401, kind, detail, headers={"WWW-Authenticate": _WRONG})


def forbidden(needed: Role, held: Role | None) -> HttpProblem:
    """403: the caller's role does not cover the one that it takes."""
    detail = Translatable("This takes the role {}; yours is {}.", needed, held or "none")
    return HttpProblem(
        403, "role-needed", detail, members={"needed": needed.value, "held": held.value if held else None}
    )


def out_of_scope(needed: Scope, held: tuple[str, ...]) -> HttpProblem:
    """403: the key is limited to something else."""
    detail = f"This takes the scope {needed}; the key is limited to {', '.join(held) or 'nothing of it'}."
    members = {"needed": needed.value, "held": ", ".join(held) or None}
    return HttpProblem(403, "scope-needed", detail, members=members)


def from_elsewhere() -> HttpProblem:
    """403: a change in the name of whoever is logged in, sent by another site's page or without the token of this one's."""
    detail = "This must come from a page of this site: load the page again, and send it once more."
    return HttpProblem(403, "from-elsewhere", detail)
