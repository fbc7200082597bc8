"""Reports of the Go race detector: two accesses, each with its stack."""

from kb.trace.lines import Lines
from kb.trace.model import ExceptionChain, RaisedException, Relation, StackTrace
from kb.trace.runtimes.go.stack import read_stack
from kb.trace.runtimes.runtime import TraceReading

_HEAD = "WARNING: DATA RACE"
_MOST_LINES = 20_000
_ACCESSES = ("Read at ", "Write at ", "Atomic ", "Previous ", "Race by ")


def is_head(line: str) -> bool:
    """``WARNING: DATA RACE``."""
    return _HEAD in line[:400]


def read(lines: Lines) -> TraceReading | None:
    """The report that begins at line 0: the access that was caught, and the earlier one as its context."""
    found: list[RaisedException] = []
    notes: list[str] = []
    at = end = 1
    while at < _MOST_LINES and (line := lines.get(at)) is not None:
        body = line.strip()
        if body.startswith("====") or (body and not body.endswith(":")):
            end = at + 1 if body.startswith("====") else end
            break
        if not body:
            at += 1
            continue
        stack, at = read_stack(lines, at + 1)
        end = at
        notes.extend(stack.notes)
        if body.startswith(_ACCESSES) and len(found) < 2:
            hung = (Relation.CONTEXT, 0) if found else (None, None)
            found.append(RaisedException("DATA RACE", body.rstrip(":"), StackTrace(tuple(stack.frames)), *hung))
        elif stack.frames:
            notes.append(f"passed over: {body.rstrip(':')}")
    if not found:
        return None
    return TraceReading(
        ExceptionChain("go", tuple(found), span=(lines.start(0), lines.end(end - 1)), notes=tuple(notes)), end
    )
