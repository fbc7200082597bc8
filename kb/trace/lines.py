"""The text as lines, lazily: only the neighbourhood of a trace is ever split.

Every offset is an offset into the text that was given: cleaning replaces characters one by one and never
changes the length. A line into which several were joined (a JSON log record, a chat that lost its line
breaks) is taken apart again at the places where a trace breaks its lines.
"""

import re

_FIRST_BLOCK = 4  # lines split ahead at first; doubled as the reader goes on
_LONGEST_ABOVE = 4_000
_LONGEST_JOINED = 1_000_000  # a line longer than this is not taken apart: no such trace was ever seen

_QUOTE_MARKS = re.compile(r"^(?:[ \t]{0,8}>){1,16}", re.MULTILINE)  # mail and Markdown
_ANSI = re.compile(r"\x1b\[[0-9;]{0,20}[A-Za-z]")
_ESCAPED_BREAK = re.compile(r"(?:\\{1,2}r)?\\{1,2}n")
_JOINED_BREAK = re.compile(
    r"[ \t]++(?=at[ \t]++[\w$./@&;<>-]{3,300}+\((?:[^()\n]{1,120}+)\)|Caused by: |Suppressed: |\.{3} \d{1,5} (?:more|common))"
)
_BLANKS = ("\xa0", "\u200b", "\ufeff", "\u3000", "\u2002", "\u2003", "\u200c", "\u200d", "\x00")


def clean(text: str) -> str:
    """The same text, same length, with one kind of line break and one kind of blank, without colours and quote marks."""
    if "\r" in text:
        text = text.replace("\r\n", " \n").replace("\r", "\n")
    for blank in _BLANKS:
        if blank in text:
            text = text.replace(blank, " ")
    if "\n>" in text or text.startswith(">"):
        text = _QUOTE_MARKS.sub(lambda found: " " * len(found[0]), text)
    if "\x1b" in text:
        text = _ANSI.sub(lambda found: " " * len(found[0]), text)
    return text


def pieces(line: str) -> list[tuple[int, str]]:
    """The lines that were joined into one, each with its offset; nearly always the line itself."""
    if "at " not in line or len(line) > _LONGEST_JOINED:
        return [(0, line)]
    if "\\n" in line and ("\\tat " in line or "\\n at " in line or "\\n  " in line):
        return _cut(line, [(found.start(), found.end()) for found in _ESCAPED_BREAK.finditer(line)])
    if ") at " in line or ")\tat " in line or ("(" in line and _one_frame_after_head(line)):
        return _cut(line, [(found.start(), found.start()) for found in _JOINED_BREAK.finditer(line)])
    return [(0, line)]


def _one_frame_after_head(line: str) -> bool:
    """Whether a frame stands behind other text: ``E: m at a.B.c(B.java:3)`` (not behind mere indentation)."""
    return (" at " in line or "\tat " in line) and "Exception" in line[: line.find("at ")]


def _cut(line: str, breaks: list[tuple[int, int]]) -> list[tuple[int, str]]:
    found, start = [], 0
    for end, following in [*breaks, (len(line), len(line))]:
        part = line[start:end]
        if part.strip():
            # two tabs for a two-character escape: the offsets stay, and indentation stays in proportion
            found.append((start, part.replace("\\t", "\t\t") if "\\t" in part else part))
        start = following
    return found or [(0, line)]


class _Split:
    """The lines of a text from one place onwards, split as they are asked for; shared by the views on it."""

    __slots__ = ("_block", "_end", "_next", "starts", "text", "texts")

    def __init__(self, text: str, start: int, end: int) -> None:
        self.text = text
        self.texts: list[str] = []
        self.starts: list[int] = []
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

    def _grow(self) -> None:
        text, texts, starts, at, last = self.text, self.texts, self.starts, self._next, self._end
        for _ in range(self._block):
            if at > last:
                break
            end = text.find("\n", at, last)
            end = last if end < 0 else end
            line = text[at:end]
            if "at " in line and (") at " in line or ")\tat " in line or "\\n" in line or "Exception" in line):
                for offset, piece in pieces(line):
                    texts.append(piece)
                    starts.append(at + offset)
            else:
                texts.append(line)
                starts.append(at)
            at = end + 1
        self._next = at
        self._block = min(self._block * 2, 4096)


class Lines:
    """A view on the lines of a text: line 0 is where a trace was noticed. Lines above can be asked for, too."""

    __slots__ = ("_base", "_floor", "_split")

    def __init__(self, split: _Split, base: int, floor: int) -> None:
        self._split = split
        self._base = base
        self._floor = floor

    @classmethod
    def of(cls, text: str, start: int, floor: int = 0, end: int | None = None) -> "Lines":
        """The lines from ``start`` on, up to ``end``; looking back ends at ``floor``."""
        return cls(_Split(text, start, len(text) if end is None else end), 0, floor)

    def behind(self, count: int, floor: int) -> "Lines":
        """The same lines seen from ``count`` lines further on."""
        return Lines(self._split, self._base + count, floor)

    def get(self, at: int) -> str | None:
        """The line with this number; None behind the last."""
        at += self._base
        texts = self._split.texts
        if at < len(texts) or self._split.has(at):
            return texts[at]
        return None

    def start(self, at: int) -> int:
        """Where in the text the line begins; the end of the text behind the last line."""
        if not self._split.has(self._base + at):
            return len(self._split.text)
        return self._split.starts[self._base + at]

    def end(self, at: int) -> int:
        """Where in the text the line ends, trailing blanks left out."""
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
