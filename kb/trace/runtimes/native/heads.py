"""The lines that say why a native program died: signals, sanitizers, aborts of the C library, uncaught exceptions."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from kb.patterns import lazy
from kb.trace.lines import LOG_PREFIX
from kb.trace.runtimes.base import FrameStack
from kb.trace.runtimes.native.names import is_machinery, normal_frame
from kb.trace.runtimes.native.signature import SIGNAL_HANDLER

LONGEST = 2_000
_FARTHEST = 300
_MARKS = (
    "Terminating app due to uncaught exception",
    "Code: ",
    "Assertion failed: ",
    "libc++abi: ",
    "DB::Exception: ",
    "DB::NetException: ",
)
"""Beginnings that no other text has: whatever is before them is a log's."""


@dataclass(frozen=True, slots=True)
class NativeHead:
    """What one line shows the fault."""

    type: str | None
    message: str | None = None
    weight: int = 2
    """3 says what was wrong, 2 which signal came of it, 1 that something died, 0 adds to what is known."""
    is_report: bool = False
    """A report follows whose stack may stand many lines below."""
    place: str | None = None
    """``file:line`` where the line names one."""
    function: str | None = None


SIGNALS = {"1": "SIGHUP", "3": "SIGQUIT", "4": "SIGILL", "5": "SIGTRAP", "6": "SIGABRT", "7": "SIGBUS", "8": "SIGFPE", "9": "SIGKILL", "10": "SIGBUS", "11": "SIGSEGV", "13": "SIGPIPE", "15": "SIGTERM", "31": "SIGSYS"}  # fmt: skip
_SHELL = {
    "Segmentation fault": "SIGSEGV", "Aborted": "SIGABRT", "Abort trap": "SIGABRT", "Bus error": "SIGBUS", "Floating point exception": "SIGFPE",
    "Illegal instruction": "SIGILL", "Trace/breakpoint trap": "SIGTRAP", "Bad system call": "SIGSYS", "段错误": "SIGSEGV", "已放弃": "SIGABRT",
    "已中止": "SIGABRT", "总线错误": "SIGBUS", "浮点数例外": "SIGFPE", "浮点异常": "SIGFPE", "非法指令": "SIGILL", "中止": "SIGABRT",
}  # fmt: skip


def _typed(weight: int = 2, *, is_report: bool = False) -> Callable[[re.Match[str]], NativeHead]:
    def build(found: re.Match[str]) -> NativeHead:
        groups = found.groupdict()
        name = groups.get("type") or SIGNALS.get(groups.get("number") or "")
        if name is None and groups.get("number"):
            name = f"signal {groups['number']}"
        place = f"{groups['file']}:{groups['line']}" if groups.get("file") else None
        message = (groups.get("message") or "").strip().rstrip(";").strip() or None
        return NativeHead(name, message, weight, is_report, place, groups.get("function"))

    return build


def _named(name: str, weight: int = 3) -> Callable[[re.Match[str]], NativeHead]:
    def build(found: re.Match[str]) -> NativeHead:
        groups = found.groupdict()
        place = f"{groups['file']}:{groups['line']}" if groups.get("file") and groups.get("line") else None
        return NativeHead(
            name, (groups.get("message") or "").strip() or None, weight, place=place, function=groups.get("function")
        )

    return build


def _shell(found: re.Match[str]) -> NativeHead:
    return NativeHead(_SHELL[found["what"]], None, 1)


def _sanitizer(found: re.Match[str]) -> NativeHead:
    """Return the kind of fault in the words of the report's own summary."""
    text = found["rest"].strip()
    if found["tool"] == "LeakSanitizer" and "leak" in text:
        return NativeHead("detected memory leaks", None, 3, is_report=True)
    if text.startswith("attempting free on address which was not malloc"):
        return NativeHead("bad-free", None, 3, is_report=True)
    if text.startswith("requested allocation size"):
        return NativeHead("allocation-size-too-big", None, 3, is_report=True)
    text = text.removeprefix("attempting ")
    kind = re.split(r" on | \(|: | after |, | at ", text, maxsplit=1)[0]
    inside = re.match(r"alloc-dealloc-mismatch \(([^()]{1,100})\)", text)
    return NativeHead(kind, inside[1] if inside is not None else None, 3, is_report=True)


def _undefined(found: re.Match[str]) -> NativeHead:
    """UndefinedBehaviorSanitizer prints its kinds as the beginning of a sentence."""
    text = found["rest"].strip()
    place = f"{found['file']}:{found['line']}"
    kind, colon, rest = text.partition(": ")
    if colon and len(kind) <= 60 and "'" not in kind:
        return NativeHead(kind, rest, 3, is_report=True, place=place)
    known = re.match(
        r"(?:division by zero|(?:load|store|member (?:access|call)|reference binding|upcast|downcast)[^\n]{0,60}? (?:null pointer|misaligned address|address)|index [^\n]{1,40}? out of bounds|shift exponent|left shift|null pointer|execution reached|outside the range|[^\n]{0,80}? is outside the range)",
        text,
    )
    kind = re.sub(r" (?:-?\d[\d.e+]*|'[^']*')(?= |$)", "", known[0]) if known is not None else "undefined behaviour"
    return NativeHead(kind, text, 3, is_report=True, place=place)


def _heap(found: re.Match[str]) -> NativeHead:
    return NativeHead(found["type"], found["message"] or found["detail"], 3)


def _clickhouse(found: re.Match[str]) -> NativeHead:
    """Return the message names its code in capitals; old releases print the number alone."""
    message = found["message"].strip()
    return NativeHead(
        found["type"], message if message.endswith(")") else f"{message} (code {found['code']})", 3, is_report=True
    )


def _swift_fatal(found: re.Match[str]) -> NativeHead:
    place = f"{found['file']}:{found['line']}" if found["file"] and found["line"] else None
    return NativeHead("Fatal error", found["message"], 3, is_report=True, place=place)


THROWN = r"(?:DB|Poco|boost|folly|rocksdb|arrow|pqxx|nlohmann)(?:::\w{1,60}){0,4}::(?:\w{1,60}(?:Exception|Error|_error|_exception)|Exception)"
"""Exceptions of C++ libraries that print their whole name; Ruby spells its own so, too, and has none of these."""
_SIG = r"SIG[A-Z0-9]{2,10}"
_PATTERNS: tuple[tuple[str, re.Pattern[str], Callable[[re.Match[str]], NativeHead]], ...] = (
    ("Sanitizer", lazy(r"(?:==\d{1,9}==[ ]?)?(?:ERROR|WARNING): (?P<tool>\w{1,20}Sanitizer): (?P<rest>.{1,600})"), _sanitizer),
    ("libFuzzer", lazy(r"(?:==\d{1,9}==[ ]?)?ERROR: (?P<tool>libFuzzer): (?P<rest>.{1,600})"), _sanitizer),
    ("untime error", lazy(r"(?P<file>[^\s:]{1,500}(?: [^\s:]{1,100}){0,3}|[A-Za-z]:[^\s:]{1,500}):(?P<line>\d{1,9}:\d{1,9}): runtime error: (?P<rest>.{1,1000})"), _undefined),
    ("signal", lazy(rf"(?:Program|Thread \d{{1,6}}(?: \"[^\"]{{0,40}}\")?(?: \([^()]{{1,60}}(?:\([^()]{{0,40}}\))?\))?) (?:received|terminated with|stopped with) signal (?:(?P<type>{_SIG}|\?)|(?P<number>\d{{1,2}})), (?P<message>.{{1,100}}?)\.?$"), _typed()),
    ("信号", lazy(rf"(?:程序|Program|Thread \d{{1,6}}[^\n]{{0,60}}?) ?(?:接?收到|被|因|received)?(?:的?信号|signal) ?(?:(?P<type>{_SIG})|(?P<number>\d{{1,2}}))[，,] ?(?P<message>[^\n]{{0,100}}?)[.。]?(?:终止|结束)?[.。]?$"), _typed()),
    ("stop reason", lazy(rf"(?:\* )?thread #\d{{1,6}}[^\n]{{0,200}}?stop reason = (?:signal )?(?P<type>{_SIG}|EXC_[A-Z_]{{3,30}}|breakpoint \d[\d.]{{0,10}}|hit program assert|Fatal error|step over|step in)(?:: | )?(?P<message>[^\n]{{0,300}}?)$"), _typed(is_report=True)),
    ("signal", lazy(rf"(?:[Ff]atal )?signal (?P<number>\d{{1,2}}) \((?P<type>{_SIG})\),? ?(?P<message>(?:code -?\d{{1,9}}(?: \([^()]{{1,60}}(?:\([^()]{{1,40}}\))?[^()]{{0,60}}\))?)?(?:,? fault addr \S{{1,40}})?)"), _typed(is_report=True)),
    ("Abort message", lazy(r"Abort message: ['\"](?P<message>.{1,1500}?)['\"]?$"), lambda found: NativeHead(None, found["message"], 0)),
    ("Exception Type", lazy(r"Exception Type:[ \t]{1,20}(?P<type>(?:[A-Z0-9_]{3,60}|[0-9a-f]{8}|NS[A-Za-z]{1,57})(?![\w.]))(?:[ ]\((?P<message>[^()\n]{1,200})\))?"), _typed(is_report=True)),
    ("Exception ", lazy(r"Exception (?:Codes|Subtype|Message):[ \t]{1,20}(?P<message>(?=[A-Z]{2,20}_)[^\n]{1,300})"), lambda found: NativeHead(None, found["message"].strip(), 0)),
    ("Terminating app", lazy(r"(?:\*{3} )?Terminating app due to uncaught exception ['‘](?P<type>[^'‘’\n]{1,200})['’](?:, reason: ['‘](?P<message>.{1,1500}?)['’]?)?$"), _typed(3, is_report=True)),
    ("Crash reason", lazy(r"Crash reason:[ \t]{1,20}(?P<type>[A-Z0-9_a-z]{3,60})(?P<message>(?: ?/ ?| )[^\n]{1,200})?"), lambda found: NativeHead(found["type"], (found["message"] or "").strip(" /") or None, 2, is_report=True)),
    ("*** ", lazy(rf"\*{{3}} (?:Signal )?(?P<type>{_SIG}|\d{{1,2}} \({_SIG}\)) ?(?:\((?P<message>[^()]{{0,80}})\) )?[^\n]{{0,200}}\*{{3}}"), _typed(is_report=True)),
    ("*** Aborted at", lazy(r"\*{3} Aborted at \d{1,20}[^\n]{1,100}\*{3}"), lambda _: NativeHead(None, None, 0, is_report=True)),
    ("Check fail", lazy(r"(?:F\d{4} [\d:.]{8,20} {1,8}\d{1,9} (?P<file>[^\s:]{1,200}):(?P<line>\d{1,7})\] )?Check failed: (?P<message>.{1,1000})"), _named("Check failed")),
    ("Check fail", lazy(r"\*{3} Check failure stack trace: \*{3}"), lambda _: NativeHead(None, None, 0, is_report=True)),
    ("terminate called", lazy(r"terminate called after throwing an instance of ['‘](?P<type>[^\n]{1,500}?)['’]"), _typed(3)),
    ("terminate called", lazy(r"terminate called (?P<message>without an active exception|recursively)"), _named("terminate")),
    ("what()", lazy(r"[ \t]{0,8}what\(\): {1,2}(?P<message>.{0,1500})"), lambda found: NativeHead(None, found["message"].strip(), 0)),
    ("libc++abi", lazy(r"libc\+\+abi(?:\.dylib)?: terminating (?:with|due to) uncaught (?:foreign )?exception(?: of type (?P<type>[^\n:]{1,300}(?:::[^\n:]{1,300}){0,10}))?(?:: (?P<message>.{1,1000}))?$"), _typed(3)),
    ("ssertion", lazy(r"(?:[^\s:]{1,200}: )?(?P<file>(?:[A-Za-z]:)?[^\s:]{1,500}):(?P<line>\d{1,7}): (?P<function>[^\n`]{1,1000}?): (?:Assertion [`'‘](?P<message>.{1,1000}?)['’] failed|断言[“`\"'](?P<other>.{1,1000}?)[”'\"] ?失败)\.?"), _named("Assertion failed")),
    ("Assertion failed", lazy(r"(?:libc\+\+abi: )?Assertion failed: \(?(?P<message>.{1,800}?)\)?, (?:function (?P<function>[^\n,]{1,300}), )?file (?P<file>[^\n,]{1,500}), line (?P<line>\d{1,7})"), _named("Assertion failed")),
    ("assertion failed", lazy(r"(?:Bail out! )?ERROR:(?P<file>[^\n:]{1,400}):(?P<line>\d{1,7}):(?P<function>[^\n:]{1,200}(?:::[^\n:]{1,200}){0,8}): assertion failed:? ?\(?(?P<message>.{1,600}?)\)?(?:: .{0,200})?$"), _named("Assertion failed")),
    ("ASSERT", lazy(r"ASSERT(?: failure in (?P<function>[^\n\"]{1,300}))?: \"(?P<message>[^\"\n]{1,500})\"(?:,| in) file (?P<file>[^\n,]{1,400}), line (?P<line>\d{1,7})"), _named("Assertion failed")),
    ("FailedAssertion", lazy(r"TRAP: (?:FailedAssertion|failed Assert)\(\"(?P<message>[^\n]{1,500}?)\"(?:\)|,)[ ,]{0,2}File: \"(?P<file>[^\"\n]{1,300})\", Line: (?P<line>\d{1,7})"), _named("Assertion failed")),
    ("smashing", lazy(r"\*{3} (?P<type>stack smashing detected) \*{3}: ?(?P<message>[^\n]{0,200}?)(?: terminated)?$"), lambda found: NativeHead(found["type"], None, 3)),
    ("overflow detected", lazy(r"\*{3} (?P<type>buffer overflow detected) \*{3}: ?(?P<message>[^\n]{0,200})$"), lambda found: NativeHead(found["type"], None, 3)),
    ("*** Error in", lazy(r"\*{3} Error in [`'](?P<program>[^'\n]{1,300})': (?P<type>[^\n:]{3,80}?)(?: \((?P<message>[!\w -]{1,40})\))?: 0x[0-9a-f]{1,16} \*{3}"), _typed(3, is_report=True)),
    ("glibc detected", lazy(r"\*{3} glibc detected \*{3} [^\n]{1,300}?: (?P<type>[^\n:]{3,80}?)(?: \((?P<message>[!\w -]{1,40})\))?: 0x[0-9a-f]{1,16} \*{3}"), _typed(3, is_report=True)),
    ("", lazy(r"(?P<type>double free or corruption|free\(\)|malloc\(\)|realloc\(\)|munmap_chunk\(\)|malloc_consolidate\(\)|corrupted (?:double-linked list|size vs\. prev_size)|tcache_thread_shutdown\(\)|malloc_printerr\(\))(?:(?: while consolidating)?(?:: (?P<message>[a-z][\w ()>&-]{3,80})| \((?P<detail>[!\w ]{1,40})\))|$)"), _heap),
    ("signal", lazy(r"(?:\d{1,9}:M [^\n]{0,60}# )?(?:[^\n]{0,60}?Redis [\d.]{1,20} |\S{1,40} )?(?:crashed by|got|exited on|[Cc]aught|Received|received|was terminated by) [Ss]ignal:? (?:[A-Z][a-z ]{2,30} \()?(?P<number>\d{1,2})\b\)?(?P<message>)"), _typed(is_report=True)),
    ("assertion failure", lazy(r"(?:InnoDB: )?[Aa]ssertion failure(?: in thread \d{1,20})? (?:in file )?(?P<file>[^\s]{1,300}?)(?: line |:)(?P<line>\d{1,7})"), _named("Assertion failed")),
    ("Assertion failure", lazy(r"(?:InnoDB: )?Assertion failure: (?P<file>[^\s:]{1,300}):(?P<line>\d{1,7}):(?P<message>[^\n]{1,300})"), _named("Assertion failed")),
    ("DB::", lazy(r"Code: (?P<code>\d{1,5})(?:\. |, e\.displayText\(\) = )(?P<type>(?:DB|Poco)(?:::\w{1,60}){1,4}): (?P<message>[^\n]{1,1800}?)(?:,? ?Stack trace(?: \(when copying[^\n]{0,100}\))?:?|, e\.what\(\) = [^\n]{0,200})?$"), _clickhouse),
    ("::", lazy(rf"(?:Caught |Uncaught |Unhandled )?(?P<type>{THROWN}): (?P<message>[^\n]{{1,1800}})"), _typed(3)),
    ("xception", lazy(r"(?:Exception thrown|Unhandled exception)(?: at 0x[0-9A-Fa-f]{4,16}(?: \([^()]{1,100}\))? in [^\n:]{1,200})?: (?:0x[0-9A-Fa-f]{8}: )?(?P<type>[^\n:.]{3,100}?)(?: (?P<message>(?:reading|writing|executing) location[^\n]{0,60}?)|: (?P<other>[^\n]{1,300}?))?\.?$"), _typed(3)),
    ("code c0", lazy(r"(?:\([0-9a-f]{1,6}\.[0-9a-f]{1,6}\): )?(?P<type>[A-Z][A-Za-z -]{3,60}) - code (?P<message>[c08][0-9a-f]{7})"), _typed()),
    ("EXCEPTION_", lazy(r"(?:Unhandled Exception: |Fatal error!?:? ?)?(?P<type>EXCEPTION_[A-Z_]{4,40})(?P<message> [^\n]{1,200})?$"), _typed()),
    ("atal error: ", lazy(r"(?:(?P<file>[^\s:]{1,300}\.swift|[\w./]{1,200}):(?:(?P<line>\d{1,7}): )?)?Fatal error: (?P<message>[^\n]{1,600}?(?:: file [^\n]{1,300}\.swift, line \d{1,7}$)|(?:Index out of range|Unexpectedly found nil|'try!' expression|Can't |Not enough bits|Division by zero|Double value|Float value|Array index|Range requires|Duplicate |Negative value|UnsafeMutable|String index|Attempted to)[^\n]{0,500})"), _swift_fatal),
    ("dumped core", lazy(r"Process \d{1,9} \([^()]{1,200}\) of user \d{1,9} dumped core\."), lambda _: NativeHead(None, None, 0, is_report=True)),
    ("Signal: ", lazy(r"Signal: (?P<number>\d{1,2}) \((?P<name>[A-Z]{2,8})\)$"), _typed(is_report=True)),
    ("nvalid ", lazy(r"==\d{1,9}== (?P<type>Invalid (?:read|write|free\(\)|jump)|Mismatched free\(\)|Conditional jump or move depends on uninitialised value\(s\)|Use of uninitialised value|Jump to the invalid address|Process terminating|Syscall param)(?P<message>[^\n]{0,100})"), _typed(3, is_report=True)),
    ("ninitialised", lazy(r"==\d{1,9}== (?P<type>Conditional jump or move depends on uninitialised value\(s\)|Use of uninitialised value)(?P<message>[^\n]{0,100})"), _typed(3, is_report=True)),
    ("", lazy(rf"(?P<what>{'|'.join(_SHELL)})(?: ?[(（](?:core dumped|核心已转储|吐核|コアダンプ)[)）]|: \d{{1,2}})$"), _shell),
)  # fmt: skip


@lru_cache(maxsize=8_192)
def head_of(line: str) -> NativeHead | None:
    """Return what the line says of the fault, behind whatever a log put before it; None if it says nothing."""
    if len(line) > LONGEST:
        return None
    body = line.strip()
    found = _match(body)
    if found is None and body:
        at = next((at for mark in _MARKS if (at := body.find(mark, 0, _FARTHEST)) > 0), 0)
        # a code before it in a spelling that is not known: the database's own error, which is known by its code
        found = _match(body[at:]) if at and "Code" not in body[:at] else None
    if found is None and body:
        prefix = LOG_PREFIX.match(body)
        if prefix is not None and prefix.end() < len(body):
            found = _match(body[prefix.end() :])
    return found


def _match(body: str) -> NativeHead | None:
    for literal, pattern, build in _PATTERNS:
        if literal in body:
            found = pattern.match(body)
            if found is not None:
                return build(found)
    return None


# The lines of a crash report that are neither frame nor fault: titles of stacks, echoes of source, registers, ends.

# e.g. Thread 3 (crashed)
_THREAD = lazy(
    r"(?P<lldb>\*? ?thread #\d{1,6}(?:,|: tid)[^\n]{0,300}$)"
    r"|Thread (?P<gdb>\d{1,6}) \((?:Thread 0x|LWP|process|Suspended)[^\n]{0,200}\):?(?: \([^\n]{1,40}\))?$"
    r"|\[Switching to thread (?P<switched>\d{1,6}) [^\n]{0,200}\]$"
    r"|Thread (?P<number>\d{1,6}|0x[0-9a-f]{1,16})(?P<crashed>[ ](?:name:[^\n]{0,100} )?(?:Crashed|crashed)| \(crashed\))?(?:[: ][^\n]{0,200})?$"
    r"|Stack trace of thread (?P<dumped>\d{1,9}):?$"
    r"|(?P<last>Last Exception Backtrace:|\*{3} First throw call stack:|Application Specific Backtrace \d{1,2}:|Exception Backtrace:)"
    r"|(?P<sibling>-{3} -{3} -{3}[ -]{0,100}|={3,}-{0,3}[ ]?(?:Other threads|Memory map).{0,40})"
)
# e.g. previously allocated by thread T0 here:
_SECONDARY = lazy(
    r"(?:(?:previously )?(?:allocated|freed) by thread |(?:is located|was (?:created|stored|allocated|freed))|Thread T\d{1,9}|Previous (?:atomic )?(?:write|read) |Uninitialized value was|Location is |Mutex M\d|Memory was marked|"
    r"As if synchronized|And next|Address 0x[0-9A-Fa-f]{1,16} is |Block was alloc'd|(?:Direct|Indirect) leak of |Shadow bytes|Uninitialised value was created|Cycle in lock order|HINT: )"
    r"|0x[0-9a-f]{1,16} is located|\[?0x[0-9a-f]{1,16}[,)]",
    re.IGNORECASE,
)
# e.g. READ of size 4
_ACCESS = lazy(
    r"(?P<access>(?:READ|WRITE|Read|Write|Atomic (?:read|write)) of size \d{1,9})(?= at | tags| thread|$)|The signal is caused by a (?P<cause>READ|WRITE|UNKNOWN) memory access|(?P<leak>Direct leak of \d{1,12} byte\(s\) in \d{1,12} object\(s\)) allocated"
)
# e.g. Binary Images:
_END = lazy(
    r"(?:==\d{1,9}==)?(?:SUMMARY: \w{1,40}|ABORTING|HEAP SUMMARY|ERROR SUMMARY)|Binary Images:|Loaded modules:|={7} Memory map|Shadow bytes around|EOF$|memory near |open files:|tombstone_?\w{0,10} written"
)
# e.g. [External Code]
_ECHO = lazy(
    r"$|\.{2,}|\d{1,7}\t|\d{1,7}[ \t]{1,8}(?:in |\S)|(?:->|>)?[ ]{0,8}\d{1,7}[ \t]|[ ]{0,40}\^|(?:[A-Za-z]\w{0,20}[ ]{0,8}= ?(?:0x[0-9a-f]{1,16}|<)[^\n]{0,400})|[\w.\[\]>-]{1,60} = |No (?:locals|symbol table info available|arguments)|Found by: |\(?(?:BuildId|More stack frames follow|\d{1,9} more)|"
    r"[)(]$|Locals:|\[(?:External Code|Frames below|Inlined?)[^\n]{0,100}|(?:Missing|Backtrace stopped)[^\n]{0,200}|-{2,}Type |\(gdb\)|\(lldb\)|(?:x|r|rip|rsp|rbp|eip|esp|lr|sp|pc|cpsr|w)\d{0,2}[ :=]|warning: |\[Current thread|Using host libthread_db|Registers:|backtrace:|Stack trace|\[Thread debugging|-{3,}|Child-SP|RetAddr|#[ ]Child|Call Site|WARNING: (?:Stack unwind|Frame IP)",
)
# e.g. at P.Main()
_FOREIGN = lazy(
    r"(?:at |在 |à |bei )[\w$.<>/]{2,300}(?:\(|\[)|Traceback \(most recent|File \"|goroutine \d|Caused by: |panic: |stack backtrace:|thread '|BUG: |Call Trace:|Exception in thread |Unhandled exception\. |from [^\s:]{1,200}:\d{1,7}:in "
)


class TitleKind(Enum):
    """What a line is for the stacks around it."""

    TITLE = "title"
    SECONDARY = "secondary"
    END = "end"
    ECHO = "echo"
    FOREIGN = "foreign"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Title:
    """A line that a stack is under."""

    text: str
    thread: str | None = None
    crashed: bool = False
    is_first_choice: bool = False
    """The stack where an exception was thrown, which tells more than where the process died."""


@lru_cache(maxsize=4_096)
def kind_of(line: str) -> TitleKind:
    """Return what a line that is no frame and names no fault is."""
    body = line.strip()[:600]
    body = re.sub(r"^==\d{1,9}==[ ]*", "", body) or body
    if _FOREIGN.match(body):
        return TitleKind.FOREIGN
    if title_of(line) is not None:
        return TitleKind.TITLE
    if _END.match(body):
        return TitleKind.END
    if _SECONDARY.match(body):
        return TitleKind.SECONDARY
    return TitleKind.ECHO if _ECHO.match(body) else TitleKind.OTHER


@lru_cache(maxsize=4_096)
def title_of(line: str) -> Title | None:  # noqa: PLR0911 - one return a spelling
    """Return the title that the line is; None for any other line."""
    body = line.strip()
    if len(body) > 400:
        return None
    found = _THREAD.match(body)
    if found is None:
        return None
    if found["sibling"]:
        return Title(body)
    if found["last"]:
        return Title(body, is_first_choice=True)
    thread = found["gdb"] or found["switched"] or found["number"] or found["dumped"]
    if found["lldb"]:
        number = re.match(r"\*? ?thread #(\d{1,6})", body)
        return Title(body, number[1] if number else None, crashed=body.startswith("*"))
    if found["number"] and not (
        found["crashed"] or body.endswith(":") or re.match(r"Thread \d{1,6}$|Thread \S+ (?:name:|\w+)?:", body)
    ):
        return None
    return Title(body, thread, crashed=bool(found["crashed"]) or bool(found["dumped"]))


def access_of(line: str) -> str | None:
    """``WRITE of size 1``: what a sanitizer says of the access at fault."""
    found = _ACCESS.search(line[:300])
    if found is None:
        return None
    return found["access"] or found["leak"] or f"{found['cause']} memory access"


# The stacks of one report, and which of them is the fault's.


@dataclass(slots=True)
class NativeStack(FrameStack):
    """The frames under one title."""

    title: Title | None
    is_secondary: bool
    last: int = -1


def chosen(stacks: list[NativeStack]) -> NativeStack | None:
    """Return the stack of the fault: where an exception was thrown, where the report says crashed, where a signal came in."""
    own = [stack for stack in stacks if not stack.is_secondary and stack.frames]
    if not own:
        return next((stack for stack in stacks if stack.frames), None)
    for wanted in ("is_first_choice", "crashed"):
        found = next((s for s in own if s.title is not None and getattr(s.title, wanted)), None)
        if found is not None:
            return found
    if len(own) > 1 and all(stack.title is not None for stack in own):
        signalled = next((s for s in own if any(f.function == SIGNAL_HANDLER for f in s.frames[:12])), None)
        aborted = next((s for s in own if is_machinery(normal_frame(s.frames[0])) and _aborts(s)), None)
        first = next((s for s in own if s.title is not None and s.title.thread == "1"), None)
        return signalled or aborted or first or own[0]
    return own[0]


def _aborts(stack: NativeStack) -> bool:
    return any((frame.function or "") in ("abort", "__GI_abort", "raise", "__GI_raise") for frame in stack.frames[:6])
