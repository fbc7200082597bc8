"""Labelled questions: ids of files stand for their incidents, and the figures are those counted by hand."""

from collections.abc import Callable, Sequence

import pytest

from index import Engine, Verdict
from index.evaluation.labelled import CaseOutcome, Evaluation, Labelled, by_group, confusion, scores

MADE = (
    {"id": "zh00042-1f2e3d4c", "title": "Gateway refuses uploads", "root_cause": "The limit of the proxy is one megabyte."},
    {"id": "zh00042-1f2e3d4c-2", "title": "Gateway forgets sessions", "root_cause": "The cookie is bound to one host."},
    {"id": "en00007-0a0b0c0d-disk-is-full", "title": "Disk is full", "root_cause": "Nobody rotates the log of the crawler."},
    {"id": "mail-queue", "title": "Mail queue stands still", "root_cause": "The disk of the spool is full."},
)  # fmt: skip


@pytest.fixture(scope="module")
def evaluation(engine_of: Callable[[Sequence[dict[str, object]]], Engine]) -> Evaluation:
    return Evaluation(engine_of(MADE))


@pytest.mark.parametrize(
    ("ids", "found"),
    [
        (("zh00042",), {"zh00042-1f2e3d4c", "zh00042-1f2e3d4c-2"}),
        (("zh00042-1f2e3d4c",), {"zh00042-1f2e3d4c"}),
        (("en00007",), {"en00007-0a0b0c0d-disk-is-full"}),
        (("en00007-0a0b0c0d",), {"en00007-0a0b0c0d-disk-is-full"}),
        (("mail-queue",), {"mail-queue"}),
        (("mail",), set()),
        (("zh00042", "mail-queue"), {"zh00042-1f2e3d4c", "zh00042-1f2e3d4c-2", "mail-queue"}),
    ],
)
def test_an_id_is_that_of_an_incident_or_of_its_file(
    evaluation: Evaluation, ids: tuple[str, ...], found: set[str]
) -> None:
    assert evaluation.incidents(ids) == found


def test_expected_ids_that_the_snapshot_lacks(evaluation: Evaluation) -> None:
    assert evaluation.missing([Labelled("x", ("zh00042", "gone")), Labelled("y", ("mail-queue", "b"))]) == ["b", "gone"]


def test_a_case_is_searched_and_ranked(evaluation: Evaluation) -> None:
    asked = "Mail queue stands still, the disk of the spool is full"
    right = evaluation.outcome(Labelled(asked, ("mail-queue",), ("zh00042",)))
    assert (right.rank, right.near_first) == (1, False)
    assert right.probability > 0
    wrong = evaluation.outcome(Labelled(asked, ("zh00042",), ("mail-queue",)))
    assert wrong.rank != 1
    assert wrong.near_first


def test_a_match_stands_for_the_copies_beside_it(engine_of: Callable[[Sequence[dict[str, object]]], Engine]) -> None:
    told = {"title": "Kiosk mode of the scale", "prose": "Turn the scale off and on, hold the tare key, choose kiosk."}
    engine = engine_of([{"id": "page-1", **told}, {"id": "page-2", **told}])
    (match,) = engine.search("kiosk mode of the scale").matches
    (copy,) = match.also
    found = Evaluation(engine).outcome(Labelled("kiosk mode of the scale", (copy.id,)))
    engine.close()
    assert found.rank == 1


def made(rank: int, verdict: Verdict, expected: tuple[str, ...] = ("a",), **more: str) -> CaseOutcome:
    return CaseOutcome(Labelled("x", expected, near=("n",), **more), rank, verdict, 0.5, near_first=rank == 2)


OUTCOMES = [
    made(1, Verdict.KNOWN, group="q", lang="zh"),
    made(2, Verdict.KNOWN, group="q", lang="en"),
    made(4, Verdict.RELATED, group="q", lang="zh"),
    made(0, Verdict.UNKNOWN, group="q", lang="zh"),
    made(0, Verdict.KNOWN, (), group="absent"),
    made(0, Verdict.UNKNOWN, (), group="absent"),
]


def test_scores_are_counted_over_what_has_an_answer() -> None:
    found = scores(OUTCOMES)
    assert (found.cases, found.absent) == (6, 2)
    assert found.hits == {1: 0.25, 3: 0.5, 5: 0.75}
    assert found.mrr == (1 + 1 / 2 + 1 / 4) / 4
    assert found.near_first == 0.25
    assert found.verdicts == {Verdict.KNOWN: 3, Verdict.RELATED: 1, Verdict.UNKNOWN: 2}


def test_groups_and_languages_apart() -> None:
    groups = by_group(OUTCOMES)
    assert list(groups) == ["q zh", "q en", "absent"]
    assert groups["q zh"].hits[1] == 1 / 3
    assert groups["absent"].mrr == 0.0
    assert by_group([made(1, Verdict.KNOWN)]) == {}


def test_confusion() -> None:
    told = confusion(OUTCOMES)
    assert (told.known_right, told.known_wrong, told.known_absent) == (1, 1, 1)
    assert (told.coverage, told.false_known) == (0.25, 0.5)
    assert confusion([]).false_known == 0.0
