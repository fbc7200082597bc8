"""What is sent to DingTalk: by the address that came with the question while it lasts, then by the API; alerts by a custom robot.

The first two know no name by which a message is posted once, so one that may have arrived is not sent again. Custom robots do
(``msgUuid``).
"""

import hashlib
import time
from asyncio import Lock
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote_plus, urlsplit

import httpx

from api.chat import posting
from api.chat.dingtalk.card import Card, for_api, for_webhook
from api.chat.dingtalk.reading import sign
from api.chat.payload import Json, load, text, whole
from api.chat.platform import Later, Never, RefusedRequest
from api.jsontext import dump

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


HOSTS = frozenset(f"{name}.dingtalk.{end}" for name in ("oapi", "api") for end in ("com", "io"))
"""Where messages may be sent: an address in a question is anybody's. ``.io`` is DingTalk outside China."""
SESSION = "/robot/sendBySession"
"""The path of an address that comes with a question."""
FILES = (".dingtalk.com", ".dingtalk.io", ".aliyuncs.com")
"""Under which files lie. The platform gives their addresses with http; they are asked for by https."""
EARLY = 300
"""Seconds before its end at which a token is not used any more."""
MARGIN_MS = 5_000
"""Before the end of an address in a question."""
_CLOSED = {"Connection": "close"}
"""An idle connection may be gone by the next message, and then nobody knows whether that one arrived."""
_HEADERS = {"Content-Type": "application/json; charset=utf-8", **_CLOSED}


class Expired(Never):
    """The address that came with the question is used up."""


def is_own(address: str, base: str) -> bool:
    """Whether ``address`` is DingTalk's, or at ``base``, the configured place of its API."""
    return any(posting.is_within(address, origin) for origin in (base, *(f"https://{host}" for host in HOSTS)))


def is_session(address: str, base: str) -> bool:
    """Whether ``address`` is of those that come with questions: at the same hosts custom robots of anybody's groups are posted to."""
    return is_own(address, base) and urlsplit(address).path == SESSION


class DingTalkApi:
    """DingTalk's API, as one app sees it. Its token is kept in this process until shortly before it ends."""

    def __init__(self, base: str, app_key: str, app_secret: str) -> None:
        self._base = base
        self._app = {"appKey": app_key, "appSecret": app_secret}
        self._token = ""
        self._ends = 0.0
        self._renewing = Lock()

    async def send(self, client: httpx.AsyncClient, made: Card, target: Mapping[str, Any], robot: str) -> None:
        """Into a group by its id, to a person by theirs. A robot without a code has its app's."""
        staff, chat = text(target, "staff"), text(target, "chat")
        where: dict[str, Any]
        if target.get("is_group") is True and chat:
            path, where = "/v1.0/robot/groupMessages/send", {"openConversationId": chat}
        elif staff and target.get("is_group") is False:
            path, where = "/v1.0/robot/oToMessages/batchSend", {"userIds": [staff]}
        else:
            raise Never("the question does not say where it was asked")
        await self._post(
            client, path, {"robotCode": robot or self._app["appKey"], **where, **for_api(made)}, is_repeatable=False
        )

    async def file(self, client: httpx.AsyncClient, code: str, robot: str) -> bytes | None:
        """The first `posting.FILE` bytes of a file that was sent to the robot; None when it is not given out."""
        asked = {"downloadCode": code, "robotCode": robot or self._app["appKey"]}
        try:
            said = await self._post(client, "/v1.0/robot/messageFiles/download", asked, is_repeatable=True)
            address = text(said, "downloadUrl")
            if not posting.is_within(address, self._base):
                address = f"https://{address.removeprefix('http://').removeprefix('https://')}"
            if not posting.is_within(address, self._base, FILES):
                return None
            return (await posting.download(client, address, _CLOSED))[0]
        except Never:
            return None

    async def _post(self, client: httpx.AsyncClient, path: str, body: Json, *, is_repeatable: bool) -> Json:
        """What is answered. A token that is refused is renewed, once."""
        for is_last in (False, True):
            headers = {"x-acs-dingtalk-access-token": await self._fresh(client), **_HEADERS}
            answer = await posting.request(
                client, "POST", self._base + path, is_repeatable=is_repeatable, headers=headers, content=dump(body)
            )
            said = _json(answer)
            if answer.status_code == httpx.codes.OK:
                return said
            if is_last or text(said, "code") not in STALE:
                raise _named(said, answer)
            self._ends = 0.0
        raise AssertionError("the second time it is answered or refused")

    async def _fresh(self, client: httpx.AsyncClient) -> str:
        """A token: https://open.dingtalk.com/document/development/obtain-the-access-token-of-an-internal-app ."""
        async with self._renewing:
            if time.monotonic() >= self._ends:
                url = f"{self._base}/v1.0/oauth2/accessToken"
                answer = await posting.request(client, "POST", url, is_repeatable=True, json=self._app, headers=_CLOSED)
                said = _json(answer)
                if answer.status_code != httpx.codes.OK:
                    raise _named(said, answer)
                token, seconds = text(said, "accessToken"), whole(said, "expireIn")
                if not token or not token.isascii() or seconds is None:
                    raise Later("the platform gave no token")
                self._token, self._ends = token, time.monotonic() + max(60, seconds - EARLY)
        return self._token


class Robot:
    """A custom robot in one group."""

    def __init__(self, webhook: str, secret: str | None) -> None:
        self._webhook = webhook
        self._secret = secret

    async def send(self, client: httpx.AsyncClient, made: Card, ref: str) -> None:
        """Post into its group: once, however often it is sent."""
        address = self._webhook
        if self._secret is not None:
            stamp = str(round(time.time() * 1000))
            address += f"&timestamp={stamp}&sign={quote_plus(sign(self._secret, stamp))}"
        name = hashlib.sha256(ref.encode()).hexdigest()[:32]
        await _by_webhook(client, address, {**for_webhook(made), "msgUuid": name}, is_repeatable=True)


async def by_session(client: httpx.AsyncClient, address: str, made: Card) -> None:
    """Answer by the address that came with the question."""
    await _by_webhook(client, address, for_webhook(made), is_repeatable=False)


async def _by_webhook(client: httpx.AsyncClient, address: str, body: Json, *, is_repeatable: bool) -> None:
    answer = await posting.request(
        client, "POST", address, is_repeatable=is_repeatable, headers=_HEADERS, content=dump(body)
    )
    said = _json(answer)
    code = whole(said, "errcode")
    if code == 0:
        return
    if code is not None and code in LATER:
        why, seconds = LATER[code]
        raise Later(f"{why} (errcode {code})", posting.wait_of(answer, time.time()) or seconds)
    kind = Expired if "session" in text(said, "errmsg").lower() else Never
    raise kind(f"{NEVER.get(code or 0, 'the platform refused it')} (errcode {code})")


def _json(answer: httpx.Response) -> Json:
    try:
        return load(answer.content)
    except RefusedRequest:
        raise Never(f"the platform answered {answer.status_code} in no form that it has") from None


def _named(said: Json, answer: httpx.Response) -> Exception:
    """What an error of the API is: something to try again, or not."""
    code = text(said, "code")
    if code in NAMED_LATER:
        why, seconds = NAMED_LATER[code]
        return Later(f"{why} ({code})", posting.wait_of(answer, time.time()) or seconds)
    return Never(f"{NAMED_NEVER.get(code, 'the platform refused it')} ({code[:60] or answer.status_code})")
