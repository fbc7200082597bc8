"""What this service is told about Microsoft Teams."""

import base64
import binascii
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_settings import NoDecode

from api.chat.origins import origin
from api.chat.places import Places, named_places
from index.settings import HomeSettings

WORKFLOWS = (".logic.azure.com", ".powerplatform.com", ".powerautomate.com", ".azure.us", ".logic.azure.cn")
"""Hosts of the addresses that Workflows gives out."""


def _tokens(value: object) -> object:
    return tuple(filter(None, map(str.strip, value.split(",")))) if isinstance(value, str) else value


def _token(text: str) -> str:
    try:
        is_key = bool(base64.b64decode(text, validate=True))
    except (binascii.Error, ValueError):
        is_key = False
    if not is_key:
        raise ValueError("a security token is base64, as Teams shows it once when the outgoing webhook is made")
    return text


def _workflow(url: str) -> str:
    parts = urlsplit(url)
    host = parts.hostname or ""
    if not host.endswith(WORKFLOWS) or parts.scheme != "https":
        try:
            origin(f"{parts.scheme}://{parts.netloc}")
        except ValueError:
            host = ""
        if host not in {"127.0.0.1", "localhost", "::1"}:
            raise ValueError(f"the address of a workflow is expected, at a host under {', '.join(WORKFLOWS)}")
    return url


class TeamsSettings(HomeSettings):
    """An outgoing webhook asks, in the team that it was made for; a workflow posts alerts into a channel."""

    teams_tokens: Annotated[tuple[Annotated[str, AfterValidator(_token)], ...], NoDecode, BeforeValidator(_tokens)] = (
        Field((), description="Teams: the security token of each team's outgoing webhook, with commas.")
    )
    teams_channel_secrets: Annotated[Places, NoDecode, BeforeValidator(named_places(_workflow))] = Field(
        {},
        description="Teams: channels that alerts can be posted to, each with the address of its workflow: `ops=https://…`.",
    )
