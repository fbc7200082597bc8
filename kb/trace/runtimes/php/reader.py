"""Reads one PHP trace: an error or exception, its previous ones, and the stack in whatever form it is printed."""

import re

from kb.patterns import lazy
from kb.trace.lines import Lines, Sublines
from kb.trace.model import ExceptionChain, Frame, RaisedException, Relation, StackTrace
from kb.trace.runtimes.base import LONGEST_MESSAGE, MOST_EXCEPTIONS, TraceReading, not_kept
from kb.trace.runtimes.php.stack import THROWN, PhpException, PhpStack, is_stack_head
from kb.trace.runtimes.php.syntax import (
    BREAK,
    HINTS,
    PhpHead,
    boxed,
    boxed_type,
    called,
    frame_of,
    head_of,
    in_wordpress,
    place_in,
    placed,
    to_string,
    xdebug_frame,
)

_MESSAGE_LINES = 40
_BOX_LINES = 12
# e.g. Shop\RepositoryError
_THROWABLE = lazy(r"\\[A-Z]\w{0,80}(?:Error|Exception|Failed|Failure|NotFound|Timeout|Throwable)$")
_NEXT = lazy(r"(?:.{0,400}?[^\w])?Next (?=[\\A-Za-z_'])")
_PREVIOUS = lazy(r"[ \t\"]*\[previous exception\]")


def starts(line: str) -> bool:
    """Whether this line shows a PHP trace."""
    first = line
    if any(hint in line for hint in HINTS):
        first = next((part for part in BREAK.split(line, maxsplit=1) if part.strip()), line)
    return (
        head_of(first) is not None
        or frame_of(first) is not None
        or is_stack_head(first)
        or xdebug_frame(first) is not None
        or boxed(first) is not None
        or (".php" in first and called(first) is not None)
        or (".php:" in first and place_in(first) is not None and to_string(first) is not None)
        or in_wordpress(first) is not None
    )


def read(lines: Lines) -> TraceReading | None:
    """Read the trace that line 0 belongs to."""
    reader = _Reader(lines)
    first = reader.line(0) or ""
    head = head_of(first) or in_wordpress(first)
    if head is not None:
        return reader.headed(head, 0)
    if boxed(first) is not None:
        return reader.box()
    as_string = to_string(first)
    if as_string is not None and reader.is_followed(1):
        return reader.headed(as_string, 0)
    return reader.in_the_middle(first)


class _Reader:
    """The parts of one trace, read on from line 0."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._parts = Sublines(lines, BREAK, HINTS)
        self._raised: list[PhpException] = []
        self._is_root_first = True
        self._is_cut = False
        self._begin = lines.start(0)
        self._stack = PhpStack(self._parts)

    def line(self, at: int) -> str | None:
        """Return the part with this number."""
        return self._parts.get(at)

    def is_followed(self, at: int) -> bool:
        """Whether a stack trace follows the head at once."""
        line = self.line(at)
        return line is not None and (is_stack_head(line) or frame_of(line) is not None)

    def headed(self, head: PhpHead, at: int) -> TraceReading | None:
        """From a head; what it hides (``Next``, ``[previous exception]``) follows below."""
        while True:
            raised, at = self._block(head, at)
            if raised is None:
                break
            self._raised.append(raised)
            following = self._next_head(at) if len(self._raised) < MOST_EXCEPTIONS else None
            if following is None:
                break
            head, at = following
        return self._reading(at)

    def _block(self, head: PhpHead, at: int) -> tuple[PhpException | None, int]:
        """One exception with its frames, and the first part behind it."""
        head, at = self._whole(head, at)
        if head.frame is None and not head.is_sure and not self.is_followed(at):
            return None, at
        raised = PhpException(head.type, head.message)
        if head.frame is not None:
            raised.frames.append(head.frame)
        at = self._stack.take(raised, at)
        line = self.line(at)
        if line is not None and THROWN.match(line):
            at += 1
        if (
            not raised.frames
            and not self._raised
            and head.type not in ("WordPress database error", "Fatal error", "Parse error")
        ):
            return (raised, at) if head.is_sure and head.message else (None, at)
        return raised, at

    def _whole(self, head: PhpHead, at: int) -> tuple[PhpHead, int]:
        """Return the head with all lines of its message: they end where it names its place or the stack begins."""
        if head.frame is not None or head.type == "WordPress database error":
            return head, at + 1
        message = [head.message]
        for number in range(at + 1, at + _MESSAGE_LINES):
            line = self.line(number)
            if line is None or frame_of(line) is not None or is_stack_head(line):
                return (head, at + 1) if line is None else (self._joined(head, message), number)
            if number > at + 1 and head_of(line) is not None:
                break
            message.append(line)
            where = place_in(line) or _at_place(line)
            if where is not None:
                message[-1] = where[0]
                return placed(head, "\n".join(message).strip(), where[1]), number + 1
            if THROWN.match(line):
                break
        return head, at + 1

    def _joined(self, head: PhpHead, message: list[str]) -> PhpHead:
        return PhpHead(head.type, "\n".join(message).strip(), None, is_sure=head.is_sure)

    def _next_head(self, at: int) -> tuple[PhpHead, int] | None:
        """Return the exception that is printed next: ``Next …`` is newer, ``[previous exception]`` older."""
        number = at
        while (line := self.line(number)) is not None and number < at + 2 and not line.strip():
            number += 1
        if line is None:
            return None
        if _PREVIOUS.match(line):
            for behind in range(number, number + 3):
                head = head_of(self.line(behind) or "")
                if head is not None:
                    self._is_root_first = False
                    return head, behind
        found = _NEXT.match(line)
        if found is not None:
            head = to_string(line[found.end() :])
            return (head, number) if head is not None else None
        return None

    def in_the_middle(self, first: str) -> TraceReading | None:
        """From a frame or from ``Stack trace:``: the head is above it, in a form apart, or was cut off."""
        at = 1 if is_stack_head(first) else 0
        following = self.line(at) or ""
        if frame_of(following) is None and xdebug_frame(following) is None and (at or called(following) is None):
            return None
        raised = PhpException(None, "")
        head = self._above()
        if head is not None:
            raised = PhpException(head.type, head.message, frames=[head.frame] if head.frame is not None else [])
        at = self._stack.take(raised, 0)
        if not raised.frames:
            return None
        if head is None and all(frame.function is None for frame in raised.frames) and len(raised.frames) < 2:
            return None
        self._is_cut = head is None
        line = self.line(at)
        at += 1 if line is not None and THROWN.match(line) else 0
        self._raised.append(raised)
        following_head = self._next_head(at)
        return self.headed(*following_head) if following_head is not None else self._reading(at)

    def _above(self) -> PhpHead | None:
        """Return the head of several lines above the stack: ``Type: message`` … `` in file:line``."""
        message: list[str] = []
        for start, line in self._lines.before(_MESSAGE_LINES):
            if frame_of(line) is not None or (not line.strip() and message):
                return None
            if not line.strip():
                continue
            message.append(line)
            head = head_of(line) or to_string(line)
            if head is None:
                continue
            if head.frame is None and len(message) > 1:
                where = place_in(message[0])
                rest = [*reversed(message[1:-1]), where[0] if where is not None else message[0]]
                text = "\n".join([head.message, *rest]).strip()
                head = (
                    placed(head, text, where[1])
                    if where is not None
                    else PhpHead(head.type, text, is_sure=head.is_sure)
                )
            self._begin = start
            return head
        return None

    def box(self) -> TraceReading | None:
        """Return an error as Symfony's console prints it: the place, a box with type and message, the trace if asked for."""
        frame = boxed(self.line(0) or "")
        kind, message, at = None, [], 1
        while at <= _BOX_LINES and (line := self.line(at)) is not None:
            found = boxed_type(line) if kind is None else None
            if found is not None:
                kind = found
            elif is_stack_head(line) or (line.strip() and (line[0] != " " or line.lstrip().startswith("```"))):
                break
            elif line.strip():
                message.append(line.strip())
            elif message and not (self.line(at + 1) or "").strip():
                break
            at += 1
        if frame is None or (kind is None and not message):
            return None
        raised = PhpException(kind, "\n".join(message), frames=[frame])
        self._raised.append(raised)
        return self._reading(self._stack.take(raised, at))

    def _reading(self, at: int) -> TraceReading | None:
        """Return the chain of what was read up to part ``at``; None if there is nothing."""
        if not self._raised:
            return None
        end = self._parts.line_of(at - 1) + 1 if at and self.line(at - 1) is not None else 1
        while end > 1 and not (self._lines.get(end - 1) or "").strip():
            end -= 1
        printed = self._raised[::-1] if self._is_root_first else self._raised
        exceptions = tuple(
            RaisedException(
                raised.type,
                raised.message[:LONGEST_MESSAGE] or None,
                StackTrace(tuple(raised.frames)),
                Relation.CAUSE if number else None,
                number - 1 if number else None,
            )
            for number, raised in enumerate(printed)
        )
        span = (self._begin, max(self._begin, self._lines.end(end - 1)))
        notes = not_kept(sum(raised.lost for raised in printed), "{} more frames were not kept")
        return TraceReading(ExceptionChain("php", exceptions, None, self._is_cut, span, notes), end)


def _at_place(line: str) -> tuple[str, Frame] | None:
    """Return the place in a record of Monolog whose message has several lines: `` at /f.php:12)``."""
    if not re.search(r":\d{1,9}\)", line[-2_000:]):
        return None
    found = head_of(f"[object] (E(code: 0): {line}")
    return (found.message, found.frame) if found is not None and found.frame is not None else None


def named_in(line: str) -> RaisedException | None:
    r"""Return an exception in a namespace, as only PHP spells it: ``App\\Oops: message``."""
    head = to_string(line)
    if head is None or head.type is None or not _THROWABLE.search(head.type):
        return None
    return RaisedException(head.type, head.message or None)
