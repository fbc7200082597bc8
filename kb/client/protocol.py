"""What both clients share: which service, what can go wrong, what a response means, and when a call is sent again. Sends nothing itself."""

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import httpx

from kb.client.calls import Call
from kb.client.shapes import FieldError
from kb.errors import KbError, SettingsError

DEFAULT = "http://127.0.0.1:8420"
"""Where `kb serve` listens by default."""


@dataclass(frozen=True, slots=True)
class ServiceAddress:
    """A URL and its key, from the environment where they are None; an empty key means none."""

    url: str
    key: str | None = field(repr=False)

    @classmethod
    def of(cls, url: str | None, key: str | None) -> "ServiceAddress":
        """Resolve them. SettingsError for an invalid URL or key."""
        address = (url or os.environ.get("KB_URL") or DEFAULT).strip().rstrip("/")
        if not address.startswith(("http://", "https://")):
            raise SettingsError(f"{address!r} is no address of a service", cure=f"write it as {DEFAULT}")
        chosen = os.environ.get("KB_KEY") if key is None else key
        if chosen and not (chosen.isascii() and chosen.isprintable()):
            raise SettingsError("the key has characters that no key has", cure="copy it once more")
        return cls(address, chosen or None)

    @property
    def headers(self) -> dict[str, str]:
        """The headers of every request."""
        return {"Authorization": f"Bearer {self.key}"} if self.key else {}


_PREFIX = "urn:dejastack:problem:"
_CURES = {
    401: "set KB_KEY to a key that is in force (`kb keys create` makes one)",
    403: "use a key of the role that it takes",
    404: "`kb incidents list` shows those that there are",
    409: "look at it with `kb incidents show`",
    412: "look at both versions, and save on top of the other",
    413: "send the part around the error",
    421: "ask by an address or as localhost, or have the name added to KB_HOSTS",
    422: "mend what is named",
    429: "try again later",
    503: "try again; `kb doctor` says what is wrong with the home",
}
_UNCERTAIN = "perhaps-saved"
"""The kind of 503 after which nothing is to be sent again blindly."""


class Unreachable(KbError):  # noqa: N818 - reads as what is the case
    """No service answers at the address, or not in time."""

    def __init__(self, name: str, reason: object) -> None:
        cure = "start it with `kb serve`, or mend KB_URL; without KB_URL the commands work in the home"
        super().__init__(f"no service answers at {name}: {reason}", cure=cure)


class Foreign(KbError):  # noqa: N818
    """Something answers that is not dejastack."""

    def __init__(self, name: str) -> None:
        super().__init__(f"what answers at {name} is not dejastack", cure="set KB_URL to its address")


class Declined(KbError):  # noqa: N818
    """The service refused a call; the problem document (RFC 9457) says why.

    ``status`` is the HTTP status, ``kind`` names the problem for programs (``no-such-incident``, ``stale``), ``errors`` are the places
    that it names, ``request_id`` finds it in the log of the service, ``document`` is the whole; ``retry_after`` is in seconds, if stated.
    """

    def __init__(self, status: int, document: Mapping[str, Any], retry_after: float | None = None) -> None:
        detail = str(document.get("detail") or f"the service answered {status}")
        self.kind = str(document.get("type") or "").removeprefix(_PREFIX)
        look = "look whether it is there (`kb incidents history`) before you send it again"
        cure = look if self.kind == _UNCERTAIN else _CURES.get(status, "see the service's log")
        super().__init__(detail.rstrip("."), cure=cure)
        self.status = status
        self.errors: tuple[FieldError, ...] = tuple(document.get("errors") or ())
        self.request_id = str(document.get("request_id") or "")
        self.document = document
        self.retry_after = retry_after


_NOT_BEGUN = frozenset(("overloaded", "stopping", "store-closed"))
"""Kinds of 503 before any work was done: writes, too, may be sent again."""
SECONDS = 60.0
"""Timeout of each step of a request, unless the caller says otherwise."""
_BETWEEN = 1.0
"""Seconds to wait where the service states none."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How often a call that is refused for now (429, 503) is sent again, and how many seconds may be waited in all."""

    times: int = 3
    seconds: float = 20.0

    def wait(self, call: Call[Any], declined: Declined, sent: int, waited: float) -> float | None:
        """Return the seconds until the call is sent again, as the service asks; None to give up.

        ``sent``: how often it was sent. A write is sent again only where no work was begun.
        """
        untouched = declined.status == httpx.codes.TOO_MANY_REQUESTS or declined.kind in _NOT_BEGUN
        is_busy = declined.status == httpx.codes.SERVICE_UNAVAILABLE and (call.reads or untouched)
        if sent > self.times or not (is_busy or declined.status == httpx.codes.TOO_MANY_REQUESTS):
            return None
        wait = max(declined.retry_after if declined.retry_after is not None else _BETWEEN, 0.0)
        return wait if waited + wait <= self.seconds else None


def answer_of(response: httpx.Response, name: str) -> dict[str, Any]:
    """The JSON object that a response holds; `Declined` for a problem, `Foreign` for what no service of ours sends."""
    try:
        answer = response.json()
    except (ValueError, RecursionError):
        answer = None
    if response.is_success and isinstance(answer, dict):
        return answer
    if not response.is_success and isinstance(answer, dict) and "type" in answer:
        raise Declined(response.status_code, answer, _retry_after(response.headers))
    if response.status_code in {httpx.codes.TOO_MANY_REQUESTS, *_GATEWAY}:  # whoever stands in front of the service
        document = {"detail": f"{name} answered {response.status_code} {response.reason_phrase}"}
        raise Declined(response.status_code, document, _retry_after(response.headers))
    raise Foreign(name)


_GATEWAY = frozenset((httpx.codes.BAD_GATEWAY, httpx.codes.SERVICE_UNAVAILABLE, httpx.codes.GATEWAY_TIMEOUT))


def _retry_after(headers: Mapping[str, str]) -> float | None:
    """Return `Retry-After` in seconds; a date, which our service never sends, counts as none."""
    stated = headers.get("Retry-After", "").strip()
    return float(stated) if stated.isascii() and stated.isdigit() and len(stated) < 10 else None
