"""Secrets in tables of markup: HTML, AsciiDoc, MediaWiki, reStructuredText; a label beside them or a head above them names them.

Cells of a row may stand in lines of their own, so a table is read as cells and not, as in `columns`, as lines. It is looked for
where one begins: names of secrets are a thousand times as frequent.
"""

import re
from collections.abc import Iterable, Iterator
from itertools import chain, islice, pairwise

from kb.patterns import lazy
from kb.redact.columns import (
    MOST_ROWS,
    MOST_SAMPLED,
    MOST_UNLIKE,
    is_grammar,
    is_named,
    is_of_grammar,
    is_value,
    lists_names,
    named_among,
    rows,
    tokens_among,
    vague_among,
)
from kb.redact.names import ABROAD_ANCHORS
from kb.redact.values import IDENTIFIER, has_digit, is_no_name
from kb.redact.words import PLACEHOLDER, SecretKind

Cells = list[tuple[int, int]]
"""Where the contents of the cells of a row begin and end."""
TABLE = "table"
"""Name of the kinds."""
_MOST_CELLS, _LONGEST_ROW = 64, 8_000
"""Cells of a row, and characters of one that may name a secret: more than any table of accounts has."""
_LONGEST_NAME = 200
_NAMES = (
    *("pass", "pwd", "secret", "key", "token", "credential", "密", "口令", "金鑰", "令牌", "权杖", "權杖", "通行"),
    *ABROAD_ANCHORS,
)
"""What stands in a row that names a secret: to look for these is quicker than to read its cells."""
_OF_FIELDS = frozenset({"type", "description", "required", "default", "类型", "說明", "说明", "描述"})
_OF_NAMES = frozenset({"secret", "secrets", "credential", "credentials", "key", "keys"})
"""Heads below which names of secrets stand as often as secrets: ``db-credentials``"""
IN_HTML = lazy(r"<[tT][rR](?=[\s>])(?P<secret>)")
IN_BLOCK = lazy(r"\|===[ \t]{0,8}\r?\n(?:[ \t]{0,8}\r?\n)?(?!\|===)(?=[\d.+*a-z<>^]{0,8}\|)(?P<secret>)")
"""``|===`` of AsciiDoc"""
IN_WIKI = lazy(r"\{\|[^\r\n|]{0,400}+\r?\n(?P<secret>)")
"""``{| class="wikitable"``"""
IN_LIST = lazy(
    r"list-table::[^\r\n]{0,200}+\r?\n(?P<options>(?:[ \t]{0,12}(?::[^\r\n]{0,200}+)?\r?\n){0,12}?)(?=[ \t]{0,12}\* -)(?P<secret>)"
)
""".. list-table:: of reStructuredText"""
_TAG = lazy(r"<(?P<close>/)?(?P<name>t[rhd]|table)\b[^<>]{0,400}+>", re.IGNORECASE)
_TAGS = lazy(r"<[^<>]{0,200}+>")
_LEAD = lazy(r"""(?:\s{1,80}+|&nbsp;|<(?!secret>)[a-zA-Z][^<>]{0,200}+>|["'`*_+]|\|){0,12}+""")
_WORD = lazy(r"""[^\s<>"'`|]++""")
_TRAIL = lazy(r"""(?:\s{1,80}+|&nbsp;|</?\w{1,10}[^<>]{0,60}>|["'`*_+\\]){0,12}+""")
_REMARK = lazy(r"[(（][^()（）<>\r\n]{1,40}+[)）]\s{0,8}+")
"""``x (prod)``"""
_ATTRIBUTES = lazy(r"\[(?P<all>[^\[\]\r\n]{1,200}+)\][ \t]{0,8}\r?\n(?:\.[^\r\n]{1,100}\r?\n)?\Z")
_COLUMNS = lazy(r"""cols=(?:["']?(?P<times>\d{1,2})\*|["'](?P<each>[^"']{1,200}))""")
"""``[%header,cols=2*]`` or ``[cols="1,1",options="header"]`` above a table of AsciiDoc"""
_FURTHEST_ATTRIBUTES = 320
_ROWSPAN = lazy(r"""rowspan=["']?(?P<rows>\d{1,3})""", re.IGNORECASE)
_ATTRIBUTED = lazy(r"[ \t]{0,8}[A-Za-z-]{1,20}[ \t]{0,2}=[^|\[\]{}]{0,400}+\|")
"""``style="color:red" | `` before the words of a cell of MediaWiki"""
_EMPTY = (0, 0)
"""A cell that one above covers."""
_BLOCK, _WIKI, _LIST = "|===", "{|", "list-table::"
"""What begins a table of AsciiDoc (and ends it), of MediaWiki, of reStructuredText. No table is read beyond where another may begin, so none is read twice."""


def in_html(match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """The secrets of a row, and of the rows below if it is a head."""
    text, at = match.string, match.start()
    end = text.find("<", at + 3, at + _LONGEST_ROW)
    while end >= 0 and text[end + 1 : end + 4].lower() != "/tr" and text[end + 1 : end + 3].lower() != "tr":
        end = text.find("<", end + 1, at + _LONGEST_ROW)
    end = end if end >= 0 else min(at + _LONGEST_ROW, len(text))
    if not _may_name(text, at, end):
        return
    covered: dict[int, int] = {}
    heads = next(
        _rows_of_html(text, at, end, covered), []
    )  # no further than its end: the next row begins with a tag of its own
    is_head = bool(heads) and text[text.rfind("<", at, heads[-1][0]) + 2 : heads[-1][0]][:1] in {"h", "H"}
    beside, named = _of_head(text, heads)
    yield from beside  # and no more rows: each of them is looked at from its own tag
    if named:
        yield from _below(text, heads, named, _rows_of_html(text, end, len(text), covered), is_certain=is_head)


def in_block(match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """The secrets of a table of AsciiDoc. Its head is what stands above its first empty line, or else the columns that are announced, or its first line."""
    text, begin = match.string, match.end()
    end = text.find(_BLOCK, begin)
    end = end if end >= 0 else len(text)
    if not _may_name(text, begin, end):
        return
    below = _blank_line(text, begin, min(begin + _LONGEST_ROW, end))
    above = _ATTRIBUTES.search(text[max(match.start() - _FURTHEST_ATTRIBUTES, 0) : match.start()])
    announced = above["all"] if above else ""
    is_certain = below >= 0 or "header" in announced
    if below < 0 and (width := _width(announced)):
        below = max((last for _, last in islice(_cells_of_block(text, begin, end), width)), default=-1)
    elif below < 0:
        below = text.find("\n", begin, end)
    heads = list(_cells_of_block(text, begin, below if below >= 0 else end))
    if len(heads) <= _MOST_CELLS and below >= 0:
        table = _in_rows(_cells_of_block(text, below, end), len(heads))
        yield from _secrets(text, heads, table, is_certain=is_certain)


def _width(announced: str) -> int:
    """How many columns the attributes of a table announce; 0 where they do not say."""
    columns = _COLUMNS.search(announced)
    if columns is None:
        return 0
    return int(columns["times"]) if columns["times"] else columns["each"].count(",") + 1


def in_wiki(match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """The secrets of a table of MediaWiki."""
    text = match.string
    table = _rows_of_wiki(text, match.end())
    heads = next(table, [])
    yield from _secrets(text, heads, table, is_certain=bool(heads) and _is_head_of_wiki(text, heads[-1][0]))


def _is_head_of_wiki(text: str, at: int) -> bool:
    return text.startswith("!", text.rfind("\n", 0, at) + 1)


def in_list(match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """The secrets of a table that is written as a list."""
    table = _rows_of_list(match.string, match.end())
    yield from _secrets(match.string, next(table, []), table, is_certain="header-rows:" in match["options"])


def _may_name(text: str, begin: int, end: int) -> bool:
    part = text[begin:end].lower()
    return any(name in part for name in _NAMES)


def _secrets(text: str, heads: Cells, table: Iterable[Cells], *, is_certain: bool) -> Iterator[tuple[int, int]]:
    """What stands beside labels, and in the columns of heads that name secrets."""
    beside, named = _of_head(text, heads)
    if named:
        yield from _below(text, heads, named, table, is_certain=is_certain)
        return
    yield from beside
    for cells in table:
        yield from _beside(text, cells)


def _of_head(text: str, heads: Cells) -> tuple[list[tuple[int, int]], list[int]]:
    """The values of the labels in a row; where it has none, the numbers of its cells that are heads of secrets."""
    beside = list(_beside(text, heads))
    names = [_name_of(text, *cell) for cell in heads]
    named = sorted(named_among(names))
    is_hidden = any(_is_hidden(text, *heads[number + 1]) for number in named if number + 1 < len(heads))
    return beside, [] if beside or is_hidden or lists_names(names) else named


def _below(
    text: str, heads: Cells, named: list[int], table: Iterable[Cells], *, is_certain: bool
) -> Iterator[tuple[int, int]]:
    names = [_name_of(text, *cell).lower() for cell in heads]
    if not is_certain and not _OF_FIELDS.isdisjoint(names):
        return  # what fields there are, and not what they hold
    without = unlike = 0
    tokens, vague, table = tokens_among(names, named), vague_among(names, named), iter(table)
    sample = list(islice(table, MOST_SAMPLED)) if tokens else []
    alike = [[_name_of(text, *cell) for cell in cells] for cells in sample if len(cells) == len(heads)]
    tokens = {number for number in tokens if is_grammar(row[number] for row in alike)}
    for cells in chain(sample, table):
        if len(cells) != len(heads):
            unlike += 1
            if unlike > MOST_UNLIKE:
                return
            continue
        found = [
            span
            for number in named
            if (span := _value_of(text, *cells[number], is_certain=is_certain and names[number] not in _OF_NAMES))
            and not (number in tokens and is_of_grammar(text[slice(*span)]))
            and not (number in vague and not is_no_name(text[slice(*span)]))
        ]
        if not found and any(is_named(_name_of(text, *cell)) for cell in cells if cell is not _EMPTY):
            return  # a head of its own, so that no row is read twice
        yield from found
        without, unlike = 0 if found else without + 1, 0
        if without == MOST_ROWS:
            return


def _beside(text: str, cells: Cells) -> Iterator[tuple[int, int]]:
    """The values in the cells behind labels."""
    for label, value in pairwise(cells):
        if (span := _value_of(text, *value, is_certain=False)) and is_named(_name_of(text, *label)):
            yield span


def _name_of(text: str, begin: int, end: int) -> str:
    """What a cell of a head reads; nothing where it is too long for a name."""
    return _TAGS.sub("", text[begin:end]).strip(" \t\r\n:：") if end - begin <= _LONGEST_NAME else ""


def _value_of(text: str, begin: int, end: int, *, is_certain: bool) -> tuple[int, int] | None:
    """Where the only word of a cell stands that is a value; below a head that is marked as one, it may be any word."""
    word = _WORD.match(text, _lead_ends(text, begin, end), end)
    if word is None:
        return None
    rest = _TRAIL.match(text, word.end(), end)
    rest_ends = rest.end() if rest else word.end()
    if rest_ends < end and (remark := _REMARK.match(text, rest_ends, end)):
        rest_ends, is_certain = remark.end(), False
    if rest_ends < end or not is_value(word[0], is_certain=is_certain):
        return None
    if not is_certain and (not any(map(str.isalpha, word[0])) or not has_digit(word[0]) or IDENTIFIER.match(word[0])):
        return None
    return word.span()


def _is_hidden(text: str, begin: int, end: int) -> bool:
    """Whether the value of a cell was taken away."""
    return text.startswith(PLACEHOLDER, _lead_ends(text, begin, end))


def _lead_ends(text: str, begin: int, end: int) -> int:
    lead = _LEAD.match(text, begin, end)
    return lead.end() if lead else begin


def _rows_of_html(text: str, at: int, end: int, covered: dict[int, int]) -> Iterator[Cells]:
    """The rows from a tag on, to the end of their table, but no further than ``end``; ``covered`` says which columns cells above cover, and for how many rows."""
    cells: Cells = []
    heights: list[int] = []
    opened = -1
    for tag in _TAG.finditer(text, at, end):
        if opened >= 0:
            cells.append((opened, tag.start()))
        if len(cells) > _MOST_CELLS:
            return
        name = tag["name"].lower()
        opened = tag.end() if name in {"th", "td"} and not tag["close"] else -1
        if opened >= 0:
            span = _ROWSPAN.search(tag[0])
            heights.append(int(span["rows"]) if span else 1)
        if name in {"tr", "table"}:
            if cells:
                yield _with_covered(cells, heights, covered)
                cells, heights = [], []
            if name == "table":
                return
    if opened >= 0:
        cells.append(
            (opened, end if end < len(text) else min(end, opened + _LONGEST_NAME))
        )  # a paste may end within a cell
    if cells:
        yield _with_covered(cells, heights, covered)


def _with_covered(cells: Cells, heights: list[int], covered: dict[int, int]) -> Cells:
    """A row with empty cells where taller ones above cover it; afterwards ``covered`` tells of the next row."""
    if not covered and max(heights, default=1) < 2:
        return cells
    row: Cells = []
    own = zip(cells, heights, strict=False)
    while len(row) <= _MOST_CELLS:
        column = len(row)
        if column in covered:
            row.append(_EMPTY)
            covered[column] -= 1
        elif (cell := next(own, None)) is not None:
            row.append(cell[0])
            covered[column] = cell[1] - 1
        else:
            break
        if covered[column] < 1:
            del covered[column]
    return row


def _rows_of_wiki(text: str, at: int) -> Iterator[Cells]:
    """The rows from a line on, to the end of their table."""
    cells: Cells = []
    for begin, line in rows(text, at):
        if line.count("||") + line.count("!!") + len(cells) > _MOST_CELLS or _WIKI in line:
            break
        if line.startswith(("|-", "|}")):
            if cells:
                yield cells
                cells = []
            if not line.startswith("|-"):
                return
        elif line[:1] in {"!", "|"} and not line.startswith("|+"):
            place = begin + 1
            for part in line[1:].replace("!!", "||").split("||"):
                before = _ATTRIBUTED.match(part)
                cells.append((place + (before.end() if before else 0), place + len(part)))
                place += len(part) + 2
    if cells:
        yield cells


def _rows_of_list(text: str, at: int) -> Iterator[Cells]:
    """The rows of a table whose cells are items of lists, ``* - a`` and ``  - b``, to the first line that is none."""
    cells: Cells = []
    for begin, line in rows(text, at):
        item = line[:_LONGEST_NAME].strip()
        if item.startswith("* -") and cells:
            yield cells
            cells = []
        if _LIST in item:
            break
        if item.startswith(("* -", "- ")) and len(cells) < _MOST_CELLS:
            cells.append((begin + line.index("-") + 1, begin + len(line)))
        elif item:
            break
    if cells:
        yield cells


def _cells_of_block(text: str, begin: int, end: int) -> Iterator[tuple[int, int]]:
    """What stands behind each mark, up to the next."""
    at = text.find("|", begin, end)
    while at >= 0:
        after = text.find("|", at + 1, end)
        while after > 0 and text[after - 1] == "\\":
            after = text.find("|", after + 1, end)
        yield at + 1, after if after >= 0 else end
        at = after


def _in_rows(cells: Iterable[tuple[int, int]], width: int) -> Iterator[Cells]:
    row: Cells = []
    for cell in cells:
        row.append(cell)
        if len(row) == width:
            yield row
            row = []


def _blank_line(text: str, begin: int, end: int) -> int:
    """Where the first empty line stands; -1 without one."""
    places = [at for mark in ("\n\n", "\n\r\n") if (at := text.find(mark, begin, end)) >= 0]
    return min(places, default=-1)


TABLES: tuple[SecretKind, ...] = (
    SecretKind(TABLE, ("<tr",), IN_HTML, spans=in_html),
    SecretKind(TABLE, (_BLOCK,), IN_BLOCK, spans=in_block),
    SecretKind(TABLE, (_WIKI,), IN_WIKI, spans=in_wiki),
    SecretKind(TABLE, (_LIST,), IN_LIST, spans=in_list),
)
"""The kinds of tables."""
