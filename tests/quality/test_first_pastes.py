"""First pastes about problems of the bundled write-ups, and about others.

``pastes.jsonl`` has forms in which documentation, issue threads and code show an error, typed again by somebody who had read the write-ups: easier than strangers' pastes. Five of its
answers were added when write-ups about them came; so were two of the next file, and two second ones of the last.

``strangers.jsonl`` has what people posted (``seen``: the thread, or the words by which a public file was found) about sixty write-ups drawn by lot, the first hit that shows an error and is no
source of the write-up, taken before the write-up was read; and thirty errors that none answers. Names, hosts and paths are replaced. ``strangers_fresh.jsonl`` has thirty more of the same
kind, taken after the write-ups were mended for the first sixty.

``strangers_third.jsonl`` has sixty about other write-ups (the first 63 of a draw from the 222 that no strangers' paste was about, seed 20261128; for two no thread was found) and forty that none answers, written down and labelled before
the product was asked. The second look, at the whole write-up, moved one to those without an answer (the cluster was never deployed: a folder is missing) and gave one a second right answer; a third reader gave another a second one. Twelve of the sixty are in Chinese. One of them (h037) stands in its write-up word for word. Asked once, with nothing mended for it: 31 of 60 known and right, 55 known or probable
and right, 59 with the right write-up first, none of 100 known and wrong.

``strangers_fourth.jsonl`` has sixty about other write-ups (the first 63 of a draw from the 134 that no row of the other files was about, seed 20261129; for three no thread was found that is no source of theirs) and forty that
none answers, written down and labelled before the product was asked. For some the search was in Chinese and the first Chinese hit was taken: sixteen of the sixty are in Chinese. The second look, at the whole write-up, gave two a second right
answer and put another paste in the place of seven that came from a source of their write-up and of one without an answer whose message stands in a write-up. Three of the sixty stand in their write-up word for word (one line each). Asked once, with nothing mended for it: 33 of 60 known and right, 58 known or
probable and right, all 60 with the right write-up first, none of 100 known and wrong.

``strangers_fifth.jsonl`` has 125 about fifty-eight write-ups, most of which no row of the other files was about, and 49 that none answers: near misses of one (``near``), which share its type, library or message. The hits of one search
for each of fifty write-ups and of twelve searches for everyday errors that show an error and are no source of a write-up, up to three of each, written down and labelled with the write-up in sight before the product was asked, by one
reader. Its halves were parted by write-up (seed 20261129_4): half A was looked at, half B was asked once with the code before and once with the code after probabilities counted the lead of a match: 22 and 28 of 60 known and right, none of 88
known and wrong, calibration error .117 and .084 (A: 30 and 32 of 65, none and 1 of 86 known and wrong, .145 and .116). Probabilities are now fitted to the five files before it, so only this one can measure them.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from index import Engine, Verdict
from index.encoder import load_encoder
from index.training.cases import articles, engine_of

pytestmark = pytest.mark.quality

CORPUS = Path(__file__).parents[2] / "corpus"
FOLDER = Path(__file__).parent / "first_pastes"
SIZES = {
    "pastes": (63, 17),
    "strangers": (62, 28),
    "strangers_fresh": (30, 0),
    "strangers_third": (60, 40),
    "strangers_fourth": (60, 40),
    "strangers_fifth": (125, 49),
}
"""Of each file: rows with an answer, and without one."""
WRITE_UPS = {
    "pastes": 40,
    "strangers": 60,
    "strangers_fresh": 30,
    "strangers_third": 62,
    "strangers_fourth": 61,
    "strangers_fifth": 58,
}
"""Distinct write-ups that the answers of each file are, at least."""
FLOORS = {
    "pastes": (0.70, 0.90, 0.02),
    "strangers": (0.50, 0.85, 0.04),
    "strangers_fresh": (0.55, 0.75, 0.02),
    "strangers_third": (0.45, 0.85, 0.02),
    "strangers_fourth": (0.48, 0.90, 0.02),
    "strangers_fifth": (0.42, 0.84, 0.02),
}
"""Known and right; known or probable; at most known and wrong (the target is .02, which strangers miss). Measured 2026-11-28: .80/1.0/0, .58/.93/.02 (.40/.82/.03 before the mends), .67/.83/0, .52/.92/0, .55/.97/0."""


def rows(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def engine(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    opened = engine_of(articles(CORPUS), tmp_path_factory.mktemp("pastes"), load_encoder(None))
    yield opened
    opened.close()


@pytest.mark.parametrize("name", FLOORS)
def test_most_first_pastes_are_known_and_right(engine: Engine, name: str, figure: Callable[..., None]) -> None:
    known = likely = wrong = 0
    for row in rows(name):
        answer = engine.search(row["text"])
        is_right = bool(answer.matches) and answer.matches[0].incident.id in row["answers"]
        is_known = answer.verdict is Verdict.KNOWN
        known += is_known and is_right
        likely += is_right and str(answer.fine_verdict) in {"known", "probable"}
        wrong += is_known and not is_right
    answered, unanswered = SIZES[name]
    least_known, least_likely, most_wrong = FLOORS[name]
    figure(f"first_{name}.known_and_right", known / answered, floor=least_known)
    figure(f"first_{name}.known_or_probable", likely / answered, floor=least_likely)
    figure(f"first_{name}.known_and_wrong", wrong / (answered + unanswered), ceiling=most_wrong)


@pytest.mark.parametrize("name", SIZES)
def test_the_rows_are_sound(name: str) -> None:
    """Every answer is a write-up; no paste is taken from a source of its write-up."""
    texts = {path.stem: path.read_text(encoding="utf-8") for path in CORPUS.rglob("*.md")}
    ids = {incident.id for incident in articles(CORPUS)}
    answers = [row["answers"] for row in rows(name) if row["answers"]]

    assert (len(answers), len(rows(name)) - len(answers)) == SIZES[name]
    assert {one for names in answers for one in names} <= ids
    assert len({one for names in answers for one in names}) >= WRITE_UPS[name]
    assert [
        row["id"] for row in rows(name) for one in row["answers"] if row["seen"] in texts[one] and "http" in row["seen"]
    ] == []
