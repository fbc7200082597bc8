"""PDF → blocks: pypdf gives the runs of text, here they become lines, and lines headings, paragraphs and code."""

import math
import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from io import BytesIO
from itertools import groupby, pairwise
from typing import Any

from kb.article.blocks import BlockKind, Document
from kb.article.decode import tidied
from kb.article.formats.linewise import ITEM, MACHINE
from kb.article.formats.shown import ShownBlock, shown
from kb.patterns import lazy

_MOST_PAGES = 400
_MOST_OPERATIONS = 600_000
"""Drawing operations of all pages together. A page of text has a few thousand."""
_LIMITS: Mapping[str, Any] = {
    "zlib_maximum_output_length": 16_000_000,
    "lzw_maximum_output_length": 16_000_000,
    "run_length_maximum_output_length": 16_000_000,
    "array_based_stream_maximum_output_length": 16_000_000,
    "stream_decoding_work_maximum_length": 64_000_000,
    "stream_parsing_work_maximum_count": 400_000,
    "xform_maximum_invocations_per_extraction": 200,
}
"""What pypdf may spend on one stream: bytes, and elements of a content stream."""
_MONOSPACED = lazy(r"mono|courier|consol|menlo|code|typewriter|fixed|cmtt", re.IGNORECASE)
_COMPATIBLE = lazy("[\u2f00-\u2fdf\ufb00-\ufb06]+")
"""Radicals and ligatures, by which some writers encode the characters they look like."""
_RADICALS = str.maketrans(
    "⼾⺠⺟⺩⻁⻄⻅⻆⻉⻋⻑⻓⻔⻘⻙⻚⻛⻜⻝⻟⻢⻣⻤⻥⻦⻨⻩⻬⻮⻰⻳",
    "户民母王虎西见角贝车長长门青韦页风飞食饣马骨鬼鱼鸟麦黄齐齿龙龟",
)
"""Those whose characters Unicode does not name, or names in their traditional form."""
_DIGITS = lazy(r"\d+")
_PAGE_NUMBER = lazy(r"(?:page |第 ?)?[-–—]?\s?\d{1,4}\s?[-–—]?(?: ?(?:of|/|页|页共) ?\d{0,4} ?页?)?", re.IGNORECASE)
_PRINTED = lazy(
    r"(?:https?|file)://\S+ \d{1,4}/\d{1,4}"
    r"|\d{1,4}[./-]\d{1,2}[./-]\d{1,4},? \d{1,2}:\d\d(?:\s[AP]M)? (?P<title>.+)"
)
"""What a browser prints on each page: the address and the number of the page, the time and the title."""
_DAY = lazy(r"D:(\d{4})(\d\d)(\d\d)")
_HAN = lazy(r"[\u3000-\u303f\u3400-\u9fff\uff00-\uffef]")
_BULLETS = "•●▪■◦○·–-*"
_STOP = "。！？.!?:：;；"


class _TooMuchError(Exception):
    """The pages draw more than anybody would write."""


@dataclass(slots=True)
class _Line:
    """A line of a page."""

    page: int
    y: float
    size: float
    font: str
    text: str

    @property
    def mono(self) -> bool:
        """Whether all its letters are equally wide."""
        return _MONOSPACED.search(self.font) is not None


@dataclass(slots=True)
class _Pages:
    """Collects what pypdf reports of page after page."""

    lines: list[_Line] = field(default_factory=list)
    page: int = 0
    operations: int = 0
    _parts: list[str] = field(default_factory=list)
    _style: tuple[float, float, str] | None = None
    _bullet: str = ""
    """The mark of an item that was drawn apart from its words."""

    def operation(self, *_: object) -> None:
        """One drawing operation is about to be done."""
        self.operations += 1
        if self.operations > _MOST_OPERATIONS:
            raise _TooMuchError

    def text(self, text: str, cm: Sequence[float], tm: Sequence[float], font: Any, size: float) -> None:
        """A run of text, with the matrices of page and text (PDF 32000-1, 9.4.4) and its font."""
        head, *rest = text.split("\n")
        self._add(head, cm, tm, font, size)
        for line in rest:
            self.end_line()
            self._add(line, cm, tm, font, size)

    def _add(self, text: str, cm: Sequence[float], tm: Sequence[float], font: Any, size: float) -> None:
        if self._style is None and text.strip():
            scale = math.hypot(tm[2], tm[3]) * math.hypot(cm[2], cm[3])
            y = tm[4] * cm[1] + tm[5] * cm[3] + cm[5]
            self._style = (y, round(abs(size * scale), 1), str((font or {}).get("/BaseFont") or ""))
        self._parts.append(text)

    def end_line(self) -> None:
        """What was reported since the last line is a line."""
        drawn = "".join(self._parts).rstrip()
        drawn = f"{drawn[:-1]}-" if drawn.endswith("\xad") else drawn
        text = tidied(drawn).translate(_RADICALS)
        text = _COMPATIBLE.sub(lambda one: unicodedata.normalize("NFKC", one[0]), text)
        text = text.strip()
        if self._style is not None and text:
            if text in _BULLETS:
                self._bullet = "• "
            else:
                self.lines.append(_Line(self.page, *self._style, self._bullet + text))
                self._bullet = ""
        self._parts.clear()
        self._style = None


def pdf(data: bytes) -> tuple[Document, tuple[str, ...]]:
    """The document and remarks on it. Raises whatever pypdf raises of a broken file; ImportError without pypdf."""
    from pypdf import PdfReader, apply_configuration  # noqa: PLC0415  an extra

    pages = _Pages()
    notes: list[str] = []
    with apply_configuration(**_LIMITS):
        reader = PdfReader(BytesIO(data))
        if reader.is_encrypted and not reader.decrypt(""):
            return Document("", ()), ("the PDF asks for a password",)
        count = len(reader.pages)
        for number in range(min(count, _MOST_PAGES)):
            pages.page = number
            try:
                reader.pages[number].extract_text(visitor_text=pages.text, visitor_operand_before=pages.operation)
            except _TooMuchError:
                notes.append(f"the PDF was read up to page {number}: it draws more than a text would")
                break
            finally:
                pages.end_line()
        if count > _MOST_PAGES:
            notes.append(f"{_MOST_PAGES} of {count} pages were read")
        stated = _stated(reader.metadata)
    title = str(stated.pop("title", ""))
    lines = _without_margins(pages.lines, title)
    if not lines:
        return Document("", ()), (
            *notes,
            "the PDF shows no text: its pages are pictures, which need text recognition first",
        )
    document = shown(_pieces(lines), None, stated)
    repeated = "".join(title.split()) in "".join(document.text[:2_000].split())
    return Document(document.text, document.blocks, title if title and repeated else None, document.meta), tuple(notes)


def _stated(metadata: Any) -> dict[str, object]:
    """Title and day, as the PDF states them."""
    fields = metadata or {}
    day = _DAY.match(str(fields.get("/CreationDate") or ""))
    found: dict[str, object] = {"title": tidied(str(fields.get("/Title") or "")).strip()}
    return found | ({"date": "-".join(day.groups())} if day else {})


def _without_margins(lines: list[_Line], title: str) -> list[_Line]:
    """Without page numbers, what a browser prints, and what stands at the top or bottom of at least a third of the pages."""
    pages = [list(group) for _, group in groupby(lines, key=lambda line: line.page)]
    edges = [sorted(page, key=lambda line: line.y) for page in pages]
    outer = {id(line) for page in edges for line in (*page[:2], *page[-2:])}
    on = Counter(key for page in pages for key in {_DIGITS.sub("#", one.text) for one in page if id(one) in outer})
    often = max(2, len(pages) / 3)

    def is_margin(text: str) -> bool:
        printed = _PRINTED.fullmatch(text)
        if printed is not None and printed["title"] in (None, title):
            return True
        return on[_DIGITS.sub("#", text)] >= often or _PAGE_NUMBER.fullmatch(text) is not None

    return [line for line in lines if id(line) not in outer or not is_margin(line.text)]


@dataclass(frozen=True, slots=True)
class _Layout:
    """How a document is set."""

    body: float
    """The size of most letters of words."""
    heads: list[float]
    """The larger sizes, largest first."""
    longest: Mapping[float, int]
    """Letters of the longest line of each size."""
    spacing: float
    """The usual distance of two lines, in the size of the letters."""
    down: int
    """1 where a larger y is further down the page, -1 where it is further up."""


def _layout(lines: list[_Line]) -> _Layout:
    """How the words are set: code is set smaller, and a long trace may have more letters than all words."""
    words = [line for line in lines if not (line.mono or _is_machine(line))] or lines
    letters: Counter[float] = Counter()
    longest: dict[float, int] = {}
    gaps: Counter[float] = Counter()
    for line in words:
        letters[line.size] += len(line.text)
        longest[line.size] = max(longest.get(line.size, 0), len(line.text))
    for a, b in pairwise(words):
        if a.page == b.page and a.size == b.size and a.size and a.y != b.y:
            gaps[round((b.y - a.y) / a.size, 1)] += 1
    body = letters.most_common(1)[0][0]
    heads = sorted((size for size in letters if size >= 1.12 * body), reverse=True)[:5]
    gap, count = gaps.most_common(1)[0] if gaps else (-1.2, 0)
    return _Layout(body, heads, longest, abs(gap) if count >= 3 else 1.2, 1 if gap > 0 else -1)


def _pieces(lines: list[_Line]) -> Iterator[ShownBlock]:
    layout = _layout(lines)
    held: list[_Line] = []
    for line in lines:
        if held and not _goes_on(held[-1], line, layout):
            yield _piece(held, layout)
            held = []
        held.append(line)
    yield _piece(held, layout)


def _goes_on(before: _Line, line: _Line, layout: _Layout) -> bool:
    """Whether a line belongs to the same heading, paragraph or code as the one before."""
    if before.mono or line.mono or _is_machine(before) or _is_machine(line):
        return (before.mono and line.mono) or (_is_machine(before) and _is_machine(line))
    if abs(before.size - line.size) > 0.5 or _is_bold(before) != _is_bold(line) or ITEM.match(line.text):
        return False
    ended = before.text[-1:] in _STOP
    longest = layout.longest[line.size]
    gap = (line.y - before.y) / (line.size or 1) * layout.down
    if before.page != line.page or gap < -2:  # the next page, or the next column
        return not ended and len(before.text) * 2 >= longest
    return abs(gap) <= 1.25 * layout.spacing and not (ended and len(before.text) * 4 < longest * 3)


def _is_machine(line: _Line) -> bool:
    return (MACHINE.match(line.text) is not None or line.text.startswith(("at ", "... "))) and not _HAN.search(
        line.text
    )


def _is_bold(line: _Line) -> bool:
    return "bold" in line.font.lower()


def _piece(lines: list[_Line], layout: _Layout) -> ShownBlock:
    first = lines[0]
    mono = all(line.mono for line in lines)
    if mono or (len(lines) > 1 and all(map(_is_machine, lines))):
        return ShownBlock(BlockKind.CODE, 0, "\n".join(line.text for line in lines), guessed=not mono)
    text = _joined(line.text for line in lines)
    short = len(text) <= 200
    if short and first.size in layout.heads:
        return ShownBlock(BlockKind.HEADING, layout.heads.index(first.size) + 1, text)
    if short and len(lines) == 1 and _is_bold(first) and text[-1:] not in "。.;；,，" and first.size >= layout.body:
        return ShownBlock(BlockKind.HEADING, len(layout.heads) + 1, text)
    item = ITEM.match(text)
    return ShownBlock(BlockKind.ITEM, 0, text[item.end() :]) if item else ShownBlock(BlockKind.PARAGRAPH, 0, text)


def _joined(lines: Iterable[str]) -> str:
    """Lines as one text: words that were divided are whole again, Chinese goes on without a blank."""
    text = ""
    for line in lines:
        if not text:
            text = line
        elif text.endswith("-") and text[-2:-1].isalpha() and line[:1].islower():
            text = text[:-1] + line
        elif _HAN.match(text[-1]) or _HAN.match(line[:1]):
            text += line
        else:
            text += f" {line}"
    return text
