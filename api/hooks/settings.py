"""Settings of the hooks for alerts: `KB_HOOKS_*` and the secrets of other systems."""

import base64
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_settings import NoDecode

from api.chat.settings import LOOPBACK
from api.hooks.json_alerts import compiled
from index.settings import HomeSettings

DAY = 24 * 3600


def _split(value: object) -> object:
    return tuple(filter(None, map(str.strip, value.split(",")))) if isinstance(value, str) else value


def _expression(text: str) -> str:
    compiled(text)
    return text


def _place(text: str) -> str:
    platform, colon, name = text.partition(":")
    if not (platform and colon and name):
        raise ValueError("a chat platform and a channel are expected, as slack:C0123456789")
    return text


WHSEC = "whsec_"


def _address(text: str) -> str:
    parts = urlsplit(text)
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in LOOPBACK):
        raise ValueError("a webhook is reached over https alone, but on this machine")
    if not parts.hostname or parts.username is not None or parts.password is not None or parts.fragment:
        raise ValueError("an address has a host, no user and no `#`: https://hooks.example.org/crashes")
    return text


def _secret(text: str) -> str:
    try:
        key = base64.b64decode(text.removeprefix(WHSEC), validate=True)
    except ValueError:
        key = b""
    if not text.startswith(WHSEC) or not 24 <= len(key) <= 64:
        raise ValueError("a secret is `whsec_` and 24 to 64 bytes in base64: `echo whsec_$(openssl rand -base64 32)`")
    return text


Words = Annotated[tuple[str, ...], NoDecode, BeforeValidator(_split)]
Posts = Annotated[tuple[Annotated[str, AfterValidator(_place)], ...], NoDecode, BeforeValidator(_split)]


class HookSettings(HomeSettings):
    """Who may send alerts, which fields hold their text, and where known incidents and news are posted."""

    alertmanager_token: str | None = Field(
        None, description="Alertmanager may show this as its bearer token, in the place of a key of ours."
    )
    grafana_secret: str | None = Field(None, description="Grafana: the secret of the contact point's HMAC signature.")
    grafana_timestamp_header: str = Field(
        "X-Grafana-Alerting-Signature-Timestamp",
        description="Grafana: the timestamp header of the contact point; once it is set here, a call without it is refused.",
    )
    sentry_secret: str | None = Field(None, description="Sentry: the Client Secret of the internal integration.")
    hooks_fields: Words = Field(
        (), description="Annotations and labels with a trace or words in them, beside the usual ones; with commas."
    )
    hooks_generic_text: Annotated[str, AfterValidator(_expression)] = Field(
        "text || message || body || description",
        description="Where the text of `/v1/hooks/generic` is: JMESPath, to one text or to a list of them.",
    )
    hooks_post: Posts = Field(
        (),
        description="Channels that known incidents of alerts, new groups of `kb triage` and requests for reviews are posted to, with commas: `slack:C0123456789, wecom:ops`.",
    )
    hooks_quiet: int = Field(
        3600, ge=0, le=DAY, description="Seconds in which one incident is not posted again for the same group."
    )
    hooks_most: int = Field(
        5, ge=1, le=50, description="Alerts of one call that are posted; the rest is told of in one line."
    )
    hooks_searches: int = Field(20, ge=1, le=200, description="Alerts of one call that are searched for its response.")
    webhook_url: Annotated[str, AfterValidator(_address)] | None = Field(
        None,
        description="Where news are posted as signed JSON: `triage.new_groups` when `kb triage` found groups of crashes that are new, `review.requested` when somebody is asked for a review. Unset: nowhere.",
    )
    webhook_secret: Annotated[str, AfterValidator(_secret)] | None = Field(
        None,
        description="What news are signed with (Standard Webhooks): `whsec_` and base64. `KB_WEBHOOK_URL` needs it.",
    )
