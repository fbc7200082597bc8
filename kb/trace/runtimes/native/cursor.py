"""A place in a mangled C++ name, and what of the grammar each part of it needs of the others."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Self

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
        """A character, "" behind the end."""
        return self._text[self.place + ahead : self.place + ahead + 1]

    def at(self, text: str) -> bool:
        """Whether the text stands here."""
        return self._text.startswith(text, self.place)

    def take(self, text: str) -> bool:
        """Goes behind the text if it stands here; MangledError at the end of the name."""
        if self.at(text):
            self.place += len(text)
            return True
        if self.place > len(self._text):
            raise MangledError
        return False

    def expect(self, text: str) -> None:
        """Goes behind the text; MangledError if another stands here."""
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
        """The digits that stand here, perhaps none; ``n`` for a minus."""
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
        """An identifier behind its length."""
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
