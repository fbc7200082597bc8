"""An error that a program prints as its value, for a debugger: Rust's ``Os { code: 2, kind: NotFound, message: "…" }``, Go's ``&pq.Error{Code:"42P01", Message:"…"}``."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from kb.patterns import lazy

_NAME = r"(?:[A-Za-z_]\w{0,60}+(?:::|\.)){0,8}+[A-Za-z_]\w{0,60}+"
# e.g. `Io(Os { code: 2`, `&errors.ClientError{errorCode:"X"`
_BEGINS = lazy(
    rf"(?:(?<![\w.:&/\\'\"])|(?<=[ =:]:)(?=&))&?{_NAME}(?:(?: \{{(?=\s{{1,40}}[a-z_])|\{{(?=[A-Za-z_]))|\((?=[A-Z]))"
)
_TOKEN = lazy(
    r'"(?P<string>(?:[^"\\\n]|\\.){0,8000}+)"(?P<called>\.)?'
    rf"|&?(?P<name>{_NAME})?(?:(?P<brace> ?\{{)|(?P<bracket>[(\[]))"
    r"|(?P<closing>[})\]])"
    r"|(?P<key>[A-Za-z_]\w{0,60}+):(?!:)(?P<gap> ?)"
    r"|(?P<word>[^\s,:{}()\[\]\"\\]++)|[ \t,:]++|(?P<line>\n\s{0,200}+)|(?P<odd>[\"\\\s])"
)
_WORDS = frozenset(
    ("message", "msg", "error", "err", "errmsg", "reason", "description", "desc", "details", "s", "str", "text")
)
"""Fields that hold what an error says; ``s`` is that of Go's ``errors.New``."""
_OF_ANYTHING = frozenset(("description", "desc", "details", "text", "str"))
"""Fields that a customer and an order have, too: only those of a value that is called an error count."""
_KINDS = ("code", "kind", "errorcode", "errcode", "error_code", "type")
_CODES = frozenset((*_KINDS, "number"))
_ERROR = lazy(r"(?:^Os|^Custom|(?:Error|Err|Exception|Failure|Fault)(?:Inner|Impl|Kind)?|^errorString|^wrapErrors?)$")
"""How types of errors end; ``Os`` and ``Custom`` are the two of Rust's ``std::io``."""
_LED = lazy(
    r"(?i)(?:` value: |(?<![a-z])(?:err(?:or)?|fail(?:ed|ure)|panic(?:ked)?|fatal)(?:[^\n\w:=][^\n:=]{0,60})?[:=] ?)$"
)
"""What stands before a value that is an error by that."""
_SAYS_NOTHING = frozenset(
    (
        "uncategorized",
        "other",
        "unknown",
        "error",
        "err",
        "generic",
        "none",
        "null",
        "nil",
        "some",
        "ok",
        "custom",
        "os",
        "status",
    )
)
_IS_FINE = frozenset(("ok", "success"))
_FINE_NUMBERS = frozenset(("200", "0"))
_CAUSES = frozenset(("source", "cause", "err", "error", "inner", "kind", "original", "originalerror", "innererror"))
"""Fields that hold the error below."""
_WRAPPERS = frozenset(("Some", "Err", "Ok", "Box", "Arc", ""))
_DATABASES = {
    "PgDatabaseError": "SQLSTATE",
    "DbError": "SQLSTATE",
    "PgError": "SQLSTATE",
    "pq.Error": "SQLSTATE",
    "MySqlDatabaseError": "MySQL",
    "MySQLError": "MySQL",
}
"""How the errors of databases are called whose values hold the code alone."""
_STATE = lazy(r"E?([0-9A-Z]{5})")
_NUMBER = lazy(r"0x[0-9a-f]{1,8}|[1-9]\d{0,8}")
_ESCAPED = lazy(r"\\(?:u\{([0-9a-fA-F]{1,6})\}|(.))", re.DOTALL)
_PLAIN = {"n": "\n", "t": "\t", "r": "\r", "0": "\0"}
_LONGEST = 8_000
_MOST_DEEP = 40
_MOST_LINES = 60
"""Lines of one value: a page of them, as ``{:#?}`` prints it."""
_MOST_BEGUN = 32
"""Values of one text that are looked at."""


@dataclass(frozen=True, slots=True)
class DebugValue:
    """What the innermost value with words says of an error."""

    name: str
    """What the outermost value is called."""
    type: str | None
    message: str
    begin: int
    end: int
    """Where the outermost value begins and ends."""
    is_go: bool


@dataclass(slots=True)
class _Node:
    """A value that is open: its name, and what its fields hold."""

    name: str
    is_struct: bool
    is_go: bool
    """Whether nothing is between its name and its brace: as Go prints values, who puts no blank behind the name of a field either."""
    key: str = ""
    """The field of the struct that is being read."""
    held_by: str = ""
    """The field of the struct around it that it is the value of."""
    is_of_error: bool = False
    """Whether it is the error or a cause of it. What a customer within the value says is no message."""
    words: str | None = None
    codes: dict[str, str] = field(default_factory=dict)
    quoted: str | None = None
    """The first code that is a string."""

    @property
    def own_name(self) -> str:
        """Return the name without its path."""
        return re.split(r"::|\.", self.name)[-1]

    @property
    def is_fine(self) -> bool:
        """Return whether it says that all is well: ``Status { code: Ok }``; an error whose code is 0 is one all the same."""
        codes = {code.lower() for code in self.codes.values()}
        return bool(codes & _IS_FINE) or (bool(codes & _FINE_NUMBERS) and not _ERROR.search(self.own_name))

    @property
    def is_error(self) -> bool:
        """Return whether its name is that of an error."""
        return _ERROR.search(self.own_name) is not None


def apart(message: str) -> tuple[str | None, DebugValue] | None:
    """Return what a message says before the value at its end, and the value; None where it ends with none. ``unwrap`` says nothing of its own."""
    value = error_in(message)
    if value is None:
        return None
    before, behind = message[: value.begin].rstrip(), message[value.end :].strip(" \t\n\"'`.)")
    if behind:
        return message, value
    return None if _UNWRAPS.fullmatch(before) else before.rstrip(":= ") or None, value


_UNWRAPS = lazy(r"called `Result::\w{1,20}\(\)` on an `(?:Err|Ok)` value:")


def error_in(text: str, begin: int = 0, end: int | None = None) -> DebugValue | None:
    """Return the first error that a stretch shows as a value with words; None where it shows none. The value may end in a line below the stretch."""
    last = len(text) if end is None else end
    if text.find("{", begin, last) < 0:
        return None
    at, stop = begin, min(len(text), begin + _LONGEST)
    for _ in range(_MOST_BEGUN):
        found = _BEGINS.search(text, at, min(last + 1, stop))
        if found is None:
            return None
        is_led = _LED.search(text, max(begin, found.start() - 90), found.start()) is not None
        best, at = _innermost(text, found.start(), stop, is_led=is_led)
        if best is not None and best.words is not None:
            is_go = text.startswith("&", found.start()) or _OF_GO.match(text, found.start()) is not None
            name = found[0].strip(" &{(")
            return DebugValue(name, _type_of(best), unescaped(best.words).strip(), found.start(), at, is_go)
        at = max(at, found.end())
    return None


_OF_GO = lazy(rf"{_NAME}\{{[A-Z]\w{{0,60}}+:\S")
"""A field with a capital and no blank behind it: Go prints so."""


def _innermost(text: str, begin: int, stop: int, *, is_led: bool) -> tuple[_Node | None, int]:
    """Return the deepest part with words of the value that begins at a place, None where it is no error; and where the value ends."""
    open_: list[_Node] = []
    holding: list[tuple[int, _Node]] = []
    is_error, at = is_led, begin
    for found in _tokens(text, begin, stop):
        at = found.end()
        if _is_source(found, open_) or len(open_) > _MOST_DEEP:
            return None, at
        if found["brace"] or found["bracket"]:
            node = _opened(found, open_)
            node.is_of_error = _is_of_error(node, open_, is_led=is_led)
            is_error |= node.is_error
            open_.append(node)
        elif found["closing"]:
            depth, node = len(open_), open_.pop()
            holding += [(depth, node)] if node.words is not None and node.is_of_error else []
        else:
            _take(open_, found)
        if not open_:
            break
    holding += [(depth, node) for depth, node in enumerate(open_, 1) if node.words is not None and node.is_of_error]
    _, best = max(holding, key=lambda one: one[0], default=(0, None))
    return (best if is_error and best is not None and not best.is_fine else None), at


def _is_of_error(node: _Node, open_: list[_Node], *, is_led: bool) -> bool:
    """Return whether a value that opens is the error, one below it, or what a variant or a wrapper of one holds: ``Io(Os { … })``."""
    if node.is_error:
        return True
    if not open_:
        return is_led or not node.is_struct
    above = open_[-1]
    return above.is_of_error and (not above.is_struct or node.held_by.lower() in _CAUSES)


def _tokens(text: str, at: int, stop: int) -> Iterator[re.Match[str]]:
    """Yield the parts of a value up to one that none has, or to the end of the last line that is looked at."""
    lines = 0
    while at < stop and (found := _TOKEN.match(text, at, stop)) is not None and found.lastgroup != "odd":
        lines += found.lastgroup == "line"
        if lines > _MOST_LINES:
            return
        yield found
        at = found.end()


def _is_source(found: re.Match[str], open_: list[_Node]) -> bool:
    """Return whether a program's source goes on so: ``"…".to_string()``, ``Code: 7``."""
    return bool(found["called"] or (found["gap"] and open_ and open_[-1].is_go))


def _opened(found: re.Match[str], open_: list[_Node]) -> _Node:
    is_struct = bool(found["brace"])
    return _Node(
        found["name"] or "",
        is_struct,
        bool(found["name"]) and found["brace"] == "{",
        held_by=open_[-1].key if open_ else "",
    )


def _take(open_: list[_Node], found: re.Match[str]) -> None:
    """Give a string, a word or a key to the value that is open; ``Some("x")`` is a string of the struct around it."""
    node = open_[-1]
    if found["key"] and node.is_struct:
        node.key = found["key"]
        return
    value = found["string"] if found["string"] is not None else found["word"] or ""
    held_by = node.held_by.lower() if not node.is_struct and len(open_) > 1 and not node.words else ""
    if value and held_by in _CODES:
        open_[-2].codes.setdefault(held_by, value)
    elif found["string"] and held_by in _WORDS and node.name in _WRAPPERS:
        open_[-2].words = open_[-2].words or value
    elif node.is_struct and node.key:
        key = node.key.lower()
        if found["string"] and key in _WORDS and node.words is None and _is_text(key, value, node):
            node.words = value
        elif value and key in _CODES:
            node.codes.setdefault(key, value)
            node.quoted = node.quoted or (found["string"] if _is_name(found["string"] or "") else None)
    elif (
        found["string"] and " " in value and not node.is_struct and node.words is None and _ERROR.search(node.own_name)
    ):
        node.words = value


def _is_text(key: str, value: str, node: _Node) -> bool:
    """Return whether a string is what an error says: ``s`` only in Go's own types; a name alone may be a code of the same field."""
    is_own = key not in _OF_ANYTHING or node.is_error
    return (key != "s" or node.own_name in ("errorString", "Error")) and is_own and bool(value.strip())


def _type_of(node: _Node) -> str | None:
    """Return what a value calls its error: a database's code, a code that is a string, the name of the value's type, its kind, ``os error 24``."""
    family = _DATABASES.get(node.name) or _DATABASES.get(node.own_name)
    codes = node.codes
    if family == "MySQL" and (number := _NUMBER.fullmatch(codes.get("number", ""))) is not None:
        return f"MySQL {int(number[0], 0)}"
    state = _STATE.fullmatch(codes.get("code", "")) if family == "SQLSTATE" else None
    if state is not None:
        return f"SQLSTATE {state[1]}"
    if node.quoted:
        return node.quoted
    if node.own_name.lower() not in _SAYS_NOTHING and node.own_name[:1].isupper():
        return node.name
    kind = next(filter(_is_name, (codes.get(key, "") for key in _KINDS)), None)
    return kind or (f"os error {codes['code']}" if node.own_name == "Os" and codes.get("code") else None)


def _is_name(value: str) -> bool:
    """Return whether a code is a name that tells something."""
    return any(c.isalpha() for c in value) and " " not in value and value.lower() not in _SAYS_NOTHING


def unescaped(string: str) -> str:
    r"""Return what a string in quotation marks says: ``\"`` is a mark."""
    return _ESCAPED.sub(_plain, string) if "\\" in string else string


def _plain(found: re.Match[str]) -> str:
    if found[1] is not None:
        return chr(int(found[1], 16)) if int(found[1], 16) < 0x110000 else found[0]
    return _PLAIN.get(found[2], found[2])
