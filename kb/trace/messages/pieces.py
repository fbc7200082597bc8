"""The stretches of a paste that may be a program's own words: lines without their dress, quotations, what follows a colon."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import StrEnum

from kb.trace.messages.typed import IDENTIFIER, is_type
from kb.trace.messages.words import ANNOUNCES, is_human
from kb.trace.prefix import LOG_PREFIX


class Place(StrEnum):
    """Where in the paste a piece stands."""

    LINE = "line"
    """A line, without indentation, quotation marks, list marks and the prefix of a log."""
    QUOTED = "quoted"
    """Between quotation marks or back-ticks, within a sentence."""
    INTRODUCED = "introduced"
    """Behind a colon in a sentence that announces it."""
    FOREIGN = "foreign"
    """A run of Latin words in a Chinese sentence."""


class Level(StrEnum):
    """What the log's prefix says of its record."""

    ERROR = "error"
    WARNING = "warning"
    OTHER = "other"
    """Information, or finer."""
    UNNAMED = "unnamed"
    """A time, and no level."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of one line."""

    begin: int
    end: int
    place: Place
    level: Level | None = None
    """None where no log's prefix stands before it."""
    is_announced: bool = False
    """The line above ends as one that announces a program's words, or is a command."""
    is_alone: bool = False
    """The line is a paragraph of its own."""
    is_marked: bool = False
    """The line is quoted or stands in code."""
    is_foreign: bool = False
    """The text is Chinese, the line is not."""


LONGEST = 8_000
"""Characters of a line that are looked at."""
_DRESS = re.compile(
    r"(?:[ \t]|[>│┃|╷╵├╰└─*•·⨯✘✖×→❌▲#]{1,4}(?=[ \t])|[-+][ \t]|\d{1,3}[.)、][ \t]|#\d{1,4}[ \t]\d{1,6}\.\d{1,3}[ \t]|`{1,3}|[\"'“‘「『(\[]{1,2}(?=[A-Za-z\u4e00-\u9fff])(?![\w .-]{1,30}\]))*+"
)
_LEVEL = re.compile(
    r"(?<![A-Za-z])(?:(?P<error>ERROR|FATAL|SEVERE|CRITICAL|CRIT|ALERT|EMERG|EMERGENCY|PANIC|error|fatal|crit|alert|emerg|critical|severe|Error|Fatal|ERR|err|E|F)|(?P<warning>WARN|WARNING|warn|warning|Warn|Warning|W|WRN)"
    r"|(?P<other>TRACE|DEBUG|INFO|NOTICE|debug|info|notice|trace|Info|I|D|DBG|INF|Note))(?![A-Za-z])"
)
_DIGITS_OF_A_TIME = 6
_ONLY_A_LEVEL = re.compile(r"\s*[\[<(]?\w{3,10}[\])>]?[:!]?\s*")
"""``error: ``: how a tool begins an error, and no log's prefix."""
_QUOTES = re.compile(
    r"“(?P<a>[^“”\n]{3,2000})”|「(?P<b>[^「」\n]{3,2000})」|『(?P<c>[^『』\n]{3,2000})』|``?(?P<d>[^`\n]{3,2000})``?"
    r"|(?<![\w\"=:\\/])\"(?=\S)(?P<e>(?:[^\"\n]|\"(?![\s.,;:!?)，。；：！？）]|$)|(?<=\s)\")"
    r"{3,2000}+)(?<=\S)\"(?=[\s.,;:!?)，。；：！？）]|$)"
    r"|(?<![\w'=:\\/])'(?=\S)(?P<f>(?:[^'\n]|'(?![\s.,;:!?)，。；：！？）]|$)|(?<=\s)')"
    r"{3,2000}+)(?<=\S)'(?=[\s.,;:!?)，。；：！？）]|$)"
)
_COLON = re.compile(r"(?:[:：]|->|=>)[ \t]{0,4}(?=[\"'“`]?[A-Za-z\[(\u4e00-\u9fff])")
_MOST_COLONS = 4
_CHINESE = re.compile(r"[\u4e00-\u9fff]")
_LATIN = re.compile(r"[!-~](?:[ -~]|[‘’“”…–—](?=[ -~])){8,4000}+")
_COMMAND = re.compile(
    r"[ \t]{0,8}(?:\[[^\]\n]{1,60}\][#$]|[\w.@~:/-]{0,60}[$#❯➜%]|PS [A-Z]:[^>\n]{0,80}>|[A-Z]:\\[^>\n]{0,80}>|>{3}|sudo|\./[\w./-]{1,60}|(?:npm|pip3?|docker|kubectl|make|cmake|cargo|go|git|mvn|apt(?:-get)?|yum|python3?|node|java|helm|terraform|conda)(?= [a-z-]))[ \t]?\S"
)
_FENCE = re.compile(r"[ \t]{0,8}(?:```|~~~)")
_MARK = re.compile(r"[ \t]{0,8}(?:>|`|    \S|\t\S|[│|] )")


def pieces(text: str, given: str, lines: list[tuple[int, int]]) -> Iterator[Piece]:
    """The pieces of the lines (their offsets, in order), those of one line in its order.

    ``given`` is the text before marks of quotations were blanked; offsets are the same.
    """
    is_fenced, announced = False, False
    is_chinese = _CHINESE.search(text) is not None
    for number, (begin, end) in enumerate(lines):
        end = min(end, begin + LONGEST)
        line = text[begin:end]
        if not line.strip():
            continue
        if _FENCE.match(line):
            is_fenced = not is_fenced and not line.strip().endswith("```", 3)
            if not line.strip("`~ \t\n") or " " not in line.strip():
                continue
        above = lines[number - 1] if number else (0, 0)
        below = lines[number + 1] if number + 1 < len(lines) else (0, 0)
        is_alone = not text[slice(*above)].strip() and not text[slice(*below)].strip()
        is_marked = is_fenced or _MARK.match(given[begin:end]) is not None
        is_foreign = is_chinese and _CHINESE.search(line) is None
        for piece in _of_line(text, begin, end):
            yield replace(
                piece, is_announced=announced, is_alone=is_alone, is_marked=is_marked, is_foreign=is_foreign
            )
        announced = line.rstrip()[-1] in ":：" or ANNOUNCES.search(line[-40:]) is not None or is_command(line)


def _of_line(text: str, begin: int, end: int) -> Iterator[Piece]:
    start = begin + len(_DRESS.match(text[begin:end])[0])  # type: ignore[index]  # it matches nothing at least
    level = None
    behind, level = _behind_prefix(text, start, end)
    if behind > start:
        yield Piece(behind, end, Place.LINE, level)
    if level in (None, Level.OTHER):
        yield Piece(start, end, Place.LINE, level)
    for found in _QUOTES.finditer(text, begin, end):
        yield Piece(*found.span(found.lastgroup or 0), Place.QUOTED, level)
    for _, found in zip(range(_MOST_COLONS), _COLON.finditer(text, begin, end), strict=False):
        before = text[max(begin, found.start() - 80) : found.start()]
        if ANNOUNCES.search(before[-40:]) and is_human(before):
            yield Piece(found.end(), end, Place.INTRODUCED, level)
    if _CHINESE.search(text, start, end):
        for found in _LATIN.finditer(text, start, end):
            if " " in found[0].strip():
                yield Piece(*found.span(), Place.FOREIGN, level)


def _behind_prefix(text: str, start: int, end: int) -> tuple[int, Level | None]:
    """Where the words behind a log's prefix begin, and its level; a name of an exception belongs to the words."""
    prefix = LOG_PREFIX.match(text[start : min(end, start + 400)])
    if prefix is None:
        return start, None
    head = prefix[0]
    for found in IDENTIFIER.finditer(head):
        if is_type(found[0]):
            head = head[: found.start()]
            break
    level, is_timed = _level(head), sum(c.isdigit() for c in head) >= _DIGITS_OF_A_TIME
    if start + len(head) >= end or not (is_timed or (level is not None and not _ONLY_A_LEVEL.fullmatch(head))):
        return start, None
    return start + len(head), level or Level.UNNAMED


def _level(prefix: str) -> Level | None:
    found = _LEVEL.search(prefix)
    return Level(found.lastgroup) if found is not None and found.lastgroup else None


def is_command(line: str) -> bool:
    """Whether a line is a command that somebody typed."""
    return _COMMAND.match(line) is not None
