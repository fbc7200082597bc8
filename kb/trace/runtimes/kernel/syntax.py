"""The lines of a kernel log: what stands before them, and the frames of every architecture."""

import re
from functools import lru_cache

from kb.trace.model import Frame
from kb.trace.runtimes.kernel.names import rank_of

LONGEST = 2_000

# [12345.678901] [12345.678901][ T1234] [Tue May  7 10:00:00 2024] (3)[12:java]
_STAMP = re.compile(
    r"(?:<\d{1,3}>)?\[[ ]{0,12}(?:\d{1,9}\.\d{3,9}|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d \d\d:\d\d:\d\d \d{4}|\d{4}-\d\d-\d\dT[\d:,.+]{8,24})\]"
    r"(?:[ ]{0,2}\[[ ]{0,6}[TC]\d{1,8}\])?(?:[ ]?\(\d{1,3}\)\[[^\[\]]{1,40}\])?"
)
_STAMP_WITHIN = 160
_KERNEL = re.compile(r"(?:^|[\s\]>])kernel(?:\[\d{1,9}\])?: ?")
_LEVEL = re.compile(r"[ \t]*<\d{1,3}>")

_NAME = r"(?P<name>[A-Za-z_$][\w.$]{0,300}+|_R\w{1,300}|<[\w ]{1,40}>)"
_ADDRESSES = r"(?:\(?\[<?[0-9a-f]{0,16}>?\]\)?[ \t]{0,3}){0,2}"
_SITE = r"(?:[ \t]+(?P<file>[\w./+-]{1,300}\.(?:[chS]|cpp|rs|hpp)):(?P<line>\d{1,7})(?::\d{1,5})?(?: (?P<inline>\[inline\]))?)?"
_OFFSET = r"\+0x[0-9a-f]{1,8}(?:/0x[0-9a-f]{1,8})?"
_MODULE = r"(?:[ \t]+\[(?P<module>[\w-]{1,64})(?: [0-9a-f]{8,64})?\])?"
_FRAME = re.compile(
    rf"[ \t]*{_ADDRESSES}(?:(?P<guess>\?)[ \t]{{1,4}})?\(?(?:0x[0-9a-f]{{4,16}}:)?{_NAME}{_OFFSET}\)?{_MODULE}{_SITE}{_MODULE.replace('module', 'behind')}(?P<rest>[^\n]{{0,200}})$"
)
_SYMBOLIZED = re.compile(
    rf"[ \t]*(?:\? )?{_NAME}[ \t]+(?P<file>(?:[\w.+-]{{1,80}}/){{1,12}}[\w.+-]{{1,80}}\.(?:[chS]|rs)):(?P<line>\d{{1,7}})(?: (?P<inline>\[inline\]))?[ \t]*$"
)
# 32-bit ARM: [<c0012345>] (f) from [<c0023456>] (g+0x10/0x14), and since 5.18: f from g+0x10/0x14
_ARM = re.compile(
    r"[ \t]*(?:\[<[0-9a-f]{8}>\] )?\((?P<name>[A-Za-z_][\w.$]{0,200})(?:\+0x[0-9a-f]{1,8}/0x[0-9a-f]{1,8})?(?: \[(?P<module>[\w-]{1,64})\])?\) from \[<"
    r"|[ \t]*(?P<bare>[A-Za-z_][\w.$]{0,200})(?: \[(?P<other>[\w-]{1,64})\])? from [A-Za-z_][\w.$]{0,200}\+0x[0-9a-f]{1,8}/0x"
)
_CRASH = re.compile(
    rf"[ \t]*(?:RIP|EIP|IP|NIP|PC|pc|epc|ip|Krnl PSW|Krnl Code|PSW)(?: is at|[ \t]{{0,4}}:)?[ \t]{{0,4}}(?:[0-9a-f]{{4}}:(?!\w*:))?[ \t]*(?:(?:\[<?[0-9a-f]{{0,16}}>?\]|[0-9a-f]{{8,16}}|\((?=[a-z_]))[ \t]{{0,3}}){{0,3}}{_NAME}{_OFFSET}{_MODULE}"
)
_CRASH_START = re.compile(r"[ \t]*(?:RIP|EIP|IP|NIP|PC|pc|epc|ip|Krnl|PSW)\b")
_TRACE = re.compile(r"[ \t]*(?:Call [Tt]race:|Backtrace:|stack backtrace:|Trace:|Call Backtrace:)(?P<rest>.*)$")
_MARK = re.compile(
    r"[ \t]*</?(?P<mark>IRQ|NMI|TASK|SOFTIRQ|EOI|EOE|#DF|#DB|#MC|#VC2?|#NM|ENTRY_TRAMPOLINE|ISR|UNK|<EOE>|<EOI>)>"
)
_PLACE = re.compile(r"\+0x[0-9a-f]+(?:/0x[0-9a-f]+)?")


def bare(line: str) -> str:
    """The kernel's own text: without time stamp, host, level, whatever logger carried it."""
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
    """Whether a kernel's time stamp or name stands before the text."""
    return len(bare(line)) < len(line)


@lru_cache(maxsize=16_384)
def frame_of(body: str) -> Frame | None:
    """The frame on a line of a call trace; a guess keeps its ``?`` in ``raw``."""
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
    """Where the processor stood: ``RIP: 0010:f+0x1/0x2``, ``pc : f+0x1/0x2``, ``NIP [c0…] f+0x1/0x2``."""
    if "+0x" not in body or len(body) > LONGEST or _CRASH_START.match(body) is None:
        return None
    found = _CRASH.match(body)
    return _frame(found, body) if found is not None else None


def begins_trace(body: str) -> str | None:
    """What stands behind ``Call Trace:``; None for other lines."""
    found = _TRACE.match(body) if "race:" in body[:40] else None
    return found["rest"] if found is not None else None


def marks(body: str) -> str:
    """The line without ``<IRQ>``, ``</TASK>`` and their like, which may stand before a frame."""
    end, found = 0, _MARK.match(body) if "<" in body[:12] else None
    while found is not None:
        end = found.end()
        found = _MARK.match(body, end)
    return body[end:] if end else body


def is_same_place(crash: Frame, frame: Frame) -> bool:
    """Whether a trace's first frame is where the processor stood: a caller of the same name stands elsewhere in it."""
    if crash.function != frame.function:
        return False
    offset = _PLACE.search(frame.raw) if " from " not in frame.raw else None  # 32-bit ARM prints none
    return offset is None or offset[0] in crash.raw
