"""How well an encoder finds what belongs together, within a language and across: the figures of the model card.

A question is compared with all candidates of its kind; ``hit@k`` is the share of questions with a right candidate among the first k,
ties counted against the encoder.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from index.training.model.corpora import Pair, TrainingDocument, key

Encode = Callable[[Sequence[str]], npt.NDArray[np.float32]]
"""Texts to rows of length one (or zero), shape (n, dim)."""

Scores = Callable[[Sequence[str], Sequence[str]], npt.NDArray[np.float32]]
"""(questions, candidates) to scores, shape (questions, candidates): encoders and BM25 alike."""

KS = (1, 3, 10)
LEAST_CROSSING = 12
"""Characters of a sentence below which it says nothing about the article that it stands in."""

LEAST_ENGLISH, LEAST_CHINESE = 8, 5
"""Characters of a sentence below which anybody may have written it."""

LEAST_SHARED = 3
"""Sentence pairs that two articles share when one is the translation of the other."""

_LATIN = re.compile(r"[A-Za-z0-9]{2,}")


@dataclass(frozen=True, slots=True)
class Suite:
    """Questions, candidates, and which candidates are right for each question."""

    name: str
    questions: tuple[str, ...]
    candidates: tuple[str, ...]
    right: tuple[frozenset[int], ...]


def cosine(encode: Encode) -> Scores:
    """An encoder as a scorer; the candidates of several suites are encoded once."""
    rows = lru_cache(maxsize=4)(encode)
    return lambda questions, candidates: encode(questions) @ rows(tuple(candidates)).T


def measure(scores: Scores, suites: Iterable[Suite]) -> dict[str, dict[str, float]]:
    """Suite → {``hit@1``, ``hit@3``, ``hit@10``, ``n``}; suites without a question are left out."""
    with_questions = (suite for suite in suites if suite.questions)
    return {suite.name: hits(scores(suite.questions, suite.candidates), suite.right) for suite in with_questions}


def hits(scores: npt.NDArray[np.float32], right: Sequence[frozenset[int]]) -> dict[str, float]:
    """Share of rows whose best right column is among the first k, for each of KS."""
    ranks = []
    for row, wanted in zip(scores, right, strict=True):
        columns = np.fromiter(wanted, dtype=np.intp)
        best = row[columns].max()
        ranks.append(int((row >= best).sum() - (row[columns] >= best).sum()))
    found = np.array(ranks)
    return {f"hit@{k}": float((found < k).mean()) for k in KS} | {"n": float(len(ranks))}


def pair_suites(pairs: Sequence[Pair]) -> list[Suite]:
    """English to Chinese and back: all pairs, and those that share no Latin word or number as questions among all."""
    english, chinese = tuple(e for e, _ in pairs), tuple(z for _, z in pairs)
    plain = [at for at, (e, z) in enumerate(pairs) if not _latin(e) & _latin(z)]
    suites = []
    for name, questions, candidates in (("en→zh", english, chinese), ("zh→en", chinese, english)):
        same = defaultdict(set)
        for at, text in enumerate(candidates):
            same[text].add(at)
        right = [frozenset(same[text]) for text in candidates]
        for kind, chosen in (("pairs", range(len(pairs))), ("pairs without shared Latin", plain)):
            suites.append(
                Suite(
                    f"{kind} {name}",
                    tuple(questions[at] for at in chosen),
                    candidates,
                    tuple(right[at] for at in chosen),
                )
            )
    return suites


def _latin(text: str) -> set[str]:
    return {word.lower() for word in _LATIN.findall(text)}


def title_suites(documents: Sequence[TrainingDocument], part: str, name: str) -> list[Suite]:
    """Titles put to the bodies of all documents, by the language of the title; copies of a title are all right."""
    same = defaultdict(set)
    for at, document in enumerate(documents):
        same[key(document.title)].add(at)
    suites = []
    for lang in ("zh", "en"):
        titled = [d for d in documents if d.part == part and d.lang == lang and d.body and key(d.title)]
        if titled:
            suites.append(
                Suite(
                    f"{name} {lang}",
                    tuple(d.title for d in titled),
                    tuple(d.body for d in documents),
                    tuple(frozenset(same[key(d.title)]) for d in titled),
                )
            )
    return suites


@dataclass(frozen=True, slots=True)
class Crossing:
    """A sentence pair that stands in articles: in one language, in the other, or in both."""

    pair: Pair
    english: frozenset[int]
    """Articles that have the English sentence."""
    chinese: frozenset[int]


def crossings(
    pairs: Iterable[Pair], documents: Sequence[TrainingDocument], parts: frozenset[str]
) -> tuple[list[Pair], list[Crossing]]:
    """(pairs that stand in no article of the parts, the others with their articles)."""
    places: defaultdict[str, set[int]] = defaultdict(set)
    for at, document in enumerate(documents):
        if document.part in parts:
            for sentence in document.sentences:
                places[sentence].add(at)
    rest, found = [], []
    for english, chinese in pairs:
        e, z = key(english), key(chinese)
        having = places[e] if len(e) >= LEAST_ENGLISH and e in places else set()
        chinese_having = places[z] if len(z) >= LEAST_CHINESE and z in places else set()
        if having or chinese_having:
            found.append(Crossing((english, chinese), frozenset(having), frozenset(chinese_having)))
        else:
            rest.append((english, chinese))
    return rest, found


def crossing_suites(found: Sequence[Crossing], documents: Sequence[TrainingDocument]) -> list[Suite]:
    """A sentence in one language put to the articles of the other: it stands there in translation."""
    suites = []
    for name, at in (("en→zh", 1), ("zh→en", 0)):
        questions: dict[str, set[int]] = defaultdict(set)
        for crossing in found:
            places = (crossing.english, crossing.chinese)[at]
            if len(places) == 1 and len(key(crossing.pair[1])) >= LEAST_CROSSING:
                questions[crossing.pair[1 - at]] |= places
        language = ("en", "zh")[at]
        pool = [i for i, d in enumerate(documents) if d.lang == language]
        column = {i: c for c, i in enumerate(pool)}
        kept = [(q, frozenset(column[i] for i in r if i in column)) for q, r in questions.items()]
        kept = [(q, r) for q, r in kept if r]
        texts = tuple(f"{documents[i].title}\n{documents[i].body}" for i in pool)
        suites.append(
            Suite(f"sentence of an article {name}", tuple(q for q, _ in kept), texts, tuple(r for _, r in kept))
        )
    return suites


def twin_suites(found: Sequence[Crossing], documents: Sequence[TrainingDocument]) -> list[Suite]:
    """The title of an article put to the articles of the other language, one of which is its translation."""
    shared: Counter[tuple[int, int]] = Counter()
    for crossing in found:
        shared.update((e, z) for e in crossing.english for z in crossing.chinese if len(crossing.english) < 3)
    twins = [
        pair for pair, n in shared.items() if n >= LEAST_SHARED and documents[pair[0]].lang != documents[pair[1]].lang
    ]
    suites = []
    for name, query_at, language in (("en→zh", 0, "zh"), ("zh→en", 1, "en")):
        pool = [i for i, d in enumerate(documents) if d.lang == language]
        column = {i: c for c, i in enumerate(pool)}
        right: dict[int, set[int]] = defaultdict(set)
        for pair in twins:
            if pair[1 - query_at] in column:
                right[pair[query_at]].add(column[pair[1 - query_at]])
        texts = tuple(f"{documents[i].title}\n{documents[i].body}" for i in pool)
        suites.append(
            Suite(
                f"title of a translated article {name}",
                tuple(documents[i].title for i in right),
                texts,
                tuple(frozenset(r) for r in right.values()),
            )
        )
    return suites


def table(rows: Mapping[str, Mapping[str, Mapping[str, float]]]) -> str:
    """Markdown: one row an encoder, one column a suite, ``hit@1/3/10`` in the cells."""
    suites = list(dict.fromkeys(suite for figures in rows.values() for suite in figures))
    lines = ["| suite | n | " + " | ".join(rows) + " |", "|---" * (len(rows) + 2) + "|"]
    for suite in suites:
        n = next(int(figures[suite]["n"]) for figures in rows.values() if suite in figures)
        cells = [
            "/".join(f"{figures[suite][f'hit@{k}']:.3f}".lstrip("0") for k in KS) if suite in figures else "–"
            for figures in rows.values()
        ]
        lines.append(f"| {suite} | {n} | " + " | ".join(cells) + " |")
    return "\n".join(lines)
