"""Errors that ``main`` gave back, as anyhow, eyre and cargo print them: a head and its numbered causes."""

from dataclasses import dataclass, field

from kb.patterns import lazy
from kb.trace.lines import LOG_PREFIX, Lines, Readable
from kb.trace.model import ExceptionChain, Frame, RaisedException, Relation, StackTrace
from kb.trace.runtimes.base import FrameStack, TraceReading, not_kept
from kb.trace.runtimes.rust.syntax import RustPosition, entry_of, frame, inlined_of, place_of
from kb.translatable import Translatable

# The entries of one Rust backtrace.

_BEGINS = ("stack backtrace:", "Stack backtrace:", "Backtrace:", "BACKTRACE:")
_NOTES = (
    "note: run with `RUST_BACKTRACE",
    "note: Run with `RUST_BACKTRACE",
    "note: Some details are omitted",
    "note: some details are omitted",
    "note: run with `RUST_LIB_BACKTRACE",
)
# e.g. ⋮ 7 frames hidden ⋮
_LEFT_OUT = lazy(r"[ \t]*+(?:⋮ \d{1,9} frames? hidden ⋮|\[\.\.\. omitted \d{1,9} frames? \.\.\.\]|\.{3}|…)[ \t]*+$")
_RULE = lazy(r"[ \t]*+[━─-]{3,80}+(?: (?:BACKTRACE|SPANTRACE) [━─-]{3,80}+)?[ \t]*+$")


@dataclass(slots=True)
class RustStack(FrameStack):
    """Frames, the raise point first, and what was odd about them."""

    notes: list[str] = field(default_factory=list)

    def add(self, frame: Frame) -> None:
        """Keep one more frame; drop what the runtime itself leaves out of a short backtrace."""
        if frame.function is not None and "__rust_end_short_backtrace" in frame.function:
            self.frames.clear()
            return
        if frame.function is not None and "panic_with_hook" in frame.function:
            self.frames.clear()  # above it stands the hook that printed this
        FrameStack.add(self, frame)


def begins_stack(line: str) -> bool:
    """``stack backtrace:``, whatever printed it."""
    body = line.strip()
    return body.startswith(_BEGINS) or (len(body) < 200 and "BACKTRACE" in body and _RULE.match(line) is not None)


def begins_spans(line: str) -> bool:
    """Return the rule above the spans of eyre, which are no calls."""
    return "SPANTRACE" in line and len(line) < 200 and _RULE.match(line) is not None


def is_note(line: str) -> bool:
    """Return what the runtime says about backtraces below a panic."""
    return line.lstrip().startswith(_NOTES)


def read_stack(source: Readable, at: int) -> tuple[RustStack, int]:
    """Return the entries from line ``at`` on, with what the runtime prints around them; and the line behind."""
    stack, end, blanks = RustStack(), at, 0
    while (line := source.get(at)) is not None:
        entry = entry_of(line)
        name = entry[0] if entry is not None else _inlined(source, at) if stack.frames else None
        if name is not None:
            place, at = _place_below(source, at, entry[2] if entry is not None else None)
            stack.add(frame(name, place, line.strip()))
            end, blanks = at, 0
            continue
        body = line.strip()
        if _LEFT_OUT.match(line[:200]):
            if "hidden" in body or "omitted" in body:
                stack.notes.append(Translatable("frames were left out: {}", body))
        elif not body:
            blanks += 1
            if blanks > 1 or stack.frames:
                break
        elif (is_note(line) or begins_stack(line)) and not (stack.frames and begins_stack(line)):
            end = at + 1
        else:
            break
        at += 1
    stack.notes.extend(not_kept(stack.lost))
    return stack, end


def _inlined(source: Readable, at: int) -> str | None:
    name = inlined_of(source.get(at) or "")
    below = source.get(at + 1) if name is not None else None
    return name if below is not None and place_of(below) is not None else None


def _place_below(source: Readable, at: int, place: RustPosition | None) -> tuple[RustPosition | None, int]:
    """Return the place under an entry, on one line or wrapped over two; and the line behind."""
    if place is not None:
        return place, at + 1
    below = source.get(at + 1)
    if below is None:
        return None, at + 1
    found = place_of(below)
    if found is not None:
        return found, at + 2
    if below.lstrip().startswith("at ") and below[:1] in " \t":
        further = source.get(at + 2)
        found = place_of(below.rstrip() + further.strip()) if further is not None else None
        if found is not None:
            return found, at + 3
    return None, at + 1


_MOST_CAUSES = 99
_MOST_LINES = 400
_LOOK_BACK = 6
_LONGEST_TEXT = 4_000
_CAUSED_BY = lazy(
    r"[ \t]*+Caused by(?: this error| these errors(?: \(recent errors listed first\))?)?:[ \t]*+$"
)  # anyhow, eyre, cargo; SNAFU's Report
_NUMBERED = lazy(r"[ \t]{0,20}+(?P<index>\d{1,3}): (?P<text>[^\n]{1,4000}+)$")
_INDENTED = lazy(r"(?:\t| {2,20}+)(?P<text>[^\s*•·>|-][^\n]{0,4000}+)$")
# e.g. ry/long.rs:2:9
_PLACE = lazy(r"[ \t]{0,20}+(?P<file>[^\s:][^\n:]{0,600}\.rs):(?P<line>\d{1,9})(?::(?P<column>\d{1,9}))?[ \t]*+$")
_ERROR = lazy(r"(?P<type>Error|error): (?P<message>[^\n]{1,4000}+)$|(?P<bare>Error):[ \t]*+$")
_OWN_SIGNS = lazy(r"\(os error \d{1,6}\)|\bkind: [A-Z]\w|`RUST_|\.rs:\d")
_BAD = lazy(r"at [\w.$]{3,300}\(|[ \t]*+at | {0,8}File \"")


def is_head(line: str) -> bool:
    """``Caused by:`` with nothing behind it."""
    return "Caused by" in line[:200] and _CAUSED_BY.match(line) is not None


def is_bare(line: str) -> bool:
    """``Error:`` with nothing behind it, as eyre prints it above the numbered errors."""
    return line.startswith("Error:") and not line[6:].strip()


@dataclass(slots=True)
class _Report:
    head: str
    type: str | None
    begin: int
    causes: list[str] = field(default_factory=list)
    is_numbered: bool = False
    is_sure: bool = False
    place: Frame | None = None
    stack: RustStack = field(default_factory=RustStack)
    end: int = 0


def read(lines: Lines) -> TraceReading | None:
    """Return the error above ``Caused by:``, the causes below it, the innermost last."""
    is_eyre = is_bare(lines.get(0) or "")
    report = _Report("", "Error", lines.start(0)) if is_eyre else _above(lines)
    if report is None:
        return None
    at = _causes(lines, 1, report)
    while (following := _next_head(lines, at)) is not None:
        at = _causes(lines, following + 1, report)  # cargo numbers none
    _trailer(lines, at, report)
    if not report.causes or not _is_rust(report, is_eyre=is_eyre):
        return None
    if is_eyre:
        report.head, *report.causes = report.causes
    return TraceReading(_chain(report, lines), report.end)


def _is_rust(report: _Report, *, is_eyre: bool) -> bool:
    """Whether enough speaks for Rust: prose knows ``Caused by:``, too."""
    if is_eyre:
        return report.is_numbered
    if report.is_sure or (report.is_numbered and len(report.causes) > 1):
        return True
    signs = any(_OWN_SIGNS.search(text) for text in (report.head, *report.causes))
    return report.type is not None or signs


def _next_head(source: Readable, at: int) -> int | None:
    """Return a further ``Caused by:`` right below, or below one blank line."""
    for number in (at, at + 1):
        line = source.get(number)
        if line is None:
            return None
        if is_head(line):
            return number
        if line.strip():
            return None
    return None


def _above(lines: Lines) -> _Report | None:
    """Return the nearest line that says something; with its neighbours above up to the word Error."""
    for start, line in lines.before(_LOOK_BACK):
        if not line.strip():
            continue
        prefix = LOG_PREFIX.match(line[:400])
        for begin in (0, prefix.end() if prefix is not None else 0):
            found = _ERROR.match(line[begin:].strip())
            if found is not None:
                return _Report((found["message"] or "").strip(), found["type"] or found["bare"], start)
        if _BAD.match(line) or line.lstrip().startswith(("```", "Caused by")):
            return None
        own = line[prefix.end() :].strip() if prefix is not None else ""
        return _Report(own or line.strip(), None, start)
    return None


def _causes(source: Readable, at: int, report: _Report) -> int:
    """Return the causes under one ``Caused by:``; returns the line behind them."""
    expected = 0
    for number in range(at, at + _MOST_LINES):
        line = source.get(number)
        numbered = _NUMBERED.match(line) if line is not None else None
        indented = _INDENTED.match(line) if line is not None and numbered is None else None
        if line is None or (numbered is None and indented is None) or _BAD.match(line.strip()):
            return number
        text = (numbered or indented or {"text": ""})["text"].strip()
        is_further = indented is not None and number > at
        if numbered is not None and number == at and numbered["index"] == "1":
            expected = 1  # SNAFU counts from one
        if numbered is not None and int(numbered["index"]) != expected:
            return number
        if is_further and not report.causes:
            return number
        if is_further:
            if len(report.causes[-1]) < _LONGEST_TEXT:
                report.causes[-1] = f"{report.causes[-1]}\n{text}"
        elif len(report.causes) < _MOST_CAUSES:
            report.causes.append(text)
        else:  # the last is the root
            report.causes[-1] = text
        report.is_numbered = report.is_numbered or numbered is not None
        expected += numbered is not None
        report.end = number + 1
    return at + _MOST_LINES


def _trailer(source: Readable, at: int, report: _Report) -> None:
    """``Location:`` and the backtrace, which are behind the causes in either order."""
    for _ in range(8):
        line = source.get(at)
        if line is None:
            return
        body = line.strip()
        place = _PLACE.match(source.get(at + 1) or "") if body == "Location:" else None
        if place is not None:
            position = RustPosition(
                place["file"], int(place["line"]), int(place["column"]) if place["column"] else None
            )
            report.place = Frame(
                None, None, position.filename, position.lineno, position.column, raw=(source.get(at + 1) or "").strip()
            )
            at += 2
            report.end, report.is_sure = at, True
        elif begins_stack(line):
            report.stack, at = read_stack(source, at)
            report.end, report.is_sure = at, True
        elif begins_spans(line):
            at = _behind_spans(source, at + 1)
        elif not body:
            at += 1
        else:
            return


def _behind_spans(source: Readable, at: int) -> int:
    """Return the line behind the spans: a blank line under at least one of them."""
    seen = False
    for number in range(at, at + _MOST_LINES):
        line = source.get(number)
        if line is None or begins_stack(line) or (seen and not line.strip()):
            return number
        seen = seen or bool(line.strip())
    return at + _MOST_LINES


def _chain(report: _Report, lines: Lines) -> ExceptionChain:
    """Return the backtrace was taken where the error was made: it belongs to the root."""
    frames = tuple(report.stack.frames) or ((report.place,) if report.place is not None else ())
    texts = [report.head, *report.causes]
    raised = [
        RaisedException(
            report.type if not number else None,
            text or None,
            StackTrace(frames if number == len(texts) - 1 else ()),
            Relation.CAUSE if number else None,
            number - 1 if number else None,
        )
        for number, text in enumerate(texts)
    ]
    span = (report.begin, lines.end(report.end - 1))
    return ExceptionChain("rust", tuple(raised), span=span, notes=tuple(report.stack.notes))
