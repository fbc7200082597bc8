"""AsciiDoc → blocks, by a light reading of the markup that articles use (the AsciiDoc language as Asciidoctor documents it)."""

import re
from collections.abc import Mapping
from dataclasses import replace

from kb.article.blocks import LINE, Block, BlockKind
from kb.article.formats.linewise import ITEM, LineReader
from kb.article.formats.rows import barred, columns_of, divided, separated
from kb.article.vocabulary import label_role
from kb.patterns import lazy

_HEADING = lazy(r"(={1,6}|#{1,6})[ \t]+(\S.*)")
_FENCE = lazy(r"(-{4,}|\.{4,}|={4,}|\+{4,}|\*{4,}|_{4,}|/{4,}|`{3,}|--)[ \t]*\Z")
_SPOKEN = frozenset("=*_")
"""Fences around words: an example or an admonition, a sidebar, a quotation. And ``--``, an open block."""
_LINE = lazy(
    r":!?[\w-]{1,60}!?:(?:[ \t].*)?\Z|\[[^\]\n]{0,300}\][ \t]*\Z|//(?!/).*|(?:include|image|ifdef|ifndef|ifeval|endif|toc|video)::.*"
    r"|\+[ \t]*\Z|'{3,}[ \t]*\Z|<{3,}[ \t]*\Z"
)
_BLOCK_TITLE = lazy(r"\.(?![.\s])(.{1,200})\Z")
_TERM = lazy(r"[ \t]*(\S.{0,198}?):{2,4}[ \t]*\Z")
_BOLD = lazy(r"\*[^*\n]{4,180}\*")
_TABLE = lazy(r"[|,:!]={3,}[ \t]*\Z")
_FORMAT = lazy(r"\bformat=[\"']?(psv|csv|tsv|dsv)\b")
_SEPARATOR = lazy(r"\bseparator=[\"']?(\\t|[^\s\"'\]])")
_FORMATS = {",": "csv", ":": "dsv"}
_SEPARATORS = {"csv": ",", "tsv": "\t", "dsv": ":"}
_ATTRIBUTE = lazy(r"^:([\w-]{1,40}):[ \t]*(.*)$", re.MULTILINE)
_REFERENCE = lazy(r"\{([\w-]{1,40})\}")
_BUILT_IN = {
    "empty": "",
    "nbsp": " ",
    "sp": " ",
    "zwsp": "",
    "quot": '"',
    "apos": "'",
    "lt": "<",
    "gt": ">",
    "amp": "&",
}
_LINK = lazy(
    r"(?:(?:link|xref|mailto):|(?=https?://))([^\s\[\]]{1,500})\[([^\[\]]{0,300})\]|<<([^\s<>,]{1,100})(?:,([^<>]{1,200}))?>>"
)
_OPTIONS = lazy(r"\^?(?:,[ ]?\w{1,20}=[^,]{0,60}){0,5}\Z")
_INLINE = lazy(
    r"(?:kbd|btn|pass):\[(?P<key>[^\[\]]{1,100})\]|menu:(?P<menu>\w[\w ]{0,40})\[(?P<entry>[^\[\]]{1,100})\]"
    r"|`\+(?P<code>[^`]{1,300})\+`|\[\.[\w .-]{1,40}\]#(?P<role>[^#\n]{1,200})#|[ ]?(?:footnote:\w{0,40}|(?:image|icon):[^\s\[\]]{1,300})\[[^\[\]]{0,300}\]"
)
"""Keys, menus, literal code, marked words; footnotes and pictures, which show nothing in the sentence."""
_ITEM = lazy(rf"{ITEM.pattern}|[ \t]*(?:\.{{1,5}}|\*{{2,5}})[ \t]+(?=\S)")
_HEAD = 4_000
"""Characters at the top in which attributes are looked for."""
_LONGEST = 200
"""Characters of an attribute's value that are put in its place."""


def attributes(text: str) -> dict[str, object]:
    """The attributes that the head of a text sets (``:name: value``)."""
    return dict(_ATTRIBUTE.findall(text[:_HEAD]))


def asciidoc(text: str, body: int = 0) -> tuple[Block, ...]:
    """The blocks of a text from offset ``body`` on."""
    return tuple(_Reader(text, body).blocks())


class _Reader(LineReader):
    item = _ITEM

    def __init__(self, text: str, body: int) -> None:
        super().__init__(text, body)
        self._values: Mapping[str, str] = _BUILT_IN | {
            name: value for name, value in _ATTRIBUTE.findall(text[:_HEAD]) if value and len(value) <= _LONGEST
        }

    def words_of(self, text: str) -> str:
        """With the values of the document's own attributes in their place, once; of links and other macros what they show."""
        if "{" in text:
            text = _REFERENCE.sub(lambda one: self._values.get(one[1], one[0]), text)
        if "[" in text or "<<" in text or "`+" in text:
            text = _INLINE.sub(_inline, _LINK.sub(_linked, text))
        return text

    def is_furniture(self, line: str) -> bool:
        return _LINE.match(line) is not None

    def heading(self, line: str) -> Block | None:
        first = self.at
        if found := _HEADING.match(line):
            self.at += 1
            return self.block(BlockKind.HEADING, first, self.words_of(found[2]), len(found[1]))
        if title := _BLOCK_TITLE.match(line):  # ``.Resolution`` is a label; ``.Example output`` names the code below
            self.at += 1
            return self.block(BlockKind.PARAGRAPH, first, title[1].strip() if self._is_label(title[1]) else "")
        if term := _TERM.match(line):
            self.at += 1
            return self.block(BlockKind.PARAGRAPH, first, self.words_of(term[1]), LINE)
        return super().heading(line)

    def paragraph(self) -> Block:
        found = super().paragraph()
        return replace(found, level=LINE) if _BOLD.fullmatch(found.text) else found

    def _is_label(self, title: str) -> bool:
        if label_role(title) is None:
            return False
        following = (line for line in map(self.line, range(self.at, self.at + 3)) if not _LINE.match(line))
        fence = _FENCE.match(next(following, ""))
        return fence is None or fence[1][0] in _SPOKEN

    def table(self, line: str) -> list[Block] | None:
        if not _TABLE.match(line):
            return None
        first, mark = self.at, line.strip()
        rest = range(first + 1, len(self.lines))
        stop = next((at for at in rest if self.line(at).strip() == mark), len(self.lines))
        self.at = min(stop + 1, len(self.lines))
        lines = [self.line(at) for at in range(first + 1, stop)]
        above = "\n".join(one for one in map(self.line, range(first - 3, first)) if one.startswith("["))
        found = _FORMAT.search(above)
        style = found[1] if found else _FORMATS.get(mark[0], "psv")
        stated = _SEPARATOR.search(above)
        between = (stated[1] if stated else _SEPARATORS.get(style, mark[0])).replace("\\t", "\t")
        if style == "psv":
            return self.cells(first + 1, barred(lines, columns_of(above), between, self.most_cells))
        return self.cells(first + 1, divided(lines, between) if style == "dsv" else separated(lines, between))

    def delimited(self, line: str) -> Block | None:
        fence = _FENCE.match(line)
        if fence is None:
            return super().delimited(line)
        if fence[1] == "--" or fence[1][0] in _SPOKEN:
            return self.nothing()
        code = self.fenced(fence[1])
        return code if fence[1][0] != "/" else Block(BlockKind.PARAGRAPH, "", code.start, code.end)

    def begins(self, line: str) -> bool:
        return bool(
            _FENCE.match(line) or _HEADING.match(line) or _LINE.match(line) or _TERM.match(line)
        ) or super().begins(line)


def _linked(link: re.Match[str]) -> str:
    """What a link shows; one that leads out of the document as Markdown."""
    words = _OPTIONS.sub("", link[2] or "")
    if words and link[1].startswith(("https://", "http://")):
        return f"[{words}]({link[1]})"
    return words or link[1] or link[4] or link[3]


def _inline(macro: re.Match[str]) -> str:
    if macro["menu"]:
        return f"{macro['menu']} > {macro['entry']}"
    return f"`{macro['code']}`" if macro["code"] else macro["key"] or macro["role"] or ""
