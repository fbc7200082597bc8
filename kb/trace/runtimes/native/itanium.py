"""Mangled names of the Itanium C++ ABI (https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling), read for their name only.

Template arguments and parameters are passed over without being spelled out. So no name can blow up: substitutions, which
let a hundred characters stand for gigabytes, are never expanded. One pass, bounded depth.
"""

import re
from functools import lru_cache

from kb.trace.runtimes.native.cursor import Cursor, Grammar, MangledError
from kb.trace.runtimes.native.itanium_expressions import expression
from kb.trace.runtimes.native.itanium_types import template_arguments, template_parameter_declaration, type_name

LONGEST = 4_000
_MANGLED = re.compile(r"_{1,4}Z(?=[A-Z0-9a-z])")
_STANDARD = {"s": "basic_string", "i": "basic_istream", "o": "basic_ostream", "d": "basic_iostream", "a": "allocator", "b": "basic_string"}  # fmt: skip
_OPERATORS = {
    "nw": " new", "na": " new[]", "dl": " delete", "da": " delete[]", "aw": " co_await", "ps": "+", "ng": "-", "ad": "&", "de": "*", "co": "~", "pl": "+",
    "mi": "-", "ml": "*", "dv": "/", "rm": "%", "an": "&", "or": "|", "eo": "^", "aS": "=", "pL": "+=", "mI": "-=", "mL": "*=", "dV": "/=", "rM": "%=",
    "aN": "&=", "oR": "|=", "eO": "^=", "ls": "<<", "rs": ">>", "lS": "<<=", "rS": ">>=", "eq": "==", "ne": "!=", "lt": "<", "gt": ">", "le": "<=",
    "ge": ">=", "ss": "<=>", "nt": "!", "aa": "&&", "oo": "||", "pp": "++", "mm": "--", "cm": ",", "pm": "->*", "pt": "->", "cl": "()", "ix": "[]", "qu": "?",
}  # fmt: skip
_ANONYMOUS = re.compile(r"_GLOBAL_[._$]N")
_LAMBDA = re.compile(r"\$_\d{1,9}$")


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
    """A function or a datum, or what the compiler made for one."""
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
    """A part named before. Which one is not remembered: it stands for a type's name, of which the last part is not needed."""
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
    """The names of a structured binding, up to its end."""
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
