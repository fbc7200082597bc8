"""A JVM trace while it is being read: takes line after line to the end of the trace."""

from dataclasses import dataclass, field
from itertools import takewhile
from typing import cast

from kb.patterns import lazy
from kb.trace.lines import LOG_PREFIX, Lines, holds_time
from kb.trace.model import ExceptionChain, Frame, Relation
from kb.trace.runtimes.base import LONGEST_MESSAGE, MOST_EXCEPTIONS, MOST_FRAMES, TraceReading
from kb.trace.runtimes.jvm.assemble import JvmException, assemble, executor_failure
from kb.trace.runtimes.jvm.frames import FRAMES, bare_frame_of, frame_of
from kb.trace.runtimes.jvm.headers import (
    JvmHead,
    Link,
    elided,
    is_circular,
    is_report,
    is_shortened,
    read_head,
    read_link,
)
from kb.translatable import Translatable

"""Frames kept of one exception: what the JVM itself keeps (MaxJavaStackTraceDepth)."""
"""Exceptions kept of one chain."""
FENCES = ("```", "~~~", "</pre", "</code", "# ", "## ", "### ", "<p>", "{% end")
"""What ends a message in a page: no trace goes on behind it."""
_MESSAGE_LINES = 60
_MOST_QUOTED = 4
_LONGEST_BROKEN = 500
_TAIL_ALONE = lazy(r"[ \t]*+~?\[[\w.?!:/+ -]{1,150}+\][ \t]*+$")


def joined_frame(line: str, following: str) -> Frame | None:
    """Return the frame that a narrow page broke in two lines."""
    if (
        not (line.lstrip().startswith("at ") or line.strip() == "at")
        or max(len(line), len(following)) > _LONGEST_BROKEN
        or frame_of(following) is not None
    ):
        return None
    whole = [line.rstrip() + glue + following.strip() for glue in ("", " ")]
    return frame_of(whole[0]) or frame_of(whole[1])


def is_new_record(line: str) -> bool:
    """Whether a logger's time is at the beginning: a message of several lines has none."""
    found = LOG_PREFIX.match(line)
    return found is not None and holds_time(found[0]) and ":" in found[0]


@dataclass(slots=True)
class TraceInProgress:
    """What was read so far, and how the lines that follow go into it."""

    lines: Lines
    begin: int
    head_truncated: bool = False
    raised: list[JvmException] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    now: int = 0
    """The exception that frames are being added to."""
    is_repeated: bool = False
    """Whether an exception is printed a second time, as Spark's driver does: its frames are known already."""
    driver: int | None = None
    """The exception that a ``Driver stacktrace:`` belongs to."""
    left_out: int = 0

    @property
    def current(self) -> JvmException:
        return self.raised[self.now]

    def hang(self, head: JvmHead, relation: Relation | None, parent: int | None, indent: int) -> None:
        """Starts a further exception; beyond the limit it takes the place of the last one, so that the root stays."""
        outer, inner = executor_failure(head)
        added = JvmException(outer, relation, parent, indent, message=[outer.message] if outer.message else [])
        if len(self.raised) >= MOST_EXCEPTIONS:
            added.parent = self.raised[-1].parent
            self.raised[-1] = added
            self.left_out += 1
        else:
            self.raised.append(added)
        if inner is not None and len(self.raised) < MOST_EXCEPTIONS:
            at = len(self.raised) - 1
            self.raised.append(
                JvmException(inner, Relation.CAUSE, at, indent, message=[inner.message] if inner.message else [])
            )
            self.driver = at
        self.now = len(self.raised) - 1
        self.is_repeated = False

    def link(self, word: str, head: JvmHead, indent: int) -> None:
        """Hangs an exception where its indentation and its introduction say."""
        if word == "Wrapped by":  # logback %rEx prints the root first: turned round when the trace is complete
            self.hang(head, None, None, indent)
            self.current.wraps_previous = True
            return
        if self.now == self.driver:
            known = [
                i for i, r in enumerate(self.raised) if r.head.type == head.type and r.head.message == head.message
            ]
            if known:
                self.now, self.is_repeated = known[0], True
                return
        parent = self.now if self.now == self.driver else self._parent(word, indent)
        self.hang(head, Relation.SUPPRESSED if word == "Suppressed" else Relation.CAUSE, parent, indent)

    def _parent(self, word: str, indent: int) -> int:
        last = len(self.raised) - 1
        if word == "Suppressed":
            at = last
            while at > 0 and self.raised[at].indent >= indent:
                at -= 1
            # indentation is lost: it hangs on what was read last
            return at if self.raised[at].indent < indent else last
        at = last
        while at > 0 and (self.raised[at].indent > indent or (indent == 0 and self._is_suppressed(at))):
            at -= 1
        return at

    def _is_suppressed(self, at: int) -> bool:
        return self.raised[at].relation is Relation.SUPPRESSED

    def message(self, at: int) -> int:
        """Read on from the line behind a head to its first frame; only then do the lines between belong to the message."""
        between: list[str] = []
        quoted = 0
        for number in range(at, at + _MESSAGE_LINES):
            line = self.lines.get(number)
            if line is None:
                break
            if self._begins_stack(line, number, is_first=not between):
                self.current.message.extend(between if not self.is_repeated else ())
                return number
            if self._ends_message(line, between):
                last = between[-1] if between else (self.current.head.message or "")
                quoted += 1
                if quoted > _MOST_QUOTED or not last.rstrip().endswith("nested exception is:"):
                    break
            if not is_shortened(line):
                between.append(line)
        return at

    def _begins_stack(self, line: str, at: int, *, is_first: bool) -> bool:
        return (
            frame_of(line) is not None
            or elided(line) is not None
            or read_link(line) is not None
            or is_circular(line)
            or (is_first and bare_frame_of(line) is not None)
            or self._broken_frame(line, at) is not None
        )

    def _ends_message(self, line: str, between: list[str]) -> bool:
        """Whether a line cannot belong to a message: the end of a block, a logger's next record, another head."""
        if is_report(line):
            return len(line) > LONGEST_MESSAGE
        if len(line) > LONGEST_MESSAGE or line.lstrip().startswith(FENCES) or is_new_record(line):
            return True
        if not line.strip() and not any(other.strip() for other in between[-2:]) and len(between) > 1:
            return True
        head = read_head(line)
        if head is None or not (head.is_sure or "." in head.type):
            return False
        # behind "Caused by:" or "Exception in thread" the JVM prints its own stack: a head in between is quoted
        is_introduced = self.current.head.thread is not None or self.current.relation is not None or self.head_truncated
        return not is_introduced or head.thread is not None or any(not other.strip() for other in between)

    def between_head_and_frame(self, between: list[str]) -> None:
        """Lines of a message, or a frame that a narrow page broke in two."""
        at = 0
        while at < len(between):
            joined = joined_frame(between[at], between[at + 1]) if at + 1 < len(between) else None
            if joined is not None:
                self._add(joined)
                at += 1
            else:
                self.current.message.append(between[at])
            at += 1

    def finish(self, at: int) -> TraceReading:
        """Read frames and links to the end of the trace."""
        end = at
        while True:
            passed = self._take_frames(at)
            if passed > at:
                at = end = passed
            line = self.lines.get(at)
            if line is None:
                break
            frame = bare_frame_of(line)
            if frame is not None:
                self._add(frame)
                at += 1
                end = at
                continue
            following = self._other(line, at)
            if following is None:
                break
            if following > at + 1 or line.strip():
                end = following
            at = following
        return TraceReading(self._chain(end), max(end, 1))

    def _take_frames(self, at: int) -> int:
        """Add the frames that are one below the other from ``at`` on; the first line that is none."""
        while ahead := self.lines.ahead(at):
            added = cast("list[Frame]", list(takewhile(bool, map(FRAMES.__getitem__, ahead))))  # the innermost loop
            if not self.is_repeated:
                frames = self.current.frames
                room = MOST_FRAMES - len(frames)
                frames += added[:room]
                self.current.lost += max(len(added) - room, 0)
            at += len(added)
            if len(added) < len(ahead):
                break
        return at

    def _add(self, frame: Frame) -> None:
        if not self.is_repeated:
            self.current.add(frame)

    def _other(self, line: str, at: int) -> int | None:
        """Return where reading goes on behind a line that is no frame; None where the trace ends."""
        if not line.strip():
            return self._behind_gap(at)
        if is_circular(line):
            self.notes.append(Translatable("circular reference: {}", line.strip()[:200]))
            return at + 1
        link, behind = self._link(line, at)
        if link is not None:
            self.link(link.word, link.head, link.indent)
            return self.message(behind)
        count = elided(line)
        if count is not None:
            if not self.is_repeated:
                self.current.elided, self.current.is_common = self.current.elided + count[0], count[1]
            return at + 1
        is_driver = self.driver is not None and line.lstrip().startswith("Driver stacktrace")
        if is_driver and self.driver is not None:
            self.now = self.driver
        # where the stacks of two coroutines were joined; what a narrow page moved from a frame's end to a line below
        is_passed = is_driver or "(Coroutine " in line[:60] or _TAIL_ALONE.match(line) is not None
        return at + 1 if is_passed else self._odd(line, at)

    def _link(self, line: str, at: int) -> tuple[Link | None, int]:
        """Return the link on a line, and the line behind it; a page may break it behind its colon."""
        if line.strip() != "Caused by:":
            return read_link(line), at + 1
        return read_link(f"{line.rstrip()} {(self.lines.get(at + 1) or '').strip()}"), at + 2

    def _behind_gap(self, at: int) -> int | None:
        """Return the next line that belongs to the trace, behind blanks and an author's dots; None if there is none near."""
        for number in range(at + 1, at + 7):
            line = self.lines.get(number)
            if line is None:
                return None
            if self._goes_on(line):
                return number
            if line.strip() and not is_shortened(line):
                return None
        return None

    @staticmethod
    def _goes_on(line: str) -> bool:
        is_known = frame_of(line) is not None or read_link(line) is not None or elided(line) is not None
        return is_known or line.lstrip().startswith(("Driver stacktrace", "Caused by:"))

    def _broken_frame(self, line: str, at: int) -> Frame | None:
        following = self.lines.get(at + 1) if line.lstrip().startswith("at") else None
        return joined_frame(line, following) if following is not None else None

    def _odd(self, line: str, at: int) -> int | None:
        """Return a line that is neither: a frame broken in two, an author's dots, or the end."""
        joined = self._broken_frame(line, at)
        if joined is not None:
            self._add(joined)
            return at + 2
        following = self.lines.get(at + 1)
        if following is None:
            return None
        body = line.strip()
        goes_on = frame_of(following) is not None or read_link(following) is not None
        if is_shortened(line):
            following_at = self._behind_gap(at)
            self.current.is_shortened = self.current.is_shortened or bool(self.current.frames)
            return following_at
        head = read_head(line)
        if goes_on and head is None and not is_new_record(line) and not body.startswith(FENCES):
            self.notes.append(Translatable("a line in the middle of the trace was passed over: {}", body[:120]))
            return at + 1
        return None

    def _chain(self, end: int) -> ExceptionChain:
        if self.left_out:
            self.notes.append(Translatable("{} exceptions before the last one were left out", self.left_out))
        span = (self.begin, max(self.begin, self.lines.end(max(end - 1, 0))))
        return assemble(self.raised, span=span, head_truncated=self.head_truncated, notes=tuple(self.notes))
