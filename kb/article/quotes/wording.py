"""What the words of a sentence tell of its role: weights of n-grams, learned from the articles that have headings (`kb roles train`)."""

from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from math import sqrt
from operator import add

from kb.article.vocabulary import CODE
from kb.errors import RulesError
from kb.patterns import lazy

_TOKEN = lazy(rf"[a-z][a-z']*(?![\w.$/\\])|[\u3400-\u9fff]+|{CODE}|[?!:;,]|(?P<name>[a-z0-9_$][\w$./\\:@#-]*)")
_FIRST = "^"
_LAST = "$"
_NAME = "#"
_NUMBER = "0"


def grams(words: str) -> list[str]:
    """The n-grams of a sentence as `kb.article.vocabulary.bare` gives it, once each.

    Han: runs of one to three characters. English: words and pairs of words. Names (``a.b.c``, ``max_size``), numbers and
    code spans are one sign each: which name it is tells nothing of the role.
    """
    found: list[str] = []
    before = _FIRST
    for token in _TOKEN.finditer(words):
        text = token.group()
        if "\u3400" <= text[0] <= "\u9fff":
            pairs = list(map(add, text, text[1:]))
            found += text
            found += pairs
            found += map(add, pairs, text[2:])
            if before == _FIRST:
                found.append(_FIRST + text[:2])
            before = text[-2:]
            continue
        if token.lastgroup:
            text = _NUMBER if text[0].isdigit() else _NAME
        found.append(text)
        found.append(f"{before} {text}")
        before = text
    found.append(f"{before} {_LAST}")
    return list(dict.fromkeys(found))


Pair = tuple[float, float]
"""Something of the cause, and the same of the fix."""
Table = Mapping[str, tuple[int, int, int, int]]
"""n-gram → hundredths: log-odds of a section about the cause and about the fix; weight in the choice of the sentence that
states the cause and the fix."""


def weighed(found: Sequence[str], table: Table) -> tuple[Pair, Pair]:
    """How much n-grams lean to a section about the cause and about the fix, and how much they tell that a sentence states it.

    The first are log-odds of a linear model, 0 for neither; the second are added to the score of the sentence.
    """
    cause = fix = causing = fixing = 0
    for weight in filter(None, map(table.get, found)):
        cause += weight[0]
        fix += weight[1]
        causing += weight[2]
        fixing += weight[3]
    scale = 100 * sqrt(len(found)) if found else 1
    return (cause / scale, fix / scale), (causing / scale, fixing / scale)


@lru_cache(maxsize=1)
def bundled() -> Table:
    """The weights that were learned."""
    table: dict[str, tuple[int, int, int, int]] = {}
    text = files("kb.article").joinpath("rules", "wording.tsv").read_text(encoding="utf-8")
    for number, line in enumerate(text.splitlines(), start=1):
        if line.startswith("#") and "\t" not in line:
            continue  # a remark; the sign of a name begins an n-gram, too
        gram, *weights = line.split("\t")
        try:
            cause, fix, causing, fixing = map(int, weights)
        except ValueError:
            raise RulesError(
                f"wording.tsv line {number}: {line!r}", cure="write it again with `kb roles train`"
            ) from None
        table[gram] = cause, fix, causing, fixing
    return table
