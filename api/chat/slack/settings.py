"""What the service is told about its Slack app: ``KB_SLACK_*``."""

from typing import Annotated, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field

from index.settings import HomeSettings

_LOOPBACK = frozenset({"127.0.0.1", "::1", "localhost"})


def _base(url: str) -> str:
    parts = urlsplit(url)
    if not parts.hostname or parts.query or parts.fragment or parts.username:
        raise ValueError("it is an address such as https://slack.com/api")
    if parts.scheme != "https" and not (parts.scheme == "http" and parts.hostname in _LOOPBACK):
        raise ValueError("tokens travel over https alone, but to this machine")
    return url.rstrip("/")


class SlackSettings(HomeSettings):
    """Unset, all of them: there is no Slack. Secret and token come from the pages of the app (`kb chat setup slack`)."""

    slack_signing_secret: str | None = Field(
        None, description="Signing secret of the Slack app (Basic Information): what Slack signs its calls with."
    )
    slack_bot_token: str | None = Field(
        None, description="Bot token of the Slack app (OAuth & Permissions), `xoxb-…`: what answers are posted with."
    )
    slack_command_answers: Literal["ephemeral", "in_channel"] = Field(
        "ephemeral",
        description="Who sees the answer to the slash command: `ephemeral` who asked, `in_channel` everybody there.",
    )
    slack_api: Annotated[str, AfterValidator(_base)] = Field(
        "https://slack.com/api", description="Address of Slack's Web API; GovSlack has https://slack-gov.com/api."
    )
