"""An error while its lines are read, and the errors of a chain put together."""

from dataclasses import dataclass, field

from kb.trace.model import Frame, RaisedException, Relation, StackTrace
from kb.trace.runtimes.javascript.heads import JavaScriptHead

MOST_FRAMES = 1_024
MOST_EXCEPTIONS = 100
_LONGEST_MESSAGE = 20_000


@dataclass(slots=True)
class JavaScriptError:
    """One error while its lines are read."""

    head: JavaScriptHead | None
    relation: Relation | None = None
    parent: int | None = None
    message: list[str] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    elided: list[tuple[int, int]] = field(default_factory=list)
    """Where frames were left out for being the cause's, too: before which frame, and how many."""
    cut: int = 0
    indent: int = 0

    def add(self, frame: Frame) -> None:
        """Takes one more frame; those of the raise point are kept."""
        if len(self.frames) < MOST_FRAMES:
            self.frames.append(frame)
        else:
            self.cut += 1


def assembled(errors: list[JavaScriptError], notes: list[str]) -> tuple[RaisedException, ...]:
    """The errors as they are handed on; what Node left out for being the cause's is there again."""
    made: list[RaisedException] = []
    for at in range(len(errors) - 1, -1, -1):  # a cause may have left out what its own cause has
        raised = errors[at]
        cause = next((r for r in errors if r.parent == at and r.relation is Relation.CAUSE), None)
        elided = _restore(raised, cause.frames if cause is not None else [], notes)
        head = raised.head
        message = "\n".join([head.message or "" if head is not None else "", *raised.message]).strip()
        made.append(
            RaisedException(
                head.type if head is not None else None,
                message[:_LONGEST_MESSAGE].rstrip() or None,
                StackTrace(tuple(raised.frames[:MOST_FRAMES])),
                raised.relation,
                raised.parent,
                elided,
            )
        )
        if raised.cut:
            notes.append(f"{raised.cut} frames were not kept")
    return tuple(reversed(made))


def _restore(raised: JavaScriptError, cause: list[Frame], notes: list[str]) -> int:
    total = 0
    for at, count in reversed(raised.elided):
        total += count
        lent = _between(raised.frames, at, count, cause)
        if lent is None:
            notes.append(f"{count} frames are the cause's, too, and were not printed")
        else:
            raised.frames[at:at] = lent
    raised.elided = []
    return total


def _between(frames: list[Frame], at: int, count: int, cause: list[Frame]) -> list[Frame] | None:
    """The frames of the cause that stand behind the frame printed before the gap; None if they are not there."""
    if not 0 < at <= len(frames):
        return None
    for start, frame in enumerate(cause):
        if _same(frame, frames[at - 1]):
            lent = cause[start + 1 : start + 1 + count]
            behind = cause[start + 1 + count : start + 2 + count]
            if len(lent) == count and (at == len(frames) or not behind or _same(behind[0], frames[at])):
                return lent
    return None


def _same(one: Frame, other: Frame) -> bool:
    return (one.function, one.filename, one.lineno, one.column) == (
        other.function,
        other.filename,
        other.lineno,
        other.column,
    )


def indent_of(line: str) -> int:
    """How far a line is indented."""
    return len(line) - len(line.lstrip())
