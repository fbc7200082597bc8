"""What a trace, an article and an incident are.

Importing this package on a Python before 3.11.5 mends its `re`: there a possessive quantifier behind a group matches wrongly where the group
captures or backtracks (gh-101955, gh-106052), and Debian 12 has 3.11.2. ``(?:…)++`` is then compiled as ``(?>(?:…)+)``, which means the same
(https://docs.python.org/3.11/library/re.html) and is matched right.
"""

import re
from typing import Any


def _mend() -> None:
    from re import _compiler, _constants, _parser  # type: ignore[attr-defined]  # noqa: PLC0415  private, and the same in all these versions

    parse = _parser.parse

    def mended(text: Any, flags: int = 0, state: Any = None) -> Any:
        found = parse(text, flags, state)
        rewrite(found)
        return found

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


if re.match("(?:([a-z]+)=)*+v", "a=b=v") is None:
    _mend()
