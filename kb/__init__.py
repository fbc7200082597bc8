"""What a trace, an article and an incident are.

Importing this package mends `re` where possessive quantifiers of groups match wrongly: they miss matches before Python 3.11.5 (gh-100061, gh-106052;
Debian 12 has 3.11.2), and alternatives with groups raise SystemError in all of 3.11, before 3.12.8 and before 3.13.1 (gh-101955). ``(?:…)++`` is then compiled as ``(?>(?:…)+)``, which
means the same (https://docs.python.org/3/library/re.html) and is right everywhere.
"""

import re
from typing import Any

_MAY_BE_WRONG = re.compile(r"(?:\)|\\\d\d?)(?:[*+?]|\{\d*,?\d*\})\+|\(\?[a-zA-Z]*x")
"""``(?:ab)++``, ``\\1{2}+``, or blanks that mean nothing: without one of these no part of a parsed pattern is looked at."""


def _is_wrong() -> bool:
    try:
        return re.match("(?:((x)|[yz]+)=)*+v", "x=yz=v") is None
    except SystemError:
        return True


def _mend() -> None:
    from re import _compiler, _constants, _parser  # type: ignore[attr-defined]  # noqa: PLC0415  private, and the same in all these versions

    parse = _parser.parse

    def mended(text: Any, flags: int = 0, state: Any = None) -> Any:
        pattern = parse(text, flags, state)
        if not isinstance(text, str) or flags & re.VERBOSE or _MAY_BE_WRONG.search(text) is not None:
            rewrite(pattern)
        return pattern

    def rewrite(value: Any) -> None:
        """Rewrite a parsed pattern in place; repeated single characters have an operation of their own, which is right."""
        if isinstance(value, _parser.SubPattern):
            for at, (operation, argument) in enumerate(value.data):
                rewrite(argument)
                if operation is _constants.POSSESSIVE_REPEAT and not _compiler._simple(argument[2]):  # noqa: SLF001
                    greedy = _parser.SubPattern(value.state, [(_constants.MAX_REPEAT, argument)])
                    value.data[at] = (_constants.ATOMIC_GROUP, greedy)
        elif isinstance(value, list | tuple):
            for part in value:
                rewrite(part)

    _parser.parse = mended
    re.purge()  # what was compiled before is compiled again


if _is_wrong():
    _mend()
