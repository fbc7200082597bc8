"""Slack's Web API over the service's own HTTP client, and what its errors mean.

slack_sdk's async client needs aiohttp beside httpx, opens a session of its own for every call, and retries on its own terms;
all that is left to share are the names of methods. So: httpx, one function. https://docs.slack.dev/apis/web-api
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx

from api.chat.platform import Later, Never, Refused
from api.chat.slack.shapes import Json, load, text

SECONDS = httpx.Timeout(10.0, connect=5.0)
MOST_SECONDS = 3600.0
"""The longest wait that Slack is believed to ask for."""
PASSING = frozenset(
    {
        "accesslimited", "external_channel_migrating", "fatal_error", "internal_error", "message_limit_exceeded",
        "org_login_required", "rate_limited", "ratelimited", "request_timeout", "service_unavailable",
        "team_added_to_org",
    }
)  # fmt: skip
"""Errors that go away by themselves. Any other stays until somebody does something."""
UNSURE = frozenset({"fatal_error", "internal_error", "request_timeout", "service_unavailable"})
"""Errors after which the call may have been carried out all the same, as the reference of each method says."""
AWAY = frozenset(
    {
        "channel_not_found", "is_archived", "not_in_channel", "restricted_action",
        "restricted_action_non_threadable_channel", "restricted_action_read_only_channel",
        "restricted_action_thread_locked",
    }
)  # fmt: skip
"""We may not post there."""
_TOKEN = frozenset({"account_inactive", "invalid_auth", "not_authed", "token_expired", "token_revoked"})


class Refusal(Never):
    """Slack said no, by ``error``."""

    def __init__(self, method: str, error: str, cure: str = "") -> None:
        super().__init__(f"Slack: {method}: {error}{cure}")
        self.error = error


class Unsure(Later):
    """The call went out, and what became of it is unknown."""


@dataclass(frozen=True, slots=True)
class Web:
    """The Web API at ``base``, as the owner of ``token``."""

    base: str
    token: str

    async def call(
        self, method: str, arguments: Mapping[str, Any], client: httpx.AsyncClient, *, form: bool = False
    ) -> Json:
        """What a method answers. Reading methods take a ``form`` alone. Later, Unsure or Refusal by the tables above."""
        kind: dict[str, Any] = {"data": arguments} if form else {"json": arguments}
        response = await sent(client.build_request("POST", f"{self.base}/{method}", **self.bearer, **kind), client)
        if response.status_code >= httpx.codes.INTERNAL_SERVER_ERROR:
            raise Unsure(f"Slack: {method}: status {response.status_code}", waits(response))
        return _judged(method, response)

    @property
    def bearer(self) -> dict[str, Any]:
        """What a request of ours says of us, and how long it may take."""
        return {"headers": {"authorization": f"Bearer {self.token}"}, "timeout": SECONDS}

    def owns(self, url: str) -> bool:
        """Whether ``url``, which came in a payload, leads to Slack: https on a host of the Web API's domain, or the Web API's own origin."""
        try:
            asked, base = urlsplit(url), urlsplit(self.base)
            ports = asked.port, base.port
        except ValueError:
            return False
        if asked.username is not None or asked.password is not None or not asked.hostname or not base.hostname:
            return False
        if (asked.scheme, asked.hostname, ports[0]) == (base.scheme, base.hostname, ports[1]):
            return True
        return asked.scheme == "https" and ports[0] is None and asked.hostname.endswith(f".{base.hostname}")


async def sent(request: httpx.Request, client: httpx.AsyncClient) -> httpx.Response:
    """The response to a request, no redirect followed. Later when it did not leave or is refused for its rate, Unsure when it left without an answer."""
    try:
        response = await client.send(request, follow_redirects=False)
    except (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout) as error:
        raise Later(f"Slack cannot be reached: {type(error).__name__}") from None
    except httpx.HTTPError as error:
        raise Unsure(f"Slack did not answer: {type(error).__name__}") from None
    if response.status_code == httpx.codes.TOO_MANY_REQUESTS:
        raise Later("Slack: too many requests", waits(response))
    return response


def waits(response: httpx.Response) -> float | None:
    """Seconds of its Retry-After."""
    told = response.headers.get("retry-after", "")
    return min(float(told), MOST_SECONDS) if told.isascii() and told.isdigit() else None


def _judged(method: str, response: httpx.Response) -> Json:
    try:
        answer = load(response.content)
    except Refused:
        raise Unsure(f"Slack: {method}: status {response.status_code} without JSON") from None
    if answer.get("ok") is True:
        return answer
    error = text(answer, "error")[:100] or f"status {response.status_code}"
    if error in UNSURE:
        raise Unsure(f"Slack: {method}: {error}", waits(response))
    if error in PASSING:
        raise Later(f"Slack: {method}: {error}", waits(response))
    raise Refusal(method, error, _cure(error, answer))


def _cure(error: str, answer: Json) -> str:
    if error == "missing_scope":
        return f": the app needs the scope {text(answer, 'needed')[:100]}; add it and install the app again"
    if error in AWAY:
        return ": invite the app into the channel"
    return ": see KB_SLACK_BOT_TOKEN" if error in _TOKEN else ""
