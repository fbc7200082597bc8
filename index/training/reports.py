"""Labelled queries from duplicate reports: each report pasted whole, and its words alone, to the engine as it stood before it.

Right are the reports of the same bug that came before. The reports are used for weights only, nothing of them is stored.
"""

import random
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np

from index.encoder import Encoder
from index.engine import Engine
from index.evaluation.timeline import Report, Timeline, read_reports, repeats
from index.query.reading import read
from index.ranking.features import NAMES, values_of
from index.training.fit import TrainingCase

PASTED, SAID = "report, pasted", "report, words"
_FIRST = 0.2
"""The first reports are only told: there is little before them to find."""
_OTHERS = 4
"""Of the reports of new bugs one in so many is asked, and counts for as many."""


def report_cases(pool: Sequence[Path], home: Path, encoder: Encoder, seed: int) -> Iterator[tuple[bool, TrainingCase]]:
    """(whether it shows frames, the case) of the reports of the files, which are told as one stream."""
    reports = read_reports(pool, ())
    known = repeats(reports)
    chance = random.Random(seed)  # noqa: S311 - a repeatable choice, no secret
    rows = [
        row for row in range(int(_FIRST * len(reports)), len(reports)) if known[row] or not chance.randrange(_OTHERS)
    ]
    timeline = Timeline(reports, home, encoder)
    for row, engine in timeline.questions(rows):
        weight = 1.0 if known[row] else float(_OTHERS)
        yield _case(engine, reports, row, (reports[row].paste, PASTED), weight)
        if words := "\n".join(filter(None, (reports[row].title, reports[row].text))):
            yield _case(engine, reports, row, (words, SAID), weight)
    timeline.close()


def _case(
    engine: Engine, reports: Sequence[Report], row: int, asked: tuple[str, str], weight: float
) -> tuple[bool, TrainingCase]:
    text, group = asked
    reading = read(text)
    found = engine.compare(reading)
    features = np.array([values_of(one.features) for one in found]).reshape(len(found), len(NAMES))
    right = np.array([reports[one.row].bug == reports[row].bug for one in found], dtype=np.bool_)
    return reading.has_outer_frames, TrainingCase(features, right, weight, group, foreign=True)
