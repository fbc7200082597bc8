"""The worker against a platform that is down, slow, busy or broken: nothing is lost, nothing is posted twice."""

import time

import pytest

from kb.store import Actor, Role
from kb.store.model import Message, MessageState
from tests.api.chat.conftest import ChatHouse, call, question, start_talk
from tests.api.fixtures import assert_problem, poll
from tests.api.knowledge import HDFS_TRACE

ROOT = Actor("test", "test", Role.ADMIN)


def dead(house: ChatHouse, thread: str) -> Message | None:
    return next((one for one in house.store.messages.listing() if one.message_id == f"id-{thread}"), None)


@pytest.mark.parametrize("modes", [("429", "ok"), ("500", "ok"), ("slow", "ok")])
def test_what_is_not_taken_is_posted_later_and_once(house: ChatHouse, modes: tuple[str, ...]) -> None:
    house.talk.be(*modes, forget=True)
    asked = time.monotonic()
    thread = house.ask(HDFS_TRACE)
    poll(lambda: len(house.talk.told()["tried"]) == 2)
    (posted,) = house.answers(thread)
    assert time.monotonic() - asked >= 1
    poll(lambda: house.store.messages.get(posted["message"]["ref"]).state is MessageState.DONE)
    assert house.talk.told()["tried"] == list(modes)
    assert len(house.talk.posted(thread)) == 1
    assert house.store.messages.get(posted["message"]["ref"]).tries == 2


def test_what_is_never_taken_becomes_a_dead_letter_that_can_be_tried_again(house: ChatHouse) -> None:
    house.talk.be("500", "500", "500", forget=True)
    thread = house.ask(HDFS_TRACE)
    poll(lambda: dead(house, thread) is not None)
    letter = dead(house, thread)
    assert letter is not None
    assert (letter.why, letter.tries, house.talk.posted(thread)) == ("Talk says 500", 2, [])
    house.talk.be()
    house.store.messages.again(letter.ref, letter.received_at, actor=ROOT)
    assert house.answers(thread)[0]["message"]["ref"] == letter.ref


def test_what_cannot_be_posted_is_dead_at_once(house: ChatHouse) -> None:
    house.talk.be("404", forget=True)
    thread = house.ask(HDFS_TRACE)
    poll(lambda: dead(house, thread) is not None)
    assert house.talk.told()["tried"] == ["404"]


def test_what_may_have_been_posted_is_not_posted_again_where_nobody_can_tell(house: ChatHouse) -> None:
    house.talk.be("slow", forget=True)
    thread = house.ask(HDFS_TRACE, "shout")
    poll(lambda: dead(house, thread) is not None)
    letter = dead(house, thread)
    assert letter is not None
    assert letter.why == "Talk does not answer, it may have been posted"
    assert len(house.talk.posted(thread)) == 1


def test_a_platform_that_is_down_gets_its_answers_when_it_is_back(house: ChatHouse) -> None:
    house.talk.process.kill()
    house.talk.process.wait()
    thread = house.ask(HDFS_TRACE)
    poll(lambda: any(one.why == "Talk is down" for one in house.store.messages.listing(MessageState.WAITING)))
    house.talk.process = start_talk(house.talk.port).process
    assert house.answers(thread)[0]["message"]["verdict"] == "known"


def test_while_the_store_is_away_the_platform_is_told_to_try_again(house: ChatHouse) -> None:
    told = question(HDFS_TRACE, "away")
    with house.store.transaction():
        asked = time.monotonic()
        response = call(house.client, told)
        assert 2 < time.monotonic() - asked < 3
    assert_problem(response, 503, "store-busy")
    assert call(house.client, told).status_code == 200
    house.answers("away")
    other = house.ask(HDFS_TRACE)
    house.answers(other)
    assert len(house.talk.posted("away")) == 1


def test_a_fault_in_a_platform_is_tried_again_and_told(house: ChatHouse) -> None:
    thread = house.ask(HDFS_TRACE, files=["fault"])
    poll(lambda: dead(house, thread) is not None)
    letter = dead(house, thread)
    assert letter is not None
    assert (letter.why, letter.tries) == ("a fault in dejastack: RuntimeError", 2)
