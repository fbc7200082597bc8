"""A C++ function as compilers, debuggers and demanglers print it, brought down to its name.

``void ns::Foo<int>::bar(int) const`` is ``ns::Foo::bar``, ``foo::{lambda(int)#1}::operator()(int)`` is
``foo::lambda::operator()``. One pass over the text; nothing is ever read twice.
"""

import re
from dataclasses import dataclass
from functools import lru_cache

LONGEST = 8_000
"""Characters of a signature that are looked at; real ones with all their template arguments reach a few thousand."""

_OPERATOR = re.compile(
    r"operator(?:[ ]?(?P<symbol><=>|<<=|>>=|->\*|->|\(\)|\[\]|\+\+|--|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%^&|]=|[-+*/%^&|~!=<>,])"
    r"|[ ](?P<word>new|delete|co_await)\b[ ]?(?P<array>\[\])?|[ ]?\"\"[ ]?(?P<literal>\w{1,100})|[ ](?P<cast>(?=[^\s(])))"
)
_WORD = re.compile(r"[\w$.@~?*&%#/\\-]+")
_ANONYMOUS = re.compile(
    r"\((?:anonymous namespace|anonymous)\)|`?anonymous[ -]namespace'|<unnamed>|\{anonymous\}|\(anonymous (?:class|struct|union|enum)\)"
)
_LAMBDA = re.compile(r"'lambda\d{0,9}'|\{lambda|<lambda|\(lambda|\{\{closure")
_QUALIFIERS = re.compile(r"(?:[ ]?(?:const|volatile|noexcept|mutable|&&?|\[abi:\w{1,60}\]))++(?=::)")
_OPENS = {"(": ")", "<": ">", "[": "]", "{": "}"}
_ARROW = ("->", "<=", ">=")
_BRACKET = re.compile(
    r"operator[ ]?(?:<<=?|>>=?|<=>|->\*?|<=|>=|<|>|\(\)|\[\])|->|[(<\[{)>\]}]|'(?:\\.|[^\\'])'|\"(?:\\.|[^\"\\])*+\""
)


@dataclass(frozen=True, slots=True)
class Signature:
    """What one pass over a printed function tells."""

    name: str
    """Without return type, parameters, template arguments and qualifiers."""
    printed: str
    """The name as printed, with its template arguments; without return type, parameters and qualifiers."""
    is_plain: bool
    """Whether nothing was left out: the text is a name and no more."""


@lru_cache(maxsize=16_384)
def signature(text: str) -> Signature | None:
    """The function that the text is; None if its brackets do not close or nothing is left."""
    if not text or len(text) > LONGEST:
        return None
    scan = _Scan(text)
    if not scan.run() or not scan.out:
        return None
    name = "".join(scan.out)
    printed = text[scan.begin : scan.end].strip()
    return Signature(name, printed, is_plain=name == text)


class _Scan:
    """One pass from left to right: what stands outside all brackets is collected."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at = 0
        self.out: list[str] = []
        self.begin = 0
        self.end = len(text)

    def run(self) -> bool:
        """Reads to the end of the name; False if a bracket does not close."""
        while self.at < len(self.text):
            went_on = self._step()
            if went_on is not None:
                return went_on
        return True

    def _step(self) -> bool | None:  # noqa: PLR0911 - one return a kind of token
        """One token; None to go on."""
        text, at = self.text, self.at
        character = text[at]
        if character == "o" and self._begins_component():
            found = _OPERATOR.match(text, at)
            if found is not None:
                return self._operator(found)
        if self._begins_component() and character in "(<{'`":
            found = _ANONYMOUS.match(text, at)
            if found is not None:
                self.out.append("(anonymous namespace)")
                self.at = found.end()
                return None
            if _LAMBDA.match(text, at):
                return self._lambda()
        if character in "(<[{":
            return self._bracket(character)
        if character in " \t":
            return self._blank()
        if character in ")>]}":
            return False
        found = _WORD.match(text, at)
        self.at = found.end() if found is not None else at + 1
        self.out.append(text[at : self.at])
        return None

    def _begins_component(self) -> bool:
        return not self.out or self.out[-1].endswith(("::", ":", " "))

    def _operator(self, found: re.Match[str]) -> bool | None:
        self.at = found.end()
        if found["cast"] is not None:
            return self._cast()
        if found["word"]:
            self.out.append(f"operator {found['word']}{found['array'] or ''}")
        elif found["literal"]:
            self.out.append(f'operator""{found["literal"]}')
        else:
            self.out.append(f"operator{found['symbol']}")
        return None

    def _cast(self) -> bool | None:
        """``operator T`` up to its parameters: the type without its arguments."""
        self.out.append("operator ")
        while self.at < len(self.text) and self.text[self.at] != "(":
            if self.text[self.at] == "<":
                if not self._skip():
                    return False
                continue
            self.out.append(self.text[self.at])
            self.at += 1
        while self.out[-1] == " ":
            self.out.pop()
        self.end = self.at
        return True

    def _lambda(self) -> bool | None:
        self.out.append("lambda")
        if self.text[self.at] == "'":
            self.at = self.text.index("'", self.at + 1) + 1
            if self.text[self.at : self.at + 1] == "(":
                return None if self._skip() else False
            return None
        return None if self._skip() else False

    def _bracket(self, opens: str) -> bool | None:
        begin = self.at
        if not self._skip():
            return False
        if opens == "(" and self.out:
            qualifiers = _QUALIFIERS.match(self.text, self.at)
            if qualifiers is not None:
                self.at = qualifiers.end()
            if not self.text.startswith("::", self.at):
                if self.out[-1] in ("decltype", "noexcept", "requires"):
                    return None
                self.end = begin
                return True
        elif opens == "[" and self.text.startswith("[clone ", begin):
            self.end = begin
            return True
        return None

    def _blank(self) -> bool | None:
        text = self.text
        while self.at < len(text) and text[self.at] in " \t":
            self.at += 1
        if not self.out or self.at == len(text):
            return None
        if text[self.at] in "(<" and not _ANONYMOUS.match(text, self.at):  # gdb: name (args)
            return None
        if text.startswith(("[clone", "[inlined", "[abi"), self.at):
            self.end = self.at
            return True
        self.out.clear()  # what stood there was a return type, a specifier
        self.begin = self.at
        return None

    def _skip(self) -> bool:
        """Goes behind the bracket that opens here and its partner."""
        closing = [_OPENS[self.text[self.at]]]
        for found in _BRACKET.finditer(self.text, self.at + 1):
            mark = found[0]
            if mark in _OPENS:
                closing.append(_OPENS[mark])
            elif mark in ")>]}":
                while closing and closing[-1] == ">" and mark != ">":
                    closing.pop()  # a smaller-than sign was taken for a bracket
                if closing and closing[-1] == mark:
                    closing.pop()
                elif mark != ">":
                    return False
            if not closing:
                self.at = found.end()
                return True
        return False
