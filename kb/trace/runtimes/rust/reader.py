"""Reads one Rust trace: panics in both forms with their backtrace, double panics, aborts."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from kb.patterns import lazy
from kb.trace.lines import Lines, Pieces, Readable, is_prefix
from kb.trace.model import ExceptionChain, Frame, RaisedException, Relation, StackTrace
from kb.trace.runtimes.base import LONGEST_MESSAGE, TraceReading
from kb.trace.runtimes.rust import report
from kb.trace.runtimes.rust.report import RustStack, begins_stack, is_note, read_stack
from kb.trace.runtimes.rust.syntax import (
    RustHead,
    RustPosition,
    entry_of,
    frame,
    head_of,
    is_telling,
    old_end,
    place_of,
)

_LONGEST_MESSAGE = 60
_MOST_BLANKS = 3  # between a head and its message
_LONGEST_JOINED = 200_000
# e.g. thread 'main' has overflowed its stack
_OVERFLOW = lazy(r"thread (?:'(?P<thread>[^'\n]{0,200}+)'|\S{1,60}+)(?: \(\d{1,20}\))? has overflowed its stack")
_ABORTING = ("panic in a destructor during cleanup", "panic in a function that cannot unwind")
_UNWRAPS = lazy(r"called `(?:Result|Option)::\w{1,20}\(\)` on an? `(?:Err|Ok|None)` value")
_FIELD = lazy(r"\bbacktrace=[ \t]{0,8}(?P<entry>\d{1,4}: [^\n]{1,2000}+)$")
# e.g. `stack backtrace:   0: core::panicking::panic   1: acme::load`
_JOINED_BREAK = lazy(
    r"[ \t]++(?=\d{1,4}: {1,20}(?:0x|[<\w{][^\s]{0,300}::)|at [^\s:]{1,300}\.rs:\d|note: |stack backtrace:|thread ')|(?<=stack backtrace:)[ \t]++"
)


def starts(line: str) -> bool:
    """Whether this line shows a Rust trace."""
    return (
        (
            ("panicked at" in line or "fatal runtime error: " in line or "memory allocation of " in line)
            and head_of(line) is not None
        )
        or (": " in line and is_telling(line))
        or (".rs:" in line and place_of(line) is not None)
        or "has overflowed its stack" in line
        or report.is_head(line)
        or report.is_bare(line)
    )


def read(lines: Lines) -> TraceReading | None:
    """Read the trace that line 0 belongs to."""
    first = lines.get(0) or ""
    head = head_of(first)
    if head is not None and is_prefix(head.prefix):
        return _from_head(lines, head)
    overflow = _OVERFLOW.search(first) if "has overflowed its stack" in first else None
    if overflow is not None:
        return _overflowed(lines, overflow)
    if report.is_head(first) or report.is_bare(first):
        return report.read(lines)
    if is_telling(first):
        return _headless(lines, 0)
    above = lines.before(1)
    if place_of(first) is not None and above and entry_of(above[0][1]) is not None:
        return _headless(lines, 1)
    return None


def named_in(line: str) -> RaisedException | None:
    """Return a line that is a panic, in the old form, or what one that unwraps a value says."""
    if _UNWRAPS.match(line):
        return RaisedException("panic", line.strip())
    head = head_of(line)
    if head is None or not is_prefix(head.prefix) or head.is_open:
        return None
    return RaisedException(head.type, head.message or None, StackTrace(_located(head.place, line)))


@dataclass(slots=True)
class _Cut:
    """Lines of which one is cut: what is in front of its backtrace was taken."""

    source: Readable
    line_number: int
    line: str

    def get(self, at: int) -> str | None:
        """Return the line, or what is left of it."""
        return self.line if at == self.line_number else self.source.get(at)


@dataclass(slots=True)
class _Panic:
    """One panic as printed."""

    type: str
    message: str
    thread: str | None
    stack: RustStack
    end: int
    place: RustPosition | None = None
    raw: str = ""
    notes: list[str] = field(default_factory=list)

    def raised(self, relation: Relation | None = None, parent: int | None = None) -> RaisedException:
        """Return the exception, with the place of the panic where no backtrace was printed."""
        frames = tuple(self.stack.frames) or _located(self.place, self.raw)
        return RaisedException(self.type, self.message or None, StackTrace(frames), relation, parent)


def _located(place: RustPosition | None, raw: str) -> tuple[Frame, ...]:
    """Return the place a panic names, as its only frame."""
    if place is None:
        return ()
    located = frame("?", place, raw.strip())
    return (Frame(None, None, place.filename, place.lineno, place.column, located.in_app, raw.strip()),)


def _from_head(lines: Lines, head: RustHead) -> TraceReading:
    source = _source(lines)
    is_joined = isinstance(source, Pieces)
    panics = [_panic(source, 0, head)]
    while (
        not is_joined
        and len(panics) < 3
        and panics[-1].type == "panic"
        and not panics[-1].message.startswith(_ABORTING)
    ):
        at = panics[-1].end
        while _is_blank(source.get(at)) and at < panics[-1].end + 2:
            at += 1
        following = head_of(source.get(at) or "")
        if (
            following is None
            or following.type != "panic"
            or following.thread != head.thread
            or following.prefix.strip()
        ):
            break
        panics.append(_panic(source, at, following))
    if not panics[-1].message.startswith(_ABORTING):
        panics = panics[:1]
    chain = _chain(panics, lines, 1 if is_joined else panics[-1].end)
    return TraceReading(chain, 1 if is_joined else panics[-1].end)


def _is_blank(line: str | None) -> bool:
    return line is not None and not line.strip()


def _chain(panics: list[_Panic], lines: Lines, end: int) -> ExceptionChain:
    """Return the last panic first: it was raised while the others unwound, and aborted because of the one before it."""
    raised = [
        panic.raised(
            (Relation.CAUSE if number == 1 else Relation.CONTEXT) if number else None, number - 1 if number else None
        )
        for number, panic in enumerate(reversed(panics))
    ]
    notes = [note for panic in panics for note in (*panic.notes, *panic.stack.notes)]
    return ExceptionChain(
        "rust", tuple(raised), panics[0].thread, span=(lines.start(0), lines.end(end - 1)), notes=tuple(notes)
    )


def _source(lines: Lines) -> Readable:
    first = lines.get(0) or ""
    at = first.find("stack backtrace: ")
    if at >= 0 and len(first) <= _LONGEST_JOINED:
        return Pieces([piece for piece in _JOINED_BREAK.split(first) if piece.strip()])
    return lines


def _panic(source: Readable, at: int, head: RustHead) -> _Panic:
    raw = (source.get(at) or "").strip()
    message, place, end = _message(source, at, head)
    field_ = _FIELD.search(source.get(end - 1) or "") if "backtrace=" in message else None
    if field_ is not None:  # a logger puts the backtrace into a field behind the message
        message = message[: message.rfind("backtrace=")].strip()
        source, end = _Cut(source, end - 1, field_["entry"]), end - 1
    stack, end = read_stack(source, end)
    notes = []
    while (line := source.get(end)) is not None and line.strip().startswith(
        ("thread caused non-unwinding panic", "thread panicked while ")
    ):
        notes.append(line.strip())
        end += 1
    return _Panic(head.type, message, head.thread, stack, end, place, raw, notes)


def _message(source: Readable, at: int, head: RustHead) -> tuple[str, RustPosition | None, int]:
    """Return the message, the place, and the line behind both."""
    if head.type != "panic":
        return head.message or "", None, at + 1
    if head.is_open:
        return _quoted(source, at, head)
    if head.message is not None:
        return head.message, head.place, at + 1
    parts: list[str] = []
    closed = None
    below = range(at + 1, at + 2 + _MOST_BLANKS)  # a page or a chat puts blank lines there, as does `panic!("\n\n…")`
    first = next((number for number in below if not _is_blank(source.get(number))), at + 1)
    for number in range(first, first + _LONGEST_MESSAGE):
        line = source.get(number)
        if line is None or head_of(line) is not None or report.is_head(line):
            break
        if is_note(line) or begins_stack(line) or is_telling(line):
            closed = number
            break
        parts.append(line)
        if "backtrace=" in line and _FIELD.search(line) is not None:
            closed = number + 1
            break
    if closed is None:  # nothing tells where it ends: its first line, and what is indented below
        size = 1
        while size < len(parts) and (parts[size][:1] in (" ", "\t") and parts[size].strip()):
            size += 1
        parts = parts[:size] if parts and parts[0].strip() and not parts[0].rstrip().endswith(("?", "？")) else []
        closed = first + len(parts) if parts else at + 1
    text = "\n".join(part.rstrip() for part in parts).strip()
    return text[:LONGEST_MESSAGE], head.place, closed


def _quoted(source: Readable, at: int, head: RustHead) -> tuple[str, RustPosition | None, int]:
    """Return the old form whose message goes over several lines."""
    parts = [head.message or ""]
    for number in range(at + 1, at + 1 + _LONGEST_MESSAGE):
        line = source.get(number)
        if line is None or head_of(line) is not None:
            break
        end = old_end(line)
        if end is not None:
            return _joined([*parts, line[: end[0]]]), end[1], number + 1
        if begins_stack(line) or is_note(line):
            return _joined(parts), None, number
        parts.append(line)
    return parts[0], None, at + 1


def _joined(parts: Sequence[str]) -> str:
    """Return the lines of a message as one text; of one that begins below its head without the blank lines around it."""
    text = "\n".join(parts)
    return (text if parts[0] else text.strip())[:LONGEST_MESSAGE]


def _overflowed(lines: Lines, found: re.Match[str]) -> TraceReading | None:
    """``thread 'main' has overflowed its stack``, and below it the fatal error."""
    end = 1
    following = head_of(lines.get(1) or "")
    if following is not None and following.type == "fatal runtime error":
        end = 2
    raised = RaisedException("fatal runtime error", "stack overflow")
    return TraceReading(
        ExceptionChain("rust", (raised,), found["thread"], span=(lines.start(0), lines.end(end - 1))), end
    )


def _headless(lines: Lines, above: int) -> TraceReading | None:
    """Entries of a backtrace whose head is cut off."""
    source: Readable = lines
    begin = lines.start(0)
    top: list[Frame] = []
    end = 0
    if above:
        begin, line = lines.before(1)[0]
        entry = entry_of(line)
        if entry is None:
            return None
        top = [frame(entry[0], place_of(lines.get(0) or ""), line.strip())]
        end = 1
    stack, end = read_stack(source, end)
    frames = (*top, *stack.frames)
    if not frames:
        return None
    span = (begin, lines.end(end - 1))
    raised = RaisedException(None, None, StackTrace(frames))
    return TraceReading(
        ExceptionChain("rust", (raised,), head_truncated=True, span=span, notes=tuple(stack.notes)), end
    )
