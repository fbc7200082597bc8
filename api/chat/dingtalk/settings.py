"""What the service is told about its DingTalk robots: ``KB_DINGTALK_*``."""

from typing import Annotated

from pydantic import AfterValidator, Field

from api.chat.origins import origin
from index.settings import HomeSettings


class DingTalkSettings(HomeSettings):
    """Unset, all of them: there is no DingTalk. Where each is found says `kb chat setup dingtalk`."""

    dingtalk_app_secret: str | None = Field(
        None, description="Client Secret (AppSecret) of the app whose robot is asked: DingTalk signs its calls with it."
    )
    dingtalk_app_key: str | None = Field(
        None,
        description="Client ID (AppKey) that goes with it: reads files, and answers when the address in the question has expired.",
    )
    dingtalk_robot_code: str | None = Field(
        None, description="Code of the robot; set, calls for other robots are refused. Often the same as the Client ID."
    )
    dingtalk_corp_id: str | None = Field(
        None, description="CorpId of the organisation the robot is in; set, calls from others are refused."
    )
    dingtalk_robot_webhook: str | None = Field(
        None,
        description="Webhook of a custom robot in a group, for alerts: `https://oapi.dingtalk.com/robot/send?access_token=…`.",
    )
    dingtalk_robot_secret: str | None = Field(
        None, description="Secret of that custom robot, `SEC…`, where its security setting is a signature."
    )
    dingtalk_api: Annotated[str, AfterValidator(origin)] = Field(
        "https://api.dingtalk.com", description="Where the API is; outside China `https://api.dingtalk.io`."
    )
