"""Slack's Web API over the service's own HTTP client, and what its errors mean.

slack_sdk's async client needs aiohttp beside httpx, makes a session of its own for each call, and tries again on terms of its
own; what would be left to share are the names of methods. So: httpx, and one function. https://docs.slack.dev/apis/web-api
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import httpx

from api.chat.platform import Later, Never, RefusedRequest
from api.chat.posting import is_within, request
from api.chat.shapes import Json, load, text

PASSING = frozenset(
    {
        "accesslimited", "external_channel_migrating", "message_limit_exceeded", "org_login_required", "rate_limited",
        "ratelimited", "team_added_to_org",
    }
)  # fmt: skip
"""Errors that go away by themselves, and before which nothing was done."""
UNSURE = frozenset({"fatal_error", "internal_error", "request_timeout", "service_unavailable"})
"""Errors that go away, and before which the call may have been carried out all the same: the reference of each method says so."""
AWAY = frozenset(
    {
        "channel_not_found", "is_archived", "not_in_channel", "restricted_action",
        "restricted_action_non_threadable_channel", "restricted_action_read_only_channel",
        "restricted_action_thread_locked",
    }
)  # fmt: skip
"""We may not post there. These and all others stay until somebody does something."""
_TOKEN = frozenset({"account_inactive", "invalid_auth", "not_authed", "token_expired", "token_revoked"})
MAY_BE_THERE = "it may have been posted; Slack cannot tell"


class Refusal(Never):
    """Slack said no, by ``error``."""

    def __init__(self, method: str, error: str, cure: str = "") -> None:
        super().__init__(f"Slack: {method}: {error}{cure}")
        self.error = error


@dataclass(frozen=True, slots=True)
class Web:
    """The Web API of Slack at ``origin``, as the owner of ``token``."""

    origin: str
    token: str

    @property
    def bearer(self) -> dict[str, str]:
        """The headers of a request of ours."""
        return {"authorization": f"Bearer {self.token}"}

    async def call(
        self, method: str, arguments: Mapping[str, Any], client: httpx.AsyncClient, *, is_repeatable: bool = True
    ) -> Json:
        """What a method answers. Later or Refusal by the tables above; Never for what may have been done and is not ``is_repeatable``."""
        sent = (
            {"json": arguments} if method.startswith("chat.") else {"data": arguments}
        )  # reading ones take forms alone
        url = f"{self.origin}/api/{method}"
        answer = await request(client, "POST", url, is_repeatable=is_repeatable, headers=self.bearer, **sent)
        return _judged(method, answer, is_repeatable=is_repeatable)

    def owns(self, url: str) -> bool:
        """Whether ``url``, which came in a payload, leads to Slack: by https to a host under ours, or to our origin."""
        return is_within(url, self.origin, (f".{urlsplit(self.origin).hostname}",))


def _judged(method: str, answer: httpx.Response, *, is_repeatable: bool) -> Json:
    try:
        told = load(answer.content)
    except RefusedRequest:
        if not is_repeatable:
            raise Never(MAY_BE_THERE) from None
        raise Later(f"Slack: {method}: status {answer.status_code} without JSON", may_be_there=True) from None
    if told.get("ok") is True:
        return told
    error = text(told, "error")[:100] or f"status {answer.status_code}"
    if error in PASSING or (error in UNSURE and is_repeatable):
        raise Later(f"Slack: {method}: {error}", may_be_there=error in UNSURE)
    if error in UNSURE:
        raise Never(MAY_BE_THERE)
    raise Refusal(method, error, _cure(error, told))


def _cure(error: str, told: Json) -> str:
    if error == "missing_scope":
        return f": the app needs the scope {text(told, 'needed')[:100]}; add it and install the app again"
    if error in AWAY:
        return ": invite the app into the channel"
    return ": see KB_SLACK_BOT_TOKEN" if error in _TOKEN else ""
