"""What somebody wrote, out of a message as Slack hands it over.

Slack escapes ``& < >`` in texts and puts mentions and links between ``< >``; what was typed in its editor comes as
``rich_text`` blocks besides, where code stands as it was pasted. https://docs.slack.dev/messaging/formatting-message-text
"""

import re

from api.chat.payload import Json, name, part, parts, text

PARTS = 20
"""So many attachments of a message are read, so many blocks, and so many fields of each."""
_MARKUP = re.compile(r"<((?:@[UWB]|#[CDG]|![a-z]|[a-z][a-z0-9+.-]{1,20}://|mailto:|tel:)[^<>\n]{0,3100})>")
"""What only Slack writes: in the text of a slash command ``Foo.<init>`` can stand as it is."""
_ESCAPED = re.compile("&(amp|lt|gt);")
_MEANT = {"amp": "&", "lt": "<", "gt": ">"}
_SCHEMES = ("https://", "http://", "mailto:", "tel:")
_PIECES = {"rich_text_section", "rich_text_preformatted", "rich_text_quote"}


def plain(written: str, own: str = "") -> str:
    """A text in Slack's markup as it was typed. A mention of ``own`` (a user's id) goes, marks of code blocks become line ends."""
    typed = _MARKUP.sub(lambda found: _typed(found[1], own), written)
    return _ESCAPED.sub(lambda found: _MEANT[found[1]], typed).replace("```", "\n")


def written(message: Json, own: str = "") -> str:
    """What the author of ``message`` wrote: its rich text, which keeps pasted code whole, else its ``text``."""
    rich = _rich(message, own)
    return (plain(text(message, "text"), own) if rich is None else rich).strip()


def shown(message: Json) -> str:
    """All that readers of ``message`` see: of an alert that is mostly its blocks and attachments. Parts of it that another one holds are left out."""
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
    """What `fetch` needs of a file."""
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


def _typed(markup: str, own: str) -> str:
    """What one ``<…>`` stands for."""
    sign, rest = markup[0], markup[1:]
    target, _, label = rest.partition("|")
    if sign == "@":
        return "" if target == own else f"@{label or target}"
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


def _rich(message: Json, own: str) -> str | None:
    """The rich text of a message; None when there is none, or something in it is unknown."""
    lines: list[str] = []
    for block in parts(message, "blocks"):
        if text(block, "type") != "rich_text":
            continue
        for element in parts(block, "elements"):
            if text(element, "type") == "rich_text_list":
                lines += [f"- {_inline(item, own)}" for item in parts(element, "elements")]
            elif text(element, "type") in _PIECES:
                lines.append(_inline(element, own))
            else:
                return None
    return "\n".join(line.removesuffix("\n") for line in lines) or None


def _inline(element: Json, own: str) -> str:
    return "".join(_word(one, own) for one in parts(element, "elements"))


def _word(one: Json, own: str) -> str:  # noqa: PLR0911 - a table of kinds
    """One run of a rich text."""
    match text(one, "type"):
        case "link":
            return _link(text(one, "url"), text(one, "text"))
        case "user":
            return "" if (who := name(one, "user_id")) == own else f"@{who}"
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
    found: list[str] = []
    for block in parts(message, "blocks")[:PARTS]:
        kind = text(block, "type")
        if kind in {"section", "header"}:
            found += [plain(text(one, "text")) for one in (part(block, "text"), *parts(block, "fields")[:PARTS])]
        elif kind == "context":
            found += [plain(text(one, "text")) for one in parts(block, "elements")[:PARTS]]
        elif kind == "markdown":
            found.append(text(block, "text"))
    return [one.strip() for one in found]


def _attached(message: Json) -> list[str]:
    """The texts of attachments: what alerts, forwarded messages and previews of links are made of."""
    found: list[str] = []
    for one in parts(message, "attachments")[:PARTS]:
        said = [plain(text(one, key)) for key in ("pretext", "title", "text")]
        said += [
            f"{plain(text(field, 'title'))}: {plain(text(field, 'value'))}" for field in parts(one, "fields")[:PARTS]
        ]
        said += _blocks(one)
        found += [line.strip() for line in said] if any(said) else [plain(text(one, "fallback")).strip()]
    return found
