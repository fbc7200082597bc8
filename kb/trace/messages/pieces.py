"""The stretches of a paste that may be a program's own words: lines without their prefix, quotations, what follows a colon."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice

from kb.patterns import lazy
from kb.trace.finding.needles import may_be_known_by_words
from kb.trace.lines import LOG_PREFIX, holds_time
from kb.trace.messages.forms import may_hold, numbers_that_may_show
from kb.trace.messages.introduced import MOST, introduced_in
from kb.trace.messages.text_lines import TextLine
from kb.trace.messages.typed import IDENTIFIER, is_type, may_name
from kb.trace.messages.words import announces, end_of_words, is_continued, is_personal


class PasteSpan(StrEnum):
    """Where in the paste a piece is."""

    LINE = "line"
    """A line, without indentation, quotation marks, list marks and the prefix of a log."""
    QUOTED = "quoted"
    """Between quotation marks or back-ticks, within a sentence."""
    INTRODUCED = "introduced"
    """Behind a colon in a sentence that announces it."""
    FOREIGN = "foreign"
    """A run of Latin words in a Chinese sentence."""


class RecordLevel(StrEnum):
    """What the log's prefix says of its record."""

    ERROR = "error"
    WARNING = "warning"
    OTHER = "other"
    """Information, or finer."""
    UNNAMED = "unnamed"
    """A time, and no level."""


@dataclass(frozen=True, slots=True)
class LinePiece:
    """A stretch of one line."""

    number: int
    """The line's, counted in the lines that are looked at."""
    begin: int
    end: int
    place: PasteSpan
    level: RecordLevel | None = None
    """None where no log's prefix is before it."""
    is_announced: bool = False
    """The line above ends as one that announces a program's words, or is a command."""
    is_alone: bool = False
    """The line is a paragraph apart."""
    is_first: bool = False
    """The line begins a paragraph."""
    is_continued: bool = False
    """The line goes on with the sentence of the line above."""
    is_marked: bool = False
    """The line is quoted or is in code."""
    introduces: bool = False
    """The line begins with somebody's words and goes on with what may be a program's: those are a piece of their own."""
    is_foreign: bool = False
    """The text is Chinese, the line is not."""
    is_called: bool = False
    """The words before the quotation announce it: ``fails with `x` ``."""
    is_fenced: bool = False
    """The line is in a block of code."""
    is_listed: bool = False
    """The line is an item of a list."""
    is_bold: bool = False
    """The quotation is emphasis of Markdown."""
    is_wide: bool = False
    """The quotation has the marks of Chinese (“”, 「」, 『』, 【】), and who quotes it asks for help."""


_MOST_LOOKED_AT = 100
"""Lines of a text that are all looked at; of a log only those that tell a failure, and what they announce."""
_CELLS = 3  # tabs of a line that is a row, and blanks of its last cell where that is a sentence
# e.g. notice
_LEVEL = lazy(
    r"(?<![A-Za-z])(?:(?P<error>ERROR|FATAL|SEVERE|CRITICAL|CRIT|ALERT|EMERG|EMERGENCY|PANIC|error|fatal|crit|alert|emerg|critical|severe|Error|Fatal|ERR|err|E|F)|(?P<warning>WARN|WARNING|warn|warning|Warn|Warning|W|WRN)"
    r"|(?P<other>TRACE|DEBUG|INFO|NOTICE|debug|info|notice|trace|Info|I|D|DBG|INF|Note))(?![A-Za-z])"
)
LOGGER_BEHIND = lazy(r" \((?:[a-z]\w{0,40}\.){1,8}[A-Z]\w{0,80}(?::\d{1,6})?\)$")
"""The logger's class behind a message, as Kafka's layout has it: ``%m (%c)``."""
_LONGEST_LOGGER = 400
_LONGEST_HEAD = 300  # characters before PostgreSQL's level
_ONLY_A_LEVEL = lazy(r"\s*[\[<(]?\w{3,10}[\])>]?[:!]?\s*")
"""``error: ``: how a tool begins an error, and no log's prefix."""
_LOGGER = lazy(r"(?P<name>[a-z]\w{0,40}(?:\.\w{1,60}){1,12}\.[A-Z]\w{1,80})[ \t]{0,4}[:-][ \t]{1,4}(?=\S)")
"""A logger's class in front of what it logs."""
_HEADER = lazy(
    r"(?P<klog>[IWEF]\d{4} \d\d:\d\d:\d\d\.\d{1,9} {1,8}\d{1,9} [\w.-]{1,120}:\d{1,6}\] )"
    r"|\[\d{4}-\d\d-\d\d[T, ]{1,2}\d\d:\d\d:\d\d[^\]\n]{0,20}\] \{[\w.-]{1,80}:\d{1,6}\} (?=[A-Z])"
    r"|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d{4} (?P<mongo>[DIWEF])\d? {1,3}[A-Z-]{1,12} {1,12}\[[\w.-]{1,60}\] |\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.,]\d{3} (?:[a-z]{2,10}=[\w.-]{1,40} {1,3}){1,4}(?=[A-Z]{4,7}: )"
    r"|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d{3})? [+-]\d{4} \[(?P<fluentd>[a-z]{4,5})\]: (?:#\d{1,4} )?(?:\[[\w.:-]{1,60}\] )?(?=\S)"
    r"|(?P<ruby>[DIWEFA]), \[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6} #\d{1,10}\] {1,2}[A-Z]{3,7} -- [^:\n]{0,60}: (?=\S)"
    r"|\d{4}\.\d\d\.\d\d \d\d:\d\d:\d\d\.\d{1,9} \[ \d{1,9} \] \{[\w-]{0,60}\} (?=<)"
    r"|\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:?\d\d) [\w.-]{1,120} [\w./@-]{1,60}\[\d{1,10}\]: (?=\S)"
    r"|\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d[.,]\d{3} (?:\[myid:[^\]\n]{0,60}\] )?- (?P<zookeeper>[A-Z]{4,5}) {1,3}\[[^\n]{1,160}?@\d{1,6}\] - "
    r"|\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} \d{1,10} (?P<oslo>[A-Z]{4,8}) [\w.]{1,160} \[(?:-|(?:None )?req-[^\]\n]{1,300})\] "
    r"|\d{1,10}:\d{8}:\d{6}\.\d{3} (?=\S)"
    r"|[+-]\d{4} (?=\d{4}-\d\d-\d\d \d\d:\d\d:\d\d )|\d{1,2}月 {1,2}\d{1,2} \d\d:\d\d:\d\d [\w.-]{1,80} [\w.@/-]{1,80}(?:\[\d{1,10}\])?: (?=\S)"
    r"|<(?P<syslog>\d{1,3})>1 (?:[!-~]{1,120} ){5}(?:-|\[[^\]\n]{1,300}\]) (?=\S)"
)
"""Headers with parts that are in front of messages, too, elsewhere: klog's, Airflow's task logs, MongoDB's before 4.4, those of Ruby's Logger, Fluentd, ZooKeeper, oslo.log, Zabbix and ClickHouse, zones before a time, journald's in Chinese and with ISO times, and syslog's of RFC 5424."""
_SEVERITIES = "EEEEWIII"  # syslog's severities as letters of a level, emergencies first (RFC 5424, table 2)
_TITLE = lazy(
    r"(?:\[(?i:bug|question|help|issue|support|usage|求助|提问|问题|疑问)[^\]\n]{0,20}\]|【(?!错误|报错|异常)[^】\n]{1,24}】|v\d{1,3}(?:\.\d{1,4}){1,3}:(?= ))[ \t]{0,4}(?=\S)"
)
"""What titles of issues begin with: a kind, or a version."""
_TAGS = lazy(r"(?:\[[\w.:-]{1,60}\] ){1,3}+(?=\w)")
_PLUGIN = lazy(r"\[[a-z][\w.:@/-]{1,60}\][ \t]{1,3}(?=[A-Z])")
"""Who speaks, in front of a sentence: ``[vite] Failed to resolve import``."""
_POSTGRES = lazy(r"(?<![\w\"'])(?P<level>ERROR|FATAL|PANIC|WARNING|LOG|NOTICE):  (?=[^\s])")
"""PostgreSQL's level, behind whatever ``log_line_prefix`` says; two blanks follow it."""
_IS_CLASS = lazy(r"(?: \[[A-Z][A-Z_\d]{2,60}\])?: ")
"""What is behind ``Error`` where it is a class, and no level: ``Error [ERR_REQUIRE_ESM]: m``."""
_ERROR_WHILE = lazy(
    r"(?<=[ \t])[Ee]rror (?=(?:while|when|in|on|at|during|from|for|of|to|[a-z]{3,12}ing) [\w'\"`/.-])"
)  # no level: `[h264] error while decoding MB 14 9`
_MARKED_LEVEL = lazy(r"(?<![A-Za-z])[A-Z]{3,8}(?![A-Za-z])|\[\w:]{1,20}\]|[EWF](?=[ /])")
"""A level without a time beside it: in capitals, in brackets or as logcat's letter; ``Error response from daemon`` is none."""
# e.g. 'price'
_QUOTES = lazy(
    r"(?<!')''(?P<h>[^'\n]{1,300}(?:'[^'\n]{1,300}){0,8})''(?!')|\*\*(?P<g>[^*\n]{3,2000})\*\*|(?<![\w*])\*(?=[^\s*])(?P<j>[^*\n]{3,2000}+)(?<=\S)\*(?![\w*])|(?<![\w*])_(?=[^\s_])(?P<k>(?:[^_\n]|_(?=\w)){3,2000}+)(?<=\S)_(?!\w)|“(?P<a>[^“”\n]{3,2000})”|「(?P<b>[^「」\n]{3,2000})」|『(?P<c>[^『』\n]{3,2000})』|(?:(?<=报错)|(?<=提示)|(?<=显示)|(?<=报错 )|(?<=提示 )|(?<=显示 ))【(?P<i>[^【】\n]{3,200})】|`{1,3}(?P<d>(?=[^`\n]{3}|[^`\n]{1,2}(?<=\s)`[\w.+-]{1,40}`[^\S\n])[^`\n]{1,2000}+(?:(?<=\s)`[\w.+-]{1,40}`(?=\s)[^`\n]{0,2000}+){0,20}+)`{1,3}"
    r"|(?<![\w\"=:\\/])\"(?=\S)(?P<e>(?:[^\"\n]|\"(?![\s.,;:!?)，。；：！？）]|$)|(?<=\s)\"(?=\S))"
    r"{3,2000}+)(?:(?<=\S)|(?<=\S ))\"(?=[\s.,;:!?)，。；：！？）]|$)"
    r"|(?<![\w'=:\\/])'{1,2}(?=[^\s'])(?P<f>(?:[^'\n]|'(?![\s.,;:!?)，。；：！？）]|$)|(?<=\s)')"
    r"{3,2000}+)(?<=\S)'(?=[\s.,;:!?)，。；：！？）]|$)"
)
_OPENS_QUOTES = ("'", '"', "`", "*", " _", "“", "「", "『", "【")
_NAMES_A_PART = lazy(
    r"[ ]?(?:这|那|该|的)?[一个]{0,2}(?:小节|章节|节(?!点)|章(?!程)|词(?!法)|术语|标题|目录|条目|按钮|选项|菜单|栏目)|[ ](?:section|chapter|heading|paragraph|glossary|button|menu|tab)s?(?![\w'-])"
)
"""What is behind a name of a part of a page: *“连接失败”一节*, *the 'Connection failed' section*."""
# e.g. Getting a request failed with status code 429 error
_NAMED_ERROR = lazy(
    r"(?:^|(?<=[\s,]))(?:[Gg]etting|[Gg]iving|[Gg]ives?|[Gg]ets?|[Gg]ot|[Tt]hrow(?:s|ing)?|[Ss]how(?:s|ing)|[Rr]eceiv(?:es?|ed|ing)|[Ee]ncounter(?:s|ed|ing)?|[Ss]eeing|[Hh]aving|[Ff]ac(?:es?|ed|ing)|[Hh]it(?:s|ting)?|(?:[Rr]an|[Rr]un|[Rr]unning) into) (?:an? |the |this )?+(?!same|following|strange|weird|generic|errors?\b|exceptions?\b|issues?\b|problems?\b|messages?\b)(?P<words>[A-Za-z](?:[^\n.,;:!?\"'`]|: ){12,160}?) (?:error|exception)(?![\w'])"
    r"|(?:提示|显示|报错|报|出现|抛出|返回|就说|说是)(?:[:：]|了|的是)?[ ]?(?P<zh>(?=[^\n\u4e00-\u9fff]{0,40}[\u4e00-\u9fff])[\w.:/$-]{4,60})(?=[，,。！!？?]|$)"
)
"""What somebody calls an error without quotation marks: its words end there."""
_CAUSED = lazy(r"(?:导致|可能|会|引起|避免|防止|造成|容易)[^，。；,;]*$")
"""How a clause goes on to what comes of something: it tells, and shows nothing."""
_BEFORE = 60
_REPORTED_ZH = lazy(r"(?:就说|提示|报错)(?:[:：]|了|的是)?[\u4e00-\u9fff]+")
"""A verb that nobody uses but for what a program prints, and the message behind it, all Chinese: *提示连接失败*."""
_CHINESE = lazy(r"[\u4e00-\u9fff]")
_CHINESE_ONLY = lazy(r"[\u4e00-\u9fff]+")
_PLEADS = lazy(r"怎么|为什么|为啥|请问|求助|求解|帮忙|有人|有没有|我这边|我这里|一直")
"""How somebody asks for help, who does not write an article."""
# e.g. Shop.Till
_LATIN = lazy(r"(?![:;,.!?)])[!-~](?:[ -~]|[‘’“”…–—](?=[ -~])|(?<=[\[(])[\u4e00-\u9fff]{1,20}(?=[!-~])){8,4000}+")
# e.g. ./a.rb
_COMMAND = lazy(
    r"[ \t]{0,8}(?:\[[^\]\n]{1,60}\][#$]|[\w.@~:/-]{0,60}[$#❯➜%]|PS [A-Z]:[^>\n]{0,80}>|[A-Z]:\\[^>\n]{0,80}>|>{3}|sudo|(?:/[\w.@+-]{1,60}){1,20}/s?bin/[\w.+-]{1,60}(?= [\w-])|\./[\w./-]{1,60}|(?:npm|pip3?|docker|kubectl|make|cmake|cargo|go|git|mvn|apt(?:-get)?|yum|python3?|node|java|helm|terraform|conda)(?= [a-z-]))[ \t]?\S"
)
_ITEM = lazy(r"[ \t]{0,12}(?:[-*+•]|\d{1,3}[.)])[ \t]")
_BOX = " \t│|╷╵"
_FENCE = lazy(r"[ \t]{0,8}(?:```|~~~)")
_RULE = lazy(r"[ \t]{0,8}[-=*_#~+]{6,300}[ \t]*")
_ALL_LITERAL = lazy(r"(?m)[ \t]{0,8}```[^`\n]{3,2000}```[ \t]*$")  # as chats quote a line: `clean` blanks its fences
_MARK = lazy(r"[ \t]{0,8}(?:>|`|    \S|\t\S|[│|] )")


def pieces(
    text: str, given: str, lines: Sequence[TextLine], traces: Sequence[tuple[int, int]] = (), *, every: bool = False
) -> Iterator[LinePiece]:
    """Yield the pieces of the lines, those of one line in its order; lines that traces (their spans) reach into have none.

    ``given`` is the text before marks of quotations were blanked; offsets are the same. ``every``: also of lines that can hold no error.
    """
    is_fenced = False
    above = _LineAbove()
    is_chinese = bool(lines) and not text.isascii() and _CHINESE.search(text, lines[0].begin) is not None
    looked_at, last = _LookedAt(text, lines), -1
    while (number := looked_at.behind(last, above)) < len(lines):
        above, last = above if number == last + 1 else _LineAbove(), number
        line = lines[number]
        if any(begin < line.end and line.begin < end for begin, end in traces):
            above = _LineAbove()
            continue
        words = text[line.begin : line.end]
        if not words.strip():
            above.is_apart = True
        elif _RULE.fullmatch(words):  # the box around a program's words
            continue
        elif _FENCE.match(words):
            is_fenced = not is_fenced
        else:
            if looked_at.is_log or every or may_hold(words, line.text, holds_needle=looked_at.holds_needle):
                is_marked = is_fenced or _MARK.match(given[line.begin : line.end]) is not None
                is_foreign = is_chinese and _CHINESE.search(words) is None and not is_personal(words)
                around = _Around(above, is_fenced, is_marked, is_foreign)
                yield from _in_paste(text, lines, number, around)
                if _ALL_LITERAL.match(given, line.begin, line.end):
                    yield LinePiece(number, line.start, line.end, PasteSpan.QUOTED, is_called=above.announces)
            above = _LineAbove(words)


@dataclass(slots=True)
class _LineAbove:
    """The last line with words above another; what it says of that one is worked out on the first access."""

    words: str = ""
    is_apart: bool = False
    """Blank lines are between the two."""

    @property
    def is_command(self) -> bool:
        """Whether it is a command, whose output follows."""
        return bool(self.words) and is_command(self.words)

    @property
    def announces(self) -> bool:
        """Whether a program's words follow: the output of a command at once, what a sentence announces not always."""
        if not self.words or self.is_command:
            return bool(self.words) and not self.is_apart
        return self.words.rstrip()[-1] in ":：" or announces(self.words)


class _LookedAt:
    """Which lines of a text are looked at: all, but of a log those that tell a failure, and what they announce."""

    __slots__ = ("_count", "_next", "_shown", "holds_needle", "is_log")

    def __init__(self, text: str, lines: Sequence[TextLine]) -> None:
        self.is_log = len(lines) > _MOST_LOOKED_AT
        self.holds_needle = not self.is_log and may_be_known_by_words(text)
        """Whether any line of a text that is no log may be known by its words: the search for traces has read it, so that it costs little to ask."""
        self._shown = numbers_that_may_show(text, lines) if self.is_log else iter(())
        self._next = -1
        self._count = len(lines)

    def behind(self, number: int, above: _LineAbove) -> int:
        """Return the number of the next line that is looked at, behind ``number``; how many lines there are where none is left."""
        if not self.is_log or above.announces:
            return number + 1
        if self._next <= number:
            self._next = next((at for at in self._shown if at > number), self._count)
        return self._next


@dataclass(frozen=True, slots=True)
class _Around:
    """What the paste says of one line."""

    above: _LineAbove
    is_fenced: bool
    is_marked: bool
    is_foreign: bool


def _in_paste(text: str, lines: Sequence[TextLine], number: int, around: _Around) -> Iterator[LinePiece]:
    """Yield the pieces of a line, each with what the lines around it say."""
    line, words = lines[number], text[lines[number].begin : lines[number].end]
    above = lines[number - 1].text if number else ""
    below = lines[number + 1].text if number + 1 < len(lines) else ""
    if above and (_FENCE.match(text, lines[number - 1].begin) or around.above.is_command):
        above = ""
    around_it = {
        "is_announced": around.above.announces,
        "is_alone": not above and not below,
        "is_first": not above,
        "is_continued": is_continued(above, words.lstrip(_BOX)),
        "is_marked": around.is_marked,
        "is_foreign": around.is_foreign,
        "is_fenced": around.is_fenced,
        "is_listed": _ITEM.match(words) is not None,
    }
    yield from _of_line(text, number, line, around_it)


def _of_line(text: str, number: int, line: TextLine, around: Mapping[str, bool]) -> Iterator[LinePiece]:
    begin, end = line.begin, line.end
    title = _TITLE.match(text, line.start, end) if around["is_first"] else None
    behind, level = _behind_prefix(text, title.end() if title is not None else line.start, end)
    if text.count("\t", behind, end) >= _CELLS <= text.count(" ", cell := text.rfind("\t", behind, end) + 1, end):
        behind = cell
    introduced = introduced_in(text, begin, end)
    yield LinePiece(number, behind, end, PasteSpan.LINE, level, introduces=bool(introduced), **around)
    for found in _quotations(text, begin, end):
        first, last = found.span(found.lastgroup or 0)
        if _is_name(text[first:last]):
            continue
        plugin = _PLUGIN.match(text, first, last)
        start, logged = _behind_prefix(text, first, last)
        is_logged = logged in (RecordLevel.ERROR, RecordLevel.WARNING)
        place = start if is_logged else first if plugin is None else plugin.end()
        marks = {
            **around,
            "is_called": announces(text[max(begin, first - 80) : first]),
            "is_bold": found.lastgroup in ("g", "j", "k"),
            "is_wide": found.lastgroup in ("a", "b", "c", "i") and _is_plea(text, begin, end),
        }
        yield LinePiece(number, place, last, PasteSpan.QUOTED, logged if is_logged else level, **marks)
    around = {**around, "is_continued": False}  # a program's words that begin within the line
    for start, in_question in introduced.items():
        stop = end if _CHINESE.search(text, begin, end) else end_of_words(text, start, end)
        yield LinePiece(number, start, stop, PasteSpan.INTRODUCED, level, is_called=in_question, **around)
    for found in islice(_NAMED_ERROR.finditer(text, begin, end), MOST) if level is None else ():
        is_consequence = _CAUSED.search(text, max(begin, found.start() - _BEFORE), found.start()) is not None
        is_plain = found["zh"] is None or _CHINESE_ONLY.fullmatch(found["zh"]) is not None
        is_shown = is_personal(text[begin:end]) and (is_plain or _PLEADS.search(text, begin, end) is not None)
        if is_consequence or not (is_shown or _REPORTED_ZH.fullmatch(found[0]) is not None):
            continue
        first, last = found.span(found.lastgroup or 0)
        yield LinePiece(number, first, last, PasteSpan.INTRODUCED, level, is_called=True, **around)
    if _CHINESE.search(text, line.start, end):
        for found in _LATIN.finditer(text, line.start, end):
            if " " in found[0].strip():
                is_called = announces(text[max(begin, found.start() - 80) : found.start()])
                yield LinePiece(number, *found.span(), PasteSpan.FOREIGN, level, is_called=is_called, **around)


def _is_plea(text: str, begin: int, end: int) -> bool:
    """Return whether somebody asks for help in a line."""
    return is_personal(text[begin:end]) or _PLEADS.search(text, begin, end) is not None


def _is_name(quoted: str) -> bool:
    """Return whether a quotation is a single name, as the keys of JSON are: no candidate comes of it."""
    return quoted.isascii() and " " not in quoted.strip()


def _quotations(text: str, begin: int, end: int) -> Iterator[re.Match[str]]:
    """Yield the quotations of a line, less those that name a part of a page."""
    line = text[begin:end]
    if not (line.startswith("_") or any(mark in line for mark in _OPENS_QUOTES)):
        return iter(())
    return (found for found in _QUOTES.finditer(text, begin, end) if not _NAMES_A_PART.match(text, found.end(), end))


def _behind_prefix(text: str, start: int, end: int) -> tuple[int, RecordLevel | None]:
    """Return where the words behind a log's prefix begin, and its level; a name of an exception belongs to the words."""
    header = _HEADER.match(text, start, end)
    if header is not None:
        behind, _ = _behind_prefix(text, header.end(), end)
        tags = _TAGS.match(text, behind, end)
        behind = tags.end() if tags is not None else behind
        severity = header["syslog"] and _SEVERITIES[int(header["syslog"]) % 8]
        named = (header[name] for name in ("mongo", "ruby", "fluentd", "zookeeper", "oslo"))
        letter = next(filter(None, named), None) or (header["klog"] and header[0][:1]) or severity
        return behind, _level(letter or text[header.end() - 1 : behind]) or RecordLevel.UNNAMED
    logger = _LOGGER.match(text, start, end)
    if logger is not None and not is_type(logger["name"]):
        return logger.end(), None
    stop = min(end, start + _LONGEST_HEAD)
    server = _POSTGRES.search(text, start, stop) if text.find(":  ", start, stop) >= 0 else None
    if server is not None and holds_time(text[start : server.start()]):
        return server.end(), _level(server[0])
    prefix = LOG_PREFIX.match(text[start : min(end, start + 400)])
    if prefix is None:
        return _behind_plugin(text, start, end), None
    head = prefix[0]
    sentence = _ERROR_WHILE.search(text, start, min(end, start + len(head) + _BEFORE))
    head = head[: sentence.start() - start] if sentence is not None else head
    for found in IDENTIFIER.finditer(head) if may_name(head) else ():
        if is_type(found[0]) or (found[0] in ("Error", "Exception") and _IS_CLASS.match(head, found.end())):
            head = head[: found.start()]
            break
    level, is_timed = _level(head), holds_time(head)
    is_marked = level is not None and _MARKED_LEVEL.search(head) is not None and not _ONLY_A_LEVEL.fullmatch(head)
    is_named = level is not None and LOGGER_BEHIND.search(text, max(start, end - _LONGEST_LOGGER), end) is not None
    if start + len(head) >= end or not (is_timed or is_marked or is_named):
        return _behind_plugin(text, start, end), None
    info = KLOG_INFO.match(text, start + len(head), end) if level is None else None
    return (start + len(head), level or RecordLevel.UNNAMED) if info is None else (info.end(), RecordLevel.OTHER)


KLOG_INFO = lazy(r"I\d{4} \d\d:\d\d:\d\d\.\d{1,9} {1,8}\d{1,9} [\w.-]{1,120}:\d{1,6}\] (?!\"Event occurred\")")
"""klog's header of information; an event that it logs is read with it (`forms`)."""


def _behind_plugin(text: str, start: int, end: int) -> int:
    plugin = _PLUGIN.match(text, start, end)
    return start if plugin is None or _LEVEL.search(plugin[0]) is not None else plugin.end()


def _level(prefix: str) -> RecordLevel | None:
    found = _LEVEL.search(prefix)
    return RecordLevel(found.lastgroup) if found is not None and found.lastgroup else None


def is_command(line: str) -> bool:
    """Whether a line is a command that somebody typed."""
    return _COMMAND.match(line) is not None
