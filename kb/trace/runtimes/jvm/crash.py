"""The report of a JVM that crashed itself (``hs_err_pid*.log`` and what it prints on the console)."""

import re

from kb.trace.lines import Lines
from kb.trace.model import ExceptionChain, Frame, RaisedException, StackTrace
from kb.trace.runtimes.jvm.frames import rank
from kb.trace.runtimes.runtime import TraceReading

_BEGINS = (
    "A fatal error has been detected by the Java Runtime Environment",
    "There is insufficient memory for the Java Runtime Environment to continue",
)
_SIGNAL = re.compile(
    r"#?\s*(?P<type>SIG[A-Z0-9]{2,12}|EXCEPTION_[A-Z_]{3,40}|Internal Error|Out of Memory Error)(?P<message>.{0,400})$"
)
_MEMORY = re.compile(r"#?\s*(?P<message>Native memory allocation \(\w+\) failed .{0,300})$")
_NATIVE = re.compile(
    r"#?\s*[CVv]\s+\[(?P<module>[^\]+]{1,200})(?:\+(?:0x)?[0-9a-f]+)?\](?:\s+(?P<function>[^\n]{1,300}?)(?:\+0x[0-9a-f]+)?)?\s*$"
)
_JAVA = re.compile(
    r"#?\s*[Jj]\s+(?:\d{1,7}%?\s+)?(?:[cC][12]?\s+)?(?P<name>[\w$./<>]{1,300})\.(?P<function>[\w$<>]{1,200})\([^\s]{0,400}\)(?:\S{1,200})?"
)
_ARGUMENTS = re.compile(r"\(.{0,600}$")
_LONGEST_REPORT = 400


def starts_crash(line: str) -> bool:
    """Whether a crash report begins here."""
    return "Java Runtime Environment" in line and any(text in line for text in _BEGINS) and len(line) < 400


def read_crash(lines: Lines) -> TraceReading:
    """Reads signal, problematic frame and the stacks of a crash report."""
    name, message, at = None, None, 1  # the # in front of every line may be gone: it looks like a dress
    frames: list[Frame] = []
    end = 1
    for at in range(1, _LONGEST_REPORT):
        line = lines.get(at)
        if line is None or at - end > 40 or starts_crash(line):
            break
        if line.lstrip(" \t").startswith("Java frames:") and len(frames) > 1:
            break  # they stand among the native ones already
        if len(line) > 1_000:
            continue
        found = (_SIGNAL.match(line) or _MEMORY.match(line)) if name is None else None
        if found is not None:
            name = found.groupdict().get("type") or "OutOfMemory"
            message = found["message"].strip() or None
            end = at + 1
        frame = _frame(line)
        if frame is not None and (not frames or frame.raw.lstrip("# ") != frames[0].raw.lstrip("# ")):
            frames.append(frame)
            end = at + 1
    exception = RaisedException(name, message, StackTrace(tuple(frames)))
    return TraceReading(ExceptionChain("jvm", (exception,), span=(lines.start(0), lines.end(end - 1))), end)


def _frame(line: str) -> Frame | None:
    native = _NATIVE.match(line)
    if native is not None:
        function = native["function"] and (_ARGUMENTS.sub("", native["function"]) or native["function"])
        return Frame(function, native["module"], in_app=False, raw=line.strip())
    java = _JAVA.match(line)
    if java is not None:
        module = java["name"].replace("/", ".")
        return Frame(java["function"], module, in_app=rank(module) == 0, raw=line.strip())
    return None
