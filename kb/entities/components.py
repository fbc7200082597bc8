"""Which component an incident is about: by words of its title, its tags and its text, and by the packages of its trace."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

import re2

from kb.errors import RulesError

_LINE = re.compile(r"(?P<name>[^\s=~,!][^=~,]{0,60}?)[ \t]+(?P<kind>[=~])[ \t]+(?P<listed>\S.*)")
_CURE = "write `name = word, word, package.`, or `!name` for a bundled component that is none here"
_SEPARATORS = re.compile(r"[./\\]")
_SHORTEST = 2
_TITLE, _TAG, _TYPE, _FRAMES, _BODY, _PATH, _PAGE = 6.0, 4.0, 3.0, 3.0, 0.5, 1.5, 2.0
"""How much a mention weighs: in the title, as a tag, the exception's own package, all frames of one
component, a word of the text (times the root of how many), in the document's path, of the page
around it."""
_GENERAL = 0.1
"""What others run on is named by everybody."""
_LONGEST = 20_000
_QUALIFIED = re.compile(r"(?<![\w.])(?:[a-zA-Z_]\w{0,40}\.){2,8}\w{1,60}")
_MARKS = re.compile("[®™©]")
_HAN = re.compile(r"[\u3400-\u9fff]")


@dataclass(frozen=True, slots=True)
class Component:
    """A component: what it is called in texts, and the prefixes of its modules. Without either: no component of that name."""

    name: str
    words: tuple[str, ...] = ()
    packages: tuple[str, ...] = ()
    general: bool = False
    """Others run on it."""

    def __str__(self) -> str:
        listed = ", ".join((*self.words, *self.packages))
        return f"{self.name} {'~' if self.general else '='} {listed}" if listed else f"!{self.name}"


def read_component(entry: str) -> Component:
    """The component of a line. RulesError says what is wrong with it."""
    if entry.startswith("!") and entry[1:].strip():
        return Component(entry[1:].strip().lower())
    found = _LINE.fullmatch(entry)
    if found is None:
        raise RulesError(f"{entry!r} is no component", cure=_CURE)
    listed = [one.strip().lower() for one in found["listed"].split(",") if one.strip()]
    short = next((one for one in listed if len(one) < _SHORTEST), None)
    if short is not None:
        raise RulesError(f"{short!r} is too short: it would be found everywhere", cure="write more of the name")
    packages = tuple(one for one in listed if one[-1] in "./\\")
    words = tuple(one for one in listed if one not in packages)
    return Component(found["name"].strip().lower(), words, packages, found["kind"] == "~")


@dataclass(frozen=True, slots=True)
class Mentions:
    """Where an incident can name its component."""

    title: str
    tags: Sequence[str] = ()
    path: str = ""
    types: Sequence[str] = ()
    """Of the exceptions of its main trace, the root last."""
    modules: Sequence[str] = ()
    """Of its frames."""
    body: str = ""
    page: str | None = None
    """The component of the page that the incident is a part of."""


def component_of(mentions: Mentions, house: Sequence[Component] = ()) -> str | None:
    """The component that is named most tellingly, the first of several; None where none is. ``house`` adds to the bundled ones, or replaces them by name."""
    table = _table(tuple(house))
    score: defaultdict[str, float] = defaultdict(float)
    for name in table.named_in(mentions.title):
        score[name] += _TITLE
    for name in table.named_in("\n".join(mentions.tags)):
        score[name] += _TAG
    for name in table.named_in(re.sub(r"[_/]+", " ", mentions.path)):
        score[name] += _PATH
    for name in filter(None, map(table.owner, {*mentions.types[-1:], *_QUALIFIED.findall(mentions.title)})):
        score[name] += _TYPE
    owned = Counter(filter(None, map(table.owner, mentions.modules)))
    for name, count in owned.items():
        score[name] += _FRAMES * count / len(mentions.modules)
    if mentions.page is not None:
        score[mentions.page] += _PAGE
    for name, count in table.named_in(mentions.body[:_LONGEST]).items():
        score[name] += _BODY * count**0.5
    for name in table.general & set(score):
        score[name] *= _GENERAL
    return max(score, key=score.__getitem__, default=None)


class Table:
    """Components, ready to be looked for."""

    def __init__(self, components: Iterable[Component]) -> None:
        known = {one.name: one for one in components}
        self.general = frozenset(one.name for one in known.values() if one.general)
        self.words = {word: one.name for one in known.values() for word in one.words}
        self._packages = {package: one.name for one in known.values() for package in one.packages}
        self._any = _any_of(self.words)

    def named_in(self, text: str) -> Counter[str]:
        """How often the text names each component, those named first first."""
        if not text.isascii():
            text = _MARKS.sub("", text).encode("utf-8", "replace").decode()
        return Counter(self.words[found.lower()] for found in self._any.findall(text))

    def owner(self, module: str) -> str | None:
        """The component whose package is the longest prefix of a module."""
        lower = f"{module.lower()}."
        ends = (found.end() for found in _SEPARATORS.finditer(lower))
        owners = [self._packages[lower[:end]] for end in ends if lower[:end] in self._packages]
        return owners[-1] if owners else None


def _any_of(words: Iterable[str]) -> Any:
    r"""A re2 pattern for whole words, longer ones first. Its ``\b`` stands between a letter and a Chinese character, too."""

    def bounded(word: str) -> str:
        begin = r"\b" if word[0].isalnum() else ""
        quoted: str = re2.escape(word)
        return begin + quoted + (r"\b" if word[-1].isalnum() and not _HAN.match(word[-1]) else "")

    options = re2.Options()
    options.case_sensitive, options.log_errors = False, False
    return re2.compile("|".join(map(bounded, sorted(words, key=len, reverse=True))) or r"\z.", options)


@lru_cache(maxsize=4)
def _table(house: tuple[Component, ...]) -> Table:
    return Table((*bundled(), *house))


def table_of(house: Sequence[Component]) -> Table:
    """The bundled components with those of the house."""
    return _table(tuple(house))


@lru_cache(maxsize=1)
def bundled() -> tuple[Component, ...]:
    """The components that come with the program."""
    text = files("kb.entities").joinpath("rules", "components.txt").read_text(encoding="utf-8")
    return tuple(
        read_component(line.strip()) for line in text.splitlines() if line.strip() and not line.startswith("#")
    )
