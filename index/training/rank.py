"""Learns the ranker's weights from labelled queries: what ``kb rank train`` does.

Real questions teach all they have; of what is made of articles half of the problems (by a hash of their id) teach and the other half
measures. The reports are used for weights only, nothing of them is stored.
"""

import json
from collections.abc import Sequence
from dataclasses import asdict, astuple, replace
from pathlib import Path

import numpy as np
import numpy.typing as npt

from index.ranking import rank
from index.ranking.features import NAMES
from index.ranking.rank import BASE, BetaCalibration
from index.training.fit import (
    DIGITS,
    Array,
    TrainingCase,
    best_of,
    calibration_error,
    fit_beta,
    fit_line,
    fit_order,
    fold_of,
    leads_of,
    threshold,
)
from index.training.gather import KINDS, PASTED_FIRST, GatheredCase, Log, Sources, gathered
from index.training.lifelike import GROUP as LIFELIKE

FALSE_KNOWN = 0.03
"""Share of the real pastes without an answer that may be called known. Some of them are as close to a write-up as two reports of one problem."""
FALSE_RELATED = 0.4
PROBABLE = 0.5
"""Probably the one is what is more likely the one than not."""
_LEAST = 0.0005
"""What weighs less is not written."""
FOLDS = 5
"""Real questions are dealt to so many folds by their problem to calibrate probabilities."""
REAL = "asked"
"""The group of the real questions. They and first pastes set the probabilities, with answers as often as they had one: nobody pastes altered copies.
Thresholds are set on the questions alone, put to their write-ups: half of what is near them there is another cause."""
_SILENT, _LINES = NAMES.index("silent"), NAMES.index("lines")
"""The mangled traces all have other lines, as of another release: what equal lines tell, reports and untouched parts of traces teach."""
_BASE = [NAMES.index(name) for name in BASE]
_AGREEING = [name for name in NAMES if name not in BASE]
DESIGN = (*(f"framed {name}" for name in _AGREEING), *(f"alone {name}" for name in _AGREEING), *BASE)
"""The columns of `designed`."""


def train(sources: Sources, work: Path, out: Path, log: Log) -> None:
    """Write the weights that the sources teach. What was gathered before lies in ``work`` and is not computed again.

    The weights that ``out`` holds teach nothing, so it does not matter which features they name.
    """
    if gone := sorted(_weighed(out) - set(NAMES)):
        log(f"{out} weighs features that are no more ({', '.join(gone)}): all weights are fitted anew")
    found = gathered(sources, work, log)
    provenance = f"kb rank train on {sources.names}; see index/README.md"
    out.write_text(json.dumps({"provenance": provenance, **learned(found, log)}, indent=1) + "\n", encoding="utf-8")


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
    rest = np.delete(features, _BASE, axis=1)
    return np.hstack([rest * (1.0 - silent), rest * silent, features[:, _BASE]])


def learned(found: Sequence[GatheredCase], log: Log) -> dict[str, object]:
    """Return the model in the shape of rank.json; log its figures on the measuring half."""
    for one in found:
        if not one.case.foreign and not one.case.group.startswith(LIFELIKE):
            one.case.features[:, _LINES] = 0.0
    cases = [(one, replace(one.case, features=designed(one.case.features))) for one in found if one.case.weight]
    teach = [case for one, case in cases if one.teaches]
    bias, weights = _rounded(*summed(teach))
    pasted = [case for _, case in cases if case.group.startswith(PASTED_FIRST)]
    parts = zip(not_learned(teach), found_by(pasted, bias, weights), strict=True)
    fitted = fit_beta(*(np.concatenate(column) for column in parts))
    map_ = BetaCalibration(*(round(value, DIGITS) for value in astuple(fitted)))
    model = (bias, weights, map_)
    absent = called([case for case in teach if case.group == "asked, unknown" and case.weight == 1.0], model)
    known = threshold(absent, FALSE_KNOWN)
    probable = min(PROBABLE, known)
    related = min(threshold(absent, FALSE_RELATED), probable)
    for kind in KINDS:
        here = [case for one, case in cases if one.kind == kind and (not one.teaches or case.group.startswith(REAL))]
        log(report(kind, here, model, (known, related)))
    named = dict(zip(DESIGN, weights.tolist(), strict=True))
    base = {name: named[name] for name in BASE}
    least = rank.probability(map_(bias + max(base["silent"], 0.0)))
    return {
        "bias": bias,
        **base,
        "known": known,
        "probable": probable,
        "related": related,
        "shown": round(min(rank.SHOWN * least, related), DIGITS),
        "calibration": asdict(map_),
        **{key: _named(named, start) for key, start in (("weights", "framed "), ("alone", "alone "))},
    }


def summed(teach: Sequence[TrainingCase]) -> tuple[float, Array]:
    """(bias, weights) of log-odds: the order that all of them teach, on the line of the real questions among them."""
    bias, weights = fit_order(teach, DESIGN)
    slope, offset = fit_line(*best_of([case for case in teach if is_real_question(case)], bias, weights))
    return slope * bias + offset, slope * weights


def is_real_question(case: TrainingCase) -> bool:
    """Return whether a case is a real question, unaltered: with its answer there, or without one."""
    return case.group.startswith(REAL) and not case.group.endswith("left out")


def found_by(
    cases: Sequence[TrainingCase], bias: float, weights: Array
) -> tuple[Array, npt.NDArray[np.bool_], Array, Array]:
    """`best_of` the cases, and `leads_of` them."""
    return *best_of(cases, bias, weights), leads_of(cases, bias, weights)


def not_learned(teach: Sequence[TrainingCase]) -> tuple[Array, npt.NDArray[np.bool_], Array, Array]:
    """`found_by` the real questions, each by weights that learned nothing of its problem."""
    parts = []
    for fold in range(FOLDS):
        held = [case for case in teach if is_real_question(case) and fold_of(case, FOLDS) == fold]
        rest = [case for case in teach if not case.problem or fold_of(case, FOLDS) != fold]
        parts.append(found_by(held, *summed(rest)))
    scores, right, counts, leads = (np.concatenate(column) for column in zip(*parts, strict=True))
    return scores, right, counts, leads


def _rounded(bias: float, weights: Array) -> tuple[float, Array]:
    """The sum as it is written."""
    return round(bias, DIGITS), np.where(np.abs(weights) > _LEAST, np.round(weights, DIGITS), 0.0)


def _named(named: dict[str, float], start: str) -> dict[str, float]:
    return {name: weight for name in _AGREEING if (weight := named[f"{start}{name}"])}


def probability(scores: Array, map_: BetaCalibration, leads: Array | float = 0.0) -> Array:
    """Sums of log-odds and leads to calibrated probabilities."""
    both = zip(scores.tolist(), np.broadcast_to(leads, scores.shape).tolist(), strict=True)
    return np.array([rank.probability(map_(score, ahead)) for score, ahead in both])


def called(cases: Sequence[TrainingCase], model: tuple[float, Array, BetaCalibration]) -> Array:
    """The probability of the best candidate of each query that has one."""
    bias, weights, map_ = model
    scores, _, _, leads = found_by(cases, bias, weights)
    return probability(scores, map_, leads)


def report(
    kind: str,
    cases: Sequence[TrainingCase],
    model: tuple[float, Array, BetaCalibration],
    limits: tuple[float, float],
) -> str:
    """hit@1, known and false known per group, and the calibration error, as a table."""
    bias, weights, _ = model
    table = [f"{kind}: {len(cases)} measured; known from {limits[0]:.3f}, related from {limits[1]:.3f}"]
    for group in sorted({case.group for case in cases}):
        here = [case for case in cases if case.group == group]
        right = best_of(here, bias, weights)[1]
        known = called(here, model) >= limits[0]
        shares = [count.sum() / len(here) for count in (right, known, known & ~right)]
        figures = "hit@1 {:.3f}  called known {:.3f}  wrongly {:.3f}".format(*shares)
        table.append(f"  {group:32} {len(here):5}  {figures}")
    _, right, counts = best_of(cases, bias, weights)
    table.append(f"  calibration error {calibration_error(called(cases, model), right, counts):.3f}")
    return "\n".join(table)
