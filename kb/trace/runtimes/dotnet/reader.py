"""Reads one .NET trace: finds its head, takes its lines in, knows where it ends."""

from dataclasses import replace

from kb.trace.lines import Lines
from kb.trace.model import RaisedException
from kb.trace.runtimes.dotnet.above import lines_above
from kb.trace.runtimes.dotnet.frames import frame_of, is_sure, unknown_frame_of
from kb.trace.runtimes.dotnet.heads import LONGEST_HEAD, DotnetHead, arrow_of, head_of, is_record, marker_of, pieces_of
from kb.trace.runtimes.dotnet.intake import FENCES, MOST_BLANKS, DotnetCollector
from kb.trace.runtimes.dotnet.pages import page_behind, read_page, read_powershell, starts_page, starts_powershell
from kb.trace.runtimes.runtime import TraceReading

_LOOK_BACK = 12
_COPY = "FATAL UNHANDLED EXCEPTION"


def starts(line: str) -> bool:
    """Whether this line tells of a .NET trace."""
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
    """Reads the trace that line 0 belongs to."""
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
        replace(reading.chain, span=span, notes=(*reading.chain.notes, "printed twice")), copy.next_line
    )


def named_in(line: str) -> RaisedException | None:
    """The exception that a line without a trace names: ``job failed: System.IO.IOException: disk full``."""
    head = head_of(line)
    return RaisedException(head.type, head.message) if head is not None and head.is_sure else None


def _from_the_middle(lines: Lines, reader: DotnetCollector) -> TraceReading | None:
    """Line 0 is a frame, a marker or an arrow: its head stands above, or was cut off."""
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
    """No head above: fields of an event log may stand there, or the message alone."""
    told = lines_above(above) if frame_of(lines.get(0) or "") is not None else None
    reader.progress.begin(told.type if told is not None else None, told.message if told is not None else None)
    reader.head_truncated = told is None or told.type is None or told.is_inferred
    if told is not None:
        reader.begin_at = lines.before(told.lines)[-1][0]
        if told.is_inferred:
            reader.progress.notes.append("the type is not printed: the message tells it")
