"""Learns the ranker's weights: ``python -m index.training.rank --articles DIR… --questions FILE.jsonl --reports FILE.jsonl.gz --sentences FILE.jsonl.gz -o index/rules/rank.json``.

Half of the problems (by a hash of their id) teach, the other half measure; what is printed comes from the second half.
The reports are used for weights only, nothing of them is stored.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from index.encoder import load_encoder
from index.engine import Engine
from index.evaluate import Evaluation
from index.features import NAMES
from index.training import cases as made
from index.training.fit import Case, best_of, calibration_error, fit_line, fit_order, threshold
from index.training.written import excerpt_queries, written_queries
from kb.incident import Incident

FALSE_KNOWN = {"trace": 0.03, "text": 0.015}
"""Of the queries whose incident is not there, so many may be called known on the teaching half. A third of those with frames are made to
be mistaken (the same place with another message), so that of what people paste far fewer are."""
FALSE_RELATED = 0.35
SHOWN = 2.0
"""Shown is what is at least this many times as probable as an incident that agrees in nothing."""
WEIGHTS = {"report, trace": 1.0, "report, text": 0.5, "excerpt": 0.3, "excerpt, left out": 0.3}
"""Reports of one bug agree less than pastes of one incident; they teach, but do not set the calibration. Excerpts in full would make whole
traces say less: at 2 % false known 0.81 of them were known, with 0.3 0.83."""
WRITTEN = 2.0
"""Questions and traces that a person wrote count so much: there are few of them."""
CONTRIVED = ("grafted", "other message", "excerpt", "sentence", "title of an untitled article")
CONTRIVED_SHARE = 0.3
"""What was made to be hard teaches in full, and counts so much where probabilities are set: nobody pastes that many of them."""
IDLE = {"text": ("root_frames", "root_both", "chain_frames", "frame_depth")}
"""A query without frames has none to agree."""


def gathered(arguments: argparse.Namespace) -> dict[str, list[tuple[bool, Case]]]:
    """The cases by model, each with whether it teaches."""
    found: dict[str, list[tuple[bool, Case]]] = {"trace": [], "text": []}
    encoder = load_encoder(None)
    incidents = sorted((i for folder in arguments.articles for i in made.articles(folder)), key=lambda i: i.id)
    labelled = made.reports(arguments.reports)
    plain = [made.untitled(incident) for incident in incidents]
    tasks: list[tuple[Sequence[Incident], Callable[[Engine], Iterable[made.Query]]]] = [
        (
            incidents,
            lambda engine: [
                *made.trace_queries(incidents, 1, 3),
                *excerpt_queries(incidents, 9),
                *made.message_queries(incidents, 8),
                *made.grafted_queries(incidents, 4),
                *made.reworded_queries(incidents, 7),
                *made.stranger_queries(300, 5),
                *made.title_queries(incidents, 2),
                *made.sentence_queries(arguments.sentences, 400, 6),
                *written_queries(arguments.questions, Evaluation(engine)),
            ],
        ),
        (plain, lambda _: made.untitled_queries(incidents)),
        ([incident for incident, _ in labelled], lambda _: made.report_queries(labelled, 3, 500)),
    ]
    for known, queries in tasks:
        with tempfile.TemporaryDirectory() as folder:
            engine = made.engine_of(known, Path(folder), encoder)
            for query in queries(engine):
                has_frames, case = made.case_of(engine, query, weight_of(query.group))
                found["trace" if has_frames else "text"].append((query.teaches, case))
            engine.close()
    return found


def weight_of(group: str) -> float:
    """How much a query of a group counts for the weights."""
    return WRITTEN if group.startswith("written") else WEIGHTS.get(group, 1.0)


def as_often(cases: Iterable[Case]) -> list[Case]:
    """The cases with the weights that set the calibration: contrived ones less."""
    return [replace(c, weight=CONTRIVED_SHARE) if c.group.startswith(CONTRIVED) else c for c in cases]


def learned(kind: str, labelled: Sequence[tuple[bool, Case]]) -> dict[str, object]:
    """One model as it stands in rank.json; prints what it does on the measuring half."""
    idle = [NAMES.index(name) for name in IDLE.get(kind, ())]
    for _, case in labelled:
        case.features[:, idle] = 0.0
    teach = [case for teaches, case in labelled if teaches]
    measure = [case for teaches, case in labelled if not teaches]
    bias, weights = fit_order(teach, NAMES)
    weights[idle] = 0.0
    pasted = [case for case in teach if not case.group.startswith("report")]
    slope, offset = fit_line(*best_of(as_often(pasted), bias, weights))
    bias, weights = slope * bias + offset, slope * weights
    known = threshold(_absent(pasted, bias, weights), FALSE_KNOWN[kind])
    related = min(threshold(_absent(pasted, bias, weights), FALSE_RELATED), known)
    report(kind, measure, (bias, weights), (known, related))
    shown = min(SHOWN * float(probability(np.array([bias]))[0]), related)
    rounded = {name: round(float(w), 4) for name, w in zip(NAMES, weights, strict=True) if w > 0.0005}
    return {
        "bias": round(bias, 4),
        "known": round(known, 4),
        "related": round(related, 4),
        "shown": round(shown, 4),
        "weights": rounded,
    }


def _absent(cases: Sequence[Case], bias: float, weights: np.ndarray) -> np.ndarray:
    """The probabilities of the best candidates of queries whose incident is not there."""
    scores, right, _ = best_of([case for case in cases if case.group.endswith("left out")], bias, weights)
    return probability(scores[~right])


def probability(scores: np.ndarray) -> np.ndarray:
    """Log-odds to probability."""
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(scores, -40, 40))))


def report(kind: str, cases: Sequence[Case], line: tuple[float, np.ndarray], limits: tuple[float, float]) -> None:
    """Print hit@1, known and false known per group, and the calibration error."""
    sys.stdout.write(f"{kind}: {len(cases)} measured; known from {limits[0]:.3f}, related from {limits[1]:.3f}\n")
    for group in sorted({case.group for case in cases}):
        here = [case for case in cases if case.group == group]
        scores, right, _ = best_of(here, *line)
        known = probability(scores) >= limits[0]
        sys.stdout.write(
            f"  {group:32} {len(here):5}  hit@1 {right.sum() / len(here):.3f}  called known {known.sum() / len(here):.3f}  wrongly {(known & ~right).sum() / len(here):.3f}\n"
        )
    scores, right, counts = best_of(as_often(c for c in cases if not c.group.startswith("report")), *line)
    sys.stdout.write(f"  calibration error {calibration_error(probability(scores), right, counts):.3f}\n")


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--articles", type=Path, required=True, nargs="+", help="folders of articles and write-ups")
    parser.add_argument("--questions", type=Path, required=True, help="labelled questions; the part tune is read")
    parser.add_argument("--reports", type=Path, required=True)
    parser.add_argument(
        "--sentences", type=Path, required=True, help="sentences of operations text, none of them about an article"
    )
    parser.add_argument("-o", "--out", type=Path, required=True)
    arguments = parser.parse_args()
    models = {kind: learned(kind, labelled) for kind, labelled in gathered(arguments).items()}
    sources = ", ".join(
        path.name for path in (*arguments.articles, arguments.questions, arguments.reports, arguments.sentences)
    )
    provenance = f"index.training.rank on {sources}; see index/README.md"
    arguments.out.write_text(json.dumps({"provenance": provenance, **models}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
