"""The lasting names of kernel functions: without compiler's clones, offsets and the spelling of system calls."""

import re
from functools import lru_cache

from kb.patterns import lazy
from kb.trace.model import Frame, RaisedException
from kb.trace.rules import names

UNRELIABLE = "?"
"""The ``raw`` of a normalised frame that the kernel itself marks as a guess."""

# e.g. do_work.isra.0.constprop.3
_CLONE = lazy(
    r"(?:\.(?:isra|constprop|part|cold|llvm|lto_priv|localalias|clone|ipa|cfi|cfi_jt|__uniq)(?:\.\d{1,40})?|\.\d{1,20})+$"
)
# e.g. __arm64_sys_read
_SYSTEM_CALL = lazy(
    r"^(?:__)?(?:(?:x64|ia32|arm64|se|do|s390x?|riscv|powerpc|sys_compat|loongarch)_)?(?:compat_)?(?:sys|SyS|SYSC)_(?=[a-z])"
)
_GUESSED = lazy(r"(?:^|[\s\])])\? |\(unreliable\)")

# Kinds whose message tells where and how long, and never what: the stack does
_STACK_TELLS = frozenset(
    (
        "soft lockup", "hard lockup", "hung task", "rcu stall", "NULL pointer dereference", "paging request",
        "general protection fault", "Oops", "divide error", "invalid opcode", "double fault", "page allocation failure",
        "scheduling while atomic", "stack guard page was hit", "workqueue lockup",
    )
)  # fmt: skip
# e.g. Out of memory: Kill process 77 (java) score 900 or sacrifice child
_SIZES = lazy(r"[,;]? ?(?:total-vm|anon-rss|file-rss|shmem-rss|UID|pgtables|oom_score_adj|score)\b.*$")
_KILLED = lazy(r"\bKill(?:ed)? process <int>,?(?: ?UID <int>,?)? ?(?=\()")
_AT_LINE = lazy(r"(?<=\.[chS]):(?:\d{1,7}|<int>)(?::(?:\d{1,5}|<int>))?")
_LINE_IN = lazy(r"(?<=\w):<int>(?=: )")
# e.g. `error, dev sda, sector <int>`
_DISK = lazy(
    r"(?<![\w-])(?:(?:sd|vd|xvd|hd)[a-z]{1,3}|dm-<int>|nvme<int>(?:n<int>)?|md<int>|loop<int>|mmcblk<int>)(?:p?<int>)?(?:-<int>)?(?![\w<])"
)
_FAULT = lazy(
    r"(?P<comm>[^\n]{1,60}?)\[<int>\]:?+ (?P<what>segfault|general protection(?: fault)?|trap [a-z ]{2,40}?)(?: at \S{1,40})? ip[ :]\S{1,40} sp[ :]\S{1,40}"
    r" (?P<error>error[ :]\w{1,8})(?: in (?P<where>[^\s\[]{1,120}))?"
)
"""A program's own fault: its addresses change from run to run, of its code only the file stays."""
_OFFSET = lazy(r"\+(?:0x[0-9a-f]{1,8}|<hex>)/(?:0x[0-9a-f]{1,8}|<hex>)(?: \[\w{1,64}\])?")


@lru_cache(maxsize=8_192)
def normal_function(name: str) -> str:
    """Return the function as it is written, of whatever clone; a system call as ``sys_read``."""
    return _SYSTEM_CALL.sub("sys_", _CLONE.sub("", name))


@lru_cache(maxsize=8_192)
def rank_of(function: str | None, module: str | None) -> int:
    """2 for reporting, entry and scheduling, 1 for locks, else 0: a driver's or a subsystem's own code."""
    if function is None or module is not None:
        return 0
    name = normal_function(function)
    if name in names("kernel_platform") or name in names("kernel_machinery"):
        return 2
    return 1 if name in names("kernel_locks") else 0


def normal_frame(frame: Frame) -> Frame:
    """Function and module; a guess stays marked as one."""
    guessed = frame.raw == UNRELIABLE or _GUESSED.search(frame.raw) is not None
    function = normal_function(frame.function) if frame.function else frame.function
    filename = frame.filename if function is None else None
    return Frame(function, frame.module, filename, in_app=frame.in_app, raw=UNRELIABLE if guessed else "")


def is_machinery(frame: Frame) -> bool:
    """Guesses, what prints the report, and the way into the kernel."""
    return frame.raw == UNRELIABLE or (frame.module is None and frame.function in names("kernel_machinery"))


def rank(frame: Frame) -> int:
    """0 a driver or subsystem, 1 a lock, 2 scheduling and entry."""
    return rank_of(frame.function, frame.module)


def loose_key(frame: Frame) -> str:
    """Return the function alone: what is a module in one kernel is built in in another."""
    return frame.function or frame.filename or "?"


def normal_type(name: str) -> str:
    """Return the kind as it is."""
    return name


def function_name(raw: str) -> str | None:
    """Return a function printed with offset and size; None for others."""
    found = re.fullmatch(r"(?:\? )?([A-Za-z_][\w.]{0,200})\+0x[0-9a-f]{1,8}/0x[0-9a-f]{1,8}(?: \[\w{1,64}\])?", raw)
    return normal_function(found[1]) if found is not None else None


def normal_message(exception: RaisedException) -> str | None:
    """Return the message without processors, processes, times and places; none at all where the stack tells more."""
    message = exception.message
    if not message:
        return None
    if exception.stack.frames and (
        exception.type in _STACK_TELLS or (exception.type or "").startswith(("KASAN", "KCSAN", "KFENCE", "KMSAN"))
    ):
        return None
    if exception.type in ("soft lockup", "hard lockup", "hung task"):
        message = re.sub(r"^CPU#<int> stuck for <duration>! ", "", message)
        message = re.sub(r" (?:for|since) more than .*$| for <duration>.*$", "", message)
        return re.sub(r"(?:[/:]<int>)+(?:[-+:]\w{1,60})?(?=[\] ]|$)", "", message)
    if exception.type in ("segfault", "trap") and (fault := _FAULT.match(message)) is not None:
        words = f"{fault['comm']}: {fault['what']} {fault['error'].replace(':', ' ')}"
        return f"{words} in {fault['where']}" if fault["where"] else words
    if exception.type == "oom kill":
        return _KILLED.sub("Killed process ", _SIZES.sub("", message)).strip()
    message = _OFFSET.sub("", _AT_LINE.sub("", message))
    return _DISK.sub("<disk>", _LINE_IN.sub("", message)).strip() or None
