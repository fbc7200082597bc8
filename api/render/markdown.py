"""Cause and fix as HTML: Markdown of strangers in, harmless markup out."""

import re
from collections.abc import Callable
from urllib.parse import unquote

from markdown_it import MarkdownIt
from markdown_it.common.utils import escapeHtml
from markdown_it.renderer import RendererHTML
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from markupsafe import Markup

from api.render.language import LANGUAGES

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


_OPTION = re.compile(r"(?<!\S)--?[A-Za-z][\w:.+-]{0,30}(?![\w:.+-])", re.ASCII)
"""``--bootstrap-server``, ``-XX:MaxMetaspaceSize``; a longer one may break, or it would not fit on a phone."""
_LONGEST_ID, _LONGEST_TARGET = 200, 500
_ID = re.compile(r"(?<![\w./@:-])[A-Za-z0-9]++(?:[-_][A-Za-z0-9]++)++(?![\w/@-]|[.:]\w)", re.ASCII)
"""``kafka-record-too-large``, ``FLINK-31234``; not a part of a path, a host or a longer name."""

Addresses = Callable[[str], str | None]
"""The page of the incident with an id; None where there is no such incident."""


def _nowhere(_: str) -> str | None:
    return None


def is_web_address(url: str) -> bool:
    """Whether a link may lead there: the web or mail, no script, no data, no path into this service."""
    return SAFE_ADDRESS.match(url.strip()) is not None


def _link_open(renderer: RendererHTML, tokens: list[Token], at: int, options: OptionsDict, env: EnvType) -> str:
    if not tokens[at].meta.get("own"):
        tokens[at].attrSet("rel", "noopener noreferrer nofollow")
    return renderer.renderToken(tokens, at, options, env)


def _code(renderer: RendererHTML, tokens: list[Token], at: int, options: OptionsDict, env: EnvType) -> str:  # noqa: ARG001
    """A block of code that the keyboard can scroll (WCAG 2.1.1)."""
    return f'<pre tabindex="0"><code>{_unbroken(tokens[at].content)}</code></pre>\n'


def _code_inline(renderer: RendererHTML, tokens: list[Token], at: int, options: OptionsDict, env: EnvType) -> str:  # noqa: ARG001
    return f"<code>{_unbroken(tokens[at].content)}</code>"


def _unbroken(code: str) -> str:
    """Return code as HTML in which no line breaks behind the dashes of an option: nobody can tell ``--`` at the end of a line from two words."""
    return _OPTION.sub(r'<span class="option">\g<0></span>', escapeHtml(code))


def _described(renderer: RendererHTML, tokens: list[Token], at: int, options: OptionsDict, env: EnvType) -> str:
    """An image as the words that describe it: fetching it would call home."""
    return escapeHtml(renderer.renderInlineAsText(tokens[at].children, options, env))


def _named(target: str) -> str:
    """Return the id that a relative link to a write-up names (``../kafka/kafka-too-large.zh.md#fix``); '' for any other address."""
    path = unquote(re.split(r"[#?]", target[:_LONGEST_TARGET], maxsplit=1)[0])
    stem, dot, ending = path.rpartition("/")[2].rpartition(".")
    if not dot or ending.casefold() != "md" or ":" in path or path.startswith(("/", "\\")):
        return ""
    name, dot, lang = stem.rpartition(".")
    return name if dot and lang in LANGUAGES else stem


def _own_open(address: str) -> Token:
    return Token("link_open", "a", 1, {"href": address}, meta={"own": True})


def _own_link(address: str, inside: list[Token]) -> list[Token]:
    """Return tokens as a link to a page of this service."""
    return [_own_open(address), *inside, Token("link_close", "a", -1)]


def _text(content: str) -> Token:
    return Token("text", "", 0, content=content)


def _with_own_links(token: Token, to: Addresses) -> list[Token]:
    """Return a token of words or code in which each id of an incident is a link to it."""
    if token.type == "code_inline":
        address = to(token.content) if len(token.content) <= _LONGEST_ID else None
        return _own_link(address, [token]) if address else [token]
    if token.type != "text":
        return [token]
    made: list[Token] = []
    at = 0
    for word in _ID.finditer(token.content):
        if address := to(word[0]):
            made += [_text(token.content[at : word.start()]), *_own_link(address, [_text(word[0])])]
            at = word.end()
    return [*made, _text(token.content[at:])] if made else [token]


def _linked(tokens: list[Token], to: Addresses) -> list[Token]:
    """Return inline tokens with links to other incidents: write-ups named by a relative link, ids in words and in code.

    A link that leads nowhere from here (``#below``, a script, a write-up that nobody has) is its words alone.
    """
    kept: list[Token] = []
    inside = ""
    """Of which kind of link the token is a part: ``web``, ``own``, ``dead``."""
    for token in tokens:
        if token.type == "link_open":
            target = str(token.attrGet("href") or "")
            address = to(name) if (name := _named(target)) else None
            inside = "web" if is_web_address(target) else "own" if address else "dead"
            if address and inside == "own":
                kept.append(_own_open(address))
                continue
        if token.type in ("link_open", "link_close"):
            kept += [] if inside == "dead" else [token]
            inside = "" if token.type == "link_close" else inside
        else:
            kept += [token] if inside in {"web", "own"} else _with_own_links(token, to)
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
        self._markdown.add_render_rule("code_inline", _code_inline)

    def html(self, text: str, quoted: str | None = None, *, to: Addresses = _nowhere) -> Markup:
        """Return ``text`` as HTML, cut at ``LIMIT``; the lines of ``quoted`` that stand in it are marked, and ids lead where ``to`` says."""
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
                token.children = _linked(token.children, to)
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
