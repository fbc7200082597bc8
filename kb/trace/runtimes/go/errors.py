"""Stacks without a goroutine's header: errors that carry one (``%+v`` of pkg/errors), loggers, gin, debuggers."""

from dataclasses import dataclass, field

from kb.patterns import lazy
from kb.trace.lines import LOG_PREFIX, Lines, Readable, holds_time, is_record
from kb.trace.model import ExceptionChain, Frame, RaisedException, Relation, StackTrace
from kb.trace.runtimes.base import MOST_FRAMES, FrameStack, TraceReading, not_kept
from kb.trace.runtimes.go.names import package_of
from kb.trace.runtimes.go.syntax import (
    call_of,
    created_by,
    elided,
    frame,
    gin_call_of,
    gin_place_of,
    goroutine_of,
    head_of,
    is_delve,
    place_of,
)
from kb.translatable import Translatable

# The calls of one goroutine.

_PASSED_OVER = (
    "goroutine running on other thread",
    "runtime: unexpected return pc",
    "non-Go function",
    "runtime: ",
    "stack: frame={",
)
_MEMORY = lazy(r"[0-9a-f]{8,16}: [ !<>]")


@dataclass(slots=True)
class GoStack(FrameStack):
    """Frames, the raise point first, and what was odd about them."""

    notes: list[str] = field(default_factory=list)


def read_stack(source: Readable, at: int) -> tuple[GoStack, int]:
    """Return the calls from line ``at`` on, and the line behind them; who started the goroutine belongs to it, too."""
    stack, end, dots = GoStack(), at, 0
    while (line := source.get(at)) is not None:
        found = frame_at(source, at)
        if found is not None:
            stack.add(found[0])
            at = end = found[1]
            continue
        body = line.strip()
        starter = created_by(line)
        if starter is not None:
            stack.notes.append(Translatable("the goroutine was started by {}", starter))
            following = source.get(at + 1)
            is_place = following is not None and place_of(following) is not None
            end = at + (2 if is_place else 1)
            break
        if elided(line):
            stack.notes.append(Translatable("the runtime left frames out: {}", body))
            at = end = at + 1
            continue
        if body in ("...", "…", ".", "") and dots < 2 and frame_at(source, at + 1) is not None and stack.frames:
            at, dots = at + 1, dots + 1  # an author's dots between frames
            continue
        if (body.startswith(_PASSED_OVER) or _MEMORY.match(body)) and goroutine_of(line) is None:
            at = end = at + 1
            continue
        break
    stack.notes.extend(not_kept(stack.lost))
    return stack, end


def frame_at(source: Readable, at: int) -> tuple[Frame, int] | None:
    """Return the frame of a call on this line and the place below it, and the line behind them. Either may be wrapped once."""
    line = source.get(at)
    if line is None or not line.strip():
        return None
    following = source.get(at + 1)
    name = call_of(line)
    if name is not None:
        place = place_of(following) if following is not None else None
        if place is not None:
            return frame(name, place[0], place[1], line.strip()), at + 2
        return _wrapped_place(source, name, at)
    if following is not None and "(" in line and ")" not in line[line.rfind("(") :]:
        name = call_of(line.rstrip() + following.strip())
        below = source.get(at + 2)
        place = place_of(below) if name is not None and below is not None else None
        if name is not None and place is not None:
            return frame(name, place[0], place[1], line.strip()), at + 3
    return None


def _wrapped_place(source: Readable, name: str, at: int) -> tuple[Frame, int] | None:
    upper, lower = source.get(at + 1), source.get(at + 2)
    if upper is None or lower is None or "/" not in upper or upper[:1] not in " \t":
        return None
    place = place_of(upper.rstrip() + lower.strip()) or place_of(upper.rstrip() + " " + lower.strip())
    return (frame(name, place[0], place[1], (source.get(at) or "").strip()), at + 3) if place is not None else None


# Reports of the Go race detector: two accesses, each with its stack.

_HEAD = "WARNING: DATA RACE"
_MOST_LINES = 20_000
_ACCESSES = ("Read at ", "Write at ", "Atomic ", "Previous ", "Race by ")


def is_race(line: str) -> bool:
    """``WARNING: DATA RACE``."""
    return _HEAD in line[:400]


def read_race(lines: Lines) -> TraceReading | None:
    """Return the report that begins at line 0: the access that was caught, and the earlier one as its context."""
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
            notes.append(Translatable("passed over: {}", body.rstrip(":")))
    if not found:
        return None
    return TraceReading(
        ExceptionChain("go", tuple(found), span=(lines.start(0), lines.end(end - 1)), notes=tuple(notes)), end
    )


_MOST_BLOCKS = 100
_MOST_MESSAGE_LINES = 6
_LOOK_BACK = 8
_LONGEST_FIELDS = 8_000
# e.g. msg="say \"boom\"" user=7
_LOGFMT = lazy(r'(?:^|\s)(?:msg|message|error|err|panic|reason)="(?P<text>(?:[^"\\]|\\.|"(?!\s|$)){1,2000}+)"')
_ERROR_FIELD = lazy(r'"(?:error|err)": ?"(?P<text>(?:[^"\\\n]|\\.){1,2000}+)"')
_LIST_HEAD = lazy(r"(?P<before>[^\n]{0,400}?)(?P<message>\d{1,4} errors? occurred):[ \t]*$")
_MEMBER = lazy(r"[ \t]{1,12}\* (?P<text>\S[^\n]{0,4000})$")
_MOST_MEMBERS = 99
_MOST_LISTED_LINES = 1_000
_WRAPPED = lazy(r"[a-z][\w/.()*-]{0,80}+[ :]")  # Go's errors begin with a small letter


@dataclass(slots=True)
class _Block:
    message: str
    frames: list[Frame]


def read_error(lines: Lines) -> TraceReading | None:
    """Read from the first place or call on; the call and the message are above it."""
    first = lines.get(0) or ""
    if gin_place_of(first) is not None:
        return _gin(lines)
    if is_delve(first):
        return _plain(lines, 0, lines.start(0), "")
    above = lines.before(_LOOK_BACK)
    name = call_of(_bare(above[0][1])) if above else None
    place = place_of(first)
    if name is None or place is None:
        return None
    message, begin = _message_above(above[1:], above[0][0])
    top = frame(name, place[0], place[1], above[0][1].strip())
    return _chained(lines, top, message, begin)


def _bare(line: str) -> str:
    """Return a call without the log's prefix before it."""
    body = line.strip()
    return body.rpartition(" ")[2] if " " in body and not body.endswith(")") else body


def _plain(lines: Lines, at: int, begin: int, message: str) -> TraceReading | None:
    stack, end = read_stack(lines, at)
    if not stack.frames:
        return None
    raised = RaisedException(None, message or None, StackTrace(tuple(stack.frames)))
    span = (begin, lines.end(end - 1))
    return TraceReading(ExceptionChain("go", (raised,), None, not message, span, tuple(stack.notes)), end)


def _message_above(above: list[tuple[int, str]], begin: int) -> tuple[str, int]:
    """Return what is above the first call and can be a message, and where it begins.

    Of ``open x: no such file`` over ``read prices`` over the calls the upper line is the error that was wrapped: Go
    puts them together as ``read prices: open x: no such file``.
    """
    message = ""
    for number, (start, line) in enumerate(above[:3]):
        if not _may_be_message(line):
            break
        prefix = LOG_PREFIX.match(line[:400])
        text = structured_message((line[prefix.end() :].strip() if prefix is not None else "") or line.strip())
        is_logged = prefix is not None and holds_time(prefix[0])
        if number and not (is_logged or (_WRAPPED.match(text) and ": " in text) or text in ("EOF", "unexpected EOF")):
            break
        message, begin = f"{message}: {text}" if message else text, start
        if is_logged:
            break
    return message, begin


def structured_message(text: str) -> str:
    """Return a structured record's message, and its error if it names one: ``failed {"id": 7, "error": "timeout"}``, ``msg="failed" error="timeout"``."""
    texts = [found["text"] for found in _LOGFMT.finditer(text[:_LONGEST_FIELDS])]
    if texts:
        return ": ".join(texts)
    message, tab, fields = text.partition("\t{")
    if not tab:
        return text
    found = _ERROR_FIELD.search(fields[:_LONGEST_FIELDS])
    return f"{message}: {found['text']}" if found is not None else message


def _may_be_message(line: str) -> bool:
    body = line.strip()
    return bool(body) and not (
        place_of(line) is not None
        or created_by(line) is not None
        or goroutine_of(line) is not None
        or body.startswith(("```", "~~~", "==="))
    )


def _chained(lines: Lines, top: Frame, message: str, begin: int) -> TraceReading:
    """Message and stack after message and stack: the error first, then what it was wrapped in."""
    stack, end = read_stack(lines, 1)
    blocks = [_Block(message, [top, *stack.frames][:MOST_FRAMES])]
    notes = list(stack.notes)
    while len(blocks) < _MOST_BLOCKS:
        at = _next_block(lines, end)
        if at is None:
            break
        text = "\n".join((lines.get(n) or "").strip() for n in range(end, at))
        stack, end = read_stack(lines, at)
        notes.extend(stack.notes)
        blocks.append(_Block(text, stack.frames))
    raised = [
        RaisedException(
            "error" if block.message else None,
            block.message or None,
            StackTrace(tuple(block.frames)),
            Relation.CAUSE if number else None,
            number - 1 if number else None,
        )
        for number, block in enumerate(reversed(blocks))
    ]
    span = (begin, lines.end(end - 1))
    return TraceReading(
        ExceptionChain("go", tuple(raised), None, not message and len(blocks) == 1, span, tuple(notes)), end
    )


def _next_block(source: Readable, at: int) -> int | None:
    """Return where the calls of a wrapper begin: at most a few lines of message are before them."""
    for number in range(at + 1, at + 1 + _MOST_MESSAGE_LINES):
        line = source.get(number - 1)
        if line is None or not line.strip() or head_of(line) is not None or goroutine_of(line) is not None:
            return None
        if is_record(line[:400]):
            return None  # the next record of the log
        if frame_at(source, number) is not None:
            return number
    return None


def _gin(lines: Lines) -> TraceReading | None:
    r"""Place above call: ``/app/main.go:12 (0x6f7a2f)`` and below it ``\tmain.f: panic("boom")``."""
    frames: list[Frame] = []
    at = 0
    while (place := gin_place_of(lines.get(at) or "")) is not None:
        name = gin_call_of(lines.get(at + 1) or "")
        if name is None and not frames:
            return None
        if name is not None and len(frames) < MOST_FRAMES:
            package = package_of(place[0], name)
            called = f"{package}.{name}" if package else name
            frames.append(frame(called, place[0], place[1], (lines.get(at) or "").strip()))
        at += 2 if name is not None else 1
    if not frames:
        return None
    begin, message = lines.start(0), ""
    for start, line in lines.before(40):
        body = line.strip()
        if "panic recovered" in line:
            begin = start
            message = message or line.partition("recovered:")[2].strip()
            break
        if body and not message:
            begin, message = start, body
    raised = RaisedException("panic", message or None, StackTrace(tuple(frames)))
    return TraceReading(ExceptionChain("go", (raised,), None, not message, (begin, lines.end(at - 1))), at)


def is_list_head(line: str) -> bool:
    """Return whether several errors in one follow, as go-multierror prints them: ``2 errors occurred:``, then one a line behind a star."""
    return " occurred:" in line[:500] and _LIST_HEAD.match(line) is not None


def read_list(lines: Lines) -> TraceReading | None:
    """Return the list as a group: its members have no frames. None where nothing is listed below the head."""
    head = _LIST_HEAD.match(lines.get(0) or "")
    members: list[str] = []
    end = 1
    for at in range(1, _MOST_LISTED_LINES):
        line = lines.get(at)
        if line is None:
            break
        found = _MEMBER.match(line)
        if found is not None:
            members.append(found["text"].strip())
            end = at + 1
        elif members and line.strip() and line[:2].isspace() and not line.lstrip().startswith("at "):
            members[-1] = f"{members[-1]}\n{line.strip()}"[:4_000]
            end = at + 1
        elif line.strip():
            break
    if head is None or not members:
        return None
    begin = lines.start(0) + head.start("message")
    raised = [RaisedException("error", head["message"])]
    raised += [RaisedException("error", text, relation=Relation.GROUPED, parent=0) for text in members[:_MOST_MEMBERS]]
    notes = (
        (Translatable("{} more errors of the list were left out", len(members) - _MOST_MEMBERS),)
        if len(members) > _MOST_MEMBERS
        else ()
    )
    return TraceReading(ExceptionChain("go", tuple(raised), span=(begin, lines.end(end - 1)), notes=notes), end)
