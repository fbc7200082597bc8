"""Send to DingTalk: to the reply address of the question while it lasts, then by the API; alerts by a custom robot.

The first two have no idempotency key, so a message that may have arrived is not sent again. Custom robots have one
(``msgUuid``).
"""

import hashlib
import time
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote_plus, urlsplit

import httpx

from api.chat import posting
from api.chat.dingtalk.card import Card, for_api, for_webhook
from api.chat.dingtalk.reading import sign
from api.chat.payload import Json, integer, load, text
from api.chat.platform import PermanentError, RefusedRequest, RetryableError
from api.chat.posting import AccessToken
from api.contract.jsontext import dump

PAUSE = 600.0
"""Seconds for which DingTalk ignores a robot after more than 20 messages in a minute."""

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
"""Hosts of files. The platform gives http addresses; they are fetched by https."""
EARLY = 300
"""Seconds before its end at which a token is not used any more."""
MARGIN_MS = 5_000
"""Before the end of an address in a question."""
_CLOSED = {"Connection": "close"}
"""A reused idle connection may break during the next message, which leaves open whether it arrived."""
_HEADERS = {"Content-Type": "application/json; charset=utf-8", **_CLOSED}


class SessionExpiredError(PermanentError):
    """The address that came with the question is used up."""


def is_own(address: str, base: str) -> bool:
    """Whether ``address`` is DingTalk's, or at ``base``, the configured place of its API."""
    return any(posting.is_within(address, origin) for origin in (base, *(f"https://{host}" for host in HOSTS)))


def is_session(address: str, base: str) -> bool:
    """Whether ``address`` is of those that come with questions: at the same hosts custom robots of anybody's groups are posted to."""
    return is_own(address, base) and urlsplit(address).path == SESSION


class DingTalkApi:
    """DingTalk's API, as one app sees it."""

    def __init__(self, base: str, app_key: str, app_secret: str) -> None:
        self._base = base
        self._app = {"appKey": app_key, "appSecret": app_secret}
        self._token = AccessToken(self._renew, EARLY)

    async def send(self, client: httpx.AsyncClient, card: Card, target: Mapping[str, Any], robot: str) -> None:
        """Post into a group or to a person, by id. A robot without a code has that of its app."""
        staff, chat = text(target, "staff"), text(target, "chat")
        where: dict[str, Any]
        if target.get("is_group") is True and chat:
            path, where = "/v1.0/robot/groupMessages/send", {"openConversationId": chat}
        elif staff and target.get("is_group") is False:
            path, where = "/v1.0/robot/oToMessages/batchSend", {"userIds": [staff]}
        else:
            raise PermanentError("the question does not say where it was asked")
        await self._post(
            client, path, {"robotCode": robot or self._app["appKey"], **where, **for_api(card)}, is_repeatable=False
        )

    async def file(self, client: httpx.AsyncClient, code: str, robot: str) -> bytes | None:
        """The first `posting.FILE` bytes of a file that was sent to the robot; None when it is not given out."""
        arguments = {"downloadCode": code, "robotCode": robot or self._app["appKey"]}
        try:
            document = await self._post(client, "/v1.0/robot/messageFiles/download", arguments, is_repeatable=True)
            address = text(document, "downloadUrl")
            if not posting.is_within(address, self._base):
                address = f"https://{address.removeprefix('http://').removeprefix('https://')}"
            if not posting.is_within(address, self._base, FILES):
                return None
            return (await posting.download(client, address, _CLOSED))[0]
        except PermanentError:
            return None

    async def _post(self, client: httpx.AsyncClient, path: str, body: Json, *, is_repeatable: bool) -> Json:
        """Return the answer. A refused token is renewed once."""
        for is_last in (False, True):
            headers = {"x-acs-dingtalk-access-token": await self._token.get(client), **_HEADERS}
            answer = await posting.request(
                client, "POST", self._base + path, is_repeatable=is_repeatable, headers=headers, content=dump(body)
            )
            document = _json(answer)
            if answer.status_code == httpx.codes.OK:
                return document
            if is_last or text(document, "code") not in STALE:
                raise _named(document, answer)
            self._token.drop()
        raise AssertionError("the second time it is answered or refused")

    async def _renew(self, client: httpx.AsyncClient) -> tuple[str, int]:
        """A token: https://open.dingtalk.com/document/development/obtain-the-access-token-of-an-internal-app ."""
        url = f"{self._base}/v1.0/oauth2/accessToken"
        answer = await posting.request(client, "POST", url, is_repeatable=True, json=self._app, headers=_CLOSED)
        document = _json(answer)
        if answer.status_code != httpx.codes.OK:
            raise _named(document, answer)
        token, seconds = text(document, "accessToken"), integer(document, "expireIn")
        if not token or not token.isascii() or seconds is None:
            raise RetryableError("the platform gave no token")
        return token, seconds


class Robot:
    """A custom robot in one group."""

    def __init__(self, webhook: str, secret: str | None) -> None:
        self._webhook = webhook
        self._secret = secret

    async def send(self, client: httpx.AsyncClient, card: Card, ref: str) -> None:
        """Post into its group: once, however often it is sent."""
        address = self._webhook
        if self._secret is not None:
            stamp = str(round(time.time() * 1000))
            address += f"&timestamp={stamp}&sign={quote_plus(sign(self._secret, stamp))}"
        name = hashlib.sha256(ref.encode()).hexdigest()[:32]
        await _by_webhook(client, address, {**for_webhook(card), "msgUuid": name}, is_repeatable=True)


async def by_session(client: httpx.AsyncClient, address: str, card: Card) -> None:
    """Answer by the address that came with the question."""
    await _by_webhook(client, address, for_webhook(card), is_repeatable=False)


async def _by_webhook(client: httpx.AsyncClient, address: str, body: Json, *, is_repeatable: bool) -> None:
    answer = await posting.request(
        client, "POST", address, is_repeatable=is_repeatable, headers=_HEADERS, content=dump(body)
    )
    document = _json(answer)
    code = integer(document, "errcode")
    if code == 0:
        return
    if code is not None and code in LATER:
        why, seconds = LATER[code]
        raise RetryableError(f"{why} (errcode {code})", posting.wait_of(answer, time.time()) or seconds)
    kind = SessionExpiredError if "session" in text(document, "errmsg").lower() else PermanentError
    raise kind(f"{NEVER.get(code or 0, 'the platform refused it')} (errcode {code})")


def _json(answer: httpx.Response) -> Json:
    try:
        return load(answer.content)
    except RefusedRequest:
        raise PermanentError(f"the platform answered {answer.status_code} in no form that it has") from None


def _named(document: Json, answer: httpx.Response) -> Exception:
    """Return the error of an API answer, retryable or permanent."""
    code = text(document, "code")
    if code in NAMED_LATER:
        why, seconds = NAMED_LATER[code]
        return RetryableError(f"{why} ({code})", posting.wait_of(answer, time.time()) or seconds)
    return PermanentError(f"{NAMED_NEVER.get(code, 'the platform refused it')} ({code[:60] or answer.status_code})")
