"""Reads one Go trace: panics and what they were raised behind, fatal errors, goroutines of a dump."""

from dataclasses import dataclass, field

from kb.patterns import lazy
from kb.trace.lines import LOG_PREFIX, Lines, Pieces, Readable, is_prefix
from kb.trace.model import ExceptionChain, Frame, RaisedException, Relation, StackTrace
from kb.trace.runtimes.base import LONGEST_MESSAGE, MOST_EXCEPTIONS, TraceReading
from kb.trace.runtimes.go.errors import (
    GoStack,
    is_list_head,
    is_race,
    read_error,
    read_list,
    read_race,
    read_stack,
    structured_message,
)
from kb.trace.runtimes.go.syntax import (
    RECOVERED,
    GoHead,
    Goroutine,
    call_of,
    created_by,
    elided,
    gin_place_of,
    goroutine_of,
    head_of,
    is_delve,
    joined,
    place_of,
    signal_of,
)
from kb.translatable import Translatable

_LONGEST_MESSAGE = 80
"""Lines between a head and the first goroutine that are looked at."""
_LOOK_BACK = 4
_MOST_AT_MARGIN = 8
"""Panics one right below the other that may have lost the tab before them."""
_OBSERVED = lazy(r'"[^\n]{0,2000}?" \((?P<value>[^\n]{1,2000})\)$')  # Kubernetes prints the value twice


def starts(line: str) -> bool:
    """Whether this line shows a Go trace."""
    if "goroutine " in line and goroutine_of(line) is not None:
        return True
    if ".go:" in line or ".s:" in line:
        place = place_of(line)
        if place is not None and (line[:1] in " \t" or place[2]):
            return True
        if gin_place_of(line) is not None:
            return True
    if "DATA RACE" in line and is_race(line):
        return True
    if is_list_head(line):
        return True
    return is_delve(line) or head_of(line) is not None or line.strip() == "runtime stack:"


def read(lines: Lines) -> TraceReading | None:
    """Read the trace that line 0 belongs to."""
    first = lines.get(0) or ""
    if is_race(first):
        return read_race(lines)
    if is_list_head(first):
        return read_list(lines)
    head = head_of(first)
    if head is not None:
        return _from_head(lines, head)
    goroutine = goroutine_of(first)
    if goroutine is not None:
        return _from_goroutine(lines, goroutine)
    if first.strip() == "runtime stack:":
        return None
    return read_error(lines)


def named_in(line: str) -> RaisedException | None:
    """Return a line that is a panic or a fatal error of the runtime."""
    head = head_of(line)
    if head is None or not is_prefix(head.prefix):
        return None
    if not head.is_sure and (head.type != "panic" or head.prefix.strip()):
        return None
    messages = _messages([head.message])
    return RaisedException(head.type, messages[0] or None)


@dataclass(slots=True)
class _Trace:
    """What is known of one trace while it is read."""

    type: str | None
    messages: list[str]
    """As printed, the oldest panic first."""
    notes: list[str] = field(default_factory=list)
    thread: str | None = None
    stack: GoStack = field(default_factory=GoStack)
    passed_over: int = 0
    is_sure: bool = False

    def chain(self, span: tuple[int, int], *, is_truncated: bool = False) -> ExceptionChain:
        """Return the panics, the last one first, with the frames that each was raised at."""
        notes = [*self.notes, *self.stack.notes]
        if self.passed_over:
            notes.append(Translatable("{} further goroutines were passed over", self.passed_over))
        parts = _parts(tuple(self.stack.frames), len(self.messages))
        raised = [
            RaisedException(
                self.type,
                message or None,
                StackTrace(frames),
                Relation.CONTEXT if number else None,
                number - 1 if number else None,
            )
            for number, (message, frames) in enumerate(zip(reversed(self.messages), parts, strict=True))
        ]
        return ExceptionChain("go", tuple(raised), self.thread, is_truncated, span, tuple(notes))


def _parts(frames: tuple[Frame, ...], count: int) -> list[tuple[Frame, ...]]:
    """Return the frames of each panic, the newest first: the lowest ``panic(…)`` of the stack raised the oldest.

    A single panic's frames begin at its ``panic(…)``: what is above caught it, and printed it or raised it anew.
    """
    raised = [at for at, frame in enumerate(frames) if frame.function == "panic" and frame.module is None]
    begins = [0] * max(0, count - len(raised)) + raised[max(0, len(raised) - count) :]
    return [frames[begin:] for begin in begins]


def _messages(printed: list[str]) -> list[str]:
    """Return the messages without their marks; a panic that was raised anew with its own value is one panic."""
    found: list[str] = []
    for message in printed:
        text = RECOVERED.sub("", message).strip()[:LONGEST_MESSAGE]
        quoted = _OBSERVED.match(text) if text.startswith('"') and text.endswith(")") else None
        text = quoted["value"] if quoted is not None else text
        if not found or found[-1] != text:
            found.append(text)
    return found


def _from_head(lines: Lines, head: GoHead) -> TraceReading | None:
    first = lines.get(0) or ""
    apart = joined(first)
    if apart is not None:
        return _from_joined(lines, head, apart)
    if head.type == "SIGQUIT":  # asked for: each goroutine below is a trace apart
        return TraceReading(None, 1) if (lines.get(1) or "").startswith("PC=") else None
    trace = _Trace(head.type, [])
    at, messages = _between(lines, head, trace)
    if at is None:  # no goroutine below: the head alone
        if not (head.is_sure or trace.is_sure) or not is_prefix(head.prefix):
            return TraceReading(None, len(messages)) if len(messages) > 1 and "\n" not in messages[0] else None
        trace.messages = _messages(messages[:1])
        return TraceReading(trace.chain((lines.start(0), lines.end(0))), 1)
    trace.messages = _messages(messages)
    end = _goroutines(lines, at, trace)
    if head.type.startswith("SIG") and not trace.stack.frames:
        return None
    return TraceReading(trace.chain((lines.start(0), lines.end(end - 1))), end)


def _from_joined(lines: Lines, head: GoHead, apart: Pieces) -> TraceReading | None:
    goroutine = goroutine_of(lines.get(0) or "")
    assert goroutine is not None
    message = head.message
    at = message.find(f"goroutine {goroutine.id} [")
    trace = _Trace(head.type, _messages([part.strip() for part in message[: max(at, 0)].split(" panic: ")]))
    begin = next((n for n in range(4) if (piece := apart.get(n)) is not None and goroutine_of(piece)), 0)
    _goroutines(apart, begin, trace)
    return TraceReading(trace.chain((lines.start(0), lines.end(0))), 1) if trace.stack.frames else None


def _between(source: Readable, head: GoHead, trace: _Trace) -> tuple[int | None, list[str]]:
    """Return the line of the first goroutine or runtime stack below a head, and the messages up to there."""
    messages, blanks = [head.message], 0
    for at in range(1, _LONGEST_MESSAGE):
        line = source.get(at)
        if line is None:
            break
        body = line.strip()
        if goroutine_of(line) is not None or body == "runtime stack:":
            return at, messages
        blanks = blanks + 1 if not body else 0
        signal = signal_of(line)
        if signal is not None:
            trace.notes.append(Translatable("signal {}", signal))
            trace.is_sure = True
        elif body.startswith("panic: ") and (line[:1] in " \t" or at == len(messages) < _MOST_AT_MARGIN):
            if len(messages) < MOST_EXCEPTIONS:
                messages.append(body[7:])
        elif body.startswith("exit status ") or (blanks == 0 and body and _another(line)):
            trace.is_sure = trace.is_sure or body.startswith("exit status ")
            break
        elif body and not body.startswith(("[originating", "PC=", "runtime: ", "signal arrived", "goroutine running")):
            messages[-1] = f"{messages[-1]}\n{body}"[:LONGEST_MESSAGE]
        if blanks > 4:
            break
    return None, messages


def _another(line: str) -> bool:
    other = head_of(line)
    return other is not None and is_prefix(other.prefix)


def _goroutines(source: Readable, at: int, trace: _Trace) -> int:
    """Read the goroutines from a header on; the one that failed gives the stack. Returns the line behind them."""
    end, spare, spare_thread = at, GoStack(), None
    while (line := source.get(at)) is not None:
        body = line.strip()
        goroutine = goroutine_of(line)
        if goroutine is None and body != "runtime stack:":
            if body and not _is_leftover(body):
                break
            at += 1
            end = at if body else end
            continue
        is_chosen = goroutine is not None and goroutine.id != "0" and not trace.stack.frames
        stack, at = read_stack(source, at + 1)
        end = at
        if is_chosen and goroutine is not None and (stack.frames or trace.thread is None):
            trace.stack, trace.thread = stack, f"goroutine {goroutine.id}"
            if goroutine.state not in ("running", ""):
                trace.notes.append(Translatable("goroutine {} was in state {}", goroutine.id, goroutine.state))
        elif not spare.frames and not trace.stack.frames:
            spare, spare_thread = stack, f"goroutine {goroutine.id}" if goroutine is not None else "runtime stack"
        elif goroutine is not None:
            trace.passed_over += 1
        if goroutine is None:
            trace.notes.append(Translatable("the runtime stack was passed over"))
    if not trace.stack.frames and spare.frames:
        trace.stack, trace.thread = spare, spare_thread
    return end


def _is_leftover(body: str) -> bool:
    """Return what is between and behind goroutines and belongs to the trace."""
    return (
        created_by(body) is not None
        or elided(body)
        or body.startswith(("exit status ", "goroutine running on other thread"))
    )


def _from_goroutine(lines: Lines, goroutine: Goroutine) -> TraceReading | None:
    """Return a goroutine without a panic above it: one of a dump, or what debug.Stack gave to a logger."""
    first = lines.get(0) or ""
    apart = joined(first)
    is_log = is_prefix(goroutine.before)
    source: Readable = apart or lines
    begin = 0 if apart is None else next((n for n in range(3) if goroutine_of(apart.get(n) or "")), 0)
    stack, end = read_stack(source, begin + 1)
    if not stack.frames:
        return None
    if all(frame.module == "runtime" for frame in stack.frames):
        return TraceReading(None, end if apart is None else 1)  # the runtime's own workers
    start, above = _above(lines, goroutine, is_log=is_log)
    panicked = any(frame.function == "panic" and frame.module is None for frame in stack.frames)
    is_running = goroutine.state.startswith("running")
    trace = _Trace("panic" if panicked else None, [above if is_running else ""], thread=f"goroutine {goroutine.id}")
    trace.stack = stack
    if not is_running:
        trace.messages = [goroutine.state.partition(",")[0]]
        trace.notes.append(Translatable("a goroutine in state {}, of a dump", goroutine.state))
    if apart is not None:
        end = 1
    return TraceReading(trace.chain((start, lines.end(end - 1)), is_truncated=is_running and not above), end)


def _above(lines: Lines, goroutine: Goroutine, *, is_log: bool) -> tuple[int, str]:
    """Return what the log says right above or before the goroutine's header."""
    if not is_log:
        prefix = LOG_PREFIX.match(goroutine.before[:400])
        return lines.start(0), structured_message(
            goroutine.before[prefix.end() if prefix is not None else 0 :].strip(" :\t")
        )
    for start, line in lines.before(_LOOK_BACK):
        if not line.strip():
            continue
        if (
            place_of(line) is not None
            or call_of(line) is not None
            or created_by(line) is not None
            or line.lstrip().startswith("```")
        ):
            break
        prefix = LOG_PREFIX.match(line[:400])
        return start, structured_message((line[prefix.end() :].strip() if prefix is not None else "") or line.strip())
    return lines.start(0), ""
