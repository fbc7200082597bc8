"""Regular expressions that are compiled at their first use.

The tables of `kb` hold some two thousand. A text needs a few hundred of them, and to compile them all takes a second,
which every `kb` command would wait for. A process that stays compiles the rest ahead of those who wait: `compile_all`.
"""

import re
from contextlib import suppress
from typing import Any, AnyStr, cast
from weakref import WeakSet

_OF_A_PATTERN = (
    "match",
    "search",
    "fullmatch",
    "sub",
    "subn",
    "finditer",
    "findall",
    "split",
    "groups",
    "groupindex",
)


class _LazyPattern:
    """Has the attributes of a `re.Pattern`; the first that is used compiles it.

    Attributes are slots that hold the bound methods of the compiled pattern, so that later uses cost no call of Python.
    """

    __slots__ = ("__weakref__", "_flags", "pattern", *_OF_A_PATTERN)

    def __init__(self, pattern: Any, flags: int) -> None:
        self.pattern = pattern
        self._flags = flags
        _known.add(self)

    def __getattr__(self, name: str) -> Any:
        """Compile, for an attribute that has no value yet."""
        if name not in _OF_A_PATTERN:
            raise AttributeError(f"a lazy pattern has no attribute {name!r}")
        compiled = re.compile(self.pattern, self._flags)
        for each in _OF_A_PATTERN:
            setattr(self, each, getattr(compiled, each))
        return getattr(compiled, name)

    def __reduce__(self) -> tuple[Any, ...]:
        """Travel as text: to the processes of Spark, for one."""
        return lazy, (self.pattern, self._flags)

    def __repr__(self) -> str:
        """As `re.compile` shows its own."""
        return f"lazy({self.pattern!r}, {self._flags})"


_known: WeakSet[_LazyPattern] = WeakSet()


def compile_all() -> None:
    """Compile what no text has needed yet, so that nobody waits for it: 0.3 s for the tables of `kb`. A mistake in a pattern shows at its first use, as without it."""
    for one in tuple(_known):
        with suppress(re.error):
            one.match  # noqa: B018  the first attribute compiles


def lazy(pattern: AnyStr, flags: int | re.RegexFlag = 0) -> re.Pattern[AnyStr]:
    """Return what `re.compile` would, compiled when it is first used. re.error comes then, too.

    ``match.re`` of a match is the compiled pattern, not this one. For the constants of modules that few texts need; what every text meets, and what is made of settings, is compiled at once.
    """
    return cast("re.Pattern[AnyStr]", _LazyPattern(pattern, int(flags)))
