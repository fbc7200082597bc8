"""Mangled names of the Itanium C++ ABI (https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling), read for their name only.

Template arguments and parameters are passed over without being spelled out. So no name can blow up: substitutions, which
let a hundred characters stand for gigabytes, are never expanded. One pass, bounded depth.
"""

from collections.abc import Callable
from functools import lru_cache

from kb.patterns import lazy
from kb.trace.runtimes.native.demangle.itanium_types import (
    Cursor,
    Grammar,
    MangledError,
    literal,
    template_arguments,
    template_parameter,
    template_parameter_declaration,
    type_name,
)

# Expressions in mangled C++ names, passed over: what template arguments and ``decltype`` compute.


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


LONGEST = 4_000
_MANGLED = lazy(r"_{1,4}Z(?=[A-Z0-9a-z])")
_STANDARD = {"s": "basic_string", "i": "basic_istream", "o": "basic_ostream", "d": "basic_iostream", "a": "allocator", "b": "basic_string"}  # fmt: skip
_OPERATORS = {
    "nw": " new", "na": " new[]", "dl": " delete", "da": " delete[]", "aw": " co_await", "ps": "+", "ng": "-", "ad": "&", "de": "*", "co": "~", "pl": "+",
    "mi": "-", "ml": "*", "dv": "/", "rm": "%", "an": "&", "or": "|", "eo": "^", "aS": "=", "pL": "+=", "mI": "-=", "mL": "*=", "dV": "/=", "rM": "%=",
    "aN": "&=", "oR": "|=", "eO": "^=", "ls": "<<", "rs": ">>", "lS": "<<=", "rS": ">>=", "eq": "==", "ne": "!=", "lt": "<", "gt": ">", "le": "<=",
    "ge": ">=", "ss": "<=>", "nt": "!", "aa": "&&", "oo": "||", "pp": "++", "mm": "--", "cm": ",", "pm": "->*", "pt": "->", "cl": "()", "ix": "[]", "qu": "?",
}  # fmt: skip
_ANONYMOUS = lazy(r"_GLOBAL_[._$]N")
_LAMBDA = lazy(r"\$_\d{1,9}$")


@lru_cache(maxsize=16_384)
def itanium(name: str) -> str | None:
    """``_ZN12_GLOBAL__N_15startEv`` is ``(anonymous namespace)::start``; None for what is not mangled so, or not whole."""
    begins = _MANGLED.match(name)
    if begins is None or len(name) > LONGEST:
        return None
    cursor = Cursor(name, begins.end(), Grammar(_name, _encoding, expression))
    try:
        parts = _encoding(cursor)
    except MangledError:
        return None
    return "::".join(parts) or None


def _encoding(cursor: Cursor) -> list[str]:
    """Return a function or a datum, or what the compiler made for one."""
    with cursor:
        if cursor.take("GTt") or cursor.take("GTn"):
            return _encoding(cursor)
        if cursor.take("GV") or cursor.take("GR") or cursor.take("GI") or cursor.take("TH") or cursor.take("TW"):
            return _name(cursor)
        if cursor.at("T") and cursor.peek(1) in "hvc":
            cursor.skip(1)
            for _ in range(2 if cursor.take("c") else 1):
                _offset(cursor)
            return _encoding(cursor)
        if cursor.at("T") and cursor.peek(1) in "VTISCF":
            cursor.skip(2)
            return [type_name(cursor)]
        return _name(cursor)


def _offset(cursor: Cursor) -> None:
    if cursor.take("h"):
        cursor.number()
        cursor.expect("_")
    elif cursor.take("v"):
        for _ in range(2):
            cursor.number()
            cursor.expect("_")
    else:
        raise MangledError


def _name(cursor: Cursor) -> list[str]:
    with cursor:
        if cursor.take("N"):
            return _nested(cursor)
        if cursor.take("Z"):
            return _local(cursor)
        if cursor.take("St"):
            parts = ["std", *_unqualified(cursor, [])]
        elif cursor.at("S") and cursor.peek(1) != "t":
            parts = _substitution(cursor)
        else:
            parts = _unqualified(cursor, [])
        if cursor.take("I"):
            template_arguments(cursor)
        return parts


def _nested(cursor: Cursor) -> list[str]:
    """``N [qualifiers] prefix… name E``."""
    cursor.take("H")
    cursor.skip_any("rVK")
    cursor.skip_any("RO", most=1)
    parts: list[str] = []
    while not cursor.take("E"):
        if cursor.at("S"):
            if cursor.take("St"):
                parts.append("std")
            else:
                parts.extend(_substitution(cursor))
        elif cursor.take("I"):
            template_arguments(cursor)
        elif cursor.at("T") or cursor.at("Dt") or cursor.at("DT"):
            parts.append(type_name(cursor))
        elif not cursor.take("M"):
            parts.extend(_unqualified(cursor, parts))
    return parts


def _local(cursor: Cursor) -> list[str]:
    """``Z function E what is inside it``."""
    outer = _encoding(cursor)
    while not cursor.take("E"):
        type_name(cursor)
    if cursor.take("s"):
        cursor.discriminator()
        return [*outer, "string literal"]
    if cursor.take("d"):
        cursor.number()
        cursor.expect("_")
    inner = _name(cursor)
    cursor.discriminator()
    return [*outer, *inner]


def _substitution(cursor: Cursor) -> list[str]:
    """Return a part named before. Which one is not remembered: it stands for a type's name, of which the last part is not needed."""
    cursor.expect("S")
    letter = cursor.peek()
    if letter in _STANDARD:
        cursor.skip(1)
        return ["std", _STANDARD[letter]]
    cursor.sequence()
    return []


def _unqualified(cursor: Cursor, parts: list[str]) -> list[str]:
    """One component. ``parts`` are those before it: a constructor is called like its class."""
    cursor.take("F")
    cursor.take("L")
    if cursor.peek().isdigit():
        name = _source_name(cursor)
    elif cursor.at("C") and cursor.peek(1) in "I12345":
        cursor.skip(1)
        if cursor.take("I"):
            cursor.skip(1)
            type_name(cursor)
        else:
            cursor.skip(1)
        name = parts[-1] if parts else ""
    elif cursor.at("D") and cursor.peek(1) in "012345":
        cursor.skip(2)
        name = f"~{parts[-1]}" if parts else ""
    elif cursor.take("DC"):
        name = ", ".join(_binding(cursor))
    elif cursor.at("U"):
        name = _unnamed(cursor)
    elif cursor.take("W"):
        _source_name(cursor)
        return []
    else:
        name = _operator(cursor)
    while cursor.take("B"):
        _source_name(cursor)
    return [name]


def _binding(cursor: Cursor) -> list[str]:
    """Return the names of a structured binding, up to its end."""
    found = []
    while not cursor.take("E"):
        found.append(_source_name(cursor))
    return found


def _source_name(cursor: Cursor) -> str:
    name = cursor.source_name()
    if _ANONYMOUS.match(name):
        return "(anonymous namespace)"
    return "lambda" if _LAMBDA.match(name) else name


def _unnamed(cursor: Cursor) -> str:
    if cursor.take("Ul"):
        while not cursor.take("E"):
            if cursor.at("T") and cursor.peek(1) in "ynpt":
                template_parameter_declaration(cursor)
            else:
                type_name(cursor)
        cursor.number()
        cursor.expect("_")
        return "lambda"
    if cursor.take("Ut"):
        cursor.number()
        cursor.expect("_")
        return "(unnamed type)"
    cursor.expect("Ub")
    cursor.number()
    cursor.expect("_")
    return "block"


def _operator(cursor: Cursor) -> str:
    code = cursor.peek() + cursor.peek(1)
    if code == "cv":
        cursor.skip(2)
        return f"operator {type_name(cursor)}"
    if code == "li":
        cursor.skip(2)
        return f'operator""{cursor.source_name()}'
    if code[:1] == "v" and code[1:].isdigit():
        cursor.skip(2)
        return f"operator {cursor.source_name()}"
    if code not in _OPERATORS:
        raise MangledError
    cursor.skip(2)
    return f"operator{_OPERATORS[code]}"
