"""Learns the ranker's weights: ``python -m index.training.rank --articles DIR --reports FILE.jsonl.gz --sentences FILE.jsonl.gz -o index/rules/rank.json``.

Half of the problems (by a hash of their id) teach, the other half measure; what is printed comes from the second half.
The reports are used for weights only, nothing of them is stored.
"""

import argparse
import json
import sys
import tempfile
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np

from index.encoder import load_encoder
from index.features import NAMES
from index.training import cases as made
from index.training.fit import Case, best_of, calibration_error, fit_line, fit_order, threshold
from kb.incident import Incident

FALSE_KNOWN = {"trace": 0.018, "text": 0.003}
"""Of the queries whose incident is not there, so many may be called known on the teaching half: below the promised 0.02. Words
alone are held to less: small knowledge bases on one subject share more words than the articles that teach."""
FALSE_RELATED = 0.35
SHOWN = 2.0
"""Shown is what is at least this many times as probable as an incident that agrees in nothing."""
WEIGHTS = {"report, trace": 1.0, "report, text": 0.5}
"""Reports of one bug agree less than pastes of one incident; they teach, but do not set the calibration."""
IDLE = {"text": ("root_frames", "root_both", "chain_frames", "frame_depth")}
"""A query without frames has none to agree."""


def gathered(arguments: argparse.Namespace) -> dict[str, list[tuple[bool, Case]]]:
    """The cases by model, each with whether it teaches."""
    found: dict[str, list[tuple[bool, Case]]] = {"trace": [], "text": []}
    encoder = load_encoder(None)
    incidents = made.articles(arguments.articles)
    labelled = made.reports(arguments.reports)
    plain = [made.untitled(incident) for incident in incidents]
    tasks: list[tuple[Sequence[Incident], Iterable[made.Query]]] = [
        (
            incidents,
            [
                *made.trace_queries(incidents, 1),
                *made.message_queries(incidents, 8),
                *made.grafted_queries(incidents, 4),
                *made.reworded_queries(incidents, 7),
                *made.stranger_queries(300, 5),
                *made.title_queries(incidents, 2),
                *made.sentence_queries(arguments.sentences, 400, 6),
            ],
        ),
        (plain, made.untitled_queries(incidents)),
        ([incident for incident, _ in labelled], made.report_queries(labelled, 3, 500)),
    ]
    for known, queries in tasks:
        with tempfile.TemporaryDirectory() as folder:
            engine = made.engine_of(known, Path(folder), encoder)
            for query in queries:
                has_frames, case = made.case_of(engine, query, WEIGHTS.get(query.group, 1.0))
                found["trace" if has_frames else "text"].append((query.teaches, case))
            engine.close()
    return found


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
    slope, offset = fit_line(*best_of(pasted, bias, weights))
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
    scores, right, counts = best_of([c for c in cases if not c.group.startswith("report")], *line)
    sys.stdout.write(f"  calibration error {calibration_error(probability(scores), right, counts):.3f}\n")


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--articles", type=Path, required=True)
    parser.add_argument("--reports", type=Path, required=True)
    parser.add_argument(
        "--sentences", type=Path, required=True, help="sentences of operations text, none of them about an article"
    )
    parser.add_argument("-o", "--out", type=Path, required=True)
    arguments = parser.parse_args()
    models = {kind: learned(kind, labelled) for kind, labelled in gathered(arguments).items()}
    sources = ", ".join(path.name for path in (arguments.articles, arguments.reports, arguments.sentences))
    provenance = f"index.training.rank on {sources}; see index/README.md"
    arguments.out.write_text(json.dumps({"provenance": provenance, **models}, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
