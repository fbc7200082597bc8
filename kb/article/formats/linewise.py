"""Text that is read line by line: what plain text, reStructuredText and AsciiDoc have in common. Headings, code, lists, paragraphs."""

from collections.abc import Iterable, Iterator
from dataclasses import replace

from kb.article.blocks import MOST_COLUMNS, Block, BlockKind
from kb.article.formats.rows import TableRow
from kb.patterns import lazy

UNDERLINE = lazy(r"([=\-~^\"'`#*+.:_])\1{2,}[ \t]*\Z")
ITEM = lazy(r"[ \t]*(?:[-+•●·◦]|\*(?=[ \t])|\d{1,2}[.)、](?!\d)|[（(]\d{1,2}[)）]|[a-z][.)])[ \t]*(?=\S)")
_ITEM_OF_ITEM = lazy(r"\A(?:[-*+•][ \t]+)+")
"""``* - cell``, once the first mark is gone."""
MACHINE = lazy(
    r"\s+at\s\S|\s*\.\.\.\s\d+\s(?:more|common)|Caused by:|\s*(?:Suppressed|Traceback)\b|\s+File \""
    r"|\[?\d{4}[-/.]\d\d[-/.]\d\d[ T\d]|\d\d:\d\d:\d\d|\[?(?:INFO|WARN|ERROR|DEBUG|TRACE|FATAL)\b"
    r"|(?:[A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d )|\s*(?:[\w.$]{1,200}(?:Exception|Error|Throwable))(?::|\Z)"
    r"|\s*(?://|/\*|\*/|#!|\$ |> |<[/?!a-zA-Z][\w:-]*[ >/])|\s*[{}()\[\];]+\s*\Z|.{0,400}[;{}][ \t]*\Z"
    r"|\s*(?:public|private|protected|static|import|package|def|class|return|export|sudo|SELECT|select|CREATE|INSERT)\s"
    r"|\s*[\w.-]{1,80}\s?=\s?\S{1,200}\Z|\s*[\w.-]{1,60}(?:\.[\w-]{1,60}){1,6}:\s?\S"
)
"""A line that a machine wrote, or that is meant for one."""

_MOST_CELLS = 20_000
"""Cells of all tables of a text; those beyond stand for themselves alone, without empty ones at the end of a row."""


class LineReader:
    """One pass over the lines, each looked at a bounded number of times. A format says what its own lines mean."""

    item = ITEM
    """How an item of a list begins."""

    def __init__(self, text: str, body: int = 0) -> None:
        """The lines of ``text`` from offset ``body`` on."""
        self.lines: list[tuple[int, str]] = []
        self.end = len(text)
        self.at = 0
        self.most_cells = _MOST_CELLS
        self._levels: dict[str, int] = {}
        self._unclosed: set[str] = set()
        at = body
        for line in text[body:].split("\n"):
            self.lines.append((at, line))
            at += len(line) + 1

    def blocks(self) -> Iterator[Block]:
        """The blocks, in order, without those that hold no words; an empty cell keeps its column."""
        return (block for block in self._blocks() if block.text.strip() or block.kind is BlockKind.TABLE)

    def _blocks(self) -> Iterator[Block]:
        while self.at < len(self.lines):
            line = self.line(self.at)
            if not line.strip() or self.is_furniture(line):
                self.at += 1
            elif (cells := self.table(line)) is not None:
                yield from cells
            elif (delimited := self.delimited(line)) is not None:
                yield delimited
            elif (heading := self.heading(line)) is not None:
                yield heading
            elif self.is_machine(self.at):
                yield self.run_of_code()
            else:
                yield self.paragraph()

    # ── what a format says ──
    def is_furniture(self, line: str) -> bool:
        """Whether a line belongs to the markup alone."""
        del line
        return False

    def table(self, line: str) -> list[Block] | None:
        """The cells of the table that begins here."""
        del line
        return None

    def delimited(self, line: str) -> Block | None:
        """The block that stands between marks, or under one, and begins here."""
        return self.fenced("```") if line.lstrip().startswith("```") else None

    def heading(self, line: str) -> Block | None:
        """The heading here: the line is underlined, so far."""
        mark = UNDERLINE.match(self.line(self.at + 1))
        words = line.strip()
        if mark and not self.item.match(line) and words and len(mark.group().strip()) * 2 >= len(words):
            first = self.at
            above = UNDERLINE.match(self.line(first - 1))
            style = mark[1] * (2 if above and above[1] == mark[1] else 1)
            self.at += 2
            return self.block(BlockKind.HEADING, first, words, self._levels.setdefault(style, len(self._levels) + 1))
        return self.nothing() if UNDERLINE.match(line) else None  # an overline or a rule

    def is_machine(self, at: int) -> bool:
        """Whether a line outside of code blocks is code, a log or a trace."""
        del at
        return False

    def begins(self, line: str) -> bool:
        """Whether a line ends the paragraph above it."""
        return line.lstrip().startswith("```")

    def words_of(self, text: str) -> str:
        """The text of a paragraph without what only the markup means."""
        return text

    # ── what formats make blocks with ──
    def line(self, at: int) -> str:
        """A line by its number; empty before the first and after the last."""
        return self.lines[at][1] if 0 <= at < len(self.lines) else ""

    def block(self, kind: BlockKind, first: int, text: str, level: int = 0) -> Block:
        """A block of the lines from ``first`` to the one the reader has come to."""
        stop = self.lines[self.at][0] if self.at < len(self.lines) else self.end
        return Block(kind, text, self.lines[first][0], stop, level)

    def cells(self, first: int, rows: Iterable[TableRow]) -> list[Block]:
        """The cells of rows whose lines count from ``first``; no two rows have one place."""
        found: list[Block] = []
        before = -1
        for row in rows:
            cells = row.cells
            if self.most_cells <= 0:  # enough; an empty cell behind the last word says nothing
                cells = cells[: max((column for column, text in enumerate(cells, 1) if text), default=0)]
            self.most_cells -= len(cells)
            start = max(self.lines[first + row.first][0], before + 1)
            stop = self.lines[first + row.stop][0] if first + row.stop < len(self.lines) else self.end
            found += (
                Block(BlockKind.TABLE, self.words_of(text), start, stop, min(column, MOST_COLUMNS))
                for column, text in enumerate(cells, 1)
            )
            before = start
        return found

    def nothing(self) -> Block:
        """A line that separates blocks and has no words."""
        self.at += 1
        return self.block(BlockKind.PARAGRAPH, self.at - 1, "")

    def fenced(self, mark: str) -> Block:
        """Code up to a line that is ``mark``; up to the next blank line where nobody closed it."""
        first = self.at
        rest = range(first + 1, len(self.lines))
        stop = None if mark in self._unclosed else next((i for i in rest if self.line(i).strip() == mark), None)
        if stop is None:
            self._unclosed.add(mark)  # nor will any that comes later be closed
            stop = next((i for i in rest if not self.line(i).strip()), len(self.lines))
        text = "\n".join(self.line(i) for i in range(first + 1, stop))
        self.at = min(stop + 1, len(self.lines))
        return self.block(BlockKind.CODE, first, text)

    def indented(self, indent: int) -> list[str]:
        """The lines from the next on that are indented deeper than ``indent``, and the blank ones between them."""
        body: list[str] = []
        self.at += 1
        while self.at < len(self.lines):
            line = self.line(self.at)
            if line.strip() and len(line) - len(line.lstrip()) <= indent:
                break
            body.append(line)
            self.at += 1
        return body

    def run_of_code(self) -> Block:
        """The lines from here on that a machine wrote."""
        first = self.at
        while self.at < len(self.lines) and self.goes_on(self.at):
            self.at += 1
        found = self.block(BlockKind.CODE, first, "\n".join(self.line(i) for i in range(first, self.at)))
        return replace(found, guessed=True)

    def goes_on(self, at: int) -> bool:
        """Whether a run of machine lines goes on here."""
        return self.is_machine(at)

    def paragraph(self) -> Block:
        """The words up to a blank line, an item or the beginning of something else."""
        first = self.at
        head = self.line(first)
        item = self.item.match(head)
        head = _ITEM_OF_ITEM.sub("", head[item.end() :], count=1) if item else head
        lines = [head]
        self.at += 1
        while self.at < len(self.lines):
            line = self.line(self.at)
            if not line.strip() or self.item.match(line) or self.is_machine(self.at) or self.begins(line):
                break
            lines.append(line)
            self.at += 1
        text = self.words_of("\n".join(one.strip() for one in lines).strip())
        return self.block(BlockKind.ITEM if item else BlockKind.PARAGRAPH, first, text)
