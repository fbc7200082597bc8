"""Extract the text and the files of a Slack message.

Slack escapes ``& < >`` in texts and puts mentions and links between ``< >``; what was typed in its editor comes as
``rich_text`` blocks besides, which keep pasted code as it was. https://docs.slack.dev/messaging/formatting-message-text
"""

import re

from api.chat.payload import Json, name, part, parts, text

PARTS = 20
"""Most attachments, blocks, and fields of each that are read."""
_MARKUP = re.compile(r"<((?:@[UWB]|#[CDG]|![a-z]|[a-z][a-z0-9+.-]{1,20}://|mailto:|tel:)[^<>\n]{0,3100})>")
"""Markup that only Slack writes; the text of a slash command may hold ``Foo.<init>`` as it is."""
_ESCAPED = re.compile("&(amp|lt|gt);")
_MEANT = {"amp": "&", "lt": "<", "gt": ">"}
_SCHEMES = ("https://", "http://", "mailto:", "tel:")
_PIECES = {"rich_text_section", "rich_text_preformatted", "rich_text_quote"}


def plain(written: str, own_id: str = "") -> str:
    """A text in Slack's markup as it was typed. A mention of ``own_id`` (a user's id) goes, marks of code blocks become line ends."""
    typed = _MARKUP.sub(lambda match: _typed(match[1], own_id), written)
    return _ESCAPED.sub(lambda match: _MEANT[match[1]], typed).replace("```", "\n")


def written(message: Json, own_id: str = "") -> str:
    """Return the text of the author: the rich text, which keeps pasted code intact, else ``text``."""
    rich = _rich(message, own_id)
    return (plain(text(message, "text"), own_id) if rich is None else rich).strip()


def shown(message: Json) -> str:
    """Return everything that readers of a message see; an alert is mostly blocks and attachments. Repeated parts are left out."""
    kept: list[str] = []
    for one in (written(message), *_blocks(message), *_attached(message))[: 10 * PARTS]:
        if one and not any(one in other for other in kept):
            kept.append(one)
    return "\n\n".join(kept)


def files_of(message: Json) -> tuple[Json, ...]:
    """The files of a message and of those that it forwards: what `fetch` needs of each."""
    shared = [*parts(message, "files")]
    for attachment in parts(message, "attachments")[:PARTS]:
        shared += parts(attachment, "files")
    return tuple(file_from(one) for one in shared[:PARTS])


def file_from(one: Json) -> Json:
    """Return the fields of a file that `fetch` needs."""
    return {
        "id": name(one, "id"),
        "name": text(one, "name")[:200] or text(one, "title")[:200] or name(one, "id"),
        "type": text(one, "mimetype")[:100],
        "url": text(one, "url_private_download") or text(one, "url_private"),
        # A file of another workspace is named alone: its description has to be asked for.
        "ask": text(one, "file_access") == "check_file_info",
    }


def parent(channel: str, ts: str) -> Json:
    """The message at the head of a thread, as a thing to fetch."""
    return {"channel": channel, "ts": ts}


def _typed(markup: str, own_id: str) -> str:
    """The text of one ``<…>``."""
    sign, rest = markup[0], markup[1:]
    target, _, label = rest.partition("|")
    if sign == "@":
        return "" if target == own_id else f"@{label or target}"
    if sign == "#":
        return f"#{label or target}"
    if sign == "!":
        return label or f"@{target.partition('^')[0]}"
    address, _, label = markup.partition("|")
    return _link(address, label)


def _link(address: str, label: str) -> str:
    """A link as it reads: its label where that is the address, or the label and the address."""
    bare = address
    for scheme in _SCHEMES:
        bare = bare.removeprefix(scheme)
    if not label:
        return address
    return label if label.rstrip("/") in {address.rstrip("/"), bare.rstrip("/")} else f"{label} ({address})"


def _rich(message: Json, own_id: str) -> str | None:
    """The rich text of a message; None when there is none, or something in it is unknown."""
    lines: list[str] = []
    for block in parts(message, "blocks"):
        if text(block, "type") != "rich_text":
            continue
        for element in parts(block, "elements"):
            if text(element, "type") == "rich_text_list":
                lines += [f"- {_inline(item, own_id)}" for item in parts(element, "elements")]
            elif text(element, "type") in _PIECES:
                lines.append(_inline(element, own_id))
            else:
                return None
    return "\n".join(line.removesuffix("\n") for line in lines) or None


def _inline(element: Json, own_id: str) -> str:
    return "".join(_word(one, own_id) for one in parts(element, "elements"))


def _word(one: Json, own_id: str) -> str:  # noqa: PLR0911 - a table of kinds
    """One run of a rich text."""
    match text(one, "type"):
        case "link":
            return _link(text(one, "url"), text(one, "text"))
        case "user":
            return "" if (who := name(one, "user_id")) == own_id else f"@{who}"
        case "usergroup":
            return f"@{name(one, 'usergroup_id')}"
        case "channel":
            return f"#{name(one, 'channel_id')}"
        case "emoji":  # what looked like one: `Main.java:100: error`
            return f":{text(one, 'name')}:"
        case "broadcast":
            return f"@{name(one, 'range')}"
        case "date":
            return text(one, "fallback")
        case _:
            return text(one, "text")


def _blocks(message: Json) -> list[str]:
    """The texts of blocks that apps draw."""
    texts: list[str] = []
    for block in parts(message, "blocks")[:PARTS]:
        kind = text(block, "type")
        if kind in {"section", "header"}:
            texts += [plain(text(one, "text")) for one in (part(block, "text"), *parts(block, "fields")[:PARTS])]
        elif kind == "context":
            texts += [plain(text(one, "text")) for one in parts(block, "elements")[:PARTS]]
        elif kind == "markdown":
            texts.append(text(block, "text"))
    return [one.strip() for one in texts]


def _attached(message: Json) -> list[str]:
    """The texts of attachments: what alerts, forwarded messages and previews of links are made of."""
    texts: list[str] = []
    for one in parts(message, "attachments")[:PARTS]:
        lines = [plain(text(one, key)) for key in ("pretext", "title", "text")]
        lines += [
            f"{plain(text(field, 'title'))}: {plain(text(field, 'value'))}" for field in parts(one, "fields")[:PARTS]
        ]
        lines += _blocks(one)
        texts += [line.strip() for line in lines] if any(lines) else [plain(text(one, "fallback")).strip()]
    return texts
