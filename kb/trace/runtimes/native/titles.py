"""The lines of a crash report that are neither frame nor fault: titles of stacks, echoes of source, registers, ends."""

import re
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

_THREAD = re.compile(
    r"(?P<lldb>\*? ?thread #\d{1,6}(?:,|: tid)[^\n]{0,300}$)"
    r"|Thread (?P<gdb>\d{1,6}) \((?:Thread 0x|LWP|process|Suspended)[^\n]{0,200}\):?(?: \([^\n]{1,40}\))?$"
    r"|\[Switching to thread (?P<switched>\d{1,6}) [^\n]{0,200}\]$"
    r"|Thread (?P<number>\d{1,6}|0x[0-9a-f]{1,16})(?P<crashed>[ ](?:name:[^\n]{0,100} )?(?:Crashed|crashed)| \(crashed\))?(?:[: ][^\n]{0,200})?$"
    r"|Stack trace of thread (?P<dumped>\d{1,9}):?$"
    r"|(?P<last>Last Exception Backtrace:|\*{3} First throw call stack:|Application Specific Backtrace \d{1,2}:|Exception Backtrace:)"
    r"|(?P<sibling>-{3} -{3} -{3}[ -]{0,100}|={3,}-{0,3}[ ]?(?:Other threads|Memory map).{0,40})"
)
_SECONDARY = re.compile(
    r"(?:(?:previously )?(?:allocated|freed) by thread |(?:is located|was (?:created|stored|allocated|freed))|Thread T\d{1,9}|Previous (?:atomic )?(?:write|read) |Uninitialized value was|Location is |Mutex M\d|Memory was marked|"
    r"As if synchronized|And next|Address 0x[0-9A-Fa-f]{1,16} is |Block was alloc'd|(?:Direct|Indirect) leak of |Shadow bytes|Uninitialised value was created|Cycle in lock order|HINT: )"
    r"|0x[0-9a-f]{1,16} is located|\[?0x[0-9a-f]{1,16}[,)]",
    re.IGNORECASE,
)
_ACCESS = re.compile(
    r"(?P<access>(?:READ|WRITE|Read|Write|Atomic (?:read|write)) of size \d{1,9})(?= at | tags| thread|$)|The signal is caused by a (?P<cause>READ|WRITE|UNKNOWN) memory access|(?P<leak>Direct leak of \d{1,12} byte\(s\) in \d{1,12} object\(s\)) allocated"
)
_END = re.compile(
    r"(?:==\d{1,9}==)?(?:SUMMARY: \w{1,40}|ABORTING|HEAP SUMMARY|ERROR SUMMARY)|Binary Images:|Loaded modules:|={7} Memory map|Shadow bytes around|EOF$|memory near |open files:|tombstone_?\w{0,10} written"
)
_ECHO = re.compile(
    r"$|\.{2,}|\d{1,7}\t|\d{1,7}[ \t]{1,8}(?:in |\S)|(?:->|>)?[ ]{0,8}\d{1,7}[ \t]|[ ]{0,40}\^|(?:[A-Za-z]\w{0,20}[ ]{0,8}= ?(?:0x[0-9a-f]{1,16}|<)[^\n]{0,400})|[\w.\[\]>-]{1,60} = |No (?:locals|symbol table info available|arguments)|Found by: |\(?(?:BuildId|More stack frames follow|\d{1,9} more)|"
    r"[)(]$|Locals:|\[(?:External Code|Frames below|Inlined?)[^\n]{0,100}|(?:Missing|Backtrace stopped)[^\n]{0,200}|-{2,}Type |\(gdb\)|\(lldb\)|(?:x|r|rip|rsp|rbp|eip|esp|lr|sp|pc|cpsr|w)\d{0,2}[ :=]|warning: |\[Current thread|Using host libthread_db|Registers:|backtrace:|Stack trace|\[Thread debugging|-{3,}|Child-SP|RetAddr|#[ ]Child|Call Site|WARNING: (?:Stack unwind|Frame IP)",
)
_FOREIGN = re.compile(
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
    """A line that a stack stands under."""

    text: str
    thread: str | None = None
    crashed: bool = False
    is_first_choice: bool = False
    """The stack where an exception was thrown, which tells more than where the process died."""


@lru_cache(maxsize=4_096)
def kind_of(line: str) -> TitleKind:
    """What a line that is no frame and names no fault is."""
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
    """The title that the line is; None for any other line."""
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
