"""What the wording of a sentence tells: the phrases of ``rules/cues.txt``, compiled once."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import re2

from kb.article.sentences import size
from kb.article.vocabulary import bare, lines_of
from kb.errors import RulesError
from kb.language import simplify
from kb.patterns import lazy


@dataclass(frozen=True, slots=True)
class Cue:
    """What the wording of a sentence says. ``cause`` and ``fix``: how strongly it states one, 0 to 3."""

    cause: int
    fix: int
    negated: bool
    """It asks, says that nothing is known, or that what was tried was in vain."""
    marks: tuple[str, ...] = ()
    """The other kinds of phrase that it holds, as `cues.txt` lists them: ``step``, ``choice``, ``weak``, ``do`` …"""


def cues_of(sentence: str) -> Cue:
    """The strongest cues of a sentence."""
    return cues_in(bare(sentence))


def cues_in(words: str) -> Cue:
    """The strongest cues of words as `bare` gives them."""
    data = words.encode("utf-8", "ignore")  # RE2 reads UTF-8, which has no lone surrogates
    data = _UNDONE.sub(rb"\1 ", _CANNOT.sub(rb"cannot ", data))
    cause = fix = 0
    held: list[str] = []
    for kind, weight in sorted(kinds[hit] for kinds, phrases in _cues() for hit in phrases.Match(data) or ()):
        if kind == "cause":
            cause = max(cause, weight)
        elif kind == "fix":
            fix = max(fix, weight)
        else:
            held.append(kind)
    marks = [kind for kind in held if kind not in _JUDGED]
    negated = "not" in held or ("astray" in held and "turn" not in held)
    negated = negated or ("general" in held and max(cause, fix) < _OUTRIGHT)
    if "vain" in held and cause < _OUTRIGHT and _in_vain(data.decode()):
        negated = True
        marks.append("vain")
    if "needless" in held and _changes_nothing(data.decode()):
        marks.append("needless")
    less = 2 if "weak" in held else 0
    return Cue(max(cause - less, 0), max(fix - less, 0), negated, tuple(marks))


_DONE = r"(?:add|set|remove|change|increase|upgrade|install|use|configure|restart|update|enable|disable|run|delete|replace)\b"
_CANNOT = re2.compile(rf"\bcan(?:'t|’t) {_DONE}")
"""The words *you can* in it are no advice."""
_UNDONE = re2.compile(
    r"(无法|不能|不可以|不支持|禁止|不允许|未能|\b(?:cannot|can not|could not|unable to|fail to|fails to|failed to) )(?:正常|直接|再|继续)?"
    r"(?:添加|增加|修改|更改|调整|删除|移除|重启|升级|降级|关闭|开启|安装|使用|设置|配置"
    rf"|{_DONE})"
)
"""What cannot be done is nothing to do: *无法添加*, *cannot be used*, *you can't add*."""
_JUDGED = frozenset(("not", "vain", "astray", "turn", "general", "needless"))
"""Kinds of phrase that say nothing by themselves: what stands beside them counts, too."""
_OUTRIGHT = 3
"""The weight of a cue that says so outright."""
_REST = 8
"""Words and Han characters behind *it did not help* from which on a sentence says more than that."""
_UNLESS = lazy(r"\b(?:if|unless|in case|when)\b|如果|若|假如|要是|倘")


def _in_vain(words: str) -> bool:
    """Whether words that hold a phrase of the kind ``vain`` say no more: *if it did not help, restart* and *no luck, until I upgraded* do."""
    end = 0
    for found in _compiled("vain").finditer(words):
        if _UNLESS.search(words, end, found.start()):
            return False
        end = found.end()
    rest = cues_in(words[end:])
    return end > 0 and max(rest.cause, rest.fix) < 2 and size(words[end:]) < _REST


_DEFAULT = lazy("默认|default")


def _changes_nothing(words: str) -> bool:
    """Whether words that hold a phrase of the kind ``needless`` ask for nothing else: *upgrade to 2.1, no change of code is needed* does."""
    found = _compiled("needless").search(words)
    if found is None or size(words[found.end() :]) >= _REST:
        return False
    before = words[: found.start()]
    return cues_in(before).fix < 2 or _DEFAULT.search(before) is not None


@lru_cache(maxsize=2)
def _compiled(kind: str) -> Any:
    """The phrases of a kind without weights."""
    return re2.compile(_any_of(_phrases()[kind, 0]))


_STARTS = frozenset(("because", "do", "note", "then", "looks"))
"""Kinds of phrase that count at the beginning of a sentence only."""
_CUES = lazy(
    r"(?:(cause|fix) ([123])"
    r"|(not|vain|astray|turn|general|needless|weak|step|choice|example|check|screen|ahead|else|more|version|mended|because|do|note|then|looks|lead|tells)) (.+)"
)


@lru_cache(maxsize=1)
def _phrases() -> dict[tuple[str, int], list[str]]:
    """Kinds of phrase with their weights (0 where a kind has none), and the phrases of each."""
    phrases: dict[tuple[str, int], list[str]] = {}
    for number, line in lines_of("cues.txt"):
        found = _CUES.fullmatch(line)
        if found is None:
            raise RulesError(
                f"cues.txt line {number}: {line!r}",
                cure="write `cause|fix 1|2|3 phrase, phrase`, or one of the other kinds named at its top and phrases",
            )
        kept = phrases.setdefault((found[1] or found[3], int(found[2] or 0)), [])
        # The dots that stand for anything would become three full stops.
        kept += ("…".join(map(simplify, one.strip().split("…"))) for one in found[4].split(", ") if one.strip())
    return phrases


@lru_cache(maxsize=1)
def _cues() -> tuple[tuple[tuple[tuple[str, int], ...], Any], ...]:
    """Kinds of phrase, and a RE2 set that says in one pass which of them a text holds: those of its beginning, and the others.

    In one set with the others those of the beginning would multiply its states, and most of its time would go into making them.
    """
    phrases = _phrases()
    begins, holds = re2.Set.MatchSet(), re2.Set.SearchSet()
    for (kind, _), words in phrases.items():
        if kind in _STARTS:
            begins.Add(rf"\W{{0,6}}(?:{_any_of(words)})")  # \W of RE2 takes Han characters, too
        else:
            holds.Add(_any_of(words))
    begins.Compile()
    holds.Compile()
    return (
        (tuple(one for one in phrases if one[0] in _STARTS), begins),
        (tuple(one for one in phrases if one[0] not in _STARTS), holds),
    )


def _any_of(phrases: list[str]) -> str:
    """A RE2 pattern of all phrases."""

    def bounded(phrase: str) -> str:
        words = re2.escape(phrase).replace(re2.escape("…"), ".{0,12}")
        return rf"\b{words}\b" if phrase[0].isascii() and phrase[0].isalpha() else words

    return "|".join(bounded(phrase) for phrase in phrases)
