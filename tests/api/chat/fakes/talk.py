"""Talk: a chat platform of the tests, with a protocol of its own; what `api.chat.platform.Platform` asks for, and nothing else."""

import hashlib
import hmac
import json
import secrets
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import httpx

from api.chat.message import AnswerCard
from api.chat.platform import (
    ButtonClick,
    Fetched,
    InboundMessage,
    Nothing,
    PermanentError,
    Question,
    RefusedRequest,
    Reply,
    RetryableError,
    UrlVerification,
    WebhookRequest,
)
from kb.store.model import Vote

SECRET = b"what Talk and we know"
WINDOW = 300


def sign(body: bytes, at: float, secret: bytes = SECRET) -> dict[str, str]:
    """The headers of a signed call: no two are alike."""
    stamp, nonce = str(int(at)), secrets.token_hex(8)
    return {"X-Talk-At": stamp, "X-Talk-Nonce": nonce, "X-Talk-Signature": _signature(body, stamp, nonce, secret)}


def _signature(body: bytes, stamp: str, nonce: str, secret: bytes = SECRET) -> str:
    return hmac.new(secret, f"{stamp}:{nonce}:".encode() + body, hashlib.sha256).hexdigest()


@dataclass(frozen=True, slots=True)
class Talk:
    """Posts to a server of its own. Where it ``knows_again`` its server knows the ref of a message again."""

    api: str
    name: str = "talk"
    seconds: float = 3.0
    timeout: float = 1.0
    knows_again: bool = True

    def verify(self, call: WebhookRequest, now: float) -> None:
        stamp = call.headers.get("x-talk-at", "")
        if not stamp.isdecimal():
            raise RefusedRequest("signature")
        made = _signature(call.body, stamp, call.headers.get("x-talk-nonce", ""))
        if not hmac.compare_digest(made, call.headers.get("x-talk-signature", "")):
            raise RefusedRequest("signature")
        if abs(now - int(stamp)) > WINDOW:
            raise RefusedRequest("too-old")

    def proof(self, call: WebhookRequest) -> str:
        return call.headers["x-talk-signature"]

    def read(self, call: WebhookRequest) -> InboundMessage:
        try:
            told = json.loads(call.body)
            return self._said(told)
        except (ValueError, KeyError, TypeError):
            raise RefusedRequest("unreadable") from None

    def _said(self, told: dict[str, Any]) -> InboundMessage:
        match told["kind"]:
            case "check":
                return UrlVerification(Reply(told["challenge"].encode(), "text/plain"))
            case "question":
                files = tuple({"name": one} for one in told.get("files", ()))
                target = {"thread": told["thread"]}
                return Question(told["id"], told["text"], told["who"], target, files, Reply(b'{"ok": true}'))
            case "press":
                place, vote = told["place"], Vote(told["vote"])
                return ButtonClick(told["id"], told["ref"], place, vote, told["who"], {"thread": told["thread"]})
            case _:
                return Nothing()

    def channel(self, name: str) -> Mapping[str, Any]:
        return {"thread": name}

    def sends_once(self, target: Mapping[str, Any], age: float) -> bool:
        del target, age
        return self.knows_again

    async def fetch(self, asked: Question, client: httpx.AsyncClient) -> Fetched:
        texts, unread = [], []
        for one in asked.files:
            if one["name"] == "fault":
                raise RuntimeError("a platform that is not what it should be")
            try:
                texts.append((await self._call(client, "GET", f"/files/{one['name']}")).text)
            except PermanentError:
                unread.append(one["name"])
        return Fetched("\n".join(texts), tuple(unread))

    async def send(
        self, message: AnswerCard, target: Mapping[str, Any], client: httpx.AsyncClient, *, is_again: bool = False
    ) -> None:
        del is_again
        posted = {"thread": target["thread"], "message": asdict(message)}
        key = {"key": message.ref} if self.knows_again else {}
        await self._call(client, "POST", "/post", {**posted, **key})

    async def thank(self, text: str, target: Mapping[str, Any], client: httpx.AsyncClient) -> None:
        await self._call(client, "POST", "/post", {"thread": target["thread"], "thanks": text})

    async def _call(self, client: httpx.AsyncClient, method: str, path: str, body: object = None) -> httpx.Response:
        try:
            response = await client.request(method, self.api + path, json=body, timeout=self.timeout)
        except httpx.ConnectError as error:
            raise RetryableError("Talk is down") from error
        except httpx.HTTPError as error:
            if self.knows_again:
                raise RetryableError("Talk does not answer", may_be_there=True) from error
            raise PermanentError("Talk does not answer, it may have been posted") from error
        if response.status_code == 429:
            raise RetryableError("Talk asks to wait", float(response.headers["Retry-After"]))
        if response.status_code >= 500 and response.status_code != 503 and not self.knows_again:
            raise PermanentError(f"Talk says {response.status_code}, it may have been posted")
        if response.status_code >= 500:
            raise RetryableError(f"Talk says {response.status_code}")
        if response.status_code >= 400:
            raise PermanentError(f"Talk says {response.status_code}")
        return response


class Instant(Talk):
    """Answers in the response."""

    def answered(self, message: AnswerCard, asked: Question) -> Reply:
        return Reply(json.dumps({"thread": asked.target["thread"], "message": asdict(message)}).encode())
