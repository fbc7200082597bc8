"""Turns text into lines: lazily, without colours, without what a logger put in front, taken apart once more where a trace needs it."""

import re
from bisect import bisect_right
from functools import lru_cache
from operator import itemgetter
from typing import Protocol

# The text as lines, lazily: only the neighbourhood of a trace is ever split.
#
# Every offset is an offset into the text that was given: cleaning replaces characters one by one and never
# changes the length.

_FIRST_BLOCK = 1_000  # characters split ahead at first; doubled as the reader goes on
_LARGEST_BLOCK = 16_000
_LONGEST_ABOVE = 4_000
_NEAR = 64  # lines behind one whose place is known
_AHEAD = 128  # lines that are handed out at once: all that are split may be the whole text, for each line of it

_BLANK_END = re.compile(r"[^\S\n]*+(?=\n|\Z)")
_QUOTE_MARKS = re.compile(r"^(?:[ \t]{0,8}>){1,16}", re.MULTILINE)  # mail and Markdown
_GLUED_FENCES = re.compile(
    r"^[ \t]*```(?![\w+#-]{0,15}[ \t]*$)|(?<=[^\s`])```[ \t]*$", re.MULTILINE
)  # chats put no break there
# e.g. `_TypeError: x is not a function_`
_EMPHASIS = re.compile(
    r"_(?<![^\s*>,，。:：(（]_)(?P<second>_?)(?!\w{1,60}__\.)(?=(?:Uncaught )?(?P<dotted>(?:[A-Za-z]\w{0,60}+\.){1,12}+)?[A-Z]?\w{0,80}?(?:Error|Exception)[:：] )"
    r"(?P<words>[^\s_](?:[^\n]{3,400}(?<![\s_])(?=_(?P=second)[.]?[ \t]{0,8}(?:\n|\Z))|(?(dotted)(?!)|)[^\n]{3,400}?(?<![\s_])(?=_(?P=second)[\s.,;:!?，。；：！？)）])))"
    r"_(?P=second)(?P<end>[.]?[ \t]{0,8}(?=\n|\Z))?"
)
"""An exception that somebody emphasised as Markdown does: the marks are no part of its name and message."""
BLANKS = ("\xa0", "\u200b", "\ufeff", "\u3000", "\u2002", "\u2003", "\u200c", "\u200d", "\x00")
_ESCAPES = ("\x1b", "^[[", "33[", "1b[", "1B[", "\\e[", "\u241b")
"""What an escape sequence holds in one of its spellings: raw, as ``less`` and ``cat -v`` show it, as rsyslog (``#033[31m``), C, JSON
(``\\u001b[31m``) and a shell write it, as the picture of the character."""
_SURE = ("\x1b", "^[[", "\u241b")
_RESETS = ("[0m", "39m", "[22m")
"""What ends a colour. A page or a chat loses the escape character and keeps the rest; ``rate(x[5m])`` has none of these."""
_MOST_BARE = 1 << 18
"""Characters of a text in which colours without their escape character are looked for: they come from pages and chats, and a look takes as long as
a third of a pass for traces."""
# e.g. ^[[31m
_SEQUENCE = re.compile(
    r"(?:\x1b|\^\[(?=\[)|\u241b|#033(?=\[)|\\(?:033|e|x1[bB]|u001[bB])(?=\[))"
    r"(?:\[[0-9;:?]{0,40}[A-Za-z]|\][^\x07\x1b\n]{0,2000}(?:\x07|\x1b\\)|[()][A-Z0-9])"
)
_BARE = re.compile(r"\[\d{1,3}(?:;\d{1,3}){0,5}m(?!\])")
_MAY_BE_BARE = re.compile(r"\[(?:\d{1,3}(?:;\d{1,3}){0,5}m(?!\])|(?<=33\[|1b\[|1B\[|\\e\[))")
"""A bare colour, or a sequence in a spelling that is not in `_SURE`: one look at each bracket, instead of seven passes."""


def clean(text: str) -> str:
    """Return the same text, same length, with one kind of line break and one kind of blank, without colours and quote marks."""
    if "\r" in text:
        text = text.replace("\r\n", " \n").replace("\r", "\n")
    text = f"\n{text[1:]}" if text.startswith("\ufeff") else text  # a mark at the start indents no line
    for blank in BLANKS:
        if blank in text:
            text = text.replace(blank, " ")
    if ">" in text and ("\n>" in text or text.startswith(">")):  # a single character is found 50 times as fast as two
        text = _QUOTE_MARKS.sub(lambda found: " " * len(found[0]), text)
    if "`" in text and "```" in text:
        text = _GLUED_FENCES.sub(lambda found: " " * len(found[0]), text)
    if "_" in text and len(text) <= _MOST_BARE:
        text = _EMPHASIS.sub(_unemphasised, text)
    return uncoloured(text)


def _unemphasised(found: re.Match[str]) -> str:
    """Return an exception with blanks in the place of its marks, or with quotation marks where the sentence goes on behind it."""
    is_all = found["end"] is not None and not found.string[
        found.string.rfind("\n", 0, found.start()) + 1 : found.start()
    ].strip(" *>-")
    mark = (" " if is_all else '"' if "`" in found["words"] else "`").rjust(1 + len(found["second"]))
    return f"{mark}{found['words']}{mark[::-1]}{found['end'] or ''}"


def uncoloured(text: str) -> str:
    r"""Return the same text, same length: what follows a sequence in its line moves up to its place, and blanks close the line.

    Blanks in the place of a sequence would tear apart what it is in: ``Pool.java:\x1b[33m88``.
    """
    is_bare = len(text) <= _MOST_BARE and _MAY_BE_BARE.search(text) is not None and any(one in text for one in _RESETS)
    # the spellings in digits are only looked for where a colour ends, too: most texts are passed over so
    is_escaped = (
        any(one in text for one in _ESCAPES) if is_bare else any(one[0] in text and one in text for one in _SURE)
    )
    if not is_escaped and not is_bare:
        return text
    lines = text.split("\n")
    return "\n".join([_line_uncoloured(line, is_escaped=is_escaped, is_bare=is_bare) for line in lines])


def _line_uncoloured(line: str, *, is_escaped: bool, is_bare: bool) -> str:
    plain = _shortened(line, is_escaped=is_escaped, is_bare=is_bare)
    return plain if len(plain) == len(line) else plain.ljust(len(line))


def _shortened(line: str, *, is_escaped: bool = True, is_bare: bool = True) -> str:
    if is_escaped and any(one in line for one in _ESCAPES):
        line = _SEQUENCE.sub("", line)
    if is_bare and any(one in line for one in _RESETS):
        line = _BARE.sub("", line)
    return line


def end_in(text: str, plain: str, end: int) -> int:
    """Return where a span of ``uncoloured`` text ends in the coloured one: further on by the colours of its last line."""
    if plain is text:
        return end
    stop = _BLANK_END.match(plain, end)
    if stop is None:  # its line goes on: of a line with thousands of traces that is all that is looked at
        return end
    line = text[plain.rfind("\n", 0, end) + 1 : stop.end()]
    removed = len(line) - len(_shortened(line))
    return min(end + removed, stop.end() - len(line) + len(line.rstrip())) if removed else end


class _Split:
    """The lines of a text from one place onwards, split as they are asked for; shared by the views on it."""

    __slots__ = ("_block", "_blocks", "_end", "_known", "_next", "text", "texts")

    def __init__(self, text: str, start: int, end: int) -> None:
        self.text = text
        self.texts: list[str] = []
        self._blocks: list[tuple[int, int]] = []
        """Of each block: number and offset of its first line."""
        self._known = (0, start)
        """Number and offset of the line that was asked for last: readers go on from line to line."""
        self._next = start
        self._end = end
        self._block = _FIRST_BLOCK

    def has(self, at: int) -> bool:
        """Whether there is such a line; splits up to it."""
        while at >= len(self.texts):
            if self._next > self._end:
                return False
            self._grow()
        return True

    @property
    def is_at_end(self) -> bool:
        """Whether all lines are split."""
        return self._next > self._end

    def start(self, at: int) -> int:
        """Return the offset of a line that there is."""
        first, offset = self._known
        if not first <= at <= first + _NEAR:
            first, offset = self._blocks[bisect_right(self._blocks, at, key=_number) - 1]
        offset += sum(map(len, self.texts[first:at])) + at - first
        self._known = (at, offset)
        return offset

    def _grow(self) -> None:
        begin, stop = self._next, self._next + self._block
        stop = self.text.find("\n", stop, self._end) if stop < self._end else -1
        stop = self._end if stop < 0 else stop
        self._blocks.append((len(self.texts), begin))
        self.texts += self.text[begin:stop].split("\n")
        self._next = stop + 1
        self._block = min(self._block * 2, _LARGEST_BLOCK)


_number = itemgetter(0)


class Lines:
    """A view on the lines of a text: line 0 is where a trace was noticed. Lines above can be asked for, too."""

    __slots__ = ("_base", "_floor", "_split")

    def __init__(self, split: _Split, base: int, floor: int) -> None:
        self._split = split
        self._base = base
        self._floor = floor

    @classmethod
    def of(cls, text: str, start: int, floor: int = 0, end: int | None = None) -> "Lines":
        """Return the lines from ``start`` on, up to ``end``; looking back ends at ``floor``."""
        return cls(_Split(text, start, len(text) if end is None else end), 0, floor)

    def behind(self, count: int, floor: int) -> "Lines":
        """Return the same lines seen from ``count`` lines further on."""
        return Lines(self._split, self._base + count, floor)

    def get(self, at: int) -> str | None:
        """Return the line with this number; None behind the last."""
        at += self._base
        texts = self._split.texts
        if at < len(texts) or self._split.has(at):
            return texts[at]
        return None

    def ahead(self, at: int) -> list[str]:
        """Return some lines from this one on, this one at least; [] behind the last."""
        at += self._base
        return self._split.texts[at : at + _AHEAD] if self._split.has(at) else []

    @property
    def is_at_end(self) -> bool:
        """Whether the end of the text may have been seen: lines are split some way ahead of the one asked for."""
        return self._split.is_at_end

    def start(self, at: int) -> int:
        """Return where in the text the line begins; the end of the text behind the last line."""
        if not self._split.has(self._base + at):
            return len(self._split.text)
        return self._split.start(self._base + at)

    def end(self, at: int) -> int:
        """Return where in the text the line ends, trailing blanks left out."""
        return self.start(at) + len((self.get(at) or "").rstrip())

    def before(self, count: int) -> list[tuple[int, str]]:
        """At most ``count`` lines above line 0, nearest first, each with where it begins."""
        found: list[tuple[int, str]] = []
        text = self._split.text
        end = self.start(0) - 1
        while len(found) < count and end > self._floor:
            # a line of more than 4,000 characters ends the look back: it bounds the work
            start = text.rfind("\n", max(self._floor, end - _LONGEST_ABOVE), end) + 1
            if start == 0:
                if end - self._floor > _LONGEST_ABOVE:
                    break
                start = self._floor
            found.append((start, text[start:end]))
            end = start - 1
        return found


# What loggers print in front of a message: one pattern for every common layout.

# Tokens that are before a trace line in a log: times, levels, [threads], containers |, logger names with : or -
LOG_PREFIX = re.compile(
    r"(?:[ \t]*+(?:"
    r"[>|*#│┃¦•·]|//"
    r"|<?\d{1,4}+[-/.年]\d{1,2}+(?:[-/.月]\d{1,4}+日?)?[T ]?(?:\d{1,2}:\d{2}(?::\d{2})?(?:[.,:]\d{1,9}+)?)?(?:Z|[+-]\d{2}:?\d{2})?"
    r"|\d{1,2}:\d{2}:\d{2}(?:[.,:]\d{1,9}+)?(?:[ \t]++[A-Za-z][\w.-]{0,80}+(?=[ \t]++[\w./-]{1,60}+(?:\[\d{1,9}\])?:))?(?:[ \t][AP]M(?=[ \t\]]))?"
    r"|(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6}+ +\d{1,2}"
    r"|(?:\[[^\[\]]{0,160}+\]|\((?:[^()]{0,80}+)\)|<[^<>]{0,80}+>)"
    r"|(?:TRACE|DEBUG|INFO|WARN|WARNING|ERROR|FATAL|SEVERE|CRITICAL|NOTICE|Error|Warn|Info|error|warn|info|stderr|stdout)\b:?"
    r"|[EWIDFV]/[\w.$-]{1,60}+"
    r"|[EWIDFV](?=[ \t]++[\w.$-]{1,60}+[ \t]*+:)"
    r"|[\w.$/-]{1,120}+(?:\[[^\[\]]{0,60}+\])?(?=[ \t]*+(?:[:|>]|-{1,4}>?[ \t]))"
    r"|\d{1,10}+(?=[ \t]|$)"
    r"|-{1,4}>?|[:：,;]|={2,3}>?"
    r")){1,16}+[ \t]*+"
)


# e.g. exc_info
_ROUTINE = re.compile(
    r"(?<![A-Za-z])(?:TRACE|DEBUG|INFO|NOTICE|Debug|Info|debug|info)(?![A-Za-z])|^[ \t]*[IDV](?:/|\d{4} )"
)
# Kubernetes' events, as describe and ``get events`` list them; other Normal ones tell of a failure (BackOff, Killing, NotTriggerScaleUp)
_WENT_WELL = re.compile(
    r"[ \t]*+(?:[^\s,]{1,253}[ \t]{1,80}){0,3}Normal[ \t]{1,80}(?:Scheduled|Pulling|Pulled|Created|Started|Completed|Successful\w{1,40}|ScalingReplicaSet|SawCompletedJob|LeaderElection|NodeReady|NodeAllocatableEnforced|NodeHasSufficient\w{1,20}|NodeHasNoDiskPressure)[ \t]"
)


_DIGITS_OF_A_TIME = 6
"""Digits that a time has at least: ``10:00:00``. A place, a counter or a process has fewer."""


def holds_time(text: str) -> bool:
    """Whether what is before a message holds a time, as a log's record does."""
    return sum(map(text.count, "0123456789") if text.isascii() else map(str.isdigit, text)) >= _DIGITS_OF_A_TIME


def is_record(line: str) -> bool:
    """Whether a line begins as a log's record does: with a prefix that holds a time (``2026-01-02 10:00:00 INFO …``)."""
    found = LOG_PREFIX.match(line)
    return found is not None and holds_time(found[0])


def is_routine(line: str) -> bool:
    """Whether a line says that nothing is wrong: level information, or finer (``2026-01-02 10:00:00 INFO …``), or an event that went well (``Normal  Pulled …``)."""
    found = LOG_PREFIX.match(line[:400])
    if "Normal" in line[:400] and _WENT_WELL.match(line):
        return True
    return found is not None and _ROUTINE.search(found[0]) is not None


def is_prefix(text: str) -> bool:
    """Whether a log could have put this before a line."""
    body = text.strip()
    if not body:
        return True
    found = LOG_PREFIX.match(text[:400])
    return found is not None and not text[found.end() :].strip()


# What a reader looks at line by line: the lines of the text, or those that it took apart itself.


class Readable(Protocol):
    """Lines by number."""

    def get(self, at: int) -> str | None:
        """Return the line; None behind the last."""


class Pieces:
    """Lines that a reader took apart itself."""

    def __init__(self, pieces: list[str]) -> None:
        self._pieces = pieces

    def get(self, at: int) -> str | None:
        """Return the piece with this number; None behind the last."""
        return self._pieces[at] if at < len(self._pieces) else None


# The lines of one trace without the prefix that a log put before each.

_LONGEST_PREFIX = 200
_DIGITS = re.compile(r"\d+")


class Prefixed:
    """Line by line what a reader looks at; numbers are those of the ``Lines`` below it."""

    def __init__(self, lines: Lines, prefix: str = "") -> None:
        self._lines = lines
        self._pattern = _shape(prefix) if prefix.strip() and len(prefix) <= _LONGEST_PREFIX else None

    def get(self, at: int) -> str | None:
        """Return the line without the log's prefix; None behind the last."""
        line = self._lines.get(at)
        if line is None or self._pattern is None:
            return line
        found = self._pattern.match(line)
        return line[found.end() :] if found is not None else line


@lru_cache(maxsize=256)
def _shape(prefix: str) -> re.Pattern[str]:
    """Return a pattern for the same prefix with other numbers."""
    parts = (re.escape(part) for part in _DIGITS.split(prefix.rstrip()))
    return re.compile(r"\d{1,20}+".join(parts) + ("[ \t]?" if prefix[-1:] in " \t" else ""))


_LONGEST = 1_000_000


class Sublines:
    """Lines numbered from 0, each a whole line or a part of one."""

    __slots__ = ("_break", "_hints", "_lines", "_next", "_parts", "_where")

    def __init__(self, lines: Lines, break_: re.Pattern[str], hints: tuple[str, ...]) -> None:
        """``break_`` matches what is between two parts, or nothing before a part; on a line with one of the hints."""
        self._lines = lines
        self._break = break_
        self._hints = hints
        self._parts: list[str] = []
        self._where: list[int] = []
        self._next = 0

    def get(self, at: int) -> str | None:
        """Return the part with this number; None behind the last."""
        while at >= len(self._parts):
            line = self._lines.get(self._next)
            if line is None:
                return None
            parts = [line]
            if len(line) <= _LONGEST and any(hint in line for hint in self._hints):
                parts = [part for part in self._break.split(line) if part.strip()] or [line]
            self._parts += parts
            self._where += [self._next] * len(parts)
            self._next += 1
        return self._parts[at]

    def line_of(self, at: int) -> int:
        """Return the number, in the ``Lines``, of the line that the part is on."""
        return self._where[at]
