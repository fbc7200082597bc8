"""Errors that ``main`` gave back, as anyhow, eyre and cargo print them: a head and its numbered causes."""

import re
from dataclasses import dataclass, field

from kb.trace.lines import Lines
from kb.trace.model import ExceptionChain, Frame, RaisedException, Relation, StackTrace
from kb.trace.prefix import LOG_PREFIX
from kb.trace.runtimes.pieces import Readable
from kb.trace.runtimes.runtime import TraceReading
from kb.trace.runtimes.rust.stack import RustStack, begins_spans, begins_stack, read_stack
from kb.trace.runtimes.rust.syntax import RustPosition

_MOST_CAUSES = 99
_MOST_LINES = 400
_LOOK_BACK = 6
_LONGEST_TEXT = 4_000
_CAUSED_BY = re.compile(
    r"[ \t]*+Caused by(?: this error| these errors(?: \(recent errors listed first\))?)?:[ \t]*+$"
)  # anyhow, eyre, cargo; SNAFU's Report
_NUMBERED = re.compile(r"[ \t]{0,20}+(?P<index>\d{1,3}): (?P<text>[^\n]{1,4000}+)$")
_INDENTED = re.compile(r"(?:\t| {2,20}+)(?P<text>[^\s*•·>|-][^\n]{0,4000}+)$")
_PLACE = re.compile(r"[ \t]{0,20}+(?P<file>[^\s:][^\n:]{0,600}\.rs):(?P<line>\d{1,9})(?::(?P<column>\d{1,9}))?[ \t]*+$")
_ERROR = re.compile(r"(?P<type>Error|error): (?P<message>[^\n]{1,4000}+)$|(?P<bare>Error):[ \t]*+$")
_OWN_SIGNS = re.compile(r"\(os error \d{1,6}\)|\bkind: [A-Z]\w|`RUST_|\.rs:\d")
_BAD = re.compile(r"at [\w.$]{3,300}\(|[ \t]*+at | {0,8}File \"")


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
    """The error above ``Caused by:``, the causes below it, the innermost last."""
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
    """A further ``Caused by:`` right below, or below one blank line."""
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
    """The nearest line that says something; with its neighbours above up to the word Error."""
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
    """The causes under one ``Caused by:``; returns the line behind them."""
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
    """``Location:`` and the backtrace, which stand behind the causes in either order."""
    for _ in range(8):
        line = source.get(at)
        if line is None:
            return
        body = line.strip()
        place = _PLACE.match(source.get(at + 1) or "") if body == "Location:" else None
        if place is not None:
            told = RustPosition(place["file"], int(place["line"]), int(place["column"]) if place["column"] else None)
            report.place = Frame(
                None, None, told.filename, told.lineno, told.column, raw=(source.get(at + 1) or "").strip()
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
    """The line behind the spans: a blank line under at least one of them."""
    seen = False
    for number in range(at, at + _MOST_LINES):
        line = source.get(number)
        if line is None or begins_stack(line) or (seen and not line.strip()):
            return number
        seen = seen or bool(line.strip())
    return at + _MOST_LINES


def _chain(report: _Report, lines: Lines) -> ExceptionChain:
    """The backtrace was taken where the error was made: it belongs to the root."""
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
