"""Cause and fix as HTML: Markdown of strangers in, harmless markup out."""

import re

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup

LIMIT = 20_000
"""Characters rendered of one text: more than any write-up's cause or fix, and a bound on the time."""
SAFE_ADDRESS = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)


_OPEN, _CLOSE = "\ue000", "\ue001"
"""Characters of the private use area that stand for the ends of a quotation while Markdown is rendered."""
_NO_MARKS = dict.fromkeys((0xE000, 0xE001))
_HAN = re.compile(r"[\u3000-\u9fff\uff00-\uffef]")
"""A Chinese character or a mark of Chinese punctuation."""
_MARKED = re.compile(f"{_OPEN}([^{_OPEN}{_CLOSE}]*){_CLOSE}")
_BULLET = re.compile(r"\A\s{0,8}(?:[-*+•]\s|\d{1,3}(?:[.)]\s|[、）]))\s{0,3}")
"""What stands before an item: a mark before it would end the list."""
_LEAST_MARKED = 8
"""Bytes of a line that is marked, so three Han characters: shorter ones stand in a text by chance."""


def is_web_address(url: str) -> bool:
    """Whether a link may lead there: the web or mail, no script, no data, no path into this service."""
    return SAFE_ADDRESS.match(url.strip()) is not None


def _link_open(renderer: RendererHTML, tokens: list[Token], at: int, options: OptionsDict, env: EnvType) -> str:
    tokens[at].attrSet("rel", "noopener noreferrer nofollow")
    return renderer.renderToken(tokens, at, options, env)


def _code(renderer: RendererHTML, tokens: list[Token], at: int, options: OptionsDict, env: EnvType) -> str:  # noqa: ARG001
    """A block of code that the keyboard can scroll (WCAG 2.1.1)."""
    return f'<pre tabindex="0"><code>{escapeHtml(tokens[at].content)}</code></pre>\n'


def _described(renderer: RendererHTML, tokens: list[Token], at: int, options: OptionsDict, env: EnvType) -> str:
    """An image as the words that describe it: fetching it would call home."""
    return escapeHtml(renderer.renderInlineAsText(tokens[at].children, options, env))


def _without_dead_links(tokens: list[Token]) -> list[Token]:
    """Inline tokens in which a link that leads nowhere from here (``#below``, ``../other.md``, a script) is its words alone."""
    kept: list[Token] = []
    is_dead = False
    for token in tokens:
        if token.type == "link_open":
            is_dead = not is_web_address(str(token.attrGet("href") or ""))
        if not (is_dead and token.type in ("link_open", "link_close")):
            kept.append(token)
    return kept


class HtmlWriter:
    """Renders Markdown: no raw HTML, images as the words that describe them (fetched, they would call home), links that lead nowhere from here as theirs, headings pushed below the page's own."""

    def __init__(self) -> None:
        self._markdown = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"])
        self._markdown.validateLink = lambda url: True  # type: ignore[method-assign]  # noqa: ARG005
        self._markdown.add_render_rule("link_open", _link_open)
        self._markdown.add_render_rule("image", _described)
        self._markdown.add_render_rule("softbreak", _joined)
        self._markdown.add_render_rule("fence", _code)
        self._markdown.add_render_rule("code_block", _code)

    def html(self, text: str, quoted: str | None = None) -> Markup:
        """Return ``text`` as HTML, cut at ``LIMIT``; the lines of ``quoted`` that stand in it are marked."""
        text = text[:LIMIT]
        if quoted:
            text = text.translate(_NO_MARKS)
            for line in (_BULLET.sub("", line) for line in quoted.split("\n")):
                if len(line.encode("utf-8", "replace")) >= _LEAST_MARKED:
                    text = text.replace(line, f"{_OPEN}{line}{_CLOSE}", 1)
        tokens = self._markdown.parse(text)
        for token in tokens:
            if token.type in ("heading_open", "heading_close"):
                token.tag = f"h{min(6, int(token.tag[1]) + 3)}"
            if token.children:
                token.children = _without_dead_links(token.children)
        rendered = self._markdown.renderer.render(tokens, self._markdown.options, {})
        if quoted:
            rendered = _MARKED.sub(_marked, rendered).translate(_NO_MARKS)
        return Markup(rendered)  # noqa: S704


def _joined(renderer: RendererHTML, tokens: list[Token], at: int, options: OptionsDict, env: EnvType) -> str:  # noqa: ARG001
    """Render a line break inside a paragraph: none between Chinese characters, where a browser would show it as a blank."""
    before, after = tokens[at - 1].content[-1:], tokens[at + 1].content[:1] if at + 1 < len(tokens) else ""
    return "" if _HAN.match(before) and _HAN.match(after) else "\n"


def _marked(found: re.Match[str]) -> str:
    """What stands between two marks, as ``<mark>`` where that cuts through no other element."""
    inside = found[1]
    is_whole = inside.count("<") - inside.count("<br") == 2 * inside.count("</") and not inside.startswith("</")
    return f"<mark>{inside}</mark>" if is_whole else inside
