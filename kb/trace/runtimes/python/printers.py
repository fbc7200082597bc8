"""What pytest prints of a failed test: frames as ``pay.py:5: in charge`` or with the source of every function, the error behind ``E``."""

from kb.patterns import lazy
from kb.trace.model import ExceptionChain, Frame, RaisedException, Relation, StackTrace
from kb.trace.runtimes.base import MOST_FRAMES, TraceReading
from kb.trace.runtimes.python.names import place
from kb.trace.runtimes.python.syntax import Margin, bare_head, frame_of, raised
from kb.translatable import Translatable

# What the interpreter itself prints when it dies, and ``faulthandler``: stacks of all threads, the raise point first.

# e.g. Fatal Python error: Segmentation fault
_FATAL = lazy(r"(?P<type>Fatal Python error|Windows fatal exception): (?P<message>.{1,400}?)[ \t]*$")
_TIMEOUT = lazy(r"Timeout \((?P<message>\d{1,3}:\d{2}:\d{2}(?:\.\d{1,9})?)\)![ \t]*$")
# e.g. Current thread 0x00007f02 (most recent call first):
_STACK = lazy(
    r"(?:(?P<current>Current thread)|Thread) (?P<thread>0x[0-9a-fA-F]{1,16})(?: \[[^\]\n]{0,60}\])?(?: <[^>\n]{0,60}>)? \(most recent call first\):"
)
_PASSED = ("Python runtime state", "Extension modules:", "<no Python frame>", "  <no Python frame>", "  ...", "Current thread's C stack", "  Garbage-collecting")  # fmt: skip
_MOST_THREADS = 500


def starts_fatal(line: str) -> bool:
    """Whether the interpreter's last words begin here."""
    if "(most recent call first)" in line[:200]:
        return _STACK.match(line) is not None
    return ("fatal exception: " in line[:80] or "Fatal Python error: " in line[:80]) and _FATAL.match(line) is not None


def read_fatal(lines: Margin) -> TraceReading | None:
    """Read the fault and the stack of the thread it happened in; those of other threads are passed over."""
    first = lines.get(0) or ""
    fault = _FATAL.match(first)
    kind, message, begin = (fault["type"], fault["message"].strip(), lines.start(0)) if fault else _above(lines)
    stacks: list[list[Frame]] = []
    names: list[str] = []
    causes: list[RaisedException] = []
    current = 0
    at = end = 0 if fault is None else 1
    while len(stacks) <= _MOST_THREADS and (line := lines.get(at)) is not None:
        stack = _STACK.match(line)
        frame = frame_of(line) if stack is None else None
        if stack is not None:
            current = len(stacks) if stack["current"] else current
            stacks.append([])
            names.append(stack["thread"])
        elif frame is not None and stacks:
            if len(stacks[-1]) < MOST_FRAMES:
                stacks[-1].append(frame)
        elif not causes and not stacks and (head := bare_head(line)) is not None:
            causes.append(RaisedException(head[0], head[1] or None, relation=Relation.CAUSE, parent=0))
        elif line.strip() and not line.startswith(_PASSED):
            break
        at += 1
        end = at if line.strip() else end
    if fault is None and not any(stacks):
        return TraceReading(None, max(end, 1))  # threads without a frame: nothing that could be compared
    notes = (
        (Translatable("stacks of other threads that were passed over: {}", len(stacks) - 1),) if len(stacks) > 1 else ()
    )
    frames = tuple(stacks[current]) if stacks else ()
    thread = names[current] if names else None
    span = (begin, max(begin, lines.end(end - 1)))
    exception = RaisedException(kind, message, StackTrace(frames))
    return TraceReading(ExceptionChain("python", (exception, *causes), thread, kind is None, span, notes), max(end, 1))


def _above(lines: Margin) -> tuple[str | None, str | None, int]:
    """Return the fault named above the first stack; a time-out of ``dump_traceback_later`` is one."""
    for start, line in lines.before(3):
        found = _FATAL.search(line)
        if found is not None:
            return found["type"], found["message"].strip(), start
        late = _TIMEOUT.search(line, 0, 200)
        if late is not None:
            return "Timeout", late["message"], start
    return None, None, lines.start(0)


# e.g. ____ test_total ____
_TITLE = lazy(r"_{3,100}+ (?:ERROR (?:at|collecting) [^\n]{0,60}?)?(?P<test>[^\n]{1,300}?) _{3,100}+[ \t]*+$")
# e.g. pay.py:3: in f
_PLACE = lazy(
    r"(?P<file>[^\s:'\"][^:'\"\n]{0,300}?\.pyx?):(?P<line>\d{1,9}):(?: in (?P<function>[^\s]{1,200})| (?P<type>[A-Za-z_][\w.]{0,120}))?[ \t]*+$"
)
_FUNCTION = lazy(r"[ \t]*+(?:async )?def (?P<name>\w{1,120})\(")
_ERROR = lazy(r"E[ \t]{2,12}(?P<body>\S.*)$")
_LONGEST_TEST = 3_000
_END = lazy(r"={3,100}+ |_{3,100}+ |-{3,100}+ Captured ")


def starts_failure(line: str) -> bool:
    """Whether the report of one test begins here; ``E`` lines alone may be anything."""
    return (line.startswith("____") and _TITLE.match(line) is not None) or (
        line.startswith("E  ") and _ERROR.match(line) is not None
    )


def read_failure(lines: Margin) -> TraceReading | None:
    """Read the report of one test, from its title or from the first line of its error on."""
    title = _TITLE.match(lines.get(0) or "")
    above = list(reversed(lines.before(400))) if title is None else []
    first = next((n for n in range(len(above) - 1, -1, -1) if _TITLE.match(above[n][1])), None)
    test = title or (_TITLE.match(above[first][1]) if first is not None else None)
    if test is None:
        return None
    begin = lines.start(0) if title is not None else above[first or 0][0]
    report = _Report(test["test"].rpartition(".")[2].partition("[")[0])
    for _, one in above[(first or 0) + 1 :]:
        report.feed(one)
    at = end = 1 if title is not None else 0
    while at < _LONGEST_TEST and (line := lines.get(at)) is not None and not _END.match(line):
        report.feed(line)
        at += 1
        end = at if line.strip() else end
    exception = report.exception()
    if exception is None:
        return None
    return TraceReading(ExceptionChain("python", (exception,), span=(begin, lines.end(end - 1))), max(end, 1))


class _Report:
    """The frames and the error of one test as its lines tell them."""

    def __init__(self, test: str) -> None:
        self._function = test
        self._frames: list[Frame] = []
        self._error: list[str] = []
        self._type: str | None = None

    def feed(self, line: str) -> None:
        error = _ERROR.match(line)
        if error is not None:
            self._error.append(error["body"].rstrip())
            return
        function = _FUNCTION.match(line)
        if function is not None:
            self._function = function["name"]
            return
        found = _PLACE.match(line)
        if found is None:
            return
        module, _, rank = place(found["file"])
        name = found["function"] or self._function
        self._frames.append(Frame(name, module, found["file"], int(found["line"]), None, rank == 0, line.strip()))
        self._type = found["type"] or self._type

    def exception(self) -> RaisedException | None:
        """Return the error with its frames, the raise point first; None if nothing was printed."""
        if not self._error or not self._frames:
            return None
        head = raised(self._error[0])
        if head is None or (self._type is not None and head[0].rpartition(".")[2] != self._type.rpartition(".")[2]):
            # an assertion is printed without its name
            head = (self._type or "AssertionError", self._error[0])
        message = "\n".join([head[1], *self._error[1:]]).strip()
        return RaisedException(head[0], message or None, StackTrace(tuple(reversed(self._frames[-MOST_FRAMES:]))))
