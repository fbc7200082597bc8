"""The OpenID Connect provider of the house, as it is set: where it is, and which of its people get which role."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from api.server.exposure import is_loopback
from api.settings import ServiceSettings
from kb.errors import SettingsError
from kb.store import Role

ANYBODY = "*"
_MOST = 1_000  # values of one claim that are looked at


@dataclass(frozen=True, slots=True)
class Grant:
    """Whose claim holds the value gets the role."""

    claim: tuple[str, ...]
    """Its path: ``realm_access.roles`` is a claim inside a claim. Empty: whoever is known to the provider."""
    value: str
    role: Role


@dataclass(frozen=True, slots=True)
class Provider:
    """What `KB_OIDC_*` say."""

    issuer: str
    client_id: str
    client_secret: str
    scopes: str
    grants: tuple[Grant, ...]

    @property
    def host(self) -> str:
        """How people know it."""
        return urlsplit(self.issuer).hostname or self.issuer

    def role_of(self, claims: Mapping[str, Any]) -> Role | None:
        """The highest role that somebody's claims give; None: they may not come in."""
        found = [one.role for one in self.grants if not one.claim or one.value in _values(claims, one.claim)]
        return max(found, key=list(Role).index, default=None)


def provider(settings: ServiceSettings) -> Provider | None:
    """The provider; None when there is none. SettingsError names what is missing or wrong."""
    given = {
        "KB_OIDC_ISSUER": settings.oidc_issuer,
        "KB_OIDC_CLIENT_ID": settings.oidc_client_id,
        "KB_OIDC_CLIENT_SECRET": settings.oidc_client_secret,
    }
    if not any(given.values()):
        return None
    if missing := [name for name, value in given.items() if not value]:
        raise SettingsError(f"{' and '.join(missing)} must be set too", cure="set all three, or none of them")
    issuer = str(settings.oidc_issuer)
    parts = urlsplit(issuer)
    if not parts.hostname or (parts.scheme != "https" and not (parts.scheme == "http" and is_loopback(parts.hostname))):
        raise SettingsError(
            f"KB_OIDC_ISSUER cannot be {issuer!r}", cure="give the issuer as the provider states it: https://…"
        )
    grants = tuple(_grants(settings.oidc_roles))
    return Provider(
        issuer, str(settings.oidc_client_id), str(settings.oidc_client_secret), settings.oidc_scopes, grants
    )


def _grants(text: str) -> Iterator[Grant]:
    """``claim:value=role`` with commas between, or ``*=role``. The name of a claim may be an address, with colons in it."""
    for item in filter(None, map(str.strip, text.split(","))):
        who, _, role = item.rpartition("=")
        claim, _, value = who.rpartition(":") if ":" in who else (who, "", "")
        claim, value, role = claim.strip(), value.strip(), role.strip()
        if role not in list(Role) or not claim or (claim == ANYBODY) == bool(value):
            raise SettingsError(
                f"KB_OIDC_ROLES cannot hold {item!r}",
                cure=f"write claim:value=role or *=role, where a role is one of {', '.join(Role)}",
            )
        yield Grant(() if claim == ANYBODY else tuple(claim.split(".")), value, Role(role))


def _values(claims: Mapping[str, Any], path: tuple[str, ...]) -> list[str]:
    """What a claim says: one text, or each of a list. A claim whose own name has dots is found, too."""
    found: Any = claims.get(".".join(path))
    if found is None:
        found = claims
        for name in path:
            found = found.get(name) if isinstance(found, Mapping) else None
    each = found if isinstance(found, list) else [found]
    return [one for one in each[:_MOST] if isinstance(one, str)]
