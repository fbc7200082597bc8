"""Feishu and Lark: events and callbacks in, cards out."""

from api.chat.feishu.app import Feishu
from api.chat.feishu.sending import FeishuApi
from api.chat.feishu.settings import FeishuSettings
from api.chat.feishu.signing import VerificationKeys
from api.chat.platform import Platform

SETTINGS = FeishuSettings


def make(settings: FeishuSettings) -> Platform | None:
    """The platform; None while there is nothing to verify its calls by. Without the app it is asked, and what it is asked a dead letter."""
    keys = VerificationKeys(settings.feishu_encrypt_key or None, settings.feishu_verification_token or None)
    if keys == VerificationKeys(None, None):
        return None
    return Feishu(keys, FeishuApi(settings.feishu_api, settings.feishu_app_id or "", settings.feishu_app_secret or ""))
