"""Suite (e): queries whose incident was left out, and queries nobody wrote about: how often something is called known all the same.

Judged together: mangled traces, errors in logs and parts of titles with their article there; the same with it and its kin left out;
everyday exceptions of invented applications; the part ``test`` of `bilingual.jsonl` with its rows ``absent``. Only problems that did not
teach the weights. `abstention.svg` is drawn anew by each run.
"""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from index.encoder import load_encoder
from index.evaluation.curves import ScoredQuery, at_false_known, calibration_error, curve, reliability, svg
from index.evaluation.labelled import Evaluation, read_cases
from index.reading import read
from index.training import cases as made
from index.training.measured import MeasuredEngine
from kb.incident import Incident

pytestmark = pytest.mark.quality

Figure = Callable[..., None]

HERE = Path(__file__).parent
CORPUS = HERE.parents[1] / "corpus"
FALSE_KNOWN = 0.02
COVERAGE = 0.78
"""Of the pasted traces that are there, so many are called known and are."""
CALIBRATION = 0.1
"""Altered copies agree more than what people paste, on which probabilities are set since 2026-11-23: these are called less sure than they are."""


ANSWERED_SINCE = {
    "absent-zh-01": "rabbitmq-connection-blocked",
    "absent-zh-09": "clickhouse-table-readonly",
    "absent-zh-14": "postgres-conflict-with-recovery",
    "absent-zh-21": "node-err-ossl-evp-unsupported",
    "absent-en-03": "redis-clusterdown",
    "absent-en-06": "nginx-502-bad-gateway-upstream",
    "absent-en-12": "django-migrations-no-such-table",
}
"""Rows that nothing answered when they were written, and the write-ups that answer them now."""


@pytest.fixture(scope="module")
def known(shared_data: Path) -> list[Incident]:
    both = [*made.articles(shared_data / "articles"), *made.articles(CORPUS)]
    return sorted(both, key=lambda incident: incident.id)


@pytest.fixture(scope="module")
def engine(known: list[Incident], tmp_path_factory: pytest.TempPathFactory) -> MeasuredEngine:
    return made.engine_of(known, tmp_path_factory.mktemp("abstention"), load_encoder(None))


def queries(known: Sequence[Incident], engine: MeasuredEngine) -> Iterator[tuple[str, made.TrainingQuery]]:
    """(kind, query): ``trace`` and ``message`` are pastes, ``title`` and ``written`` are questions and traces by hand."""
    yield from (("trace", query) for query in made.trace_queries(known, seed=201))
    yield from (("message", query) for query in made.message_queries(known, seed=202))
    yield from (("title", query) for query in made.title_queries(known, seed=203))
    yield from (("trace", query) for query in made.stranger_queries(200, seed=204))
    evaluation = Evaluation(engine)
    for case in read_cases(HERE / "bilingual.jsonl"):
        if case.part == "test":
            expected = (ANSWERED_SINCE[case.id],) if case.id in ANSWERED_SINCE else case.expected
            yield "written", made.TrainingQuery(case.text, evaluation.incidents(expected), frozenset(), case.group)


@pytest.fixture(scope="module")
def judged(engine: MeasuredEngine, known: list[Incident]) -> dict[str, list[tuple[ScoredQuery, bool]]]:
    """Per kind each query judged, and whether it was called known."""
    found: dict[str, list[tuple[ScoredQuery, bool]]] = {}
    for kind, query in queries(known, engine):
        if kind == "written" or not query.teaches:
            found.setdefault(kind, []).append(judge(engine, query))
    return found


def judge(engine: MeasuredEngine, query: made.TrainingQuery) -> tuple[ScoredQuery, bool]:
    """The first match that is not left out."""
    likely, first = engine.best(read(query.text), query.absent) or (0.0, None)
    right = first is not None and engine.id_of(first.row) in query.right
    called = first is not None and likely >= engine.model.known
    return ScoredQuery(likely, right, bool(query.right)), called


def test_left_out_is_seldom_called_known(judged: dict[str, list[tuple[ScoredQuery, bool]]], figure: Figure) -> None:
    every = [one for found in judged.values() for one in found]
    for kind, found in {**judged, "all": every}.items():
        absent = [called for one, called in found if not one.answerable]
        there = [called and one.right for one, called in found if one.answerable]
        ceiling = FALSE_KNOWN if kind == "all" else None
        figure(f"abstention.known.absent queries.{kind}", len(absent))
        figure(f"abstention.known.false.{kind}", sum(absent) / len(absent), ceiling=ceiling)
        floor = COVERAGE if kind == "trace" else None
        figure(f"abstention.known.coverage.{kind}", sum(there) / len(there), floor=floor)
        right = [called for one, called in found if one.right]
        figure(f"abstention.known.of the right ones.{kind}", sum(right) / len(right))


def test_precision_against_coverage(judged: dict[str, list[tuple[ScoredQuery, bool]]], figure: Figure) -> None:
    """The curve as numbers and drawn; how much could be called known at two strangers in a hundred."""
    every = [one for found in judged.values() for one in found]
    points = curve([one for one, _ in every])
    for wanted in (0.99, 0.98, 0.95, 0.9):
        covered = max((point.coverage for point in points if point.precision >= wanted), default=0.0)
        figure(f"abstention.coverage_at_precision.{wanted}", covered)
    best = at_false_known(points, FALSE_KNOWN)
    figure("abstention.coverage_at_false_known.0.02", best.coverage)
    traces = curve([one for one, _ in judged["trace"]])
    figure("abstention.coverage_at_false_known.0.02.trace", at_false_known(traces, FALSE_KNOWN).coverage)
    title = f"{len(every)} queries; the red dot: at most {FALSE_KNOWN:.0%} of the strangers called known"
    drawn = svg(points, best, reliability([one for one, _ in every]), title)
    (HERE / "abstention.svg").write_text(drawn, encoding="utf-8")


def test_a_probability_means_what_it_says(judged: dict[str, list[tuple[ScoredQuery, bool]]], figure: Figure) -> None:
    every = [one for found in judged.values() for one, _ in found]
    for kind, found in judged.items():
        figure(f"abstention.calibration_error.{kind}", calibration_error(reliability([one for one, _ in found])))
    bins = reliability(every)
    for one in bins:
        print(f"said {one.mean_probability:.2f}, was {one.was:.2f}, {one.count} queries")
    figure("abstention.calibration_error", calibration_error(bins), ceiling=CALIBRATION)
