"""Slack's markup: escape, cut to a limit, link, and write Markdown in it.

https://docs.slack.dev/messaging/formatting-message-text: with ``& < >`` escaped nothing is left of a text that could be a mention
or a link. A text is a list of pieces (a character, a whole link, a whole mark), so that no cut falls inside of one.

Slack reads a mark as one only between words: bold letters inside a word, as in Chinese everywhere, lose their marks instead of
showing their stars. No raw HTML and no pictures; links are those of Markdown, and bare web addresses.
"""

import re
import string
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.token import Token

from api.render.markdown import is_web_address

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
    """Join as many whole pieces as fit into ``limit`` characters; an ellipsis marks what is left out, and a block of code is closed."""
    fitting: list[str] = []
    closing = f"{ELLIPSIS}\n{FENCE}"
    size, inside, kept = 0, False, (0, False)
    for part in parts:
        size += length(part)
        inside = inside != (part == FENCE)
        fitting.append(part)
        if size + (len(closing) if inside else len(ELLIPSIS)) <= limit:
            kept = len(fitting), inside  # so far, it could still be cut
        if size > limit:
            return "".join(fitting[: kept[0]]) + (closing if kept[1] else ELLIPSIS)
    return "".join(fitting)


def bold(text: str, limit: int) -> str:
    """Return a plain text in bold. A star in it would end the bold, so it becomes a look-alike."""
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


INPUT = 20_000
"""Characters read of one text."""
_LINK = 1_500
"""Longest link, its words included."""
_MARKS = {"strong": "*", "em": "_", "s": "~"}
_WEB = re.compile(r"(https?://[A-Za-z0-9][^\s<>\"'`|()\[\]（）【】《》“”，。；：、！？]{2,900}(?<![.,;:!?*~]))")


class MrkdwnWriter:
    """Reads Markdown of strangers."""

    def __init__(self) -> None:
        self._markdown = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable("image")
        self._markdown.validateLink = is_web_address  # type: ignore[method-assign]

    def pieces(self, text: str) -> list[str]:
        """The text as pieces for `mrkdwn.fitted`."""
        state = _State()
        for token in self._markdown.parse(text[:INPUT]):
            state.take(token)
        while state.written and state.written[-1] == "\n":
            state.written.pop()
        return state.written

    def text(self, text: str, limit: int) -> str:
        """At most ``limit`` characters of it."""
        return fitted(self.pieces(text), limit)


@dataclass
class _State:
    """The text written so far, and the open lists, quotes and headings."""

    written: list[str] = field(default_factory=list)
    lists: list[int] = field(default_factory=list)
    """Number of the next item of each list around; -1 for bullets."""
    quotes: int = 0
    heading: bool = False
    fresh: bool = True
    """Whether the current line is still empty."""

    def take(self, token: Token) -> None:  # noqa: C901 - a table of kinds
        """Write one token of a block."""
        match token.type:
            case "inline":
                self._add(_heading(token) if self.heading else _inline(token.children or []))
            case "fence" | "code_block":
                self._alone(code_pieces(token.content))
            case "hr":
                self._alone(["———"])
            case "bullet_list_open":
                self.lists.append(-1)
            case "ordered_list_open":
                self.lists.append(int(token.attrGet("start") or 1))
            case "bullet_list_close" | "ordered_list_close":
                self.lists.pop()
                self._paragraph()
            case "list_item_open":
                self._item()
            case "blockquote_open" | "blockquote_close":
                self._quote(token.nesting)
            case "heading_open" | "heading_close":
                self.heading = token.nesting == 1
                self._paragraph() if self.heading else self._line()
            case "th_open" | "td_open":
                self._add([] if self.fresh else [" | "])
            case "paragraph_close" | "table_close":
                self._paragraph()
            case "tr_close":
                self._line()

    def _alone(self, parts: list[str]) -> None:
        self._line()
        self._add(parts)
        self._line()

    def _quote(self, nesting: int) -> None:
        if nesting == 1:
            self._paragraph()
        self._line()
        self.quotes += nesting
        if nesting == -1:
            self._paragraph()

    def _item(self) -> None:
        self._line()
        number = self.lists[-1]
        self._add(["    " * (len(self.lists) - 1) + (f"{number}. " if number >= 0 else "• ")])
        if number >= 0:
            self.lists[-1] += 1

    def _add(self, parts: Iterable[str]) -> None:
        for part in parts:
            if self.fresh and self.quotes:
                self.written.append(">")
            self.written.append(part)
            self.fresh = part == "\n"

    def _line(self) -> None:
        """End the line, if one is begun."""
        if not self.fresh:
            self.written.append("\n")
        self.fresh = True

    def _paragraph(self) -> None:
        """End the line and leave a blank one, but between items and inside of quotes."""
        self._line()
        if self.written and not self.lists and not self.quotes and self.written[-2:] != ["\n", "\n"]:
            self.written.append("\n")


def _heading(token: Token) -> list[str]:
    words = " ".join(token.content.split())
    return ["*", *pieces(words.replace("*", STAR)), "*"] if words else []


@dataclass(slots=True)
class _Mark:
    """Start and end of a mark among the pieces."""

    opens: int
    closes: int = -1


def _inline(tokens: list[Token]) -> list[str]:
    """The pieces of a paragraph."""
    written: list[str] = []
    marks: list[_Mark] = []
    around: list[_Mark] = []
    label: list[str] | None = None
    address = ""
    for token in tokens:
        kind, _, end = token.type.rpartition("_")
        if kind in _MARKS:
            if end == "open":
                around.append(_Mark(len(written)))
                marks.append(around[-1])
            else:
                around.pop().closes = len(written)
            written.append(_MARKS[kind])
        elif token.type == "link_open":
            label, address = [], str(token.attrGet("href") or "")
        elif token.type == "link_close":
            written.append(link("".join(label or ()) or address, address, _LINK))
            label = None
        elif label is not None:
            label.append(token.content or " ")
        else:
            written += _run(token)
    return _between_words(written, marks)


def _run(token: Token) -> Iterable[str]:
    if token.type == "code_inline":
        return ["`" + escaped(token.content.replace("`", "'")) + "`"]
    return ["\n"] if token.type in {"softbreak", "hardbreak"} else _words(token.content)


def _words(text: str) -> Iterator[str]:
    """Pieces of a plain text; addresses in it become links."""
    for place, part in enumerate(_WEB.split(text)):
        if place % 2:
            yield link(part, part, _LINK)
        else:
            yield from pieces(part)


def _between_words(written: list[str], marks: list[_Mark]) -> list[str]:
    """Without the marks that Slack would show as they are."""
    for mark in marks:
        inside = written[mark.opens + 1 : mark.closes]
        whole = inside and "\n" not in inside and not inside[0].isspace() and not inside[-1].isspace()
        if not (whole and _ends(written, mark.opens, -1) and _ends(written, mark.closes, 1)):
            written[mark.opens] = written[mark.closes] = ""
    return [part for part in written if part]


def _ends(written: list[str], at: int, step: int) -> bool:
    """Whether a word ends beside ``at``: at the end of the text, at a blank, at a mark of ASCII."""
    at += step
    while 0 <= at < len(written) and not written[at]:
        at += step
    if not 0 <= at < len(written):
        return True
    beside = written[at][-1 if step < 0 else 0]
    return beside.isspace() or beside in string.punctuation
