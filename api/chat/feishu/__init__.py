"""Feishu and Lark: events and callbacks in, cards out."""

from api.chat.feishu.app import Feishu
from api.chat.feishu.sending import Api
from api.chat.feishu.settings import FeishuSettings
from api.chat.feishu.signing import Keys
from api.chat.platform import Platform

SETTINGS = FeishuSettings


def make(settings: FeishuSettings) -> Platform | None:
    """The platform; None while it is not set up: without the app, or with nothing to verify its calls by."""
    keys = Keys(settings.feishu_encrypt_key or None, settings.feishu_verification_token or None)
    if not settings.feishu_app_id or not settings.feishu_app_secret or keys == Keys(None, None):
        return None
    return Feishu(keys, Api(settings.feishu_api, settings.feishu_app_id, settings.feishu_app_secret))
