"""First pastes about problems of the bundled write-ups, and about others: 60 that `corpus/` answers, 20 that it does not.

Each is a form in which documentation, issue threads and code show the error (``seen``: what was looked up), typed again with other names; none is a source of
a write-up. They were written before they were measured and not changed after; whoever wrote them had read the write-ups, so they are easier than strangers' pastes.
"""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from index import Verdict
from index.encoder import load_encoder
from index.training.cases import articles, engine_of

pytestmark = pytest.mark.quality

CORPUS = Path(__file__).parents[2] / "corpus"
ROWS = [json.loads(line) for line in (Path(__file__).parent / "first_pastes/pastes.jsonl").read_text().splitlines()]


def test_most_first_pastes_are_known_and_right(tmp_path: Path, figure: Callable[..., None]) -> None:
    """Measured 2026-11-24: .75 known and right, .93 known or probable, none known and wrong."""
    engine = engine_of(articles(CORPUS), tmp_path, load_encoder(None))
    known = likely = wrong = 0
    for row in ROWS:
        answer = engine.search(row["text"])
        is_right = bool(answer.matches) and answer.matches[0].incident.id in row["answers"]
        is_known = answer.verdict is Verdict.KNOWN
        known += is_known and is_right
        likely += is_right and str(answer.fine_verdict) in {"known", "probable"}
        wrong += is_known and not is_right
    engine.close()
    answered = sum(bool(row["answers"]) for row in ROWS)
    figure("first_pastes.known_and_right", known / answered, floor=0.65)
    figure("first_pastes.known_or_probable", likely / answered, floor=0.85)
    figure("first_pastes.known_and_wrong", wrong / len(ROWS), ceiling=0.02)


def test_the_rows_are_sound() -> None:
    """60 with an answer, over at least 40 write-ups, and 20 without one; every answer is a write-up."""
    ids = {incident.id for incident in articles(CORPUS)}
    answers = [row["answers"] for row in ROWS if row["answers"]]
    assert (len(answers), len(ROWS) - len(answers)) == (60, 20)
    assert {name for names in answers for name in names} <= ids
    assert len({name for names in answers for name in names}) >= 40
