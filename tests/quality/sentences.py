"""Learns how a program's sentence of failure differs from a person's: ``python -m tests.quality.sentences ../shared`` writes the weights.

Two steps. A model of words, from many unlabelled lines: exception messages of bug reports (part *tune*) and lines of code blocks in articles
against sentences of their prose. Then, with its value as one feature, a model of form and place from the teaching halves of ``reading.jsonl``, ``prose.jsonl`` and
``chat.jsonl``, and from pastes given with ``--more``: 137 of public issue threads, collected on 2026-11-27 and kept beside the checkout, for the table of today.
Both are linear, so one table holds them: ``kb/trace/rules/sentences.tsv``. Names of products are left out: a word counts that is mostly written small.
"""

import argparse
import gzip
import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.feature_extraction import DictVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import cross_val_predict

from kb.trace.lines import clean
from kb.trace.messages.pieces import LinePiece, RecordLevel, is_command, pieces
from kb.trace.messages.sentence import circumstances, features, may_be_sentence
from kb.trace.messages.text_lines import lines_of
from kb.trace.messages.words import mentions_failure, signs, unquoted
from tests.quality.readings import chat, overlap, pastes, prose, readmes, rows

TABLE = Path(__file__).resolve().parents[2] / "kb/trace/rules/sentences.tsv"
_REPORTS = 2_500  # of each set
_A_FILE = 4  # lines of prose of one article: a long one says the same again
_SEEN = 25  # lines that hold a word whose weight is learned
_SMALL = 0.7  # share of a word's places where it is written small
_BELIEVED = 0.17  # probability at which a sentence is a program's: about 1 in 100 paragraphs of prose is taken for one; the table of today was moved there from 0.2 by its bias
_SAME = 0.7  # F1 of words from which a piece is the labelled message
_PROSE = 1.0  # weight of a sentence of prose beside one of a paste


def printed(shared: Path) -> set[str]:
    """Messages of exceptions in bug reports, and lines of code blocks that name an error."""
    found: set[str] = set()
    for name in ("apache_jira", "eclipse_bugzilla"):
        with gzip.open(shared / f"dedup/{name}.tune.jsonl.gz", "rt", encoding="utf-8") as lines:
            for _, line in zip(range(_REPORTS), lines, strict=False):
                text = "\n".join(value for value in json.loads(line).values() if isinstance(value, str))
                found.update(one.strip() for one in re.findall(r"(?:Exception|Error): ([^\n]{8,300})", text))
    return found


def written(shared: Path) -> tuple[set[str], list[str]]:
    """Of articles: lines of code blocks that name an error, less their prefix; and lines of prose that tell of failure."""
    code: set[str] = set()
    told: list[str] = []
    for path in sorted(shared.glob("articles/*/*.md")):
        fenced, mine = False, []
        text = re.sub(r"\A---\n.*?\n---\n", "", path.read_text(encoding="utf-8", errors="replace"), flags=re.DOTALL)
        for line in text.split("\n"):
            if re.match(r"\s*(?:```|~~~)", line):
                fenced = not fenced
                continue
            body = line.strip()
            if not 8 < len(body) < 300 or not mentions_failure(body):
                continue
            if not fenced and not body.startswith(("#", "|", "<", "![", "title:", "tags:")):
                mine.append(re.sub(r"^[-*>\d.]+\s+", "", body))
            elif (
                fenced
                and re.search(r"(?i)error|exception|fail|错误|失败", body)
                and not re.search(r"[;{}]$|^\s*(?:at |//|#|\*|import)|=\s*new|\bcatch\b", body)
            ):
                code.add(re.sub(r"^.*?(?:ERROR|Error|error|Exception|FATAL)\S*[:\]]\s*", "", body))
        told += random.Random(path.name).sample(mine, min(_A_FILE, len(mine)))
    return code, [
        *told,
        *(line for text in readmes("teach") for line in text.split("\n") if len(line) > 8 and mentions_failure(line)),
    ]


def words_of(texts: Iterable[str]) -> set[str]:
    """The words that are mostly written small, and not rare."""
    small: Counter[str] = Counter()
    lines: Counter[str] = Counter()
    for text in texts:
        found = re.findall(r"(?<![.!?] )(?<!^)(?<![\w.$/-])[A-Za-z]+(?:'[a-z]+)?(?![\w.$/-])", text)
        small.update(word.lower() for word in found if word.islower())
        lines.update(word.lower() for word in found)
    return {word for word, count in lines.items() if small[word] >= _SMALL * count}


def model_of_words(shared: Path) -> dict[str, float]:
    """The weights of words, of first and last ones, and the bias."""
    code, told = written(shared)
    mine = sorted(printed(shared) | code)
    common = words_of([*mine, *told])
    rows = [{name: 1 for name in features(text) if _is_common(name, common)} for text in (*mine, *told)]
    seen = Counter(name for row in rows for name in row)
    rows = [{name: 1 for name in row if seen[name] >= _SEEN} for row in rows]
    vectors = DictVectorizer()
    table = vectors.fit_transform(rows)
    table.indices, table.indptr = table.indices.astype(np.int32), table.indptr.astype(np.int32)
    answers = np.array([1] * len(mine) + [0] * len(told))
    model = LogisticRegression(C=0.15, l1_ratio=1, solver="liblinear", max_iter=500).fit(table, answers)
    weights = {
        name: float(weight)
        for name, weight in zip(vectors.get_feature_names_out(), model.coef_[0], strict=True)
        if weight
    }
    print(
        f"words: {len(mine)} printed lines, {len(told)} written ones, {len(weights)} weights, {model.score(table, answers):.3f} right"
    )
    return weights | {"bias": float(model.intercept_[0])}


def _is_common(name: str, common: set[str]) -> bool:
    """Whether a feature may be learned from unlabelled lines: no sign of form, no name of a product."""
    kind, _, word = name.partition(":")
    return kind in ("word", "first", "last") and (not word[:1].isalpha() or not word.isascii() or word in common)


def sentences(text: str) -> Iterator[tuple[str, LinePiece, bool]]:
    """The sentences of a text that the model is asked about."""
    plain = clean(text)
    for piece in pieces(plain, text, lines_of(plain)):
        body = unquoted(plain[piece.begin : piece.end].strip())
        if (
            piece.level is not RecordLevel.ERROR
            and not is_command(body)
            and " " in body
            and may_be_sentence(body, piece.place, is_logged=piece.level is not None, is_called=piece.is_called)
        ):
            yield body, piece, "\n" not in plain.strip()


def labelled(shared: Path, more: Path | None) -> Iterator[tuple[str, LinePiece, bool, bool, float]]:
    """Sentences of the teaching halves, each with whether it is the program's and how much it counts."""
    taught = [(paste.text, paste.messages) for paste in pastes(shared) if paste.half == "teach"]
    taught += [(row["text"], tuple(row["messages"])) for row in (rows(more) if more is not None else ())]
    for text, messages in taught:
        for body, piece, is_all in sentences(text):
            yield body, piece, is_all, any(overlap(body, message) >= _SAME for message in messages), 1.0
    for text in (*prose(shared, "teach", shows=False), *chat("teach"), *readmes("teach")):
        for body, piece, is_all in sentences(text):
            yield body, piece, is_all, False, _PROSE


def model_of_form(shared: Path, words: Mapping[str, float], more: Path | None) -> dict[str, float]:
    """The weights of form and place beside those of words, as one table."""
    table_rows, answers, counts = [], [], []
    for body, piece, is_all, is_printed, count in labelled(shared, more):
        names = set(features(body))
        row: dict[str, float] = {name: 1.0 for name in names if name in signs()}
        row |= dict.fromkeys(circumstances(piece, is_all=is_all), 1.0)
        row["words"] = words["bias"] + sum(words.get(name, 0.0) for name in names)
        table_rows.append(row)
        answers.append(is_printed)
        counts.append(count)
    vectors = DictVectorizer(sparse=False)
    table, told, weight = vectors.fit_transform(table_rows), np.array(answers), np.array(counts)
    model = LogisticRegression(max_iter=2_000)
    tried: Any = cross_val_predict(model, table, told, cv=8, method="predict_proba", params={"sample_weight": weight})[
        :, 1
    ]
    found = tried >= _BELIEVED
    print(
        f"form: {len(told)} sentences, {told.sum()} printed; cross-validated: {found[told].mean():.3f} found, {told[found].mean():.3f} right, {(found & (weight > 1)).sum()} of {(weight > 1).sum()} of prose"
    )
    model.fit(table, told, sample_weight=weight)
    form = dict(zip(vectors.get_feature_names_out(), map(float, model.coef_[0]), strict=True))
    share = form.pop("words")
    merged = {name: share * value for name, value in words.items() if name != "bias"} | form
    bias = float(model.intercept_[0]) + share * words["bias"] - float(np.log(_BELIEVED / (1 - _BELIEVED)))
    return {"bias": bias, **{name: value for name, value in sorted(merged.items()) if abs(value) >= 0.005}}


def main() -> None:
    """Learns the weights anew and writes their table."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("shared", type=Path, help="the folder of the shared data")
    parser.add_argument("--more", type=Path, help="more labelled pastes, as JSON lines with text and messages")
    given = parser.parse_args()
    weights = model_of_form(given.shared, model_of_words(given.shared), given.more)
    head = "# Written by `python -m tests.quality.sentences`: a feature of `kb.trace.messages.sentence` and its log-odds; at 0 in all a sentence is believed.\n"
    TABLE.write_text(head + "".join(f"{name}\t{value:.2f}\n" for name, value in weights.items()), encoding="utf-8")


if __name__ == "__main__":
    main()
