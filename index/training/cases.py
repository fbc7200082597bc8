"""Labelled queries for the ranker, made from articles.

Every case is one query, the features of its candidates in a snapshot, and which of them are right: traces as others would paste
them (`mangle`), titles as questions put to articles without titles, and the same with the article left out.
"""

import gzip
import json
import random
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path

import numpy as np

from index.build import build
from index.encoder import Encoder
from index.entry import entries
from index.ranking.features import NAMES
from index.reading import read
from index.terms import tokens
from index.terms.sketch import shown_type
from index.training import strangers
from index.training.fit import TrainingCase
from index.training.kin import Kin
from index.training.mangle import KINDS, logged, stranger, values
from index.training.measured import MeasuredEngine
from kb.article import read_article
from kb.article.writeups.translated import join_parts, pairs
from kb.incident import Incident
from kb.trace import WITHOUT_TRACE, ExceptionChain, parse

BATCH = 200
NEAREST = 20
"""Candidates of which any may be the first or its rival, by the sum of their features: with today's weights these give every lead of 896 real questions and
first pastes (2026-11-30)."""


def articles(folder: Path) -> list[Incident]:
    """Every incident of every article below the folder, with its translations, by id."""
    names = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    found: list[Incident] = []
    for name, others in pairs(names, lambda name: (folder / name).read_text("utf-8", "replace")).items():
        texts = [(folder / one).read_bytes() for one in (name, *others)]
        data = join_parts(text.decode() for text in texts).encode() if others else texts[0]
        found += read_article(data, name).incidents
    return sorted({i.id: i for i in found}.values(), key=lambda i: i.id)


def engine_of(incidents: Sequence[Incident], home: Path, encoder: Encoder) -> MeasuredEngine:
    """A snapshot of the incidents, opened."""
    batches = (entries(incidents[i : i + BATCH], encoder) for i in range(0, len(incidents), BATCH))
    build(batches, home, encoder)
    return MeasuredEngine.open(home)


@dataclass(frozen=True, slots=True)
class TrainingQuery:
    """One question with its answers."""

    text: str
    right: frozenset[str]
    """Incidents that answer it."""
    absent: frozenset[str]
    """Incidents that the engine is made to forget for this query."""
    group: str
    about: str = ""
    """The problem, which groups several queries about one."""

    @property
    def teaches(self) -> bool:
        """Whether it belongs to the teaching half. Queries with the same answers are in one half, most about one problem therefore."""
        about = self.about or min(self.right | self.absent, default=self.text)
        return sha256(about.encode("utf-8", "replace")).digest()[0] % 2 == 0


def case_of(
    engine: MeasuredEngine, query: TrainingQuery, weight: float = 1.0, *, with_rivals: bool = False
) -> tuple[bool, TrainingCase]:
    """(whether it shows frames, the case). Which candidates are rivals is looked at among the `NEAREST`, as it takes a third of a second for all."""
    reading = read(query.text)
    found = [(engine.id_of(c.row), c) for c in engine.compare(reading)]
    kept = [(incident_id, c) for incident_id, c in found if incident_id not in query.absent]
    features = np.array([c.features for _, c in kept]).reshape(len(kept), len(NAMES))
    right = np.array([incident_id in query.right for incident_id, _ in kept], dtype=np.bool_)
    case = TrainingCase(features, right, weight, query.group, problem=query.about)
    if with_rivals:
        near = np.argsort(-np.delete(features, NAMES.index("silent"), axis=1).sum(axis=1))[:NEAREST]
        places = engine.same_problems([kept[at][1] for at in near.tolist()])
        case = replace(case, no_rivals=near[np.array(places, dtype=np.int64).reshape(-1, 2)])
    return reading.has_outer_frames, case


def framed(incident: Incident) -> list[tuple[str, ExceptionChain]]:
    """The incident's traces that show at least three frames of the root."""
    pairs = ((text, chain) for text in incident.traces for chain in parse(text)[:1])
    return [(text, chain) for text, chain in pairs if len(chain.root.stack.frames) >= 3]


def trace_queries(incidents: Sequence[Incident], seed: int, kinds: int = 2) -> Iterator[TrainingQuery]:
    """Traces of articles, mangled, with the article there and with it and its kin left out."""
    chance = random.Random(seed)  # noqa: S311 - a repeatable choice, no secret
    kin = Kin.of(incidents)
    for incident in incidents:
        if not (shown := framed(incident)):
            continue
        trace, chain = chance.choice(shown)
        same = kin.sharing(incident, chain)
        for kind in chance.sample(sorted(KINDS), kinds):
            text = KINDS[kind](trace, chance)
            yield TrainingQuery(text, same, frozenset(), kind)
            yield TrainingQuery(text, frozenset(), same, f"{kind}, left out")


def message_queries(incidents: Sequence[Incident], seed: int) -> Iterator[TrainingQuery]:
    """Errors that come without frames (databases, kernels, aborts) inside a log, with the article there and left out."""
    chance = random.Random(seed)  # noqa: S311
    kin = Kin.of(incidents)
    for incident in incidents:
        coded = [(text, chain) for text in incident.traces for chain in parse(text)[:1] if _is_coded(chain)]
        if not coded:
            continue
        text, chain = chance.choice(coded)
        same = kin.sharing(incident, chain).union(*(kin.naming(name) for name in [shown_type(chain.root)] if name))
        varied = values(text, chance)
        is_same = [shown_type(c.root) for c in parse(varied)[:1]] == [shown_type(chain.root)]
        pasted = logged(varied if is_same else text, chance)  # a code with other digits is another error
        yield TrainingQuery(pasted, same, frozenset(), "message")
        yield TrainingQuery(pasted, frozenset(), same, "message, left out")


def _is_coded(chain: ExceptionChain) -> bool:
    return (
        chain.runtime not in WITHOUT_TRACE
        and not any(e.stack.frames for e in chain.exceptions)
        and bool(chain.root.message)
    )


def grafted_queries(incidents: Sequence[Incident], seed: int) -> Iterator[TrainingQuery]:
    """The wrapper of one article over the root cause of another: it is the other, and nothing when that is left out."""
    chance = random.Random(seed)  # noqa: S311
    kin = Kin.of(incidents)
    traces = [(incident, trace, chain) for incident in incidents for trace, chain in framed(incident)]
    wrappers = [item for item in traces if "Caused by:" in item[1]]
    for wrapper, trace, _ in wrappers:
        other, cause, chain = chance.choice(traces)
        same = kin.sharing(other, chain)
        if wrapper.id in same:
            continue
        inner = cause[cause.rfind("Caused by:") :] if "Caused by:" in cause else f"Caused by: {cause.lstrip()}"
        text = KINDS["values"](f"{trace[: trace.find('Caused by:')].rstrip()}\n{inner}", chance)
        yield TrainingQuery(text, same, frozenset(), "grafted")
        yield TrainingQuery(text, frozenset(), same, "grafted, left out")


def reworded_queries(incidents: Sequence[Incident], seed: int) -> Iterator[TrainingQuery]:
    """A trace of one article with the root message of another: the same place says something else, which is not known."""
    chance = random.Random(seed)  # noqa: S311
    kin = Kin.of(incidents)
    traces = [(incident, trace, chain) for incident in incidents for trace, chain in framed(incident)]
    spoken = [(trace, chain) for _, trace, chain in traces if len(tokens.words(chain.root.message or "")) >= 4]
    for incident, trace, chain in traces:
        message = (chain.root.message or "").splitlines()
        other = chance.choice(spoken)[1]
        if not message or len(message[0]) < 12 or message[0] not in trace:
            continue
        text = KINDS["values"](trace.replace(message[0], (other.root.message or "").splitlines()[0]), chance)
        absent = kin.sharing(incident, other) - kin.sharing(incident, chain)
        yield TrainingQuery(text, frozenset(), absent, "other message, left out")


def stranger_queries(count: int, seed: int) -> Iterator[TrainingQuery]:
    """Everyday exceptions in applications that nobody wrote about: half of them of the JVM, half of other runtimes."""
    chance = random.Random(seed)  # noqa: S311
    for at in range(count):
        other = strangers.printed(strangers.fault(chance.choice(strangers.RUNTIMES), chance), chance)
        yield TrainingQuery(stranger(chance) if at % 2 else other, frozenset(), frozenset(), "stranger, left out")


def sentence_queries(path: Path, count: int, seed: int) -> Iterator[TrainingQuery]:
    """Sentences of operations text in either language, as questions nobody answered."""
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        pairs = random.Random(seed).sample([json.loads(line) for line in lines], count)  # noqa: S311
    for at, pair in enumerate(pairs):
        yield TrainingQuery(pair[("zh", "en")[at % 2]], frozenset(), frozenset(), "sentence, left out")


def title_queries(incidents: Sequence[Incident], seed: int) -> Iterator[TrainingQuery]:
    """Titles as questions: seven words of ten, with the article there; whole, with it and its kin left out."""
    chance = random.Random(seed)  # noqa: S311
    kin = Kin.of(incidents)
    for incident in incidents:
        pieces = _PIECE.findall(incident.title)
        if len(pieces) < 5:
            continue
        kept = " ".join(piece for piece in pieces if chance.random() < 0.7)
        same = kin.titled(incident).union(*(kin.sharing(incident, c) for c in parse(incident.title)))
        yield TrainingQuery(kept, same, frozenset(), "part of the title")
        yield TrainingQuery(incident.title, frozenset(), same, "title, left out")


def untitled_queries(incidents: Iterable[Incident]) -> Iterator[TrainingQuery]:
    """Titles put to the same articles without titles (`untitled`)."""
    for incident in incidents:
        if len(_PIECE.findall(incident.title)) >= 5:
            yield TrainingQuery(incident.title, frozenset((incident.id,)), frozenset(), "title of an untitled article")


def untitled(incident: Incident) -> Incident:
    """The incident without its title, and without the first line of its prose where that is the title again."""
    prose = incident.prose.replace(incident.title, " ")
    symptom = incident.symptom.replace(incident.title, " ") if incident.symptom else None
    return replace(incident, title="-", prose=prose, symptom=symptom)


_PIECE = re.compile(r"[\u3400-\u9fff]{2}|[A-Za-z0-9_.$-]{2,}")
