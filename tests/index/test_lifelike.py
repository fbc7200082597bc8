"""The bundled write-ups, pasted as people paste: their own traces cut, quoted, between lines of somebody's application."""

from collections.abc import Iterator
from functools import cache

import pytest

from index import Answer, Engine, Verdict
from kb.incident import Incident
from tests.bundled import corpus_home, write_ups

from .pasted import FRAMES, LOG, error_of, in_question, pastes, with_frames

pytestmark = pytest.mark.slow

LOSS = 0.12
"""What lines of another application may cost at most; 0.104 was measured (151 write-ups, 2026-11-24)."""
QUESTION_LOSS = 0.2
"""What somebody's words around an error line may cost at most; 0.18 was measured (328 write-ups, 2026-12-01)."""
CUT_LOSS = 0.25
"""What a cut end may cost at most."""
HARMED_BY_A_CUT = {
    "hive-metastore-version-not-found",  # its wrapper is the error of another write-up
    "jvm-class-not-found",
    "jvm-connection-refused",
    "jvm-too-many-open-files",
}
"""Errors of everybody: without the frames of the library below them they may be another problem's."""
HARMED_BY_A_QUESTION = {
    "nginx-permission-denied",  # its message begins with a quoted path, and goes on
    "pip-externally-managed-environment",  # a single word, which is an error only in a line of its own
}
"""Error lines that nobody takes for an error's words behind *why does it say*."""
CONFUSED = {
    ("hive-metastore-version-not-found", "first six"),  # the cause is below the sixth line
    ("requests-proxy-or-connection-aborted", "error line"),  # which is that of `requests-connection-refused`
}
"""Pastes of which another write-up is called known."""


@pytest.fixture(scope="module")
def incidents() -> tuple[Incident, ...]:
    return write_ups()


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    opened = Engine.open(corpus_home(tmp_path_factory.mktemp("corpus")))
    yield opened
    opened.close()


@cache
def first_answer(engine: Engine, text: str) -> Answer:
    """The answer with its best match; asked once for what several tests ask."""
    return engine.search(text, 1)


def is_first(answer: Answer, incident: str) -> bool:
    return bool(answer.matches) and answer.matches[0].incident.id == incident


def test_floors_of_each_kind_of_paste(engine: Engine, incidents: tuple[Incident, ...]) -> None:
    counts: dict[str, list[int]] = {}
    confused: set[tuple[str, str]] = set()
    for paste in (paste for incident in incidents for paste in pastes(incident)):
        answer = first_answer(engine, paste.text)
        right = is_first(answer, paste.incident)
        probable = right and answer.matches[0].probability >= engine.model.probable
        here = counts.setdefault(paste.kind, [0, 0, 0])
        for at, holds in enumerate((right, probable, right and answer.verdict is Verdict.KNOWN)):
            here[at] += holds
        if answer.verdict is Verdict.KNOWN and not right and paste.incident not in answer.causes:
            confused.add((paste.incident, paste.kind))
    assert confused == CONFUSED
    assert all(
        found >= floor for kind, floors in FLOORS.items() for found, floor in zip(counts[kind], floors, strict=True)
    ), counts


FLOORS = {
    "verbatim": (334, 334, 329),
    "error line": (328, 318, 250),
    "in a question": (328, 316, 244),
    "own frames": (326, 312, 236),
    "first six": (328, 318, 294),
    "last four": (320, 291, 256),
}
"""Of 334 write-ups: first; first and probably; first and known."""


PLACES = ("above", "below", "around")


@pytest.mark.parametrize("one_in", [3, pytest.param(1, marks=pytest.mark.quality)])
@pytest.mark.parametrize("where", PLACES)
def test_lines_of_another_log_cost_little(
    engine: Engine, incidents: tuple[Incident, ...], where: str, one_in: int
) -> None:
    """Each write-up in one of the places; in the slow suite in all three."""
    log = "\n".join(LOG)
    for incident in incidents[PLACES.index(where) % one_in :: one_in]:
        trace = incident.traces[0]
        text = {"above": f"{log}\n{trace}", "below": f"{trace}\n{log}", "around": f"{log}\n{trace}\n{log}"}[where]
        check_unharmed(engine, incident.id, trace, text)


def test_frames_of_the_readers_application_cost_little(engine: Engine, incidents: tuple[Incident, ...]) -> None:
    for incident in incidents:
        runtime, error = error_of(incident)
        if runtime in FRAMES:
            check_unharmed(engine, incident.id, error, with_frames(runtime, error))


def test_words_of_a_question_cost_little(engine: Engine, incidents: tuple[Incident, ...]) -> None:
    for incident in (one for one in incidents if one.id not in HARMED_BY_A_QUESTION):
        error = error_of(incident)[1].partition("\n")[0]
        check_unharmed(engine, incident.id, error, in_question(incident.id, error), QUESTION_LOSS)


def test_an_end_that_is_cut_off_behind_the_telling_line_costs_little(
    engine: Engine, incidents: tuple[Incident, ...]
) -> None:
    """Frames below the innermost error are cut one half after the other."""
    for incident in (one for one in incidents if one.id not in HARMED_BY_A_CUT):
        lines = incident.traces[0].splitlines()
        error = error_of(incident)[1].partition(": ")[0]
        told = [at for at, line in enumerate(lines) if error and error in line]
        if told and (below := len(lines) - told[-1] - 1) > 3:
            check_unharmed(
                engine, incident.id, incident.traces[0], "\n".join(lines[: told[-1] + 1 + below // 2]), CUT_LOSS
            )


def check_unharmed(engine: Engine, incident: str, alone: str, changed: str, loss: float = LOSS) -> None:
    before, after = first_answer(engine, alone), first_answer(engine, changed)
    if before.verdict is Verdict.KNOWN and is_first(before, incident):
        assert after.verdict is not Verdict.UNKNOWN, (incident, changed)
        assert is_first(after, incident), (incident, changed)
        assert after.matches[0].probability >= before.matches[0].probability - loss, (incident, changed)
