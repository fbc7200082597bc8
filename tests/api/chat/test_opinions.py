"""Buttons of an answer: the opinion is kept as at the other doors, and a person counts once for an incident."""

from dataclasses import replace
from datetime import UTC, datetime
from itertools import count
from typing import Any

import pytest

from api.chat.votes import record_vote
from kb.store import Refused
from kb.store.model import MessageState, Vote, Votes
from tests.api.chat.conftest import ChatHouse
from tests.api.fixtures import poll
from tests.api.knowledge import HDFS_TRACE, KAFKA_TRACE

_NUMBERS = count()
HDFS = "flink-checkpoint-hdfs-replicas"


def press(ref: str, thread: str, vote: Vote = Vote.YES, place: int = 0, who: str = "") -> dict[str, Any]:
    """A press of its own, of somebody who has pressed nothing yet unless they are named."""
    number = next(_NUMBERS)
    return {
        "kind": "press",
        "id": f"p{number}",
        "ref": ref,
        "place": place,
        "vote": int(vote),
        "who": who or f"somebody{number}",
        "thread": thread,
    }


@pytest.fixture
def answered(house: ChatHouse) -> tuple[str, str]:
    """The ref of an answer, and its thread."""
    thread = house.ask(HDFS_TRACE)
    return str(house.answers(thread)[0]["message"]["ref"]), thread


def pressed(house: ChatHouse, told: dict[str, Any]) -> None:
    assert house.call(told).status_code == 200


def thanks(house: ChatHouse, thread: str, number: int) -> list[str]:
    poll(lambda: sum("thanks" in one for one in house.talk.posted(thread)) >= number)
    return [one["thanks"] for one in house.talk.posted(thread) if "thanks" in one]


def test_a_press_is_kept_with_the_prints_of_the_question(house: ChatHouse, answered: tuple[str, str]) -> None:
    ref, thread = answered
    before = house.store.feedback.votes([HDFS])[HDFS]
    pressed(house, press(ref, thread, who="zoe"))
    assert thanks(house, thread, 1) == ["Thank you. Your vote is saved and improves the answers."]
    _, said = house.store.feedback.listing(limit=1000)[-1]
    assert (said.incident_id, said.vote, said.by and said.by.id, said.text) == (HDFS, Vote.YES, "talk:zoe", None)
    kept = house.store.messages.get(ref).answer
    assert kept is not None
    assert said.prints == {level: tuple(some) for level, some in kept["prints"].items() if level != "message"}
    assert set(said.prints) == {"exact", "root_cause", "loose"}
    assert said.probability == kept["matches"][0][1] > 0.5
    assert house.store.feedback.votes([HDFS])[HDFS] == Votes(before.yes + 1, before.no)


def test_the_last_vote_of_each_person_counts(house: ChatHouse, answered: tuple[str, str]) -> None:
    ref, thread = answered
    before = house.store.feedback.votes([HDFS])[HDFS]
    first = press(ref, thread, who="ann")
    for _ in range(3):  # delivered again
        pressed(house, first)
    pressed(house, press(ref, thread, who="ann"))
    again = house.ask(HDFS_TRACE)
    pressed(house, press(str(house.answers(again)[0]["message"]["ref"]), thread, who="ann"))
    pressed(house, press(ref, thread, who="ben"))
    assert len(thanks(house, thread, 4)) == 4
    assert house.store.feedback.votes([HDFS])[HDFS] == Votes(before.yes + 2, before.no)
    for number, (vote, counted) in enumerate(((Vote.NO, (1, 1)), (Vote.YES, (2, 0)), (Vote.NO, (1, 1)))):
        pressed(house, press(ref, thread, vote, who="ben"))
        assert len(thanks(house, thread, 5 + number)) == 5 + number
        yes, no = counted
        assert house.store.feedback.votes([HDFS])[HDFS] == Votes(before.yes + yes, before.no + no)
    pressed(house, first)  # delivered late: it is not news any more
    pressed(house, press(ref, thread, place=1, who="ann"))
    assert len(thanks(house, thread, 8)) == 8
    other = house.store.messages.get(ref).answer["matches"][1][0]  # type: ignore[index]
    assert other != HDFS
    assert house.store.feedback.votes([other])[other] == Votes(1, 0)
    assert house.store.feedback.votes([HDFS])[HDFS] == Votes(before.yes + 1, before.no + 1)


@pytest.mark.parametrize(("ref", "place"), [("no such", 0), (None, 9), (None, -1)])
def test_a_vote_on_an_unknown_incident_is_not_kept(
    house: ChatHouse, answered: tuple[str, str], ref: str | None, place: int
) -> None:
    before = len(house.store.feedback.listing(limit=1000))
    pressed(house, press(ref or answered[0], answered[1], place=place))
    assert thanks(house, answered[1], 1) == [
        "这条回答已过期，未作记录 / That answer is too old: nothing was noted. Ask again."
    ]
    assert len(house.store.feedback.listing(limit=1000)) == before


def test_a_press_on_an_answer_to_another_platform_is_nothing(house: ChatHouse, answered: tuple[str, str]) -> None:
    before = len(house.store.feedback.listing(limit=1000))
    assert house.call(press(*answered), "shout").status_code == 200
    assert "too old" in thanks(house, answered[1], 1)[0]
    assert len(house.store.feedback.listing(limit=1000)) == before


def test_a_press_on_another_press_is_nothing(house: ChatHouse, answered: tuple[str, str]) -> None:
    ref, thread = answered
    told = press(ref, thread)
    pressed(house, told)
    thanks(house, thread, 1)
    done = house.store.messages.listing(MessageState.DONE, limit=1000)
    (first,) = [one for one in done if one.message_id == f"vote:{told['id']}"]
    pressed(house, press(first.ref, thread))
    assert "too old" in thanks(house, thread, 2)[1]


def test_an_undeliverable_thank_you_is_no_dead_letter(house: ChatHouse) -> None:
    thread = house.ask(f"消费者提交位移失败，怎么处理？\n{KAFKA_TRACE}")
    ref = str(house.answers(thread)[0]["message"]["ref"])
    house.talk.be("500")
    pressed(house, press(ref, thread))
    poll(lambda: bool(house.store.feedback.votes(["kafka-commit-rebalanced"])["kafka-commit-rebalanced"].yes))
    poll(lambda: not house.store.messages.listing(MessageState.HELD))
    assert not any(one.message_id.startswith("vote:") for one in house.store.messages.listing())


def test_a_worker_whose_claim_on_a_click_expired_keeps_nothing(house: ChatHouse, answered: tuple[str, str]) -> None:
    ref, _ = answered
    engine = house.client.app.state.service.live.engine  # type: ignore[attr-defined]
    told = {"id": "p", "ref": ref, "place": 0, "vote": 1, "who": "slow", "target": {}}
    now = datetime.now(UTC)
    held = house.store.messages.take("talk", "slow press", "press", told, now, hold=600)
    assert held is not None
    before = house.store.feedback.votes([HDFS])[HDFS]
    with pytest.raises(Refused, match="another worker"):
        record_vote(house.store, engine, replace(held, holder="another"), 600, keeps_text=False)
    assert house.store.feedback.votes([HDFS])[HDFS] == before
    assert record_vote(house.store, engine, held, 600, keeps_text=False).startswith("Thank you")
    assert house.store.feedback.votes([HDFS])[HDFS] == Votes(before.yes + 1, before.no)
    house.store.messages.done(held.ref, now, question={})
