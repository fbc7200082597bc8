"""Feishu, and Lark as it is called elsewhere, as a platform of the chat."""

import re
from collections.abc import Mapping
from typing import Any

import httpx

from api.chat import posting
from api.chat.feishu import reading, signing
from api.chat.feishu.card import card
from api.chat.feishu.sending import Api, reply
from api.chat.feishu.writing import content_of, keys_of, written
from api.chat.message import Message
from api.chat.platform import Call, Never, Question, Reply, Said
from api.chat.shapes import Json, name, parts, text
from kb.article.decode import decode

QUOTED = 100
"""So many messages are read of those that were forwarded together."""
_CHAT = re.compile(r"o[cu]_[A-Za-z0-9]{1,80}")


class Feishu:
    """One app. Questions are messages that mention its robot, or are written to it alone; answers are cards."""

    name = "feishu"
    seconds = 3.0
    """The check of the address is to be answered within one second; it asks nobody."""
    answers_at_once = False
    sends_once = True
    """By the ``uuid`` of a message, for an hour."""

    def __init__(self, keys: signing.Keys, api: Api) -> None:
        self._keys = keys
        self._api = api

    def verify(self, call: Call, now: float) -> None:
        """See `signing.verify`."""
        signing.verify(call, now, self._keys)

    def read(self, call: Call) -> Said:
        """See `reading.read`."""
        return reading.read(signing.opened(call.body, self._keys))

    def channel(self, name: str) -> Mapping[str, Any]:
        """A chat by its id, or a person by theirs."""
        if _CHAT.fullmatch(name) is None:
            raise ValueError("a chat of Feishu is named by its id, `oc_…`; a person by their open_id, `ou_…`")
        return {"chat": name}

    def answered(self, message: Message, asked: Question) -> Reply:
        """Never asked for: answers go into the thread."""
        raise NotImplementedError

    async def fetch(self, asked: Question, client: httpx.AsyncClient) -> str:
        """Files that were sent, and the message that a bare mention stands under."""
        pieces = []
        for one in asked.files:
            message, key = name(one, "message"), name(one, "key")
            pieces.append(await (self._file(message, key, client) if key else self._quoted(message, client)))
        return "\n\n".join(filter(None, pieces))

    async def send(self, message: Message, target: Mapping[str, Any], client: httpx.AsyncClient) -> None:
        """A card under the question."""
        await reply(self._api, client, target, card(message), message.ref)

    async def thank(self, text: str, target: Mapping[str, Any], client: httpx.AsyncClient) -> None:
        """Nothing is left to say: the response to the press showed the thanks, to whoever pressed alone."""

    async def _file(self, message: str, key: str, client: httpx.AsyncClient) -> str:
        return decode(await self._api.file(client, message, key)).text

    async def _quoted(self, message: str, client: httpx.AsyncClient) -> str:
        """The text of a message, of its file, or of all that were forwarded as one."""
        items = (await self._api.message(client, message))[: QUOTED + 1]
        pieces = [await self._item(one, client) for one in items if one.get("deleted") is not True]
        return "\n\n".join(filter(None, pieces))[: posting.FILE]

    async def _item(self, item: Json, client: httpx.AsyncClient) -> str:
        kind, content = text(item, "msg_type"), _body(item)
        if kind != "file":
            return written(kind, content, keys_of(parts(item, "mentions")))
        try:
            return await self._file(name(item, "message_id"), name(content, "file_key"), client)
        except Never:  # files of forwarded messages are not given out; the others are still read
            if name(item, "upper_message_id"):
                return ""
            raise


def _body(item: Json) -> Json:
    body = item.get("body")
    return content_of(body) if isinstance(body, dict) else {}
