"""Tunes the published methods on the older part of each set: `python -m tests.quality.duplicates.tuning FOLDER` writes parameters.json.

What stands there is not tuned again. A seeded random search, each try measured by RR@1 + MRR + AUC over the younger half of the tune questions. The newer part (`*.test`) is not opened.
"""

import argparse
import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from random import Random

from index.training.protocol import QuestionOutcome, collapsed, figures, outcome
from index.training.timeline import Report, read_reports, repeats
from tests.quality.duplicates.bm25 import Bm25
from tests.quality.duplicates.corpus import Stacks, stacks_of
from tests.quality.duplicates.fast import Fast
from tests.quality.duplicates.signature import Signature
from tests.quality.duplicates.tfidf import TfIdf
from tests.quality.duplicates.tracesim import TraceSim

SETS = {
    "apache_jira": ("apache_jira",),
    "apache_jira+metoo": ("apache_jira", "apache_jira_metoo"),
    "eclipse_bugzilla": ("eclipse_bugzilla",),
}
"""Name → the files that are pooled."""
PARAMETERS = Path(__file__).with_name("parameters.json")
Method = TfIdf | Bm25 | Fast | TraceSim | Signature

FIELDS = (("functions",), ("functions", "types"), ("functions", "types", "said"))
_EVERY = 3
"""Of the questions about new bugs, one in so many is asked when tuning."""


def tfidf(chance: Random) -> TfIdf:
    """One try."""
    return TfIdf(
        chance.choice(FIELDS), chance.choice((1.0, 2.0, 3.0)), chance.random() < 0.5, chance.choice((0.0, 1.0))
    )


def bm25(chance: Random) -> Bm25:
    """One try."""
    fields = chance.choice((*FIELDS, (*FIELDS[-1], "words")))
    return Bm25(fields, round(chance.uniform(0.2, 3.0), 2), round(chance.uniform(0.0, 1.0), 2))


def fast(chance: Random) -> Fast:
    """One try."""
    return Fast(*_weights(chance), chance.random() < 0.5)


def tracesim(chance: Random) -> TraceSim:
    """One try; candidates by FaST with the same weights."""
    alpha, beta, gamma = _weights(chance)
    root_first = chance.random() < 0.5
    return TraceSim(alpha, beta, gamma, root_first, Fast(alpha, beta, gamma, root_first))


def _weights(chance: Random) -> tuple[float, float, float]:
    """Alpha, beta, gamma, each over three decades."""
    alpha, beta, gamma = (round(10 ** chance.uniform(*decades), 4) for decades in ((-2, 0.5), (-2, 1), (-3, 0)))
    return alpha, beta, gamma


SEARCHES: dict[str, tuple[Callable[[Random], Method], int]] = {
    "tfidf": (tfidf, 24),
    "bm25": (bm25, 20),
    "fast": (fast, 40),
    "tracesim": (tracesim, 20),
}
"""Name → one try, and how many."""
CLASSES: dict[str, type[Method]] = {
    "tfidf": TfIdf,
    "bm25": Bm25,
    "fast": Fast,
    "tracesim": TraceSim,
    "signature": Signature,
}


def asked(
    method: Method, reports: Sequence[Report], stacks: Sequence[Stacks], rows: Sequence[int]
) -> list[QuestionOutcome]:
    """The outcome of each question."""
    index, known = method.over(stacks), repeats(reports)
    bugs = [report.bug for report in reports]
    floor = 0.0 if isinstance(method, TfIdf | Bm25 | Signature) else -1.0
    outcomes = []
    for row in rows:
        scores = index.scores(row)
        listed = (scores > floor).nonzero()[0].tolist()
        found = collapsed([bugs[other] for other in listed], scores[listed].tolist())
        outcomes.append(outcome(found, bugs[row], is_duplicate=known[row]))
    return outcomes


def read_method(name: str, parameters: dict[str, object]) -> Method:
    """A method as it stands in parameters.json."""
    made = {key: tuple(value) if isinstance(value, list) else value for key, value in parameters.items()}
    if isinstance(inner := made.get("candidates"), dict):
        made["candidates"] = Fast(**inner)
    return CLASSES[name](**made)  # type: ignore[arg-type]


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    best: dict[str, dict[str, object]] = (
        json.loads(PARAMETERS.read_text(encoding="utf-8")) if PARAMETERS.exists() else {}
    )
    for set_name, names in SETS.items():
        reports = read_reports([folder / f"{name}.tune.jsonl.gz" for name in names], [])
        stacks, known = [stacks_of(report) for report in reports], repeats(reports)
        rows = [row for row in range(len(reports) // 2, len(reports)) if known[row] or row % _EVERY == 0]
        best.setdefault(set_name, {})
        for name, (attempt, tries) in SEARCHES.items():
            if name in best[set_name]:
                continue
            chance = Random(f"{set_name} {name}")
            tried = []
            for method in (attempt(chance) for _ in range(tries)):
                got = figures(asked(method, reports, stacks, rows))
                tried.append((got["rr_at_1"] + got["mrr"] + got["auc"], method, got))
            _, method, got = max(tried, key=lambda one: one[0])
            best[set_name][name] = asdict(method)
            sys.stdout.write(f"{set_name} {name} {got} {method}\n")
            sys.stdout.flush()
            PARAMETERS.write_text(json.dumps(best, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
