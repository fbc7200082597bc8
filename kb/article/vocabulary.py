"""What headings, labels, cue words and page furniture mean: the lists of ``rules/``, compiled once."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from enum import StrEnum
from functools import lru_cache
from importlib.resources import files

from kb.article.blocks import plain
from kb.errors import RulesError
from kb.language import simplify
from kb.patterns import lazy


class SectionRole(StrEnum):
    """What a section of a write-up is for."""

    BACKGROUND = "background"
    """What came before, or why the article was written."""
    SYMPTOM = "symptom"
    REPRODUCTION = "reproduction"
    """Steps by which the problem is brought about: they read like those that mend it."""
    ENVIRONMENT = "environment"
    TRACE = "trace"
    ANALYSIS = "analysis"
    ROOT_CAUSE = "root_cause"
    POSSIBLE_CAUSE = "possible_cause"
    """Candidates, not the cause of the case at hand."""
    WORKAROUND = "workaround"
    FIX = "fix"
    DISTINGUISH = "distinguish"
    """How to tell the cause apart from others that show the same error."""
    PREVENTION = "prevention"
    REFERENCE = "reference"
    OTHER = "other"


_NUMBER = r"(?:\d{1,2}(?:\.\d{1,2}){0,3}|[一二三四五六七八九十]{1,3}|[ivx]{1,4}|step ?\d{1,2}|第[一二三四五六七八九十\d]{1,3}[步章节]?)"
_LEADING = lazy(rf"(?:[（(\[【]?{_NUMBER}(?:[)）\]】、.:：,，]\s{{0,3}}|\s{{1,3}})|[^\w]{{1,8}}){{1,3}}")
_TRAILING = lazy(r"(?:[\s\W_]{1,8}|(?<=\D)\d{1,2}|(?<=[法案式因])[一二三四五六七八九十]{1,2}){1,3}\Z")
_PLURAL = lazy(r"(?<=[a-z])\(s\)")
_HAN = lazy(r"[\u4e00-\u9fff]")
_APART = lazy(r"[^\w'-]+")
_ALIKE = (
    {SectionRole.ROOT_CAUSE, SectionRole.POSSIBLE_CAUSE},
    {SectionRole.FIX, SectionRole.WORKAROUND},
    {SectionRole.SYMPTOM, SectionRole.TRACE},
)
"""Roles that one heading may name side by side."""
_LONGEST = 80
_READ = 4 * _LONGEST
"""Characters of a heading that are looked at: what is remembered of headings has a bound."""


def key_of(heading: str) -> str:
    """A heading without numbering, marks, case and variant spelling: ``二、【原因分析】：`` → ``原因分析``."""
    return _key(heading[:_READ])


@lru_cache(maxsize=1 << 12)
def _key(heading: str) -> str:
    words = " ".join(simplify(plain(heading)).lower().split())[:_LONGEST]
    words = _PLURAL.sub("s", words).replace("\\", "/")
    bare = _LEADING.match(words)
    if bare and bare.end() < len(words):
        words = words[bare.end() :]
    return _TRAILING.sub("", words) or words.strip()


def heading_roles(heading: str) -> tuple[SectionRole, ...]:
    """The roles a heading announces; several for *Cause and solution*; empty when its words say nothing."""
    return _roles(heading[:_READ])


@lru_cache(maxsize=1 << 12)
def _roles(heading: str) -> tuple[SectionRole, ...]:
    key = _key(heading)
    rules = _headings()
    exact = rules.exact.get(key)
    if exact is not None:
        return (exact,)
    for phrase, role in rules.begun:
        if key.startswith(phrase):
            return (role,)
    if not key or (len(key) > 24 if _HAN.search(key) else key.count(" ") > 5):
        return ()
    words = key if _HAN.search(key) else f" {_APART.sub(' ', key)} "
    return tuple(dict.fromkeys(role for word, role in rules.within if word in words))


def compares(heading: str) -> bool:
    """Whether a heading that tells things apart may as well compare two products: *区别*, *如何区分 INSERT 和 UPDATE*.

    Alone as a heading or label, 区别 did so in all 6 of 1,531 articles that have it.
    """
    key = key_of(heading)
    return key != "如何区分" and key.startswith(("区别", "区分", "如何区分"))


def label_role(label: str) -> SectionRole | None:
    """The role of a label before a colon or alone on a line: only whole phrases count, or two for the same (*Cause/Possible cause(s)*)."""
    if len(label) > _LONGEST:
        return None
    exact, key = _headings().exact, key_of(label)
    if (role := exact.get(key)) is not None or "/" not in key:
        return role
    roles = [exact.get(one.strip()) for one in key.split("/")]
    return roles[0] if any(set(roles) <= alike for alike in _ALIKE) else None


@dataclass(frozen=True, slots=True)
class _Headings:
    exact: Mapping[str, SectionRole]
    begun: tuple[tuple[str, SectionRole], ...]
    within: tuple[tuple[str, SectionRole], ...]


@lru_cache(maxsize=1)
def _headings() -> _Headings:
    return read_headings(lines_of("headings.txt"), "headings.txt")


def read_headings(lines: Iterable[tuple[int, str]], place: str) -> _Headings:
    """Read a list of headings. RulesError names file and line of an unknown role, and of a phrase that stands there twice."""
    phrases: dict[str, dict[str, SectionRole]] = {"=": {}, "^": {}, "~": {}}
    first: dict[tuple[str, str], int] = {}
    for number, line in lines:
        found = re.fullmatch(r"(\w+) ([=~^]) (.+)", line)
        if found is None or found[1] not in frozenset(SectionRole):
            raise RulesError(f"{place} line {number}: {line!r}", cure="write `role = phrase, phrase` with a known role")
        for phrase in filter(None, (one.strip() for one in found[3].split(","))):
            key = phrase if found[2] == "~" else key_of(phrase)
            if before := first.get((found[2], key)):
                raise RulesError(
                    f"{place} line {number}: {phrase!r} stands in line {before} already, as {phrases[found[2]][key]}",
                    cure="a phrase has one role: keep one of the two",
                )
            first[found[2], key] = number
            phrases[found[2]][key] = SectionRole(found[1])
    within = ((word if _HAN.search(word) else f" {word} ", role) for word, role in phrases["~"].items())
    return _Headings(phrases["="], tuple(phrases["^"].items()), tuple(within))


_INLINE_CODE = lazy(r"`[^`\n]{0,300}`")
CODE = "\x01"
"""Stands for a code span in a text that is compared by its words."""
_URL = lazy(r"https?://[^\s)>\]]{1,2000}")
_LONG_SENTENCE = 600


def bare(sentence: str) -> str:
    """The words of a sentence in one spelling, to compare them: its beginning, simplified, lower case, no markup."""
    text = sentence[:_LONG_SENTENCE]
    if "`" in text:
        text = _INLINE_CODE.sub(CODE, text)
    if "://" in text:
        text = _URL.sub(" ", text)
    return simplify(plain(text)).lower()


@dataclass(frozen=True, slots=True)
class Chrome:
    """What surrounds an article: selectors of a page, and lines of a copied text."""

    drop: tuple[str, ...]
    name: frozenset[str]
    note: frozenset[str]
    root: tuple[str, ...]
    post: tuple[str, ...]
    reply: tuple[str, ...]
    solved: tuple[str, ...]
    end: frozenset[str]
    begin: tuple[str, ...]
    line: frozenset[str]


@lru_cache(maxsize=1)
def chrome() -> Chrome:
    """The list of page furniture."""
    kinds: dict[str, list[str]] = {one.name: [] for one in fields(Chrome)}
    for number, line in lines_of("chrome.txt"):
        kind, _, value = line.partition(" ")
        if kind not in kinds or not value.strip():
            raise RulesError(
                f"chrome.txt line {number}: {line!r}", cure=f"begin the line with one of {', '.join(kinds)}"
            )
        kinds[kind].append(value.strip())
    return Chrome(
        tuple(kinds["drop"]),
        frozenset(kinds["name"]),
        frozenset(kinds["note"]),
        tuple(kinds["root"]),
        tuple(kinds["post"]),
        tuple(kinds["reply"]),
        tuple(kinds["solved"]),
        frozenset(kinds["end"]),
        tuple(kinds["begin"]),
        frozenset(kinds["line"]),
    )


_LINK_ON = lazy(r"(?:上一篇|下一篇|上一章|下一章|prev(?:ious)?(?: post)?|next(?: post)?)\s?[:：>»]")
_COUNT = lazy(r"[\s\d()（）\[\]:：<>«»←→\-—|,，.。!！]{1,24}")


def ends_article(line: str) -> bool:
    """Whether a line opens what follows an article: related posts, comments, a link to the next one."""
    words = simplify(line.strip()[:_LONGEST]).lower()
    lead = _COUNT.match(words)
    words = words[lead.end() :] if lead else words
    following = _COUNT.search(words)
    return (
        words in chrome().end
        or (following is not None and words[: following.start()] in chrome().end and following.end() == len(words))
        or _LINK_ON.match(words) is not None
    )


def is_furniture(line: str) -> bool:
    """Whether a line is a button or a mark of the page around the article."""
    words = line.strip().lower()
    return words in chrome().line or (len(words) <= 200 and words.startswith(chrome().begin))


def lines_of(name: str) -> list[tuple[int, str]]:
    """The lines of a list of ``rules/`` with their numbers, without blank ones and remarks."""
    text = files("kb.article").joinpath("rules", name).read_text(encoding="utf-8")
    lines = enumerate(text.splitlines(), start=1)
    return [(number, line.strip()) for number, line in lines if line.strip() and not line.startswith("#")]
