"""What the service is told about its Feishu or Lark app: ``KB_FEISHU_*``."""

from typing import Annotated

from pydantic import AfterValidator, Field

from api.chat.origins import origin
from index.settings import HomeSettings


class FeishuSettings(HomeSettings):
    """Unset, all of them: there is no Feishu. Where each is found says `kb chat setup feishu`."""

    feishu_app_id: str | None = Field(None, description="App ID of the Feishu or Lark app, `cli_…`.")
    feishu_app_secret: str | None = Field(None, description="App Secret that goes with it: answers are posted with it.")
    feishu_encrypt_key: str | None = Field(
        None, description="Encrypt Key of the app: its calls are encrypted and signed with it."
    )
    feishu_verification_token: str | None = Field(
        None, description="Verification Token of the app: every call carries it; enough where there is no Encrypt Key."
    )
    feishu_api: Annotated[str, AfterValidator(origin)] = Field(
        "https://open.feishu.cn", description="Where the app lives; Lark outside China: `https://open.larksuite.com`."
    )
