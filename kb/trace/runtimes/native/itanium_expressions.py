"""Expressions in mangled C++ names, passed over: what template arguments and ``decltype`` compute."""

from collections.abc import Callable

from kb.trace.runtimes.native.cursor import Cursor, MangledError
from kb.trace.runtimes.native.itanium_types import literal, template_arguments, template_parameter, type_name


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


def _operation(cursor: Cursor, code: str) -> None:
    """What follows an operator's code: types, expressions, lists of them."""
    if code in ("pp", "mm"):
        cursor.take("_")
    operands = _OPERANDS.get(code)
    if operands is None:
        raise MangledError
    for operand in operands:
        operand(cursor)


def _conversion(cursor: Cursor) -> None:
    type_name(cursor)
    if cursor.take("_"):
        _expressions(cursor)
    else:
        expression(cursor)


def _new(cursor: Cursor) -> None:
    while not cursor.take("_"):
        expression(cursor)
    type_name(cursor)
    if cursor.take("pi"):
        _expressions(cursor)
    else:
        cursor.expect("E")


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


_UNARY = ("ps", "ng", "ad", "de", "co", "nt", "pp", "mm", "sz", "az", "nx", "te", "sp", "dl", "da", "tw", "sP", "sZ")
_OF_A_TYPE = ("st", "ti", "at")
_CASTS = ("dc", "sc", "cc", "rc")
_BINARY = ("pl", "mi", "ml", "dv", "rm", "an", "or", "eo", "aS", "pL", "mI", "mL", "dV", "rM", "aN", "oR", "eO", "ls", "rs", "lS", "rS", "eq", "ne", "lt", "gt", "le", "ge", "ss", "aa", "oo", "cm", "pm", "ix", "ds")  # fmt: skip
_OPERANDS: dict[str, tuple[Callable[[Cursor], object], ...]] = {
    **dict.fromkeys(_UNARY, (expression,)),
    **dict.fromkeys(_OF_A_TYPE, (type_name,)),
    **dict.fromkeys(_CASTS, (type_name, expression)),
    **dict.fromkeys(_BINARY, (expression, expression)),
    "qu": (expression, expression, expression),
    "cv": (_conversion,),
    "tl": (type_name, _expressions),
    **dict.fromkeys(("cl", "il", "cp"), (_expressions,)),
    **dict.fromkeys(("dt", "pt"), (expression, _unresolved)),
    **dict.fromkeys(("nw", "na"), (_new,)),
    "tr": (),
}
"""What follows each operator's code. Requires-expressions are left out: rare, and long."""
