"""What a question refers to: files and snippets, and the message that its thread is about."""

from collections.abc import Sequence

import httpx

from api.chat.platform import Fetched
from api.chat.posting import FILE, FileRefused, download
from api.chat.shapes import Json, name, part, parts, text
from api.chat.slack.web import Refusal, Web
from api.chat.slack.writing import PARTS, shown
from kb.article.decode import decode

FILES = 5
"""So many files of a question are read."""
_PICTURES = ("image/", "video/", "audio/")


def files_of(message: Json) -> tuple[Json, ...]:
    """The files of a message and of those that it forwards: what `fetch` needs of each."""
    shared = [*parts(message, "files")]
    for attachment in parts(message, "attachments")[:PARTS]:
        shared += parts(attachment, "files")
    return tuple(_file(one) for one in shared[:PARTS])


def parent(channel: str, ts: str) -> Json:
    """The message at the head of a thread, as a thing to fetch."""
    return {"channel": channel, "ts": ts}


def _file(one: Json) -> Json:
    return {
        "id": name(one, "id"),
        "name": text(one, "name")[:200] or text(one, "title")[:200] or name(one, "id"),
        "type": text(one, "mimetype")[:100],
        "url": text(one, "url_private_download") or text(one, "url_private"),
        # A file of another workspace is named alone: its description has to be asked for.
        "ask": text(one, "file_access") == "check_file_info",
    }


async def fetch(files: Sequence[Json], web: Web, client: httpx.AsyncClient) -> Fetched:
    """The texts. Later when Slack does not give them now, Never when it will not say what a thread is about."""
    texts: list[str] = []
    wanted: list[Json] = []
    for one in files:
        if "channel" in one:
            message = await _head(one, web, client)
            texts.append(shown(message))
            wanted += files_of(message)
        else:
            wanted.append(one)
    unread, cut = [text(one, "name") for one in wanted[FILES:]], []
    for one in wanted[:FILES]:
        data = await _bytes(one, web, client)
        decoded = decode(data) if data else None
        if data is None or decoded is None or decoded.binary:
            unread.append(text(one, "name"))
            continue
        whole = len(data) < FILE
        texts.append(decoded.text if whole else decoded.text.rpartition("\n")[0])
        cut += [] if whole else [text(one, "name")]
    return Fetched("\n\n".join(filter(None, texts)), tuple(unread), tuple(cut))


async def _head(one: Json, web: Web, client: httpx.AsyncClient) -> Json:
    arguments = {"channel": one["channel"], "ts": one["ts"], "limit": 1}
    answer = await web.call("conversations.replies", arguments, client)
    return next(iter(parts(answer, "messages")), {})


async def _bytes(one: Json, web: Web, client: httpx.AsyncClient) -> bytes | None:
    """The first `FILE` bytes; None for what is no text or not to be had."""
    if one.get("ask") and one.get("id"):
        try:
            told = await web.call("files.info", {"file": one["id"]}, client)
        except Refusal:
            return None
        one = _file(part(told, "file"))
    if text(one, "type").startswith(_PICTURES) or not web.owns(text(one, "url")):
        return None
    try:
        data, answer = await download(client, text(one, "url"), web.bearer)
    except FileRefused:
        return None
    # Without the right to read it, Slack shows a page to log in at.
    is_page = answer.headers.get("content-type", "").startswith("text/html")
    return None if is_page and "html" not in text(one, "type") else data
