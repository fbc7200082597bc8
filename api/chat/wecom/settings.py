"""What this service is told about WeCom (企业微信)."""

import re
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator, Field
from pydantic_settings import NoDecode

from api.chat.origins import origin
from api.chat.places import Places, named_places
from index.settings import HomeSettings

HOST = "https://qyapi.weixin.qq.com"


def _aes_key(text: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9+/]{43}", text):
        raise ValueError("an EncodingAESKey has 43 letters and digits, as the page of the robot or app shows it")
    return text


def _robot_key(place: str) -> str:
    if not re.fullmatch(r"[A-Za-z0-9-]{8,64}", place):
        raise ValueError("what follows `key=` in the address of a group robot is expected after each name")
    return place


class WecomSettings(HomeSettings):
    """Token and AES key make a smart robot; with the next three an app of the company is answered, too."""

    wecom_token: str | None = Field(None, description="WeCom: the Token of the robot's or app's callback.")
    wecom_aes_key: Annotated[str, AfterValidator(_aes_key)] | None = Field(
        None, description="WeCom: the EncodingAESKey of the callback."
    )
    wecom_corp_id: str | None = Field(None, description="WeCom: the id of the company (企业ID); apps only.")
    wecom_app_secret: str | None = Field(None, description="WeCom: the Secret of the app that answers.")
    wecom_agent_id: int | None = Field(None, description="WeCom: the AgentId of that app.")
    wecom_group_keys: Annotated[Places, NoDecode, BeforeValidator(named_places(_robot_key))] = Field(
        {}, description="WeCom: groups that alerts can be posted to, each with the key of its robot: `ops=KEY, db=KEY`."
    )
    wecom_api: Annotated[str, AfterValidator(origin)] = Field(
        HOST, description="WeCom: where its interface is; another for a private deployment."
    )
