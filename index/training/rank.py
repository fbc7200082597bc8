"""Learns the ranker's weights from labelled queries: what ``kb rank train`` does.

Half of the problems (by a hash of their id) teach, the other half measure; the figures come from the second half.
The reports are used for weights only, nothing of them is stored.
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from index.features import NAMES
from index.training.fit import Case, best_of, calibration_error, fit_line, fit_order, threshold
from index.training.gather import KINDS, Said, Sources, gathered

FALSE_KNOWN = {"trace": 0.03, "text": 0.015}
"""Of the queries whose incident is not there, so many may be called known on the teaching half. A third of those with frames are made to
be mistaken (the same place with another message), so that of what people paste far fewer are."""
FALSE_RELATED = 0.35
SHOWN = 2.0
"""Shown is what is at least this many times as probable as an incident that agrees in nothing."""
CONTRIVED = ("grafted", "other message", "excerpt", "sentence", "title of an untitled article")
CONTRIVED_SHARE = 0.3
"""What was made to be hard teaches in full, and counts so much where probabilities are set: nobody pastes that many of them."""
IDLE = {"text": ("root_frames", "root_both", "rarest", "lines")}
"""A query without frames has none to agree."""
_LINES = NAMES.index("lines")
"""The mangled traces all have other lines, as of another release: what equal lines tell, the reports teach alone."""


def train(sources: Sources, work: Path, out: Path, said: Said) -> None:
    """Write the weights that the sources teach. What is gathered already lies in ``work`` and is not asked again."""
    found = gathered(sources, work, said)
    models = {kind: learned(kind, [(g.teaches, g.case) for g in found if g.kind == kind], said) for kind in KINDS}
    provenance = f"kb rank train on {sources.names}; see index/README.md"
    out.write_text(json.dumps({"provenance": provenance, **models}, indent=1) + "\n", encoding="utf-8")


def as_often(cases: Iterable[Case]) -> list[Case]:
    """The cases with the weights that set the calibration: contrived ones less."""
    return [replace(c, weight=CONTRIVED_SHARE) if c.group.startswith(CONTRIVED) else c for c in cases]


def learned(kind: str, labelled: Sequence[tuple[bool, Case]], said: Said) -> dict[str, object]:
    """One model as it stands in rank.json; says what it does on the measuring half."""
    idle = [NAMES.index(name) for name in IDLE.get(kind, ())]
    for _, case in labelled:
        case.features[:, idle] = 0.0
        if not case.foreign:
            case.features[:, _LINES] = 0.0
    teach = [case for teaches, case in labelled if teaches]
    measure = [case for teaches, case in labelled if not teaches]
    bias, weights = fit_order(teach, NAMES)
    weights[idle] = 0.0
    pasted = [case for case in teach if not case.group.startswith("report")]
    slope, offset = fit_line(*best_of(as_often(pasted), bias, weights))
    bias, weights = slope * bias + offset, slope * weights
    known = threshold(_absent(pasted, bias, weights), FALSE_KNOWN[kind])
    related = min(threshold(_absent(pasted, bias, weights), FALSE_RELATED), known)
    said(report(kind, measure, (bias, weights), (known, related)))
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


def report(kind: str, cases: Sequence[Case], line: tuple[float, np.ndarray], limits: tuple[float, float]) -> str:
    """hit@1, known and false known per group, and the calibration error, as a table."""
    table = [f"{kind}: {len(cases)} measured; known from {limits[0]:.3f}, related from {limits[1]:.3f}"]
    for group in sorted({case.group for case in cases}):
        here = [case for case in cases if case.group == group]
        scores, right, _ = best_of(here, *line)
        known = probability(scores) >= limits[0]
        shares = [count.sum() / len(here) for count in (right, known, known & ~right)]
        told = "hit@1 {:.3f}  called known {:.3f}  wrongly {:.3f}".format(*shares)
        table.append(f"  {group:32} {len(here):5}  {told}")
    scores, right, counts = best_of(as_often(cases), *line)
    table.append(f"  calibration error {calibration_error(probability(scores), right, counts):.3f}")
    return "\n".join(table)
