"""Secrets in tables of markup: HTML, AsciiDoc, MediaWiki; a cell of the head says which column holds them.

Cells of a row may stand in lines of their own, so a table is read as cells and not, as in `columns`, as lines. What stands beside
its label in one row is found by others: `carriers.ELEMENT`, `labels.LABELLED`.
"""

import re
from collections.abc import Iterable, Iterator

from kb.patterns import lazy
from kb.redact.columns import (
    MOST_ROWS,
    MOST_UNLIKE,
    is_named,
    is_token,
    is_value,
    lists_names,
    no_value_of_grammar,
    rows,
)
from kb.redact.names import KEY, SUFFIX
from kb.redact.values import IDENTIFIER, has_digit
from kb.redact.words import PLACEHOLDER, SecretKind

Cells = list[tuple[int, int]]
"""Where the contents of the cells of a row begin and end."""
_WIDEST_HEAD, _MOST_CELLS = 2_000, 64
"""Characters from the beginning of a row to a name in its head, and cells of a row: more than any table of accounts has."""
_LONGEST_ROW = 8_000
"""Characters of a row; prose or a whole page in a cell ends the table."""
_LONGEST_NAME = 200
_DRESSED = r"""["'`*_]{0,6}[ \t]{0,8}(?:[（(][^()（）<>\r\n]{1,24}[)）])?[:：]?"""
IN_HTML = lazy(rf"(?i:(?P<key>{KEY}){SUFFIX}){_DRESSED}(?:</\w{{1,10}}>){{0,4}}\s{{0,20}}</[tT][hHdD]>(?P<secret>)")
IN_LINES = lazy(rf"(?i:(?P<key>{KEY}){SUFFIX}){_DRESSED}[ \t]{{0,40}}(?P<secret>)(?=\||!!|\r?\n)")
_TAG = lazy(r"<(?P<close>/)?(?P<name>t[rhd]|table)\b[^<>]{0,400}+>", re.IGNORECASE)
_TAGS = lazy(r"<[^<>]{0,200}+>")
_LEAD = lazy(r"""(?:\s{1,80}+|&nbsp;|<(?!secret>)[a-zA-Z][^<>]{0,200}+>|["'`*_+]|\|){0,12}+""")
_WORD = lazy(r"""[^\s<>"'`|]++""")
_TRAIL = lazy(r"""(?:\s{1,80}+|&nbsp;|</?\w{1,10}[^<>]{0,60}>|["'`*_+\\]){0,12}+""")
_BLOCK, _LONGEST_BLOCK = "\n|===", 200_000
"""What is around a table of AsciiDoc, and characters in which its end is looked for."""


def in_html(match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """The cells below the heads of this row that name secrets."""
    text = match.string
    low = max(match.start() - _WIDEST_HEAD, 0)
    begin = text[low : match.start()].lower().rfind("<tr")
    if begin < 0:
        return
    table = _rows_of_html(text, low + begin)
    is_head = text[match.end() - 2 : match.end() - 1] in "hH"
    yield from _below(match, next(table, []), table, is_certain=is_head)


def in_lines(match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """The same of a table of AsciiDoc or MediaWiki, which are told by what begins the line and the table."""
    text, at = match.string, match.start()
    line = text.rfind("\n", max(at - _WIDEST_HEAD, 0), at) + 1
    mark = text[line : line + 1]
    if text[line:at].strip() in {"-", "* -"}:
        yield from _in_list(match)
    elif mark == "!":
        table = _rows_of_wiki(text, _row_of_wiki_begins(text, line))
        yield from _below(match, next(table, []), table, is_certain=True)
    elif mark == "|":
        begin = f"\n{text[max(line - _WIDEST_HEAD, 0) : line]}".rfind(_BLOCK)
        if begin < 0:
            return
        begin += max(line - _WIDEST_HEAD, 0)
        begin = text.find("\n", begin + 1) + 1
        if _blank_line(text, begin, line) < 0:
            yield from _in_block(match, begin)


def _in_list(match: re.Match[str]) -> Iterator[tuple[int, int]]:
    """The cells below the head of a table of reStructuredText that is written as a list."""
    text, low = match.string, max(match.start() - _WIDEST_HEAD, 0)
    directive = text.rfind("list-table::", low, match.start())
    begin = text.rfind("* -", low, match.start())
    if 0 <= directive < begin:
        table = _rows_of_list(text, begin)
        is_certain = "header-rows:" in text[directive:begin]
        yield from _below(match, next(table, []), table, is_certain=is_certain)


def _in_block(match: re.Match[str], begin: int) -> Iterator[tuple[int, int]]:
    """The cells below the head of a block of AsciiDoc: what stands above its first empty line, or else its first line."""
    text = match.string
    end = text.find(_BLOCK, match.end(), match.end() + _LONGEST_BLOCK)
    end = end if end >= 0 else min(len(text), match.end() + _LONGEST_BLOCK)
    below = _blank_line(text, match.end(), min(match.end() + _WIDEST_HEAD, end))
    is_certain = below >= 0
    if not is_certain:
        below = text.find("\n", match.end(), end)
    if below < 0:
        return
    heads = list(_cells_of_block(text, begin, below))
    yield from _below(match, heads, _in_rows(_cells_of_block(text, below, end), len(heads)), is_certain=is_certain)


def _below(
    match: re.Match[str], heads: Cells, table: Iterable[Cells], *, is_certain: bool
) -> Iterator[tuple[int, int]]:
    """What stands in the columns of the heads that name secrets; of one head, the first, for the others are read with it."""
    text = match.string
    names = [_name_of(text, *cell) for cell in heads]
    named = [number for number, name in enumerate(names) if is_named(name)]
    if not named or not heads[named[0]][0] <= match.start() < heads[named[0]][1] or lists_names(names):
        return
    without = unlike = 0
    beside = [
        span for number in named if (span := _value_of(text, *heads[min(number + 1, len(heads) - 1)], is_certain=False))
    ]
    if beside or any(_is_hidden(text, *heads[number + 1]) for number in named if number + 1 < len(heads)):
        yield from beside  # a label and its value in one row
        return
    for cells in table:
        if len(cells) != len(heads):
            unlike += 1
            if unlike > MOST_UNLIKE:
                return
            continue
        found = [
            span
            for number in named
            if (span := _value_of(text, *cells[number], is_certain=is_certain))
            and not (is_token(names[number]) and no_value_of_grammar(text[slice(*span)]))
        ]
        if not found and any(is_named(_name_of(text, *cell)) for cell in cells):
            return  # a head of its own, so that no row is read twice
        yield from found
        without, unlike = 0 if found else without + 1, 0
        if without == MOST_ROWS:
            return


def _name_of(text: str, begin: int, end: int) -> str:
    """What a cell of a head reads; nothing where it is too long for a name."""
    return _TAGS.sub("", text[begin:end]).strip(" \t\r\n:：") if end - begin <= _LONGEST_NAME else ""


def _value_of(text: str, begin: int, end: int, *, is_certain: bool) -> tuple[int, int] | None:
    """Where the only word of a cell stands that is a value; below a head that is marked as one, it may be any word."""
    word = _WORD.match(text, _lead_ends(text, begin, end), end)
    if word is None:
        return None
    rest = _TRAIL.match(text, word.end(), end)
    if (rest.end() if rest else word.end()) < end or not is_value(word[0], is_certain=is_certain):
        return None
    if not is_certain and (not has_digit(word[0]) or IDENTIFIER.match(word[0])):
        return None
    return word.span()


def _is_hidden(text: str, begin: int, end: int) -> bool:
    """Whether the value of a cell was taken away."""
    return text.startswith(PLACEHOLDER, _lead_ends(text, begin, end))


def _lead_ends(text: str, begin: int, end: int) -> int:
    lead = _LEAD.match(text, begin, end)
    return lead.end() if lead else begin


def _rows_of_html(text: str, at: int) -> Iterator[Cells]:
    """The rows from the tag of one on, to the end of their table."""
    cells: Cells = []
    opened, row = -1, at
    for tag in _TAG.finditer(text, at):
        if opened >= 0:
            cells.append((opened, tag.start()))
        if tag.start() - row > _LONGEST_ROW or len(cells) > _MOST_CELLS:
            return
        name = tag["name"].lower()
        opened = tag.end() if name in {"th", "td"} and not tag["close"] else -1
        if name in {"tr", "table"}:
            row = tag.start()
            if cells:
                yield cells
                cells = []
            if name == "table":
                return
    if opened >= 0:
        cells.append((opened, min(len(text), opened + _LONGEST_NAME)))  # a paste that ends within a cell
    if cells:
        yield cells


def _rows_of_wiki(text: str, at: int) -> Iterator[Cells]:
    """The rows from a line on, to the end of their table."""
    cells: Cells = []
    for begin, line in rows(text, at):
        if line.startswith(("|-", "|}", "{|")):
            if cells:
                yield cells
                cells = []
            if not line.startswith("|-"):
                return
        elif line[:1] in {"!", "|"}:
            if len(line) > _LONGEST_ROW or len(cells) > _MOST_CELLS:
                return
            place = begin + 1
            for part in line[1:].replace("!!", "||").split("||"):
                cells.append((place, place + len(part)))
                place += len(part) + 2
        elif not cells:
            return
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
        if item.startswith(("* -", "- ")) and len(cells) < _MOST_CELLS:
            cells.append((begin + line.index("-") + 1, begin + len(line)))
        elif item:
            break
    if cells:
        yield cells


def _row_of_wiki_begins(text: str, line: int) -> int:
    """The first line of a row of heads, of which each may have a line."""
    low = max(line - _WIDEST_HEAD, 0)
    while line > low:
        above = text.rfind("\n", low, line - 1) + 1
        if above <= low or text[above : above + 1] != "!":
            break
        line = above
    return line


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


def tables(anchors: tuple[str, ...]) -> tuple[SecretKind, ...]:
    """The kinds of tables, of which heads stand at the anchors of names that hold secrets."""
    return (
        SecretKind("column", anchors, IN_HTML, spans=in_html, follows="\"'`*_ \t:：(（<"),
        SecretKind("column", anchors, IN_LINES, spans=in_lines, follows="\"'`*_ \t:：(（|!\r\n"),
    )
