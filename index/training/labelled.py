"""Labelled queries that teach the ranking: real questions, duplicate reports, and texts that are nearer to what people write.

A folder of pairs holds ``incidents.jsonl`` (write-ups), ``questions.jsonl`` (pastes, each with its ``problem``), ``near_misses.jsonl``
(write-ups with the same error and another cause) and ``unknown.jsonl`` (pastes that no write-up answers). Only the part ``train`` is read.
A duplicate report is pasted whole, and its words alone, to the engine as it was before the report.
"""

import json
import random
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from index.encoder import Encoder
from index.evaluation.labelled import Evaluation, Labelled, read_cases
from index.ranking.features import NAMES
from index.reading import read
from index.training.cases import TrainingQuery, framed
from index.training.fit import TrainingCase
from index.training.kin import Kin
from index.training.mangle import APPLICATIONS, WRAPPERS, own_frame, versions
from index.training.measured import MeasuredEngine
from index.training.timeline import Report, Timeline, read_reports, repeats
from kb.annotate import annotated
from kb.incident import Incident
from kb.record import from_record

PART = "train"


def pair_incidents(folder: Path) -> list[Incident]:
    """The write-ups of all parts, near-misses among them, by id."""
    found = [annotated(from_record(line)) for line in _lines(folder / "incidents.jsonl")]
    return sorted(found, key=lambda incident: incident.id)


def pair_queries(folder: Path) -> Iterator[TrainingQuery]:
    """Each question of the part with its answers there and left out, and the pastes that nothing answers."""
    right = answers(folder)
    for line in _mine(folder / "questions.jsonl"):
        yield TrainingQuery(
            line["text"], right[line["problem"]], frozenset(), f"asked, {line['kind']}", about=line["problem"]
        )
        yield TrainingQuery(line["text"], frozenset(), right[line["problem"]], "asked, left out", about=line["problem"])
    for line in _mine(folder / "unknown.jsonl"):
        yield TrainingQuery(line["text"], frozenset(), frozenset(), "asked, unknown", about=line["id"])


def answers(folder: Path) -> Mapping[str, frozenset[str]]:
    """Problem to the write-ups that answer it: its own, and near-misses of others that have its cause."""
    found: defaultdict[str, set[str]] = defaultdict(set)
    for line in _lines(folder / "incidents.jsonl"):
        found[line["id"]].add(line["id"])
    for line in _lines(folder / "near_misses.jsonl"):
        same = line.get("same_problem_as") or []
        for problem in [same] if isinstance(same, str) else same:
            found[problem].add(line["id"])
    return {problem: frozenset(ids) for problem, ids in found.items()}


def _mine(path: Path) -> Sequence[Mapping[str, Any]]:
    return [line for line in _lines(path) if line["part"] == PART]


def _lines(path: Path) -> list[Any]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines() if line.strip()]


def first_paste_queries(path: Path, group: str) -> Iterator[TrainingQuery]:
    """Each paste of a file with the write-ups that answer it; none answers some."""
    for line in _lines(path):
        yield TrainingQuery(line["text"], frozenset(line["answers"]), frozenset(), group, about=line["id"])


PASTED, WORDS_ALONE = "report, pasted", "report, words"
_FIRST = 0.2
"""The first reports only fill the index: there is little before them to find."""
_OTHERS = 4
"""One report of a new bug in so many is a query, and it counts for as many."""


def report_cases(pool: Sequence[Path], home: Path, encoder: Encoder, seed: int) -> Iterator[tuple[bool, TrainingCase]]:
    """(whether it shows frames, the case) of the reports of the files, which are one stream."""
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
            yield _case(engine, reports, row, (words, WORDS_ALONE), weight)
    timeline.close()


def _case(
    engine: MeasuredEngine, reports: Sequence[Report], row: int, query: tuple[str, str], weight: float
) -> tuple[bool, TrainingCase]:
    text, group = query
    reading = read(text)
    found = engine.compare(reading)
    features = np.array([one.features for one in found]).reshape(len(found), len(NAMES))
    right = np.array([reports[one.row].bug == reports[row].bug for one in found], dtype=np.bool_)
    return reading.has_outer_frames, TrainingCase(features, right, weight, group, foreign=True)


_MOST_FRAMES = 6


def excerpt(trace: str, chance: random.Random) -> str | None:
    """The root cause with two to six of its first frames above a frame or two of an application; None for a trace not of the JVM.

    One of the frames is perhaps lost, half of the excerpts stand under another wrapper.
    """
    inner = trace[max(trace.rfind("Caused by:"), 0) :].splitlines()
    first = next((at for at, line in enumerate(inner) if line.lstrip().startswith("at ")), None)
    if not first or first > _MOST_FRAMES:
        return None
    frames: list[str] = []
    for line in inner[first : first + chance.randint(2, _MOST_FRAMES)]:
        if not line.lstrip().startswith("at "):
            break
        if not frames or chance.random() > 0.15:
            frames.append(line)
    own = [f"\tat {own_frame(chance.choice(APPLICATIONS), chance)}" for _ in range(chance.randint(1, 2))]
    head = inner[:first]
    if chance.random() < 0.5:
        wrapper, frame = chance.choice(WRAPPERS)
        shown = head[0].removeprefix("Caused by: ").lstrip()
        return versions("\n".join([wrapper, frame, f"Caused by: {shown}", *head[1:], *frames, *own]), chance)
    head[0] = head[0].removeprefix("Caused by: ")
    return versions("\n".join([*head, *frames, *own]), chance)


def excerpt_queries(incidents: Sequence[Incident], seed: int) -> Iterator[TrainingQuery]:
    """An excerpt of a trace of each article, with the article there and with it and its kin left out."""
    chance = random.Random(seed)  # noqa: S311 - a repeatable choice, no secret
    kin = Kin.of(incidents)
    for incident in incidents:
        if not (shown := framed(incident)):
            continue
        trace, chain = chance.choice(shown)
        if (text := excerpt(trace, chance)) is None:
            continue
        same = kin.sharing(incident, chain)
        yield TrainingQuery(text, same, frozenset(), "excerpt")
        yield TrainingQuery(text, frozenset(), same, "excerpt, left out")


def written_queries(path: Path, evaluation: Evaluation) -> Iterator[TrainingQuery]:
    """The part ``tune`` of labelled questions, each with its incidents there and left out, and those that nothing answers."""
    for case in read_cases(path):
        if case.part != "tune":
            continue
        right = evaluation.incidents(case.expected)
        if right:
            yield TrainingQuery(case.text, right, frozenset(), f"written {case.group}")
        yield TrainingQuery(case.text, frozenset(), right, "written, left out")


def feedback_queries(cases: Iterable[Labelled], evaluation: Evaluation) -> Iterator[TrainingQuery]:
    """Texts of which readers confirmed incidents, each with these there and left out; one whose incidents are gone teaches nothing."""
    for case in cases:
        if right := evaluation.incidents(case.expected):
            yield TrainingQuery(case.text, right, frozenset(), "feedback")
            yield TrainingQuery(case.text, frozenset(), right, "feedback, left out")
