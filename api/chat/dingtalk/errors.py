"""What the platform's errors mean for trying again.

Webhooks answer with numbers (https://open.dingtalk.com/document/development/custom-robots-send-group-messages), the API with names
(https://open.dingtalk.com/document/development/the-robot-sends-a-group-message, …/api-throttling). An error that is in no table
is no reason to try again.
"""

from collections.abc import Mapping

PAUSE = 600.0
"""Seconds for which a robot that said more than 20 things in a minute is not heard."""

LATER: Mapping[int, tuple[str, float | None]] = {
    -1: ("the platform is busy", None),
    130101: ("the robot says too much: 20 messages a minute", PAUSE),
    410100: ("the robot says too much: 20 messages a minute", PAUSE),
    90002: ("too many requests of this kind", 1.0),
    90018: ("too many requests of this app", 1.0),
}
NEVER: Mapping[int, str] = {
    310000: "its security setting refuses it: keyword, signature or address; see KB_DINGTALK_ROBOT_SECRET",
    300001: "the token is wrong",
    40035: "the platform did not understand the request",
    43004: "the platform did not understand the request",
    400013: "the group was dissolved",
    400101: "the token of the webhook does not exist",
    400102: "the robot is switched off",
    400105: "messages of this kind are not taken",
    400106: "the robot is not in the group",
    430101: "the platform found an unsafe link in it",
    430102: "the platform found words in it that it does not allow",
    430103: "the platform found a picture in it that it does not allow",
    430104: "the platform found something in it that it does not allow",
    90020: "the calls of this month are used up",
}

NAMED_LATER: Mapping[str, tuple[str, float | None]] = {
    "send.too.fast": ("too many messages", PAUSE),
    "send.byToken.tooFast": ("too many messages", PAUSE),
    "too.many.group": ("too many messages", PAUSE),
    "too.many.people": ("too many messages", PAUSE),
    "Forbidden.AccessDenied.QpsLimitForAppkeyAndApi": ("too many requests of this app", 1.0),
    "Forbidden.AccessDenied.QpsLimitForApi": ("too many requests of this kind", 1.0),
    "system.error": ("an internal error of the platform", None),
    "ServiceUnavailable": ("the platform is not available", None),
}
STALE = frozenset({"InvalidAuthentication", "invalidParameter.token.invalid", "unauthorized"})
"""The token is missing, expired or not ours: a new one may help, once."""
NAMED_NEVER: Mapping[str, str] = {
    "unknown.send.result": "it may have been posted: the platform does not know",
    "invalid.client": "Client ID or Client Secret is wrong",
    "invalidClientIdOrSecret": "Client ID or Client Secret is wrong",
    "Forbidden.AccessDenied.AccessTokenPermissionDenied": "the app lacks the permission to send messages of its robot",
    "Forbidden.AccessDenied.ApiCountLimitForOrg": "the calls of this month are used up",
    "Forbidden.AccessDenied.IpNotInWhiteList": "this machine's address is not on the app's allow-list",
    "group.disbanded": "the group was dissolved",
    "bot.stopped": "the robot is switched off",
    "invalidParameter.robotCode.notExsit": "the robot is not in the group",
    "invalidParameter.robotCode.auth": "the robot is another app's",
    "invalid.openConversationId": "there is no such group",
    "robot.oto.notExist": "the robot has no chat with this person",
    "contain.notAllowed.text": "the platform found words in it that it does not allow",
    "contain.unsafe.url": "the platform found an unsafe link in it",
    "invalidParameter.msgParam.tooLong": "the message is too long",
}
