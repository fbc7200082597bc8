"""Send to WeCom, and interpret its answers.

Codes: developer.work.weixin.qq.com/document/path/90313.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import httpx
from anyio import to_thread

from api.chat import posting
from api.chat.message import AnswerCard
from api.chat.platform import Fetched, PermanentError, RefusedRequest, RetryableError
from api.chat.posting import download, is_within, request
from api.chat.wecom.card import GROUP, card, markdown
from api.chat.wecom.signing import CallbackCipher
from kb.article.decode import decode

FILES = (".myqcloud.com", ".qq.com")
"""Hosts under which WeCom keeps the files that robots are sent."""
SAME_SECONDS = 4 * 3600
"""The longest time for which WeCom drops a repeated message."""
EARLY = 300
"""Seconds before its end at which a token is not used any more."""
_TOKEN_GONE = frozenset({40014, 42001, 41001})
_BUSY: Mapping[int, float | None] = {-1: None, 6000: None, 45009: 60.0, 45033: 5.0, 45047: 60.0}
"""System busy, a conflict, calls a minute, calls at once, messages of one robot: code → seconds to wait."""
_WORDS: Mapping[int, str] = {
    40001: "the Secret of the app is not right",
    40013: "the id of the company is not right",
    40056: "there is no such app",
    48002: "the app may not do that",
    60020: "the address of this service is not among the app's trusted ones",
    81013: "nobody it is for is within the app's view",
    93000: "the key of the group's robot is not right",
    301002: "the app may not do that",
}


@dataclass(frozen=True, slots=True)
class WecomApp:
    """The app that answers."""

    corp_id: str
    secret: str
    agent_id: int


class WecomApi:
    """The outgoing side of one callback address."""

    def __init__(self, origin: str, app: WecomApp | None, groups: Mapping[str, str]) -> None:
        self._origin = origin
        self._app = app
        self._groups = groups
        self._token = posting.AccessToken(self._renew, EARLY, shortest=0)

    def knows(self, group: str) -> bool:
        """Whether there is a group of that name."""
        return group in self._groups

    async def answer(
        self, message: AnswerCard, target: Mapping[str, Any], client: httpx.AsyncClient, *, is_again: bool = False
    ) -> None:
        """Post it to ``target``. ``is_again``: an earlier try broke off and may have posted it."""
        match target:
            case {"robot": str(url)}:
                await self._by_robot(message, url, client, is_again=is_again)
            case {"user": str(user)}:
                await self._by_app(message, user, client)
            case {"group": str(name)}:
                await self._into_group(message, name, client)
            case _:
                raise PermanentError("the target is none of WeCom's")

    async def thank(self, text: str, target: Mapping[str, Any], client: httpx.AsyncClient) -> None:
        """Put the thanks in the place of the buttons, for the one who pressed."""
        match target:
            case {"pressed": str(code), "user": str(user)}:
                shown = {"userids": [user], "response_code": code, "button": {"replace_name": text}}
                await self._with_token(client, "/cgi-bin/message/update_template_card", shown)
            case _:
                return  # a card that cannot be changed

    async def files(
        self, named: Sequence[Mapping[str, Any]], envelope: CallbackCipher, client: httpx.AsyncClient
    ) -> Fetched:
        """Their texts, and which are none."""
        texts: list[str] = []
        unread: list[str] = []
        cut: list[str] = []
        for one in named:
            name = str(one.get("name") or one.get("media") or _last(str(one.get("url"))))
            try:
                data = await self._file(one, envelope, client)
            except (PermanentError, RefusedRequest):
                unread.append(name)
                continue
            decoded = await to_thread.run_sync(decode, data)
            (unread if decoded.binary else texts).append(name if decoded.binary else decoded.text)
            if len(data) >= posting.FILE and not decoded.binary:
                cut.append(name)
        return Fetched("\n".join(texts), tuple(unread), tuple(cut))

    async def _file(self, named: Mapping[str, Any], envelope: CallbackCipher, client: httpx.AsyncClient) -> bytes:
        match named:
            case {"url": str(url)} if is_within(url, self._origin, FILES):
                data, _ = await download(client, url)
                is_whole = len(data) < posting.FILE
                return envelope.decrypted(data) if is_whole else envelope.beginning(data)
            case {"media": str(media)}:
                return await self._media(media, client)
            case _:
                raise PermanentError("the file is not at WeCom")

    async def _by_robot(self, message: AnswerCard, url: str, client: httpx.AsyncClient, *, is_again: bool) -> None:
        """Answer a question once, within an hour: WeCom itself refuses a second answer to the same address."""
        if not is_within(url, self._origin):
            raise PermanentError("the address to answer to is not WeCom's")
        answer = await request(client, "POST", url, is_repeatable=True, json=card(message)["robot"])
        try:
            judge(answer)
        except PermanentError as never:
            if not is_again:
                raise
            raise PermanentError(
                f"may have been posted before: a second answer is refused, and so was this ({never})"
            ) from None

    async def _into_group(self, message: AnswerCard, name: str, client: httpx.AsyncClient) -> None:
        if (key := self._groups.get(name)) is None:
            raise PermanentError(f"KB_WECOM_GROUP_KEYS names no group {name!r}")
        shown = {"msgtype": "markdown", "markdown": {"content": markdown(message, GROUP)}}
        url = f"{self._origin}/cgi-bin/webhook/send"
        answer = await request(client, "POST", url, is_repeatable=False, params={"key": key}, json=shown)
        if _code(answer.content) is None:
            raise PermanentError(f"it may have been posted: the answer ({answer.status_code}) is none of WeCom's")
        judge(answer)

    async def _by_app(self, message: AnswerCard, user: str, client: httpx.AsyncClient) -> None:
        """The text, then the buttons. WeCom drops a repeated message for four hours, so both may be sent again."""
        once = {"enable_duplicate_check": 1, "duplicate_check_interval": SAME_SECONDS}
        for part in card(message)["app"]:
            await self._with_token(client, "/cgi-bin/message/send", {"touser": user, **part, **once})

    async def _media(self, media: str, client: httpx.AsyncClient) -> bytes:
        for attempt in range(2):
            token = await self._token.get(client)
            params = httpx.QueryParams({"access_token": token, "media_id": media})
            data, head = await download(client, f"{self._origin}/cgi-bin/media/get?{params}")
            if "json" not in head.headers.get("content-type", "") or b'"errcode"' not in data[:200]:
                return data
            if _code(data) not in _TOKEN_GONE or attempt:
                _judge(_code(data))
            self._token.drop()
        return b""

    async def _with_token(self, client: httpx.AsyncClient, path: str, shown: Mapping[str, Any]) -> None:
        """Send it as the app; a token that has run out is renewed once."""
        for attempt in range(2):
            token = await self._token.get(client)
            body = {**shown, "agentid": self._app.agent_id if self._app else 0}
            params = {"access_token": token}
            answer = await request(client, "POST", self._origin + path, is_repeatable=True, params=params, json=body)
            if attempt or _code(answer.content) not in _TOKEN_GONE:
                judge(answer)
                return
            self._token.drop()

    async def _renew(self, client: httpx.AsyncClient) -> tuple[str, int]:
        if (app := self._app) is None:
            raise PermanentError(
                "apps are answered with KB_WECOM_CORP_ID, KB_WECOM_APP_SECRET and KB_WECOM_AGENT_ID alone"
            )
        params = {"corpid": app.corp_id, "corpsecret": app.secret}
        answer = await request(client, "GET", f"{self._origin}/cgi-bin/gettoken", is_repeatable=True, params=params)
        document = judge(answer)
        given, seconds = document.get("access_token"), document.get("expires_in")
        if not isinstance(given, str) or not isinstance(seconds, int):
            raise RetryableError("WeCom gave no token")
        return given, seconds


def _last(url: str) -> str:
    return url.partition("?")[0].rpartition("/")[2][:80]


def judge(answer: httpx.Response) -> Mapping[str, Any]:
    """Return the answer of WeCom; RetryableError or PermanentError when the call failed."""
    _judge(_code(answer.content))
    document = json.loads(answer.content)
    return document if isinstance(document, dict) else {}


def _judge(code: int | None) -> None:
    if code is None:
        raise RetryableError("WeCom answered something else than WeCom does")
    if code in _BUSY:
        raise RetryableError(f"WeCom is busy ({code})", _BUSY[code])
    if code:
        raise PermanentError(f"WeCom refused it: {_WORDS.get(code, 'its code is')} ({code})")


def _code(data: bytes) -> int | None:
    try:
        code = json.loads(data).get("errcode", 0)
    except (ValueError, RecursionError, AttributeError):
        return None
    return code if isinstance(code, int) else None
