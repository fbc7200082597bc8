"""What the interpreter itself prints when it dies, and ``faulthandler``: stacks of all threads, the raise point first."""

import re

from kb.trace.model import ExceptionChain, Frame, RaisedException, Relation, StackTrace
from kb.trace.runtimes.python.margin import Margin
from kb.trace.runtimes.python.syntax import bare_head, frame_of
from kb.trace.runtimes.runtime import TraceReading

_FATAL = re.compile(r"(?P<type>Fatal Python error|Windows fatal exception): (?P<message>.{1,400}?)[ \t]*$")
_TIMEOUT = re.compile(r"Timeout \((?P<message>\d{1,3}:\d{2}:\d{2}(?:\.\d{1,9})?)\)![ \t]*$")
_STACK = re.compile(
    r"(?:(?P<current>Current thread)|Thread) (?P<thread>0x[0-9a-fA-F]{1,16})(?: \[[^\]\n]{0,60}\])?(?: <[^>\n]{0,60}>)? \(most recent call first\):"
)
_PASSED = ("Python runtime state", "Extension modules:", "<no Python frame>", "  <no Python frame>", "  ...", "Current thread's C stack", "  Garbage-collecting")  # fmt: skip
_MOST_THREADS = 500
_MOST_FRAMES = 1_024


def starts_fatal(line: str) -> bool:
    """Whether the interpreter's last words begin here."""
    if "(most recent call first)" in line[:200]:
        return _STACK.match(line) is not None
    return ("fatal exception: " in line[:80] or "Fatal Python error: " in line[:80]) and _FATAL.match(line) is not None


def read_fatal(lines: Margin) -> TraceReading | None:
    """Reads the fault and the stack of the thread it happened in; those of other threads are passed over."""
    first = lines.get(0) or ""
    fault = _FATAL.match(first)
    kind, message, begin = (fault["type"], fault["message"].strip(), lines.start(0)) if fault else _above(lines)
    stacks: list[list[Frame]] = []
    names: list[str] = []
    causes: list[RaisedException] = []
    current = 0
    at = end = 0 if fault is None else 1
    while len(stacks) <= _MOST_THREADS and (line := lines.get(at)) is not None:
        stack = _STACK.match(line)
        frame = frame_of(line) if stack is None else None
        if stack is not None:
            current = len(stacks) if stack["current"] else current
            stacks.append([])
            names.append(stack["thread"])
        elif frame is not None and stacks:
            if len(stacks[-1]) < _MOST_FRAMES:
                stacks[-1].append(frame)
        elif not causes and not stacks and (head := bare_head(line)) is not None:
            causes.append(RaisedException(head[0], head[1] or None, relation=Relation.CAUSE, parent=0))
        elif line.strip() and not line.startswith(_PASSED):
            break
        at += 1
        end = at if line.strip() else end
    if fault is None and not any(stacks):
        return TraceReading(None, max(end, 1))  # threads without a frame: nothing that could be compared
    notes = (f"stacks of other threads that were passed over: {len(stacks) - 1}",) if len(stacks) > 1 else ()
    frames = tuple(stacks[current]) if stacks else ()
    thread = names[current] if names else None
    span = (begin, max(begin, lines.end(end - 1)))
    exception = RaisedException(kind, message, StackTrace(frames))
    return TraceReading(ExceptionChain("python", (exception, *causes), thread, kind is None, span, notes), max(end, 1))


def _above(lines: Margin) -> tuple[str | None, str | None, int]:
    """The fault named above the first stack; a time-out of ``dump_traceback_later`` is one."""
    for start, line in lines.before(3):
        found = _FATAL.search(line)
        if found is not None:
            return found["type"], found["message"].strip(), start
        late = _TIMEOUT.search(line, 0, 200)
        if late is not None:
            return "Timeout", late["message"], start
    return None, None, lines.start(0)
