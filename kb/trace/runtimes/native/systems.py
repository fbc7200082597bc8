"""Frames as operating systems and crash reporters print them: Apple, Android, Windows, Breakpad, Swift."""

import re
from dataclasses import replace

from kb.trace.runtimes.native.printed import Printed, frame

_APPLE = re.compile(
    r"(?P<number>\d{1,4})[ \t]{1,8}(?P<module>[^\s\[(][^\n\t]{0,100}?)[ \t]{1,80}(?P<address>0x[0-9a-fA-F]{6,16})[ \t]{1,4}(?P<rest>[^\n]+)$"
)
_APPLE_REST = re.compile(
    r"(?P<function>[^\n]{1,3000}?)(?: \+ (?P<offset>\d{1,12}))?(?:[ ]\((?P<place>[^()\n]{1,300}?:\d{1,9}|in [^()\n]{1,200})\))?(?:[ ]\((?P<second>[^()\n]{1,300}:\d{1,9})\))?(?: \[inlined\])?[ \t]*+$"
)
_SWIFT = re.compile(
    r"(?P<number>\d{1,4})[ \t]++(?:\[[\w ]{1,12}\][ \t]++)*+(?:(?P<address>0x[0-9a-fA-F]{6,16})[ \t]++)?(?P<function>[^\n]{1,1000}?)(?: \+ \d{1,9})? in (?P<module>[^\s/]{1,200})(?: at (?P<place>[^\n]{1,500}))?$"
)
_ANDROID = re.compile(
    r"(?:native: |at )?#(?P<number>\d{1,4})[ \t]++pc[ \t]++(?:0x)?(?P<offset>[0-9a-fA-F]{1,16})(?:[ \t]++(?P<module><[^<>\n]{1,200}>|\[[^\[\]\n]{1,100}\]|[^\s()<\[][^\n()]{0,500}?))?(?:[ ]\(offset (?:0x)?[0-9a-fA-F]{1,16}\))?(?:[ ]\((?P<function>\?\?\?|(?!BuildId)[^\n]{1,2000}?)\))?(?:[ ]\(BuildId: [^()\n]{0,200}\)?)?[ \t]*+$"
)
_ANDROID_OFFSET = re.compile(r"\+\d{1,12}$")
_WINDBG = re.compile(
    r"(?:(?P<number>[0-9a-fA-F]{1,3})[ \t]++)?(?:(?:\((?:Inline|Inline Function)\)|[0-9a-fA-F`]{8,17}|--------(?:`--------)?)[ \t]++){0,6}+(?::[ \t](?:[0-9a-fA-F`]{8,17}[ \t]){1,4}: )?"
    r"(?P<module>[A-Za-z_][\w.-]{0,100})!(?P<function>[^\n\[]{1,2000}?(?:\[\])?[^\n\[]{0,2000}?)(?:\+(?P<offset>0x[0-9a-fA-F]{1,16}))?(?:[ ]\[(?P<place>[^\[\]\n]{1,500})\])?[ \t]*+$"
)
_WINDBG_PLACE = re.compile(r"(?P<file>.{1,500}?)[ ]@[ ](?P<line>\d{1,9})$")
_STUDIO = re.compile(
    r">?[ \t]*+(?:0x[0-9a-fA-F]{8,16}[ \t]{1,4})?(?:\[Inline Frame\] )?(?P<module>[\w .+-]{1,100}\.(?:exe|dll|so|EXE|DLL|pyd|node|ocx|sys|drv|cpl|scr))!(?P<function>[^\n]{1,2000}?)(?:[ ]Line (?P<line>\d{1,9}))?(?:[ \t]++(?:C\+\+|C|Unknown|Non-user code|Symbols loaded\.?|Basic))?(?:[ ]\[(?P<place>[^\[\]\n]{0,500})\])?[ \t]*+$"
)
_BREAKPAD = re.compile(
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
