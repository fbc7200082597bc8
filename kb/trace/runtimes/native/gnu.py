"""Frames of debuggers and libraries that number them with ``#``, ``frame #`` or ``1#``, or mark them with ``@``.

gdb, lldb, pstack, coredumpctl, the sanitizers, LLVM's and Chromium's own handlers, glibc's ``backtrace_symbols``, boost,
glog, folly, abseil, ClickHouse, Node's native stack, Valgrind.
"""

import re

from kb.trace.runtimes.native.printed import SIGNAL_HANDLER, Printed, described, frame

_HASH = re.compile(
    r"#(?P<number>\d{1,5})(?::|(?=[ \t]))[ \t]*+(?:\[(?=0x))?(?:(?P<address>0x[0-9a-fA-F]{1,16})\]?(?: <[^<>\n]{1,500}>)?(?=[ \t]|$)[ \t]*+(?P<in>in[ \t]++)?)?(?P<rest>[^\n]*)$"
)
_LLDB = re.compile(
    r"(?:\* )?frame #(?P<number>\d{1,5}): (?P<address>0x[0-9a-fA-F]{1,16})(?: (?P<module>[^`\n]{1,300}?)`(?P<rest>[^\n]*)| (?P<other>[^\n]*)|)$"
)
_LLDB_AT = re.compile(r" at (?P<place>[^\s].{0,500}?:\d{1,9}(?::\d{1,9})?)(?: \[\w{1,12}\])*[ \t]*+$")
_LLDB_CALL = re.compile(r"(?<![\w$])operator\((?=\w{1,60}=)")  # it puts the arguments into the name's own parentheses
_BACKTRACE = re.compile(
    r"(?P<module>[^\s()\[\]\"'=,][^()\[\]\n\"=]{0,300}?)\((?P<function>[^()\n+]{0,3000}+)(?:\+(?P<offset>0x[0-9a-fA-F]{1,16}))?\)[ ]?\[(?P<address>0x[0-9a-fA-F]{4,16})\][ \t]*+$"
)
_BARE_BACKTRACE = re.compile(r"(?P<module>/[^()\[\]\s]{1,300}+)[ ]?\[(?P<address>0x[0-9a-fA-F]{6,16})\][ \t]*+$")
_AT_SIGN = re.compile(r"(?:PC: )?@[ \t]{1,20}+(?P<address>(?:0x)?[0-9a-fA-F]{6,16})(?:[ \t]++(?P<rest>[^\n]*))?$")
_BOOST = re.compile(
    r"(?P<number>\d{1,4})#[ \t]++(?:(?P<address>0x[0-9a-fA-F]{1,16})[ \t]++in[ \t]++(?P<module>\S{1,500})|(?P<rest>[^\n]+?)(?:[ \t]\[0x[0-9a-fA-F]{1,16}\])?)$"
)
_CLICKHOUSE = re.compile(
    r"(?P<number>\d{1,4})\. (?:(?:inlined from )?(?P<place>[^\s:]{1,500}:\d{1,9}): )?(?P<rest>[^\n]+?)(?: @ (?P<address>0x[0-9a-fA-F]{1,16})(?: in (?P<module>\S{1,300}))?)?[ \t]*+$"
)
_NODE = re.compile(
    r"(?P<number>\d{1,3}): (?P<address>0x[0-9a-fA-F]{5,16})(?: (?P<rest>[^\n]*?))?(?: \[(?P<module>[^\[\]\n]{1,300})\])[ \t]*+$"
)
_VALGRIND = re.compile(
    r"(?:(?:==\d{1,9}==|--\d{1,9}--)[ \t]++)?(?P<first>at|by) 0x[0-9A-Fa-f]{1,16}: (?P<rest>[^\n]+)$"
)
_VALGRIND_PLACE = re.compile(r"[ ]\((?:(?P<in>in )(?P<module>[^()\n]{1,500})|(?P<place>[^()\n]{1,500}))\)$")
_FOREIGN = re.compile(
    r"(?:/|\.{1,2}/|[A-Za-z]:\\|phar://|vfs://)[^\n]{0,1000}?(?:\(\d{1,9}\)|\.php\b)|\[internal function\]|\{main\}|\((?:package|file|dart):|eval:|c:\d|.*\.(?:dart|php|rb|js|ts|py):"
)
_BARE_NAME = re.compile(
    r"[A-Za-z_~(<?:$\-+][^\s]{0,300}(?: \([^\n]{0,2000}\))?$|operator[^\n]{1,300}$|[\w:<>,~*& ]{1,500}\([^\n]{0,2000}\)(?: const)?$"
)
# A frame without address: gdb's f (x=1) at a.c:5, ThreadSanitizer's f /a.c:5 (a.out+0x1)
_PLACED = re.compile(
    r"[^\n]{1,3000}\) (?:at|from) |[^\n]{1,3000} (?:<null>|\S{1,500}:\d{1,9})(?: \([^()\n]{1,500}\+0x[0-9a-f]{1,16}\))?(?: \(BuildId: [^\n]{0,100}\))?$|[^\n ]{1,500}(?: \([^\n]{0,1000}\))? \([^()\n]{1,500}\+0x[0-9a-f]{1,16}\)"
)


def numbered(line: str) -> Printed | None:
    """``#0  0x… in f (x=1) at a.c:5``, ``#1 0x… in f /a.c:5:3``, ``#2 f () from lib.so``, ``#3 f``."""
    found = _HASH.match(line)
    if found is None:
        return None
    rest = found["rest"].strip()
    if rest.startswith("pc ") or (not found["address"] and (_FOREIGN.match(rest) or not rest)):
        return None
    if rest.startswith("<signal handler called>"):
        return Printed(frame(SIGNAL_HANDLER, None, None, line), int(found["number"]))
    function, module, place = described(rest) if rest else (None, None, None)
    if not found["address"] and not (_PLACED if module or place else _BARE_NAME).match(rest):
        return None
    return Printed(frame(function, module, place, line, found["address"]), int(found["number"]))


def lldb(line: str) -> Printed | None:
    """``frame #0: 0x… a.out`f(x=1) at a.c:5:3``."""
    found = _LLDB.match(line)
    if found is None:
        return None
    rest = (found["rest"] or found["other"] or "").replace(" [inlined] ", " ").removeprefix("[inlined] ")
    rest = _LLDB_CALL.sub("operator()(", rest, count=1)
    at = _LLDB_AT.match(rest, max(rest.rfind(" at "), 0))
    function = rest[: at.start()] if at is not None else rest
    module = found["module"]
    return Printed(
        frame(function, module, at["place"] if at is not None else None, line, found["address"]), int(found["number"])
    )


def backtrace_symbols(line: str) -> Printed | None:
    """``./prog(main+0x59)[0x55d1c0a2b1c9]``, ``prog(+0x1169) [0x…]``, ``[0x…]`` behind a path alone."""
    if "[0x" not in line:
        return None
    found = _BACKTRACE.match(line) or _BARE_BACKTRACE.match(line)
    if found is None:
        return None
    groups = found.groupdict()
    if "(" in line and not (groups.get("function") or groups.get("offset") or "/" in found["module"]):
        return None  # Object.wait() [0x…] of a thread dump
    return Printed(frame(groups.get("function"), found["module"], None, line), -1)


def at_sign(line: str) -> Printed | None:
    """``    @     0x7f12ab34cd56  raise`` of glog, folly and abseil."""
    found = _AT_SIGN.match(line)
    if found is None:
        return None
    function, module, place = described(found["rest"] or "")
    return Printed(frame(function, module, place, line), -1)


def boost(line: str) -> Printed | None:
    """`` 0# f(int) at /src/a.cpp:12`` of boost and of the standard library's ``stacktrace``."""
    found = _BOOST.match(line)
    if found is None:
        return None
    function, module, place = described(found["rest"]) if found["rest"] else (None, found["module"], None)
    return Printed(frame(function, module, place, line), int(found["number"]))


def clickhouse(line: str) -> Printed | None:
    """``0. ./src/Common/Exception.cpp:96: DB::f(int) @ 0x0c67 in /usr/bin/clickhouse``."""
    found = _CLICKHOUSE.match(line)
    if found is None or not (found["address"] or found["place"]):
        return None
    return Printed(frame(found["rest"], found["module"], found["place"], line), int(found["number"]))


def node(line: str) -> Printed | None:
    """`` 1: 0xb090e0 node::Abort() [node]``."""
    found = _NODE.match(line)
    if found is None:
        return None
    return Printed(frame(found["rest"], found["module"], None, line), int(found["number"]))


def valgrind(line: str) -> Printed | None:
    """``==12==    at 0x4005: f (a.c:5)``, ``==12==    by 0x…: g (in /usr/lib/libx.so)``."""
    found = _VALGRIND.match(line)
    if found is None:
        return None
    rest = found["rest"]
    where = _VALGRIND_PLACE.search(rest)
    function = rest[: where.start()] if where is not None else rest
    module, place = (where["module"], where["place"]) if where is not None else (None, None)
    return Printed(frame(function, module, place, line), 0 if found["first"] == "at" else -1)
