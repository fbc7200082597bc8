"""Slack's markup for texts: escaped, cut to a limit, links and blocks of code.

https://docs.slack.dev/messaging/formatting-message-text: with ``& < >`` escaped nothing is left of a text that could be a mention
or a link of its own. A text is made of pieces (a character, a whole link, a whole mark), so that no cut is inside of one.
"""

import re
from collections.abc import Iterable, Iterator
from urllib.parse import urlsplit

from api.markdown import is_web_address

FENCE = "```"
ELLIPSIS = "…"
STAR = "\u2217"
_ESCAPES = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;"})
_NOT_IN_ADDRESS = str.maketrans({"|": "%7C", "<": "%3C", ">": "%3E", "&": "&amp;"})


def escaped(text: str) -> str:
    """A text that Slack shows as it is written. Three backticks would open a block of code: they become quotes."""
    return text.translate(_ESCAPES).replace(FENCE, "'''")


def pieces(text: str) -> Iterator[str]:
    """The characters of a plain text, each escaped."""
    return (c.translate(_ESCAPES) for c in text.replace(FENCE, "'''"))


def code_pieces(text: str) -> list[str]:
    """A block of code."""
    return [FENCE, "\n", *pieces(text.strip("\n")), "\n", FENCE]


def length(text: str) -> int:
    """How long Slack may find it: in UTF-16, of which no other count of characters is larger."""
    return len(text) + sum(c > "\uffff" for c in text)


def fitted(parts: Iterable[str], limit: int) -> str:
    """As many whole pieces as fit into ``limit`` characters; what was left out shows as an ellipsis, and a block of code is closed."""
    taken: list[str] = []
    closing = f"{ELLIPSIS}\n{FENCE}"
    size, inside, kept = 0, False, (0, False)
    for part in parts:
        size += length(part)
        inside = inside != (part == FENCE)
        taken.append(part)
        if size + (len(closing) if inside else len(ELLIPSIS)) <= limit:
            kept = len(taken), inside  # so far, it could still be cut
        if size > limit:
            return "".join(taken[: kept[0]]) + (closing if kept[1] else ELLIPSIS)
    return "".join(taken)


def bold(text: str, limit: int) -> str:
    """A plain text in bold. A star of its own would end that: it becomes the sign that looks like one."""
    return f"*{cut(text.replace('*', STAR), limit - 2)}*"


def cut(text: str, limit: int) -> str:
    """A plain text, escaped and no longer than ``limit``."""
    return fitted(pieces(text), limit)


def link(text: str, url: str | None, limit: int) -> str:
    """A link to ``url``, if that leads to the web and is not too long; else the text alone. One line."""
    text = " ".join(text.split())
    address = _address(url) if url else None
    if address is None or length(address) > limit // 2:
        return cut(text, limit)
    if text in {"", url}:
        return f"<{address}>"
    return f"<{address}|{cut(text, limit - length(address) - 3)}>"


def _address(url: str) -> str | None:
    if not is_web_address(url):
        return None
    try:
        urlsplit(url)
    except ValueError:
        return None
    return re.sub(r"\s", "%20", url.strip()).translate(_NOT_IN_ADDRESS)
