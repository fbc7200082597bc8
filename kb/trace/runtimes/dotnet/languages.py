"""The words of a .NET trace in every language the framework was translated to; the table is ``rules/dotnet_languages.txt``."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from kb.errors import RulesError

_COLUMNS = 7


@dataclass(frozen=True, slots=True)
class Language:
    """How one language pack words a stack trace."""

    code: str
    at: tuple[str, ...]
    in_: tuple[str, ...]
    """The word before a file; with a leading ``~`` the word behind it."""
    line: tuple[str, ...]
    end_of_inner: tuple[str, ...]
    end_of_previous: tuple[str, ...]
    inner: tuple[str, ...]
    """``Inner Exception`` in ``(Inner Exception #1)``."""


def read_languages(text: str, place: str) -> tuple[Language, ...]:
    """Reads the table; a wrong line raises RulesError with file and line."""
    found = []
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = [tuple(w for w in (word.strip() for word in cell.split(" / ")) if w) for cell in line.split("|")]
        if len(cells) != _COLUMNS or len(cells[0]) != 1 or not (cells[1] and cells[2] and cells[3]):
            raise RulesError(
                f"{place}:{number}: {line!r} is not a language",
                cure="seven columns, of which the last three may be empty",
            )
        found.append(Language(cells[0][0], *cells[1:]))
    return tuple(found)


@cache
def languages() -> tuple[Language, ...]:
    """The bundled table, read once."""
    name = "dotnet_languages.txt"
    return read_languages(files("kb.trace").joinpath("rules", name).read_text(encoding="utf-8"), name)


@cache
def at_words() -> str:
    """A pattern of every word for "at", the longest first; a colon may follow each."""
    return _alternatives(word.rstrip(":") for language in languages() for word in language.at)


@cache
def in_words() -> str:
    """A pattern of every word that stands before a file."""
    return _alternatives(word.rstrip(":") for language in languages() for word in language.in_ if word[0] != "~")


@cache
def inner_words() -> str:
    """A pattern of every wording of ``Inner Exception``."""
    return _alternatives(word for language in languages() for word in language.inner)


@cache
def _ends() -> tuple[tuple[str, ...], tuple[str, ...]]:
    inner = tuple(_folded(text) for language in languages() for text in language.end_of_inner)
    previous = tuple(_folded(text) for language in languages() for text in language.end_of_previous)
    return inner, previous


def is_end_of_inner(text: str) -> bool:
    """Whether a marker's text says, in any known language, that the trace of an inner exception ends."""
    folded = _folded(text)
    return folded.startswith(_ends()[0])


def is_end_of_previous(text: str) -> bool:
    """Whether a marker's text says that the trace goes on where the exception was thrown again."""
    folded = _folded(text)
    return folded.startswith(_ends()[1])


def _folded(text: str) -> str:
    """Without case and blanks: loggers and translators change both."""
    return re.sub(r"\s+", "", text).casefold()


def _alternatives(words: Iterable[str]) -> str:
    distinct = sorted(set(words), key=lambda word: (-len(word), word))
    return "|".join(re.escape(word).replace(r"\ ", r"[ \t]") for word in distinct)
