"""`kb roles train`: from articles to the two files of weights that `kb.article` reads, and what they do on articles that did not teach."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean

from index.training.roles.lessons import (
    FOLDS,
    Both,
    Lesson,
    StatedPair,
    fold_of,
    learned,
    lesson,
    pair,
    quoted_text,
    relations_of,
)
from index.training.roles.material import ArticleProblem, Marked, about, articles, labelled, marked
from index.training.roles.words import Weak, table, weak_labels
from kb.article.quotes.statements import QuoteTarget
from kb.article.quotes.weights import EVERYWHERE, RELATION
from kb.article.quotes.wording import Table

Log = Callable[[str], None]
_Lessons = tuple[list[Lesson], list[Lesson]]
"""Articles as they are, and with hidden headings."""
_FAINT = 0.005
"""A weight below it is not written."""
_TOKEN = re.compile(r"[\u4e00-\u9fff]|[a-z0-9]+")


def train(data: Path, marks: Path, out: Path, log: Log) -> None:
    """Write the weights that the articles of an evaluation set teach into a folder; its labelled set teaches nothing."""
    apart = labelled(data)
    found = articles(data, but=apart)
    words, of_others = _words(weak for pieces in found.values() for one in pieces for weak in weak_labels(one))
    log(f"{len(found)} articles, {len(words)} n-grams")
    teaching = [one for one in marked(marks) if one.name in found]
    lessons = {target: _lessons(found, teaching, of_others, target) for target in QuoteTarget}
    parts = [_taught(lessons, but=k) for k in range(FOLDS)]
    pairs = _pairs(lessons, parts)
    for target in QuoteTarget:
        results = []
        for k in range(FOLDS):
            relations = relations_of(one for one in pairs if fold_of(one.name) != k)
            results += [
                (one, quoted_text(one, parts[k], relations)) for one in lessons[target][0] if fold_of(one.name) == k
            ]
        log(f"{target}: {_report(results)}")
    _write(out, words, _taught(lessons), relations_of(pairs))


def _taught(lessons: Mapping[QuoteTarget, _Lessons], but: int | None = None) -> Both:
    """The weights that the lessons teach, those of one part left out."""
    return {
        target: learned([one for part in both for one in part if fold_of(one.name) != but], target)
        for target, both in lessons.items()
    }


def _pairs(lessons: Mapping[QuoteTarget, _Lessons], parts: Sequence[Both]) -> list[StatedPair]:
    fixes = {one.name: one for one in lessons[QuoteTarget.FIX][0]}
    found = (
        pair(one, fixes[one.name], parts[fold_of(one.name)])
        for one in lessons[QuoteTarget.CAUSE][0]
        if one.name in fixes
    )
    return [one for one in found if one is not None]


def _words(weak: Iterable[Weak]) -> tuple[Table, list[Table]]:
    """The weights of n-grams that all articles teach, and for each part those that the other parts teach."""
    examples = list(weak)
    return table(examples), [table([one for one in examples if fold_of(one.article) != k]) for k in range(FOLDS)]


def _lessons(
    found: Mapping[str, Sequence[ArticleProblem]],
    teaching: Sequence[Marked],
    of_others: Sequence[Table],
    target: QuoteTarget,
) -> _Lessons:
    """The articles marked for a target, as they are and with hidden headings."""
    kept: _Lessons = ([], [])
    for one in teaching:
        if target not in one.spans:
            continue
        for hidden in (False, True):
            piece = about(found[one.name], one.spans[target])
            words = of_others[fold_of(one.name)]
            kept[hidden].append(lesson(piece, one.spans[target], target, words, hidden=hidden))
    return kept


def _report(results: Sequence[tuple[Lesson, str]]) -> str:
    stated = [token_f1(quoted, one.wanted) for one, quoted in results if one.wanted]
    silent = [not quoted for one, quoted in results if not one.wanted]
    none = [not one.wanted for one, quoted in results if not quoted]
    return (
        f"token F1 {fmean(stated):.3f} of {len(stated)}; nothing said where nothing is stated {fmean(silent or [True]):.2f}"
        f" of {len(silent)}; right to say nothing {fmean(none or [True]):.2f} of {len(none)}"
    )


def token_f1(quoted: str, wanted: str) -> float:
    """F1 of the tokens of two texts: Han characters, and runs of Latin letters and digits."""
    one, other = (Counter(_TOKEN.findall(unicodedata.normalize("NFKC", text).lower())) for text in (quoted, wanted))
    shared = (one & other).total()
    return 2 * shared / (one.total() + other.total()) if shared else 0.0


def _write(out: Path, words: Table, models: Both, relations: Mapping[str, float]) -> None:
    lines = [
        "# n-gram; hundredths: of log-odds of a section about the cause, about the fix, of weight in the choice of the sentence",
        "# that states the cause, the fix. Learned by `kb roles train`.",
    ]
    tables = (words, *(model.telling for model in models.values()))
    for gram in sorted(set().union(*tables)):
        weights = (sum(column) for column in zip(*(one.get(gram, (0, 0, 0, 0)) for one in tables), strict=True))
        lines.append("\t".join((gram, *map(str, weights))))
    (out / "wording.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    lines = ["# Target, state of the sentence, feature, weight; learned by `kb roles train`."]
    for target, model in models.items():
        for state, named in sorted(model.tables.items()):
            lines += [f"{target}\t{state}\t{name}\t{w:.3f}" for name, w in sorted(named.items()) if abs(w) >= _FAINT]
    lines += [f"{RELATION}\t{EVERYWHERE}\t{name}\t{w:.3f}" for name, w in relations.items()]
    (out / "roles.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
