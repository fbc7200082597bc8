"""The lines of a kernel log: what is before them, and the frames of every architecture."""

import re
from dataclasses import dataclass
from functools import lru_cache

from kb.patterns import lazy
from kb.trace.model import Frame
from kb.trace.runtimes.kernel.names import rank_of

LONGEST = 2_000

# [12345.678901] [12345.678901][ T1234] [Tue May  7 10:00:00 2024] (3)[12:java]
_STAMP = lazy(
    r"(?:<\d{1,3}>)?\[[ ]{0,12}(?:\d{1,9}\.\d{3,9}|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}|\d{4}-\d\d-\d\dT[\d:,.+]{8,24})\]"
    r"(?:[ ]{0,2}\[[ ]{0,6}[TC]\d{1,8}\])?(?:[ ]?\(\d{1,3}\)\[[^\[\]]{1,40}\])?"
)
_STAMP_WITHIN = 160
_KERNEL = lazy(r"(?:^|[\s\]>])kernel(?:\[\d{1,9}\])?: ?")
_LEVEL = lazy(r"[ \t]*<\d{1,3}>")

_NAME = r"(?P<name>[A-Za-z_$][\w.$]{0,300}+|_R\w{1,300}|<[\w ]{1,40}>)"
_ADDRESSES = r"(?:\(?\[<?[0-9a-f]{0,16}>?\]\)?[ \t]{0,3}){0,2}"
_SITE = r"(?:[ \t]+(?P<file>[\w./+-]{1,300}\.(?:[chS]|cpp|rs|hpp)):(?P<line>\d{1,7})(?::\d{1,5})?(?: (?P<inline>\[inline\]))?)?"
_OFFSET = r"\+0x[0-9a-f]{1,8}(?:/0x[0-9a-f]{1,8})?"
_MODULE = r"(?:[ \t]+\[(?P<module>[\w-]{1,64})(?: [0-9a-f]{8,64})?\])?"
# e.g. do_work+0x1/0x20 mm/slab.c:123
_FRAME = lazy(
    rf"[ \t]*{_ADDRESSES}(?:(?P<guess>\?)[ \t]{{1,4}})?\(?(?:0x[0-9a-f]{{4,16}}:)?{_NAME}{_OFFSET}\)?{_MODULE}{_SITE}{_MODULE.replace('module', 'behind')}(?P<rest>[^\n]{{0,200}})$"
)
# e.g. do_work mm/slab.c:123 [inline]
_SYMBOLIZED = lazy(
    rf"[ \t]*(?:\? )?{_NAME}[ \t]+(?P<file>(?:[\w.+-]{{1,80}}/){{1,12}}[\w.+-]{{1,80}}\.(?:[chS]|rs)):(?P<line>\d{{1,7}})(?: (?P<inline>\[inline\]))?[ \t]*$"
)
# 32-bit ARM: [<c0012345>] (f) from [<c0023456>] (g+0x10/0x14), and since 5.18: f from g+0x10/0x14
_ARM = lazy(
    r"[ \t]*(?:\[<[0-9a-f]{8}>\] )?\((?P<name>[A-Za-z_][\w.$]{0,200})(?:\+0x[0-9a-f]{1,8}/0x[0-9a-f]{1,8})?(?: \[(?P<module>[\w-]{1,64})\])?\) from \[<"
    r"|[ \t]*(?P<bare>[A-Za-z_][\w.$]{0,200})(?: \[(?P<other>[\w-]{1,64})\])? from [A-Za-z_][\w.$]{0,200}\+0x[0-9a-f]{1,8}/0x"
)
# e.g. `pc : f+0x1/0x2 [m]`
_CRASH = lazy(
    rf"[ \t]*(?:RIP|EIP|IP|NIP|PC|pc|epc|ip|Krnl PSW|Krnl Code|PSW)(?: is at|[ \t]{{0,4}}:)?[ \t]{{0,4}}(?:[0-9a-f]{{4}}:(?!\w*:))?[ \t]*(?:(?:\[<?[0-9a-f]{{0,16}}>?\]|[0-9a-f]{{8,16}}|\((?=[a-z_]))[ \t]{{0,3}}){{0,3}}{_NAME}{_OFFSET}{_MODULE}"
)
_CRASH_START = lazy(r"[ \t]*(?:RIP|EIP|IP|NIP|PC|pc|epc|ip|Krnl|PSW)\b")
# e.g. Call Trace:
_TRACE = lazy(r"[ \t]*(?:Call [Tt]race:|Backtrace:|stack backtrace:|Trace:|Call Backtrace:)(?P<rest>.*)$")
# e.g. <TASK>
_MARK = lazy(
    r"[ \t]*</?(?P<mark>IRQ|NMI|TASK|SOFTIRQ|EOI|EOE|#DF|#DB|#MC|#VC2?|#NM|ENTRY_TRAMPOLINE|ISR|UNK|<EOE>|<EOI>)>"
)
_PLACE = lazy(r"\+0x[0-9a-f]+(?:/0x[0-9a-f]+)?")


def bare(line: str) -> str:
    """Return the kernel's own text: without time stamp, host, level, whatever logger carried it."""
    at = 0
    found = _STAMP.search(line, 0, _STAMP_WITHIN) if "[" in line[:_STAMP_WITHIN] else None
    if found is None and "kernel" in line[:_STAMP_WITHIN]:
        named = _KERNEL.search(line, 0, _STAMP_WITHIN)
        at = named.end() if named is not None else 0
        found = _STAMP.match(line, at)
    if found is not None:
        at = found.end()
    elif (level := _LEVEL.match(line, at)) is not None:
        at = level.end()
    return line[at:].removeprefix(" ") if at else line


def is_dressed(line: str) -> bool:
    """Whether a kernel's time stamp or name is before the text."""
    return len(bare(line)) < len(line)


@lru_cache(maxsize=16_384)
def frame_of(body: str) -> Frame | None:
    """Return the frame on a line of a call trace; a guess keeps its ``?`` in ``raw``."""
    if len(body) > LONGEST:
        return None
    found = None
    if "+0x" in body:
        found = _FRAME.match(body)
        found = found if found is not None and _ends(found["rest"]) else None
    elif ":" in body:
        found = _SYMBOLIZED.match(body)
    if found is not None:
        return _frame(found, body)
    found = _ARM.match(body) if " from " in body else None
    if found is None:
        return None
    name, module = found["name"] or found["bare"], found["module"] or found["other"]
    return Frame(name, module, in_app=rank_of(name, module) == 0, raw=body.strip())


def _ends(rest: str) -> bool:
    rest = rest.strip(" \t),\"'\\")
    return not rest or rest.startswith(("(", "SS:ESP", "<", "[", "RSP", "#", "- ", "*"))


def _frame(found: re.Match[str], body: str) -> Frame:
    parts = found.groupdict()
    module = parts.get("module") or parts.get("behind")
    if module in ("inline", "rust"):
        module = None
    line = parts.get("line")
    name = found["name"]
    return Frame(
        name, module, parts.get("file"), int(line) if line else None, None, rank_of(name, module) == 0, body.strip()
    )


@lru_cache(maxsize=4_096)
def crash_frame(body: str) -> Frame | None:
    """Return where the processor was: ``RIP: 0010:f+0x1/0x2``, ``pc : f+0x1/0x2``, ``NIP [c0…] f+0x1/0x2``."""
    if "+0x" not in body or len(body) > LONGEST or _CRASH_START.match(body) is None:
        return None
    found = _CRASH.match(body)
    return _frame(found, body) if found is not None else None


def begins_trace(body: str) -> str | None:
    """Return what is behind ``Call Trace:``; None for other lines."""
    found = _TRACE.match(body) if "race:" in body[:40] else None
    return found["rest"] if found is not None else None


def marks(body: str) -> str:
    """Return the line without ``<IRQ>``, ``</TASK>`` and their like, which may be before a frame."""
    end, found = 0, _MARK.match(body) if "<" in body[:12] else None
    while found is not None:
        end = found.end()
        found = _MARK.match(body, end)
    return body[end:] if end else body


def is_same_place(crash: Frame, frame: Frame) -> bool:
    """Whether a trace's first frame is where the processor was: a caller of the same name stands elsewhere in it."""
    if crash.function != frame.function:
        return False
    offset = _PLACE.search(frame.raw) if " from " not in frame.raw else None  # 32-bit ARM prints none
    return offset is None or offset[0] in crash.raw


# What the kernel says when something is wrong: each row a kind, in the kernel's own words.


@dataclass(frozen=True, slots=True)
class KernelHead:
    """One line that says what is wrong."""

    kind: str
    message: str
    process: str | None = None
    frame: Frame | None = None
    """The function or the place that the line itself names."""
    is_single: bool = False
    """No stack follows."""
    goes_on: bool = False
    """Says of the fault above how it was met: ``Oops:`` below ``unable to handle``. Alone it is a head, too."""


_C = r"(?P<process>[^\s\[\]()]{1,40}?|[^\[\]()\n]{1,40}?)"

# kind (None: the group "kind"), pattern at the beginning of the line; groups: message, process, kind. Order matters.
WITH_STACK: tuple[tuple[str | None, str], ...] = (
    ("soft lockup", rf"(?:(?:NMI )?watchdog: )?BUG: soft lockup - (?P<message>CPU#\d+ stuck for \d+s!(?: \[{_C}:\d+\])?)"),
    ("hard lockup", r"(?:(?:NMI )?watchdog: |Kernel panic - not syncing: )?(?P<message>(?:Watchdog detected hard LOCKUP on cpu ?\d+|BUG: Hard lockup.*|CPU\d+: Watchdog detected hard LOCKUP.*))"),
    ("hung task", rf"(?:INFO: )?(?P<message>task {_C}:\d+ (?:<[^>]*> )?(?:is )?blocked (?:in I/O wait )?(?:for more than \d+ seconds|on (?:a|an) \w+).*)"),
    ("rcu stall", r"(?:rcu: )?(?:INFO: )(?P<message>rcu\w* (?:self-)?detected (?:expedited )?stalls? on CPUs?.*)"),
    ("workqueue lockup", r"BUG: workqueue lockup - (?P<message>.*)"),
    (None, r"(?:BUG: )(?P<kind>(?:KASAN|KMSAN|KCSAN|KFENCE): [\w-]+(?: (?:read|write|memory corruption|invalid free|data-race|rw|ordering))?)(?P<message> (?:in|on|/) .*)?"),
    (None, r"(?P<kind>UBSAN: [\w -]+?) in (?P<message>.*)"),
    ("NULL pointer dereference", r"(?:BUG: )?(?:[Uu]nable to handle kernel |kernel |Kernel |Unable to handle )NULL pointer dereference(?P<message>,? ?(?:at|on|address|in|for).*)?"),
    ("paging request", r"(?:BUG: |Unable to handle )(?:unable to handle |Unable to handle )?(?:kernel )?(?:paging request|page fault|data access|instruction fetch|access to user memory)(?P<message> .*)?"),
    ("stack guard page was hit", r"BUG: (?:TASK |IRQ |NMI )?stack guard page was hit(?P<message>.*)"),
    ("scheduling while atomic", rf"BUG: scheduling while atomic: (?P<message>{_C}/\d+/\S+)"),
    ("sleeping function called from invalid context", r"BUG: sleeping function called from invalid context (?P<message>at .*)"),
    (None, r"BUG: (?P<kind>spinlock [a-z ]+?|rwlock [a-z ]+?)(?: on (?P<message>CPU.*))?$"),
    (None, rf"BUG: (?P<kind>Bad page (?:state|map|cache)) in process {_C}(?P<message> +p.*)"),
    (None, r"BUG: (?P<kind>Bad rss-counter state|corrupted list|using (?:__this_cpu_\w+\(\)|smp_processor_id\(\))|looking up invalid subclass|MAX_LOCK\w+ too low|non-zero pgtables_bytes|Dentry|memory leak|(?:held lock|still has locks held)|Invalid wait context|SLUB: |Objects remaining|assuming|unable to handle|Unable to handle|object|recent printk recursion|arch topology borken|kernel stack|stack)(?P<message>.*)"),
    ("kernel BUG", r"kernel BUG (?P<message>(?:at|in) [^\s:]{1,300}:\d+)!?"),
    (None, r"(?:WARNING|INFO): (?P<kind>possible (?:circular locking dependency|recursive locking|irq lock inversion dependency|deadlock)|suspicious RCU usage|inconsistent lock state|bad unlock balance|trying to register non-static key|lock held when returning to user space|held lock freed)(?P<message>.*)"),
    ("WARNING", r"WARNING: (?:CPU: \d+ PID: \d+ )?(?P<message>(?:at )?[\w./+-]{1,300}\.(?:[chS]|rs):\d+(?: at)? [\w.$]{1,200}\+0x.*)"),
    ("general protection fault", r"(?:Oops: )?general protection fault(?P<message>[,:] .*)"),
    (None, r"(?:Oops: )?(?P<kind>divide error|invalid opcode|stack segment|double fault|int3|alignment check|bounds|machine check|kernel stack overflow|invalid TSS|segment not present): (?P<message>[0-9a-f]{4} \[#\d+\].*)"),
    ("Oops", r"(?:Internal error: )?(?P<message>Oops(?: - [^:\n]{1,80})?: (?:[0-9a-f]{1,8} \[#\d|Kernel access|.{0,200}\[#\d).*)"),
    ("Kernel panic", r"Kernel panic - not syncing:? ?(?P<message>.*)"),
    ("page allocation failure", rf"{_C}: page allocation (?:failure|stalls for \d+ms)[.:,] ?(?P<message>.*)"),
    ("oom kill", rf"{_C} invoked oom-killer: (?P<message>.*)"),
    (None, r"(?P<kind>list_(?:add|del) corruption)(?P<message>.*)"),
    (None, r"(?P<kind>NETDEV WATCHDOG): (?P<message>.*timed out.*)"),
    ("unchecked MSR access error", r"unchecked MSR access error: (?P<message>.*)"),
    ("Unhandled fault", r"Unhandled fault: (?P<message>.*)"),
    ("SError Interrupt", r"SError Interrupt on (?P<message>CPU.*)"),
    ("Bad mode", r"Bad mode in (?P<message>.*)"),
    ("stack-protector", r"stack-protector: (?P<message>Kernel stack is corrupted.*)"),
)  # fmt: skip
ALONE: tuple[tuple[str | None, str], ...] = (
    ("oom kill", rf"(?P<message>(?:Out of memory(?: \([^)]*\))?|Memory cgroup out of memory): Kill(?:ed)? process \d+(?:,? ?UID \d+,?)? ?\({_C}\).*)"),
    ("segfault", rf"(?P<message>{_C}\[\d+\]: segfault at [0-9a-f]+ ip .*)"),
    ("trap", rf"(?:traps: )(?P<message>{_C}\[\d+\](?:: | )(?:general protection|trap ).*)"),
    ("I/O error", r"(?P<message>(?:blk_update_request: |print_req_error: |end_request: )?(?:critical \w+ error|I/O error|[a-z ]{3,20} error), dev \S+,? .*)"),
    ("I/O error", r"(?:lost page write due to |Buffer )(?P<message>I/O error on (?:dev|device) .*)"),
    (None, r"(?P<kind>EXT[234]-fs (?:error|warning))(?P<message> .*)"),
    (None, r"(?P<kind>BTRFS (?:error|critical|warning))(?P<message>:? .*)"),
    ("XFS", r"XFS (?P<message>\([\w.-]{1,60}\): (?:Metadata |Corruption |Internal error|xfs_\w+|log I/O error|metadata I/O error|I/O [Ee]rror|Log I/O|Unmount and run|Filesystem has been|SB validate failed|Mount failed).*)"),
    ("JBD2", r"(?:JBD2: )?(?P<message>(?:(?<=JBD2: )|Aborting journal on device ).*)"),
    ("nvme timeout", r"nvme (?P<message>nvme\d+: (?:I/O|Abort|controller is down|Device not ready|I/O tag).*(?:timeout|reset|down|abort|not ready).*)"),
    ("ATA exception", r"ata\d+(?:\.\d+)?: (?P<message>(?:exception Emask|failed command:|hard resetting link|SError:|COMRESET failed).*)"),
    ("SCSI error", r"sd \d+:\d+:\d+:\d+: (?P<message>\[\w+\] .*(?:FAILED Result|Sense Key|Medium Error|Unrecovered).*)"),
    ("Hardware Error", r"(?:mce: )?(?:\[Hardware Error\]: |\{\d+\}\[Hardware Error\]: ?)(?P<message>.*)"),
    ("Hardware Error", r"mce: (?P<message>CPU\d+: .*(?:throttled|machine check|Machine Check).*)"),
    ("EDAC", r"EDAC (?P<message>\w+: \d+ [CU]E .*)"),
    ("Xid", r"NVRM: Xid \(PCI:[0-9a-f:.]{5,20}\): (?P<code>\d+)(?P<message>.*)"),
    ("table full", r"(?:nf_conntrack|ip_conntrack): (?:nf_conntrack: )?(?P<message>table full, dropping packet.*)"),
    ("out of memory", r"TCP: (?P<message>out of memory -- consider tuning tcp_mem.*)"),
    ("unregister_netdevice", r"unregister_netdevice: (?P<message>waiting for \S+ to become free.*)"),
)  # fmt: skip

_GOES_ON = frozenset(("Oops", "invalid opcode", "Kernel panic", "stack segment", "divide error"))
_ROWS = tuple((kind, lazy(pattern), False) for kind, pattern in WITH_STACK) + tuple(
    (kind, lazy(pattern), True) for kind, pattern in ALONE
)
# Of each row a word, so that a line without any of them is not matched against all
_TELLING = lazy(
    r"BUG|LOCKUP|blocked |rcu|KASAN|UBSAN|dereference|paging request|page fault|lockup|Unable to handle|WARNING|INFO: |general protection|"
    r"\[#\d|Oops|Kernel panic|oom-killer|page allocation|corruption|NETDEV|Unhandled fault|SError|Bad mode|stack-protector|"
    r"ut of memory|segfault at |traps: |error, dev|I/O error|-fs |BTRFS|XFS|JBD2|Aborting journal|nvme|ata\d|sd \d|Hardware Error|MSR access|mce: |EDAC|Xid|table full|unregister_netdevice"
)
# e.g. in f+0x1/0x2
_WHERE = lazy(r"(?:in|on|/) (?P<frame>[\w.$]{1,200}(?:\+0x[0-9a-f]{1,8}(?:/0x[0-9a-f]{1,8})?)?(?: \[[\w-]{1,64}\])?)")
# e.g. at net/core/dev.c:2500 skb_warn+0x10/0x20
_FILE = lazy(
    r"(?:at |in |^)?(?P<file>[\w./+-]{1,300}\.(?:[chS]|rs)):(?P<line>\d{1,7})(?::\d{1,5})?!?(?: (?:at )?(?P<frame>[\w.$]{1,200}\+0x[0-9a-f]{1,8}(?:/0x[0-9a-f]{1,8})?(?: \[[\w-]{1,64}\])?))?"
)


def head_of(body: str) -> KernelHead | None:
    """Return what a line says is wrong; None for the others."""
    body = body.strip()
    if len(body) > 4_000 or _TELLING.search(body[:400]) is None:
        return None
    for kind, pattern, is_single in _ROWS:
        found = pattern.match(body)
        if found is None:
            continue
        parts = found.groupdict()
        name = kind or parts["kind"].strip()
        name = f"{name} {parts['code']}" if "code" in parts else name
        message = (parts.get("message") or "").strip(" ,:")
        process = parts.get("process")
        if kind == "oom kill" and not is_single:
            message = f"{process} invoked oom-killer: {message}"
        return KernelHead(name, message, process, _place(name, message), is_single, name in _GOES_ON)
    return None


def _place(kind: str, message: str) -> Frame | None:
    """Return the function that a report names in its first line, with file and line where it has them."""
    if kind.startswith(("KASAN", "KMSAN", "KCSAN", "KFENCE")):
        found = _WHERE.match(message)
        named = frame_of(found["frame"]) if found is not None else None
        if found is not None and named is None:
            name = found["frame"].partition(" ")[0]
            return Frame(name, in_app=rank_of(name, None) == 0, raw=message)
        return named
    if kind not in ("kernel BUG", "WARNING") and not kind.startswith("UBSAN"):
        return None
    found = _FILE.search(message)
    if found is None:
        return None
    named = frame_of(found["frame"]) if found["frame"] else None
    function, module = (named.function, named.module) if named is not None else (None, None)
    return Frame(function, module, found["file"], int(found["line"]), None, rank_of(function, module) == 0, message)
