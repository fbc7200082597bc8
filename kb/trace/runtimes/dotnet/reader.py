"""Reads one .NET trace: finds its head, takes its lines in, knows where it ends."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from kb.patterns import lazy
from kb.trace.lines import Lines
from kb.trace.model import RaisedException
from kb.trace.runtimes.base import TraceReading
from kb.trace.runtimes.dotnet.frames import frame_of, is_sure, unknown_frame_of
from kb.trace.runtimes.dotnet.heads import (
    LONGEST_HEAD,
    TYPE,
    DotnetHead,
    arrow_of,
    head_of,
    is_record,
    marker_of,
    pieces_of,
)
from kb.trace.runtimes.dotnet.intake import FENCES, MOST_BLANKS, DotnetCollector
from kb.trace.runtimes.dotnet.languages import type_of_message
from kb.trace.runtimes.dotnet.pages import page_behind, read_page, read_powershell, starts_page, starts_powershell
from kb.translatable import Translatable

# What is above a stack whose head is no ``Type: message``: fields of an event log, or the message alone.
#
# Programs often show ``Message`` and ``StackTrace`` of an exception and not its type.

_LONGEST = 1_000
# e.g. Exception type: HttpException
_TYPE_FIELD = lazy(
    r"[\W_]*(?:(?i:exception ?type|type d'exception|ausnahmetyp)|异常类型|例外狀況類型|例外の種類)[\"']?[ \t]*[:：=][ \t]*[\"']?"
    rf"(?P<type>{TYPE})"
)
# e.g. Exception message: gone
_MESSAGE_FIELD = lazy(
    r"[\W_]*(?:(?i:exception ?message|error ?message|message)|异常消息|错误(?:信息|消息)|消息|例外訊息|訊息|例外メッセージ)[\"']?[ \t]*[:：=][ \t]*[\"']?"
    r"(?P<message>[^\n]*?)[\"',]*[ \t]*$"
)
# e.g. Stack Trace:
_LABEL = lazy(
    r"[\W_]*(?:(?i:full ?)?(?i:stack ?trace|call ?stack|stack|trace)|堆栈(?:跟踪|信息)?|调用堆栈|堆疊追蹤|スタック ?トレース)[\"']?[ \t]*[:：=]?[\W_]*$"
)
_NO_MESSAGE = lazy(r"[ \t]*(?:```|~~~|#{1,6} |<|\||---|===|\*\*\*|$)|[^\n]*[:：>{}][ \t]*$")


@dataclass(frozen=True, slots=True)
class LinesAbove:
    """What the lines above tell."""

    type: str | None
    message: str | None
    lines: int
    """How many lines above belong to it."""
    is_inferred: bool = False
    """Whether the type is not printed, but no other exception has the message."""


def lines_above(above: Sequence[str]) -> LinesAbove | None:
    """Return the type and message in the lines above a stack, the nearest first; None if they tell neither."""
    fields = _fields(above)
    if fields is not None:
        return fields
    at = 0
    while at < len(above) and (not above[at].strip() or _LABEL.match(above[at])):
        at += 1
    if at >= len(above) or len(above[at]) > _LONGEST:
        return None
    found = _MESSAGE_FIELD.match(above[at])
    text = (found["message"] if found is not None else above[at]).strip()
    inferred = type_of_message(text)
    if inferred is not None:
        return LinesAbove(inferred, text, at + 1, is_inferred=True)
    if not text or (at > 0 and found is None) or (found is None and _NO_MESSAGE.match(above[at])):
        return None
    return LinesAbove(None, text, at + 1)


def _fields(above: Sequence[str]) -> LinesAbove | None:
    """``Exception type: X`` with ``Exception message: m`` beside it, as Windows and web APIs print them."""
    type_ = message = None
    last = 0
    between: list[str] = []
    for at, line in enumerate(above):
        if len(line) > _LONGEST or line.lstrip().startswith(("```", "~~~")):
            break
        typed, shown = _TYPE_FIELD.match(line), _MESSAGE_FIELD.match(line)
        if typed is not None and type_ is None:
            type_, last = typed["type"], at + 1
        elif shown is not None and message is None:
            message, last = "\n".join([shown["message"], *reversed(between)]).strip(), at + 1
        elif line.strip() and type_ is None and not _LABEL.match(line):
            between.append(line.strip())
    return LinesAbove(type_, message or None, last) if type_ is not None else None


_LOOK_BACK = 12
_COPY = "FATAL UNHANDLED EXCEPTION"


def starts(line: str) -> bool:
    """Whether this line shows a .NET trace."""
    if frame_of(line) is not None or arrow_of(line[:LONGEST_HEAD]) is not None:
        return True
    head = head_of(line)
    if head is not None and (head.is_sure or head.type[0].isupper()):
        return True
    if starts_page(line) or starts_powershell(line):
        return True
    marker = marker_of(line)
    unknown = unknown_frame_of(line)
    return (marker is not None and marker.is_end_of_inner is not None) or (unknown is not None and is_sure(unknown))


def read(lines: Lines) -> TraceReading | None:
    """Read the trace that line 0 belongs to."""
    first = lines.get(0) or ""
    if starts_powershell(first):
        return read_powershell(lines)
    if starts_page(first):
        return read_page(lines)
    page = page_behind(lines)
    if page is not None:
        return page
    head = head_of(pieces_of(first)[0])
    if head is None:
        return _from_the_middle(lines, DotnetCollector(lines))
    reading = _from_head(lines, 0, head)
    return _without_copy(lines, reading) if reading is not None else None


def _from_head(lines: Lines, at: int, head: DotnetHead) -> TraceReading | None:
    reader = DotnetCollector(lines, first=at, end=at + 1)
    reader.begin(head)
    reader.run(at, skip=1)
    return reader.reading(is_mention=head.is_behind_text, is_weak=not head.is_sure)


def _without_copy(lines: Lines, reading: TraceReading) -> TraceReading:
    """Mono prints what nobody handled twice, the second time as ``FATAL UNHANDLED EXCEPTION``: one trace."""
    at = reading.next_line
    while (line := lines.get(at)) is not None and not line.strip() and at < reading.next_line + MOST_BLANKS:
        at += 1
    if line is None or _COPY not in line[:200] or reading.chain is None:
        return reading
    head = head_of(pieces_of(line)[0])
    copy = _from_head(lines, at, head) if head is not None else None
    if copy is None or copy.chain is None or copy.chain.exceptions != reading.chain.exceptions:
        return reading
    span = (reading.chain.span[0], copy.chain.span[1])
    return TraceReading(
        replace(reading.chain, span=span, notes=(*reading.chain.notes, Translatable("printed twice"))), copy.next_line
    )


def named_in(line: str) -> RaisedException | None:
    """Return the exception that a line without a trace names: ``job failed: System.IO.IOException: disk full``."""
    head = head_of(line)
    return RaisedException(head.type, head.message) if head is not None and head.is_sure else None


def _from_the_middle(lines: Lines, reader: DotnetCollector) -> TraceReading | None:
    """Line 0 is a frame, a marker or an arrow: its head is above, or was cut off."""
    above: list[str] = []
    found: DotnetHead | None = None
    for start, line in lines.before(_LOOK_BACK):
        if frame_of(line) is not None or marker_of(line) is not None or line.lstrip().startswith(FENCES):
            break
        head = head_of(line)
        if head is not None:
            found, reader.begin_at = head, start
            break
        above.append(line)
        if is_record(line):
            break
    if found is not None:
        reader.begin(found)
        reader.progress.current.message.extend(line.rstrip() for line in reversed(above))
    else:
        _begin_headless(reader, above, lines)
    reader.run(0, skip=0)
    return reader.reading(is_mention=False, is_weak=True)


def _begin_headless(reader: DotnetCollector, above: list[str], lines: Lines) -> None:
    """No head above: fields of an event log may be there, or the message alone."""
    above_frame = lines_above(above) if frame_of(lines.get(0) or "") is not None else None
    reader.progress.begin(
        above_frame.type if above_frame is not None else None, above_frame.message if above_frame is not None else None
    )
    reader.head_truncated = above_frame is None or above_frame.type is None or above_frame.is_inferred
    if above_frame is not None:
        reader.begin_at = lines.before(above_frame.lines)[-1][0]
        if above_frame.is_inferred:
            reader.progress.notes.append(Translatable("the type is not printed: the message tells it"))
