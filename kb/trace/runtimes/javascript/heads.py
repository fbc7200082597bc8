"""The line that names an error: ``TypeError: x``, ``Uncaught (in promise) Error [ERR_X]: x``, ``[cause]: Error: x {``."""

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache

from kb.patterns import lazy
from kb.trace.lines import LOG_PREFIX
from kb.trace.model import Frame, RaisedException, Relation, StackTrace
from kb.trace.runtimes.base import LONGEST_MESSAGE, MOST_FRAMES, FrameStack, not_kept
from kb.translatable import Translatable

_LONGEST_HEAD = 8_000

# What consoles, Node, Deno, Bun, promise libraries and loggers write before the error itself
_BEFORE = lazy(
    r"(?:[ \t]*+(?:"
    r"\(node:\d{1,9}\)|\[DEP\d{1,6}\]|\(Use `node [^`\n]{1,60}`[^)\n]{0,60}\)|<ref \*\d{1,4}>|\(in promise\)|\[uncaught\w{0,20}\]|❌|✖|⨯|×|⎯{1,80}|●"
    r"|(?i:uncaught exception|uncaughtException|unhandledRejection|unhandled (?:promise )?(?:rejection|exception|error)(?: at:?)?|unhandledPromiseRejectionWarning|js error|caught|possibly unhandled)(?:[ \t]*+[:：](?=[ \t])|(?=[ \t]+[A-Z]\w{0,60}(?:Error|Exception)\b))"
    r"|(?:error|exception|Exception):(?=[ \t]+(?:Uncaught|Error\b|[A-Z]\w{0,60}(?:Error|Exception)\b))|error:(?=[ \t])"
    r"|(?i:uncaught|unhandled)(?=[ \t])|Promise(?: Promise)? \{ ?<rejected>|\{?[ \t]?\[?(?:stack|error|err|reason)\]?:(?=[ \t])|Gjs-CRITICAL \*\*:|\d{2}:\d{2}:\d{2}\.\d{3}:|gyp ERR! stack|npm (?:ERR!|error)"
    r"|[\w.()-]{1,120}:\d{1,9}(?::\d{1,9})?(?=[ \t]+(?:Uncaught|Error|[A-Z]\w{0,60}Error))"
    r")){1,8}+[ \t]*+"
)
_CLASS = r"[A-Za-z_$][\w$]{0,120}(?:\.[A-Za-z_$][\w$]{0,120}){0,8}"
# e.g. [Error: x]
_HEAD = lazy(
    rf"(?P<bracket>\[)?(?P<type>{_CLASS})(?: \[(?P<code>[\w$.-]{{1,100}})\])?(?: \((?P<note>[\w$ .-]{{1,60}})\))?(?:[:：][ \t]*+(?P<message>.*)|(?P<bare>[\]]?[ \t]*+\{{?))$",
    re.DOTALL,
)
# e.g. Exception
_ERROR_NAME = lazy(
    r"(?:Error|Exception|Rejection|Warning|Failure|Fault|Timeout|Abort|Rejected|Assertion|Violation)\d{0,2}$"
)
_KNOWN = frozenset({"Trace", "Warning", "Invariant Violation", "Error", "Abort", "Timeout", "CancelledError", "Cancel"})
# e.g. MyError
_WITHIN = lazy(
    r"(?<![\w$.\"'`/])(?P<head>(?:[A-Za-z_$][\w$]{0,60}\.){0,4}(?:[A-Z][\w$]{0,80})?(?:Error|Exception|Warning)(?: \[[A-Z_0-9]{2,60}\])?(?:: .*|$))",
    re.DOTALL,
)
# e.g. DOMException [DataCloneError]: f could not be cloned
_DOM = lazy(r"(?:Uncaught )?(?P<type>DOMException) \[(?P<name>[A-Za-z]{1,60})\]: (?P<message>.*)$", re.DOTALL)
# e.g. [Error: x]
_BRACKETED = lazy(
    r"\[(?P<head>(?:[A-Z][\w$.]{0,80})?(?:Error|Exception)(?: \[[\w$.-]{1,60}\])?(?:: [^\[\]\n]{0,1000})?)\]"
)
_OPENS = lazy(r"(?:^|[ \t])\{[ \t]*+$")
_SERVER = lazy(r"^(?:Invariant Violation|Internal Server Error|Unhandled Runtime Error)$")
_LABELS = frozenset(
    {
        "at",
        "in",
        "url",
        "http",
        "https",
        "file",
        "node",
        "webpack",
        "Expected",
        "Received",
        "Actual",
        "Stack",
        "stack",
        "Trace",
        "Call",
        "Timestamp",
        "uncaughtException",
        "unhandledRejection",
        "Message",
        "Source",
    }
)


@dataclass(frozen=True, slots=True)
class JavaScriptHead:
    """An error as its first line names it."""

    type: str
    message: str | None
    code: str | None = None
    opens: bool = False
    """A dump of its properties follows: the line ends in ``{``."""
    is_error: bool = True
    """The name says by itself that it is an error's."""


@lru_cache(maxsize=4_096)
def head_of(line: str) -> JavaScriptHead | None:
    """Return the error that a line names at its beginning, behind a log's prefix; None if it names none for certain."""
    if len(line) > _LONGEST_HEAD or not line or line.isspace():
        return None
    for body in _bodies(line):
        is_old_dump = body.startswith("{ ")  # Node 8 and 10: { Error: x … code: 'E' }
        found = _head(body[2:] if is_old_dump else body)
        if found is not None and found.is_error:
            return replace(found, opens=True) if is_old_dump else found
    return None


def weak_head_of(line: str) -> JavaScriptHead | None:
    """Return the error on a line right above frames: any class name before a colon, or one further on in the line."""
    head = head_of(line)
    if head is not None or len(line) > _LONGEST_HEAD:
        return head
    inner = _WITHIN.search(line)
    if inner is not None:
        return _head(inner["head"])
    text = line.strip()
    if text.startswith("error: "):  # Bun's Error, and the errors of PostgreSQL's driver
        return _made("Error", text.removeprefix("error: "), None)
    for body in _bodies(line):
        found = _head(body)
        if (
            found is not None
            and found.message
            and found.type[:1].isupper()
            and found.type not in _LABELS
            and found.type.upper() != found.type
        ):
            return found
    return None


def heads_within(line: str) -> list[JavaScriptHead]:
    """Return the errors that are on one line in brackets: ``[ [Error: a], [Error: b] ]``."""
    return [head for found in _BRACKETED.finditer(line) if (head := _head(found["head"])) is not None]


def _bodies(line: str) -> list[str]:
    text = line.strip()
    bodies = [text]
    before = _BEFORE.match(text)
    if before is not None and before.end() > 0:
        bodies.insert(0, text[before.end() :])
    prefix = LOG_PREFIX.match(text)
    if prefix is not None and prefix.end() > 0:
        inner = _WITHIN.search(text)  # a class before a colon looks like a logger's name, too
        rest = text[inner.start() if inner is not None and inner.start() <= prefix.end() else prefix.end() :]
        again = _BEFORE.match(rest)
        bodies.append(rest[again.end() :] if again is not None else rest)
    return bodies


def _head(body: str) -> JavaScriptHead | None:
    dom = _DOM.match(body)
    if dom is not None:
        return _made(dom["type"], dom["message"], dom["name"])
    found = _HEAD.match(body)
    if found is None:
        return None
    message, name = found["message"], found["type"]
    is_bracketed = found["bracket"] is not None
    if message is None and (is_bracketed != ("]" in (found["bare"] or "")) or found["note"]):
        return None
    if is_bracketed and message is not None:
        cut = message.rstrip().removesuffix("{").rstrip()
        if not cut.rstrip(",").endswith("]"):
            return None
        opens = message.rstrip().endswith("{")
        return _made(name, cut.rstrip(",").removesuffix("]"), found["code"], opens=opens)
    return _made(name, message, found["code"], opens=message is None and (found["bare"] or "").rstrip().endswith("{"))


def _made(name: str, message: str | None, code: str | None, *, opens: bool = False) -> JavaScriptHead:
    if message is not None and not opens and _OPENS.search(message):
        opens = True
        message = message.rstrip().removesuffix("{")
    is_error = (_ERROR_NAME.search(name) is not None or name in _KNOWN) and name not in _LABELS - {"Trace"}
    return JavaScriptHead(name, (message or "").strip() or None, code, opens, is_error)


# An error while its lines are read, and the errors of a chain put together.


@dataclass(slots=True)
class JavaScriptError(FrameStack):
    """One error while its lines are read."""

    head: JavaScriptHead | None
    relation: Relation | None = None
    parent: int | None = None
    message: list[str] = field(default_factory=list)
    elided: list[tuple[int, int]] = field(default_factory=list)
    """Where frames were left out for being the cause's, too: before which frame, and how many."""
    indent: int = 0


def assembled(errors: list[JavaScriptError], notes: list[str]) -> tuple[RaisedException, ...]:
    """Return the errors as they are handed on; what Node left out for being the cause's is there again."""
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
                message[:LONGEST_MESSAGE].rstrip() or None,
                StackTrace(tuple(raised.frames[:MOST_FRAMES])),
                raised.relation,
                raised.parent,
                elided,
            )
        )
        notes.extend(not_kept(raised.lost))
    return tuple(reversed(made))


def _restore(raised: JavaScriptError, cause: list[Frame], notes: list[str]) -> int:
    total = 0
    for at, count in reversed(raised.elided):
        total += count
        lent = _between(raised.frames, at, count, cause)
        if lent is None:
            notes.append(Translatable("{} frames are the cause's, too, and were not printed", count))
        else:
            raised.frames[at:at] = lent
    raised.elided = []
    return total


def _between(frames: list[Frame], at: int, count: int, cause: list[Frame]) -> list[Frame] | None:
    """Return the frames of the cause that are behind the frame printed before the gap; None if they are not there."""
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
    """Return how far a line is indented."""
    return len(line) - len(line.lstrip())
