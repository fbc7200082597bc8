"""How likely a sentence of failure is a program's own: a linear model over its words, its form and its place in the paste.

The weights of ``rules/sentences.tsv`` were learned (``python -m tests.quality.sentences``) from exception messages of bug reports, from the prose of
articles, and from the teaching half of the labelled pastes.
"""

import re
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib.resources import files
from math import tanh
from typing import Any

from kb.errors import RulesError
from kb.patterns import lazy
from kb.trace.messages.pieces import LinePiece, PasteSpan, RecordLevel
from kb.trace.messages.word_lists import may_be_personal, may_tell_on
from kb.trace.messages.words import LONG, mentions_failure, signs

LEAST = 46
"""The score from which on a sentence is taken for a program's."""
_POINTS = 10
"""Points for one unit of log-odds below zero."""
_ROOM = 15
"""Points above `LEAST` at most: a sentence stays below what a log's level or a lead says."""
_SOFT = 1.5
"""Log-odds at which three quarters of the room are used."""
_LONGEST = 600
FEWEST = {PasteSpan.LINE: 2, PasteSpan.QUOTED: 3, PasteSpan.INTRODUCED: 2, PasteSpan.FOREIGN: 3}
"""Words of a sentence: people quote single words for other reasons."""

# e.g. `参数名: a`
_CODE_BEGINS = lazy(
    r"^[ \t]*(?:[{})\];]|[(\[](?![\w .,:=/#@-]{1,80}[)\]]:? ?\S)|(?:import|from|export|const|let|var|public|private|protected|static|class|def|return|if|for|while|function|#include|package|async|await|try|catch|else|raise|throw|assert|print|echo|SELECT|INSERT|UPDATE|CREATE|DELETE|ALTER|set)\b(?:[^\n]{0,400}[;{}()=\[\]*\\]|[^\n]{0,40}$)|@\w)"
    r"|\S{1,60} ?=[^=]|[\w.-]{1,60}: ?[\w./-]{0,60}$|</?\w|\S{1,60} --?[a-z][\w-]{0,60}[ =]|Loaded: loaded \("
)
"""How code, settings and options begin, and what systemctl says of a unit's file: ``Loaded: loaded (…; disabled; …)``."""
_CODE_HOLDS = lazy(r" \| |=>|\)\.\w|[;{(,\\]$|(?<![\"\d\]}l])\}$")
_CALL = lazy(r"(?:[A-Za-z_]\w{0,60}\.){0,6}[A-Za-z_]\w{1,80}\((?:[^()\n]|\([^()\n]{0,200}+\)){0,400}+\)$")
"""A call that is all of a line: ``assert_rows_equal(one, other)``."""
_TAGS = lazy(r"^(?:\[[A-Za-z][\w.: /-]{1,40}\] ?|\[\w{1,40} \w{1,40}=[\w.:/-]{1,80}\] ){1,3}(?=[\w'\"])")
"""Who speaks, in front of a sentence: ``[Server] Different settings …``."""
_LINK = lazy(r"https?://\S+$", re.ASCII)
_NAME = lazy(r"[\w./-]{1,200}$", re.ASCII)
_WORDS = lazy(r"[A-Za-z\u4e00-\u9fff]{2,}")
_CHINESE = lazy(r"[\u4e00-\u9fff]{5}")
"""Characters that are worth a word: Chinese has no blanks between words."""
_HAN = lazy(r"[\u4e00-\u9fff]{2}")
"""What is in the two words of a dialogue that somebody quotes: *一直报“无效 appid”*, *报错【运行失败】*."""
_FIXED = lazy(
    r"(?i)(?:connection (?:refused|reset|closed|aborted)|(?:permission|access) denied|broken pipe|disk full|bad gateway|(?:gateway|read|connect) time(?:-?out|d out))$"
)
"""Two words that a system prints for an error, and nobody quotes for another reason."""
_LOGGER = lazy(r"(?:[a-z]\w{0,40}\.){1,14}[A-Z][\w$]{0,100}:?")
"""A logger's class alone in its line: what it logs is below."""
_TOKEN = lazy(r"[a-z]{1,40}(?:'[a-z]{1,4})?|\d+|[\u4e00-\u9fff]|[^\w\s]")


def may_be_sentence(body: str, piece: LinePiece) -> bool:
    """Return whether the model is worth asking: the words tell a failure, and are no code, list or heading.

    What a log or a quotation says may end in a colon, and what a log warns of may look like code; what somebody announces in Chinese may begin like a
    story in English.
    """
    place, is_logged, is_called = piece.place, piece.level is not None, piece.is_called
    body = _TAGS.sub("", body, count=1)
    if piece.level is not RecordLevel.WARNING and (
        len(body) > _LONGEST or _CODE_BEGINS.match(body) or _CODE_HOLDS.search(body) or _CALL.match(body)
    ):
        return False
    if body[-1:] in ":：" and not (is_logged or place is PasteSpan.QUOTED or piece.is_announced):
        return False
    if _NAME.match(body) or ("://" in body and _LINK.search(body)):
        return False
    if (
        place is PasteSpan.FOREIGN and not is_called and signs()["narrates"].search(body)
    ):  # who writes two languages tells in both
        return False
    least = 1 if is_called and piece.is_wide and _HAN.search(body) else FEWEST[place]
    least -= place is PasteSpan.FOREIGN and _FIXED.match(body) is not None
    return mentions_failure(body) and len(_WORDS.findall(body)) + len(_CHINESE.findall(body)) >= least


def sentence_score(body: str, piece: LinePiece, *, is_all: bool) -> float:
    """Return the points of a sentence; ``is_all`` says that nothing else was pasted. `LEAST` and more are a program's."""
    total = _log_odds(body, piece, is_all=is_all)
    return LEAST + (_ROOM * tanh(total / _SOFT) if total > 0 else _POINTS * total)


def logged_score(body: str, piece: LinePiece) -> float:
    """Return up to two points by which one record of an error is more telling than another; none for one that only says how a program ended."""
    if signs()["exit"].search(body):
        return 0.0
    return 1 + 0.99 * tanh(_log_odds(body, piece, is_all=False) / _SOFT)


def _log_odds(body: str, piece: LinePiece, *, is_all: bool) -> float:
    weights = _weights()
    names = {*features(body), *circumstances(piece, is_all=is_all)}
    return round(weights["bias"] + sum(weights.get(name, 0.0) for name in names), 2)  # whatever the order of a set


def features(body: str) -> Iterator[str]:
    """Yield what a sentence shows by itself: ``word:refused``, ``first:could``, ``last:.``, ``starts``."""
    tokens = ["0" if token.isdigit() else token for token in _TOKEN.findall(body.lower())]
    for token in tokens:
        yield f"word:{token}"
    if tokens:
        yield f"first:{tokens[0]}"
        yield f"last:{tokens[-1]}"
    for name, sign, cannot in _looks():
        if (cannot is None or not cannot(body)) and sign.search(body):
            yield name


def _lacks(automaton: Callable[[], Any]) -> Callable[[str], bool]:
    return lambda body: automaton().search(body.encode("utf-8", "surrogatepass")) is None


_CANNOT: Mapping[str, Callable[[str], bool]] = {
    "system": lambda body: not any(mark in body for mark in ":：("),
    "reference": lambda body: "#" not in body,
    "long": lambda body: len(body) < LONG,
    "few": lambda body: body.count(" ") > 2,
    "particles": str.isascii,
    "exit": lambda body: body.isascii() and "exit" not in (low := body.lower()) and "status" not in low,
    "person": _lacks(may_be_personal),
    "tells-on": _lacks(may_tell_on),
}
"""What says that a sign cannot be in a sentence, where the sign itself takes 2 to 30 µs to look for."""


@cache
def _looks() -> tuple[tuple[str, re.Pattern[str], Callable[[str], bool] | None], ...]:
    return tuple((name, sign, _CANNOT.get(name)) for name, sign in signs().items())


def circumstances(piece: LinePiece, *, is_all: bool) -> Iterator[str]:
    """Yield how a sentence is in the paste: ``quoted``, ``announced``, ``alone``."""
    if piece.place is not PasteSpan.LINE:
        yield str(piece.place)
        if piece.is_called:
            yield "called"
        if piece.is_bold:
            yield "bold"
    elif piece.level is not None:
        yield f"level:{piece.level}"
    elif is_all:
        yield "all"
    else:
        marks = {
            "announced": piece.is_announced,
            "marked": piece.is_marked,
            "fenced": piece.is_fenced,
            "listed": piece.is_listed,
            "foreign-line": piece.is_foreign,
            "first-of-paragraph": piece.is_first,
            "alone": piece.is_alone,
            "title": piece.number == 0,
            "continued": piece.is_continued,
        }
        yield from (name for name, holds in marks.items() if holds)


def is_logged_error(body: str, piece: LinePiece) -> bool:
    """Whether a log says that its record is an error, and the record says anything."""
    return piece.level is RecordLevel.ERROR and not _LOGGER.fullmatch(body) and len(_WORDS.findall(body)) > 1


@cache
def _weights() -> Mapping[str, float]:
    place = "rules/sentences.tsv"
    weights: dict[str, float] = {}
    for number, line in enumerate(files("kb.trace").joinpath(place).read_text(encoding="utf-8").splitlines(), start=1):
        if line.startswith("# ") or not line:
            continue
        name, tab, weight = line.partition("\t")
        if not tab:
            raise RulesError(
                f"{place}:{number}: {line!r} is no name and weight", cure="a name, a tab and a number a line"
            )
        weights[name] = float(weight)
    return weights
