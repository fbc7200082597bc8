"""Calls as DingTalk makes them, written from its documents, not from our code."""

import base64
import hashlib
import hmac
import json
from typing import Any

from api.chat.platform import WebhookRequest

NOW = 1_700_000_000
SECRET = "test-app-secret"


def signed(body: Any, secret: str = SECRET, at: float | str = NOW) -> WebhookRequest:
    """A call under the sign of its time."""
    stamp = at if isinstance(at, str) else str(int(at * 1000))
    mac = hmac.new(secret.encode(), f"{stamp}\n{secret}".encode(), hashlib.sha256).digest()
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return WebhookRequest("POST", {}, {"timestamp": stamp, "sign": base64.b64encode(mac).decode()}, data)


def received(kind: str = "text", content: Any = None, **more: Any) -> dict[str, Any]:
    """A message to the robot in a group."""
    part = {"text": {"content": content}} if kind == "text" and isinstance(content, str) else {"content": content}
    return {
        "conversationId": "cid6KeBBLoveMJOGXoYKF5x7EeiodoA==",
        "atUsers": [{"dingtalkId": "$:LWCP_v1:$C1"}],
        "chatbotCorpId": "dinge8a565",
        "chatbotUserId": "$:LWCP_v1:$C1",
        "msgId": "msg0abc+/=",
        "senderNick": "李",
        "isAdmin": True,
        "senderStaffId": "user123",
        "sessionWebhookExpiredTime": 1613635652738,
        "createAt": 1613630252678,
        "senderCorpId": "dinge8a565",
        "conversationType": "2",
        "senderId": "$:LWCP_v1:$Ff09GI",
        "conversationTitle": "TEST",
        "isInAtList": True,
        "sessionWebhook": "https://oapi.dingtalk.com/robot/sendBySession?session=xxxxx",
        "robotCode": "dingue4kfzdxbynxxxxxx",
        "msgtype": kind,
        **part,
        **more,
    }
