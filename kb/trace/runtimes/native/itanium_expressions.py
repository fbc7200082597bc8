"""Expressions in mangled C++ names, passed over: what template arguments and ``decltype`` compute."""

from kb.trace.runtimes.native.cursor import Cursor, MangledError
from kb.trace.runtimes.native.itanium_types import literal, template_arguments, template_parameter, type_name

_UNARY = frozenset(
    ["ps", "ng", "ad", "de", "co", "nt", "pp", "mm", "sz", "az", "nx", "te", "sp", "dl", "da", "tw", "sP"]
)
_OF_A_TYPE = frozenset(["st", "ti", "at"])
_CASTS = frozenset(["dc", "sc", "cc", "rc"])
_BINARY = frozenset(["pl", "mi", "ml", "dv", "rm", "an", "or", "eo", "aS", "pL", "mI", "mL", "dV", "rM", "aN", "oR", "eO", "ls", "rs", "lS", "rS", "eq", "ne", "lt", "gt", "le", "ge", "ss", "aa", "oo", "cm", "pm", "ix", "ds"])  # fmt: skip


def expression(cursor: Cursor) -> None:
    """Passes over an expression."""
    with cursor:
        cursor.take("gs")
        head = cursor.peek()
        code = head + cursor.peek(1)
        if head == "L":
            literal(cursor)
        elif head == "T":
            template_parameter(cursor)
        elif head.isdecimal() or code in ("on", "dn") or code == "sr":
            _unresolved(cursor)
        elif head == "f":
            _parameter_of_function(cursor)
        else:
            cursor.skip(2)
            _operation(cursor, code)


def _operation(cursor: Cursor, code: str) -> None:  # noqa: C901, PLR0912 - the grammar's own table
    if code in _UNARY:
        if code in ("pp", "mm"):
            cursor.take("_")
        expression(cursor)
    elif code in _OF_A_TYPE:
        type_name(cursor)
    elif code in _CASTS:
        type_name(cursor)
        expression(cursor)
    elif code in _BINARY:
        expression(cursor)
        expression(cursor)
    elif code == "qu":
        for _ in range(3):
            expression(cursor)
    elif code == "cv":
        type_name(cursor)
        if cursor.take("_"):
            _expressions(cursor)
        else:
            expression(cursor)
    elif code in ("tl", "cl", "il", "cp"):
        if code == "tl":
            type_name(cursor)
        _expressions(cursor)
    elif code in ("dt", "pt"):
        expression(cursor)
        _unresolved(cursor)
    elif code == "sZ":
        expression(cursor)
    elif code in ("nw", "na"):
        while not cursor.take("_"):
            expression(cursor)
        type_name(cursor)
        if cursor.take("pi"):
            _expressions(cursor)
        else:
            cursor.expect("E")
    elif code in ("rq", "rQ"):
        raise MangledError  # requires-expressions: rare, and long
    elif code != "tr":
        raise MangledError


def _expressions(cursor: Cursor) -> None:
    while not cursor.take("E"):
        expression(cursor)


def _parameter_of_function(cursor: Cursor) -> None:
    if cursor.take("fpT"):
        return
    if cursor.take("fp"):
        cursor.skip_any("rVK")
        cursor.number()
        cursor.expect("_")
        return
    if cursor.at("fL") and cursor.peek(2).isdecimal():
        cursor.skip(2)
        cursor.number()
        cursor.expect("p")
        cursor.skip_any("rVK")
        cursor.number()
        cursor.expect("_")
        return
    folds = cursor.peek(1)
    if folds not in ("l", "r", "L", "R") or not folds:
        raise MangledError
    cursor.skip(4)
    expression(cursor)
    if folds in ("L", "R"):
        expression(cursor)


def _unresolved(cursor: Cursor) -> None:
    """``sr type name``, ``on operator``, ``dn type``, or a simple name."""
    if cursor.take("srN"):
        type_name(cursor)
        while not cursor.take("E"):
            _simple(cursor)
        _base(cursor)
    elif cursor.take("sr"):
        if cursor.peek().isdecimal():
            while not cursor.take("E"):
                _simple(cursor)
        else:
            type_name(cursor)
        _base(cursor)
    else:
        _base(cursor)


def _base(cursor: Cursor) -> None:
    if cursor.take("on"):
        cursor.skip(2)
        if cursor.take("I"):
            template_arguments(cursor)
    elif cursor.take("dn"):
        if cursor.peek().isdecimal():
            _simple(cursor)
        else:
            type_name(cursor)
    else:
        _simple(cursor)


def _simple(cursor: Cursor) -> None:
    cursor.source_name()
    if cursor.take("I"):
        template_arguments(cursor)
