"""Reads one JVM trace: finds where it begins and lets ``progress`` take its lines."""

import re

from kb.patterns import lazy
from kb.trace.lines import Lines
from kb.trace.model import ExceptionChain, Frame, RaisedException, StackTrace
from kb.trace.runtimes.base import TraceReading
from kb.trace.runtimes.jvm.frames import FRAMES, frame_of, rank
from kb.trace.runtimes.jvm.headers import JvmHead, Link, is_report, read_head, read_link, weak_head
from kb.trace.runtimes.jvm.progress import FENCES, TraceInProgress, is_new_record
from kb.trace.runtimes.python.syntax import is_of_python

# The report of a JVM that crashed itself (``hs_err_pid*.log`` and what it prints on the console).

_BEGINS = (
    "A fatal error has been detected by the Java Runtime Environment",
    "There is insufficient memory for the Java Runtime Environment to continue",
)
# e.g. #  SIGSEGV (0xb) at pc=0x00007f12ab34cd56, pid=4242, tid=4250
_SIGNAL = lazy(
    r"#?\s*(?P<type>SIG[A-Z0-9]{2,12}|EXCEPTION_[A-Z_]{3,40}|Internal Error|Out of Memory Error)(?P<message>.{0,400})$"
)
_MEMORY = lazy(r"#?\s*(?P<message>Native memory allocation \(\w+\) failed .{0,300})$")
# e.g. # C  [libfoo.so+0x1234]  bar+0x10
_NATIVE = lazy(
    r"#?\s*[CVv]\s+\[(?P<module>[^\]+]{1,200})(?:\+(?:0x)?[0-9a-f]+)?\](?:\s+(?P<function>[^\n]{1,300}?)(?:\+0x[0-9a-f]+)?)?\s*$"
)
# e.g. j  shop.Crash.poke(Lsun/misc/Unsafe;J)V+5
_JAVA = lazy(
    r"#?\s*[Jj]\s+(?:\d{1,7}%?\s+)?(?:[cC][12]?\s+)?(?P<name>[\w$./<>]{1,300})\.(?P<function>[\w$<>]{1,200})\([^\s]{0,400}\)(?:\S{1,200})?"
)
_ARGUMENTS = lazy(r"\(.{0,600}$")
_LONGEST_REPORT = 400


def starts_crash(line: str) -> bool:
    """Whether a crash report begins here."""
    return "Java Runtime Environment" in line and any(text in line for text in _BEGINS) and len(line) < 400


def read_crash(lines: Lines) -> TraceReading:
    """Read signal, problematic frame and the stacks of a crash report."""
    name, message, at = None, None, 1  # the # in front of every line may be gone: it looks like a prefix
    frames: list[Frame] = []
    end = 1
    for at in range(1, _LONGEST_REPORT):
        line = lines.get(at)
        if line is None or at - end > 40 or starts_crash(line):
            break
        if line.lstrip(" \t").startswith("Java frames:") and len(frames) > 1:
            break  # they are among the native ones already
        if len(line) > 1_000:
            continue
        found = (_SIGNAL.match(line) or _MEMORY.match(line)) if name is None else None
        if found is not None:
            name = found.groupdict().get("type") or "OutOfMemory"
            message = found["message"].strip() or None
            end = at + 1
        frame = _crash_frame(line)
        if frame is not None and (not frames or frame.raw.lstrip("# ") != frames[0].raw.lstrip("# ")):
            frames.append(frame)
            end = at + 1
    exception = RaisedException(name, message, StackTrace(tuple(frames)))
    return TraceReading(ExceptionChain("jvm", (exception,), span=(lines.start(0), lines.end(end - 1))), end)


def _crash_frame(line: str) -> Frame | None:
    native = _NATIVE.match(line)
    if native is not None:
        function = native["function"] and (_ARGUMENTS.sub("", native["function"]) or native["function"])
        return Frame(function, native["module"], in_app=False, raw=line.strip())
    java = _JAVA.match(line)
    if java is not None:
        module = java["name"].replace("/", ".")
        return Frame(java["function"], module, in_app=rank(module) == 0, raw=line.strip())
    return None


# What Clojure's own programs print of an error: phase, class and place in one line, the message below, no frames.

# e.g. Syntax error (ClassNotFoundException) compiling at (pay.clj:1:1).
_HEAD = lazy(
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
    """Read head, message and where the full report was put."""
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
        StackTrace((_clojure_frame(head),)),
    )
    return TraceReading(ExceptionChain("jvm", (exception,), span=(lines.start(0), lines.end(end - 1))), end)


def _clojure_frame(head: re.Match[str]) -> Frame:
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


_LOOK_BACK = 12
_DUMP_MARKS = (
    "- locked <",
    "- waiting ",
    "- parking ",
    "java.lang.Thread.State:",
    "Locked ownable",
    "- None",
    "- eliminated",
)


def starts(line: str) -> bool:
    """Whether this line shows a JVM trace."""
    if frame_of(line) is not None or starts_crash(line) or starts_clojure(line):
        return True
    if read_link(line) is not None:
        return True
    head = read_head(line)
    return head is not None and head.is_sure


def read(lines: Lines) -> TraceReading | None:
    """Read the trace that line 0 belongs to; looks back for its head where line 0 is a frame."""
    first = lines.get(0) or ""
    if starts_crash(first):
        return read_crash(lines)
    if starts_clojure(first):
        return read_clojure(lines)
    if frame_of(first) is not None:
        return _from_frame(lines)
    link = read_link(first)
    return _from_link(lines, link) if link is not None else _from_head(lines, first)


def _from_link(lines: Lines, link: Link) -> TraceReading:
    state = TraceInProgress(lines, begin=lines.start(0), head_truncated=True)
    state.hang(link.head, None, None, link.indent)
    return state.finish(state.message(1))


def _from_head(lines: Lines, first: str) -> TraceReading | None:
    head = read_head(first)
    if head is None or not head.is_sure:
        return None
    if is_report(first) and (report := _from_report(lines)) is not None:
        return report
    at = 1
    if first.startswith("Caught: ") and head == read_head(lines.get(1) or ""):
        at = 2  # Groovy names the exception it caught, and then prints it
    state = TraceInProgress(lines, begin=lines.start(0))
    state.hang(head, None, None, _indent(first))
    reading = state.finish(state.message(at))
    is_alone = len(state.raised) == 1 and not state.current.frames and not state.current.elided
    # behind other text and outside a log: a sentence that mentions a class
    return None if is_alone and (head.is_behind_text or is_of_python(head.type)) else reading


def _from_report(lines: Lines) -> TraceReading | None:
    """Return a trace that begins in its message, with what MyBatis reports: the exception itself is cut off."""
    state = TraceInProgress(lines, begin=lines.start(0), head_truncated=True)
    state.hang(JvmHead(type="", message=None), None, None, 0)
    reading = state.finish(state.message(0))
    return reading if state.raised[0].frames else None


def named_in(line: str) -> RaisedException | None:
    """Return the exception that a line without a trace names: ``job failed: java.io.IOException: Broken pipe``."""
    head = read_head(line)
    return (
        RaisedException(head.type, head.message, wrapped_type=head.wrapped_type)
        if head is not None and head.is_sure
        else None
    )


def _from_frame(lines: Lines) -> TraceReading | None:
    above = lines.before(_LOOK_BACK)
    if _is_thread_dump(above):
        return TraceReading(None, _end_of_dump(lines))
    begin, head = lines.start(0), None
    message: list[str] = []
    for start, above_it in above:
        line = above_it
        is_fence = line.lstrip().startswith(FENCES)
        if frame_of(line) is not None or (is_fence and not line.strip("`~ \t")):
            break
        line = line.lstrip("`~") if is_fence else line
        head = read_head(line) if len(message) == 0 or ":" in line else None
        if head is None and not message:
            head = weak_head(line)
        if head is not None and ("." in head.type or head.is_sure or not message):
            begin = start
            break
        head = None
        if is_fence:
            break
        message.append(line)
        if is_new_record(line):
            break
    state = TraceInProgress(lines, begin=begin, head_truncated=head is None)
    if head is not None:
        state.hang(head, None, None, 0)
        state.between_head_and_frame(message[::-1])
    else:
        state.hang(JvmHead(type="", message=None), None, None, 0)
    return state.finish(0)


def _is_thread_dump(above: list[tuple[int, str]]) -> bool:
    for _, line in above:
        body = line.strip()
        if body.startswith(_DUMP_MARKS) or (
            body.startswith('"') and ("prio=" in body or "tid=" in body or body.endswith('":'))
        ):
            return True
        if not body or frame_of(line) is None:
            return False
    return False


def _end_of_dump(lines: Lines) -> int:
    at = 0
    while (line := lines.get(at)) is not None:
        body = line.strip()
        if not (body.startswith(_DUMP_MARKS) or body.startswith("- ") or frame_of(line) is not None):
            break
        at += 1
    return at


def _indent(line: str) -> int:
    return len(line[: len(line) - len(line.lstrip(" \t"))].expandtabs(8))


def looks_back(line: str) -> bool:
    """Whether the line is a frame: its reader looks for the head above it, so a message right above frames is theirs."""
    return FRAMES[line] is not None
