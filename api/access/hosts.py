"""By which names the service is asked: a page of another site cannot read it under a name of its own (DNS rebinding).

A browser lets a site's scripts read what that site's name leads to. Whoever owns a name can let it lead to 127.0.0.1 after their page
was loaded; then only the `Host` of the request still says for whom it was meant.
"""

import ipaddress
import re
from urllib.parse import urlsplit

from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.types import ASGIApp, Receive, Scope, Send

from api.contract.problems import HttpProblem
from api.server.exposure import is_loopback
from api.settings import ServiceSettings

_HOST = re.compile(r"(?:\[[0-9A-Fa-f:.]++\]|[^\s:@/?#\[\]\\]*+)(?::[0-9]{0,5}+)?+")
"""A name, an IPv4 address or an IPv6 address in brackets, and a port (RFC 9110, 7.2): `[::1]:8420`, not `127.0.0.1:8420@evil.com`."""
_NO_NAME = "?"
"""In the place of a `Host` that is none, or of two: nothing is known by it."""


class KnownHosts:
    """Problem 421 for a name that nobody said is this service's. Addresses and ``localhost`` are no site's to give away.

    Known are `KB_HOSTS` and the host of `KB_PUBLIC_URL`. It looks where `KB_HOSTS` names some, and where everybody on this machine may read; elsewhere a key or the network is the guard.
    """

    def __init__(self, app: ASGIApp, settings: ServiceSettings, public_url: str | None = None) -> None:
        self.app = app
        self._known = frozenset((*settings.hosts, (urlsplit(public_url or "").hostname or "").rstrip(".")))
        self._looks = bool(settings.hosts) or (settings.reading != "key" and is_loopback(settings.host))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request."""
        if scope["type"] == "http" and self._looks:
            hosts = Headers(scope=scope).getlist("host")
            name = name_of(hosts[0]) if len(hosts) == 1 and _HOST.fullmatch(hosts[0].strip()) else _NO_NAME
            if name not in self._known and not (is_address(name) or is_localhost(name)):
                response = await scope["app"].state.failure(Request(scope, receive), unknown_host())
                await response(scope, receive, send)
                return
        await self.app(scope, receive, send)


def name_of(host: str) -> str:
    """The name in a `Host` header, in lower case, without port, brackets and the root's dot."""
    name = host.strip().lower()
    if name.startswith("["):
        return name[1:].partition("]")[0]
    return name.partition(":")[0].rstrip(".")


def is_address(name: str) -> bool:
    """Whether it is an address, or nothing at all: what browsers look up in no names."""
    try:
        return not name or bool(ipaddress.ip_address(name))
    except ValueError:
        return False


def is_localhost(name: str) -> bool:
    """Whether browsers take it for this machine without asking (RFC 6761, 6.3)."""
    return name == "localhost" or name.endswith(".localhost")


def is_this_machine(name: str) -> bool:
    """Whether somebody on this machine asks this machine, by the name in `Host`; a proxy in between asks by another."""
    return is_localhost(name) or (bool(name) and is_address(name) and ipaddress.ip_address(name).is_loopback)


def unknown_host() -> HttpProblem:
    """421: the request was meant for another name (RFC 9110, 15.5.20)."""
    detail = (
        "This service is not known by the name it was asked by, which could be another site's. "
        "Ask by its address or as localhost, or add the name to KB_HOSTS."
    )
    return HttpProblem(421, "unknown-host", detail)
