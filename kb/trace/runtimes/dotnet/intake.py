"""A .NET trace's lines, one after the other: which belong to it, what they say, where it ends."""

import re
from dataclasses import dataclass, field, replace
from functools import cache

from kb.trace.lines import Lines
from kb.trace.model import Frame
from kb.trace.runtimes.base import LONGEST_MESSAGE, TraceReading
from kb.trace.runtimes.dotnet.frames import LONGEST_FRAME, frame_of, is_sure, place_alone, unknown_frame_of
from kb.trace.runtimes.dotnet.heads import (
    DotnetHead,
    arrow_of,
    head_of,
    is_appendix,
    is_between,
    is_record,
    marker_of,
    pieces_of,
    rethrown,
)
from kb.trace.runtimes.dotnet.languages import at_words
from kb.trace.runtimes.dotnet.pages import OpenExceptions, ends_page

# Frames that a console or a narrow page broke in several lines.

_MOST_PARTS = 5
_LONGEST_PART = 400


@cache
def _opened() -> re.Pattern[str]:
    """Return a frame's beginning: up to its name, into its arguments, or into its place."""
    return re.compile(
        rf"[ \t]*+(?:{at_words()})(?:[:：][ \t]*+|[ \t]++)[\w<.][^\s()]{{2,600}}+(?:[ ]?\([^()]{{0,300}}+(?:\)[^()\n]{{1,300}}+)?)?$"
    )


def broken_frame(lines: Lines, at: int) -> tuple[Frame | None, int]:
    """Return the frame that this line and the next ones make together, and how many they are; (None, 0) if they make none."""
    line = lines.get(at) or ""
    if len(line) > _LONGEST_PART or frame_of(line) is not None:
        return None, 0
    if _opened().match(line.rstrip()) is None:
        return None, 0
    text = line.rstrip("\n")
    for count in range(2, _MOST_PARTS + 1):
        following = lines.get(at + count - 1)
        if following is None or not following.strip() or len(following) > _LONGEST_PART:
            break
        if frame_of(following) is not None or marker_of(following) is not None:
            break
        for glue in ("", " "):  # a console breaks inside words, a page between them
            frame = frame_of(text.rstrip() + glue + following.strip() if glue else text + following.rstrip())
            if frame is not None:
                return frame, count
        text += following.rstrip()
    return None, 0


MOST_BLANKS = 2
FENCES = ("```", "~~~", "</pre", "</code", "# ", "## ", "### ", "<p>")
"""What ends a message in a page: no trace goes on behind it."""
_MESSAGE_LINES = 60
_WEAK_MESSAGE_LINES = 12
_LOOK_AHEAD = 40


def _is_other_head(line: str) -> bool:
    """Whether another trace begins on the line."""
    head = head_of(line)
    return head is not None and not head.is_behind_text


@dataclass(slots=True)
class DotnetCollector:
    """Takes line after line into a trace until one does not belong to it."""

    lines: Lines
    first: int = 0
    progress: OpenExceptions = field(default_factory=OpenExceptions)
    head_truncated: bool = False
    begin_at: int | None = None
    end: int = 1
    """The first line that does not belong to the trace."""
    pending: list[str] = field(default_factory=list)
    """Lines that belong to the message if anything of the trace follows."""
    is_in_message: bool = True
    is_sure: bool = False
    """Whether the head alone says that the trace is .NET's."""
    blanks: int = 0

    def begin(self, head: DotnetHead) -> None:
        message = head.message or ""
        self.is_sure = head.is_sure
        ends = message.endswith("<---")
        self.progress.begin(head.type, message.removesuffix("<---").strip() or None, has_code=head.has_code)
        if ends:
            self.progress.end_member()

    def run(self, at: int, *, skip: int) -> None:
        """Take line after line; ``skip`` pieces of the first are read already."""
        while (line := self.lines.get(at)) is not None:
            pieces = pieces_of(line)[skip:] if len(line) > 1 else [line]
            skip = 0
            if len(pieces) == 1:
                joined, count = broken_frame(self.lines, at)
                if joined is not None:
                    self._frame(joined)
                    at += count
                    self.end = at
                    continue
            if not all(self._take(piece, at) for piece in pieces):
                return
            at += 1

    def _take(self, line: str, at: int) -> bool:
        """One line, or a piece of one; False if the trace ends before it."""
        body = line.strip()
        if not body:
            self.blanks += 1
            self.pending.append("")
            return self.blanks <= MOST_BLANKS or self._goes_on(at)
        if self._of_the_trace(line, body):
            self.end, self.blanks = at + 1, 0
            return True
        if self.is_in_message:
            return self._message(line, at)
        return is_appendix(body) or not (is_record(line) or _is_other_head(line) or not self._goes_on(at))

    def _of_the_trace(self, line: str, body: str) -> bool:
        frame = frame_of(line) or (unknown_frame_of(line) if self._is_inside(line) else None)
        if frame is not None:
            self._frame(frame)
            if body.endswith("<---"):
                self.progress.end_member()
            return True
        return self._link(line, body) or self._between(line, body)

    def _is_inside(self, line: str) -> bool:
        """Whether a frame in an unknown language is one here: behind other frames, or at least sure by itself."""
        frame = unknown_frame_of(line)
        return frame is not None and (is_sure(frame) or any(r.frames for r in self.progress.raised))

    def _frame(self, frame: Frame) -> None:
        self._commit()
        self.progress.add(frame)

    def _link(self, line: str, body: str) -> bool:
        """``---> inner``, ``---> (Inner Exception #1)``, ``Rethrow as``."""
        arrow = arrow_of(line[:LONGEST_MESSAGE])
        if arrow is not None:
            self._commit()
            if arrow.number is None:
                self.progress.inner(arrow.head)
            else:
                self.progress.member(arrow.head, arrow.number)
            self.is_in_message = True
            if body.endswith("<---"):
                self._end_member_in_message()
            return True
        outer = rethrown(line)
        if outer is not None and self.progress.raised[0].frames:
            self.progress.wrap(outer)
            self.is_in_message = True
            return True
        return False

    def _end_member_in_message(self) -> None:
        message = self.progress.current.message
        if message:
            message[-1] = message[-1].removesuffix("<---").rstrip()
        self.progress.end_member()
        self.is_in_message = False

    def _between(self, line: str, body: str) -> bool:
        """Markers, and what is between the parts of a stack."""
        marker = marker_of(line)
        if marker is not None:
            is_end = marker.is_end_of_inner
            if is_end is None:  # a language of no table: the ends of inner exceptions are indented, rethrows are not
                if self.is_in_message and not self.progress.current.frames and len(self.progress.open) <= 1:
                    return False
                is_end = marker.indent > 0 and len(self.progress.open) > 1
            self._commit()
            if is_end:
                self.progress.end_inner()
            return True
        if is_between(body):
            self._commit()
            return True
        place = place_alone(line) if not self.is_in_message and self.progress.current.frames else None
        if place is not None and self.progress.current.frames[-1].filename is None:
            last = self.progress.current.frames[-1]
            self.progress.place(replace(last, filename=place.filename, lineno=place.lineno, raw=f"{last.raw} {body}"))
            return True
        if body == "<---":
            self.progress.end_member()
            return True
        return False

    def _commit(self) -> None:
        """What was between a head and this belongs to the message."""
        if self.is_in_message:
            text = [line for line in self.pending if not is_between(line.strip())]
            self.progress.current.message.extend(text)
        self.pending.clear()
        self.is_in_message = False
        self.blanks = 0

    def _message(self, line: str, at: int) -> bool:
        """Return a line below a head: of its message, if a frame follows at all."""
        most = _MESSAGE_LINES if self.is_sure or self.progress.current.frames else _WEAK_MESSAGE_LINES
        if len(self.pending) >= most or len(line) > LONGEST_MESSAGE or ends_page(line):
            return False
        if line.lstrip().startswith("at ") and line.rstrip().endswith(")"):
            return False  # another runtime's frame
        if line.lstrip().startswith(FENCES) or is_record(line):
            return False
        head = head_of(line)
        if head is not None and not head.is_behind_text and (head.is_sure or "." in head.type or not self.is_sure):
            return False
        self.pending.append(line.rstrip())
        if line.rstrip().endswith("<---"):
            self.pending[-1] = self.pending[-1].removesuffix("<---")
            self._commit()
            self.progress.end_member()
            self.end = at + 1
        self.blanks = 0
        return True

    def _goes_on(self, at: int) -> bool:
        """Whether an inner exception is still open and its end comes: FileNotFoundException prints its log in between."""
        if len(self.progress.open) <= 1:
            following = self._next(at)
            return following is not None and (frame_of(following) is not None or arrow_of(following[:400]) is not None)
        for number in range(at + 1, at + _LOOK_AHEAD):
            line = self.lines.get(number)
            if line is None or len(line) > LONGEST_FRAME:
                return False
            marker = marker_of(line)
            if marker is not None and marker.is_end_of_inner is not False:
                return True
        return False

    def _next(self, at: int) -> str | None:
        """Return the next line that is not blank, not far from here."""
        for number in range(at + 1, at + 4):
            line = self.lines.get(number)
            if line is None or line.strip():
                return line
        return None

    def reading(self, *, is_mention: bool, is_weak: bool) -> TraceReading | None:
        """Return the chain, unless nothing tells that it is .NET's."""
        raised = self.progress.raised
        has_frames = any(r.frames for r in raised)
        if not has_frames and (is_weak or (is_mention and len(raised) == 1)) and not self._is_chained():
            return None
        begin = self.lines.start(self.first) if self.begin_at is None else self.begin_at
        end = max(self.end, self.first + 1)
        span = (begin, max(begin, self.lines.end(end - 1)))
        return TraceReading(self.progress.chain(span, head_truncated=self.head_truncated), end)

    def _is_chained(self) -> bool:
        """Whether an arrow and its marker were read: no other runtime prints those."""
        return len(self.progress.raised) > 1 and any("." in (r.type or "") for r in self.progress.raised)
