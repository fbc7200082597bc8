"""Text of strangers in the Markdown of Feishu cards: shown as it was written, pinging nobody.

Cards show ``<at id=all></at>`` as a mention and take character references for what would be markup
(https://open.feishu.cn/document/uAjLw4CM/ukzMukzMukzM/feishu-cards/card-json-v2-components/content-components/rich-text).
"""

import re

_MARKUP = re.compile(r"[&<>*_~`\[\]()!\\$|]|:(?=[A-Za-z_]{1,40}:)|^[ \t]{0,3}(?:[-+=#]|\d{1,9}(?=[.)]))", re.MULTILINE)
_FENCE = re.compile(r"^[ \t]{0,3}(`{3,}|~{3,})[^`\n]*\n(.*?)(?:^[ \t]{0,3}\1[`~]*[ \t]*$|\Z)", re.MULTILINE | re.DOTALL)
_INLINE = re.compile(r"`([^`\n]{1,300})`|\*\*([^*\s](?:[^*\n]{0,300}[^*\s])?)\*\*")
"""Code and bold in a line: all the markup that is kept, as it is what makes a command readable."""
_ADDRESS = re.compile(r"[\s()<>\[\]\\\"'`|*_~]")
_TAG = re.compile(r"<(?=[/a-zA-Z])")


def escaped(text: str) -> str:
    """``text`` as running text: whatever would be markup, a mention or an emoji is a character reference."""
    return _MARKUP.sub(lambda found: _reference(found[0]), text)


def prose(text: str) -> str:
    """A cause or a fix: code stays code and bold bold, everything else is escaped."""
    pieces: list[str] = []
    at = 0
    for found in _FENCE.finditer(text):
        pieces += (_lines(text[at : found.start()]), _code(found[2]))
        at = found.end()
    return "".join((*pieces, _lines(text[at:]))).strip()


def link(label: str, address: str | None) -> str:
    """``label`` as a link; bare where there is no address of the web."""
    if address is None or not address.startswith(("https://", "http://")):
        return escaped(label)
    return f"[{escaped(' '.join(label.split()))}]({_ADDRESS.sub(lambda found: f'%{ord(found[0]):02X}', address)})"


def _reference(markup: str) -> str:
    """Blanks as they are, then the sign or the first figure as its reference."""
    blanks = len(markup) - len(markup.lstrip(" \t"))
    return f"{markup[:blanks]}&#{ord(markup[blanks])};{markup[blanks + 1 :]}"


def _lines(text: str) -> str:
    """Running text with code and bold in it."""
    pieces: list[str] = []
    at = 0
    for found in _INLINE.finditer(text):
        kept = f"`{_harmless(found[1])}`" if found[1] else f"**{escaped(found[2])}**"
        pieces += (escaped(text[at : found.start()]), kept)
        at = found.end()
    return "".join((*pieces, escaped(text[at:])))


def _harmless(code: str) -> str:
    """Code in which no tag is one: a sign that is not seen stands behind each ``<``."""
    return _TAG.sub("<\u200b", code)


def _code(text: str) -> str:
    """A block of code."""
    inside = _harmless(text.replace("```", "`\u200b``").rstrip("\n"))
    return f"\n```\n{inside}\n```\n"
