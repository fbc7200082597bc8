"""Labelled queries from real questions: what people pasted, and the write-ups of the same problems as others met them.

A folder of pairs holds ``incidents.jsonl`` (write-ups), ``questions.jsonl`` (pastes, each with its ``problem``), ``near_misses.jsonl``
(write-ups with the same error and another cause) and ``unknown.jsonl`` (pastes that no write-up answers). Only the part ``train`` is read.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from index.training.cases import TrainingQuery
from kb.entities.annotate import annotated
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
