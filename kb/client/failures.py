"""What can go wrong on the way to the service: three errors, each with its cure."""

from collections.abc import Mapping
from typing import Any

from kb.client.shapes import FieldError
from kb.errors import KbError

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
    """Nobody answers at the address, or not in time."""

    def __init__(self, name: str, reason: object) -> None:
        cure = "start it with `kb serve`, or mend KB_URL; without KB_URL the commands work in the home"
        super().__init__(f"no service answers at {name}: {reason}", cure=cure)


class Foreign(KbError):  # noqa: N818
    """Something answers that is not dejastack."""

    def __init__(self, name: str) -> None:
        super().__init__(f"what answers at {name} is not dejastack", cure="set KB_URL to its address")


class Declined(KbError):  # noqa: N818
    """What was asked for was not done: the problem document (RFC 9457) that says why.

    ``status`` is the HTTP status, ``kind`` names the problem for programs (``no-such-incident``, ``stale``), ``errors`` are the places
    that it names, ``request_id`` is what the service's log has, ``document`` the whole of it; ``retry_after`` seconds, where it says so.
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
