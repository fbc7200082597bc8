"""Plain text, reStructuredText and AsciiDoc → blocks, line by line. A light reading: headings, code, lists, paragraphs."""

import re
from collections.abc import Iterator
from enum import StrEnum

from kb.article.blocks import Block, Kind
from kb.article.vocabulary import heading_roles, label_role


class Markup(StrEnum):
    """Which conventions a text follows."""

    PLAIN = "plain"
    RST = "rst"
    ADOC = "adoc"


_UNDERLINE = re.compile(r"([=\-~^\"'`#*+.:_])\1{2,}[ \t]*\Z")
_ADOC_HEADING = re.compile(r"(={1,6})[ \t]+(\S.*)")
_ADOC_FENCE = re.compile(r"(-{4,}|\.{4,}|={4,}|\+{4,}|\*{4,}|_{4,}|`{3,})[ \t]*\Z")
_ADOC_LINE = re.compile(
    r":[\w!-]{1,60}:(?:[ \t].*)?\Z|\[[^\]\n]{0,300}\][ \t]*\Z|//(?!/).*|(?:include|image)::.*|\.[A-Za-z][^.].*\Z"
)
_RST_CODE = re.compile(r"([ \t]*)\.\.[ \t]+(?:code-block|code|sourcecode|literalinclude|parsed-literal)::")
_RST_SKIP = re.compile(r"([ \t]*)\.\.[ \t]+(?:figure|image|raw|toctree|contents|meta|_[^:]{1,200}:|\|[^|]{1,80}\|)")
_RST_LINE = re.compile(r"[ \t]*(?::[\w -]{1,60}:(?:[ \t].*)?|\.\.(?:[ \t].*)?)\Z")
_ITEM = re.compile(r"[ \t]*(?:[-*+•●·◦]|\d{1,2}[.)、]|[（(]\d{1,2}[)）]|[a-z][.)])[ \t]*(?=\S)")
_SENTENCE_END = '。！？!?;；，,、….:：)）"”'
_MACHINE = re.compile(
    r"\s+at\s\S|\s*\.\.\.\s\d+\s(?:more|common)|Caused by:|\s*(?:Suppressed|Traceback)\b|\s+File \""
    r"|\[?\d{4}[-/.]\d\d[-/.]\d\d[ T\d]|\d\d:\d\d:\d\d|\[?(?:INFO|WARN|ERROR|DEBUG|TRACE|FATAL)\b"
    r"|(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d )|\s*(?:[\w.$]{1,200}(?:Exception|Error|Throwable))(?::|\Z)"
    r"|\s*(?://|/\*|\*/|#!|\$ |> |<[/?!a-zA-Z][\w:-]*[ >/])|\s*[{}()\[\];]+\s*\Z|.{0,400}[;{}][ \t]*\Z"
    r"|\s*(?:public|private|protected|static|import|package|def|class|return|export|sudo|SELECT|select|CREATE|INSERT)\s"
    r"|\s*[\w.-]{1,80}\s?=\s?\S{1,200}\Z|\s*[\w.-]{1,60}(?:\.[\w-]{1,60}){1,6}:\s?\S"
)
_COMMENT = re.compile(r"[ \t]*(?://|/\*|\*[ /]|--[ ])")
_HAN = re.compile(r"[\u4e00-\u9fff]")


def textual(text: str, markup: Markup, body: int = 0) -> tuple[Block, ...]:
    """The blocks of a text from offset ``body`` on."""
    lines: list[tuple[int, str]] = []
    at = body
    for line in text[body:].split("\n"):
        lines.append((at, line))
        at += len(line) + 1
    return tuple(_Reader(lines, len(text), markup).blocks())


class _Reader:
    """One pass over the lines, each looked at a bounded number of times."""

    def __init__(self, lines: list[tuple[int, str]], end: int, markup: Markup) -> None:
        self.lines, self.end, self.markup = lines, end, markup
        self.at = 0
        self.levels: dict[str, int] = {}

    def blocks(self) -> Iterator[Block]:
        while self.at < len(self.lines):
            line = self._line(self.at)
            if not line.strip() or self._is_furniture(line):
                self.at += 1
            elif (code := self._delimited(line)) is not None:
                yield code
            elif (heading := self._heading(line)) is not None:
                yield heading
            elif self._is_machine(self.at):
                yield self._run_of_code()
            else:
                yield self._paragraph()

    def _line(self, at: int) -> str:
        return self.lines[at][1] if 0 <= at < len(self.lines) else ""

    def _block(self, kind: Kind, first: int, text: str, level: int = 0) -> Block:
        start = self.lines[first][0]
        stop = self.lines[self.at][0] if self.at < len(self.lines) else self.end
        return Block(kind, text, start, stop, level)

    # ── headings ──
    def _heading(self, line: str) -> Block | None:
        first = self.at
        if self.markup is Markup.ADOC and (found := _ADOC_HEADING.match(line)):
            self.at += 1
            return self._block(Kind.HEADING, first, found[2], len(found[1]))
        mark = _UNDERLINE.match(self._line(first + 1))
        if (
            mark
            and not _ITEM.match(line)
            and len(line.strip()) > 0
            and len(mark.group().strip()) * 2 >= len(line.strip())
        ):
            self.at += 2
            level = self.levels.setdefault(mark[1], len(self.levels) + 1)
            return self._block(Kind.HEADING, first, line.strip(), level)
        if _UNDERLINE.match(line):  # an overline or a rule
            self.at += 1
            return self._block(Kind.PARAGRAPH, first, "")
        if self.markup is Markup.PLAIN and self._is_bare_heading(first, line):
            self.at += 1
            return self._block(Kind.HEADING, first, line.strip(), 2 if first else 1)
        return None

    def _is_bare_heading(self, at: int, line: str) -> bool:
        """A short line on its own, that is no sentence: as browsers copy headings."""
        words = line.strip()
        if len(words) > 60 or line[:1].isspace() or _MACHINE.match(line):
            return False
        alone = not self._line(at - 1).strip() and not self._line(at + 1).strip()
        known = label_role(words) is not None or (words[-1] not in _SENTENCE_END and bool(heading_roles(words)))
        if known and not self._line(at - 1).strip():
            return True
        if not alone or at == 0:
            return alone
        return (
            words[-1] not in _SENTENCE_END
            and not _ITEM.match(line[:1])
            and len(words) <= 40
            and (bool(_HAN.search(words)) or words[:1].isupper())
        )

    # ── code ──
    def _delimited(self, line: str) -> Block | None:
        if self.markup is Markup.ADOC and (fence := _ADOC_FENCE.match(line)):
            if fence[1][0] in "=*_":  # an example or a sidebar: words
                self.at += 1
                return self._block(Kind.PARAGRAPH, self.at - 1, "")
            return self._fenced(fence[1])
        if line.lstrip().startswith("```"):
            return self._fenced("```")
        if self.markup is Markup.RST and (directive := _RST_CODE.match(line) or _RST_SKIP.match(line)):
            return self._indented(len(directive[1]), code=directive.re is _RST_CODE)
        if self.markup is Markup.RST and line.rstrip().endswith("::") and not self._line(self.at + 1).strip():
            return self._literal(line)
        return None

    def _fenced(self, mark: str) -> Block:
        first = self.at
        stop = next((i for i in range(first + 1, len(self.lines)) if self._line(i).strip() == mark), None)
        if stop is None:  # nobody closed it: it ends at the next blank line
            stop = next((i for i in range(first + 1, len(self.lines)) if not self._line(i).strip()), len(self.lines))
        text = "\n".join(self._line(i) for i in range(first + 1, stop))
        self.at = min(stop + 1, len(self.lines))
        return self._block(Kind.CODE, first, text)

    def _indented(self, indent: int, *, code: bool) -> Block:
        """What is indented under a directive, its options left out."""
        first = self.at
        self.at += 1
        body: list[str] = []
        while self.at < len(self.lines):
            line = self._line(self.at)
            if line.strip() and len(line) - len(line.lstrip()) <= indent:
                break
            if not re.match(r"\s*:[\w-]+:", line) or body:
                body.append(line)
            self.at += 1
        return self._block(Kind.CODE if code else Kind.PARAGRAPH, first, "\n".join(body).strip("\n") if code else "")

    def _literal(self, line: str) -> Block:
        words = line.rstrip().removesuffix(":")
        indent = len(line) - len(line.lstrip())
        first = self.at
        following = next((i for i in range(first + 1, min(first + 4, len(self.lines))) if self._line(i).strip()), None)
        if following is None or len(self._line(following)) - len(self._line(following).lstrip()) <= indent:
            return self._paragraph()
        self.lines[first] = (self.lines[first][0], words)
        return self._paragraph()

    def _is_machine(self, at: int) -> bool:
        line = self._line(at)
        if self.markup is not Markup.PLAIN:
            return (
                self.markup is Markup.RST
                and line[:1].isspace()
                and bool(_MACHINE.match(line))
                and not _ITEM.match(line)
            )
        return bool(_MACHINE.match(line)) and len(_HAN.findall(line)) * 4 <= len(line)

    def _run_of_code(self) -> Block:
        first = self.at
        while self.at < len(self.lines):
            line = self._line(self.at)
            indented = line[:1].isspace() and line.strip() and not _HAN.search(line)
            if not (indented or self._is_machine(self.at) or _COMMENT.match(line)):
                following = self._line(self.at + 1)
                if line.strip() or not (following[:1].isspace() and self._is_machine(self.at + 1)):
                    break
            self.at += 1
        return self._block(Kind.CODE, first, "\n".join(self._line(i) for i in range(first, self.at)))

    # ── words ──
    def _is_furniture(self, line: str) -> bool:
        if self.markup is Markup.ADOC:
            return _ADOC_LINE.match(line) is not None
        return (
            self.markup is Markup.RST
            and _RST_LINE.match(line) is not None
            and not _RST_CODE.match(line)
            and not _RST_SKIP.match(line)
        )

    def _paragraph(self) -> Block:
        first = self.at
        item = _ITEM.match(self._line(first))
        lines = [self._line(first)[item.end() :] if item else self._line(first)]
        self.at += 1
        while self.at < len(self.lines):
            line = self._line(self.at)
            if not line.strip() or _ITEM.match(line) or self._is_machine(self.at) or self._begins(line):
                break
            lines.append(line)
            self.at += 1
        text = "\n".join(one.strip() for one in lines).strip()
        return self._block(Kind.ITEM if item else Kind.PARAGRAPH, first, text)

    def _begins(self, line: str) -> bool:
        if self.markup is Markup.ADOC:
            return bool(_ADOC_FENCE.match(line) or _ADOC_HEADING.match(line))
        if self.markup is Markup.RST:
            return bool(_RST_CODE.match(line) or _RST_SKIP.match(line))
        return line.lstrip().startswith("```")
