"""Reads one report of the kernel: what is wrong, where the processor was, the call trace; and messages without one."""

from dataclasses import dataclass, field

from kb.patterns import lazy
from kb.trace.lines import Lines
from kb.trace.model import ExceptionChain, Frame, RaisedException, StackTrace
from kb.trace.runtimes.base import FrameStack, TraceReading, not_kept
from kb.trace.runtimes.kernel.syntax import (
    KernelHead,
    bare,
    begins_trace,
    crash_frame,
    frame_of,
    head_of,
    is_dressed,
    is_same_place,
    marks,
)
from kb.translatable import Translatable

# What is in a report of the kernel beside its stack: registers, modules, locks; and the stacks of others.

# e.g. Stack:
KNOWN = lazy(
    r"[ \t]*(?:CPU: ?\d|PID: |Comm: |Hardware name|Modules linked in|Code: |Oops|#PF: |PGD |Tainted|Not tainted|\"echo 0 |task:|Workqueue: |R[A-Z0-9]{1,2}: |[ER]?(?:FLAGS|SP|AX|BX)|"
    r"x\d{1,2} ?: |[FGDEC]S: |CR\d: |DR\d: |PKRU: |pstate: |sp : |lr : |pc : |ra : |LR |MSR: |CFAR: |GPR\d\d|NIP|r\d{1,2} ?: |\[[<0-9a-f]|Stack: ?|Process |Thread |Kernel Offset|Mem abort|ESR = |EC = |SET = |EA = |"
    r"Data abort|ISV = |CM = |user pgtable|swapper pgtable|\[[0-9a-f]{8,16}\] |Internal error|Read of size|Write of size|=====|-----|last sysfs|Call Trace|Call trace|Sending NMI|NMI backtrace|irq event|hardirqs|softirqs|"
    r"\d+ locks? held|#\d: |INFO: lockdep|Showing all locks|preempt_count|in_atomic\(\)|[ \t]*\(detected by|[ \t]*\(t=\d|rcu: |\d{1,4}-[.!O]{4}|Preemption disabled|Dumping ftrace|task stack|EIP: |ORIG_RAX|FIX?UP|status: |cause: |badaddr|epc : |gp : |t\d : |s\d : |a\d : |Krnl|PSW|Exception stack|Fixing recursive|Last Breaking|RSP|<)"
)

END = lazy(r"[ \t]*---\[ end (?:trace|Kernel panic)")

# e.g. Allocated by task 1200:
OTHERS = lazy(
    r"[ \t]*(?P<whose>Allocated by task|Freed by task|Last potentially related|Second to last potentially|Uninit was (?:stored|created)|Local variable|allocated by task|freed by task|"
    r"kfence-#\d+|The buggy address|Showing all locks|NMI backtrace for cpu|(?:read|write)(?: \(marked\))? to 0x)"
)

# e.g. CPU: 0 PID: 1 Comm: swapper Not tainted 4.9.0 #2
PROCESS = lazy(r"(?:CPU: ?\d+ .{0,40}?)?(?:PID: \d+,? .{0,20}?)?[Cc]omm: (?P<comm>[^\s,]{1,40})")

KILLED = lazy(r"(?:Out of memory|Memory cgroup out of memory).{0,40}: Kill(?:ed)? process ")

MEMORY = ("Mem-Info", "Node ", "active_anon", "DMA", "Normal", "[ ", "memory: ", "swap: ", "oom-kill:", "Tasks state", "Memory cgroup", "memory+swap: ", "kmem: ")  # fmt: skip
"""How the lines of an oom killer's report begin."""

COUNTER = lazy(r"[a-z_]{3,40} \d{1,20}[ \t\r]*+$")
"""A line of the statistics of a control group: ``total_rss 33427456``."""


_UNKNOWN = 12
"""Lines in a row that belong to no report, before it ends; a line with the kernel's own stamp may be a dump's."""
_UNKNOWN_DRESSED = 80
_LOOK_BACK = 4
_NAMED_ABOVE = frozenset(("NETDEV WATCHDOG", "list_add corruption", "list_del corruption"))
"""Text on the line above a warning, between it and ``[ cut here ]``."""
_SAME_FAULT = frozenset((("rcu stall", "rcu stal"), ("general protection fault", "KASAN: n")))
"""A fault described in two lines, each of which could be a head: the first one's kind, how the second's begins."""
_CUT_HERE = "[ cut here ]"


def starts(line: str) -> bool:
    """Whether this line shows a fault in the kernel."""
    if len(line) > 6_000:
        return False
    body = bare(line)
    rest = begins_trace(body)
    return (
        (rest is not None and not rest.strip(" \t<>/A-Z"))
        or ("+0x" in body and (frame_of(marks(body)) is not None or crash_frame(body) is not None))
        or head_of(body) is not None
    )


def read(lines: Lines) -> TraceReading | None:
    """Read the report that line 0 belongs to."""
    first = lines.get(0) or ""
    body = bare(first)
    head = head_of(body)
    if head is not None and head.is_single:
        return _single(lines, head)
    if head is not None and _is_words(head, first):
        return None
    report = _Report(lines, head)
    report.run(1 if head is not None else 0)
    return report.reading()


def _is_words(head: KernelHead, line: str) -> bool:
    """Whether other programs say the same: ``BUG: x`` and ``kernel``'s words count only with its stamp or a stack below."""
    return (
        head.kind[:1].isupper() and line.lstrip().startswith("BUG: ") and ":" not in head.kind and len(head.kind) > 40
    )


def named_in(line: str) -> RaisedException | None:
    """Return what a line of the kernel's log says is wrong."""
    head = head_of(bare(line))
    if head is None:
        return None
    return RaisedException(head.kind, head.message or None, StackTrace((head.frame,) if head.frame is not None else ()))


def _single(lines: Lines, head: KernelHead) -> TraceReading:
    exception = RaisedException(head.kind, head.message or None)
    span = (lines.start(0), lines.end(0))
    return TraceReading(ExceptionChain("kernel", (exception,), head.process, span=span), 1)


@dataclass(slots=True)
class _Seen(FrameStack):
    """What was read of a report."""

    crash: Frame | None = None
    message: str = ""
    process: str | None = None
    notes: list[str] = field(default_factory=list)
    end: int = 1


class _Report:
    """The lines of one report, read on from its head."""

    def __init__(self, lines: Lines, head: KernelHead | None) -> None:
        self._lines = lines
        self._head = head
        self._seen = _Seen(
            message=head.message if head is not None else "", process=head.process if head is not None else None
        )
        self._begin = lines.start(0)
        self._in_trace = False
        self._traces = 0
        self._is_other = False
        if head is not None and (head.kind in ("WARNING", "kernel BUG") or head.kind in _NAMED_ABOVE):
            self._cut_here()

    def _cut_here(self) -> None:
        """Keep the text between ``[ cut here ]`` and the warning as the message."""
        words: list[str] = []
        for start, line in self._lines.before(_LOOK_BACK):
            body = bare(line).strip()
            if _CUT_HERE in body:
                self._begin = start
                if words:
                    self._seen.message = " ".join(reversed(words))
                return
            words.append(body)

    def run(self, at: int) -> None:
        """Take line after line, until the report ends."""
        unknown = 0
        while (line := self._lines.get(at)) is not None:
            count = self._take(line, at)
            if count is None:
                return
            at += 1
            if count:
                self._seen.end, unknown = at, 0
            else:
                unknown += 1
                if unknown > (_UNKNOWN_DRESSED if is_dressed(line) else _UNKNOWN):
                    return

    def _take(self, line: str, at: int) -> bool | None:
        """Whether the line belongs to the report; None if the report ended before it."""
        body = bare(line)
        rest = begins_trace(body)
        if rest is not None:
            return self._begin_trace(rest)
        if END.match(body):
            self._after_end(at)
            return None
        others = OTHERS.match(body)
        if others is not None:
            return self._others(others["whose"])
        head = head_of(body)
        return self._again(head, body) if head is not None else self._frame_line(body)

    def _frame_line(self, body: str) -> bool | None:
        inner = marks(body)
        frame = frame_of(inner)
        if frame is not None:
            self._add(frame)
            return True
        crash = crash_frame(body)
        if crash is not None:
            self._crashed(crash)
            return True
        return self._other_line(body, inner)

    def _other_line(self, body: str, inner: str) -> bool | None:
        if self._seen.process is None or self._head is None:
            found = PROCESS.search(body[:300]) if "omm: " in body else None
            if found is not None:
                self._seen.process = found["comm"]
        if inner is not body and not inner.strip():
            return True
        if not body.strip():
            # a blank line ends a bare trace; in a report with a head it is between its parts
            return False if self._head is not None or not self._seen.frames else None
        if KNOWN.match(body):
            if self._in_trace and not body.startswith(("[", " [")):
                self._in_trace = self._in_trace and "RIP" in body
            return True
        if self._head is not None and self._head.kind == "oom kill":
            return self._killed(body)
        return False if self._head is not None else None

    def _begin_trace(self, rest: str) -> bool | None:
        if self._head is None and self._traces:
            return None
        self._traces += 1
        self._in_trace = True
        if any(frame is not self._seen.crash for frame in self._seen.frames) and not self._is_other:
            self._is_other = True
            self._note("a second call trace was passed over")
        frame = frame_of(marks(rest)) if rest.strip() else None
        if frame is not None:
            self._add(frame)
        return True

    def _others(self, whose: str) -> bool:
        if self._seen.frames and not whose.startswith(("The buggy", "NMI backtrace")):
            self._is_other = True
            self._note('the stack "{}" was passed over', whose)
        elif self._seen.frames and whose.startswith("NMI"):
            self._is_other = True
            self._note("the backtraces of other processors were passed over")
        return True

    def _note(self, form: str, *values: str) -> None:
        note = Translatable(form, *values)
        if note not in self._seen.notes:
            self._seen.notes.append(note)

    def _add(self, frame: Frame) -> None:
        if self._is_other or (self._head is not None and self._head.kind == "oom kill"):
            return
        if self._seen.frames == [self._seen.crash] and is_same_place(self._seen.frames[0], frame):
            return  # outside x86 the trace begins with the place of the crash
        self._seen.add(frame)

    def _crashed(self, frame: Frame) -> None:
        """The place of the crash comes first, wherever it is printed; within a trace it is a frame apart."""
        if self._seen.crash is None and not (self._in_trace and self._seen.frames):
            self._seen.crash = frame
            if not (self._seen.frames and self._seen.frames[0].function == frame.function):
                self._seen.frames.insert(0, frame)
        elif self._seen.crash is None and all(f.function != frame.function for f in self._seen.frames):
            self._seen.crash = frame
            self._seen.frames.insert(0, frame)

    def _again(self, head: KernelHead, body: str) -> bool | None:
        """Return a second head: the end of the fault above, or another fault."""
        own = self._head
        if own is None:
            return None
        if own.kind == "oom kill" and KILLED.search(body):
            self._seen.message, self._seen.process = head.message, head.process
            return True
        if head.kind == "Kernel panic" and own.kind != "Kernel panic":
            self._seen.notes.append(Translatable("then the kernel panicked: {}", head.message))
            return True
        if head.goes_on and (not self._seen.frames or head.kind == "Oops"):
            return True
        if self._seen.frames:
            return None
        is_named_now = own.kind in _NAMED_ABOVE and head.kind in ("WARNING", "kernel BUG")
        self._head = head if is_named_now else own
        return True if is_named_now or (own.kind, head.kind[:8]) in _SAME_FAULT else None

    def _killed(self, body: str) -> bool:
        return body.startswith(MEMORY) or COUNTER.match(body) is not None

    def _after_end(self, at: int) -> None:
        self._seen.end = at + 1
        for number in range(at + 1, at + 4):
            line = self._lines.get(number)
            head = head_of(bare(line)) if line is not None else None
            if (
                head is not None
                and head.kind == "Kernel panic"
                and self._head is not None
                and self._head.kind != "Kernel panic"
            ):
                self._seen.notes.append(Translatable("then the kernel panicked: {}", head.message))
                self._seen.end = number + 1
                return

    def reading(self) -> TraceReading | None:
        """Return the chain of the report; None if there is nothing in it."""
        seen, head = self._seen, self._head
        frames = seen.frames
        if head is None and not frames:
            return None
        if head is not None and head.frame is not None:
            frames = self._named_first(head.frame)
        seen.notes.extend(not_kept(seen.lost, "{} more frames were not kept"))
        exception = RaisedException(
            head.kind if head is not None else None, seen.message or None, StackTrace(tuple(frames))
        )
        span = (self._begin, max(self._begin, self._lines.end(seen.end - 1)))
        chain = ExceptionChain("kernel", (exception,), seen.process, head is None, span, tuple(seen.notes))
        return TraceReading(chain, seen.end)

    def _named_first(self, named: Frame) -> list[Frame]:
        """Return the frames, from the function that the head names on; that one alone where there is no stack."""
        frames = self._seen.frames
        if named.function is None:
            return frames or [named]
        if any(frame.function == named.function for frame in frames):
            at = next(number for number, frame in enumerate(frames) if frame.function == named.function)
            merged = frames[at]
            if merged.filename is None and named.filename is not None:
                merged = Frame(
                    merged.function, merged.module, named.filename, named.lineno, None, merged.in_app, merged.raw
                )
            return [merged, *frames[:at], *frames[at + 1 :]]
        return [named, *frames]
