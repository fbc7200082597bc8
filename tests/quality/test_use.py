"""Use teaches: one question of each problem is confirmed, the others are asked, on the real pairs beside the checkout (part test).

Noted: how many are known and right before and after, and how often `known` is said of what no write-up answers.
"""

import json
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from index import Engine, Verdict
from index.build import build
from index.encoder import load_encoder
from index.entry import entries
from index.ranking.sightings import fingerprint_digests
from index.reading import read
from kb.record import from_record
from kb.store import Actor, Store
from kb.store.model import NOBODY, Feedback, Vote
from kb.store.voices import Voter, Weight

pytestmark = pytest.mark.quality

Figure = Callable[..., None]
READER = Actor("key:r", "reader")
WAVE = 500
_RISE = 0.05
"""Of the other questions, this share more is known and right at the least; about half of what was measured."""
_FALSE = 0.03
"""Of the unknown ones, this share more is called known at the most: two of 80, whose message is that of a confirmed question."""


@dataclass(frozen=True)
class Pairs:
    """The write-ups that answer, the questions that are confirmed, those that are asked, and those without an answer."""

    rows: Sequence[dict[str, Any]]
    right: dict[str, set[str]]
    confirmed: Sequence[dict[str, Any]]
    asked: Sequence[dict[str, Any]]
    unknown: Sequence[str]


@pytest.fixture(scope="module")
def pairs(shared_data: Path) -> Pairs:
    def lines(name: str) -> list[dict[str, Any]]:
        file = shared_data / f"pairs/{name}.jsonl"
        return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]

    right: dict[str, set[str]] = defaultdict(set)
    for row in lines("incidents"):
        right[row["id"]].add(row["id"])
    for row in lines("near_misses"):
        same = row.get("same_problem_as") or []
        for name in [same] if isinstance(same, str) else same:
            right[name].add(row["id"])
    mine = [row for row in lines("questions") if row["part"] == "test"]
    first = {row["problem"]: row for row in reversed(mine)}
    confirmed = [row for row in mine if first[row["problem"]] is row]
    asked = [row for row in mine if first[row["problem"]] is not row]
    unknown = [row["text"] for row in lines("unknown") if row["part"] == "test"]
    return Pairs(lines("incidents"), right, confirmed, asked, unknown)


@pytest.fixture(scope="module")
def home(pairs: Pairs, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder, encoder = tmp_path_factory.mktemp("use"), load_encoder(None)
    build([entries([from_record(row) for row in pairs.rows], encoder)], folder, encoder)
    return folder


@pytest.fixture
def engine(home: Path) -> Iterator[Engine]:
    opened = Engine.open(home)
    yield opened
    opened.close()


def answers(engine: Engine, texts: Sequence[str]) -> list[tuple[Verdict, str, float]]:
    """The verdict, and the first match with its probability."""
    found = []
    for text in texts:
        answer = engine.search(text, 1)
        best = answer.matches[0] if answer.matches else None
        found.append((answer.verdict, best.incident.id if best else "", best.probability if best else 0.0))
    return found


def measured(engine: Engine, pairs: Pairs) -> dict[str, float]:
    told = answers(engine, [row["text"] for row in pairs.asked])
    known = [
        name in pairs.right[row["problem"]]
        for row, (verdict, name, _) in zip(pairs.asked, told, strict=True)
        if verdict is Verdict.KNOWN
    ]
    others = answers(engine, pairs.unknown)
    return {
        "known and right": sum(known) / len(pairs.asked),
        "known and wrong": (len(known) - sum(known)) / len(pairs.asked),
        "false known": sum(verdict is Verdict.KNOWN for verdict, *_ in others) / len(pairs.unknown),
    }


def confirm(store: Store, row: dict[str, Any], actor: Actor, voter: Voter) -> None:
    said = Feedback(row["problem"], Vote.YES, fingerprint_digests(read(row["text"])), 0.5, "s")
    store.feedback.add(said, actor=actor, voter=voter)


def test_what_one_reader_confirms_others_are_answered_by(
    engine: Engine, pairs: Pairs, tmp_path: Path, figure: Figure
) -> None:
    with Store.open(tmp_path / "store.db") as store:
        engine.follow(store)
        before = measured(engine, pairs)
        with store.transaction():
            for row in pairs.confirmed:
                confirm(store, row, READER, Voter(Weight.KEY))
        engine.follow(store)
    after = measured(engine, pairs)
    figure("use: known and right, before", before["known and right"])
    figure("use: known and right, after", after["known and right"], floor=before["known and right"] + _RISE)
    figure("use: known and wrong, before", before["known and wrong"])
    figure("use: known and wrong, after", after["known and wrong"], ceiling=before["known and wrong"] + _FALSE)
    figure("use: false known, before", before["false known"])
    figure("use: false known, after", after["false known"], ceiling=before["false known"] + _FALSE)


def test_a_wave_of_votes_by_one_address_changes_nothing(engine: Engine, pairs: Pairs, tmp_path: Path) -> None:
    texts = [row["text"] for row in (*pairs.confirmed[:20], *pairs.asked[:20])]
    with Store.open(tmp_path / "store.db") as store:
        engine.follow(store)
        before = answers(engine, texts)
        voter = Voter(Weight.VOICE, "192.0.2.1")
        with store.transaction():
            for number in range(WAVE):
                confirm(store, pairs.confirmed[number % len(pairs.confirmed)], NOBODY, voter)
        engine.follow(store)
    assert answers(engine, texts) == before
