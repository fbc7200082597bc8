"""What is asked of Feishu's servers: a token, an answer under a question, the text of files and of quoted messages."""

import asyncio
import hashlib
import json
import time
from collections.abc import Mapping
from typing import Any

import httpx

from api.chat import posting
from api.chat.feishu.errors import LATER, NEVER, NO_THREAD, STALE
from api.chat.platform import Later, Never, RefusedRequest
from api.chat.shapes import Json, load, part, parts, text, whole
from api.jsontext import dump

EARLY = 600
"""Seconds before its end at which a token is not used any more; the platform gives a new one from half an hour before on."""


class Code(Never):
    """The platform said no, and why: its code."""

    def __init__(self, code: int, what: str) -> None:
        super().__init__(f"{NEVER.get(code, 'the platform refused it')} (code {code}, {what})")
        self.code = code


class FeishuApi:
    """Feishu's servers, as one app sees them. Its token is kept in this process until shortly before it ends."""

    def __init__(self, base: str, app_id: str, app_secret: str) -> None:
        self._base = base
        self._app = {"app_id": app_id, "app_secret": app_secret}
        self._token = ""
        self._ends = 0.0
        self._renewing = asyncio.Lock()

    async def post(self, client: httpx.AsyncClient, path: str, body: Mapping[str, Any], what: str) -> Json:
        """``data`` of the answer. ``body`` holds the ``uuid`` by which the platform does it once."""
        return part(await self._call(client, "POST", path, what, body), "data")

    async def message(self, client: httpx.AsyncClient, message: str) -> list[Json]:
        """A message by its id; what was forwarded together comes as itself and what is in it."""
        answer = await self._call(client, "GET", f"/open-apis/im/v1/messages/{message}", "reading a message")
        return parts(part(answer, "data"), "items")

    async def file(self, client: httpx.AsyncClient, message: str, key: str) -> bytes:
        """The first `posting.FILE` bytes of a file in a message."""
        url = f"{self._base}/open-apis/im/v1/messages/{message}/resources/{key}?type=file"
        for is_last in (False, True):
            try:
                return (await posting.download(client, url, await self._authorised(client)))[0]
            except posting.FileRefused as refusal:
                _is_well(_json(refusal.data, refusal.answer), refusal.answer, "reading a file", renewable=not is_last)
            self._ends = 0.0
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
            said = _json(answer.content, answer)
            if _is_well(said, answer, what, renewable=not is_last):
                return said
            self._ends = 0.0
        raise AssertionError("the second time it is answered or refused")

    async def _authorised(self, client: httpx.AsyncClient) -> dict[str, str]:
        async with self._renewing:
            if time.monotonic() >= self._ends:
                await self._renew(client)
        return {"Authorization": f"Bearer {self._token}"}

    async def _renew(self, client: httpx.AsyncClient) -> None:
        """A token of the app: https://open.feishu.cn/document/server-docs/authentication-management/access-token/tenant_access_token_internal ."""
        if not all(self._app.values()):
            raise Never("KB_FEISHU_APP_ID or KB_FEISHU_APP_SECRET is not set")
        url = f"{self._base}/open-apis/auth/v3/tenant_access_token/internal"
        answer = await posting.request(client, "POST", url, is_repeatable=True, json=self._app)
        said = _json(answer.content, answer)
        _is_well(said, answer, "asking for a token", renewable=False)
        token, seconds = text(said, "tenant_access_token"), whole(said, "expire")
        if not token.isascii() or not token or seconds is None:
            raise Later("the platform gave no token")
        self._token, self._ends = token, time.monotonic() + max(60, seconds - EARLY)


def _json(data: bytes, answer: httpx.Response) -> Json:
    try:
        return load(data)
    except RefusedRequest:
        raise Never(f"the platform answered {answer.status_code} in no form that it has") from None


def _is_well(said: Json, answer: httpx.Response, what: str, *, renewable: bool) -> bool:
    """Whether it was done; if not, another token may help. Later or Never when it went wrong otherwise."""
    code = whole(said, "code")
    if code == 0:
        return True
    if code is None:
        raise Never(f"the platform answered {answer.status_code} without a code ({what})")
    if code in LATER:
        raise Later(f"{LATER[code]} (code {code}, {what})", posting.wait_of(answer, time.time()))
    if code in STALE and renewable:
        return False
    raise Code(code, what)


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
        except Code as error:
            if error.code not in NO_THREAD:
                raise
        else:
            return
    await api.post(client, path, body, "answering a message")
