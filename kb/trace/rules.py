"""Reviewed lists of names, one text file each, bundled beside this module.

A line is a prefix of ``module.function``; a trailing ``$`` asks for the whole name. ``#`` begins a comment, and a
comment above a group says why it is there.
"""

import re
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from kb.errors import RulesError

_ENTRY = re.compile(r"[\w.$<>/*:+-]{2,200}$")


@dataclass(frozen=True, slots=True)
class Names:
    """A list of names, matched by prefix or as a whole."""

    prefixes: tuple[str, ...]
    whole: frozenset[str]

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and (name in self.whole or name.startswith(self.prefixes))


def read_names(text: str, place: str) -> Names:
    """Read a list; a wrong line raises RulesError with file and line."""
    prefixes, whole = [], []
    for number, line in enumerate(text.splitlines(), start=1):
        entry = line.partition("#")[0].strip()
        if not entry:
            continue
        if not _ENTRY.match(entry):
            raise RulesError(f"{place}:{number}: {entry!r} is not a name", cure="one prefix of module.function a line")
        if entry in prefixes or entry.removesuffix("$") in whole:
            raise RulesError(f"{place}:{number}: {entry!r} stands there twice", cure="keep one of the two")
        if entry.endswith("$"):
            whole.append(entry.removesuffix("$"))
        else:
            prefixes.append(entry)
    return Names(prefixes=tuple(prefixes), whole=frozenset(whole))


@cache
def names(name: str) -> Names:
    """Return the bundled list ``rules/<name>.txt``, read once."""
    return read_names(files("kb.trace").joinpath("rules", f"{name}.txt").read_text(encoding="utf-8"), f"{name}.txt")
