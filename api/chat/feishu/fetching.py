"""What a question refers to: files, the message that it stands under, messages that were forwarded as one."""

from collections.abc import Sequence

import httpx

from api.chat.feishu.sending import FeishuApi
from api.chat.feishu.writing import content_of, keys_of, written
from api.chat.platform import Fetched, Never
from api.chat.posting import FILE
from api.chat.shapes import Json, name, part, parts, text
from kb.article.decode import decode

FILES = 5
"""So many files of a question are read."""
QUOTED = 100
"""So many messages are read of those that were forwarded as one."""


def file_of(message: str, content: Json) -> Json | None:
    """A file in a message, as a thing to fetch; None when there is none."""
    key = name(content, "file_key")
    return {"message": message, "key": key, "name": text(content, "file_name")[:200] or key} if key else None


async def fetch(wanted: Sequence[Json], api: FeishuApi, client: httpx.AsyncClient) -> Fetched:
    """The texts. Later when the platform does not give them now, Never when it will not say what was quoted."""
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
    unread, cut = [text(one, "name") for one in files[FILES:]], []
    for one in files[:FILES]:
        found = await _read(one, api, client)
        if found is None:
            unread.append(text(one, "name"))
            continue
        texts.append(found[0])
        cut += [] if found[1] else [text(one, "name")]
    return Fetched("\n\n".join(filter(None, texts)), tuple(unread), tuple(cut))


def _item_text(item: Json) -> str:
    return written(text(item, "msg_type"), content_of(part(item, "body")), keys_of(parts(item, "mentions")))


def _file_in(item: Json) -> Json | None:
    return file_of(name(item, "message_id"), content_of(part(item, "body"))) if item.get("msg_type") == "file" else None


async def _read(one: Json, api: FeishuApi, client: httpx.AsyncClient) -> tuple[str, bool] | None:
    """The text of a file, and whether it is whole; None for what is no text or not given out (files of forwarded messages are not)."""
    try:
        data = await api.file(client, name(one, "message"), name(one, "key"))
    except Never:
        return None
    decoded = decode(data)
    if decoded.binary:
        return None
    whole = len(data) < FILE
    return (decoded.text if whole else decoded.text.rpartition("\n")[0]), whole
