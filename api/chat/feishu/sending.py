"""Call Feishu's servers: get a token, post an answer, fetch files and quoted messages."""

import hashlib
import json
import time
from collections.abc import Mapping, Sequence
from typing import Any

import httpx

from api.chat import posting
from api.chat.feishu.reading import content_of, file_of, keys_of, written
from api.chat.payload import Json, integer, load, name, part, parts, text
from api.chat.platform import Fetched, PermanentError, RefusedRequest, RetryableError
from api.chat.posting import AccessToken
from api.contract.jsontext import dump

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


EARLY = 600
"""Seconds before its end at which a token is not used any more; the platform gives a new one from half an hour before on."""


class FeishuError(PermanentError):
    """The platform refused; ``code`` says why."""

    def __init__(self, code: int, what: str) -> None:
        super().__init__(f"{NEVER.get(code, 'the platform refused it')} (code {code}, {what})")
        self.code = code


class FeishuApi:
    """Feishu's servers, as one app sees them."""

    def __init__(self, base: str, app_id: str, app_secret: str) -> None:
        self._base = base
        self._app = {"app_id": app_id, "app_secret": app_secret}
        self._token = AccessToken(self._renew, EARLY)

    async def post(self, client: httpx.AsyncClient, path: str, body: Mapping[str, Any], what: str) -> Json:
        """``data`` of the answer. ``body`` holds the ``uuid`` by which the platform does it once."""
        return part(await self._call(client, "POST", path, what, body), "data")

    async def message(self, client: httpx.AsyncClient, message: str) -> list[Json]:
        """Return a message by id; a merged forward comes with the messages in it."""
        answer = await self._call(client, "GET", f"/open-apis/im/v1/messages/{message}", "reading a message")
        return parts(part(answer, "data"), "items")

    async def file(self, client: httpx.AsyncClient, message: str, key: str) -> bytes:
        """The first `posting.FILE` bytes of a file in a message."""
        url = f"{self._base}/open-apis/im/v1/messages/{message}/resources/{key}?type=file"
        for is_last in (False, True):
            try:
                return (await posting.download(client, url, await self._authorised(client)))[0]
            except posting.FileRefusedError as refusal:
                _is_well(_json(refusal.data, refusal.answer), refusal.answer, "reading a file", renewable=not is_last)
            self._token.drop()
        raise AssertionError("the second time it is given or refused")

    async def _call(
        self, client: httpx.AsyncClient, method: str, path: str, what: str, body: Mapping[str, Any] | None = None
    ) -> Json:
        """The answer, whose code is 0. A token that is refused is renewed, once."""
        for is_last in (False, True):
            headers = {**await self._authorised(client), "Content-Type": "application/json; charset=utf-8"}
            content = None if body is None else dump(body)
            answer = await posting.request(
                client, method, self._base + path, is_repeatable=True, headers=headers, content=content
            )
            document = _json(answer.content, answer)
            if _is_well(document, answer, what, renewable=not is_last):
                return document
            self._token.drop()
        raise AssertionError("the second time it is answered or refused")

    async def _authorised(self, client: httpx.AsyncClient) -> dict[str, str]:
        return {"Authorization": f"Bearer {await self._token.get(client)}"}

    async def _renew(self, client: httpx.AsyncClient) -> tuple[str, int]:
        """A token of the app: https://open.feishu.cn/document/server-docs/authentication-management/access-token/tenant_access_token_internal ."""
        if not all(self._app.values()):
            raise PermanentError("KB_FEISHU_APP_ID or KB_FEISHU_APP_SECRET is not set")
        url = f"{self._base}/open-apis/auth/v3/tenant_access_token/internal"
        answer = await posting.request(client, "POST", url, is_repeatable=True, json=self._app)
        document = _json(answer.content, answer)
        _is_well(document, answer, "asking for a token", renewable=False)
        token, seconds = text(document, "tenant_access_token"), integer(document, "expire")
        if not token.isascii() or not token or seconds is None:
            raise RetryableError("the platform gave no token")
        return token, seconds


def _json(data: bytes, answer: httpx.Response) -> Json:
    try:
        return load(data)
    except RefusedRequest:
        raise PermanentError(f"the platform answered {answer.status_code} in no form that it has") from None


def _is_well(document: Json, answer: httpx.Response, what: str, *, renewable: bool) -> bool:
    """Whether the call succeeded; False when a new token may help. RetryableError or PermanentError when it went wrong otherwise."""
    code = integer(document, "code")
    if code == 0:
        return True
    if code is None:
        raise PermanentError(f"the platform answered {answer.status_code} without a code ({what})")
    if code in LATER:
        raise RetryableError(f"{LATER[code]} (code {code}, {what})", posting.wait_of(answer, time.time()))
    if code in STALE and renewable:
        return False
    raise FeishuError(code, what)


def once(ref: str, where: str) -> str:
    """The name under which the platform posts an answer once within an hour, whatever is sent again: at most 50 characters."""
    return hashlib.sha256(f"{ref} {where}".encode()).hexdigest()[:40]


async def reply(api: FeishuApi, client: httpx.AsyncClient, target: Mapping[str, Any], card: Json, ref: str) -> None:
    """Post a card under the message it answers, in a thread in groups; or into a chat, where it answers none."""
    content = {"msg_type": "interactive", "content": json.dumps(card, ensure_ascii=False)}
    message = text(target, "message")
    if not message:
        chat = text(target, "chat")
        path = f"/open-apis/im/v1/messages?receive_id_type={'open_id' if chat.startswith('ou_') else 'chat_id'}"
        await api.post(client, path, {**content, "receive_id": chat, "uuid": once(ref, chat)}, "posting a message")
        return
    path = f"/open-apis/im/v1/messages/{message}/reply"
    body = {**content, "uuid": once(ref, message)}
    if target.get("is_group") is True:
        try:
            await api.post(client, path, {**body, "reply_in_thread": True}, "answering a message")
        except FeishuError as error:
            if error.code not in NO_THREAD:
                raise
        else:
            return
    await api.post(client, path, body, "answering a message")


QUOTED = 100
"""Most messages of a merged forward that are read."""


async def fetch(wanted: Sequence[Json], api: FeishuApi, client: httpx.AsyncClient) -> Fetched:
    """The texts. RetryableError when the platform does not give them now, PermanentError when it will not say what was quoted."""
    texts: list[str] = []
    files: list[Json] = []
    for one in wanted:
        if "key" in one:
            files.append(one)
            continue
        for item in (await api.message(client, name(one, "message")))[: QUOTED + 1]:
            if item.get("deleted") is not True:
                texts.append(_item_text(item))
                files += filter(None, [_file_in(item)])
    return await posting.read_files(files, lambda one: _bytes(one, api, client), texts)


def _item_text(item: Json) -> str:
    return written(text(item, "msg_type"), content_of(part(item, "body")), keys_of(parts(item, "mentions")))


def _file_in(item: Json) -> Json | None:
    return file_of(name(item, "message_id"), content_of(part(item, "body"))) if item.get("msg_type") == "file" else None


async def _bytes(one: Json, api: FeishuApi, client: httpx.AsyncClient) -> bytes | None:
    """The beginning of a file; None where it is not given out, as files of forwarded messages are not."""
    try:
        return await api.file(client, name(one, "message"), name(one, "key"))
    except PermanentError:
        return None
