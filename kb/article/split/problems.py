"""What a heading says about being a problem of its own: that something fails, that somebody asks, that problems are collected."""

import re
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

import re2

from kb.article.blocks import plain
from kb.article.vocabulary import key_of
from kb.errors import RulesError
from kb.language import simplify
from kb.patterns import lazy

_WITHIN = ("reports", "fails", "asks", "lasts")
_BEGINS = ("walks", "does", "again")
KINDS = (*_WITHIN, *_BEGINS, "collects", "column", "label", "cases")
_HAN = lazy(r"[\u3400-\u9fff]")
_LONGEST = 300
_LABEL = 60
"""Characters in which a label is looked for."""
_NAMED = lazy(
    r"\b(?:[A-Za-z_]\w{0,60}\.){0,8}\w{0,60}[a-z0-9](?:Exception|Error|Errors|Failure|Fault|BackOff|Killed)\b"
    r"|(?i:\b(?:error|errno|sqlstate|http|exit code|status code|状态码|错误码|退出码|code)\W{0,3}(?:0x)?\d{2,6}\b)"
    r"|\b[A-Z]{2,6}-\d{3,5}\b|\b0x[0-9A-Fa-f]{8}\b|\bOOM(?:Killed)?\b|\bE(?:ACCES|ADDRINUSE|AGAIN|BADF|BUSY|CONNABORTED|CONNREFUSED|CONNRESET|EXIST|HOSTUNREACH|INTR|INVAL|IO|MFILE|NFILE|NOENT|NOMEM|NOSPC|NOTEMPTY|NOTFOUND|PERM|PIPE|RESOLVE|ROFS|TIMEDOUT)\b"
)
"""An exception or a code."""
_QUESTION = lazy(r"[?？]\s*\Z|[?？]\s|\A\s*(?:Q ?\d{0,3}|问 ?\d{0,3})[:：.]", re.IGNORECASE)
_WHY = lazy(
    r"(?i:\bwhy\b|\bwhat causes\b|\bwhat is the (?:cause|reason)\b)|为什么|为何|为啥|什么原因|怎么回事|原因是什么|原因有哪些"
)
_NUMBER = lazy(
    r"\A\s*(?:\d{1,2}(?:\.\d{1,2}){1,3}[)）】、.:：,，]?\s|[（(\[【]?\d{1,3}(?:\.\d{1,3}){0,3}[)）\]】、.:：,，](?!\d)"
    r"|[（(]?第?[一二三四五六七八九十]{1,3}[、.)）:：])\s*"
)
_ORDINAL = lazy(
    r"\A\s*(?:(?:Q|问|question|问题|错误|异常|报错|故障|案例|坑|problem|issue)[ .#]{0,2}(?:\d{1,2}|[一二三四五六七八九十]{1,3})?[*_]{0,2} ?[:：.、]"
    r"|[【\[](?:问题|错误|填坑|坑|案例)?(?:\d{1,2}|[一二三四五六七八九十]{1,3})[】\]])\s*(?=\S)",
    re.IGNORECASE,
)
"""The place of a problem among others: another one above it changes that."""
_BEHIND = lazy(r"\s*\{[#:.][^{}\n]{0,200}\}?\s*\Z")
_QUOTED = lazy(r"[\"“”'‘’「《`](?=[^\"“”'‘’」》`\n]{0,80}[A-Za-z]{3})[^\"“”'‘’」》`\n]{6,}[\"“”'‘’」》`]")
"""A message or a name of the machine's, in quotes."""
_SAMPLE = lazy(r"[a-z]{3,}(?:[:,]? [A-Za-z0-9_$.'/-]{2,}){2,}")
"""Three words of English in a row: in a Chinese heading most often a message."""


@dataclass(frozen=True, slots=True)
class Heading:
    """What the words of a heading say."""

    fails: bool
    """That something fails, or which exception or code."""
    specific: bool
    """An exception, a code, a message."""
    asks: bool
    whys: bool
    """That it asks for the reason."""
    walks: bool
    """That it is a step, a choice or a sample."""
    does: bool
    """What is done there."""
    again: bool
    """That it goes on with what was described before."""
    lasts: bool
    """That it was there before, and is still."""


def heading(words: str, title: str = "") -> Heading:
    """What the words of a heading say about being a problem, in a document of that title: what both name tells nothing."""
    return _heading(words[:_LONGEST], title[:_LONGEST])


@lru_cache(maxsize=1 << 12)
def _heading(shown: str, title: str) -> Heading:
    lower = _readable(shown)
    within, begins = _sets()
    matched = {_WITHIN[at] for at in within.Match(lower) or ()}
    matched |= {_BEGINS[at] for at in begins.Match(key_of(lower)) or ()}
    above = _readable(title) if "fails" in matched else ""
    failing = "fails" in matched and any(word not in above for word in _table()["fails"].findall(lower))
    names = any(name not in title for name in _NAMED.findall(shown))
    asks = "asks" in matched or _QUESTION.search(shown) is not None
    fails = names or failing or "reports" in matched
    quoted = _QUOTED.search(shown) is not None
    sampled = (fails or asks) and _HAN.search(shown) is not None and _SAMPLE.search(shown) is not None
    return Heading(
        fails=fails or quoted or sampled,
        specific=names or quoted or sampled,
        asks=asks,
        whys=asks_why(lower),
        walks="walks" in matched,
        does="does" in matched,
        again="again" in matched,
        lasts="lasts" in matched,
    )


def asks_why(words: str) -> bool:
    """Whether a title or a heading asks for the reason."""
    return _WHY.search(words[:_LONGEST]) is not None


def _readable(words: str) -> str:
    """In lower case and simplified, as RE2 takes it."""
    return simplify(plain(words[:_LONGEST])).lower().encode("utf-8", "replace").decode()


def collects(words: str) -> bool:
    """Whether a title says that problems are listed below."""
    return _table()["collects"].search(_readable(words)) is not None


def lists_errors(head: str) -> bool:
    """Whether the head of a table's first column says that errors stand below."""
    return _table()["column"].fullmatch(_readable(head)) is not None


def failing(text: str) -> int:
    """How many words of a text say that something fails."""
    lower = simplify(text).lower().encode("utf-8", "replace").decode()
    return sum(1 for kind in ("reports", "fails") for _ in _table()[kind].finditer(lower))


def is_numbered(words: str) -> bool:
    """Whether a heading begins with a number."""
    return _NUMBER.match(words) is not None


def label_of(line: str) -> tuple[str, str] | None:
    """The label by which a line tells a problem of a list, and the words behind it: ``**问题 2：** 启动失败`` → 问题, 启动失败."""
    words = plain(line).strip()
    found = _label().match(simplify(words[:_LABEL]).lower())
    return (found["label"], words[found.end() :].strip()) if found else None


def bare(words: str) -> str:
    """A heading without its number, its ``Q:``, its marks and the anchor behind it."""
    words = _BEHIND.sub("", words.strip())
    for _ in range(3):
        words = _ORDINAL.sub("", _NUMBER.sub("", words.strip(" #*_\t")))
    return words.strip(" #:：*_\t")


@lru_cache(maxsize=1)
def _words() -> dict[str, list[str]]:
    """The words of each kind."""
    phrases: dict[str, list[str]] = {kind: [] for kind in KINDS}
    text = files("kb.article").joinpath("rules", "problems.txt").read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        kind, _, listed = line.partition(" ")
        if kind not in phrases or not listed.strip():
            raise RulesError(f"problems.txt line {number}: {line!r}", cure=f"begin the line with {', '.join(KINDS)}")
        phrases[kind] += filter(None, (simplify(one.strip()).lower() for one in listed.split(",")))
    return phrases


def _phrases() -> dict[str, str]:
    """Of each kind a RE2 pattern: whole words in English, anywhere in Chinese."""
    return {kind: "|".join(map(_bounded, listed)) for kind, listed in _words().items()}


@lru_cache(maxsize=1)
def _table() -> dict[str, Any]:
    """The patterns of kinds that are looked for alone."""
    return {kind: re2.compile(_phrases()[kind]) for kind in ("reports", "fails", "collects", "column")}


@lru_cache(maxsize=1)
def _label() -> re.Pattern[str]:
    """A label with its number, in brackets, before a colon or alone on its line."""
    words = "|".join(sorted(_words()["label"], key=len, reverse=True))
    number = r"[ \t]?[#.]?(?:\d{1,2}|[一二三四五六七八九十]{1,2})"
    return re.compile(
        rf"(?:[-+•][ \t]+)?(?:\d{{1,3}}[.、)）][ \t]*)?(?P<open>[【\[「])?(?P<label>{words})(?P<number>{number})?"
        r"(?(open)[】\]」][ \t]?[:：]?|(?:[ \t]?[:：]|\Z|(?(number)[、.]|(?!))))"
    )


def is_case(words: str) -> bool:
    """Whether a heading begins as one of several cases: *场景一*, *Case 2*, *Scenario B*, *Error 3*."""
    return _case().match(simplify(plain(words[:_LABEL]).strip(" #*_[【(（")).lower()) is not None


@lru_cache(maxsize=1)
def _case() -> re.Pattern[str]:
    words = "|".join(sorted(_words()["cases"], key=len, reverse=True))
    return re.compile(
        rf"(?:\d{{1,2}}(?:\.\d{{1,2}}){{0,2}}[.、)） ]\s{{0,3}})?(?:{words})[ \t]{{0,3}}[#.:：]?[ \t]{{0,3}}"
        r"(?:\d{1,2}(?!\d)|[一二三四五六七八九十]{1,3}|[a-f]\b|[ivx]{1,4}\b|one\b|two\b|three\b|four\b|five\b)"
    )


@lru_cache(maxsize=1)
def _sets() -> tuple[Any, Any]:
    """Which kinds a heading holds, and which it begins with, in one pass each."""
    within, begins = re2.Set.SearchSet(), re2.Set.MatchSet()
    for found, kinds in ((within, _WITHIN), (begins, _BEGINS)):
        for kind in kinds:
            found.Add(_phrases()[kind])
        found.Compile()
    return within, begins


def _bounded(phrase: str) -> str:
    words: str = re2.escape(phrase)
    return rf"\b{words}\b" if phrase.isascii() else words
