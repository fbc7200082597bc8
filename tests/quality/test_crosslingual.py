"""Suite (c): a text in one language, its translation among all texts of the other, by vectors alone.

Pairs of documents that no training has seen (`../shared/parallel/heldout.jsonl.gz`), and titles of articles that exist in both
languages. Identifiers stand on both sides of most pairs, so those without a common Latin word are scored apart. Floors hold what the
present encoder does.
"""

import gzip
import json
import re
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

from index.encoder import Encoder, load_encoder

pytestmark = pytest.mark.quality

Figure = Callable[..., None]

HELDOUT_HIT_1 = {"en to zh": 0.91, "zh to en": 0.93}
TITLES_HIT_3 = 0.80
DEPTHS = (1, 3, 10)
_LATIN = re.compile(r"[a-z][a-z0-9]+|\d{2,}", re.IGNORECASE)
_HAN = re.compile(r"[\u3400-\u9fff]")
_LANGUAGE = re.compile(
    r"(?<![a-z])(?:cn\.zh-cn|intl\.(?:zh-cn|en-us)|source_(?:zh_cn|en)|zh-hans|zh[-_]cn|en-us|zh|cn|en)(?![a-z])"
)


@pytest.fixture(scope="module")
def encoder() -> Encoder:
    return load_encoder(None)


def hits(likeness: np.ndarray, right: Sequence[frozenset[int]]) -> dict[int, float]:
    """Depth → share of rows with a right column among the nearest."""
    order = np.argsort(-likeness, axis=1, kind="stable")[:, : max(DEPTHS)]
    return {
        depth: sum(bool(set(row[:depth].tolist()) & wanted) for row, wanted in zip(order, right, strict=True))
        / len(right)
        for depth in DEPTHS
    }


def latin(text: str) -> set[str]:
    return {word.lower() for word in _LATIN.findall(text)}


def test_heldout_pairs(encoder: Encoder, shared_data: Path, figure: Figure) -> None:
    with gzip.open(shared_data / "parallel/heldout.jsonl.gz", "rt", encoding="utf-8") as lines:
        pairs = [json.loads(line) for line in lines]
    vectors = {lang: encoder.encode([pair[lang] for pair in pairs]) for lang in ("en", "zh")}
    texts = {lang: [pair[lang] for pair in pairs] for lang in ("en", "zh")}
    apart = [at for at, pair in enumerate(pairs) if not latin(pair["en"]) & latin(pair["zh"])]
    figure("crosslingual.pairs", len(pairs))
    figure("crosslingual.pairs.no common Latin word", len(apart))
    for source, target in (("en", "zh"), ("zh", "en")):
        named = f"{source} to {target}"
        likeness = vectors[source] @ vectors[target].T
        right = _same_texts(texts[target])
        for depth, share in hits(likeness, right).items():
            floor = HELDOUT_HIT_1[named] if depth == 1 else None
            figure(f"crosslingual.hit_at_{depth}.{named}", share, floor=floor)
        for depth, share in hits(likeness[apart], [right[at] for at in apart]).items():
            figure(f"crosslingual.hit_at_{depth}.{named}, no common Latin word", share)


def _same_texts(texts: Sequence[str]) -> list[frozenset[int]]:
    """For each text the places of equal ones: a heading that stands in two documents has two right answers."""
    places: defaultdict[str, set[int]] = defaultdict(set)
    for at, text in enumerate(texts):
        places[text].add(at)
    return [frozenset(places[text]) for text in texts]


def twins(rows: Sequence[dict[str, str]]) -> list[tuple[list[str], list[str]]]:
    """Titles of articles whose paths differ in the language alone: (Chinese titles, English titles)."""
    groups: defaultdict[str, dict[str, list[str]]] = defaultdict(lambda: {"zh": [], "en": []})
    for row in rows:
        path = _LANGUAGE.sub("*", row["path"].lower())
        if row["lang"] == "zh" and _HAN.search(row["title"]):
            groups[path]["zh"].append(row["title"])
        elif row["lang"] == "en" and row["title"]:
            groups[path]["en"].append(row["title"])
    return [(found["zh"], found["en"]) for found in groups.values() if found["zh"] and found["en"]]


def test_titles_of_articles_in_both_languages(encoder: Encoder, shared_data: Path, figure: Figure) -> None:
    rows = [json.loads(line) for line in (shared_data / "articles.jsonl").read_text(encoding="utf-8").splitlines()]
    pairs = twins(rows)
    assert len(pairs) >= 50
    titles = {lang: sorted({row["title"] for row in rows if row["lang"] == lang}) for lang in ("zh", "en")}
    vectors = {lang: encoder.encode(found) for lang, found in titles.items()}
    shares: list[float] = []
    for source, target in (("en", "zh"), ("zh", "en")):
        asked = [(title, pair[target == "en"]) for pair in pairs for title in pair[source == "en"]]
        at = {title: place for place, title in enumerate(titles[target])}
        right = [frozenset(at[one] for one in answers) for _, answers in asked]
        found = hits(encoder.encode([title for title, _ in asked]) @ vectors[target].T, right)
        for depth, share in found.items():
            figure(f"crosslingual.titles.hit_at_{depth}.{source} to {target}", share)
        shares.append(found[3])
    figure("crosslingual.titles", sum(len(pair[0]) + len(pair[1]) for pair in pairs))
    figure("crosslingual.titles.hit_at_3", sum(shares) / 2, floor=TITLES_HIT_3)
