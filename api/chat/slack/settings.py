"""What the service is told about its Slack app: ``KB_SLACK_*``."""

from typing import Annotated, Literal

from pydantic import AfterValidator, Field

from api.chat.origins import origin
from index.settings import HomeSettings


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
    slack_shared_channels: bool = Field(
        default=False,
        description="Answer also in channels that are shared with other organisations: their members ask and read there.",
    )
    slack_api: Annotated[str, AfterValidator(origin)] = Field(
        "https://slack.com", description="Where Slack is; GovSlack is at https://slack-gov.com."
    )
