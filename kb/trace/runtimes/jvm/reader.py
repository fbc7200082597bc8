"""Reads one JVM trace: finds where it begins and lets ``progress`` take its lines."""

from kb.trace.lines import Lines
from kb.trace.model import RaisedException
from kb.trace.runtimes.jvm.clojure import read_clojure, starts_clojure
from kb.trace.runtimes.jvm.crash import read_crash, starts_crash
from kb.trace.runtimes.jvm.frames import frame_of
from kb.trace.runtimes.jvm.headers import JvmHead, Link, is_report, read_head, read_link, weak_head
from kb.trace.runtimes.jvm.progress import FENCES, TraceInProgress, is_new_record
from kb.trace.runtimes.runtime import TraceReading

_LOOK_BACK = 12
_DUMP_MARKS = (
    "- locked <",
    "- waiting ",
    "- parking ",
    "java.lang.Thread.State:",
    "Locked ownable",
    "- None",
    "- eliminated",
)


def starts(line: str) -> bool:
    """Whether this line tells of a JVM trace."""
    if frame_of(line) is not None or starts_crash(line) or starts_clojure(line):
        return True
    if read_link(line) is not None:
        return True
    head = read_head(line)
    return head is not None and head.is_sure


def read(lines: Lines) -> TraceReading | None:
    """Reads the trace that line 0 belongs to; looks back for its head where line 0 is a frame."""
    first = lines.get(0) or ""
    if starts_crash(first):
        return read_crash(lines)
    if starts_clojure(first):
        return read_clojure(lines)
    if frame_of(first) is not None:
        return _from_frame(lines)
    link = read_link(first)
    return _from_link(lines, link) if link is not None else _from_head(lines, first)


def _from_link(lines: Lines, link: Link) -> TraceReading:
    state = TraceInProgress(lines, begin=lines.start(0), head_truncated=True)
    state.hang(link.head, None, None, link.indent)
    return state.finish(state.message(1))


def _from_head(lines: Lines, first: str) -> TraceReading | None:
    head = read_head(first)
    if head is None or not head.is_sure:
        return None
    if is_report(first) and (told := _from_report(lines)) is not None:
        return told
    at = 1
    if first.startswith("Caught: ") and head == read_head(lines.get(1) or ""):
        at = 2  # Groovy names the exception it caught, and then prints it
    state = TraceInProgress(lines, begin=lines.start(0))
    state.hang(head, None, None, _indent(first))
    reading = state.finish(state.message(at))
    # behind other text, without frames and outside a log: a sentence that mentions a class
    is_mention = (
        head.is_behind_text and len(state.raised) == 1 and not state.current.frames and not state.current.elided
    )
    return None if is_mention else reading


def _from_report(lines: Lines) -> TraceReading | None:
    """A trace that begins in its message, with what MyBatis reports: the exception itself is cut off."""
    state = TraceInProgress(lines, begin=lines.start(0), head_truncated=True)
    state.hang(JvmHead(type="", message=None), None, None, 0)
    reading = state.finish(state.message(0))
    return reading if state.raised[0].frames else None


def named_in(line: str) -> RaisedException | None:
    """The exception that a line without a trace names: ``job failed: java.io.IOException: Broken pipe``."""
    head = read_head(line)
    return (
        RaisedException(head.type, head.message, wrapped_type=head.wrapped_type)
        if head is not None and head.is_sure
        else None
    )


def _from_frame(lines: Lines) -> TraceReading | None:
    above = lines.before(_LOOK_BACK)
    if _is_thread_dump(above):
        return TraceReading(None, _end_of_dump(lines))
    begin, head = lines.start(0), None
    message: list[str] = []
    for start, above_it in above:
        line = above_it
        is_fence = line.lstrip().startswith(FENCES)
        if frame_of(line) is not None or (is_fence and not line.strip("`~ \t")):
            break
        line = line.lstrip("`~") if is_fence else line
        head = read_head(line) if len(message) == 0 or ":" in line else None
        if head is None and not message:
            head = weak_head(line)
        if head is not None and ("." in head.type or head.is_sure or not message):
            begin = start
            break
        head = None
        if is_fence:
            break
        message.append(line)
        if is_new_record(line):
            break
    state = TraceInProgress(lines, begin=begin, head_truncated=head is None)
    if head is not None:
        state.hang(head, None, None, 0)
        state.between_head_and_frame(message[::-1])
    else:
        state.hang(JvmHead(type="", message=None), None, None, 0)
    return state.finish(0)


def _is_thread_dump(above: list[tuple[int, str]]) -> bool:
    for _, line in above:
        body = line.strip()
        if body.startswith(_DUMP_MARKS) or (
            body.startswith('"') and ("prio=" in body or "tid=" in body or body.endswith('":'))
        ):
            return True
        if not body or frame_of(line) is None:
            return False
    return False


def _end_of_dump(lines: Lines) -> int:
    at = 0
    while (line := lines.get(at)) is not None:
        body = line.strip()
        if not (body.startswith(_DUMP_MARKS) or body.startswith("- ") or frame_of(line) is not None):
            break
        at += 1
    return at


def _indent(line: str) -> int:
    return len(line[: len(line) - len(line.lstrip(" \t"))].expandtabs(8))
