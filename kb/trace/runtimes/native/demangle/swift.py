"""Mangled names of Swift, read for their name only: ``$s4main3FooC3baryyF`` is ``main.Foo.bar``.

Of Swift's grammar only the path of identifiers is read, with the words that later ones repeat; labels and types are left
out. What is not a plain path is given up.
"""

import re
from functools import lru_cache

from kb.patterns import lazy

LONGEST = 4_000
_MOST_WORDS = 26
_DEEPEST = 40
_LENGTH = lazy(r"[1-9]\d{0,3}")
_LENGTH_OR_NONE = lazy(r"0|[1-9]\d{0,3}")
_PREFIX = lazy(r"_?(?:\$[sS]|_T0|T0)")
_OLD = lazy(r"_?_T(?:F|Z)?F?[CVO]{0,8}")
_WORD = lazy(r"[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])|[A-Z][a-z0-9]*")
_STANDARD = {"Sa": "Array", "Sb": "Bool", "SD": "Dictionary", "Sd": "Double", "Sf": "Float", "Sh": "Set", "Si": "Int", "SS": "String", "Su": "UInt", "Sq": "Optional"}  # fmt: skip
_KIND = lazy(r"[CVOPa](?=[A-Za-z0-9_$])|AA[CVO]|E(?=\d)|s?[CVO]")
_ACCESSOR = {
    "g": "getter",
    "s": "setter",
    "M": "modify",
    "r": "read",
    "w": "willset",
    "W": "didset",
    "a": "addressor",
    "u": "unsafeMutableAddressor",
}
_CLOSURE = lazy(r"U\d{0,4}_")


@lru_cache(maxsize=8_192)
def swift(name: str) -> str | None:
    """Return the lasting name of a mangled one; None for any other, and for forms whose path cannot be known."""
    if len(name) > LONGEST:
        return None
    begins = _PREFIX.match(name)
    if begins is None:
        return _old(name)
    reader = _Path(name, begins.end())
    reader.run()
    if not reader.parts or (len(reader.parts) == 1 and name[begins.end() : begins.end() + 1] != "s"):
        return None
    return ".".join([*reader.parts, *_ending(name[reader.at :])])


def _ending(rest: str) -> list[str]:
    accessor = re.search(r"v([gsMrwWau])(?:Z|T[A-Za-z]{1,3}|W[A-Za-z])?$", rest)
    found = [_ACCESSOR[accessor[1]]] if accessor is not None else []
    if re.search(r"f[Cc](?:T[A-Za-z]{1,3}|TW|To)?$|f[Cc](?=y|U|T)", rest):
        found.append("init")
    if re.search(r"f[Dd](?:T[A-Za-z]{1,3})?$", rest):
        found.append("deinit")
    return [*found, "closure"] if _CLOSURE.search(rest) else found


class _Path:
    """The identifiers at the beginning of a name: module, types, function."""

    def __init__(self, text: str, at: int) -> None:
        self.text = text
        self.at = at
        self.parts: list[str] = []
        self._words: list[str] = []

    def run(self) -> None:
        """Read identifiers as long as only the kinds of contexts are between them."""
        if self.text.startswith("s", self.at) and not self.text.startswith("So", self.at):
            self.parts.append("Swift")
            self.at += 1
        elif self.text[self.at : self.at + 2] in _STANDARD:
            self.parts += ["Swift", _STANDARD[self.text[self.at : self.at + 2]]]
            self.at += 2
        elif self.text.startswith("So", self.at):
            self.parts.append("__C")
            self.at += 2
        is_module = not self.parts
        while len(self.parts) < _DEEPEST and self._identifier():
            kind = _KIND.match(self.text, self.at)
            if kind is None and not is_module:
                return  # the function's own name; what follows are its labels and types
            if kind is not None:
                self.at = kind.end()
                if kind[0] == "E":  # the module of an extension
                    self.parts.pop()
            is_module = False

    def _identifier(self) -> bool:
        if self.text.startswith("0", self.at):
            return self._with_words()
        digits = _LENGTH.match(self.text, self.at)
        if digits is None:
            return False
        begin, size = digits.end(), int(digits[0])
        name = self.text[begin : begin + size]
        if len(name) < size:
            return False
        self.at = begin + size
        self._add(name)
        return True

    def _with_words(self) -> bool:
        """``0A3Foo``: a word of an earlier identifier, then new letters; a capital ends the repeated words."""
        at, name = self.at + 1, ""
        for _ in range(_MOST_WORDS):
            letter = self.text[at : at + 1]
            if not letter.isalpha() or not letter.isascii():
                break
            number = ord(letter.lower()) - ord("a")
            if number >= len(self._words):
                return False
            name += self._words[number]
            at += 1
            if letter.isupper():
                break
        digits = _LENGTH_OR_NONE.match(self.text, at)
        if digits is None:
            return False
        size = int(digits[0])
        name += self.text[digits.end() : digits.end() + size]
        self.at = digits.end() + size
        self._add(name)
        return bool(name)

    def _add(self, name: str) -> None:
        self.parts.append(name)
        for word in _WORD.findall(name):
            if len(word) > 1 and len(self._words) < _MOST_WORDS:
                self._words.append(word)


def _old(name: str) -> str | None:
    """Swift 3 and before: ``_TFC4main3Foo3barfT_T_``."""
    begins = _OLD.match(name)
    if begins is None or not name[begins.end() : begins.end() + 1].isdecimal():
        return None
    at = begins.end()
    parts: list[str] = []
    while (digits := _LENGTH.match(name, at)) is not None and len(parts) < _DEEPEST:
        at = digits.end() + int(digits[0])
        parts.append(name[digits.end() : at])
    return ".".join(parts) if len(parts) > 1 and at <= len(name) else None
