"""What the platform's error codes mean for trying again.

https://open.feishu.cn/document/server-docs/api-call-guide/generic-error-code and the tables of the calls that are made
(im/v1 message reply, create, get; message resource get). A code that is in no table is no reason to try again.
"""

from collections.abc import Mapping

STALE = frozenset({99991661, 99991663, 99991664, 99991665, 99991668, 99991671, 99991677})
"""The token is missing, expired or not ours: a new one may help, once."""
LATER: Mapping[int, str] = {
    99991400: "too many requests",
    230020: "too many messages to this chat",
    230049: "the message is being sent",
    234019: "the tenant could not be looked up",
    234042: "the tenant's storage failed",
    11232: "too many messages at this moment",
    2200: "an internal error of the platform",
    1000004: "too many requests of this kind",
    1000005: "too many requests of this app",
}
NO_THREAD = frozenset({230071, 230072})
"""There can be no thread there: the answer goes beside the question."""
NEVER: Mapping[int, str] = {
    10003: "App ID or App Secret is wrong",
    10014: "App ID or App Secret is wrong",
    99991543: "App ID or App Secret is wrong",
    99991401: "this machine's address is not on the app's allow-list",
    99991662: "the app is disabled or not installed",
    99991673: "the app is not available in this tenant",
    99991672: "the app lacks a scope; `kb chat setup feishu` lists them",
    99991676: "the app lacks a scope; `kb chat setup feishu` lists them",
    99991679: "the app lacks a scope; `kb chat setup feishu` lists them",
    230027: "the app lacks a scope, or the group is an external one",
    230001: "the platform did not understand the request",
    230002: "the robot is not in the group",
    230006: "the app has no robot; add the capability and publish a version",
    230011: "the message was recalled",
    230013: "the robot is not available to this user",
    230017: "the message is not the robot's",
    230018: "the settings of the group forbid it",
    230019: "the topic is gone",
    230022: "the platform found sensitive words in it",
    230025: "the message is too long",
    230028: "the tenant's data protection holds it back",
    230035: "the robot may not speak there",
    230038: "chats across tenants are not served",
    230050: "the message is not visible to the robot",
    230054: "messages of this kind cannot be answered",
    230075: "the chat is encrypted",
    230099: "the platform refused the card",
    230110: "the message was deleted",
    230111: "the message deletes itself",
    232009: "the group was dissolved",
    234001: "the platform did not understand the request",
    234002: "the file is not the app's to read",
    234003: "the file is not in the message",
    234004: "the robot is not in the chat of the file",
    234009: "the app lacks a scope, or the group is an external one",
    234037: "the file is larger than 100 MB",
    234038: "files of this chat may not be downloaded",
    234040: "the message is not visible to the robot",
    234041: "the tenant's key was deleted",
    234043: "messages of this kind hold no file",
}
