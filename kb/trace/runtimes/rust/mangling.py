"""Rust's two manglings: the legacy one (Itanium with a hash) and v0 (RFC 2603)."""

import re
from collections.abc import Callable
from dataclasses import dataclass

from kb.patterns import lazy

# Rust's mangling of version 0 (RFC 2603).

_SIZE = lazy(r"(\d{1,4})")
_DEEPEST = 64
_LONGEST = 4_000
_BASIC = {
    "a": "i8", "b": "bool", "c": "char", "d": "f64", "e": "str", "f": "f32", "h": "u8", "i": "isize", "j": "usize", "l": "i32",
    "m": "u32", "n": "i128", "o": "u128", "s": "i16", "t": "u16", "u": "()", "v": "...", "x": "i64", "y": "u64", "z": "!", "p": "_",
}  # fmt: skip


def v0_name(symbol: str) -> str | None:
    """``_RNvCs1234_4acme4load`` → ``acme::load``; None if it is none."""
    body = symbol.lstrip("_")[1:]
    if not body[:1].isupper() or not body.isascii():
        return None
    reader = _V0(body.partition(".")[0])
    try:
        return reader.path(in_value=True)
    except (_BadSymbolError, RecursionError):
        return None


class _BadSymbolError(Exception):
    """The symbol is no v0 mangling."""


@dataclass(slots=True)
class _V0:
    """One pass over a v0 symbol; the work is bounded by the text it may give."""

    text: str
    at: int = 0
    depth: int = 0
    steps: int = 0
    given: int = 0

    def _next(self) -> str:
        self.steps += 1
        if self.at >= len(self.text) or self.steps > _LONGEST:
            raise _BadSymbolError
        self.at += 1
        return self.text[self.at - 1]

    def _peek(self) -> str:
        return self.text[self.at : self.at + 1]

    def _base62(self) -> int:
        if self._peek() == "_":
            self.at += 1
            return 0
        value = 0
        while (char := self._next()) != "_":
            digit = "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ".find(char)
            if digit < 0 or value > 1 << 60:
                raise _BadSymbolError
            value = value * 62 + digit
        return value + 1

    def _disambiguator(self) -> int:
        if self._peek() == "s":
            self.at += 1
            return self._base62() + 1
        return 0

    def _identifier(self) -> str:
        is_puny = self._peek() == "u"
        self.at += is_puny
        size = _SIZE.match(self.text, self.at)
        if size is None:
            raise _BadSymbolError
        digits = "0" if size[1].startswith("0") else size[1]
        begin = self.at + len(digits)
        begin += self.text[begin : begin + 1] == "_"
        self.at = begin + int(digits)
        if self.at > len(self.text):
            raise _BadSymbolError
        name = self.text[begin : self.at]
        self.given += len(name)
        if self.given > _LONGEST:
            raise _BadSymbolError
        return _punycode(name) if is_puny else name

    def _deeper(self) -> None:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise _BadSymbolError

    def path(self, *, in_value: bool = False) -> str:
        """Return a path; in values type arguments are behind ``::``, which the legacy form leaves out too."""
        self._deeper()
        tag = self._next()
        if tag == "C":
            self._disambiguator()
            found = self._identifier()
        elif tag == "N":
            found = self._nested(in_value=in_value)
        elif tag in "MXY":
            found = self._implementation(tag)
        elif tag == "I":
            base = self.path(in_value=in_value)
            found = f"{base}{'::' if in_value else ''}<{self._list(self._argument, ', ')}>"
        elif tag == "B":
            found = self._back(lambda: self.path(in_value=in_value))
        else:
            raise _BadSymbolError
        self.depth -= 1
        return found

    def _nested(self, *, in_value: bool) -> str:
        space = self._next()
        base = self.path(in_value=in_value)
        number = self._disambiguator()
        name = self._identifier()
        if space.isupper():
            kind = {"C": "closure", "S": "shim"}.get(space, space)
            return f"{base}::{{{kind}{':' + name if name else ''}#{number}}}"
        return f"{base}::{name}" if name else base

    def _implementation(self, tag: str) -> str:
        if tag in "MX":
            self._disambiguator()
            self.path()
        own = self.type()
        return f"<{own}>" if tag == "M" else f"<{own} as {self.path()}>"

    def _list(self, item: Callable[[], str], between: str) -> str:
        found = []
        while self._peek() != "E":
            found.append(item())
        self.at += 1
        return between.join(part for part in found if part)

    def _argument(self) -> str:
        if self._peek() == "L":
            self.at += 1
            self._base62()
            return ""
        if self._peek() == "K":
            self.at += 1
            return self._const()
        return self.type()

    def _back(self, read: Callable[[], str]) -> str:
        start = self.at - 1
        target = self._base62()
        if target >= start:
            raise _BadSymbolError
        here, self.at = self.at, target
        found = read()
        self.at = here
        return found

    def type(self) -> str:
        """Return a type."""
        self._deeper()
        tag = self._next()
        found = _BASIC[tag] if tag in _BASIC else self._compound(tag)
        self.depth -= 1
        return found

    def _compound(self, tag: str) -> str:
        readers: dict[str, Callable[[], str]] = {
            "A": lambda: f"[{self.type()}; {self._const()}]",
            "S": lambda: f"[{self.type()}]",
            "T": lambda: f"({self._list(self.type, ', ')})",
            "R": lambda: "&" + self._borrowed(),
            "Q": lambda: "&mut " + self._borrowed(),
            "P": lambda: "*const " + self.type(),
            "O": lambda: "*mut " + self.type(),
            "F": self._function,
            "D": self._trait_object,
            "B": lambda: self._back(self.type),
        }
        if tag in readers:
            return readers[tag]()
        self.at -= 1
        return self.path()

    def _borrowed(self) -> str:
        if self._peek() == "L":
            self.at += 1
            self._base62()
        return self.type()

    def _binder(self) -> None:
        if self._peek() == "G":
            self.at += 1
            self._base62()

    def _function(self) -> str:
        self._binder()
        unsafe = self._peek() == "U"
        self.at += unsafe
        if self._peek() == "K":
            self.at += 1
            if self._peek() == "C":
                self.at += 1
            else:
                self._identifier()
        arguments = self._list(self.type, ", ")
        given = self.type()
        return f"{'unsafe ' if unsafe else ''}fn({arguments})" + ("" if given == "()" else f" -> {given}")

    def _trait_object(self) -> str:
        self._binder()
        found = self._list(self._bound, " + ")
        if self._next() != "L":
            raise _BadSymbolError
        self._base62()
        return f"dyn {found}"

    def _bound(self) -> str:
        name = self.path()
        while self._peek() == "p":
            self.at += 1
            self._identifier()
            self.type()
        return name

    def _const(self) -> str:
        tag = self._next()
        if tag == "p":
            return "_"
        if tag == "B":
            return self._back(self._const)
        end = self.text.find("_", self.at)
        if end < 0 or tag not in _BASIC:
            raise _BadSymbolError
        digits = self.text[self.at : end]
        self.at = end + 1
        if not re.fullmatch(r"n?[0-9a-f]{0,64}", digits):
            raise _BadSymbolError
        value = int(digits.removeprefix("n") or "0", 16)
        if tag == "b":
            return "true" if value else "false"
        return f"-{value}" if digits.startswith("n") else str(value)


def _punycode(name: str) -> str:
    head, mark, tail = name.rpartition("_")
    try:
        return (f"{head}-{tail}" if mark else name).encode("ascii").decode("punycode")
    except UnicodeError as error:
        raise _BadSymbolError from error


_LEGACY = lazy(r"^_{0,2}ZN(?P<path>\d.{2,2000}?)E(?:\.llvm\.[0-9A-F]{1,40})?$")
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
_UNICODE = lazy(r"\$u([0-9a-f]{1,6})\$")


def demangled(symbol: str) -> str:
    """Return the path that a mangled symbol stands for; any other text as it is."""
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
