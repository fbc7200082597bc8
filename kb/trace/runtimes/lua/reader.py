"""Reads one Lua traceback, and the messages that stand without one."""

from dataclasses import dataclass, field

from kb.trace.lines import Lines
from kb.trace.model import ExceptionChain, Frame, RaisedException, StackTrace
from kb.trace.prefix import LOG_PREFIX
from kb.trace.runtimes.lua.syntax import (
    LuaHead,
    frame_of,
    head_of,
    is_coroutine,
    is_tail_call,
    is_traceback,
    message_of,
    position_in,
    skipped,
)
from kb.trace.runtimes.runtime import TraceReading

MOST_FRAMES = 1_024
_LONGEST_MESSAGE = 60
_LONGEST_TEXT = 20_000


def starts(line: str) -> bool:
    """Whether this line tells of a Lua traceback."""
    if "raceback" in line and is_traceback(line):
        return True
    if (" in " in line or "]: ?" in line or "tail call" in line) and frame_of(line) is not None:
        return True
    head = head_of(line)
    return head is not None and _is_log(line[: head.begin])


def read(lines: Lines) -> TraceReading | None:
    """Reads the traceback that line 0 belongs to."""
    first = lines.get(0) or ""
    if is_traceback(first):
        return _below(lines, 1)
    if frame_of(first) is not None:
        return _headless(lines)
    head = head_of(first)
    return _from_head(lines, head) if head is not None and _is_log(first[: head.begin]) else None


def named_in(line: str) -> RaisedException | None:
    """A line that is a message of a Lua program."""
    head = head_of(line)
    if head is None or not head.is_sure or not _is_log(line[: head.begin]):
        return None
    return _raised(head.message, head.place, [])


def _raised(message: str, place: Frame | None, frames: list[Frame]) -> RaisedException:
    """The error; the place in front of its message is its only frame where no traceback was printed."""
    stack = tuple(frames) or ((place,) if place is not None else ())
    return RaisedException(None, message[:_LONGEST_TEXT] or None, StackTrace(stack))


def _is_log(prefix: str) -> bool:
    body = prefix.strip()
    if not body or body.endswith(("/", "\\")):  # /usr/bin/lua:
        return True
    found = LOG_PREFIX.match(prefix[:400])
    rest = prefix[found.end() :].strip() if found is not None else body
    return not rest or rest.endswith(":") or rest.startswith(("[kong]", "(error)", "redis", "ERR"))


@dataclass(slots=True)
class _Stack:
    frames: list[Frame] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    end: int = 0


def _stack(lines: Lines, at: int) -> _Stack:
    """The frames from a line on; of several coroutines the first, which raised it, and those that resumed it below."""
    stack, cut, blanks = _Stack(end=at), 0, 0
    while (line := lines.get(at)) is not None:
        found = frame_of(line)
        levels = skipped(line)
        if found is not None:
            blanks = 0
            if len(stack.frames) < MOST_FRAMES:
                stack.frames.append(found)
            else:
                cut += 1
        elif is_tail_call(line) or is_coroutine(line):
            blanks = 0
        elif levels is not None and stack.frames:
            stack.notes.append(f"the interpreter left {levels or 'some'} levels out")
        elif not line.strip() and not blanks and not stack.frames:
            blanks += 1
        else:
            break
        at += 1
        if line.strip():
            stack.end = at
    if cut:
        stack.notes.append(f"{cut} frames were not kept")
    return stack


def _from_head(lines: Lines, head: LuaHead) -> TraceReading | None:
    """The head, its further lines, and the traceback if there is one."""
    begin = lines.start(0) + head.begin
    parts: list[str] = []
    for at in range(1, _LONGEST_MESSAGE):
        line = lines.get(at)
        if line is None or head_of(line) is not None:
            break
        if is_traceback(line):
            stack = _stack(lines, at + 1)
            if not stack.frames:
                break
            message = "\n".join([head.message, *parts])
            raised = _raised(message, head.place, stack.frames)
            span = (begin, lines.end(stack.end - 1))
            return TraceReading(ExceptionChain("lua", (raised,), span=span, notes=tuple(stack.notes)), stack.end)
        parts.append(line.rstrip())
    if not head.is_sure:
        return None
    raised = _raised(head.message, head.place, [])
    return TraceReading(ExceptionChain("lua", (raised,), span=(begin, lines.end(0))), 1)


def _below(lines: Lines, at: int) -> TraceReading | None:
    """A traceback whose head is no telling line: some program's own words, then a place and the message."""
    stack = _stack(lines, at)
    if not stack.frames:
        return None
    begin, message = lines.start(0), ""
    parts: list[str] = []
    for start, line in lines.before(_LONGEST_MESSAGE // 4):
        if not line.strip():
            if parts or start < begin - 400:
                break
            continue
        if frame_of(line) is not None or line.lstrip().startswith(("```", "~~~")):
            break
        parts.insert(0, line.strip())
        place = position_in(line)
        head = head_of(line)
        prefix = LOG_PREFIX.match(line[:400])
        if head is not None or place is not None:
            begin = start
            first = head.message if head is not None else message_of(line[place or 0 :])[0]
            message = "\n".join([first, *parts[1:]])
            break
        if len(parts) == 1:  # the nearest line is the message, unless a place is found further up
            begin = start
            message = line[prefix.end() :].strip() if prefix is not None else line.strip()
    raised = _raised(message, None, stack.frames)
    span = (begin, lines.end(stack.end - 1))
    chain = ExceptionChain("lua", (raised,), None, head_truncated=not message, span=span, notes=tuple(stack.notes))
    return TraceReading(chain, stack.end)


def _headless(lines: Lines) -> TraceReading | None:
    """Frames whose head is cut off. One alone counts only if it is a function's: ``x.lua:3: in function 'f'``."""
    stack = _stack(lines, 0)
    if not stack.frames:
        return None
    span = (lines.start(0), lines.end(stack.end - 1))
    raised = RaisedException(None, None, StackTrace(tuple(stack.frames)))
    return TraceReading(
        ExceptionChain("lua", (raised,), None, head_truncated=True, span=span, notes=tuple(stack.notes)), stack.end
    )
