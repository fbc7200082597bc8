"""`kb roles train`: from articles to the two files of weights that `kb.article` reads, and what they do on articles that did not teach."""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from statistics import fmean

from index.training.roles.lessons import FOLDS, Lesson, choosing, fold_of, lesson, tables
from index.training.roles.material import Marked, Taken, articles, labelled, marked
from index.training.roles.words import Weak, table, weak_labels
from kb.article.sentences import joined
from kb.article.stated import Model, quoted
from kb.article.statements import Target
from kb.article.wording import Table

Said = Callable[[str], None]
_FAINT = 0.005
"""A weight below it is not written."""
_TOKEN = re.compile(r"[\u4e00-\u9fff]|[a-z0-9]+")


def train(data: Path, marks: Path, out: Path, said: Said) -> None:
    """Write the weights that the articles of an evaluation set teach into a folder; its labelled set teaches nothing."""
    apart = labelled(data)
    found = {one.name: one for one in articles(data) if one.name not in apart}
    words, of_others = _words(weak for one in found.values() for weak in weak_labels(one))
    said(f"{len(found)} articles, {len(words)} n-grams")
    models = {}
    for target in Target:
        lessons, hidden = _lessons(found, [one for one in marked(marks) if one.name in found], of_others, target)
        models[target], report = learned(lessons, hidden, target)
        said(f"{target}: {report}")
    _write(out, words, models)


def _words(weak: Iterable[Weak]) -> tuple[Table, list[Table]]:
    """The weights of n-grams that all articles teach, and for each part those that the other parts teach."""
    examples = list(weak)
    return table(examples), [table([one for one in examples if fold_of(one.article) != k]) for k in range(FOLDS)]


def _lessons(
    found: Mapping[str, Taken], teaching: Sequence[Marked], of_others: Sequence[Table], target: Target
) -> tuple[list[Lesson], list[Lesson]]:
    """The articles marked for a target, as they are and with hidden headings; without those whose marks no sentence holds."""
    kept: tuple[list[Lesson], list[Lesson]] = ([], [])
    for one in teaching:
        if target not in one.spans:
            continue
        for hidden in (False, True):
            made = lesson(found[one.name], one.spans[target], target, of_others[fold_of(one.name)], hidden=hidden)
            if made.case.right or not one.spans[target]:
                kept[hidden].append(made)
    return kept


def learned(lessons: list[Lesson], hidden: list[Lesson], target: Target) -> tuple[dict[str, dict[str, float]], str]:
    """The weights for a target, and what such weights do on articles of the part that did not teach them."""
    every = [*lessons, *hidden]
    results = []
    for k in range(FOLDS):
        model = Model.of(tables(choosing([one for one in every if fold_of(one.name) != k])))
        results += [(one, _said(one, target, model)) for one in lessons if fold_of(one.name) == k]
    return tables(choosing(every)), _report(results)


def _said(one: Lesson, target: Target, model: Model) -> str:
    return joined(told.sentence for told in quoted(one.statements, list(one.case.rows), target, model))


def _report(results: Sequence[tuple[Lesson, str]]) -> str:
    stated = [token_f1(said, one.wanted) for one, said in results if one.wanted]
    silent = [not said for one, said in results if not one.wanted]
    none = [not one.wanted for one, said in results if not said]
    return (
        f"token F1 {fmean(stated):.3f} of {len(stated)}; nothing said where nothing is stated {fmean(silent or [True]):.2f}"
        f" of {len(silent)}; right to say nothing {fmean(none or [True]):.2f} of {len(none)}"
    )


def token_f1(said: str, wanted: str) -> float:
    """F1 of the tokens of two texts: Han characters, and runs of Latin letters and digits."""
    one, other = (Counter(_TOKEN.findall(unicodedata.normalize("NFKC", text).lower())) for text in (said, wanted))
    shared = (one & other).total()
    return 2 * shared / (one.total() + other.total()) if shared else 0.0


def _write(out: Path, words: Table, models: Mapping[Target, Mapping[str, Mapping[str, float]]]) -> None:
    lines = ["# n-gram, hundredths of log-odds for the cause and for the fix; learned by `kb roles train`."]
    lines += [f"{gram}\t{cause}\t{fix}" for gram, (cause, fix) in words.items()]
    (out / "wording.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    lines = ["# Target, state of the sentence, feature, weight; learned by `kb roles train`."]
    for target, states in models.items():
        for state, weights in sorted(states.items()):
            lines += [f"{target}\t{state}\t{name}\t{w:.3f}" for name, w in sorted(weights.items()) if abs(w) >= _FAINT]
    (out / "roles.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
