"""DingTalk: messages to a robot in, cards out; alerts by a custom robot."""

from api.chat.dingtalk.app import DingTalk, Ways
from api.chat.dingtalk.reading import Expected
from api.chat.dingtalk.sending import DingTalkApi, Robot, is_own
from api.chat.dingtalk.settings import DingTalkSettings
from api.chat.platform import Platform
from kb.errors import SettingsError

SETTINGS = DingTalkSettings


def make(settings: DingTalkSettings) -> Platform | None:
    """The platform; None while neither app nor custom robot is set up. SettingsError for a webhook that is not DingTalk's."""
    base, secret = settings.dingtalk_api, settings.dingtalk_app_secret or None
    robot, api = _robot(settings), None
    if secret is None and robot is None:
        return None
    if settings.dingtalk_app_key and secret:
        api = DingTalkApi(base, settings.dingtalk_app_key, secret)
    expected = Expected(settings.dingtalk_robot_code or None, settings.dingtalk_corp_id or None)
    return DingTalk(secret, expected, Ways(base, api, robot))


def _robot(settings: DingTalkSettings) -> Robot | None:
    webhook = settings.dingtalk_robot_webhook
    if not webhook:
        return None
    if not is_own(webhook, settings.dingtalk_api) or "access_token=" not in webhook:
        problem = "KB_DINGTALK_ROBOT_WEBHOOK is no webhook of a custom robot"
        raise SettingsError(problem, cure="copy it from the robot: https://oapi.dingtalk.com/robot/send?access_token=…")
    return Robot(webhook, settings.dingtalk_robot_secret or None)
