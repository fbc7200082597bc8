"""Incidents, what happens to them after the snapshot was built, and engines over both: for the tests of the overlay."""

import random
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pyarrow as pa
import pytest

from index import Answer
from index.build import build
from index.encoder import load_encoder
from index.entry import entries
from index.training.mangle import KINDS
from index.training.measured import MeasuredEngine
from kb.article import read_article
from kb.incident import Incident, Status
from kb.record import from_record
from kb.store import IncidentChange
from tests.bundled import write_ups

from .conftest import records

ENCODER = load_encoder(None)
TOLERANCE = 1e-6
"""Of probabilities: cosines are summed in single precision, by another routine in a snapshot than in memory."""
SAMPLE = Path(__file__).parent / "runtimes"
_ENTRIES: dict[int, tuple[Incident, pa.RecordBatch]] = {}
"""Each beside its incident, which so keeps its identity."""
EDITS = ("rewritten", "retired", "drafted", "removed", "duplicate", "untouched", "added")


@cache
def incidents(one_in: int = 3) -> tuple[Incident, ...]:
    """Small incidents, faults of every runtime, and every third write-up of the corpus: two engines answer the traces of all."""
    own = {str(row["id"]) for row in records()}
    written = sorted((one for one in write_ups() if one.id not in own), key=lambda one: one.id)[::one_in]
    faults = [
        one
        for path in sorted(SAMPLE.glob("*/incident.md"))
        for one in read_article(path.read_bytes(), path.parent.name + ".md").incidents
    ]
    return tuple(sorted([*written, *faults, *(from_record(row) for row in records())], key=lambda one: one.id))


def edited(incident: Incident, how: str, others: Sequence[Incident], chance: random.Random) -> Incident | None:
    """The incident as it is saved after the snapshot; None when it is removed."""
    other = chance.choice([one for one in others if one.id != incident.id])
    match how:
        case "rewritten":  # another problem's traces under this id
            return replace(incident, traces=other.traces, chains=other.chains, symptom=f"{other.symptom} zzqxword")
        case "retired" | "drafted":
            return replace(incident, status=Status.RETIRED if how == "retired" else Status.DRAFT)
        case "duplicate":
            return replace(incident, duplicate_of=other.id)
        case "removed":
            return None
    return incident


@dataclass(frozen=True)
class World:
    """Incidents of a snapshot, what happened to them since, and how they are in the end."""

    every: tuple[Incident, ...]
    base: tuple[Incident, ...]
    changes: tuple[IncidentChange, ...]
    end: tuple[Incident, ...]

    @classmethod
    def of(cls, seed: int, share: float = 0.5, one_in: int = 3) -> "World":
        chance = random.Random(seed)
        every = incidents(one_in)
        hows = {one.id: chance.choice(EDITS) if chance.random() < share else "untouched" for one in every}
        after = {one.id: edited(one, hows[one.id], every, chance) for one in every}
        touched = [one.id for one in every if hows[one.id] != "untouched"]
        chance.shuffle(touched)
        twice = chance.sample(touched, len(touched) // 4)  # saved once before, otherwise
        first = [(i, edited(next(o for o in every if o.id == i), chance.choice(EDITS), every, chance)) for i in twice]
        told = [*first, *((i, after[i]) for i in touched)]
        return cls(
            every=every,
            base=tuple(one for one in every if hows[one.id] != "added"),
            changes=tuple(IncidentChange(at, i, incident) for at, (i, incident) in enumerate(told, 1)),
            end=tuple(one for one in after.values() if one is not None),
        )

    @property
    def questions(self) -> list[str]:
        """Every title, every trace, and traces as others paste them."""
        chance = random.Random(7)
        traces = [trace for one in self.every for trace in one.traces]
        mangled = [KINDS[kind](trace, chance) for kind in sorted(KINDS) for trace in chance.sample(traces, 4)]
        return [*(one.title for one in self.every), *traces, *mangled, "zzqxword"]


def opened(home: Path, told: Iterable[Incident]) -> MeasuredEngine:
    rows = sorted(told, key=lambda one: one.id)
    build([entries([], ENCODER), *map(_entry_of, rows)], home, ENCODER)
    return MeasuredEngine.open(home)


def _entry_of(incident: Incident) -> pa.RecordBatch:
    """The entry of an incident, made once: worlds share most of theirs."""
    if id(incident) not in _ENTRIES:
        _ENTRIES[id(incident)] = incident, entries([incident], ENCODER)
    return _ENTRIES[id(incident)][1]


def said(answer: Answer) -> tuple[object, ...]:
    """What must be equal exactly."""
    matches = [
        (m.incident, m.also, [(e.kind, e.summary, e.query_at, e.incident_at) for e in m.evidence])
        for m in answer.matches
    ]
    return (answer.query, answer.verdict, answer.notes, matches)


def likely(answer: Answer) -> list[float]:
    return [match.probability for match in answer.matches] + [e.weight for m in answer.matches for e in m.evidence]


def assert_equal(one: Answer, other: Answer) -> None:
    assert said(one) == said(other)
    assert likely(one) == pytest.approx(likely(other), abs=TOLERANCE)


TRACE = "java.lang.IllegalStateException: {said}\n\tat com.shop.{place}.run({place}.java:4)\n\tat com.shop.{place}Door.open({place}Door.java:9)\n"


def shop(incident_id: str, place: str, said: str = "no basket left here", **more: object) -> Incident:
    return from_record(
        {"id": incident_id, "title": f"{place} broke", "traces": [TRACE.format(place=place, said=said)], **more}
    )


def ids(engine: MeasuredEngine, text: str) -> list[str]:
    return [match.incident.id for match in engine.search(text, 50).matches]
