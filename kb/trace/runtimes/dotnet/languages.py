"""The words of a .NET trace in every language the framework was translated to; the table is ``rules/dotnet_languages.txt``."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from kb.errors import RulesError
from kb.patterns import lazy
from kb.trace.rules import names

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
    """Read the table; a wrong line raises RulesError with file and line."""
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
    """Return the bundled table, read once."""
    name = "dotnet_languages.txt"
    return read_languages(files("kb.trace").joinpath("rules", name).read_text(encoding="utf-8"), name)


@cache
def at_words() -> str:
    """Return a pattern of every word for "at", the longest first; a colon may follow each."""
    return _alternatives(word.rstrip(":") for language in languages() for word in language.at)


@cache
def in_words() -> str:
    """Return a pattern of every word that is before a file."""
    return _alternatives(word.rstrip(":") for language in languages() for word in language.in_ if word[0] != "~")


@cache
def inner_words() -> str:
    """Return a pattern of every wording of ``Inner Exception``."""
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


# The framework's own messages, which every language pack words anew: dropped or brought to English.

# (Parameter 'index'), Parameter name: index, 参数名: index, Nom du paramètre : index
_PARAMETER = lazy(
    r"\(Parameter '(?P<new>[^'\n]{1,120})'\)[ \t]*$|\n[^\n:：]{2,40}[:：][ \t]*(?P<old>[\w.]{1,120})[ \t]*$"
)
_CODE = lazy(r"^\((?P<code>0x[0-9A-Fa-f]{1,16}|-?\d{1,10})\) ?")
_SAY_NOTHING = ("0x80004005", "0x80131904", "-2147467259", "-2146232060")
"""E_FAIL and the one HRESULT of every SqlException: older releases do not print them."""
_BLANKS = lazy(r"\s+")
_LONGEST = 300
_CODED = ("SocketException", "Win32Exception")
"""Types whose message is the operating system's text for the code that is printed beside it."""


def read_sentences(text: str, place: str) -> dict[str, str]:
    """Read the table of sentences: English and its translations, parted by ``|``."""
    found: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split("|")]
        if len(cells) < 2 or not all(cells):
            raise RulesError(f"{place}:{number}: {line!r} has no translation", cure="English | translation | …")
        for cell in cells:
            if found.setdefault(_folded_message(cell), cells[0]) != cells[0]:
                raise RulesError(f"{place}:{number}: {cell!r} stands there twice", cure="keep one of the two")
    return found


@cache
def _sentences() -> dict[str, str]:
    name = "dotnet_messages.txt"
    return read_sentences(files("kb.trace").joinpath("rules", name).read_text(encoding="utf-8"), name)


@cache
def _types() -> dict[str, str]:
    """Return the type that a fixed message tells, by what it reads like."""
    found: dict[str, str] = {}
    text = files("kb.trace").joinpath("rules", "dotnet_types.txt").read_text(encoding="utf-8")
    for line in text.splitlines():
        type_, *sentences = (cell.strip() for cell in line.split("|")) if not line.startswith("#") else ("",)
        found.update({_folded_message(sentence): type_ for sentence in sentences})
    return found


def type_of_message(message: str) -> str | None:
    """Return the one type of exception that has such a message; None for other messages."""
    return _types().get(_folded_message(message)) if len(message) < _LONGEST else None


def framework_message(type_: str | None, message: str | None) -> str | None:
    """Return what lasts of a message: None where the type alone decides, the English sentence where the framework wrote it."""
    if not message:
        return message
    if type_ is not None and type_ in names("dotnet_localised"):
        return None
    code = _CODE.match(message)
    if code is not None and code["code"].lower() in _SAY_NOTHING:
        message, code = message[code.end() :] or message, None
    if code is not None and type_ is not None and type_.endswith(_CODED):
        return f"({code['code']})"
    if type_ is not None and type_.endswith("AggregateException"):
        return _of_group(message)
    parameter = _PARAMETER.search(message)
    if parameter is None:
        return _sentences().get(_folded_message(message), message)
    text = message[: parameter.start()].strip()
    if type_ == "System.ArgumentNullException" and _folded_message(text) in _sentences():
        text = ""
    english = _sentences().get(_folded_message(text), text)
    return f"{english} (Parameter '{parameter['new'] or parameter['old']}')".strip()


def _of_group(message: str) -> str:
    """.NET 5 and later append the messages of the members, which are below anyway."""
    first, bracket, _ = message.partition(" (")
    english = _sentences().get(_folded_message(first))
    return english if bracket and english is not None else _sentences().get(_folded_message(message), message)


def _folded_message(text: str) -> str:
    return _BLANKS.sub("", text).rstrip(".。").casefold()
