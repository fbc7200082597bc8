"""Reads one Ruby backtrace: raise point first or last, causes below it, backtraces of logs and test runners."""

import re
from dataclasses import dataclass

from kb.patterns import lazy
from kb.trace.lines import Lines, Sublines
from kb.trace.model import ExceptionChain, Frame, RaisedException, Relation, StackTrace
from kb.trace.runtimes.base import MOST_EXCEPTIONS, MOST_FRAMES, FrameStack, TraceReading, not_kept
from kb.trace.runtimes.ruby.syntax import (
    BREAK,
    FROM_REPORT,
    HINTS,
    REVERSED,
    BareHead,
    RubyHead,
    above,
    bare_frame,
    ends_with_type,
    from_frame,
    jruby_frame,
    levels,
    loose_frame,
    place_head,
    thread_of,
    tidy,
    typed_head,
)
from kb.translatable import Translatable

# Takes the frames of one Ruby exception, one below the other.

_SKIPPED = lazy(r"[ \t]*+(?:\.{3,6}|…)[ \t]*+$")


@dataclass(slots=True)
class RubyException(FrameStack):
    """One exception while it is read."""

    type: str | None
    message: str


class RubyStack:
    """Reads frames into exceptions; notes what the backtrace says was left out."""

    def __init__(self, parts: Sublines) -> None:
        self._parts = parts
        self.notes: list[str] = []

    def take(self, raised: RubyException, at: int, *, bare: bool) -> int:
        """Take frames from ``at`` on; gives back the first part that is none."""
        while (line := self._parts.get(at)) is not None:
            found = from_frame(line)
            frame = found[0] if found is not None else (loose_frame(line) if bare else jruby_frame(line))
            size = 1
            if frame is None and "from " in line:
                frame, size = self._wrapped(line, at)
            if frame is not None:
                raised.add(frame)
                at += size
            elif (count := levels(line)) is not None:
                self.notes.append(Translatable("{} levels of the backtrace were not printed", count))
                at += 1
            elif (_SKIPPED.match(line) or not line.strip()) and self._goes_on(at + 1, bare=bare):
                at += 1
            else:
                break
        return at

    def _wrapped(self, line: str, at: int) -> tuple[Frame | None, int]:
        """Return a frame that a narrow window broke in two."""
        below = self._parts.get(at + 1)
        if below is None or "from " in below or place_head(below) is not None:
            return None, 1
        found = from_frame(line.rstrip() + below.strip()) or from_frame(f"{line.rstrip()} {below.strip()}")
        return (found[0], 2) if found is not None else (None, 1)

    def _goes_on(self, at: int, *, bare: bool) -> bool:
        line = self._parts.get(at)
        return line is not None and (
            from_frame(line) is not None or (bare and bare_frame(line) is not None and typed_head(line) is None)
        )


_MESSAGE_LINES = 60
_AHEAD = 30
# e.g. # --- Caused by: ---
_CAUSE = lazy(r"[ \t#]*+(?:-{1,3} )?Caused by(?: ?[\[(#]{0,2}\d{1,3}[\])]{0,2})?:(?P<rest>.*)$", re.DOTALL)
_RULE = lazy(r"[ \t]*+(?:# )?-{4,80}[ \t]*+$")
# e.g. IOError
_RAISED = lazy(
    r"(?:Error|Exception|Invalid|NotFound|Timeout|Failed|Failure|Exists|NotUnique|Missing|Denied|Refused|Unauthorized|Forbidden|::E[A-Z0-9]{3,20})$"
)
_HANDLES = lazy(r"(?:rescue|ensure) in ")


def starts(line: str) -> bool:
    """Whether this line shows a Ruby backtrace."""
    if ":in " in line and (bare_frame(_first(line)) is not None or from_frame(_first(line)) is not None):
        return True
    return (
        place_head(_first(line)) is not None
        or jruby_frame(line) is not None
        or thread_of(line) is not None
        or REVERSED.match(line) is not None
        or typed_head(_first(line)) is not None
    )


def _first(line: str) -> str:
    """Return the first part of a line into which several were joined."""
    if line.count(":in ") < 2 and "\\n" not in line:
        return line
    return next((part for part in BREAK.split(line, maxsplit=1) if part.strip()), line)


def read(lines: Lines) -> TraceReading | None:
    """Read the backtrace that line 0 belongs to."""
    reader = _Reader(lines)
    first = reader.line(0) or ""
    if REVERSED.match(first):
        return reader.reversed_from(1)
    numbered = from_frame(first)
    if numbered is not None and (reader.is_below_traceback() or numbered[1] is not None):
        return reader.reversed_from(0)
    thread = thread_of(first)
    if thread is not None:
        reader.thread = thread or None
        return reader.headed(1)
    if place_head(first) is not None:
        return reader.headed(0)
    if numbered is not None or bare_frame(first) is not None or jruby_frame(first) is not None:
        return reader.in_the_middle()
    return reader.announced(first)


def _is_syntax(kind: str | None, head: RubyHead) -> bool:
    """Whether a line that looks like a head is a further complaint about a file that does not parse."""
    return kind == "SyntaxError" and head.frame is not None and head.frame.function is None


class _Reader:
    """The parts of one backtrace, read on from line 0."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._parts = Sublines(lines, BREAK, HINTS)
        self.raised: list[RubyException] = []
        self.thread: str | None = None
        self.is_cut = False
        self._begin = lines.start(0)
        self._end = 1
        self._stack = RubyStack(self._parts)

    def line(self, at: int) -> str | None:
        """Return the part with this number."""
        return self._parts.get(at)

    def headed(self, at: int) -> TraceReading | None:
        """From a head that names the raise point; the causes follow, each with a head apart."""
        while len(self.raised) < MOST_EXCEPTIONS and (line := self.line(at)) is not None:
            head = place_head(line)
            if head is None or (self.raised and not self._is_cause(head, at)):
                break
            at = self._block(head, at)
        return self.reading(at)

    def _block(self, head: RubyHead, at: int) -> int:
        """One exception with its frames; gives back the first part behind it."""
        kind, below, next_ = self._message(head, at + 1)
        raised = RubyException(kind, tidy(head.message, below))
        if head.frame is not None:
            raised.frames.append(head.frame)
        self.raised.append(raised)
        return self._stack.take(raised, next_, bare=False)

    def _message(self, head: RubyHead, at: int) -> tuple[str | None, list[str], int]:
        """Type, further lines of the message, and where the frames begin; what no frame follows is not the message's."""
        kind, pointed = head.type, 0
        below: list[str] = []
        for number in range(at, at + _MESSAGE_LINES):
            line = self.line(number)
            if line is None or ((second := place_head(line)) is not None and not _is_syntax(kind, second)):
                break
            if from_frame(line) is not None or levels(line) is not None:
                return kind, below, number
            ending = ends_with_type(line) if kind is None else None
            if ending is not None:
                kind, line = ending[1], ending[0]
                pointed = number + 1 - at
            if ("^" in line and not line.strip(" ^~\t")) or line.startswith("Did you mean?") or second is not None:
                pointed = number + 1 - at  # what error_highlight and did_you_mean add is Ruby's for certain
            below.append(line)
        return kind, below[:pointed], at + pointed

    def _is_cause(self, head: RubyHead, at: int) -> bool:
        """Return a second block is the cause where both were raised in one stack: the outermost call is the same.

        Two runs of a program that print their errors one below the other look nearly so, but for the lines.
        """
        first = self.raised[-1].frames
        frames = [head.frame] if head.frame is not None else []
        number = at + 1
        while number < at + MOST_FRAMES:
            line = self.line(number)
            found = from_frame(line) if line is not None else None
            if found is None:
                if line is None or frames[1:] or number > at + _MESSAGE_LINES or place_head(line) is not None:
                    break
            else:
                frames.append(found[0])
            number += 1
        if not first or not frames:
            return False
        own, other = first[-1], frames[-1]
        is_again = (head.type, head.message) == (self.raised[-1].type, self.raised[-1].message.split("\n")[0])
        if is_again or (own.filename, own.function) != (other.filename, other.function):
            return False
        # the method that rescued is at another line by then; those that called it are where they were
        return own.lineno == other.lineno or any(
            _HANDLES.search(frame.raw) for frame in first if frame.function == own.function
        )

    def is_below_traceback(self) -> bool:
        """Whether the line above line 0, which is a frame, tells that it is the first of them."""
        above_ = self._lines.before(1)
        found = bool(above_) and REVERSED.match(above_[0][1]) is not None
        self.is_cut = not found
        self._begin = above_[0][0] if found else self._begin
        return found

    def reversed_from(self, at: int) -> TraceReading | None:
        """Ruby 2.5 to 2.7 on a terminal: the oldest call first, causes first, the raise point last."""
        begun = at
        while len(self.raised) < MOST_EXCEPTIONS:
            outer: list[Frame] = []
            lost = 0
            while (line := self.line(at)) is not None:
                found = from_frame(line)
                if found is not None:
                    outer.append(found[0])
                    if len(outer) > MOST_FRAMES:  # the calls near the raise point are printed last
                        del outer[0]
                        lost += 1
                elif levels(line) is None:
                    break
                at += 1
            head = place_head(line) if line is not None else None
            if head is None or (not outer and (self.raised or (at == begun and self.is_cut))):
                if outer and not self.raised:
                    self.raised.append(RubyException(None, "", frames=outer[::-1], lost=lost))
                break
            kind, below, at = self._message(head, at + 1)
            frames = [head.frame] if head.frame is not None else []
            self.raised.append(
                RubyException(kind, tidy(head.message, below), frames=[*frames, *reversed(outer)], lost=lost)
            )
        self.raised.reverse()
        return self.reading(at)

    def in_the_middle(self) -> TraceReading | None:
        """From a frame: what was raised is above it, or was cut off."""
        first = self.line(0) or ""
        found = above(self._lines) if self._parts.line_of(0) == 0 else None
        return self._below(found, first, 0)

    def announced(self, first: str) -> TraceReading | None:
        """From ``Type: message`` or ``Type (message):``, if frames of Ruby follow soon."""
        if typed_head(first) is None:
            return None
        for at in range(1, _AHEAD):
            line = self.line(at)
            if line is None or from_frame(line) is not None or place_head(line) is not None:
                return None
            if bare_frame(line) is not None or (jruby_frame(line) is not None and at <= 3):
                number = self._parts.line_of(at)
                found = above(self._lines.behind(number, self._lines.start(0))) if number else BareHead(first)
                if found is None or (number and found.start != self._lines.start(0)):
                    return None
                return self._below(found, line, at)
            if typed_head(line) is not None:
                return None  # the frames are that one's, if they come
        return None

    def _below(self, found: BareHead | None, first: str, at: int) -> TraceReading | None:
        head = found.head if found is not None else None
        if head is None:
            self.is_cut = True
            raised = RubyException(None, "")
        else:
            raised = RubyException(head.type, tidy(head.message, list(found.below) if found is not None else []))
            self._begin = found.start if found is not None and found.start is not None else self._begin
        self.raised.append(raised)
        at = self._stack.take(raised, at, bare=from_frame(first) is None)
        while len(self.raised) < MOST_EXCEPTIONS:
            next_ = self._logged_cause(at)
            if next_ is None:
                break
            at = next_
        return self.reading(at)

    def _logged_cause(self, at: int) -> int | None:
        """``Caused by:`` of RSpec and loggers, ``Information for cause:`` of Rails, with the frames below."""
        number = at
        while (line := self.line(number)) is not None and number < at + 4 and (not line.strip() or _RULE.match(line)):
            number += 1
        if line is None:
            return None
        found = _CAUSE.match(line)
        if found is not None and not found["rest"].strip(" -"):
            number += 1
            head = typed_head(self.line(number) or "")
        elif found is not None or FROM_REPORT in line:
            head = typed_head(line)
        else:
            return None
        below: list[str] = []
        for behind in range(number + 1, number + _AHEAD):
            line = self.line(behind)
            if head is None or line is None:
                return None
            if loose_frame(line) is not None and (bare_frame(line) is not None or line.lstrip(" \t#").startswith(".")):
                raised = RubyException(head.type, tidy(head.message, below))
                self.raised.append(raised)
                return self._stack.take(raised, behind, bare=True)
            below.append(line.lstrip(" \t#"))
        return None

    def reading(self, at: int) -> TraceReading | None:
        """Return the chain of what was read up to part ``at``; None if there is nothing."""
        if not self.raised or not any(r.frames for r in self.raised):
            return None
        self._end = self._parts.line_of(at - 1) + 1 if at else 1
        while self._end > 1 and not (self._lines.get(self._end - 1) or "").strip():
            self._end -= 1
        self._stack.notes.extend(not_kept(sum(raised.lost for raised in self.raised), "{} more frames were not kept"))
        exceptions = tuple(
            RaisedException(
                raised.type,
                raised.message or None,
                StackTrace(tuple(raised.frames)),
                Relation.CAUSE if number else None,
                number - 1 if number else None,
            )
            for number, raised in enumerate(self.raised)
        )
        span = (self._begin, max(self._begin, self._lines.end(self._end - 1)))
        chain = ExceptionChain("ruby", exceptions, self.thread, self.is_cut, span, tuple(self._stack.notes))
        return TraceReading(chain, self._end)


def named_in(line: str) -> RaisedException | None:
    """Return an exception of a nested class, as only Ruby names it: ``ActiveRecord::RecordNotFound (…)``, ``Net::ReadTimeout: …``."""
    head = typed_head(line)
    if head is None or head.type is None or "::" not in head.type or not _RAISED.search(head.type):
        return None
    return RaisedException(head.type, head.message or None)
