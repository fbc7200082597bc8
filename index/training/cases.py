"""Labelled queries for the ranker, made from articles and from duplicate reports.

Every case is one query, the features of its candidates in a snapshot, and which of them are right. From articles: their
traces as others would paste them (`mangle`), titles as questions put to articles without titles, and the same with the
article left out. From reports: the trace of a report, right are the reports of the same bug that came before.
"""

import gzip
import json
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import astuple, dataclass, replace
from pathlib import Path

import numpy as np

from index.build import build
from index.encoder import Encoder
from index.engine import Engine
from index.entry import entries
from index.features import NAMES
from index.reading import read
from index.training.fit import Case
from index.training.mangle import KINDS
from kb.article import read_article
from kb.incident import Incident
from kb.record import from_record
from kb.trace import Level, fingerprints

BATCH = 200


def articles(folder: Path) -> list[Incident]:
    """Every incident of every article below the folder, by id."""
    paths = sorted(p for p in folder.rglob("*") if p.is_file())
    found = [i for path in paths for i in read_article(path.read_bytes(), str(path.relative_to(folder))).incidents]
    return sorted({i.id: i for i in found}.values(), key=lambda i: i.id)


def reports(path: Path) -> list[tuple[Incident, str]]:
    """(incident, bug) of every report of a file of duplicate reports, oldest first."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        raw = sorted((json.loads(line) for line in lines), key=lambda r: r["created"])
    return [
        (
            from_record(
                {"id": r["id"], "title": r["title"] or r["id"], "prose": r["text"] or "", "traces": [r["trace"]]}
            ),
            r["bug_group"],
        )
        for r in raw
    ]


def engine_of(incidents: Sequence[Incident], home: Path, encoder: Encoder) -> Engine:
    """A snapshot of the incidents, opened."""
    batches = (entries(incidents[i : i + BATCH], encoder) for i in range(0, len(incidents), BATCH))
    build(batches, home, encoder)
    return Engine.open(home)


@dataclass(frozen=True, slots=True)
class Query:
    """One question with its answers."""

    text: str
    right: frozenset[str]
    """Incidents that answer it."""
    absent: frozenset[str]
    """Incidents that the engine is made to forget for this query."""
    group: str


def case_of(engine: Engine, query: Query, weight: float = 1.0) -> tuple[bool, Case]:
    """(whether the trace model answers it, the case)."""
    reading = read(query.text)
    found = [(engine.id_of(c.row), c) for c in engine.compare(reading)]
    kept = [(incident_id, c) for incident_id, c in found if incident_id not in query.absent]
    features = np.array([astuple(c.features) for _, c in kept]).reshape(len(kept), len(NAMES))
    right = np.array([incident_id in query.right for incident_id, _ in kept], dtype=np.bool_)
    return reading.has_frames, Case(features, right, weight, query.group)


def trace_queries(incidents: Sequence[Incident], seed: int, kinds: int = 2) -> Iterator[Query]:
    """Traces of articles, mangled, with the article there and with it left out (with all that share its root cause)."""
    chance = random.Random(seed)  # noqa: S311 - a repeatable choice, no secret
    owners: dict[str, set[str]] = {}
    for incident in incidents:
        for chain in incident.chains:
            owners.setdefault(fingerprints(chain)[Level.ROOT_CAUSE].digest, set()).add(incident.id)
    for incident in incidents:
        pairs = [
            (t, c) for t, c in zip(incident.traces, incident.chains, strict=False) if len(c.root.stack.frames) >= 3
        ]
        if not pairs:
            continue
        trace, chain = chance.choice(pairs)
        same = frozenset(owners[fingerprints(chain)[Level.ROOT_CAUSE].digest])
        for kind in chance.sample(sorted(KINDS), kinds):
            text = KINDS[kind](trace, chance)
            yield Query(text, same, frozenset(), kind)
            yield Query(text, frozenset(), same, f"{kind}, left out")


def title_queries(incidents: Iterable[Incident], seed: int) -> Iterator[Query]:
    """Titles as questions: seven words of ten, with the article there and with it left out."""
    chance = random.Random(seed)  # noqa: S311
    for incident in incidents:
        pieces = _PIECE.findall(incident.title)
        if len(pieces) < 5:
            continue
        kept = " ".join(piece for piece in pieces if chance.random() < 0.7)
        own = frozenset((incident.id,))
        yield Query(kept, own, frozenset(), "part of the title")
        yield Query(incident.title, frozenset(), own, "title, left out")


def untitled_queries(incidents: Iterable[Incident]) -> Iterator[Query]:
    """Titles put to the same articles without titles (`untitled`)."""
    for incident in incidents:
        if len(_PIECE.findall(incident.title)) >= 5:
            yield Query(incident.title, frozenset((incident.id,)), frozenset(), "title of an untitled article")


def untitled(incident: Incident) -> Incident:
    """The incident without its title, and without the first line of its prose where that is the title again."""
    prose = incident.prose.replace(incident.title, " ")
    symptom = incident.symptom.replace(incident.title, " ") if incident.symptom else None
    return replace(incident, title="-", prose=prose, symptom=symptom)


def report_queries(labelled: Sequence[tuple[Incident, str]], seed: int, others: int) -> Iterator[Query]:
    """Reports whose bug was reported before, and ``others`` whose bug was not; what came later is forgotten."""
    chance = random.Random(seed)  # noqa: S311
    earlier: dict[str, set[str]] = {}
    ids = [incident.id for incident, _ in labelled]
    lone: list[Query] = []
    for at, (incident, bug) in enumerate(labelled):
        right = frozenset(earlier.get(bug, ()))
        for group, text in (
            ("report, trace", incident.traces[0]),
            ("report, text", f"{incident.title}\n{incident.prose}"),
        ):
            query = Query(text, right, frozenset(ids[at:]), group)
            if right:
                yield query
            elif at > len(ids) // 4:
                lone.append(query)
        earlier.setdefault(bug, set()).add(incident.id)
    yield from chance.sample(lone, min(others, len(lone)))


_PIECE = re.compile(r"[\u3400-\u9fff]{2}|[A-Za-z0-9_.$-]{2,}")
