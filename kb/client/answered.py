"""What is made of a response, and whether a call is worth sending again: the part of the clients that sends nothing."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx

from kb.client.calls import Call
from kb.client.failures import Declined, Foreign

_NOT_BEGUN = frozenset(("overloaded", "stopping", "store-closed"))
"""Kinds of 503 that are said before anything is done: also what writes may be sent again."""
_BETWEEN = 1.0
"""Seconds to wait where the service does not say."""


@dataclass(frozen=True, slots=True)
class Patience:
    """How often a call that is refused for now (429, 503) is sent again, and how many seconds may be waited in all."""

    times: int = 3
    seconds: float = 20.0

    def wait(self, call: Call[Any], declined: Declined, sent: int, waited: float) -> float | None:
        """Seconds until the call is sent again, as the service asks; None: it is given up.

        ``sent``: how often it was sent. What changes something is sent again only where nothing was begun.
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
        raise Declined(response.status_code, answer, _seconds(response.headers))
    if response.status_code in {httpx.codes.TOO_MANY_REQUESTS, *_GATEWAY}:  # whoever stands in front of the service
        document = {"detail": f"{name} answered {response.status_code} {response.reason_phrase}"}
        raise Declined(response.status_code, document, _seconds(response.headers))
    raise Foreign(name)


_GATEWAY = frozenset((httpx.codes.BAD_GATEWAY, httpx.codes.SERVICE_UNAVAILABLE, httpx.codes.GATEWAY_TIMEOUT))


def _seconds(headers: Mapping[str, str]) -> float | None:
    """`Retry-After` in seconds; a date, which our service never sends, says nothing."""
    said = headers.get("Retry-After", "").strip()
    return float(said) if said.isascii() and said.isdigit() and len(said) < 10 else None
