"""The element that holds an article → its headings, paragraphs, items and code."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import TypeGuard

from selectolax.lexbor import LexborNode

from kb.article.blocks import LINE, MOST_COLUMNS, BlockKind
from kb.article.decode import tidied
from kb.article.formats.linewise import MACHINE
from kb.article.formats.shown import ShownBlock
from kb.patterns import lazy

_BODIES = frozenset(("thead", "tbody", "tfoot"))
_NO_CELL = "table, pre, h1, h2, h3, h4, h5, h6"
"""What a cell of data does not hold: a page laid out in a table does."""
_MOST_ROWS, _MOST_COLUMNS = 3_000, 40
_LONGEST = 3_000
"""Characters of a cell; one that says more is a column of a layout."""
_REPEATED = 400
"""Characters of a cell over several rows that each of them repeats; below a longer one stands nothing."""
_TRACE = lazy(r"\s*(?:at\s+[\w.$]{1,200}\(|Caused by:|Traceback \(|File \"|\.\.\. \d+ (?:more|common))")
"""A line of a trace, which wants its lines."""


@dataclass(slots=True)
class _Spanning:
    """A cell that reaches into rows below its own."""

    text: str
    left: int


def data_rows(table: LexborNode, words_of: Callable[[LexborNode], str]) -> list[list[str]] | None:
    """The words of each cell by row, a cell over several rows or columns in its first column of each; None for a table that holds no data."""
    rows: list[list[str]] = []
    spans: dict[int, _Spanning] = {}
    for row in _rows(table):
        if len(rows) == _MOST_ROWS:
            return None
        words = _row(row, spans, words_of)
        if words is None:
            return None
        if any(words):
            rows.append(words)
    return rows if _is_data(rows) else None


def _rows(table: LexborNode) -> Iterator[LexborNode]:
    for part in table.iter():
        if part.tag == "tr":
            yield part
        elif part.tag in _BODIES:
            yield from (row for row in part.iter() if row.tag == "tr")


def _row(row: LexborNode, spans: dict[int, _Spanning], words_of: Callable[[LexborNode], str]) -> list[str] | None:
    """The cells of a row, with those that reach into it from above; None where one is no cell of data."""
    found: list[str] = []

    def from_above() -> None:
        while (above := spans.get(len(found))) is not None and above.left > 0:
            above.left -= 1
            found.append(above.text)

    for cell in row.iter():
        if cell.tag not in _CELLS:
            continue
        from_above()
        if len(found) >= _MOST_COLUMNS or cell.css_first(_NO_CELL) is not None:
            return None
        words = words_of(cell)
        if len(words) > _LONGEST:
            return None
        if (below := _span(cell, "rowspan", _MOST_ROWS) - 1) > 0:
            spans[len(found)] = _Spanning(words if len(words) <= _REPEATED else "", below)
        found += [words, *[""] * (_span(cell, "colspan", _MOST_COLUMNS) - 1)]
    from_above()
    return found


def _span(cell: LexborNode, name: str, most: int) -> int:
    """Over how many rows or columns a cell reaches, at least 1."""
    stated = (cell.attributes.get(name) or "").strip()
    return max(1, min(int(stated), most)) if stated.isascii() and stated.isdigit() and len(stated) < 6 else 1


def _is_data(rows: list[list[str]]) -> bool:
    if sum(len(row) > 1 for row in rows) < 2:
        return False
    if all(len(row) <= 2 and (not row[0] or row[0].isdigit()) for row in rows):
        return False  # code beside the numbers of its lines
    return not any(_TRACE.match(line) for row in rows for words in row if "\n" in words for line in words.split("\n"))


_HEADINGS = {f"h{n}": n for n in range(1, 7)}
_NAMING = frozenset(("dt", "summary"))
"""Elements whose words name what stands below."""
_BOLD = frozenset(("b", "strong"))
_CELLS = frozenset(("td", "th"))
_PARTS = frozenset(
    (
        "address",
        "article",
        "blockquote",
        "body",
        "center",
        "dd",
        "details",
        "dialog",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "header",
        "hgroup",
        "hr",
        "html",
        "li",
        "main",
        "nav",
        "ol",
        "p",
        "pre",
        "section",
        "summary",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "ul",
    )
)
"""Elements that begin and end a block."""
_WRAPPED = 4
"""Elements around bold words that are looked at."""
_NUMBERS = lazy(r"\s*+(?:\d{1,6}+\s++)*+(?:\d{1,6}+)?+")
_NUMBERED = lazy(r"[ \t]{0,8}(\d{1,5})(?:[.:|)]|\b)")
_SPACE = lazy(r"[ \t\n]+")
_HAN = lazy(r"[\u4e00-\u9fff]")
_LINES = frozenset(("li", "tr", "div", "p", "code", "ol", "table"))
"""Elements that begin a line within code."""
_BREAKS = ", ".join(("br", *sorted(_LINES)))


def pieces(root: LexborNode) -> list[ShownBlock]:
    """The pieces of an article in document order. Line numbers are left out; lines of code in a row are one piece."""
    return _gathered(_without_numbers(_Walker().walk(root)))


def _without_numbers(found: Iterable[ShownBlock]) -> list[ShownBlock]:
    """Without what only counts: 1 2 3 … in one piece, or in a piece each."""
    kept: list[ShownBlock] = []
    count: list[ShownBlock] = []
    for piece in found:
        numbers = [int(word) for word in piece.text.split()] if not piece.row and _NUMBERS.fullmatch(piece.text) else []
        if numbers and all(a + 1 == b for a, b in pairwise(numbers)):
            if count and int(count[-1].text.split()[-1]) + 1 != numbers[0]:
                kept += _not_a_count(count)
                count = []
            count.append(piece)
            continue
        kept += _not_a_count(count)
        count = []
        kept.append(piece)
    return kept + _not_a_count(count)


def _not_a_count(count: list[ShownBlock]) -> list[ShownBlock]:
    numbers = sum(len(piece.text.split()) for piece in count)
    return [] if numbers >= 3 or any(piece.kind is BlockKind.CODE for piece in count) else count


def _gathered(found: list[ShownBlock]) -> list[ShownBlock]:
    """Neighbours that a machine wrote, each line in an element of its own, as one piece of code."""
    kept: list[ShownBlock] = []
    run: list[ShownBlock] = []
    for piece in (*found, None):
        is_words = piece is not None and not piece.row and piece.kind in {BlockKind.PARAGRAPH, BlockKind.TABLE}
        if piece is not None and is_words and _is_machine(piece.text):
            run.append(piece)
            continue
        kept += (
            run if len(run) < 2 else [ShownBlock(BlockKind.CODE, 0, "\n".join(one.text for one in run), guessed=True)]
        )
        run = []
        if piece is not None:
            kept.append(piece)
    return kept


def _is_machine(text: str) -> bool:
    return all(
        (MACHINE.match(line) or line.startswith("at ")) and len(_HAN.findall(line)) * 4 <= len(line)
        for line in text[:4_000].split("\n")
    )


class _Walker:
    """Goes through a page with a stack of its own, since pages nest deeper than Python's."""

    def __init__(self) -> None:
        self.found: list[ShownBlock] = []
        self.words: list[str] = []
        self.context: list[tuple[BlockKind, int]] = [(BlockKind.PARAGRAPH, 0)]
        self.stack: list[LexborNode | None] = []
        """None stands for the end of the innermost part."""
        self.rows = 0

    def walk(self, root: LexborNode) -> list[ShownBlock]:
        self.stack.extend(reversed(list(root.iter(include_text=True))))
        while self.stack:
            node = self.stack.pop()
            if node is None:
                self._flush()
                self.context.pop()
            else:
                self._enter(node)
        self._flush()
        return self.found

    def _enter(self, node: LexborNode) -> None:
        tag = node.tag or ""
        if tag == "-text":
            self.words.append(tidied(node.text_content or ""))
        elif tag == "br":
            self.words.append("\v")
        elif tag == "pre" or (tag == "code" and "\n" in (node.text() or "").strip()):
            self._flush()
            code = _code(node)
            if code.strip():
                self.found.append(ShownBlock(BlockKind.CODE, 0, code))
        elif tag == "table" and (rows := data_rows(node, _cell)) is not None:
            self._flush()
            self._add(rows)
        else:
            if tag in _PARTS or tag in _HEADINGS or (tag in _BOLD and _is_alone(node)):
                self._flush()
                self.context.append(
                    (BlockKind.TABLE, _column(node)) if tag in _CELLS else _context(tag, self.context[-1])
                )
                self.stack.append(None)
            if tag in _CELLS:
                self.words.append(" ")
            self.stack.extend(reversed(list(node.iter(include_text=True))))

    def _add(self, rows: list[list[str]]) -> None:
        """The cells of a table, those of a row as one."""
        for row in rows:
            self.rows += 1
            self.found += (
                ShownBlock(BlockKind.TABLE, min(column, MOST_COLUMNS), words, row=self.rows)
                for column, words in enumerate(row, 1)
            )

    def _flush(self) -> None:
        lines = (_SPACE.sub(" ", line).strip() for line in "".join(self.words).split("\v"))
        text = "\n".join(line for line in lines if line)
        self.words.clear()
        if text:
            self.found.append(ShownBlock(*self.context[-1], text))


def _cell(cell: LexborNode) -> str:
    """What a cell says, a line for each of its paragraphs and items."""
    lines = (f"- {one.text}" if one.kind is BlockKind.ITEM else one.text for one in _Walker().walk(cell))
    return "\n".join(lines)


def _context(tag: str, outer: tuple[BlockKind, int]) -> tuple[BlockKind, int]:
    if tag in _HEADINGS:
        return BlockKind.HEADING, _HEADINGS[tag]
    named = {"li": BlockKind.ITEM, "blockquote": BlockKind.QUOTE}.get(tag)
    if named:
        return named, 0
    if outer[0] is BlockKind.TABLE or (tag in _BOLD and outer[0] is BlockKind.HEADING):
        return outer
    kind = outer[0] if outer[0] is not BlockKind.HEADING else BlockKind.PARAGRAPH
    return kind, LINE if tag in _NAMING or tag in _BOLD or outer[1] == LINE else 0


def _column(cell: LexborNode) -> int:
    """The column of a cell, from 1 to `MOST_COLUMNS`."""
    column, before = 1, cell.prev
    for _ in range(2 * MOST_COLUMNS):
        if before is None or column == MOST_COLUMNS:
            break
        column += before.tag in _CELLS
        before = before.prev
    return column


def _is_alone(node: LexborNode) -> bool:
    """Whether the words of an element are all that its block says."""
    for _ in range(_WRAPPED):
        before, after = node.prev, node.next
        if _is_blank(before):
            before = before.prev
        if _is_blank(after):
            after = after.next
        if not all(beside is None or beside.tag in _PARTS for beside in (before, after)):
            return False
        if node.parent is None or node.parent.tag in _PARTS or node.parent.tag in _HEADINGS:
            return True
        node = node.parent
    return False


def _is_blank(node: LexborNode | None) -> TypeGuard[LexborNode]:
    return node is not None and node.tag == "-text" and not (node.text_content or "").strip()


def _code(node: LexborNode) -> str:
    """The text of code, each line on a line of its own, without the numbers some pages put before each."""
    parts = [] if node.css_first(_BREAKS) else [node.text()]
    for inner in node.traverse(include_text=True) if not parts else ():
        if inner.tag == "-text":
            parts.append(inner.text_content or "")
        elif inner.tag == "br" or (inner.tag in _LINES and inner.mem_id != node.mem_id and _inside_line(parts)):
            parts.append("\n")
    lines = tidied("".join(parts)).strip("\n").split("\n")
    numbers = [_NUMBERED.match(line) for line in lines[:3]]
    if len(lines) >= 3 and all(one and int(one[1]) == at for at, one in enumerate(numbers, 1)):
        counted = [(_NUMBERED.match(line), line) for line in lines]
        if all(one is None or int(one[1]) == at for at, (one, _) in enumerate(counted, 1)):
            lines = [line[one.end() :] if one else line for one, line in counted]
    return "\n".join(lines)


def _inside_line(parts: list[str]) -> bool:
    return bool(parts) and not parts[-1].endswith("\n")
