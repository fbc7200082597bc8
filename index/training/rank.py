"""Learns the ranker's weights from labelled queries: what ``kb rank train`` does.

Real questions teach all they have; of what is made of articles half of the problems (by a hash of their id) teach and the other half
measures. The reports are used for weights only, nothing of them is stored.
"""

import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from index.ranking.features import NAMES
from index.training.fit import Array, TrainingCase, best_of, calibration_error, fit_line, fit_order, threshold
from index.training.gather import KINDS, GatheredCase, Said, Sources, gathered
from index.training.lifelike import GROUP as LIFELIKE

FALSE_KNOWN = 0.03
"""Share of the real pastes without an answer that may be called known. Some of them are as close to a write-up as two reports of one problem."""
FALSE_RELATED = 0.4
PROBABLE = 0.5
"""Probably the one is what is more likely the one than not."""
SHOWN = 1.5
"""Shown is what is at least this many times as probable as an incident that agrees in nothing."""
ASKED = "asked"
"""Probabilities are set on real questions alone, as often answered as they came: nobody pastes altered copies."""
_SILENT, _LINES = NAMES.index("silent"), NAMES.index("lines")
"""The mangled traces all have other lines, as of another release: what equal lines tell, reports and untouched parts of traces teach."""
DESIGN = (*(f"framed {name}" for name in NAMES if name != "silent"), *(f"alone {name}" for name in NAMES))
"""The columns of `designed`."""


def train(sources: Sources, work: Path, out: Path, said: Said) -> None:
    """Write the weights that the sources teach. What is gathered already lies in ``work`` and is not asked again.

    The weights that ``out`` holds teach nothing, so it does not matter which features they name.
    """
    if gone := sorted(_weighed(out) - set(NAMES)):
        said(f"{out} weighs features that are no more ({', '.join(gone)}): all weights are fitted anew")
    found = gathered(sources, work, said)
    provenance = f"kb rank train on {sources.names}; see index/README.md"
    out.write_text(json.dumps({"provenance": provenance, **learned(found, said)}, indent=1) + "\n", encoding="utf-8")


def _weighed(path: Path) -> set[str]:
    """The features that a file of weights names; none where it cannot be read."""
    try:
        held = json.loads(path.read_text(encoding="utf-8"))
        return {*held["weights"], *held["alone"]}
    except (OSError, ValueError, LookupError, TypeError):
        return set()


def designed(features: Array) -> Array:
    """The columns that the two sums of `index.ranking.rank.RankModel` weigh, shape (candidates, DESIGN)."""
    silent = features[:, [_SILENT]]
    rest = np.delete(features, _SILENT, axis=1)
    return np.hstack([rest * (1.0 - silent), rest * silent, silent])


def learned(found: Sequence[GatheredCase], said: Said) -> dict[str, object]:
    """The model as it stands in rank.json; says what it does on the measuring half."""
    for one in found:
        if not one.case.foreign and not one.case.group.startswith(LIFELIKE):
            one.case.features[:, _LINES] = 0.0
    cases = [(one, replace(one.case, features=designed(one.case.features))) for one in found if one.case.weight]
    teach = [case for one, case in cases if one.teaches]
    bias, weights = fit_order(teach, DESIGN)
    questions = [case for case in teach if case.group.startswith(ASKED) and not case.group.endswith("left out")]
    slope, offset = fit_line(*best_of(questions, bias, weights))
    bias, weights = slope * bias + offset, slope * weights
    absent = probability(best_of([case for case in questions if case.group == "asked, unknown"], bias, weights)[0])
    known = threshold(absent, FALSE_KNOWN)
    probable = min(PROBABLE, known)
    related = min(threshold(absent, FALSE_RELATED), probable)
    for kind in KINDS:
        here = [case for one, case in cases if one.kind == kind and (not one.teaches or case.group.startswith(ASKED))]
        said(report(kind, here, (bias, weights), (known, related)))
    least = float(probability(np.array([bias, bias + weights[-1]])).max())
    named = dict(zip(DESIGN, weights, strict=True))
    return {
        "bias": round(bias, 4),
        "silent": round(float(named["alone silent"]), 4),
        "known": round(known, 4),
        "probable": round(probable, 4),
        "related": round(related, 4),
        "shown": round(min(SHOWN * least, related), 4),
        **{key: _rounded(named, start) for key, start in (("weights", "framed "), ("alone", "alone "))},
    }


def _rounded(named: dict[str, float], start: str) -> dict[str, float]:
    found = {name: named[f"{start}{name}"] for name in NAMES if name != "silent"}
    return {name: round(float(weight), 4) for name, weight in found.items() if weight > 0.0005}


def probability(scores: np.ndarray) -> np.ndarray:
    """Log-odds to probability."""
    return np.asarray(1.0 / (1.0 + np.exp(-np.clip(scores, -40, 40))))


def report(
    kind: str, cases: Sequence[TrainingCase], line: tuple[float, np.ndarray], limits: tuple[float, float]
) -> str:
    """hit@1, known and false known per group, and the calibration error, as a table."""
    table = [f"{kind}: {len(cases)} measured; known from {limits[0]:.3f}, related from {limits[1]:.3f}"]
    for group in sorted({case.group for case in cases}):
        here = [case for case in cases if case.group == group]
        scores, right, _ = best_of(here, *line)
        known = probability(scores) >= limits[0]
        shares = [count.sum() / len(here) for count in (right, known, known & ~right)]
        figures = "hit@1 {:.3f}  called known {:.3f}  wrongly {:.3f}".format(*shares)
        table.append(f"  {group:32} {len(here):5}  {figures}")
    scores, right, counts = best_of(cases, *line)
    table.append(f"  calibration error {calibration_error(probability(scores), right, counts):.3f}")
    return "\n".join(table)
