"""What Clojure's own programs print of an error: phase, class and place in one line, the message below, no frames."""

import re

from kb.trace.lines import Lines
from kb.trace.model import ExceptionChain, Frame, RaisedException, StackTrace
from kb.trace.runtimes.jvm.frames import rank
from kb.trace.runtimes.runtime import TraceReading

_HEAD = re.compile(
    r"(?P<phase>Execution error|Syntax error|Unexpected error|Error printing return value)"
    r"(?: \((?P<type>[\w.$]{1,200})\))?(?P<doing>(?: - invalid arguments to [^\s]{1,200}| (?:compiling|reading source|macroexpanding|evaluating)[^()\n]{0,200}?)?)"
    r" at (?:(?P<name>[^\s()]{1,300}) )?\((?P<file>[^()\n:]{1,300}|[A-Za-z]:[^()\n:]{1,300})(?::(?P<line>\d{1,9}))?(?::(?P<column>\d{1,6}))?\)\.[ \t]*+$"
)
_REPORT = ("Full report at:", "{:clojure.main")
_MOST_LINES = 30


def starts_clojure(line: str) -> bool:
    """Whether such a report begins here."""
    return (
        "error" in line[:60]
        and " at " in line[:400]
        and len(line) < 1_500
        and _HEAD.match(line.lstrip(" \t")) is not None
    )


def read_clojure(lines: Lines) -> TraceReading | None:
    """Reads head, message and where the full report was put."""
    head = _HEAD.match((lines.get(0) or "").lstrip(" \t"))
    if head is None:
        return None
    message: list[str] = []
    at = end = 1
    while at < _MOST_LINES and (line := lines.get(at)) is not None:
        if line.lstrip(" \t").startswith(_REPORT):
            end = at + 2
            break
        if not line.strip() and message:
            following = lines.get(at + 1)
            if following is None or not following.lstrip(" \t").startswith(_REPORT):
                break
        elif line.strip():
            message.append(line.strip())
            end = at + 1
        at += 1
    exception = RaisedException(
        head["type"] or head["phase"],
        "\n".join(message) or (head["doing"] or "").strip(" -") or None,
        StackTrace((_frame(head),)),
    )
    return TraceReading(ExceptionChain("jvm", (exception,), span=(lines.start(0), lines.end(end - 1))), end)


def _frame(head: re.Match[str]) -> Frame:
    module, _, function = (head["name"] or "").rpartition("/")
    filename = head["file"].replace("\\", "/").rpartition("/")[2]
    return Frame(
        function or None,
        module or None,
        filename,
        int(head["line"]) if head["line"] else None,
        int(head["column"]) if head["column"] else None,
        rank(module) == 0,
        head[0],
    )
