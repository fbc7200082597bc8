"""All labelled queries that the ranker learns from, each compared with its candidates: that takes minutes and is kept, so that fitting takes seconds."""

import json
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from index.encoder import Encoder, load_encoder
from index.evaluation.labelled import Evaluation, Labelled
from index.ranking.features import NAMES
from index.training import cases as made
from index.training.fit import TrainingCase
from index.training.labelled import (
    PASTED,
    WORDS_ALONE,
    excerpt_queries,
    feedback_queries,
    first_paste_queries,
    pair_incidents,
    pair_queries,
    report_cases,
    written_queries,
)
from index.training.lifelike import lifelike_queries
from index.training.measured import MeasuredEngine
from kb.incident import Incident
from kb.record import short_hash
from kb.trace.in_force import adopted

WEIGHTS = {
    "asked": 1.0,
    "feedback": 1.0,
    "written": 0.5,
    "lifelike": 0.1,
    "message": 0.05,
    "grafted": 0.4,
    "other message": 0.4,
    "excerpt": 0.05,
    "part of the title": 0.005,
    "title": 0.005,
    "sentence": 0.005,
    WORDS_ALONE: 0.0015,
    PASTED: 0.15,
}
"""Weight of a query by the beginning of its group; a real question has 1. Altered copies are many and agree more than real pastes do, so each
weighs less. Duplicate reports teach what frames tell. Their words alone weigh next to nothing, since reports of other bugs use the same words."""
ALTERED = 0.4
"""Every other altered copy of a trace."""
AMONG = 0.25
"""Questions repeated among all articles: the best has to stay the best in a crowd."""

PASTED_FIRST = "pasted first"
"""Texts about write-ups of the project, or about none of them. They teach no weight; they calibrate the probability of a match."""

KINDS = ("trace", "text")
"""Texts with frames, and texts without."""

FIRSTS = ("pastes", "strangers", "strangers_fresh", "strangers_third", "strangers_fourth")
"""The files of first pastes that set probabilities; what came later measures them."""

Log = Callable[[str], None]
"""Prints a line of progress."""


@dataclass(frozen=True, slots=True)
class GatheredCase:
    """One case, the model that answers it, and whether it teaches (else it measures)."""

    kind: str
    teaches: bool
    case: TrainingCase


@dataclass(frozen=True, slots=True)
class Confirmed:
    """Texts of which readers confirmed incidents, and the home whose incidents these are."""

    home: Path
    store: Path | str
    cases: Sequence[Labelled]

    @property
    def name(self) -> str:
        """Return a name that changes with the confirmed texts and incidents."""
        content = [[case.text, *sorted(case.expected)] for case in self.cases]
        return f"feedback-{short_hash(json.dumps(content))}"


@dataclass(frozen=True, slots=True)
class Sources:
    """What the cases are made of."""

    articles: Sequence[Path]
    """Folders of articles and write-ups."""
    questions: Path
    """Labelled questions; the part ``tune`` is read."""
    reports: Sequence[Sequence[Path]]
    """Files of labelled duplicate reports; those of one pool are one stream."""
    sentences: Path
    """Sentences of operations text, none of them about an article."""
    pairs: Path
    """Real questions and the write-ups that answer them (`index.training.labelled`)."""
    firsts: Sequence[Path] = ()
    """Files of first pastes about the write-ups of the project."""
    corpus: Path | None = None
    """The folder of these write-ups."""
    feedback: "Confirmed | None" = None
    """What readers confirmed, where it is to teach."""

    @classmethod
    def of(cls, data: Path, corpus: Path, questions: Path) -> "Sources":
        """The files of an evaluation set, beside the write-ups and questions of the project."""
        folder = data / "dedup"
        apache = (folder / "apache_jira.tune.jsonl.gz", folder / "apache_jira_metoo.tune.jsonl.gz")
        pools = (apache, (folder / "eclipse_bugzilla.tune.jsonl.gz",))
        files = (questions.parent / "first_pastes" / f"{name}.jsonl" for name in FIRSTS)
        firsts = tuple(file for file in files if file.exists())
        sentences, pairs = data / "parallel/train.jsonl.gz", data / "pairs"
        return cls((data / "articles", corpus), questions, pools, sentences, pairs, firsts, corpus)

    @property
    def others(self) -> Sequence[Path]:
        """Folders of articles that are searched together with the write-ups of the pairs: not the project's own, which answer many questions without a label."""
        return [folder for folder in self.articles if folder != self.corpus]

    @property
    def names(self) -> str:
        """The names of the files and folders, for the record."""
        pooled = (path for pool in self.reports for path in pool)
        first = (self.sentences, self.pairs, *self.firsts)
        names = [path.name for path in (*self.articles, self.questions, *pooled, *first)]
        return ", ".join([*names, f"{len(self.feedback.cases)} confirmed matches"] if self.feedback else names)


def gathered(sources: Sources, work: Path, log: Log) -> list[GatheredCase]:
    """The cases of all sources. What lies in ``work`` is not computed again, unless its features have other names: delete it when the engine has changed."""
    work.mkdir(parents=True, exist_ok=True)
    encoder = load_encoder(None)
    parts: dict[str, Callable[[], Iterable[GatheredCase]]] = {
        "pairs": lambda: _of_pairs(sources.pairs, (), 1.0, encoder),
        "pairs-among-articles": lambda: _of_pairs(sources.pairs, sources.others, AMONG, encoder),
        "articles": lambda: _of_articles(sources, encoder),
    }
    if sources.firsts and sources.corpus and (write_ups := made.articles(sources.corpus)):
        parts["first-pastes"] = lambda: _of_first_pastes(sources.firsts, write_ups, encoder)
    for seed, pool in enumerate(sources.reports):
        parts[f"reports-{seed}"] = lambda pool=pool, seed=seed: _of_reports(pool, encoder, seed)  # type: ignore[misc]
    if confirmed := sources.feedback:
        parts[confirmed.name] = lambda: _of_feedback(confirmed)
    found: list[GatheredCase] = []
    for name, make in parts.items():
        path = work / f"{name}.npz"
        if path.exists() and (others := set(_names(path)) ^ set(NAMES)):
            log(f"{name}: {path} has other features ({', '.join(sorted(others))}); compared again")
            path.unlink()
        if not path.exists():
            _save(path, list(make()))
        here = _load(path)
        log(f"{name}: {len(here):,} queries")
        found += here
    return found


def _of_articles(sources: Sources, encoder: Encoder) -> Iterator[GatheredCase]:
    incidents = sorted((i for folder in sources.articles for i in made.articles(folder)), key=lambda i: i.id)
    yield from _cases_of(
        incidents,
        lambda engine: [
            *made.trace_queries(incidents, 1, 3),
            *excerpt_queries(incidents, 9),
            *lifelike_queries(incidents, 10),
            *made.message_queries(incidents, 8),
            *made.grafted_queries(incidents, 4),
            *made.reworded_queries(incidents, 7),
            *made.stranger_queries(300, 5),
            *made.title_queries(incidents, 2),
            *made.sentence_queries(sources.sentences, 400, 6),
            *written_queries(sources.questions, Evaluation(engine)),
        ],
        encoder,
    )
    plain = [made.untitled(incident) for incident in incidents]
    yield from _cases_of(plain, lambda _: made.untitled_queries(incidents), encoder)


def _of_pairs(pairs: Path, among: Sequence[Path], weight: float, encoder: Encoder) -> Iterator[GatheredCase]:
    """Real questions put to the write-ups of the pairs, alone or among articles; all of them teach (`weight`: how much)."""
    incidents = [*pair_incidents(pairs), *(incident for folder in among for incident in made.articles(folder))]
    incidents.sort(key=lambda incident: incident.id)
    for one in _cases_of(incidents, lambda _: pair_queries(pairs), encoder, with_rivals=True):
        yield replace(one, teaches=True, case=replace(one.case, weight=weight * one.case.weight))


def _of_first_pastes(files: Sequence[Path], incidents: Sequence[Incident], encoder: Encoder) -> Iterator[GatheredCase]:
    """First pastes put to the write-ups of the project; none teaches a weight."""
    queries = [query for file in files for query in first_paste_queries(file, PASTED_FIRST)]
    for one in _cases_of(incidents, lambda _: queries, encoder, with_rivals=True):
        yield replace(one, teaches=False, case=replace(one.case, weight=1.0))


def _cases_of(
    incidents: Sequence[Incident],
    queries: Callable[[MeasuredEngine], Iterable[made.TrainingQuery]],
    encoder: Encoder,
    *,
    with_rivals: bool = False,
) -> Iterator[GatheredCase]:
    """Cases of queries put to a snapshot of the incidents; ``with_rivals`` those that set probabilities, which depend on leads."""
    with tempfile.TemporaryDirectory() as folder:
        engine = made.engine_of(incidents, Path(folder), encoder)
        for query in queries(engine):
            has_frames, case = made.case_of(engine, query, weight_of(query.group), with_rivals=with_rivals)
            yield GatheredCase(KINDS[not has_frames], query.teaches, case)
        engine.close()


def _of_reports(pool: Sequence[Path], encoder: Encoder, seed: int) -> Iterator[GatheredCase]:
    with tempfile.TemporaryDirectory() as folder:
        for has_frames, case in report_cases(pool, Path(folder), encoder, seed):
            weighed = replace(case, weight=case.weight * weight_of(case.group))
            yield GatheredCase(KINDS[not has_frames], teaches=True, case=weighed)


def _of_feedback(confirmed: Confirmed) -> list[GatheredCase]:
    """Each confirmed text with its incidents there and left out, put to the home where it was confirmed."""
    engine = MeasuredEngine.open(confirmed.home, None, confirmed.store)
    found = []
    try:
        with adopted(engine.rules):
            for query in feedback_queries(confirmed.cases, Evaluation(engine)):
                has_frames, case = made.case_of(engine, query, weight_of(query.group))
                found.append(GatheredCase(KINDS[not has_frames], query.teaches, case))
        return found
    finally:
        engine.close()


def weight_of(group: str) -> float:
    """How much a query of a group counts for the weights."""
    return next((weight for start, weight in WEIGHTS.items() if group.startswith(start)), ALTERED)


def _save(path: Path, found: Sequence[GatheredCase]) -> None:
    cases = [one.case for one in found]
    beside = path.with_suffix(".part.npz")
    np.savez_compressed(
        beside,
        names=np.array(NAMES),
        features=np.vstack([case.features for case in cases]),
        right=np.concatenate([case.right for case in cases]),
        counts=np.array([len(case.features) for case in cases]),
        no_rivals=np.vstack([case.no_rivals for case in cases]),
        no_rival_counts=np.array([len(case.no_rivals) for case in cases]),
        weight=np.array([case.weight for case in cases]),
        group=np.array([case.group for case in cases]),
        foreign=np.array([case.foreign for case in cases]),
        problem=np.array([case.problem for case in cases]),
        kind=np.array([one.kind for one in found]),
        teaches=np.array([one.teaches for one in found]),
    )
    beside.rename(path)


def _names(path: Path) -> list[str]:
    with np.load(path) as file:
        names: list[str] = file["names"].tolist()
    return names


def _load(path: Path) -> list[GatheredCase]:
    """What was saved, with the features in the order of today."""
    with np.load(path) as file:
        stored = dict(file)
    order = [stored["names"].tolist().index(name) for name in NAMES]
    cuts, pair_cuts = (np.cumsum(stored[name])[:-1] for name in ("counts", "no_rival_counts"))
    features, right = np.split(stored["features"][:, order], cuts), np.split(stored["right"], cuts)
    columns = (stored[name].tolist() for name in ("weight", "group", "foreign", "problem"))
    cases = map(TrainingCase, features, right, *columns, np.split(stored["no_rivals"], pair_cuts))
    parts = zip(stored["kind"].tolist(), stored["teaches"].tolist(), cases, strict=True)
    return [GatheredCase(kind, teaches, case) for kind, teaches, case in parts]
