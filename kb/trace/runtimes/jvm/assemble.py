"""From exceptions as they were printed to a chain: order, restored frames, nested texts, notes."""

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import islice, pairwise

from kb.patterns import lazy
from kb.trace.model import ExceptionChain, RaisedException, Relation, StackTrace
from kb.trace.runtimes.base import LONGEST_MESSAGE, MOST_EXCEPTIONS, FrameStack, not_kept
from kb.trace.runtimes.jvm.headers import JvmHead, nested, plain_head
from kb.translatable import Translatable

# Spark's driver quotes the exception of an executor inside a message: the quoted one is the cause.

_LOST_TASK = lazy(r"Lost task [^\n]{1,300}?\)(?P<cut>: )(?=[a-z][\w$]{0,60}\.)")


def executor_failure(head: JvmHead) -> tuple[JvmHead, JvmHead | None]:
    """Return the exception without the quoted one, and the quoted one: ``… Lost task 3.3 in stage 12.0 (TID 57, host, executor 2): a.E: m``."""
    message = head.message or ""
    found = _LOST_TASK.search(message) if "Lost task" in message else None
    if found is None:
        return head, None
    inner = plain_head(message[found.end("cut") :])
    if inner is None or not inner.is_sure:
        return head, None
    return replace(head, message=message[: found.start("cut")]), inner


_THROWN_WITHOUT_STACK = (
    "java.lang.NullPointerException",
    "java.lang.ArithmeticException",
    "java.lang.ArrayIndexOutOfBoundsException",
    "java.lang.ArrayStoreException",
    "java.lang.ClassCastException",
)
# e.g. `rejected: org.acme.LeaseException: No lease`
_INNER = lazy(r"(?:^|: )(?=[a-z]\w{0,40}(?:\.\w{1,60}){1,12}(?:Exception|Error|Throwable): )")
_THROWABLES = ("Exception", "Error", "Throwable")
_MOST_REPEATED = 8
"""Causes read from one message: each holds all behind it, so a line of 20 kB with a hundred held 1.6 MB. Real texts repeat four at most (2026-11-30)."""


@dataclass(slots=True)
class JvmException(FrameStack):
    """An exception while its trace is being read."""

    head: JvmHead
    relation: Relation | None
    parent: int | None
    indent: int
    message: list[str] = field(default_factory=list)
    elided: int = 0
    is_common: bool = False
    """Whether the elided frames are those of the enclosing trace (and can be restored from it)."""
    is_shortened: bool = False
    wraps_previous: bool = False


def assemble(
    raised: list[JvmException], *, span: tuple[int, int], head_truncated: bool, notes: tuple[str, ...]
) -> ExceptionChain:
    """Return the chain of what was read, outermost first."""
    ordered = _outermost_first(raised)
    exceptions = _with_nested([_exception(r) for r in ordered])
    exceptions = _restored(exceptions, [r.is_common for r in ordered])
    found_notes = [*notes, *(note for r in ordered for note in _notes_of(r))]
    thread = next((r.head.thread for r in ordered if r.head.thread), None)
    return ExceptionChain(
        runtime="jvm",
        exceptions=tuple(exceptions),
        thread=thread,
        head_truncated=head_truncated,
        span=span,
        notes=tuple(found_notes),
    )


def _outermost_first(raised: list[JvmException]) -> list[JvmException]:
    """Turn a logback ``%rEx`` trace (root first, ``Wrapped by:``) into the order of all others."""
    mains = [i for i, r in enumerate(raised) if i == 0 or r.wraps_previous]
    if len(mains) == 1:
        return raised
    below: dict[int, list[int]] = {main: [main] for main in mains}  # with what hangs on it, wherever that was printed
    of = {main: main for main in mains}
    for i, r in enumerate(raised):
        if i not in of:
            of[i] = of[r.parent or 0]
            below[of[i]].append(i)
    order = [i for main in reversed(mains) for i in below[main]]
    moved = {old: new for new, old in enumerate(order)}
    for main, wrapper in pairwise(mains):
        raised[main].relation, raised[main].parent = Relation.CAUSE, wrapper
    raised[mains[-1]].relation = raised[mains[-1]].parent = None
    for r in raised:
        r.parent = moved[r.parent] if r.parent is not None else None
    return [raised[old] for old in order]


def _exception(r: JvmException) -> RaisedException:
    message = "\n".join(line.strip("\n") for line in r.message).strip()[:LONGEST_MESSAGE]
    return RaisedException(
        type=r.head.type or None,
        message=message or None,
        stack=StackTrace(tuple(r.frames)),
        relation=r.relation,
        parent=r.parent,
        elided=r.elided,
        wrapped_type=r.head.wrapped_type,
    )


def _with_nested(exceptions: list[RaisedException]) -> list[RaisedException]:
    """Spring's ``nested exception is``: the text goes where a ``Caused by`` repeats it, else it becomes the cause."""
    causes = {e.parent: e for e in exceptions if e.relation is Relation.CAUSE}
    found = list(exceptions)
    for at, exception in enumerate(exceptions):
        parts = nested(exception.message or "")
        if len(parts) == 1:
            repeated = _repeated(exception.message or "") if at not in causes else ()
            parent, elided = at, len(exception.stack.frames)
            for cause in islice(repeated, MOST_EXCEPTIONS - len(found)):
                # all its frames are those of the exception that repeats it, as if it printed `... n more`
                found.append(replace(cause, parent=parent, stack=exception.stack, elided=elided))
                parent = len(found) - 1
            continue
        inner = plain_head(parts[1])
        if inner is None:
            continue
        if at in causes:
            if causes[at].type == inner.type:
                found[at] = replace(exception, message=parts[0] or None)
            continue
        found[at] = replace(exception, message=parts[0] or None)
        parent = at
        for part in parts[1:]:
            head = plain_head(part)
            if head is None or len(found) >= MOST_EXCEPTIONS:
                break
            if parent != at and head.type == found[parent].type:
                continue  # MyBatis names the cause, and Spring names it again
            message = (head.message or "").partition("\n### ")[0] or None
            found.append(RaisedException(head.type, message, relation=Relation.CAUSE, parent=parent))
            parent = len(found) - 1
    return found


def _repeated(message: str) -> Iterator[RaisedException]:
    """Yield the causes that an exception repeats in its own message where no ``Caused by: a.b.Y: m`` is, each with all that is behind it.

    ``X: a.b.Y: m`` and ``X: failed: a.b.Y: m``: Throwable takes the text of its cause for its own message.
    """
    for _ in range(_MOST_REPEATED):
        inner = _INNER.search(message.partition("\n")[0])
        head = plain_head(message[inner.end() :] if inner is not None and inner.end() else message)
        if head is None or not head.message or "." not in head.type or not head.type.endswith(_THROWABLES):
            return
        yield RaisedException(head.type, head.message, relation=Relation.CAUSE)
        message = head.message


def _restored(exceptions: list[RaisedException], is_common: list[bool]) -> list[RaisedException]:
    """Put back what ``... n more`` stood for: the last n frames of the enclosing trace (Throwable.printStackTrace)."""
    found = list(exceptions)
    for at, exception in enumerate(exceptions):
        if exception.parent is None or exception.elided == 0 or at >= len(is_common) or not is_common[at]:
            continue
        enclosing = found[exception.parent].stack.frames
        if len(enclosing) >= exception.elided:
            frames = exception.stack.frames + enclosing[-exception.elided :]
            found[at] = replace(exception, stack=StackTrace(frames))
    return found


def _notes_of(r: JvmException) -> list[str]:
    notes: list[str] = []
    name = r.head.type or "the trace"
    notes.extend(not_kept(r.lost, "{} more frames of {} were not kept", name))
    if r.is_shortened:
        notes.append(Translatable("frames of {} were left out by the author", name))
    if r.elided and not r.is_common:
        notes.append(Translatable("{} frames of {} were cut off by the logger and cannot be restored", r.elided, name))
    if not r.frames and not r.elided and r.head.type in _THROWN_WITHOUT_STACK and not r.message:
        notes.append(
            Translatable(
                "{} without frames: the JVM leaves them out after many throws (-XX:-OmitStackTraceInFastThrow)", name
            )
        )
    return notes
