"""Decorated names of Microsoft's compiler, read for their name only: ``?bar@?$Foo@H@ns@@QEBAXH@Z`` is ``ns::Foo::bar``.

The parts stand innermost first, each ended by ``@``. Parameters come behind the name and are not looked at; template
arguments are passed over, whose types nest.
"""

from functools import lru_cache

from kb.patterns import lazy

LONGEST = 4_000
_DEEPEST = 60
_MOST_BACK = 10
_OPERATORS = {
    "2": " new", "3": " delete", "4": "=", "5": ">>", "6": "<<", "7": "!", "8": "==", "9": "!=", "A": "[]", "C": "->", "D": "*", "E": "++", "F": "--", "G": "-",
    "H": "+", "I": "&", "J": "->*", "K": "/", "L": "%", "M": "<", "N": "<=", "O": ">", "P": ">=", "Q": ",", "R": "()", "S": "~", "T": "^", "U": "|", "V": "&&",
    "W": "||", "X": "*=", "Y": "+=", "Z": "-=", "_0": "/=", "_1": "%=", "_2": ">>=", "_3": "<<=", "_4": "&=", "_5": "|=", "_6": "^=", "_U": " new[]", "_V": " delete[]",
}  # fmt: skip
_SPECIAL = {"_7": "vftable", "_8": "vbtable", "_G": "~", "_E": "~", "_D": "~", "_F": "closure", "_R": "type info"}
_NAME = lazy(r"[A-Za-z_$<][\w$<>.-]{0,1000}@")
_LAMBDA = lazy(r"<lambda_\w{1,60}>$")
_CLASS_KINDS = "TUV"


class _DecoratedError(Exception):
    """The name is not decorated so, or cut off, or nested too deep."""


@lru_cache(maxsize=8_192)
def microsoft(name: str) -> str | None:
    """Return the lasting name of a decorated one; None for any other."""
    if not name.startswith("?") or len(name) > LONGEST:
        return None
    reader = _Reader(name)
    try:
        parts = reader.symbol()
    except _DecoratedError:
        return None
    return "::".join(parts) or None


class _Reader:
    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._depth = 0
        self._back: list[str] = []

    def _peek(self, size: int = 1) -> str:
        return self._text[self._at : self._at + size]

    def _take(self, mark: str) -> bool:
        if self._text.startswith(mark, self._at):
            self._at += len(mark)
            return True
        return False

    def symbol(self) -> list[str]:
        """``?name@scope@scope@@…``, outermost scope first."""
        self._depth += 1
        if self._depth > _DEEPEST or not self._take("?"):
            raise _DecoratedError
        name, kind = self._own_name()
        scopes = self._scopes()
        self._depth -= 1
        if kind and scopes:
            name = f"{kind}{scopes[-1]}" if kind != "!" else scopes[-1]
        if name == "operator " and not kind:
            name = "operator"
        return [*scopes, name]

    def _own_name(self) -> tuple[str, str]:  # noqa: C901, PLR0911 - the grammar's own table
        """Return the name, and how it is made from its class: ``!`` a constructor, ``~`` a destructor."""
        if self._take("?$"):
            name = self._own_name() if self._peek() == "?" else (self._identifier(), "")
            self._arguments()
            return name
        if not self._take("?"):
            return self._simple(), ""
        if self._take("0"):
            return "", "!"
        if self._take("1"):
            return "", "~"
        if self._take("B"):
            return "operator ", ""
        if self._take("__K"):
            return f'operator""{self._identifier()}', ""
        if self._take("__L"):
            return "operator co_await", ""
        if self._take("__M"):
            return "operator<=>", ""
        code = self._peek(2) if self._peek() == "_" else self._peek()
        self._at += len(code)
        if code in _OPERATORS:
            return f"operator{_OPERATORS[code]}", ""
        if code in _SPECIAL:
            return (_SPECIAL[code], "") if _SPECIAL[code] != "~" else ("", "~")
        raise _DecoratedError

    def _scopes(self) -> list[str]:
        found: list[str] = []
        while not self._take("@"):
            if len(found) > _DEEPEST or not self._peek():
                raise _DecoratedError
            found.append(self._scope())
        return [part for part in reversed(found) if part]

    def _scope(self) -> str:
        if self._take("?A"):
            end = self._text.find("@", self._at)
            if end < 0:
                raise _DecoratedError
            self._at = end + 1
            self._remember("(anonymous namespace)")
            return "(anonymous namespace)"
        if self._peek(2) == "?$":
            self._at += 2
            outer, self._back = self._back, []
            name = self._identifier()
            self._arguments()
            self._back = outer
            self._remember(name)
            return name
        if self._peek(2) == "??":
            self._at += 1
            inner = self.symbol()
            self._rest_of_function()
            return "::".join(inner)
        if self._take("?"):
            self._local_number()
            return ""
        return self._simple()

    def _rest_of_function(self) -> None:
        """Behind the name of the function that something local is in: its type, up to ``@Z`` or ``Z``."""
        ends = [found + len(mark) for mark in ("@Z", "XZ") if (found := self._text.find(mark, self._at)) >= 0]
        if not ends:
            raise _DecoratedError
        self._at = min(ends)

    def _local_number(self) -> None:
        while self._peek() and self._peek() in "0123456789ABCDEFGHIJKLMNOP":
            digit = self._peek()
            self._at += 1
            if digit.isdecimal():
                return
        self._take("@")

    def _simple(self) -> str:
        if self._peek().isdecimal():
            number = int(self._peek())
            self._at += 1
            if number >= len(self._back):
                raise _DecoratedError
            return self._back[number]
        return self._identifier()

    def _identifier(self) -> str:
        found = _NAME.match(self._text, self._at)
        if found is None:
            raise _DecoratedError
        self._at = found.end()
        name = found[0][:-1]
        name = "lambda" if _LAMBDA.match(name) else name
        self._remember(name)
        return name

    def _remember(self, name: str) -> None:
        if len(self._back) < _MOST_BACK and name not in self._back:
            self._back.append(name)

    def _arguments(self) -> None:
        self._depth += 1
        if self._depth > _DEEPEST:
            raise _DecoratedError
        outer, self._back = self._back, list(self._back)
        while not self._take("@"):
            self._type()
        self._back = outer
        self._depth -= 1

    def _type(self) -> None:  # noqa: C901 - the grammar's own table
        self._depth += 1
        if self._depth > _DEEPEST or not self._peek():
            raise _DecoratedError
        letter = self._peek()
        self._at += 1
        if letter == "$":
            self._dollar()
        elif letter in "PQRSAB":
            self._pointer()
        elif letter in _CLASS_KINDS:
            self._class()
        elif letter == "W":
            self._at += 1
            self._class()
        elif letter == "Y":
            for _ in range(self._count()):
                self._count()
            self._type()
        elif letter == "_":
            self._at += 1
        elif letter == "?":
            self._at += 1
            self._type()
        elif not (letter.isdecimal() or letter in "CDEFGHIJKLMNOXZ@"):
            raise _DecoratedError
        self._depth -= 1

    def _class(self) -> None:
        self._own_name() if self._peek(2) == "?$" else self._simple()
        self._scopes()

    def _pointer(self) -> None:
        while self._peek() in ("E", "I", "F") and self._peek():
            self._at += 1
        kind = self._peek()
        self._at += 1
        if kind == "6":
            self._function()
        elif kind == "8":
            self._scope()
            self._scopes()
            self._at += 2
            self._function()
        elif kind in ("A", "B", "C", "D"):
            self._type()
        else:
            raise _DecoratedError

    def _function(self) -> None:
        """Calling convention, result, parameters, ``@Z``."""
        self._at += 1
        self._type() if not self._take("@") else None
        if self._take("XZ") or self._take("X_E"):
            return
        while self._peek() and not (self._take("@Z") or self._take("@_E") or self._take("ZZ")):
            self._type()

    def _dollar(self) -> None:
        if self._take("0"):
            self._count()
        elif self._take("$Q"):
            self._pointer()
        elif self._take("$A6"):
            self._function()
        elif self._take("$T") or self._take("$V") or self._take("$Z") or self._take("S"):
            return
        elif self._take("$B") or self._take("$C"):
            self._at += 1 if self._peek() in "ABCD" and self._text[self._at - 1] == "C" else 0
            self._type()
        elif self._take("1") or self._take("H"):
            self.symbol()
            self._rest_of_function()
        else:
            raise _DecoratedError

    def _count(self) -> int:
        """Return a number: ``0`` to ``9`` are 1 to 10, others are hexadecimal letters up to ``@``."""
        self._take("?")
        if self._peek().isdecimal():
            self._at += 1
            return int(self._text[self._at - 1]) + 1
        value = 0
        for _ in range(20):
            letter = self._peek()
            self._at += 1
            if letter == "@":
                return min(value, _DEEPEST)
            if not letter or letter not in "ABCDEFGHIJKLMNOP":
                raise _DecoratedError
            value = value * 16 + "ABCDEFGHIJKLMNOP".index(letter)
        raise _DecoratedError
