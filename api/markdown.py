"""Cause and fix as HTML: Markdown of strangers in, harmless markup out."""

import re

from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup

LIMIT = 20_000
"""Characters rendered of one text: more than any write-up's cause or fix, and a bound on the time."""
SAFE_ADDRESS = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)


def is_web_address(url: str) -> bool:
    """Whether a link may lead there: the web or mail, no script, no data, no path into this service."""
    return SAFE_ADDRESS.match(url.strip()) is not None


def _link_open(renderer: RendererHTML, tokens: list[Token], at: int, options: OptionsDict, env: EnvType) -> str:
    tokens[at].attrSet("rel", "noopener noreferrer nofollow")
    return renderer.renderToken(tokens, at, options, env)


class Writer:
    """Renders Markdown: no raw HTML, no images (they would call home), headings pushed below the page's own."""

    def __init__(self) -> None:
        self._markdown = MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable("image")
        self._markdown.validateLink = is_web_address  # type: ignore[method-assign]
        self._markdown.add_render_rule("link_open", _link_open)

    def html(self, text: str) -> Markup:
        """``text`` as HTML; cut at ``LIMIT``."""
        tokens = self._markdown.parse(text[:LIMIT])
        for token in tokens:
            if token.type in ("heading_open", "heading_close"):
                token.tag = f"h{min(6, int(token.tag[1]) + 3)}"
        return Markup(self._markdown.renderer.render(tokens, self._markdown.options, {}))  # noqa: S704
