"""reStructuredText → blocks, by a light reading of the markup that articles use.

The markup is that of the reStructuredText specification (docutils) and the directives of Sphinx.
"""

import re
from dataclasses import replace
from itertools import dropwhile

from kb.article.blocks import LINE, Block, BlockKind
from kb.article.formats.linewise import ITEM, MACHINE, LineReader
from kb.article.formats.rows import drawn, listed, ruled, separated
from kb.patterns import lazy

_DIRECTIVE = lazy(r"([ \t]*)\.\.[ \t]+(?:\w+:)?([\w-]{1,40})::(?:[ \t]+(.*))?\Z")
_LITERAL = frozenset(
    (
        "code-block",
        "code",
        "sourcecode",
        "literalinclude",
        "parsed-literal",
        "prompt",
        "console",
        "highlight",
        "ipython",
    )
)
"""Directives whose content is code."""
_SPOKEN = frozenset(
    (
        *("admonition", "attention", "caution", "danger", "error", "hint", "important", "note", "tip", "warning"),
        *("seealso", "deprecated", "versionadded", "versionchanged", "topic", "sidebar", "rubric", "tab", "tab-item"),
        *("dropdown", "details", "epigraph", "container", "tabs", "tab-set", "compound", "question", "answer", "todo"),
        *("table", "line-block", "centered", "glossary", "only", "ifconfig"),
    )
)
"""Directives whose content is words of the article."""
_MUTE = frozenset(("tab-set", "tabs", "container", "table", "only", "ifconfig", "glossary"))
"""Those of them whose argument is no text."""
_NAMED = frozenset(("admonition", "details", "dropdown", "question", "topic"))
"""Those of them whose argument names what stands below."""
_TABLES = frozenset(("list-table", "csv-table"))
_MARKS = {"tab": "\t", "space": " "}
"""What ``:delim:`` of a ``csv-table`` calls by a name."""
_MOST_LINES = 200
"""Lines in which the end of a table is looked for."""
_LONGEST = 200
"""Characters of a term."""
_OTHER = lazy(r"([ \t]*)\.\.[ \t]+(?:_[^:\n]{1,200}:|\|[^|\n]{1,80}\|[ \t]|\[[^\]\n]{1,80}\])")
"""A link target, a substitution, a footnote."""
_TARGET = lazy(r"\A[ \t]*\.\.[ \t]+_[^:\n]{1,200}:[ \t]*(?:\n|\Z)")
"""A link target at the beginning of an item: ``#. .. _step_3:``."""
_SUBSTITUTION = lazy(
    r"^[ \t]*\.\.[ \t]+\|([^|\n]{1,80})\|[ \t]+(?:image::[ \t]+(\S{1,500})|replace::[ \t]+(\S[^\n]{0,300}))",
    re.MULTILINE,
)
"""A name and the picture or the words that it stands for."""
_SUBSTITUTED = lazy(r"\|([^|\s][^|\n]{0,79})\|")
_FIELD = lazy(r"[ \t]*:[\w -]{1,60}:(?:[ \t].*)?\Z")
_COMMENT = lazy(r"[ \t]*\.\.(?:[ \t].*)?\Z")
_GRID = lazy(r"[ \t]*\+(?:[-=]{2,}\+)+[ \t]*\Z")
_RULED = lazy(r"[ \t]*={2,}(?:[ \t]+={2,})+[ \t]*\Z")
_ROLE = lazy(
    r":[A-Za-z][\w:+.-]{0,40}:`(?:~(?:\w{1,60}\.){0,9})?([^`<>]{1,300}?)\s{0,9}(?:<[^<>`]{1,300}>)?`"
    r"|(?<![`\w])`([^`<>]{1,300}?)\s{0,9}(?:<([^<>`]{1,500})>)?`__?(?!\w)"
    r"|[ \t]?\[(?:\d{1,4}|[#*][\w-]{0,40}|[A-Za-z][\w.-]{0,40})\]_(?!\w)"
)
"""An interpreted text with its role, a reference, a footnote's mark; what is shown of it, without the target."""
_ITEM = lazy(rf"{ITEM.pattern}|[ \t]*#\.[ \t]+(?=\S)")
"""An item, of a list that counts itself, too: ``#. Add a disk.``"""
_STATED = lazy(
    r"(?:\.\.[ \t]+(?:(title)|(date|tags|category|url|slug|link))|:(date|tags|category|url|slug)):[ \t]+(.*)"
)


def rst(text: str, body: int = 0) -> tuple[Block, ...]:
    """The blocks of a text from offset ``body`` on."""
    return tuple(_Reader(text, body).blocks())


def fields(text: str) -> dict[str, object]:
    """What the field list of Pelican (``:tags: a``) or the comments of Nikola (``.. tags: a``) at the top of a text state."""
    found: dict[str, object] = {}
    for line in text.lstrip()[:4_000].split("\n")[:40]:
        if field := _STATED.match(line):
            found.setdefault(field[1] or field[2] or field[3], field[4].strip())
        elif found and line.strip() and not _FIELD.match(line) and not _COMMENT.match(line):
            break
    return found


class _Reader(LineReader):
    def __init__(self, text: str, body: int = 0) -> None:
        super().__init__(text, body)
        stated = _SUBSTITUTION.finditer(text) if ".. |" in text else ()
        self._stands_for = {one[1]: one[3] or f"![{one[1]}]({one[2]})" for one in stated}

    item = _ITEM
    _announced: int | None = None
    """How far the paragraph is indented that announced the next lines as code."""

    def is_furniture(self, line: str) -> bool:
        if _FIELD.match(line):
            return True
        return _COMMENT.match(line) is not None and not _DIRECTIVE.match(line) and not _OTHER.match(line)

    def table(self, line: str) -> list[Block] | None:
        if self._announced is not None:
            return None
        first = self.at
        if (directive := _DIRECTIVE.match(line)) is not None and directive[2].lower() in _TABLES:
            return self._listed(directive)
        if _GRID.match(line):
            rest, width = range(first, len(self.lines)), len(line.strip())
            self.at = next((at for at in rest if not _is_of_grid(self.line(at).strip(), width)), len(self.lines))
            return self.cells(first, drawn(self._cut(first)))
        if _RULED.match(line):
            self.at = self._end_of_ruled(first)
            return self.cells(first, ruled(self._cut(first)))
        return None

    def _cut(self, first: int) -> list[str]:
        """The lines from ``first`` to where the reader is, without the indentation of the first."""
        indent = len(self.line(first)) - len(self.line(first).lstrip())
        lines = (self.line(at) for at in range(first, self.at))
        return [line[:indent].lstrip() + line[indent:] for line in lines]

    def _end_of_ruled(self, first: int) -> int:
        """Behind the rule that a blank line follows; at the first blank line where there is none."""
        blank = 0
        for at in range(first + 1, min(first + _MOST_LINES, len(self.lines))):
            if not self.line(at).strip():
                blank = blank or at
            elif _RULED.match(self.line(at)):
                if not self.line(at + 1).strip():
                    return at + 1
                if blank and blank == at - 1:  # another table begins
                    return blank
        return blank or len(self.lines)

    def _listed(self, directive: re.Match[str]) -> list[Block]:
        """The cells of a ``list-table`` or a ``csv-table``, whose head may be an option."""
        first = self.at
        lines = [one.strip() for one in self.indented(len(directive[1]))]
        if directive[2].lower() == "list-table":
            return self.cells(first + 1, listed(lines))
        options = len(lines) - len(list(dropwhile(lambda one: not one or _FIELD.match(one), lines)))
        heads = (one.removeprefix(":header:") if one.startswith(":header:") else "" for one in lines[:options])
        delimiter = next((one[len(":delim:") :].strip() for one in lines[:options] if one.startswith(":delim:")), ",")
        return self.cells(
            first + 1, separated([*heads, *lines[options:]], _MARKS.get(delimiter.lower(), delimiter[:1] or ","))
        )

    def delimited(self, line: str) -> Block | None:
        if self._announced is not None:
            first, indent = self.at, self._announced
            self._announced = None
            code = [line, *self.indented(indent)]
            return self.block(BlockKind.CODE, first, "\n".join(code).rstrip())
        if (directive := _DIRECTIVE.match(line)) is not None:
            return self._directive(len(directive[1]), directive[2].lower(), directive[3] or "")
        if other := _OTHER.match(line):
            first = self.at
            self.indented(len(other[1]))
            return self.block(BlockKind.PARAGRAPH, first, "")
        return super().delimited(line)

    def heading(self, line: str) -> Block | None:
        found = super().heading(line)
        if found is None and self._is_term(line):
            self.at += 1
            return self.block(BlockKind.PARAGRAPH, self.at - 1, self.words_of(line.strip()), LINE)
        return found

    def _is_term(self, line: str) -> bool:
        """Whether a line is the term of a definition list: the next one is indented deeper."""
        below = self.line(self.at + 1)
        if not below.strip() or len(line) > _LONGEST or line.endswith("::") or self.item.match(line):
            return False
        return len(below) - len(below.lstrip()) > len(line) - len(line.lstrip()) and not self.begins(below)

    def _directive(self, indent: int, name: str, argument: str) -> Block:
        """Code, or the words on the line of the directive: those below it are read on as words."""
        first = self.at
        if name in _SPOKEN:
            self.at += 1
            words = "" if name in _MUTE else argument.strip()
            return self.block(BlockKind.PARAGRAPH, first, words, LINE if name in _NAMED else 0)
        body = self.indented(indent)
        body = list(dropwhile(re.compile(r"\s*:[\w-]+:").match, body))
        code = name in _LITERAL
        return self.block(
            BlockKind.CODE if code else BlockKind.PARAGRAPH, first, "\n".join(body).strip("\n") if code else ""
        )

    def paragraph(self) -> Block:
        """A paragraph; one that ends in ``::`` announces the indented lines below as code."""
        indent = len(self.line(self.at)) - len(self.line(self.at).lstrip())
        found = super().paragraph()
        if found.kind is BlockKind.ITEM and not found.text:
            return self._behind_target(found, indent)
        if not found.text.endswith("::"):
            return found
        below = next((line for line in map(self.line, range(self.at, self.at + 3)) if line.strip()), "")
        if len(below) - len(below.lstrip()) > indent:
            self._announced = indent
        return replace(found, text="" if found.text == "::" else found.text.removesuffix(":"))

    def _behind_target(self, item: Block, indent: int) -> Block:
        """An item whose first line is a link target and nothing else: its words stand below it."""
        while self.at < len(self.lines) and not self.line(self.at).strip():
            self.at += 1
        below = self.line(self.at)
        if len(below) - len(below.lstrip()) <= indent or self.item.match(below) or self.begins(below):
            return item
        return replace(self.paragraph(), kind=BlockKind.ITEM, start=item.start)

    def words_of(self, text: str) -> str:
        text = _TARGET.sub("", text)
        if self._stands_for and "|" in text:
            text = _SUBSTITUTED.sub(lambda one: self._stands_for.get(one[1], one[0]), text)
        return _ROLE.sub(_link, text) if "`" in text or "]_" in text else text

    def is_machine(self, at: int) -> bool:
        line = self.line(at)
        return line[:1].isspace() and bool(MACHINE.match(line)) and not self.item.match(line)

    def begins(self, line: str) -> bool:
        return bool(_DIRECTIVE.match(line) or _OTHER.match(line)) or super().begins(line)


def _is_of_grid(line: str, width: int) -> bool:
    """Whether a line can be one of a grid: it begins with an edge and goes on; Chinese characters are two columns wide."""
    return line[:1] in {"+", "|"} and len(line) * 2 >= width


def _link(one: re.Match[str]) -> str:
    leads_out = one[3] and one[3].startswith(("https://", "http://"))
    return f"[{one[2]}]({one[3]})" if leads_out else one[1] or one[2] or ""
