"""The frame on a line, in whichever spelling: each is tried that the line's first characters allow."""

import re
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache

from kb.patterns import lazy
from kb.trace.lines import LOG_PREFIX
from kb.trace.runtimes.native.signature import LONGEST_FRAME, SIGNAL_HANDLER, Printed, described, frame

# Frames as operating systems and crash reporters print them: Apple, Android, Windows, Breakpad, Swift.

# e.g. 3   Foo   0x0000000104abc123 0x104a00000 + 1234
_APPLE = lazy(
    r"(?P<number>\d{1,4})[ \t]{1,8}(?P<module>[^\s\[(][^\n\t]{0,100}?)[ \t]{1,80}(?P<address>0x[0-9a-fA-F]{6,16})[ \t]{1,4}(?P<rest>[^\n]+)$"
)
# e.g. 5   Shop  0x1025b1b28 closure #1 in Order.run() + 40 (Order.swift:31)
_APPLE_REST = lazy(
    r"(?P<function>[^\n]{1,3000}?)(?: \+ (?P<offset>\d{1,12}))?(?:[ ]\((?P<place>[^()\n]{1,300}?:\d{1,9}|in [^()\n]{1,200})\))?(?:[ ]\((?P<second>[^()\n]{1,300}:\d{1,9})\))?(?: \[inlined\])?[ \t]*+$"
)
# e.g. `3 [ra] 0x0000000104abc123 Order.run() + 40 in Shop at /src/Order.swift:31`
_SWIFT = lazy(
    r"(?P<number>\d{1,4})[ \t]++(?:\[[\w ]{1,12}\][ \t]++)*+(?:(?P<address>0x[0-9a-fA-F]{6,16})[ \t]++)?(?P<function>[^\n]{1,1000}?)(?: \+ \d{1,9})? in (?P<module>[^\s/]{1,200})(?: at (?P<place>[^\n]{1,500}))?$"
)
# e.g. native: #00 pc 000000000004c35c  /system/lib64/libc.so (__ioctl+4)
_ANDROID = lazy(
    r"(?:native: |at )?#(?P<number>\d{1,4})[ \t]++pc[ \t]++(?:0x)?(?P<offset>[0-9a-fA-F]{1,16})(?:[ \t]++(?P<module><[^<>\n]{1,200}>|\[[^\[\]\n]{1,100}\]|[^\s()<\[][^\n()]{0,500}?))?(?:[ ]\(offset (?:0x)?[0-9a-fA-F]{1,16}\))?(?:[ ]\((?P<function>\?\?\?|(?!BuildId)[^\n]{1,2000}?)\))?(?:[ ]\(BuildId: [^()\n]{0,200}\)?)?[ \t]*+$"
)
_ANDROID_OFFSET = lazy(r"\+\d{1,12}$")
# e.g. 1  shopd!main [main.cc : 9 + 0x5]
_WINDBG = lazy(
    r"(?:(?P<number>[0-9a-fA-F]{1,3})[ \t]++)?(?:(?:\((?:Inline|Inline Function)\)|[0-9a-fA-F`]{8,17}|--------(?:`--------)?)[ \t]++){0,6}+(?::[ \t](?:[0-9a-fA-F`]{8,17}[ \t]){1,4}: )?"
    r"(?P<module>[A-Za-z_][\w.-]{0,100})!(?P<function>[^\n\[]{1,2000}?(?:\[\])?[^\n\[]{0,2000}?)(?:\+(?P<offset>0x[0-9a-fA-F]{1,16}))?(?:[ ]\[(?P<place>[^\[\]\n]{1,500})\])?[ \t]*+$"
)
_WINDBG_PLACE = lazy(r"(?P<file>.{1,500}?)[ ]@[ ](?P<line>\d{1,9})$")
# e.g. >    app.exe!ns::f(int x=3) Line 12    C++
_STUDIO = lazy(
    r">?[ \t]*+(?:0x[0-9a-fA-F]{8,16}[ \t]{1,4})?(?:\[Inline Frame\] )?(?P<module>[\w .+-]{1,100}\.(?:exe|dll|so|EXE|DLL|pyd|node|ocx|sys|drv|cpl|scr))!(?P<function>[^\n]{1,2000}?)(?:[ ]Line (?P<line>\d{1,9}))?(?:[ \t]++(?:C\+\+|C|Unknown|Non-user code|Symbols loaded\.?|Basic))?(?:[ ]\[(?P<place>[^\[\]\n]{0,500})\])?[ \t]*+$"
)
# e.g. 1  shopd!main [main.cc : 9 + 0x5]
_BREAKPAD = lazy(
    r"(?P<number>\d{1,4})[ \t]{1,4}(?P<module>(?![0-9a-f]{8} |\((?:Inline|Inline Function)\))[^\s!`][^!\n+\[`]{0,200}?)(?:!(?P<function>[^\n]{1,3000}?)(?:[ ]\[(?P<file>[^\[\]\n]{1,800}?)[ ]?:[ ]?(?P<line>\d{1,9})(?:[ ]\+[ ]0x[0-9a-fA-F]{1,16})?\]|[ ]\+ 0x[0-9a-fA-F]{1,16})?|[ ]\+ (?P<offset>0x[0-9a-fA-F]{1,16}))[ \t]*+$"
)


def apple(line: str) -> Printed | None:
    """``0   Foo  0x0001 -[Foo bar:] + 12 (Foo.m:12)``."""
    found = _APPLE.match(line)
    if found is None:
        return None
    rest = _APPLE_REST.match(found["rest"])
    if rest is None or found["rest"].startswith(("in ", "- ")):
        return None
    place = rest["second"] or rest["place"]
    function = rest["function"]
    if rest["offset"] is not None and re.match(r"0x[0-9a-fA-F]+$", function):
        function = None
    elif rest["offset"] is None and place is None and function.startswith("0x"):
        return None
    return Printed(
        frame(function, found["module"], place if place and not place.startswith("in ") else None, line),
        int(found["number"]),
    )


def swift(line: str) -> Printed | None:
    """``0 [ra] 0x00007f f() + 12 in prog at /src/a.swift:3:5`` of Swift 5.9 and later."""
    found = _SWIFT.match(line)
    if found is None or not (found["address"] or "[" in line[:24]):
        return None
    return Printed(frame(found["function"], found["module"], found["place"], line), int(found["number"]))


def android(line: str) -> Printed | None:
    """``#00 pc 0004c35c  /system/lib64/libc.so (__ioctl+4)``."""
    found = _ANDROID.match(line)
    if found is None:
        return None
    function = _ANDROID_OFFSET.sub("", found["function"]) if found["function"] else None
    return Printed(frame(function, found["module"], None, line), int(found["number"]))


def windbg(line: str) -> Printed | None:
    """``00 000000d2`1 00007ff6`2 mod!Class::f+0x12 [file.cpp @ 12]``."""
    found = _WINDBG.match(line)
    if found is None or not (found["offset"] or found["place"] or "`" in line or "Inline" in line or (found["number"] and len(found["number"]) == 2)):  # fmt: skip
        return None
    at = _WINDBG_PLACE.match(found["place"] or "")
    place = f"{at['file']}:{at['line']}" if at is not None else found["place"]
    return Printed(
        frame(found["function"], found["module"], place, line),
        -1 if found["number"] is None else int(found["number"], 16),
    )


def studio(line: str) -> Printed | None:
    """``app.exe!ns::f(int x=3) Line 12	C++`` of Visual Studio; Unreal prints ``mod.dll!f() [file.cpp:12]``."""
    found = _STUDIO.match(line)
    if found is None:
        return None
    got = frame(found["function"], found["module"], found["place"], line)
    if found["line"] and got.lineno is None:
        got = replace(got, lineno=int(found["line"]))
    return Printed(got, -1)


def breakpad(line: str) -> Printed | None:
    """`` 0  libfoo.so!ns::f(int) [file.cc : 12 + 0x5]``."""
    found = _BREAKPAD.match(line)
    if found is None:
        return None
    got = frame(found["function"], found["module"], None, line)
    if found["file"]:
        got = replace(got, filename=found["file"], lineno=int(found["line"]) or None)
    return Printed(got, int(found["number"]))


# Frames of debuggers and libraries that number them with ``#``, ``frame #`` or ``1#``, or mark them with ``@``.
#
# gdb, lldb, pstack, coredumpctl, the sanitizers, LLVM's and Chromium's own handlers, glibc's ``backtrace_symbols``, boost,
# glog, folly, abseil, ClickHouse, Node's native stack, Valgrind.

# e.g. #0 0x5561 in f /a.c:1
_HASH = lazy(
    r"#(?P<number>\d{1,5})(?::|(?=[ \t]))[ \t]*+(?:\[(?=0x))?(?:(?P<address>0x[0-9a-fA-F]{1,16})\]?(?: <[^<>\n]{1,500}>)?(?=[ \t]|$)[ \t]*+(?P<in>in[ \t]++)?)?(?P<rest>[^\n]*)$"
)
# e.g. frame #7: 0x00005555555562b1 shop`_start + 33
_LLDB = lazy(
    r"(?:\* )?frame #(?P<number>\d{1,5}): (?P<address>0x[0-9a-fA-F]{1,16})(?: (?P<module>[^`\n]{1,300}?)`(?P<rest>[^\n]*)| (?P<other>[^\n]*)|)$"
)
# e.g. `at pay.cpp:12:5 [opt]`
_LLDB_AT = lazy(r" at (?P<place>[^\s].{0,500}?:\d{1,9}(?::\d{1,9})?)(?: \[\w{1,12}\])*[ \t]*+$")
_LLDB_CALL = lazy(r"(?<![\w$])operator\((?=\w{1,60}=)")  # it puts the arguments into the name's own parentheses
# e.g. ./printed(leaf+0xc)[0x55a46d12e1f1]
_BACKTRACE = lazy(
    r"(?P<module>[^\s()\[\]\"'=,][^()\[\]\n\"=]{0,300}?)\((?P<function>[^()\n+]{0,3000}+)(?:\+(?P<offset>0x[0-9a-fA-F]{1,16}))?\)[ ]?\[(?P<address>0x[0-9a-fA-F]{4,16})\][ \t]*+$"
)
# e.g. `/lib64/libc.so.6 [0x7f12ab34cd56]`
_BARE_BACKTRACE = lazy(r"(?P<module>/[^()\[\]\s]{1,300}+)[ ]?\[(?P<address>0x[0-9a-fA-F]{6,16})\][ \t]*+$")
# e.g. @     0x5581a3c0e0a4  main
_AT_SIGN = lazy(r"(?:PC: )?@[ \t]{1,20}+(?P<address>(?:0x)?[0-9a-fA-F]{6,16})(?:[ \t]++(?P<rest>[^\n]*))?$")
# e.g. 0# f(int) at /src/a.cpp:12
_BOOST = lazy(
    r"(?P<number>\d{1,4})#[ \t]++(?:(?P<address>0x[0-9a-fA-F]{1,16})[ \t]++in[ \t]++(?P<module>\S{1,500})|(?P<rest>[^\n]+?)(?:[ \t]\[0x[0-9a-fA-F]{1,16}\])?)$"
)
# e.g. 0. ./src/Common/X.cpp:96: DB::f(int, bool) @ 0x0c67 in /usr/bin/clickhouse
_CLICKHOUSE = lazy(
    r"(?P<number>\d{1,4})\. (?:(?:inlined from )?(?P<place>[^\s:]{1,500}:\d{1,9}): )?(?P<rest>[^\n]+?)(?: @ (?P<address>0x[0-9a-fA-F]{1,16})(?: in (?P<module>\S{1,300}))?)?[ \t]*+$"
)
# e.g. 1: 0xb090e0 node::Abort() [node]
_NODE = lazy(
    r"(?P<number>\d{1,3}): (?P<address>0x[0-9a-fA-F]{5,16})(?: (?P<rest>[^\n]*?))?(?: \[(?P<module>[^\[\]\n]{1,300})\])[ \t]*+$"
)
# e.g. ==23804==    by 0x10ABA6: main (shop.cpp:98)
_VALGRIND = lazy(r"(?:(?:==\d{1,9}==|--\d{1,9}--)[ \t]++)?(?P<first>at|by) 0x[0-9A-Fa-f]{1,16}: (?P<rest>[^\n]+)$")
# e.g. #0 0x1 (/usr/lib/libx.so+0x001f2e3)
_VALGRIND_PLACE = lazy(r"[ ]\((?:(?P<in>in )(?P<module>[^()\n]{1,500})|(?P<place>[^()\n]{1,500}))\)$")
# e.g. Fatal error: Uncaught Error: x in a.php:3
_FOREIGN = lazy(
    r"(?:/|\.{1,2}/|[A-Za-z]:\\|phar://|vfs://)[^\n]{0,1000}?(?:\(\d{1,9}\)|\.php\b)|\[internal function\]|\{main\}|\((?:package|file|dart):|eval:|c:\d|.*\.(?:dart|php|rb|js|ts|py):"
)
# e.g. _start
_BARE_NAME = lazy(
    r"[A-Za-z_~(<?:$\-+][^\s]{0,300}(?: \([^\n]{0,2000}\))?$|operator[^\n]{1,300}$|[\w:<>,~*& ]{1,500}\([^\n]{0,2000}\)(?: const)?$"
)
# A frame without address: gdb's f (x=1) at a.c:5, ThreadSanitizer's f /a.c:5 (a.out+0x1)
_PLACED = lazy(
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


_BY_DIGIT: tuple[Callable[[str], Printed | None], ...] = (
    boost, node, apple, breakpad, windbg, clickhouse, swift
)  # fmt: skip


@lru_cache(maxsize=16_384)
def frame_of(line: str) -> Printed | None:
    """Return the frame that the line is; None if it is none. A log's prefix is to be taken off before."""
    body = line.strip(" \t")
    if len(body) < 3 or len(body) > LONGEST_FRAME:
        return None
    first = body[0]
    found = None
    if first == "#":
        found = android(body) if " pc " in body[:14] else numbered(body)
    elif first == "@" or body.startswith("PC: @"):
        found = at_sign(body)
    elif first in "*f" and "frame #" in body[:9]:
        found = lldb(body)
    elif body.startswith(("native: #", "at #")):
        found = android(body)
    elif first in "=-ab" and " 0x" in body[:20] and ": " in body[:40]:
        found = valgrind(body)
    elif first.isdigit():
        found = next((printed for read in _BY_DIGIT if (printed := read(body)) is not None), None)
    if found is None and "[0x" in body:
        found = backtrace_symbols(body)
    if found is None and "!" in body:
        found = studio(body) or windbg(body)
    return found


@lru_cache(maxsize=4_096)
def prefix_of(line: str) -> str | None:
    """Return what a log put before the frame on this line, perhaps nothing; None if the line holds no frame."""
    if frame_of(line) is not None:
        return ""
    if len(line) > LONGEST_FRAME:
        return None
    found = LOG_PREFIX.match(line)
    if found is None:
        return None
    # the prefix may have swallowed the frame's own mark and number
    for mark in ("#", "@ ", "frame #", "native: #"):
        at = line.find(mark, 0, found.end() + 12)
        if at > 0 and at <= found.end() and frame_of(line[at:]) is not None:
            return line[:at]
    return line[: found.end()] if 0 < found.end() < len(line) and frame_of(line[found.end() :]) is not None else None
