"""Which component an incident is about: by words of its title, its tags and its text, and by the packages of its trace."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from operator import itemgetter
from typing import Any

import re2

from kb.errors import RulesError

_LINE = re.compile(r"(?P<name>[^\s=~,!][^=~,]{0,60}?)[ \t]+(?P<kind>[=~])[ \t]+(?P<listed>\S.*)")
_CURE = "write `name = word, word, package.`, or `!name` for a bundled component that is none here"
_SEPARATORS = re.compile(r"[./\\]")
_SHORTEST = 2
_TITLE, _TAG, _PATH, _PAGE, _TYPE, _FRAMES = 16.0, 4.0, 4.0, 4.0, 2.0, 2.0
"""How much a mention weighs: in the title, as a tag, in the document's path, of the page around it, the
exception's own package, all frames of one component. The title outweighs all others together, what
describes the document (tags, path, page) outweighs the trace."""
_BODY, _BODY_MOST = 0.25, 1.5
"""How much a word of the text weighs (times the root of how many) beside others, and all of one: less than the trace."""
_AROUND, _GENERAL_TITLE, _GENERAL_ABOUT = 3, 5, 3
"""As how many words of the text it counts, where nothing but text names one: to be the one that the page around it names; for
what others run on to be named in the title, or by tags, path and page."""
_OFTEN = 3
"""How many times as often as any other what others run on must be named, to be what the text is about."""
_RIVALS = 2
"""Others named once, too, beside which a component that is named once is only an example."""
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
    around: str | None = None
    """The one that most parts of that page name."""


def component_of(mentions: Mentions, house: Sequence[Component] = ()) -> str | None:
    """The component that is named most tellingly, the first of several; None where none is.

    Title, then tags, path and page, then the trace decide; the text alone does where none of them names one. What others run on
    counts only there. ``house`` adds to the bundled ones, or replaces them by name.
    """
    table = _table(tuple(house))
    score: defaultdict[str, float] = defaultdict(float)
    general: Counter[str] = Counter()

    def count(names: Iterable[str], weight: float, as_words: int) -> None:
        for name in names:
            if name in table.general:
                general[name] += as_words
            else:
                score[name] += weight

    count(table.named_in(mentions.title), _TITLE, _GENERAL_TITLE)
    count(table.named_in("\n".join(mentions.tags)), _TAG, _GENERAL_ABOUT)
    count(table.named_in(re.sub(r"[_/]+", " ", mentions.path)), _PATH, _GENERAL_ABOUT)
    count(filter(None, [mentions.page]), _PAGE, _GENERAL_ABOUT)
    count(filter(None, map(table.owner, {*mentions.types[-1:], *_QUALIFIED.findall(mentions.title)})), _TYPE, 1)
    owned = Counter(filter(None, map(table.owner, mentions.modules)))
    for name, frames in owned.items():
        count([name], _FRAMES * frames / len(mentions.modules), 1)
    words = table.named_in(mentions.body[:_LONGEST])
    if not score:
        return _named_in_text(words, general, mentions.around, table)
    for name, times in words.items():
        if name in score:
            score[name] += min(_BODY * times**0.5, _BODY_MOST)
    return max(score, key=score.__getitem__)


def _named_in_text(
    words: Counter[str], general: Counter[str], around: str | None, table: "ComponentTable"
) -> str | None:
    """The component that the text names where nothing else names one: again and again, or alone; none of several in passing."""
    if around is not None:
        words = words + Counter({around: _AROUND})
    platforms = general + Counter({name: times for name, times in words.items() if name in table.general})
    specific = Counter({name: times for name, times in words.items() if name not in table.general})
    platform, platform_times = max(platforms.items(), key=itemgetter(1), default=(None, 0))
    best, times = max(specific.items(), key=itemgetter(1), default=(None, 0))
    if best is None or platform_times >= _OFTEN * times:
        return platform
    rivals = [
        name for name in specific if specific[name] == times and not (name.startswith(best) or best.startswith(name))
    ]
    return platform if times == 1 and len(rivals) >= _RIVALS else best


class ComponentTable:
    """Components, ready to be looked for."""

    def __init__(self, components: Iterable[Component]) -> None:
        known = {one.name: one for one in components}
        self.general = frozenset(one.name for one in known.values() if one.general)
        self.words = {word: one.name for one in known.values() for word in one.words}
        self._packages = {package: one.name for one in known.values() for package in one.packages}
        self.owners = frozenset(self._packages.values())
        """Those that `owner` can name."""
        self._any = _any_of(self.words)

    def named_in(self, text: str) -> Counter[str]:
        """How often the text names each component, those named first first."""
        if not text.isascii():
            text = _MARKS.sub("", text).encode("utf-8", "replace").decode()
        found = (one.lower() for one in self._any.findall(text))
        return Counter(self.words[one] if one in self.words else self.words[one[:-1]] for one in found)

    def owner(self, module: str) -> str | None:
        """The component whose package is the longest prefix of a module."""
        lower = f"{module.lower()}."
        ends = (found.end() for found in _SEPARATORS.finditer(lower))
        owners = [self._packages[lower[:end]] for end in ends if lower[:end] in self._packages]
        return owners[-1] if owners else None


def _any_of(words: Iterable[str]) -> Any:
    r"""A re2 pattern for whole words, longer ones first; the first digit of a version behind one (*mysql5.0*) is of its match.

    Its ``\b`` stands between a letter and a Chinese character, too.
    """

    def bounded(word: str) -> str:
        begin = r"\b" if word[0].isalnum() else ""
        quoted: str = re2.escape(word)
        return (
            begin
            + quoted
            + (r"(?:\b|\d)" if word[-1].isalpha() and not _HAN.match(word[-1]) else r"\b" if word[-1].isdigit() else "")
        )

    options = re2.Options()
    options.case_sensitive, options.log_errors = False, False
    return re2.compile("|".join(map(bounded, sorted(words, key=len, reverse=True))) or r"\z.", options)


@lru_cache(maxsize=4)
def _table(house: tuple[Component, ...]) -> ComponentTable:
    return ComponentTable((*bundled(), *house))


def table_of(house: Sequence[Component]) -> ComponentTable:
    """The bundled components with those of the house."""
    return _table(tuple(house))


@lru_cache(maxsize=1)
def bundled() -> tuple[Component, ...]:
    """The components that come with the program."""
    text = files("kb.entities").joinpath("rules", "components.txt").read_text(encoding="utf-8")
    return tuple(
        read_component(line.strip()) for line in text.splitlines() if line.strip() and not line.startswith("#")
    )
