"""Rust's two manglings: the legacy one (Itanium with a hash) and v0 (RFC 2603)."""

import re

from kb.trace.runtimes.rust.v0 import v0_name

_LEGACY = re.compile(r"^_{0,2}ZN(?P<path>\d.{2,2000}?)E(?:\.llvm\.[0-9A-F]{1,40})?$")
_SIZE = re.compile(r"(\d{1,4})")
_ESCAPES = {
    "$SP$": "@",
    "$BP$": "*",
    "$RF$": "&",
    "$LT$": "<",
    "$GT$": ">",
    "$LP$": "(",
    "$RP$": ")",
    "$C$": ",",
    "..": "::",
}
_UNICODE = re.compile(r"\$u([0-9a-f]{1,6})\$")


def demangled(symbol: str) -> str:
    """The path that a mangled symbol stands for; any other text as it is."""
    if symbol.startswith(("_R", "__R", "R")) and len(symbol) > 4:
        found = v0_name(symbol)
        return found if found is not None else symbol
    if "ZN" in symbol[:4]:
        found = _legacy(symbol)
        return found if found is not None else symbol
    return symbol


def _legacy(symbol: str) -> str | None:
    """``_ZN4acme4load17h0123456789abcdefE`` → ``acme::load``; None for C++, which has no hash."""
    found = _LEGACY.match(symbol)
    if found is None:
        return None
    path, at, parts = found["path"], 0, []
    while at < len(path):
        size = _SIZE.match(path, at)
        if size is None:
            return None
        begin = size.end()
        at = begin + int(size[1])
        if at > len(path):
            return None
        parts.append(path[begin:at])
    if len(parts) < 2 or not re.fullmatch(r"h[0-9a-f]{16}", parts[-1]):
        return None
    return "::".join(_unescaped(part) for part in parts[:-1])


def _unescaped(part: str) -> str:
    part = part.removeprefix("_") if part.startswith("_$") else part
    part = _UNICODE.sub(_letter, part)
    for code, text in _ESCAPES.items():
        part = part.replace(code, text)
    return part


def _letter(found: re.Match[str]) -> str:
    number = int(found[1], 16)
    return chr(number) if number <= 0x10FFFF and not 0xD800 <= number < 0xE000 else found[0]
