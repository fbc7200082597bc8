"""Text of strangers in DingTalk's Markdown: shown as it was written, pinging nobody.

In action cards ``@`` and a user's id in the text is a mention (https://open.dingtalk.com/document/development/robot-message-type),
so a sign that is not seen stands behind every ``@``. What would be markup is a character reference. A line ends by two spaces.
"""

import re
from urllib.parse import quote

_MARKUP = re.compile(r"[&<>*`\[\]\\|@]|__|~~|_(?![^\W_])|^[ \t]{0,3}(?:#|[-=](?=[-= \t]*$))", re.MULTILINE)
_BOLD = re.compile(r"\*\*([^*\s](?:[^*\n]{0,300}[^*\s])?)\*\*")
_FENCES = re.compile(r"^[ \t]{0,3}(?:`{3,}|~{3,})[^`\n]*(?:\n|\Z)", re.MULTILINE)
_INDENT = re.compile(r"^[ \t]{2,}", re.MULTILINE)
_ADDRESS = re.compile(r"[\s()<>\[\]\\\"'`|*_~@]")


def escaped(text: str) -> str:
    """``text`` as running text on one line or several."""
    lines = _MARKUP.sub(_reference, text).split("\n")
    return "  \n".join(line.rstrip() or "\u200b" for line in lines) if len(lines) > 1 else lines[0]


def prose(text: str) -> str:
    """A cause or a fix: bold stays bold, everything else is escaped.

    There is no code in this Markdown: lines that fence it go, and the blanks that it is indented by are no-break spaces.
    """
    pieces: list[str] = []
    at, bare = 0, _INDENT.sub(lambda found: "\u00a0" * len(found[0].expandtabs(4)), _FENCES.sub("", text).strip())
    for found in _BOLD.finditer(bare):
        pieces += (escaped(bare[at : found.start()]), f"**{escaped(found[1])}**")
        at = found.end()
    return "".join((*pieces, escaped(bare[at:])))


def link(label: str, address: str | None) -> str:
    """``label`` as a link that opens in a browser; bare where there is no address of the web."""
    if address is None or not address.startswith(("https://", "http://")):
        return escaped(label)
    return f"[{escaped(' '.join(label.split()))}]({_ADDRESS.sub(lambda found: f'%{ord(found[0]):02X}', address)})"


def in_browser(address: str) -> str:
    """The address of a button: on a computer the browser opens, not the side bar of the client.

    https://open.dingtalk.com/document/development/message-link-description
    """
    return f"dingtalk://dingtalkclient/page/link?url={quote(address, safe='')}&pc_slide=false"


def _reference(found: re.Match[str]) -> str:
    markup = found[0]
    if markup == "@":
        return "@\u200b"
    blanks = len(markup) - len(markup.lstrip(" \t"))
    return markup[:blanks] + "".join(f"&#{ord(sign)};" for sign in markup[blanks:])
