"""Types and template arguments in mangled C++ names: passed over, the name of a plain type kept."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

# A place in a mangled C++ name, and what of the grammar each part of it needs of the others.

_DEEPEST = 120


class MangledError(Exception):
    """The name is not mangled after this grammar, or cut off, or nested too deep."""


@dataclass(frozen=True, slots=True)
class Grammar:
    """The rules that nest within each other: types hold names, names hold types, both hold expressions."""

    name: "Callable[[Cursor], list[str]]"
    encoding: "Callable[[Cursor], list[str]]"
    expression: "Callable[[Cursor], None]"


class Cursor:
    """A place in a mangled name."""

    __slots__ = ("_depth", "_text", "encoding", "expression", "name", "place")

    def __init__(self, text: str, place: int, grammar: "Grammar") -> None:
        self._text = text
        self.place = place
        self.name = grammar.name
        self.encoding = grammar.encoding
        self.expression = grammar.expression
        self._depth = 0

    def __enter__(self) -> Self:
        """One level of nesting; MangledError where there are too many."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise MangledError
        return self

    def __exit__(self, *_: object) -> None:
        self._depth -= 1

    def peek(self, ahead: int = 0) -> str:
        """Return a character, "" behind the end."""
        return self._text[self.place + ahead : self.place + ahead + 1]

    def at(self, text: str) -> bool:
        """Whether the text is here."""
        return self._text.startswith(text, self.place)

    def take(self, text: str) -> bool:
        """Goes behind the text if it is here; MangledError at the end of the name."""
        if self.at(text):
            self.place += len(text)
            return True
        if self.place > len(self._text):
            raise MangledError
        return False

    def expect(self, text: str) -> None:
        """Goes behind the text; MangledError if another is here."""
        if not self.take(text):
            raise MangledError

    def skip(self, count: int) -> None:
        """Goes on; MangledError behind the end."""
        self.place += count
        if self.place > len(self._text):
            raise MangledError

    def skip_any(self, characters: str, most: int = 8) -> None:
        """Goes behind some of the characters."""
        for _ in range(most):
            if not self.peek() or self.peek() not in characters:
                return
            self.place += 1

    def number(self) -> str:
        """Return the digits that are here, perhaps none; ``n`` for a minus."""
        begin = self.place
        if self.peek() == "n":
            self.place += 1
        while self.peek().isdecimal() and self.place - begin < 40:
            self.place += 1
        return self._text[begin : self.place]

    def sequence(self) -> None:
        """Goes behind ``_`` or ``0_`` … ``Z9_`` of a substitution."""
        for _ in range(12):
            if self.take("_"):
                return
            if not (self.peek().isdecimal() or (self.peek().isupper() and self.peek().isascii())):
                raise MangledError
            self.place += 1
        raise MangledError

    def discriminator(self) -> None:
        """Goes behind ``_1`` or ``__12_``, which tells equal local names apart."""
        if self.take("__"):
            self.number()
            self.take("_")
        elif self.at("_") and self.peek(1).isdecimal():
            self.skip(2)

    def source_name(self) -> str:
        """Return an identifier behind its length."""
        digits = self.number()
        if not digits.isascii() or not digits.isdecimal() or len(digits) > 5:
            raise MangledError
        begin = self.place
        self.skip(int(digits))
        if begin == self.place:
            raise MangledError
        return self._text[begin : self.place]

    def until(self, mark: str) -> None:
        """Goes behind the next such mark."""
        found = self._text.find(mark, self.place)
        if found < 0:
            raise MangledError
        self.place = found + 1


_BUILTIN = {
    "v": "void", "w": "wchar_t", "b": "bool", "c": "char", "a": "signed char", "h": "unsigned char", "s": "short", "t": "unsigned short", "i": "int",
    "j": "unsigned int", "l": "long", "m": "unsigned long", "x": "long long", "y": "unsigned long long", "n": "__int128", "o": "unsigned __int128",
    "f": "float", "d": "double", "e": "long double", "g": "__float128", "z": "...",
}  # fmt: skip
_EXTENDED = {
    "d": "decimal64", "e": "decimal128", "f": "decimal32", "h": "half", "i": "char32_t", "s": "char16_t", "u": "char8_t", "a": "auto", "c": "decltype(auto)",
    "n": "std::nullptr_t",
}  # fmt: skip
_STANDARD = {
    "a": "std::allocator",
    "b": "std::basic_string",
    "s": "std::string",
    "i": "std::istream",
    "o": "std::ostream",
    "d": "std::iostream",
}


def template_parameter_declaration(cursor: Cursor) -> None:
    """Goes behind ``Ty``, ``Tn type``, ``Tt … E``, ``Tp …``, ``Tk name``."""
    with cursor:
        kind = cursor.peek(1)
        cursor.skip(2)
        if kind == "n":
            type_name(cursor)
        elif kind == "p":
            template_parameter_declaration(cursor)
        elif kind == "t":
            while not cursor.take("E"):
                template_parameter_declaration(cursor)
        elif kind == "k":
            type_name(cursor)
        elif kind != "y":
            raise MangledError


def type_name(cursor: Cursor) -> str:
    """Passes over a type; its name, if it has one apart, without template arguments."""
    with cursor:
        head = cursor.peek()
        if head in _BUILTIN and head:
            cursor.skip(1)
            return _BUILTIN[head]
        if head.isdecimal() or head in ("N", "Z") or cursor.at("St"):
            return _class(cursor)
        if head == "S":
            return _substituted(cursor)
        reader = _TYPES.get(head)
        if reader is None:
            raise MangledError
        return reader(cursor)


def _class(cursor: Cursor) -> str:
    parts = cursor.name(cursor)
    if cursor.take("I"):
        template_arguments(cursor)
    return "::".join(parts)


def _substituted(cursor: Cursor) -> str:
    cursor.expect("S")
    letter = cursor.peek()
    name = _STANDARD.get(letter, "")
    if name:
        cursor.skip(1)
    else:
        cursor.sequence()
    if cursor.take("I"):
        template_arguments(cursor)
    return name or "?"


def _qualified(cursor: Cursor) -> str:
    mark = cursor.peek()
    cursor.skip(1)
    inner = type_name(cursor)
    return {"r": f"{inner} restrict", "V": f"{inner} volatile", "K": f"{inner} const", "P": f"{inner}*", "R": f"{inner}&", "O": f"{inner}&&"}.get(mark, inner)  # fmt: skip


def _function(cursor: Cursor) -> str:
    cursor.expect("F")
    cursor.take("Y")
    while not cursor.take("E"):
        if cursor.peek() in ("R", "O") and cursor.peek(1) == "E":
            cursor.skip(1)
            continue
        type_name(cursor)
    return "()"


def _array(cursor: Cursor) -> str:
    cursor.expect("A")
    if not cursor.number() and not cursor.at("_"):
        cursor.expression(cursor)
    cursor.expect("_")
    return f"{type_name(cursor)}[]"


def _member(cursor: Cursor) -> str:
    cursor.expect("M")
    type_name(cursor)
    return f"{type_name(cursor)}*"


def template_parameter(cursor: Cursor) -> str:
    """Passes over ``T_``, ``T0_`` and an elaborated class."""
    if cursor.at("T") and cursor.peek(1) in ("s", "u", "e"):
        cursor.skip(2)
        return _class(cursor)
    cursor.expect("T")
    if cursor.take("L"):
        cursor.number()
        cursor.expect("_")
    cursor.sequence()
    if cursor.take("I"):
        template_arguments(cursor)
    return "T"


def _extended(cursor: Cursor) -> str:  # noqa: C901, PLR0911 - the grammar's own table
    kind = cursor.peek(1)
    if kind in _EXTENDED and kind:
        cursor.skip(2)
        return _EXTENDED[kind]
    cursor.skip(2)
    if kind == "p":
        return type_name(cursor)
    if kind in ("t", "T"):
        cursor.expression(cursor)
        cursor.expect("E")
        return "decltype"
    if kind == "v":
        if not cursor.number():
            cursor.expression(cursor)
        cursor.expect("_")
        return type_name(cursor)
    if kind in ("F", "B", "U"):
        cursor.number()
        cursor.take("x")
        cursor.take("_") or cursor.take("b")
        return "float"
    if kind in ("o", "x"):
        return type_name(cursor)
    if kind == "O":
        cursor.expression(cursor)
        cursor.expect("E")
        return type_name(cursor)
    if kind == "w":
        while not cursor.take("E"):
            type_name(cursor)
        return type_name(cursor)
    raise MangledError


def _vendor(cursor: Cursor) -> str:
    if cursor.at("Ul") or cursor.at("Ut") or cursor.at("Ub"):
        return _class(cursor)
    cursor.skip(1)
    name = cursor.source_name()
    if cursor.take("I"):
        template_arguments(cursor)
    return type_name(cursor) if name else ""


def _vendor_builtin(cursor: Cursor) -> str:
    cursor.expect("u")
    name = cursor.source_name()
    if cursor.take("I"):
        template_arguments(cursor)
    return name


_TYPES = {
    "r": _qualified, "V": _qualified, "K": _qualified, "P": _qualified, "R": _qualified, "O": _qualified, "C": _qualified, "G": _qualified,
    "F": _function, "A": _array, "M": _member, "T": template_parameter, "D": _extended, "U": _vendor, "u": _vendor_builtin,
}  # fmt: skip


def template_arguments(cursor: Cursor) -> None:
    """Passes over the arguments behind an ``I``, to behind their ``E``."""
    with cursor:
        while not cursor.take("E"):
            if cursor.take("Q"):
                cursor.expression(cursor)
            else:
                _argument(cursor)


def _argument(cursor: Cursor) -> None:
    with cursor:
        if cursor.take("X"):
            cursor.expression(cursor)
            cursor.expect("E")
        elif cursor.at("L"):
            literal(cursor)
        elif cursor.take("J"):
            while not cursor.take("E"):
                _argument(cursor)
        elif cursor.at("T") and cursor.peek(1) in ("y", "n", "t", "p", "k"):
            template_parameter_declaration(cursor)
        else:
            type_name(cursor)


def literal(cursor: Cursor) -> None:
    """Passes over a value, or the address of a function."""
    cursor.expect("L")
    if cursor.take("_Z") or cursor.take("Z"):
        cursor.encoding(cursor)
        while not cursor.take("E"):
            type_name(cursor)
        return
    type_name(cursor)
    cursor.until("E")
