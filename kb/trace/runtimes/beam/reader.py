"""Reads one trace of Elixir or Erlang: exceptions with their stack, exits that wrap an exception, reports of crashed processes."""

import re
from dataclasses import dataclass, field

from kb.patterns import lazy
from kb.trace.lines import Lines, is_record
from kb.trace.model import ExceptionChain, RaisedException, Relation, StackTrace
from kb.trace.runtimes.base import LONGEST_MESSAGE, FrameStack, TraceReading, not_kept
from kb.trace.runtimes.beam.names import reason_of
from kb.trace.runtimes.beam.syntax import (
    ElixirHead,
    ErlangHead,
    bare_frame,
    called_in,
    elixir_frame,
    elixir_head,
    erlang_frame,
    erlang_head,
    term_stack,
)
from kb.translatable import Translatable

_MOST_MESSAGE_LINES = 60
"""Lines between a head and its first frame: Elixir shows the clauses that were tried, ExUnit both sides of an assertion."""
_MOST_NESTED = 16
_MOST_ABOVE = 40
_MOST_TERM_LINES = 150
_LONGEST_TERM = 100_000
_MOST_TRAILER_LINES = 40
# 15:28:47.302 [error] GenServer Shop.Desk terminating · Task #PID<0.139.0> started from #PID<0.96.0> terminating
_REPORT = lazy(
    r"(?P<before>[^\n]{0,200}?)(?P<thread>(?:GenServer|GenStage consumer|Task|Process|Agent|:gen_statem|:gen_event|State machine|Supervisor) (?:#PID<[\d.]{1,20}>|[:\w.\"{}]{1,100}))"
    r"(?: started from \S{1,100})? (?:terminating|raised an exception)[ \t]*$"
)
# e.g. Client #PID<0.96.0> is alive
_TRAILER = lazy(
    r"[ \t]*(?:Last message(?: \(from [^()\n]{1,60}\))?|State|Function|Args|Client [^\n]{1,100}? is [a-z ]{2,30}|Start Call|Queue|Postponed)(?::|$|[ \t]*$)"
)
_CLIENT = lazy(r"[ \t]*Client [^\n]{1,100}? is (?:alive|dead)[ \t]*$")
# e.g. stacktrace:
_OF_TEST = lazy(r"[ \t]{4,}(?:code|left|right|arguments|stacktrace|mailbox|pattern|The following):")
_REGISTERED = lazy(r"[ \t]{1,12}registered_name: (?P<name>[\w.'@]{1,120})[ \t]*$")
_CLIENT_OF_REPORT = lazy(r"\*\* Client \S{1,60} stacktrace")


@dataclass(slots=True)
class _Raised(FrameStack):
    """One exception while its lines are read."""

    head: ElixirHead | None
    message: list[str] = field(default_factory=list)


def starts(line: str) -> bool:
    """Whether this line shows an exception of the BEAM."""
    return (
        elixir_head(line) is not None
        or elixir_frame(line) is not None
        or erlang_head(line) is not None
        or erlang_frame(line) is not None
        or '[{file,"' in line
    )


def read(lines: Lines) -> TraceReading | None:
    """Read the trace that line 0 belongs to; None where no stack is printed, for a line alone is a message."""
    first = lines.get(0) or ""
    if elixir_head(first) is not None or elixir_frame(first) is not None:
        return _Elixir(lines).read()
    head = erlang_head(first)
    if head is not None:
        return _erlang(lines, head)
    if erlang_frame(first) is not None:
        return _erlang(lines, None)
    return _term(lines) if '[{file,"' in first else None


def named_in(line: str) -> RaisedException | None:
    """Return the frame that the line is; a head alone is read by `kb.trace.messages`."""
    frame = elixir_frame(line) or erlang_frame(line)
    return RaisedException(None, None, StackTrace((frame,))) if frame is not None else None


class _Elixir:
    """Exceptions as ``Exception.format`` prints them: heads one in the other, each with the frames indented below it."""

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._raised: list[_Raised] = []
        self._notes: list[str] = []
        self._end = 0

    def read(self) -> TraceReading | None:
        """Read heads and frames from line 0 on."""
        at = 0
        while (line := self._lines.get(at)) is not None and (count := self._take(line, at)):
            at += count
        if not any(one.frames for one in self._raised):
            return None
        self._fold_reason()
        at = self._behind_trailer(at)
        begin, thread = self._above()
        span = (begin, max(begin, self._lines.end(self._end - 1)))
        for one in self._raised:
            self._notes.extend(not_kept(one.lost))
        is_cut = self._raised[0].head is None
        exceptions = tuple(_exception(one, at) for at, one in enumerate(self._raised))
        return TraceReading(ExceptionChain("beam", exceptions, thread, is_cut, span, tuple(self._notes)), self._end)

    def _take(self, line: str, at: int) -> int:
        """Return how many lines are read here; 0 where the trace ends."""
        head = elixir_head(line)
        if head is not None:
            if at and (
                head.before.strip() or not self._raised or len(self._raised) >= _MOST_NESTED or self._is_next(head)
            ):
                return 0
            self._raised.append(_Raised(head, [head.message]))
            return self._keep(at)
        current = self._raised[-1] if self._raised else None
        frame = elixir_frame(line) or (bare_frame(line) if current is not None else None)
        if frame is not None:
            self._owner(line).add(frame)
            return self._keep(at)
        if any(one.frames for one in self._raised):  # a page may have doubled the line breaks
            return int(not line.strip() and elixir_frame(self._lines.get(at + 1) or "") is not None)
        if current is None or at > _MOST_MESSAGE_LINES or is_record(line):
            return 0
        if line.strip() and current.message[-1:] != [""] and not _OF_TEST.match(line):
            current.message.append(line.strip())
        elif current.message[-1:] != [""]:
            current.message.append("")  # what follows a blank line explains the message
        return 1

    def _is_next(self, head: ElixirHead) -> bool:
        """Whether a head begins another trace: it is no deeper than the first one, whose frames are read."""
        first = self._raised[0].head
        return any(one.frames for one in self._raised) and (first is None or head.indent <= first.indent)

    def _owner(self, line: str) -> _Raised:
        """Return the exception that a frame belongs to: the last one that is indented less; an exit's frames follow those of its reason."""
        indent = len(line) - len(line.lstrip(" "))
        for one in reversed(self._raised):
            if one.head is not None and one.head.indent < indent:
                return one
        if not self._raised:
            self._raised.append(_Raised(None))
        return self._raised[-1]

    def _fold_reason(self) -> None:
        """Put a reason without frames into the message of the exit: ``** (EXIT) time out`` is no exception apart."""
        while len(self._raised) > 1 and not self._raised[-1].frames:
            reason = self._raised.pop()
            head = f"** ({reason.head.type}) " if reason.head is not None else ""
            self._raised[-1].message += [head + reason.message[0], *reason.message[1:]]

    def _keep(self, at: int) -> int:
        self._end = at + 1
        return 1

    def _above(self) -> tuple[int, str | None]:
        """Return where the report of a logger begins above the head, and the process that it names."""
        begin, head = self._lines.start(0), self._raised[0].head
        above = self._lines.before(1) if head is not None and not head.before.strip() else []
        found = _REPORT.match(above[0][1]) if above else None
        return (above[0][0], found["thread"]) if found is not None else (begin, None)

    def _behind_trailer(self, at: int) -> int:
        """Pass over what a report prints below: the last message, the state, the client with its stack."""
        most = at + _MOST_TRAILER_LINES
        while at < most and (line := self._lines.get(at)) is not None and _TRAILER.match(line):
            self._end = at = at + 1
            if _CLIENT.match(line):
                return self._behind_client(at)
        return at

    def _behind_client(self, at: int) -> int:
        begun = at
        while (line := self._lines.get(at)) is not None and (not line.strip() or elixir_frame(line) is not None):
            if at > begun + _MOST_TRAILER_LINES:
                break
            if line.strip():
                self._end = at + 1
            at += 1
        if self._end > begun:
            self._notes.append(Translatable("the stack of the client was passed over"))
        return at


def _exception(raised: _Raised, at: int) -> RaisedException:
    message = "\n".join(line for line in raised.message if line).strip()[:LONGEST_MESSAGE]
    return RaisedException(
        raised.head.type if raised.head is not None else None,
        message or None,
        StackTrace(tuple(raised.frames)),
        Relation.CAUSE if at else None,
        at - 1 if at else None,
    )


def _erlang(lines: Lines, head: ErlangHead | None) -> TraceReading | None:
    """Return a head of the shell or of a crash report, its further lines, and the calls below it."""
    stack, message, at, end = FrameStack(), [head.message] if head is not None else [], int(head is not None), 0
    while (line := lines.get(at)) is not None:
        frame = erlang_frame(line)
        if frame is not None:
            stack.add(frame)
            end = at + 1
        elif line.lstrip().startswith(("called as ", "*** argument ", "***")) and stack.frames:
            end = at + 1
        elif stack.frames or not line[:1].isspace() or not line.strip() or at > _MOST_MESSAGE_LINES or head is None:
            break
        else:
            message.append(line.strip())
        at += 1
    named = called_in(message[0]) if message else None
    frames = (*((named,) if named is not None else ()), *stack.frames)
    if not frames:
        return None
    end = max(end, 1)
    begin = lines.start(0) + (head.begin if head is not None else 0)
    text = " ".join(message).partition(" (")[0] if named is not None and named.filename else " ".join(message)
    raised = RaisedException(_type(head, text), text[:LONGEST_MESSAGE] or None, StackTrace(frames))
    span = (begin, max(begin, lines.end(end - 1)))
    return TraceReading(
        ExceptionChain("beam", (raised,), _registered(lines), head is None, span, not_kept(stack.lost)), end
    )


def _type(head: ErlangHead | None, message: str) -> str | None:
    if head is None:
        return None
    return (reason_of(message) or _leading_atom(message) or "error") if head.kind == "error" else head.kind


def _leading_atom(term: str) -> str | None:
    """Return the atom that a reason begins with: ``{timeout,{gen_server,call,…}}`` is a ``timeout``."""
    found = re.match(r"[{\s]{0,40}(?P<atom>[a-z][\w@]{0,100})(?=[,}\s]|$)", term)
    return found["atom"] if found is not None else None


def _registered(lines: Lines) -> str | None:
    """Return the name of the process that a crash report names above its head."""
    for _, line in lines.before(3):
        found = _REGISTERED.match(line)
        if found is not None:
            return found["name"] if found["name"] != "[]" else None
    return None


def _term(lines: Lines) -> TraceReading | None:
    """Return a reason and its stack, printed as one term over several lines: reports of processes, ``init terminating``."""
    above = _lines_above(lines)
    begin = above[-1][0] if above else lines.start(0)
    term = [line for _, line in reversed(above)]
    size, count = sum(len(line) + 1 for line in term), 0
    while count < _MOST_TERM_LINES and size <= _LONGEST_TERM and (line := lines.get(count)) is not None:
        if count and (not line[:1].isspace() or line.isspace()):
            break
        term.append(line)
        size += len(line) + 1
        count += 1
    text = "\n".join(term)
    stack = term_stack(text)
    if stack is None:
        return None
    end = max(count, 1)
    is_client = not stack.reason or any(_CLIENT_OF_REPORT.match(line) for _, line in lines.before(1))
    if is_client:  # a stack without a reason is whose call it was
        return TraceReading(None, end)
    type_ = _leading_atom(stack.reason)
    raised = RaisedException(type_, stack.reason[:LONGEST_MESSAGE], StackTrace(stack.frames))
    span = (begin + stack.begin, begin + min(stack.end, len(text)))
    return TraceReading(ExceptionChain("beam", (raised,), span=span), end)


def _lines_above(lines: Lines) -> list[tuple[int, str]]:
    """Return the lines above in which the term begins, nearest first; none where it begins on line 0."""
    if _has_reason(lines.get(0) or ""):
        return []
    above: list[tuple[int, str]] = []
    for start, line in lines.before(_MOST_ABOVE):
        if not line.strip() or line.startswith("="):
            return []
        above.append((start, line))
        if _has_reason("\n".join(one for _, one in reversed(above))):
            return above
        if not line[:1].isspace():
            return []
    return []


def _has_reason(text: str) -> bool:
    """Whether the text opens the term that a stack is in: ``** {badarg,[{till,pay,1,`` does, a line further down does not."""
    before = text.partition("[{")[0]
    return before.count("{") > before.count("}")
