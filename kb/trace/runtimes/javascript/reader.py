"""Reads one JavaScript trace: the error above its frames, what it was caused by, and where it ends."""

from dataclasses import replace

from kb.patterns import lazy
from kb.trace.lines import Lines, Sublines, is_record
from kb.trace.model import ExceptionChain, Frame, RaisedException, StackTrace
from kb.trace.runtimes.base import TraceReading
from kb.trace.runtimes.javascript.collect import Collector
from kb.trace.runtimes.javascript.frames import frame_of
from kb.trace.runtimes.javascript.heads import JavaScriptHead, head_of, weak_head_of
from kb.trace.runtimes.javascript.names import is_engines
from kb.trace.runtimes.javascript.places import place_of

_LOOK_BACK = 40
_LOOK_AHEAD = 30  # lines in which a test runner shows the source above the frames
_LONGEST_HIT = 20_000
_MOST_BLANKS = 3

# One-line forms: "Error: x at f (a.js:1:2) at g (b.js:3:4)", line breaks as text, <br>
_BREAK = lazy(
    r"(?:\\{1,2}r)?\\{1,2}n(?=[ \t]|\\{1,2}t|[^\s@\\/]{0,60}@[a-z]{2,20}:/)"
    r"|<br ?/?>(?=[ \t]*+at )"
    r"|(?<=\S)(?<!\(eval)[ \t]++(?=at[ \t](?:[^()\n]{1,200} \((?:[^()\n]{1,400}:\d{1,9}|<anonymous>|native)\)|(?:file:|node:|https?:|webpack|/|[A-Za-z]:\\)[^\s()]{1,400}:\d{1,9}:\d{1,9}(?=[ \t]|$)))"
    r"|(?<=\S)(?<!promise)(?<!setTimeout)(?<!setInterval)(?<!AnimationFrame)(?<!global)(?<!module)(?<!eval)(?<!get)(?<!set)[ \t]++(?=[\w$.<>/*]{0,100}@(?:https?|file|webpack|app)://?[^\s@]{1,400}:\d{1,9}:\d{1,9}(?=[ \t]|$))"
)
_HINTS = (" at ", "\\n", "@", "<br")
_ESCAPED_TAB = lazy(r"^(?:\\{1,2}t)+")
_TELLING = ("Error", "Exception", "Warning", "Rejection", "Failure", "Fault", "Violation", "Trace", "Timeout", "Abort")
_CARET = lazy(r"[ \t]*+\^{1,400}[ \t]*+$")
# e.g. node:fs:448
_AT_FILE = lazy(r"(?P<file>(?:/|[A-Za-z]:\\|file:|node:|webpack|\[)[^\n]{1,1000}?):(?P<line>\d{1,9})$")
_TRAILER = lazy(r"(?:Node\.js|Bun|Deno|deno) v?\d{1,3}\.\d{1,3}\.\d{1,3}")
# e.g. The above error occurred in the <Cart> component:
_COMPONENTS = lazy(
    r"[ \t]*+(?:The above error occurred in |React will try to recreate |Consider adding an error boundary|Component Stack:|Check the render method of )"
)
_BULLET = lazy(r"[ \t]*+● ")
_WRAPPED = lazy(r"[ \t]*+at[ \t]++[^()\n]{0,300}(?:\([^()\n]{0,600})?$")
_NO_MESSAGE = lazy(r"[ \t]*+(?:\d{1,6} [|│]|[|│][ \t]*+\^|>[ \t]|\^|[-+|=~]{3}|```|[\])}])")


def starts(line: str) -> bool:
    """Whether this line is a frame, or names an error."""
    if len(line) > _LONGEST_HIT:
        line = line[:_LONGEST_HIT]
    if frame_of(line) is not None:
        return True
    return any(word in line for word in _TELLING) and head_of(_first_part(line)) is not None


def _first_part(line: str) -> str:
    return _BREAK.split(line, maxsplit=1)[0] if " at " in line or "\\n" in line or "@" in line else line


def read(lines: Lines) -> TraceReading | None:
    """Read the trace that line 0 belongs to; None where no frame of JavaScript follows."""
    first = lines.get(0) or ""
    if frame_of(first) is not None:
        return _from_frame(lines, Sublines(lines, _BREAK, _HINTS))
    sub = None
    if "at " in first or "\\n" in first or "@" in first:  # it may be several lines in one
        sub = Sublines(lines, _BREAK, _HINTS)
        first = sub.get(0) or ""
        if frame_of(first) is not None:
            return _from_frame(lines, sub)
    head = head_of(first)
    if head is None:
        return None
    if not head.opens and sub is None and _is_alone(lines.get(1)):
        return _engine_error(lines, head)
    return _Reader(lines, sub or Sublines(lines, _BREAK, _HINTS), Collector(head, [])).read(1) or _engine_error(
        lines, head
    )


def _engine_error(lines: Lines, head: JavaScriptHead) -> TraceReading | None:
    """Return an error that a log names without its stack, in words that only an engine of JavaScript has."""
    if not is_engines(head.type, head.message) or (lines.get(0) or "")[:1].isspace():
        return None
    for at in range(1, _LOOK_AHEAD):
        below = lines.get(at)
        if below is None or is_record(below):
            break
        if frame_of(below) is not None or (at == 1 and _is_same(head, head_of(below))):
            return None  # a runner prints its stack further below, a console the same error once more
    raised = RaisedException(head.type, head.message)
    return TraceReading(ExceptionChain("javascript", (raised,), span=(lines.start(0), lines.end(0))), 1)


def _is_same(head: JavaScriptHead, other: JavaScriptHead | None) -> bool:
    return other is not None and (other.type, other.message) == (head.type, head.message)


def _is_alone(following: str | None) -> bool:
    """Whether the line below an error's is the next error's."""
    return following is None or (following[:1] not in " \t" and head_of(following) is not None)


def named_in(line: str) -> RaisedException | None:
    """Return an error named in JavaScript's own way: by a console, or with a message that an engine words."""
    head = weak_head_of(line)
    if head is None or not (line.lstrip().startswith("Uncaught ") or is_engines(head.type, head.message)):
        return None
    return RaisedException(head.type, head.message)


def _from_frame(lines: Lines, sub: Sublines) -> TraceReading | None:
    """Return a frame was met first: its error is above, unless the paste begins in the middle."""
    passed: list[str] = []
    for start, line in lines.before(_LOOK_BACK):
        if _COMPONENTS.match(line):
            return _Reader(lines, sub, Collector(None, [])).skip()
        if frame_of(line) is not None:
            break
        if not line.strip():
            passed.append(line)
            continue
        is_nearest = not any(text.strip() for text in passed)
        head = weak_head_of(line) if is_nearest else head_of(line)
        if head is not None:
            return _Reader(lines, sub, _resumed(head, passed), start).read(0)
        if _BULLET.match(line):
            message = [text for text in reversed(passed) if not _NO_MESSAGE.match(text)]
            return _Reader(lines, sub, Collector(None, message), start).read(0)
        passed.append(line)
    return _Reader(lines, sub, Collector(None, [])).read(0)


def _resumed(head: JavaScriptHead, passed: list[str]) -> Collector:
    """Return a head with the lines of its message that was between it and the first frame."""
    collector = Collector(head, [])
    for line in reversed(passed):
        collector.feed(line, None)
    return collector


class _Reader:
    """Feeds a collector line by line and knows where the trace ends."""

    def __init__(self, lines: Lines, sub: Sublines, collector: Collector, begin: int | None = None) -> None:
        self._lines = lines
        self._sub = sub
        self._collector = collector
        self._begin = lines.start(0) if begin is None else begin
        self._last = 0

    def skip(self) -> TraceReading | None:
        """Frames that are no error's: the components that React names under one."""
        at = 0
        while (line := self._sub.get(at)) is not None and (
            frame_of(line) is not None or line.lstrip().startswith("at ")
        ):
            at += 1
        return TraceReading(None, self._sub.line_of(max(at - 1, 0)) + 1)

    def read(self, at: int) -> TraceReading | None:
        """Return the chain from part ``at`` on; None if no frame was found."""
        collector = self._collector
        while (line := self._sub.get(at)) is not None:
            line = _ESCAPED_TAB.sub("\t", line) if line.startswith("\\") else line
            joined = self._joined(line, at)
            if joined is not None:
                line, at = joined, at + 1
            if not collector.feed(
                line, self._following(at + 1) if not line.strip() or line[:1] in "-=─ \tFC" else None
            ):
                break
            if line.strip():
                self._last = at
            at += 1
            if at > 1 and not collector.in_dump and line.strip()[:1] in ("}", "]"):
                break
        return self._reading()

    def _joined(self, line: str, at: int) -> str | None:
        """Return a frame that a narrow window broke in two, whole again."""
        if _WRAPPED.match(line) is None or frame_of(line) is not None:
            return None
        following = self._sub.get(at + 1)
        if following is None or not following.strip() or len(following) > 1_000 or frame_of(following) is not None:
            return None
        for glue in ("", " "):
            if frame_of(whole := line.rstrip() + glue + following.strip()) is not None:
                return whole
        return None

    def _following(self, at: int) -> str | None:
        for ahead in range(at, at + _MOST_BLANKS):
            line = self._sub.get(ahead)
            if line is None or line.strip():
                return line
        return None

    def _reading(self) -> TraceReading | None:
        if not (self._collector.has_frames or self._collector.is_dump):
            return None
        exceptions = self._collector.exceptions()
        first = exceptions[0]
        place = self._preamble()
        if place is not None and first.type == "SyntaxError":
            exceptions = (replace(first, stack=StackTrace((place, *first.stack.frames))), *exceptions[1:])
        last = self._trailer(self._sub.line_of(self._last))
        is_cut = first.type is None and first.message is None
        span = (self._begin, max(self._begin, self._lines.end(last)))
        notes = tuple(dict.fromkeys(self._collector.notes))
        return TraceReading(ExceptionChain("javascript", exceptions, None, is_cut, span, notes), last + 1)

    def _preamble(self) -> Frame | None:
        """Return the place that Node prints above an uncaught error: file and line, the source, a caret."""
        above = [place for place in self._lines.before(_LOOK_BACK) if place[0] < self._begin][:8]
        while above and not above[0][1].strip():
            above = above[1:]
        if not above or not _CARET.match(above[0][1]):
            return None
        for start, line in above[1:]:
            found = _AT_FILE.match(line)
            if found is not None:
                self._begin = start
                where = place_of(found["file"])
                return Frame(None, where.module, found["file"], int(found["line"]), None, where.rank == 0, line.strip())
        return None

    def _trailer(self, last: int) -> int:
        for at in (last + 1, last + 2):
            line = self._lines.get(at)
            if line is not None and _TRAILER.match(line):
                return at
            if line is None or line.strip():
                break
        return last
